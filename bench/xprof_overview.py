"""xprof_overview.py FILE: what XProf does to show its overview page. Run with build/bench-venv/bin/python.

XProf keeps its caches beside the capture, so give it a copy in a fresh directory for a cold run.
"""

import sys

from xprof.convert import raw_to_tool_data


def main() -> None:
    data, _ = raw_to_tool_data.xspace_to_tool_data([sys.argv[1]], "overview_page", {})
    if not data:
        sys.exit("XProf made no overview page")
    print(f"{len(data)} bytes of overview")


if __name__ == "__main__":
    main()
