"""python -m gait.compat.supergrad SCRIPT [--gpus 1 2 4 8]: all configurations of a script, and how they scale."""

from __future__ import annotations

import argparse
import sys

from gait.compat.supergrad._configurations import analyze_scaling, print_scaling, run_configurations


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m gait.compat.supergrad", description=__doc__)
    parser.add_argument("script", help="called as: python SCRIPT COUNT; see profile_configuration")
    parser.add_argument(
        "--captured", action="store_true", help="the script only marks its steps; gait scale captures it"
    )
    parser.add_argument("--gpus", type=int, nargs="+", default=[1, 2, 4, 8], metavar="COUNT")
    args = parser.parse_args()
    results = run_configurations(args.script, args.gpus, captured=args.captured)
    print_scaling(analyze_scaling(results))
    return int(any(result.get("success") is False for result in results.values()))


if __name__ == "__main__":
    sys.exit(main())
