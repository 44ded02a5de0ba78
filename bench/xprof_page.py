"""xprof_page.py TOOL FILE [OUT]: what XProf does to show one of its pages. Run with build/bench-venv/bin/python.

XProf keeps its caches beside the capture, so give it a copy in a fresh directory for a cold run. OUT gets what it made.
"""

import sys
from pathlib import Path

from xprof.convert import raw_to_tool_data


def main() -> None:
    tool, file, *out = sys.argv[1:]
    data, _ = raw_to_tool_data.xspace_to_tool_data([file], tool, {})
    if not data:
        sys.exit(f"XProf made no {tool}")
    for path in out:
        Path(path).write_bytes(data if isinstance(data, bytes) else data.encode())
    print(f"{len(data)} bytes of {tool}")


if __name__ == "__main__":
    main()
