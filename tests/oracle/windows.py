"""The time that reports cover, and lengths of unions, for the oracles."""

import dataclasses
import gzip
import itertools
from collections import defaultdict

import xplane


def unpacked(capture) -> bytes:
    data = capture.read_bytes()
    return gzip.decompress(data) if capture.suffix == ".gz" else data


def unnumbered(capture) -> bytes:
    """The same capture of a program that gives its steps no numbers."""
    return unpacked(capture).replace(b"step_num", b"stop_num")


def unannotated(capture) -> bytes:
    """The same capture of a program that annotates no steps: what makes one a root is gone too."""
    return unnumbered(capture).replace(b"\x12\x02_r", b"\x12\x02_q")


def read(capture) -> xplane.Space:
    return xplane.read(unpacked(capture))


def in_order(events: list[xplane.Event]) -> list[xplane.Event]:
    """Events of a thread by begin. A wait that is written as its two ends lasts from the one to the other."""
    ordered = sorted(events, key=lambda e: (e.begin, -e.duration))
    joined = list(ordered)
    for i, (begun, over) in enumerate(itertools.pairwise(ordered)):
        if begun.name != over.name or not begun.name.endswith("::Await"):
            continue
        flow = dict(begun.args).get("_p")
        if flow is not None and flow == dict(over.args).get("_c"):
            joined[i] = dataclasses.replace(begun, duration=over.begin + over.duration - begun.begin)
    return joined


def is_complete(flags: str) -> bool:
    """Of a step of gait steps: the statistics count it."""
    return not {"first", "partial", "no work"} & set(flags.split(", "))


def windows_of(gait, capture) -> tuple[dict[str, list[tuple[int, int]]], int]:
    """By device the steps that count, as gait steps tells them, and how many there are over all devices."""
    document = gait.document("steps", capture)
    flags = {(r["series"], r["step"]): r["flags"] for r in gait.rows(document, "steps")}
    rows = gait.rows(document, "step_devices")
    if not rows:
        return {}, 0
    series = gait.rows(document, "steps")[0]["series"]
    rows = [r for r in rows if r["series"] == series]
    complete = [r for r in rows if is_complete(flags[series, r["step"]])]
    counted = complete or rows
    found = defaultdict(list)
    for row in counted:
        found[row["device"]].append((row["begin"], row["begin"] + row["step_time"]))
    return found, len({r["step"] for r in counted})


def covered(intervals: list[tuple[int, int]]) -> int:
    total, reached = 0, None
    for begin, end in sorted(intervals):
        begin = begin if reached is None else max(begin, reached)
        total += max(0, end - begin)
        reached = end if reached is None else max(reached, end)
    return total
