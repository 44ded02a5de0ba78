"""sizes.py: fails where our C++ besides tests has a function or a file that nobody can hold in mind.

A function may have a cyclomatic complexity of 25 and 80 lines, a file 450 lines. What is larger holds a second
thought, which wants a name of its own.
"""

import subprocess
import sys
from pathlib import Path

MOST_COMPLEX = 25  # ways through a function, as lizard counts them
MOST_LINES = 80  # of a function
MOST_FILE_LINES = 450

PLACES = ("src/*.cc", "src/*.h", "python/native/*.cc", "python/native/*.h")
GIT = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *PLACES]
LIZARD = [sys.executable, "-m", "lizard", "-l", "cpp", "-w", "-C", str(MOST_COMPLEX), "-L", str(MOST_LINES)]


def main() -> int:
    """The exit status: 0, or 1 after a line for each function and file that is too large."""
    listed = subprocess.check_output(GIT, text=True).splitlines()
    files = [name for name in listed if not name.endswith("_test.cc") and Path(name).exists()]
    status = subprocess.run([*LIZARD, *files], check=False).returncode
    for name in files:
        lines = Path(name).read_bytes().count(b"\n")
        if lines > MOST_FILE_LINES:
            print(f"{name}: {lines} lines, more than {MOST_FILE_LINES}")
            status = 1
    return 1 if status else 0


if __name__ == "__main__":
    sys.exit(main())
