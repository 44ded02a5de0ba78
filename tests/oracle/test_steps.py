"""Steps and their partition, computed slowly from the definition over the reference reading."""

import gzip
import itertools
from collections import defaultdict

import cpu_devices
import pytest
import windows
import xplane
from conftest import H200_CAPTURES, skip_other

COPIES = ("Memcpy", "Memset", "memcpy32", "memset32", "__amd_rocclr_copy", "__amd_rocclr_fill")
PARTS = ("compute", "exposed_communication", "exposed_copies", "unknown", "idle")


def rows(document: dict, table: str) -> list[dict]:
    found = document["tables"][table]
    names = [column["name"] for column in found["columns"]]
    return [dict(zip(names, row, strict=True)) for row in found["rows"]]


@pytest.fixture(scope="module")
def document(gait, capture) -> dict:
    return gait.document("steps", capture)


def covered(intervals: list[tuple[int, int]], begin: int, end: int) -> int:
    """Picoseconds of [begin, end) that some interval covers."""
    total, reached = 0, begin
    for first, last in sorted(intervals):
        first, last = max(first, reached), min(last, end)
        if last > first:
            total += last - first
            reached = last
    return total


def gpu_steps(space: xplane.Space) -> dict[tuple[str, str, int], dict]:
    """By series, GPU and step: where the step lies, its idle time, how many events it launched."""
    marks, launches, work = defaultdict(list), {}, defaultdict(list)
    for plane in space.planes:
        for line in plane.lines:
            for event in line.events:
                args = dict(event.args)
                if plane.name.startswith("/device:GPU:") and line.name.startswith("Stream #"):
                    work["GPU " + plane.name.rpartition(":")[2]].append((event, args.get("correlation_id")))
                elif plane.name.startswith("/host:"):
                    if "step_num" in args:
                        marks[event.name].append(
                            (event.begin, event.begin + event.duration, args["step_num"])
                        )
                    if "correlation_id" in args:
                        key = args["correlation_id"]
                        launches[key] = min(event.begin, launches.get(key, event.begin))
    found = {}
    for name, annotations in marks.items():
        annotations.sort()
        for device, events in work.items():
            finish, count, before = {}, defaultdict(int), None
            for event, correlation in events:
                if correlation not in launches:
                    continue
                step = sum(1 for begin, _, _ in annotations if begin <= launches[correlation]) - 1
                end = event.begin + event.duration
                if step < 0:
                    before = max(end, before or end)
                else:
                    finish[step] = max(end, finish.get(step, end))
                    count[step] += 1
            previous = None
            if before is not None and 0 in finish:
                previous = max(before, min(annotations[0][0], finish[0]))
            for step in sorted(finish):
                begin = previous if previous is not None else min(annotations[step][0], finish[step])
                end = max(begin, finish[step])
                previous = end
                busy = [(e.begin, e.begin + e.duration) for e, _ in events]
                copies = [(e.begin, e.begin + e.duration) for e, _ in events if e.name.startswith(COPIES)]
                others = [(e.begin, e.begin + e.duration) for e, _ in events if not e.name.startswith(COPIES)]
                found[name, device, annotations[step][2]] = {
                    "begin": begin,
                    "step_time": end - begin,
                    "idle": end - begin - covered(busy, begin, end),
                    "only_copies": covered(busy, begin, end) - covered(others, begin, end) if copies else 0,
                    "events": count[step],
                }
    return found


def test_parts_sum_to_the_step(document):
    for row in rows(document, "step_devices"):
        assert sum(row[part] for part in PARTS) == row["step_time"]
        assert min(row[part] for part in PARTS) >= 0


def test_steps_tile_the_time_of_a_device(document):
    by_device = defaultdict(list)
    for row in rows(document, "step_devices"):
        by_device[row["host"], row["series"], row["device"]].append(row)
    for steps in by_device.values():
        for before, after in itertools.pairwise(steps):
            assert after["begin"] == before["begin"] + before["step_time"]


def test_gpu_steps_equal_the_definition(document, capture):
    data = capture.read_bytes()
    expected = gpu_steps(xplane.read(gzip.decompress(data) if capture.suffix == ".gz" else data))
    if not expected:
        skip_other(capture, H200_CAPTURES, "no annotated steps on a GPU in this capture")
    found = {(r["series"], r["device"], r["step"]): r for r in rows(document, "step_devices")}
    assert found.keys() == expected.keys()
    for key, step in expected.items():
        for name in ("begin", "step_time", "idle", "events"):
            assert found[key][name] == step[name], (key, name)
        if found[key]["unknown"] == 0:
            assert found[key]["exposed_copies"] == step["only_copies"], key


def test_cpu_steps_equal_the_definition(document, capture):
    expected = cpu_devices.steps_of(windows.read(capture), capture)
    found = {(r["device"], r["step"]): r for r in rows(document, "step_devices")}
    assert found.keys() == expected.keys()
    for key, step in expected.items():
        row = found[key]
        assert (row["begin"], row["begin"] + row["step_time"]) == (step.begin, step.end), key
        assert (row["idle"], row["events"]) == (step.idle, step.events), key
