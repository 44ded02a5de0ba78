"""The two parts of the unified result that come from gait's tables: what XLA ran, and what the host read and sent."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from gait._run import Run

TOP = 10  # operations named
IO_PARTS = {"fetch": "input", "to_device": "to_device"}  # of the host's time


def _entry(count: int, picoseconds: int) -> dict[str, Any]:
    return {"count": count, "total_time_us": picoseconds / 1e6}


def xla_operations(run: Run) -> dict[str, Any]:
    """Operations of compiled programs: how many ran, how long, by category, and which took longest."""
    rows = [row for row in run.ops(top=0).table if not row["unattributed"]]
    categories: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    for row in rows:
        sums = categories[row["category"] or "other"]
        sums[0] += row["executions"] or 0
        sums[1] += row["self"] or 0
    longest = sorted(rows, key=lambda row: -(row["self"] or 0))[:TOP]
    return {
        "unique_operations": len(rows),
        **_entry(sum(row["executions"] or 0 for row in rows), sum(row["self"] or 0 for row in rows)),
        "by_category": {name: _entry(*sums) for name, sums in sorted(categories.items())},
        "top_operations": [
            {
                "name": row["name"],
                "program": row["program"],
                **_entry(row["executions"] or 0, row["self"] or 0),
            }
            for row in longest
        ],
    }


def io_operations(run: Run) -> dict[str, Any]:
    """What the host did to feed the devices, and the copies between the two."""
    made: dict[str, Any] = {}
    host = run.host(top=0)
    for row in host["host_activities"]:
        kind = IO_PARTS.get(row["part"] or "")
        if kind is None:
            continue
        into = made.setdefault(kind, {"count": 0, "total_time_us": 0.0, "names": []})
        into["count"] += row["count"] or 0
        into["total_time_us"] += (row["self"] or 0) / 1e6
        into["names"] = [*into["names"], row["name"]][:TOP]
    # With what their calls called, which is counted by itself above, as time.sleep of a loader is.
    in_steps: defaultdict[str, float] = defaultdict(float)
    for row in host["input_pipeline"]:
        in_steps[IO_PARTS.get(row["part"], "")] += (row["total"] or 0) / 1e6
    for kind, into in made.items():
        into["total_time_us"] = in_steps[kind] or into["total_time_us"]
    copies = {
        row["kind"]: {**_entry(row["count"] or 0, row["total"] or 0), "bytes": row["bytes"] or 0}
        for row in run.transfers(top=0)["transfers"]
    }
    return {**made, "copies": copies}
