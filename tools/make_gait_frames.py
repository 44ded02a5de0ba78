"""python tools/make_gait_frames.py [--check]: src/gait/analyze/vocabulary/gait_functions.inc, the functions of the
Python package, by file. Captures of a program hold frames of them where the program captures itself, and gait tells
these from the program's own. --check only says whether that was forgotten (a test does)."""

from __future__ import annotations

import ast
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MADE = ROOT / "src" / "gait" / "analyze" / "vocabulary" / "gait_functions.inc"


def functions_by_file() -> dict[str, set[str]]:
    """By the name that the tracer of Python writes: that of the file, without its folder."""
    found: dict[str, set[str]] = {}
    for file in (ROOT / "python" / "gait").rglob("_*.py"):
        if file.name.startswith("__"):
            continue  # too many others have such a file
        tree = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        names = {node.name for node in tree if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
        if names:
            found.setdefault(file.name, set()).update(names)
    return found


def text() -> str:
    lines = ["// Made by tools/make_gait_frames.py. Each function has a space before and behind it.", ""]
    for file, names in sorted(functions_by_file().items()):
        words = textwrap.wrap(" ".join(sorted(names)), 95, break_long_words=False)
        lines.append(f'{{"{file}",')
        lines += [f'    " {line}"' for line in words]
        lines[-1] = lines[-1][:-1] + ' "},'
    return "\n".join(lines) + "\n"


def main() -> int:
    if sys.argv[1:] == ["--check"]:
        if MADE.exists() and MADE.read_text(encoding="utf-8") == text():
            return 0
        print(
            "python tools/make_gait_frames.py has to be run again: the functions of the package have changed."
        )
        return 1
    MADE.write_text(text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
