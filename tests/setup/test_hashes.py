"""Every Python package that the project installs is checked by its hash, the one that writes the hashes too."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LISTS = sorted((ROOT / "tools" / "requirements").glob("*.in"))


def installations() -> list[str]:
    scripts = [*(ROOT / "tools").glob("*.sh"), ROOT / "Makefile"]
    lines = [line.strip() for script in scripts for line in script.read_text().splitlines()]
    return [line for line in lines if re.search(r"pip install\s", line) and not line.startswith("#")]


def test_pip_asks_for_hashes():
    found = installations()
    assert any("--require-hashes" in line for line in found)
    own = [line for line in found if "--no-deps" in line and line.endswith(" .")]  # the package itself
    assert [line for line in found if "--require-hashes" not in line and line not in own] == []


def wanted(path: Path) -> list[str]:
    """The lines of a list, and of the list that it is more than."""
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    other = [line.removeprefix("-r ") for line in lines if line.startswith("-r ")]
    return [line for line in lines if not line.startswith("-r ")] + [
        line for name in other for line in wanted(path.parent / name)
    ]


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.stem)
def test_a_list_is_locked_with_hashes(path):
    locked = path.with_suffix(".txt").read_text()
    pins = [line for line in locked.splitlines() if re.match(r"[a-z0-9]", line)]
    assert len(locked.split("--hash=sha256:")) > len(pins) > 0
    for line in wanted(path):
        assert line.split("#")[0].split(";")[0].strip() in locked
