"""xprof_page.py TOOL FILE: what XProf does to show one of its pages. Run with build/bench-venv/bin/python.

XProf keeps its caches beside the capture, so give it a copy in a fresh directory for a cold run.
"""

import sys

from xprof.convert import raw_to_tool_data


def main() -> None:
    tool, file = sys.argv[1:]
    data, _ = raw_to_tool_data.xspace_to_tool_data([file], tool, {})
    if not data:
        sys.exit(f"XProf made no {tool}")
    print(f"{len(data)} bytes of {tool}")


if __name__ == "__main__":
    main()
