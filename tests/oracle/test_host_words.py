"""docs/metrics/host_words.md has the projections of HostWork that the code has."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CODE = (ROOT / "src/gait/analyze/host/projections.h").read_text()
PAGE = (ROOT / "docs/metrics/host_words.md").read_text()
OTHER_NAMES = {"HostPart::kNone": "rest", "PathClass::kHost": "dispatch"}


def name_of(kind: str, value: str) -> str:
    return OTHER_NAMES.get(f"{kind}::k{value}") or re.sub(r"(?<!^)(?=[A-Z])", "_", value).lower()


def test_the_page_has_the_projections_of_the_code():
    row = r"\{HostWork::k(\w+), (HostPart)::k(\w+), (IdleCause)::k(\w+), (PathClass)::k(\w+)\}"
    code = {
        f"k{work}": (name_of(*part), name_of(*cause), name_of(*path))
        for work, *rest in re.findall(row, CODE)
        for part, cause, path in [(rest[0:2], rest[2:4], rest[4:6])]
    }
    page = {
        work: rest
        for work, *rest in re.findall(r"\| `(k\w+)` \|[^|]*\| `(\w+)` \| `(\w+)` \| `(\w+)` \|", PAGE)
    }
    assert len(code) == 10
    assert {work: tuple(rest) for work, rest in page.items()} == code
