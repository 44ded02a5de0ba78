"""python -m gait.compat.efficientids.compare: two unified results side by side.

    ... --gpu gpu.json --tpu tpu.json --focus throughput --html difference.html

The names are the original's; any two results can be compared, also two of one platform: --a and --b.
"""

from __future__ import annotations

import argparse
import html
import json
import sys
from pathlib import Path
from typing import Any

from gait._messages import complain
from gait.compat._lines import tell
from gait.compat.efficientids._schema import load_profiling_json, write_json

FOCUS = {
    "throughput": [
        ("throughput", "tokens_per_sec"),
        ("throughput", "tokens_per_sec_per_device"),
        ("throughput", "samples_per_sec"),
        ("throughput", "steps_per_sec"),
        ("flop_stats", "achieved_tflops"),
        ("flop_stats", "mfu_percent"),
    ],
    "timing": [
        ("step_timing", "num_steps"),
        ("step_timing", "avg_step_time_us"),
        ("timeline_coverage", "timeline_coverage_percent"),
        ("timeline_coverage", "idle_time_us"),
        ("compilation", "total_compile_time_us"),
    ],
    "kernels": [("step_timing", "total_kernels"), ("step_timing", "kernels_per_step")],
}


def compare(a: dict[str, Any], b: dict[str, Any], focus: str = "all") -> list[dict[str, Any]]:
    """A row for each figure that either has: its value in both, and the ratio b / a where that exists."""
    rows = []
    for name in FOCUS if focus == "all" else [focus]:
        for section, key in FOCUS[name]:
            rows.append(_row(f"{section}.{key}", a.get(section, {}).get(key), b.get(section, {}).get(key)))
        if name == "kernels":
            rows += _categories(a, b)
    return [row for row in rows if row["a"] is not None or row["b"] is not None]


def _row(name: str, a: float | None, b: float | None) -> dict[str, Any]:
    return {"metric": name, "a": a, "b": b, "ratio": b / a if a and b is not None else None}


def _categories(a: dict[str, Any], b: dict[str, Any]) -> list[dict[str, Any]]:
    sides = [side.get("kernels", {}).get("kernels_by_category", {}) for side in (a, b)]
    names = sorted({*sides[0], *sides[1]}, key=lambda n: -sides[0].get(n, {}).get("total_time_us", 0.0))
    return [
        _row(f"{name} (µs)", *(side.get(name, {}).get("total_time_us") for side in sides)) for name in names
    ]


def _text(value: float | None) -> str:
    return "–" if value is None else f"{value:,.3f}".rstrip("0").rstrip(".")  # noqa: RUF001  # unknown, as in gait


def _title(result: dict[str, Any]) -> str:
    metadata = result.get("metadata", {})
    return f"{metadata.get('num_devices', 1)} x {metadata.get('device_type', '?')}"


_HEAD = """<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content="width=device-width">
<meta name=color-scheme content="light dark"><title>Profiles compared</title>
<style>body{font:14px system-ui;margin:2em}td,th{padding:2px 12px 2px 0;text-align:right}td:first-child{text-align:left}
</style>"""


def _page(rows: list[dict[str, Any]], titles: list[str]) -> str:
    cells = "".join(
        "<tr>" + "".join(f"<td>{html.escape(text)}</td>" for text in _line(row)) + "</tr>" for row in rows
    )
    head = "".join(f"<th>{html.escape(text)}</th>" for text in ("", *titles, "ratio"))
    return f"{_HEAD}<table><tr>{head}</tr>{cells}</table>"


def _line(row: dict[str, Any]) -> tuple[str, str, str, str]:
    return row["metric"], _text(row["a"]), _text(row["b"]), _text(row["ratio"])


def main(arguments: list[str] | None = None) -> int:
    raw = argparse.RawDescriptionHelpFormatter
    name = "python -m gait.compat.efficientids.compare"
    parser = argparse.ArgumentParser(prog=name, description=__doc__, formatter_class=raw)
    parser.add_argument("--gpu", "--a", dest="a", required=True, metavar="JSON")
    parser.add_argument("--tpu", "--b", dest="b", required=True, metavar="JSON")
    parser.add_argument("--focus", choices=(*FOCUS, "all"), default="all")
    parser.add_argument("--output", metavar="JSON", help="write the comparison here")
    parser.add_argument("--html", metavar="FILE", help="and here as a page")
    args = parser.parse_args(arguments)
    try:
        a, b = load_profiling_json(args.a), load_profiling_json(args.b)
    except (OSError, ValueError) as error:
        complain(str(error))
        return 1
    rows, titles = compare(a, b, args.focus), [_title(a), _title(b)]
    tell(f"{'':36} {titles[0]:>16.16} {titles[1]:>16.16} {'ratio':>8}")
    for row in rows:
        metric, *values = _line(row)
        tell(f"{metric:36.36} {values[0]:>16} {values[1]:>16} {values[2]:>8}")
    if args.output:
        write_json(args.output, json.dumps({"a": titles[0], "b": titles[1], "rows": rows}, indent=2))
    if args.html:
        write_json(Path(args.html), _page(rows, titles))
    return 0


if __name__ == "__main__":
    sys.exit(main())
