#!/usr/bin/env python3
"""Draws which room includes which, from the rooms' CMakeLists.txt and their sources: draw_rooms.py [--write].

A line is a room, in the order of the build, and so is a column: "x" where a file of the line's room includes one of the
column's. Tests are left out. The diagonal is the room itself; a mark right of it would be a way back, which does not
build. --write puts the drawing into docs/architecture.md.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "src" / "gait"
PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- made by tools/draw_rooms.py -->\n```\n", "```\n<!-- end -->\n"
IS_TEST = re.compile(r"(_test\.cc|/test_[^/]*\.h|/testing\.h|/testing/.*)$")


def rooms_in_build_order() -> list[str]:
    listed = []
    text = (ROOT / "CMakeLists.txt").read_text()
    for names, one in re.findall(
        r"foreach\(room IN ITEMS([^)]*)\)|add_subdirectory\(src/gait/([a-z/_]+)\)", text
    ):
        listed += names.split() or [one]
    rooms = []
    for name in listed:  # a folder of rooms has several
        inner = re.findall(r"add_subdirectory\((\w+)\)", (SOURCES / name / "CMakeLists.txt").read_text())
        rooms += [f"{name}/{room}" for room in inner if name == "read"] or [name]
    return rooms


def room_of(path: str, rooms: list[str]) -> str | None:
    around = [room for room in rooms if path.startswith(room + "/")]
    return max(around, key=len, default=None)


def drawing() -> str:
    rooms = rooms_in_build_order()
    used = set()
    for source in sorted(SOURCES.rglob("*")):
        path = source.relative_to(SOURCES).as_posix()
        if source.suffix not in (".h", ".cc") or IS_TEST.search(path):
            continue
        included = re.findall(r'^#include "gait/([^"]+)"', source.read_text(), re.MULTILINE)
        used |= {(room_of(path, rooms), room_of(header, rooms)) for header in included}
    lines = []
    for room in rooms:
        marks = "".join("\\" if room == other else "x" if (room, other) in used else "." for other in rooms)
        lines.append(f"{room:30}{marks.rstrip('.')}\n")
    return "".join(lines)


def main() -> None:
    if sys.argv[1:] != ["--write"]:
        print(drawing(), end="")
        return
    page = PAGE.read_text()
    begin, end = page.index(BEGIN) + len(BEGIN), page.index(END)
    PAGE.write_text(page[:begin] + drawing() + page[end:])


if __name__ == "__main__":
    main()
