"""python tools/make_verbs.py [--check]: python/gait/_verb_table.py from what `gait VERB --help` says.

Run it after a change to the options of a verb; --check only says whether that was forgotten (a test does).
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "python" / "gait" / "_verb_table.py"
NOT_FUNCTIONS = ("run", "view")  # they become another program, and a server
NOT_OPTIONS = ("explain", "json", "csv", "width", "threads", "quiet", "help", "output", "format", "junit")
OWN_OPTIONS = {"report": ("output", "format")}  # that are of all verbs elsewhere
HEAD = '''"""The verbs of gait with their options. Made by tools/make_verbs.py: not to be edited."""

# verb -> (what it does, its arguments: (name, about), its options: (name, what it takes, about))
VERBS: dict[str, tuple[str, tuple[tuple[str, str], ...], tuple[tuple[str, str, str], ...]]] = {
'''


def gait(*words: str) -> str:
    command = ROOT / "build" / "bin" / "gait"
    return subprocess.run([command, *words, "--help"], capture_output=True, text=True, check=True).stdout


def verbs() -> list[str]:
    listed = re.findall(r"^    ([a-z]+)  +\S", gait(), re.MULTILINE)
    return [verb for verb in dict.fromkeys(listed) if verb not in NOT_FUNCTIONS and gait(verb)]


def entries(text: str) -> list[tuple[str, str]]:
    """(what is given, about) of the sections of a help text, continued lines joined."""
    found: list[list[str]] = []
    section = text[text.index("\nWhat\n") :]
    for line in section.splitlines():
        if re.match(r"  \S", line):
            given, _, about = line.strip().partition("  ")
            found.append([given, about.strip()])
        elif line.startswith("   ") and found:
            found[-1][1] = f"{found[-1][1]} {line.strip()}".strip()
    return [(given, about) for given, about in found]


def table_entry(verb: str) -> str:
    text = gait(verb)
    arguments, options = [], []
    for given, about in entries(text):
        words = given.split()
        names = [name.replace("-", "_") for name in re.findall(r"(?<![\w-])--([\w-]+)", given)]
        if not given.startswith("-"):
            arguments.append((given.lower(), about))
        for name in names:
            if name not in NOT_OPTIONS or name in OWN_OPTIONS.get(verb, ()):
                takes = words[-1] if not words[-1].startswith("-") else ""
                options.append((name + "_" * (name == "from"), takes, about))
    sentence = " ".join(text.partition("\n\n")[0].split())
    lines = [f"    {verb!r}: (", f"        {sentence!r},", "        ("]
    lines += [f"            {argument!r}," for argument in arguments]
    lines += ["        ),", "        ("]
    lines += [f"            {option!r}," for option in options]
    return "\n".join([*lines, "        ),", "    ),", ""])


def main() -> int:
    made = HEAD + "".join(map(table_entry, verbs())) + "}\n"
    ruff = Path(sys.executable).with_name("ruff")
    made = subprocess.run(
        [ruff, "format", "--stdin-filename", TABLE, "-"],
        input=made,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    if "--check" in sys.argv:
        return int(not TABLE.exists() or TABLE.read_text() != made)
    TABLE.write_text(made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
