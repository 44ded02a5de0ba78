"""Steps and their partition, computed slowly from docs/metrics/step_time.md over the reference reading."""

import gzip
import itertools
import re
import statistics
from collections import defaultdict

import cpu_devices
import pytest
import windows
import xplane
from conftest import H200_CAPTURES, skip_other

COPIES = ("Memcpy", "Memset", "memcpy32", "memset32", "__amd_rocclr_copy", "__amd_rocclr_fill")
# Words in the names of kernels of no operation that tell what they do.
TELLING = re.compile(
    "nccl|gemm|nvjet|cutlass|triton|cudnn|fusion|wrapped|reduce|softmax|conv|Cijk|Im3d2Col", re.I
)
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


def launched_outside(annotations: list[tuple], steps: dict, launches: dict, lengths: dict) -> tuple[set, set]:
    """Launches after an annotation that are no step's (docs/metrics/step_time.md, "Which step work belongs to").

    First the launches that end a step, then those with too little work to end one."""
    outside = set()
    for thread in {a[3] for a in annotations}:
        inside, after = {}, {}
        for i, (_, end, _, own) in enumerate(annotations):
            if own == thread:
                calls = sorted((launches[c][0], c) for c, step in steps.items() if step == i)
                inside[i] = [c for launch, c in calls if launch < end]
                after[i] = [c for launch, c in calls if launch >= end]
        usual = statistics.median_low(len(inside[i]) + len(after[i]) for i in inside)
        usual_after = statistics.median_low(len(calls) for calls in after.values())
        for i, calls in after.items():
            outside.update(calls[max(usual_after, usual - len(inside[i]), 0) :])
    own, beyond = [0] * len(annotations), [0] * len(annotations)
    for correlation, step in steps.items():
        if step >= 0:
            (beyond if correlation in outside else own)[step] += lengths[correlation]
    last = {a[3]: i for i, a in enumerate(annotations)}
    usual = statistics.median_low(own) if own else 0
    little = {i for i, a in enumerate(annotations) if beyond[i] < usual // 10 and last[a[3]] != i}
    return {c for c in outside if steps[c] not in little}, {c for c in outside if steps[c] in little}


def gpu_steps(space: xplane.Space) -> dict[tuple[str, str, int], dict]:
    """By series, GPU and step: where the step lies, its idle time, how many events it launched."""
    marks, launches, work, annotated = defaultdict(list), {}, defaultdict(list), set()
    for plane in space.planes:
        for line in plane.lines:
            thread = (plane.name, line.id)
            for event in line.events:
                args = dict(event.args)
                if plane.name.startswith("/device:GPU:") and line.name.startswith("Stream #"):
                    work["GPU " + plane.name.rpartition(":")[2]].append((event, args.get("correlation_id")))
                elif plane.name.startswith("/host:"):
                    if "step_num" in args:
                        mark = (event.begin, event.begin + event.duration, args["step_num"], thread)
                        marks[event.name].append(mark)
                        annotated.add(thread)
                    if "correlation_id" in args:
                        key = args["correlation_id"]
                        launch = (event.begin, thread)
                        launches[key] = min(launch, launches.get(key, launch))
    found = {}
    for name, annotations in marks.items():
        annotations.sort()
        for device, events in work.items():
            steps = {}  # by correlation; -1: before the first
            for correlation in {c for _, c in events if c in launches}:
                launch, thread = launches[correlation]
                # On a thread with annotations only its own count.
                own = [i for i, a in enumerate(annotations) if thread not in annotated or a[3] == thread]
                if own:
                    steps[correlation] = max((i for i in own if annotations[i][0] <= launch), default=-1)
            lengths = defaultdict(int)
            for event, correlation in events:
                lengths[correlation] += event.duration
            outside, nobodys = launched_outside(annotations, steps, launches, lengths)
            first_known = min((e.begin for e, c in events if c in launches), default=0)
            of_step, of_between, of_before = defaultdict(list), defaultdict(list), []
            held = {}  # by step: when work of no step began after it
            for event, correlation in events:
                end = event.begin + event.duration
                step = steps.get(correlation)
                if step == -1 or (correlation not in launches and event.begin < first_known):
                    of_before.append(end)
                elif correlation in outside:
                    of_between[step].append(end)
                    held[step] = min(event.begin, held.get(step, event.begin))
                elif step is not None and correlation not in nobodys:
                    of_step[step].append(end)
            count = {step: len(ends) for step, ends in of_step.items()}
            finish = cpu_devices.finishes(of_step)
            # Work that still runs when a later step is done ends no step.
            between = {}
            for step, ends in of_between.items():
                done = min((f for s, f in finish.items() if s > step), default=max(ends))
                if kept := [end for end in ends if end <= done]:
                    between[step] = max(kept)
            before = max((end for end in of_before if end <= min(finish.values(), default=end)), default=None)
            previous = None
            if before is not None and 0 in finish:
                previous = max(before, min(annotations[0][0], finish[0]))
            for step in sorted(finish):
                for earlier in (b for s, b in between.items() if s < step):
                    previous = max(earlier, previous or earlier)
                begin = previous if previous is not None else min(annotations[step][0], finish[step])
                end = max(begin, finish[step])
                previous = end
                if step in between and step + 1 in finish:  # the loop goes on: it was held up until then
                    end = max(end, held[step])
                busy = [(e.begin, e.begin + e.duration) for e, _ in events]
                copies = [(e.begin, e.begin + e.duration) for e, _ in events if e.name.startswith(COPIES)]
                known = [
                    (e.begin, e.begin + e.duration)
                    for e, _ in events
                    if e.name.startswith(COPIES) or TELLING.search(e.name) or "hlo_op" in dict(e.args)
                ]
                others = [(e.begin, e.begin + e.duration) for e, _ in events if not e.name.startswith(COPIES)]
                found[name, device, annotations[step][2]] = {
                    "begin": begin,
                    "step_time": end - begin,
                    "idle": end - begin - covered(busy, begin, end),
                    "unknown": covered(busy, begin, end) - covered(known, begin, end),
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
        for name in ("begin", "step_time", "idle", "unknown", "events"):
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
