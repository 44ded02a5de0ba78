"""docs/seeds.md: all hundred rows, and tests that exist."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
ROWS = {"A": 20, "B": 21, "C": 19, "D": 20, "E": 20}


def table() -> dict[str, str]:
    text = (ROOT / "docs" / "seeds.md").read_text()
    return {found[1]: found[2] for found in re.finditer(r"^\| ([A-E]\d+) \|(.*)\|$", text, re.MULTILINE)}


def names_of_tests() -> set[str]:
    names = set()
    for path in (ROOT / "tests").glob("**/*.py"):
        names |= set(re.findall(r"^def (test_\w+)", path.read_text(), re.MULTILINE))
    return names


def test_every_row_is_there():
    assert list(table()) == [f"{key}{i}" for key, count in ROWS.items() for i in range(1, count + 1)]


def test_every_test_that_is_named_exists():
    named = {name for row in table().values() for name in re.findall(r"`(test_\w+)`", row)}
    assert len(named) > 100
    assert named - names_of_tests() == set()


def test_every_row_has_a_test():
    """And nothing else in its place."""
    for row, text in table().items():
        assert re.fullmatch(r"( `test_\w+`)+ ", text.rpartition("|")[2]), row
