"""What a loop measured of itself, as figures of each step in seconds, and what gait says of the same."""

import dataclasses
import itertools
import json
from pathlib import Path

KINDS = ("input", "transfer", "call", "compile", "wait", "collect")


def overlap(span, window):
    return max(0, min(span[1], window[1]) - max(span[0], window[0])) / 1e9


def split(spans, window):
    """A window's time by kind; what no span says is Python's."""
    parts = dict.fromkeys((*KINDS, "python"), 0.0)
    for kind, begin, end in spans:
        parts[kind] += overlap((begin, end), window)
    parts["python"] += (window[1] - window[0]) / 1e9 - sum(parts.values())
    return parts


@dataclasses.dataclass
class Label:
    """By the number of a step: of its time on the host, and from one result to the next, the parts."""

    host: dict[int, dict[str, float]]
    device: dict[int, dict[str, float]]
    callbacks: dict[int, float]
    evaluations: dict[str, list[float]]
    step: float  # mean wall time, evaluations apart
    disturbed: bool


def read(directory: Path) -> Label:
    measured = json.loads((directory / "label.json").read_text())
    begins, done, evaluations = measured["begins"], measured["done"], measured["evaluations"]
    host, device, callbacks = {}, {}, {}
    for number, window in enumerate(itertools.pairwise(begins)):
        outside = [e for e in evaluations if window[0] <= e[1] < window[1]]
        window = (window[0], min([window[1], *(e[1] for e in outside)]))
        host[number] = split(measured["spans"], window)
        if None not in done[: number + 1]:
            before = [*done[:number], *(e[2] for e in evaluations if e[2] < done[number])]
            window = (max(before, default=begins[0]), done[number])
            device[number] = split(measured["spans"], window)
            callbacks[number] = sum(overlap(span, window) for span in measured["callbacks"])
    by_series = {}
    for series, begin, end in evaluations:
        by_series.setdefault(series, []).append((end - begin) / 1e9)
    apart = sum(sum(lengths) for lengths in by_series.values())
    step = (measured["whole"] / 1e9 - apart) / len(host)
    return Label(host, device, callbacks, by_series, step, measured["disturbed"])


# What gait calls the kinds: in `gait host`, in `gait idle`, where the overview lists time, and in its first sentence.
PARTS = {
    "fetch": "input",
    "to_device": "transfer",
    "dispatch": "call",
    "compile": "compile",
    "wait": "wait",
    "collect": "collect",
    "rest": "python",
}
CAUSES = {"input": "input", "transfer": "staging", "compile": "compile"}
LATE_CAUSES = ("dispatch", "launch", "graph_launch", "allocator")
WHERE = {
    "input": "host busy with input",
    "transfer": "host preparing copies",
    "compile": "host compiling",
    "callback": "host callback",
}
WORDS = {
    "input": "while the host was busy with input",
    "transfer": "while the host prepared copies to the device",
    "compile": "while the host compiled",
    "python": "while the host ran Python and dispatch code",
    "callback": "callbacks into Python",
}


def host_parts(rows):
    whole = [row for row in rows if row["flags"] == ""]
    return {row["step"]: {kind: row[part] / 1e12 for part, kind in PARTS.items()} for row in whole}


def idle_causes(rows):
    times = rows[0].keys() - {"host", "device", "step"}
    return {row["step"]: {name: row[name] / 1e12 for name in times} for row in rows}
