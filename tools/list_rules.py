#!/usr/bin/env python3
"""list_rules.py [--write]: the table of the doctor's rules, from their sources and the titles of their pages. --write
puts it into docs/rules/README.md."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RULES = ROOT / "src/gait/analyze/verdict/doctor"
PAGES = ROOT / "docs/rules"
BEGIN, END = "<!-- made by tools/list_rules.py -->\n", "<!-- end -->\n"


def rules() -> list[str]:
    """Their names, in the order of `gait doctor --list`."""
    topics = (
        re.search(r"enum class Topic[^{]*\{([^}]*)\}", (RULES / "rule.h").read_text()).group(1).split(", ")
    )
    order = [topic.strip() for topic in topics]
    listed = []
    for source in RULES.glob("rules/*.cc"):
        if source.stem.endswith("_test"):
            continue
        topic = re.search(r"\.topic = Topic::(\w+)", source.read_text()).group(1)
        listed.append((order.index(topic), source.stem))
    return [name for _, name in sorted(listed)]


def table() -> str:
    lines = ["| rule | finding |\n", "|---|---|\n"]
    for name in rules():
        heading = (PAGES / f"{name}.md").read_text().splitlines()[0]
        lines.append(f"| [{name}]({name}.md) | {heading.removeprefix(f'# {name}: ')} |\n")
    return "".join(lines)


def main() -> None:
    if sys.argv[1:] != ["--write"]:
        print(table(), end="")
        return
    page = PAGES / "README.md"
    text = page.read_text()
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    page.write_text(text[:begin] + table() + text[end:])


if __name__ == "__main__":
    main()
