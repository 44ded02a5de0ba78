"""The critical path, walked slowly as docs/metrics/critical_path.md says, and its identities."""

# ruff: noqa: N802  (tests are named after rows of the seeds)

import bisect
import itertools
import re

import cpu_devices
import pytest
import windows
import xplane
from conftest import DATA
from test_host import ANNOTATIONS
from test_idle import KERNEL_GAP, LAUNCH_DELAY, Capture, parse_annotated_gpu, parse_one_cpu
from test_steps import COPIES, gpu_steps

CLASSES = (
    "compute",
    "communication",
    "copies",
    "kernel_gap",
    "launch",
    "dispatch",
    "input",
    "compile",
    "host_sync",
    "unknown",
)
HOST = {"dispatch": "dispatch", "allocator": "dispatch", "": "dispatch"}
HOST |= {name: name for name in ("input", "compile", "host_sync")} | {"staging": "input"}


WAKING = 500_000_000  # ps


def class_of(work: str) -> str:
    if re.match(r"(pure|io|debug)_callback\b", work):
        return "dispatch"
    return "copies" if work.startswith(COPIES) else "compute"


def says_nothing(event: xplane.Event | None) -> bool:
    if event is None or "step_num" in dict(event.args) or event.name in ANNOTATIONS:
        return True
    return re.match(r"\$train\.py:\d+ ", event.name) is not None


def silence(line: xplane.Line) -> tuple[list[int], list[bool]]:
    """Where something begins or ends on a thread, and whether what runs innermost from there on says nothing."""
    events = windows.in_order(line.events)
    edges = sorted({t for e in events for t in (e.begin, e.begin + e.duration)})
    silent, running, position = [], [], 0
    for edge in edges:
        while position < len(events) and events[position].begin <= edge:
            running.append(events[position])
            position += 1
        while running and running[-1].begin + running[-1].duration <= edge:
            running.pop()
        silent.append(says_nothing(running[-1] if running else None))
    return edges, silent


class Walk:
    """Paths on the one device of a capture. Work of streams: (begin, end, what it shares with its call, name)."""

    def __init__(self, capture: Capture, streams: list[list[tuple]]):
        self.capture = capture
        self.work = []  # (end, stream, position on it, begin, correlation, name, first of its call)
        self.reached = []  # by stream and position: the piece of work so far that ends last
        seen = {}
        for stream in streams:
            stream.sort(key=lambda w: (w[0], -w[1]))
        for work in sorted(itertools.chain(*streams), key=lambda w: (w[0], -w[1])):
            seen.setdefault(work[2], id(work))
        for s, stream in enumerate(streams):
            latest = []
            for i, work in enumerate(stream):
                begin, end, key, name = work
                piece = (end, s, i, begin, key, name, seen[key] == id(work))
                self.work.append(piece)
                latest.append(max(latest[-1], piece) if latest else piece)
            self.reached.append(latest)
        self.work.sort()
        self.ends = [piece[0] for piece in self.work]
        # Launch calls of each thread; one that runs into the next event ends there.
        self.launching = []
        for line in capture.lines:
            events = sorted((e.begin, e.begin + e.duration) for e in line.events if e.duration)
            calls = {(e.begin, e.begin + e.duration) for e in line.events if "correlation_id" in dict(e.args)}
            cut = []
            for begin, end in sorted(calls):
                after = bisect.bisect_right(events, (begin, end))
                inside = itertools.takewhile(
                    lambda e, end=end: e[0] < end, (events[i] for i in range(after, len(events)))
                )
                cut.append((begin, min((b for b, e in inside if e > end), default=end)))
            self.launching.append(cut)
        self.silences = [silence(line) for line in capture.lines]
        # Events without a length are signs of life too.
        self.marks = [sorted(e.begin for e in line.events if not e.duration) for line in capture.lines]

    def last_ended(self, time: int):
        at = bisect.bisect_right(self.ends, time)
        return self.work[at - 1] if at else None

    def before(self, piece):
        begin, own = piece[3], self.reached[piece[1]][piece[2] - 1] if piece[2] else None
        if own and own[0] >= begin:
            return own
        return max(filter(None, (own, self.last_ended(begin))), key=lambda p: p[0], default=None)

    def host_part(self, line: int, time: int) -> tuple[int, str]:
        """Since when the thread has done what it does just before a time, and what that is."""
        parts = self.capture.timeline(line)
        at = bisect.bisect_left(parts, (time,)) - 1
        if at < 0:
            return -(1 << 62), ""
        begin, end, cause = parts[at]
        if end < time or not cause:
            marks = self.marks[line]
            before = bisect.bisect_left(marks, time)
            since = end if end < time else begin
            return max(since, marks[before - 1]) if before else since, ""
        calls = self.launching[line]
        call = calls[bisect.bisect_left(calls, (time,)) - 1] if bisect.bisect_left(calls, (time,)) else None
        if cause and call and call[1] >= time:
            return max(begin, call[0]), "launch"
        if cause and call and call[1] > begin:
            begin = call[1]
        return begin, cause

    def stood_still(self, line: int, cause: str, time: int):
        """What the thread waited for until a time, where nothing says that it did, or None."""
        edges, silent = self.silences[line]
        at = bisect.bisect_left(edges, time) - 1
        awaited = self.last_ended(time)
        if at < 0 or not awaited or not silent[at] or cause not in ("", "dispatch"):
            return None
        done, since = awaited[0], edges[at]
        stood = done - since
        if stood < LAUNCH_DELAY or time - done > max(LAUNCH_DELAY, stood // 10, min(WAKING, stood // 4)):
            return None
        worked = [(max(w[3], since), min(w[0], done)) for w in self.work if w[0] > since and w[3] < done]
        return awaited if 2 * windows.covered(worked) >= stood else None

    def path(self, begin: int, end: int) -> dict[str, int]:
        by = dict.fromkeys(CLASSES, 0)
        at, line = end, None

        def spend(until: int, name: str):
            nonlocal at
            until = max(until, begin)
            if until < at:
                by[name] += at - until
                at = until

        piece = self.last_ended(end)
        spend(piece[0], "unknown")
        while at > begin:
            if line is None:
                spend(piece[3], class_of(piece[5]))
                if at <= begin:
                    break
                before = self.before(piece)
                ready = min(before[0], at) if before else -(1 << 62)
                call = self.capture.calls.get(piece[4]) if piece[6] else None
                if call and min(call[1], at) > ready:
                    still_runs = call[1] > at and call[0] <= ready and at - ready <= KERNEL_GAP
                    if not still_runs:
                        if at - call[1] > LAUNCH_DELAY:
                            spend(call[1], "unknown")
                        spend(call[0], "launch")
                        line = call[2]
                        continue
                spend(ready, "kernel_gap" if before else "unknown")
                piece = before
                continue
            since, cause = self.host_part(line, at)
            if not cause and line != self.capture.python and at - since > LAUNCH_DELAY:
                line = self.capture.python
                continue
            if cause == "host_sync":
                awaited = self.last_ended(at)
                if awaited and awaited[0] > since:
                    spend(awaited[0], "host_sync")
                    piece, line = awaited, None
                    continue
            if awaited := self.stood_still(line, cause, at):
                spend(awaited[0], "host_sync")
                piece, line = awaited, None
                continue
            spend(since, cause if cause == "launch" else HOST[cause])
        return by


def gpu_streams(space: xplane.Space) -> list[list[tuple]]:
    return [
        [
            (e.begin, e.begin + e.duration, dict(e.args).get("correlation_id"), e.name)
            for e in line.events
            if e.duration
        ]
        for plane in space.planes
        for line in plane.lines
        if plane.name.startswith("/device:GPU:") and line.name.startswith("Stream #")
    ]


@pytest.fixture(scope="module")
def document(gait, capture) -> dict:
    return gait.document("path", capture)


def test_the_path_is_as_long_as_the_step(gait, capture, document):
    steps = {
        (r["host"], r["device"], r["step"]): r
        for r in gait.rows(gait.document("steps", capture), "step_devices")
    }
    rows = gait.rows(document, "path_steps")
    for row in rows:
        assert sum(row[name] for name in CLASSES) == row["length"]
        assert min(row[name] for name in CLASSES) >= 0
        assert row["perfect_overlap"] <= row["length"]
        if row["step"] is not None:
            same = steps[row["host"], row["device"], row["step"]]
            assert (row["begin"], row["length"]) == (same["begin"], same["step_time"])
    totals = {r["class"]: r["total"] for r in gait.rows(document, "path")}
    assert totals == {name: t for name in CLASSES if (t := sum(row[name] for row in rows))}
    by_event = dict.fromkeys(totals, 0)
    operations = {r["name"] for r in gait.rows(gait.document("ops", capture, "--by", "op"), "ops")}
    for event in gait.rows(document, "path_events"):
        by_event[event["class"]] += event["total"]
        assert event["class"] not in ("compute", "communication", "copies") or event["name"] in operations
    assert by_event == totals
    bounds = {r["bound"]: r["step"] for r in gait.rows(document, "path_bounds")}
    if rows:
        now = sum(row["length"] for row in rows) // len(rows)
        assert (
            bounds["perfect_overlap"]
            <= bounds["free_host"]
            <= min(bounds["free_input"], bounds["free_launch"])
        )
        assert max(bounds["free_input"], bounds["free_launch"]) <= now


def test_the_path_of_a_program_is_as_long_as_what_it_has_of_the_step(gait, capture):
    programs = gait.rows(gait.document("ops", capture, "--by", "program"), "ops")
    chosen = [r["program"] for r in programs if not r["name"].startswith("(unattributed)")][:3]
    for program in chosen:
        of = ("--program", program)
        rows = gait.rows(gait.document("steps", capture, *of), "step_devices")
        steps = {(r["host"], r["device"], r["step"]): r["step_time"] for r in rows}
        paths = gait.rows(gait.document("path", capture, *of), "path_steps")
        if any(row["step"] is None for row in paths):
            continue
        lengths = {(r["host"], r["device"], r["step"]): r["length"] for r in paths}
        assert len(lengths) == len(paths), program
        assert lengths == {step: steps[step] for step in lengths}, program


def test_gpu_paths_equal_the_definition(gait, capture, document):
    parsed = parse_annotated_gpu(gait, capture, document, "path_steps")
    steps = gpu_steps(parsed.space)
    walk = Walk(parsed, gpu_streams(parsed.space))
    by_number = {number: step for (_, _, number), step in steps.items()}
    for row in gait.rows(document, "path_steps"):
        step = by_number[row["step"]]
        expected = walk.path(step["begin"], step["begin"] + step["step_time"])
        # Which work belongs to a program is not the path's question.
        found = {name: row[name] for name in CLASSES}
        found["compute"] += found.pop("unknown")
        expected["compute"] += expected.pop("unknown")
        assert found == expected, row["step"]


def test_cpu_paths_are_those_of_the_steps(gait, capture, document):
    steps = cpu_devices.steps_of(windows.read(capture), capture)
    for row in gait.rows(document, "path_steps"):
        step = steps[row["device"], row["step"]]
        assert (row["begin"], row["length"]) == (step.begin, step.end - step.begin), row["step"]


def test_cpu_paths_equal_the_definition(gait, capture, document):
    parsed = parse_one_cpu(capture)
    steps = cpu_devices.steps(parsed.space)
    leaves = [o for o in cpu_devices.operations(parsed.space) if not o.contains and o.end > o.begin]
    walk = Walk(parsed, [[(o.begin, o.end, o.run, o.name) for o in leaves]])
    for row in gait.rows(document, "path_steps"):
        step = steps[row["device"], row["step"]]
        found = {name: row[name] for name in CLASSES}
        found["compute"] += found.pop("communication")  # of one device with itself
        expected = walk.path(step.begin, step.end)
        expected["compute"] += expected.pop("communication")
        assert found == expected, row["step"]


def of(gait, name: str) -> dict:
    return gait.document("path", DATA / "h200" / f"{name}.xplane.pb.gz")


def classes(gait, name: str) -> dict:
    return {r["class"]: r for r in gait.rows(of(gait, name), "path")}


def test_known_truths(gait):
    starved = classes(gait, "starved")
    assert 30e9 < starved["input"]["per_step"] < 32e9
    assert 19e9 < starved["input"]["without"] < 22e9
    assert any(
        r["name"] == "data_loading" and r["class"] == "input" and r["count"] == 5
        for r in gait.rows(of(gait, "starved"), "path_events")
    )
    transfers = classes(gait, "transfers")
    assert 26e9 < transfers["input"]["per_step"] < 28e9
    assert 4.5e9 < transfers["copies"]["per_step"] < 5.5e9
    recompile = classes(gait, "recompile")
    assert recompile["compile"]["share"] > 97
    eager = classes(gait, "eager")
    assert eager["dispatch"]["share"] + eager["launch"]["share"] > 90
    gpt = classes(gait, "gpt")
    assert gpt["compute"]["share"] > 95
    assert "dispatch" not in gpt


def test_seed_C10_what_would_help(gait):
    bounds = {r["bound"]: r for r in gait.rows(of(gait, "starved"), "path_bounds")}
    assert bounds["free_input"]["speedup"] > 2
    assert bounds["free_launch"]["speedup"] < 1.01


def test_a_path_crosses_hosts(gait):
    """Process 1 sleeps 3 ms a step, and process 0 waits for it in a collective: that is no communication."""
    document = gait.document("path", DATA / "cpu" / "two_processes")
    steps = gait.rows(document, "path_steps")
    known = [r["class"] for r in gait.rows(document, "path")]
    for row in steps:
        assert sum(row[name] for name in known) == row["length"]
    for host in ("host0", "host1"):
        of_host = [row for row in steps if row["host"] == host]
        assert sum(row["dispatch"] for row in of_host) / len(of_host) > 2.5e9
    assert {r["host"] for r in gait.rows(document, "path_events") if r["name"] == "train"} == {"host1"}
