"""count_tests.py DIRECTORY: sums the JUnit files of ctest and pytest into one line.

One ctest entry is one GoogleTest program; its cases are counted from what it printed. A program that died
before its summary counts as one failure. Exit status 1 if a test failed.
"""

import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path


def count_case(case: ElementTree.Element) -> tuple[int, int, int]:
    """(passed, failed, skipped) of one JUnit entry."""
    output = case.findtext("system-out") or ""
    if case.find("skipped") is not None:
        return 0, 0, 1
    bad = case.find("failure") is not None or case.find("error") is not None
    passed = re.search(r"^\[  PASSED  \] (\d+) test", output, re.MULTILINE)
    failed = re.search(r"^\[  FAILED  \] (\d+) test", output, re.MULTILINE)
    if passed is None:
        return (0, 1, 0) if bad else (1, 0, 0)
    return int(passed[1]), int(failed[1]) if failed else int(bad), 0


def main() -> int:
    totals = [0, 0, 0]
    for file in sorted(Path(sys.argv[1]).glob("*.xml")):
        for case in ElementTree.parse(file).getroot().iter("testcase"):
            totals = [a + b for a, b in zip(totals, count_case(case), strict=True)]
    passed, failed, skipped = totals
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
