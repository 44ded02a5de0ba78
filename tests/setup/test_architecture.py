"""What docs/architecture.md says of the rooms is what the sources are."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def drawn() -> str:
    return subprocess.check_output([sys.executable, ROOT / "tools/draw_rooms.py"], text=True)


def test_the_drawing_is_of_these_sources(drawn):
    assert len(drawn.splitlines()) > 30
    assert drawn in (ROOT / "docs/architecture.md").read_text(), "run tools/draw_rooms.py --write"


def test_no_room_includes_one_after_it(drawn):
    for line in drawn.splitlines():
        room, marks = line.split()
        assert marks.endswith("\\"), f"{room} includes a room that is built after it"
