"""Idle time, its causes and the launches, computed slowly from docs/metrics/idle_causes.md."""

# ruff: noqa: N802  (tests are named after rows of the seeds)

import bisect
import functools
import itertools
import math
import re
from collections import defaultdict

import cpu_devices
import pytest
import windows
import xplane
from conftest import DATA, H200_CAPTURES, skip_other
from test_host import ANNOTATIONS
from test_steps import gpu_steps

CAUSES = (
    "peer",
    "input",
    "staging",
    "callback",
    "compile",
    "host_sync",
    "allocator",
    "dispatch",
    "launch",
    "graph_launch",
    "dependency",
    "kernel_gap",
    "unknown",
)
US = 1_000_000
KERNEL_GAP, LAUNCH_DELAY = 15 * US, 100 * US

# The names that the captures hold, by what they mean; the strongest first.
COMPILE = re.compile(
    r"(?i:\bcompil(e|ing|ation)|_compile|jaxpr|autotun)|Compil(e|ing)(?!r)|^HLO Transforms:|^OptimizeHlo"
    r"|^config-assigner|^lower_sharding"
)
RUNTIME = re.compile(
    r"::|^\[|^P(jit|map)Function\(|^PJRT_|^ParseArguments|^shard_args|^DevicePut|^np\.asarray\(|^Wait for "
    r"|^[HD]2[HD] |^Memcpy|^Memset|^Memory(Alloc|Dealloc)|^backend_compile|^lower_|^end: |^(cu|hip)[A-Z]"
    r"|^AllocateOutputBuffers|^Build buffer alloc"
    r"|^BUFFER_FLUSH|^<UNKNOWN>|^ComputeSemaphore|^ExecuteReplicated|^ThenExecute|^Handle input|^ArrayImpl\."
)
RULES = (
    ("input", re.compile(r"^(data_loading|load_batch)$|^Iterator::")),
    ("staging", re.compile(r"^H2D |DevicePut|^shard_args|^Transpose::Execute|BufferFromHost|LinearizeInto")),
    ("staging", re.compile(r"CopyRawHostToDevice|^to_device$|^\$.* \w*device_put\w*$")),
    (
        "host_sync",
        re.compile(
            r"block_until_ready|^\$\S+ try_to_block$|::Await|ToLiteral|^D2H |^np\.asarray\(jax|CopyRawDeviceToHost"
            r"|^ComputeSemaphore|^cu\w+Synchronize"
            r"|^\$array\.py:\d+ (item|tolist|_value|__(array|float|int|bool|index)__)$"
        ),
    ),
    (
        "allocator",
        re.compile(r"^cuMem(Alloc|Free|HostAlloc)|^AllocateOutputBuffers|^Build buffer alloc|Allocator"),
    ),
)
STRENGTH = ("compile", "input", "staging", "host_sync", "allocator", "dispatch")


def own_class(name: str, thread: str, inside_runtime: bool, step: bool) -> str:
    if "compile" in thread:
        return "compile"
    runtime = RUNTIME.search(name) is not None
    if step or (inside_runtime and not runtime and not name.startswith("$")):
        return "dispatch"
    for cause, rule in RULES[:3]:
        if rule.search(name):
            return cause
    if COMPILE.search(name.replace("Compiler::", "")):
        return "compile"
    return next((cause for cause, rule in RULES if rule.search(name)), "dispatch")


def timeline(line: xplane.Line) -> list[tuple[int, int, str]]:
    """The time of a thread cut at every begin and end, with the strongest class of what runs; "" for none."""
    edges = []
    open_runtime: list[int] = []
    for event in windows.in_order(line.events):
        args = dict(event.args)
        end = event.begin + event.duration
        open_runtime = [e for e in open_runtime if e >= end and e > event.begin]
        runtime = RUNTIME.search(event.name) is not None or "correlation_id" in args or "run_id" in args
        cause = own_class(event.name, line.name, bool(open_runtime), "step_num" in args)
        if runtime or (open_runtime and not event.name.startswith("$")):
            open_runtime.append(end)
        if event.duration:
            edges += [(event.begin, 1, cause), (end, -1, cause)]
    edges.sort()
    parts, running, at = [], defaultdict(int), None
    for time, change, cause in edges:
        if at is not None and time > at:
            parts.append((at, time, next((c for c in STRENGTH if running[c]), "")))
        running[cause] += change
        at = time
    return parts


def parts_inside(parts: list[tuple[int, int, str]], begin: int, end: int):
    """Tiles [begin, end) with parts of the timeline and "" between them."""
    at = begin
    for i in range(max(0, bisect.bisect_right(parts, (begin,)) - 1), len(parts)):
        first, last, cause = parts[i]
        if first >= end:
            break
        if last <= at:
            continue
        if first > at:
            yield at, first, ""
        yield max(first, at), min(last, end), cause
        at = min(last, end)
    if at < end:
        yield at, end, ""


class Capture:
    def __init__(self, path):
        self.space = windows.read(path)
        self.work = defaultdict(list)  # by device: (begin, end, correlation or run, name, operation)
        self.calls = {}  # by correlation or run: (begin, end, line, name)
        self.lines, marks = [], {}
        for plane in self.space.planes:
            for line in plane.lines:
                if plane.name.startswith("/device:GPU:") and line.name.startswith("Stream #"):
                    device = "GPU " + plane.name.rpartition(":")[2]
                    for e in line.events:
                        args = dict(e.args)
                        key = args.get("correlation_id")
                        work = (e.begin, e.begin + e.duration, key, e.name, args.get("hlo_op"))
                        self.work[device].append(work)
                if not plane.name.startswith("/host:CPU"):
                    continue
                self.lines.append(line)
                steps = jits = 0
                for e in line.events:
                    args = dict(e.args)
                    steps += "step_num" in args
                    jits += e.name.startswith(("PjitFunction(", "PmapFunction("))
                    if "correlation_id" in args:
                        key = args["correlation_id"]
                        call = (e.begin, e.begin + e.duration, len(self.lines) - 1, e.name)
                        self.calls[key] = min(call, self.calls.get(key, call))
                marks[len(self.lines) - 1] = (steps, jits)
        for events in self.work.values():
            events.sort(key=lambda w: (w[0], -w[1]))
        self.python = max(marks, key=marks.get, default=None)
        for o in cpu_devices.operations(self.space):
            self.work[f"CPU {o.device}"].append((o.begin, o.end, o.run, o.name, o.name))
        for run, (begin, end) in cpu_devices.calls(self.space).items():
            self.calls[run] = (begin, end, self.python, "")
        self._timelines = {}

    def timeline(self, line: int):
        if line not in self._timelines:
            self._timelines[line] = timeline(self.lines[line])
        return self._timelines[line]

    @functools.cache  # noqa: B019
    def staging(self) -> list[tuple[int, int]]:
        """When any thread stages data."""
        lines = range(len(self.lines))
        return [(a, b) for line in lines for a, b, cause in self.timeline(line) if cause == "staging"]

    def gaps(self, device: str, begin: int, end: int):
        """(begin, end, whole length, what ends it, whether that is its call's first work) inside [begin, end)."""
        reached, seen = None, set()
        for work in self.work[device]:
            first = work[2] not in seen
            seen.add(work[2])
            if work[1] == work[0]:
                continue
            start = begin if reached is None else reached
            if work[0] > start and work[0] > begin and start < end:
                yield max(start, begin), min(work[0], end), work[0] - start, work, first
            reached = max(work[1], reached or work[1])
        if reached is not None and reached < end:
            yield max(reached, begin), end, end - reached, None, False

    def explain(self, gap) -> dict[str, int]:
        begin, end, whole, work, first = gap
        by = dict.fromkeys(CAUSES, 0)
        call = self.calls.get(work[2]) if work else None
        if call is None:
            by["kernel_gap" if work and whole <= KERNEL_GAP else "unknown"] += end - begin
            return by
        if not first or call[1] <= work[0] - whole:
            if whole <= KERNEL_GAP:
                by["kernel_gap"] += end - begin
            else:
                self.held(by, begin, end, first)
            return by
        late, called = max(begin, min(end, call[0])), max(begin, min(end, call[1]))
        for a, b, cause in parts_inside(self.timeline(call[2]), begin, late):
            if cause or call[2] == self.python:
                by[cause or "dispatch"] += b - a
                continue
            for c, d, other in parts_inside(self.timeline(self.python), a, b):
                by[other or "dispatch"] += d - c
        launch = "graph_launch" if call[3].startswith("cuGraphLaunch") else "launch"
        by[launch] += called - late
        if work[0] - call[1] <= LAUNCH_DELAY:
            by[launch] += end - called
        else:
            self.held(by, called, end, first)
        return by

    def held(self, by: dict[str, int], begin: int, end: int, first: bool) -> None:
        """Launched work that does not run: staging while any thread stages what it may take, else a dependency."""
        staging = 0
        if first:
            times = [(max(a, begin), min(b, end)) for a, b in self.staging()]
            staging = windows.covered([(a, b) for a, b in times if a < b])
        by["staging"] += staging
        by["dependency"] += end - begin - staging


@pytest.fixture(scope="module")
def document(gait, capture) -> dict:
    return gait.document("idle", capture)


def parse_annotated_gpu(gait, capture, document, table) -> Capture:
    """The capture, where it has the annotated steps of one GPU; the definition needs no more. Others are skipped."""
    rows = gait.rows(document, table)
    if not capture.is_relative_to(DATA) or not rows or {row["device"] for row in rows} != {"GPU 0"}:
        skip_other(capture, H200_CAPTURES, "no steps of one GPU, or not a capture of the project")
    parsed = Capture(capture)
    if len({name for name, _, _ in gpu_steps(parsed.space)}) != 1:
        skip_other(capture, H200_CAPTURES, "not one series of annotated steps")
    return parsed


def parse_one_cpu(capture) -> Capture:
    """The capture, where it has the annotated steps of one CPU device. Others are skipped."""
    parsed = Capture(capture)
    if parsed.work.keys() != {"CPU 0"}:
        skip_other(capture, ("one_device", "one_device_jax_0_10"), "no steps of one CPU device")
    return parsed


@pytest.fixture(scope="module")
def parsed(gait, capture, document) -> Capture:
    return parse_annotated_gpu(gait, capture, document, "idle_steps")


def test_causes_sum_to_the_idle_time_of_the_partition(gait, capture, document):
    partition = {
        (r["host"], r["device"], r["step"]): r
        for r in gait.rows(gait.document("steps", capture), "step_devices")
    }
    rows = gait.rows(document, "idle_steps")
    for row in rows:
        assert sum(row[cause] for cause in CAUSES) == row["idle"]
        same = partition[row["host"], row["device"], row["step"]]
        assert (row["idle"], row["step_time"]) == (same["idle"], same["step_time"])
    causes = {r["cause"]: r["idle"] for r in gait.rows(document, "idle")}
    if rows:
        assert causes == {c: t for c in CAUSES if (t := sum(row[c] for row in rows))}
    for gap in gait.rows(document, "idle_gaps"):
        assert sum(gap["by_" + cause] for cause in CAUSES) == gap["duration"]
        assert gap["by_" + gap["cause"]] == max(gap["by_" + cause] for cause in CAUSES)
    lengths = gait.rows(document, "gap_lengths")
    assert sum(r["idle"] for r in lengths) == sum(causes.values())
    assert sum(r["gaps"] for r in lengths) == sum(r["gaps"] for r in gait.rows(document, "idle"))


def listed(gaps: list[tuple]) -> list[tuple]:
    """Of gaps (device, begin, length, ...) those of 10 us, and at least the 20 longest of a device."""
    chosen = []
    for device in {gap[0] for gap in gaps}:
        ordered = sorted((g for g in gaps if g[0] == device), key=lambda g: (-g[2], g[1]))
        chosen += [g for i, g in enumerate(ordered) if i < 20 or g[2] >= 10 * US]
    return sorted(chosen, key=lambda g: g[:3])


def test_gpu_causes_equal_the_definition(gait, document, parsed):
    steps = gpu_steps(parsed.space)
    by_step = {(device, number): step for (_, device, number), step in steps.items()}
    expected_gaps = []
    for row in gait.rows(document, "idle_steps"):
        step = by_step[row["device"], row["step"]]
        begin, end = step["begin"], step["begin"] + step["step_time"]
        total = dict.fromkeys(CAUSES, 0)
        for gap in parsed.gaps(row["device"], begin, end):
            by = parsed.explain(gap)
            total = {cause: total[cause] + by[cause] for cause in CAUSES}
            expected_gaps.append((row["device"], gap[0], gap[1] - gap[0], by))
        assert {cause: row[cause] for cause in CAUSES} == total, row["step"]
    found = sorted(gait.rows(document, "idle_gaps"), key=lambda g: (g["device"], g["begin"]))
    expected_gaps = listed(expected_gaps)
    assert [(g["device"], g["begin"], g["duration"]) for g in found] == [g[:3] for g in expected_gaps]
    for gap, (_, _, _, by) in zip(found, expected_gaps, strict=True):
        assert {cause: gap["by_" + cause] for cause in CAUSES} == by


def test_cpu_gaps_equal_the_definition(gait, document, capture):
    steps = cpu_devices.steps_of(windows.read(capture), capture)
    gaps = []
    for row in gait.rows(document, "idle_steps"):
        step = steps[row["device"], row["step"]]
        assert (row["step_time"], row["idle"]) == (step.end - step.begin, step.idle), row["step"]
        gaps += [(row["device"], b, e - b) for b, e in step.gaps]
    found = [(gap["device"], gap["begin"], gap["duration"]) for gap in gait.rows(document, "idle_gaps")]
    assert sorted(found) == listed(gaps)


def test_cpu_causes_equal_the_definition(gait, document, capture):
    parsed = parse_one_cpu(capture)
    steps = cpu_devices.steps(parsed.space)
    for row in gait.rows(document, "idle_steps"):
        step = steps[row["device"], row["step"]]
        total = dict.fromkeys(CAUSES, 0)
        for gap in parsed.gaps(row["device"], step.begin, step.end):
            total = {cause: total[cause] + time for cause, time in parsed.explain(gap).items()}
        assert {cause: row[cause] for cause in CAUSES} == total, row["step"]


BARE_WAIT = re.compile(r"^\$(<unknown> |threading\.py:\d+ wait$)")


def kind_of(event: xplane.Event) -> str:
    if event.name.startswith("$"):
        return "python"
    return "annotation" if event.name in ANNOTATIONS or "step_num" in dict(event.args) else "runtime"


class Thread:
    """The events of a thread, for questions about intervals that come in order of begin."""

    def __init__(self, line: xplane.Line):
        self.runs_python = any(
            kind_of(e) == "python" or "step_num" in dict(e.args) or e.name.startswith("PjitFunction(")
            for e in line.events
        )
        self.later = windows.in_order(line.events)[::-1]  # the first is the last
        self.running: list[xplane.Event] = []

    def innermost(self, kind: str, begin: int, end: int) -> str | None:
        """Of what covers half of the interval; what waits and does not say for what gives way to what is around it."""
        while self.later and self.later[-1].begin < end:
            self.running.append(self.later.pop())
        self.running = [e for e in self.running if e.begin + e.duration > begin]
        names = [
            e.name
            for e in self.running
            if kind_of(e) == kind
            and 2 * (min(e.begin + e.duration, end) - max(e.begin, begin)) >= end - begin
        ]
        return next((n for n in reversed(names) if not BARE_WAIT.match(n)), names[0] if names else None)


def scene(parsed: Capture, threads: list[Thread], call: tuple | None, begin: int, end: int) -> dict:
    """What the host did in an interval: on the thread of the call, and on the one that runs Python."""
    launching = threads[call[2]] if call else None
    python = launching if launching and launching.runs_python else threads[parsed.python]
    found = {kind: python.innermost(kind, begin, end) for kind in ("annotation", "python", "runtime")}
    if launching:
        found["runtime"] = launching.innermost("runtime", begin, end) or found["runtime"]
    return found


def test_what_the_host_did_and_what_ended_it_equal_the_definition(gait, document, capture):
    parsed = Capture(capture)
    rows = sorted(gait.rows(document, "idle_gaps"), key=lambda row: row["begin"])
    if not rows or not {row["device"] for row in rows} <= parsed.work.keys():
        skip_other(capture, (*H200_CAPTURES, *cpu_devices.CPU_CAPTURES), "no gaps of GPUs or CPU devices")
    threads = [Thread(line) for line in parsed.lines]
    steps = {e.name for line in parsed.lines for e in line.events if "step_num" in dict(e.args)}
    for row in rows:
        begin, end = row["begin"], row["begin"] + row["duration"]
        later = [w for w in parsed.work[row["device"]] if w[0] >= end and w[1] > w[0]]
        work = min(later, key=lambda w: w[0], default=(0, 0, None, None, None))
        if not str(work[4]).startswith("command_buffer"):  # of a graph's nodes only their positions tell
            assert row["ended_by"] == (work[4] or work[3]), row
        call = parsed.calls.get(work[2])
        found = scene(parsed, threads, call, begin, end)
        assert {kind: row[kind] for kind in found} == found, row
        own = found["annotation"] if found["annotation"] not in steps else None
        shown = " · ".join(filter(None, (own, found["runtime"], found["python"])))
        assert row["host_did"] == (shown or found["annotation"]), row
        assert row["launch"] == (call and call[0]), row


def quantile(values: list[int], share: float) -> int:
    return sorted(values)[max(1, math.ceil(share * len(values))) - 1]


def test_gpu_launches_equal_the_definition(gait, document, parsed):
    check_launches(gait, document, parsed)


def check_launches(gait, document, parsed):
    steps = gpu_steps(parsed.space)
    rows = gait.rows(document, "idle_steps")
    counted = {row["step"] for row in rows}
    windows = [
        (s["begin"], s["begin"] + s["step_time"]) for (_, _, number), s in steps.items() if number in counted
    ]
    (work,) = parsed.work.values()
    first, nodes = {}, defaultdict(int)
    for begin, _, key, name, _ in work:
        first.setdefault(key, (begin, name))
        nodes[key] += 1
    kinds = defaultdict(list)
    changes = []
    for key, (begin, name) in first.items():
        if key not in parsed.calls:
            continue
        call = parsed.calls[key]
        kind = "kernel"
        if call[3].startswith("cuGraphLaunch"):
            kind = "graph"
        elif name.startswith(("Memcpy", "Memset")):
            kind = "copy"
        if any(a <= begin < b for a, b in windows):
            kinds[kind].append((max(0, begin - call[1]), call[1] - call[0], nodes[key]))
        if begin > call[0]:
            changes += [(call[0], 1), (begin, -1)]
    found = {row["kind"]: row for row in gait.rows(document, "launches")}
    assert found.keys() == kinds.keys()
    for kind, launches in kinds.items():
        delays = [delay for delay, _, _ in launches]
        row = found[kind]
        assert row["launches"] == len(launches)
        assert row["nodes"] == sum(n for _, _, n in launches)
        assert row["delay_mean"] == sum(delays) // len(delays)
        assert row["delay_max"] == max(delays)
        for name, share in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99)):
            assert row["delay_" + name] == quantile(delays, share)
    # The depth of the queue between any two changes, weighted by the time inside the windows.
    depth, at_depth = 0, defaultdict(int)
    for (time, change), (after, _) in itertools.pairwise([(0, 0), *sorted(changes), (1 << 62, 0)]):
        depth += change
        at_depth[depth] += sum(max(0, min(after, b) - max(time, a)) for a, b in windows)
    (queue,) = gait.rows(document, "queue")
    assert queue["empty_time"] == at_depth[0]
    assert queue["depth_max"] == max(d for d, time in at_depth.items() if time)
    whole = sum(b - a for a, b in windows)
    assert queue["depth_mean"] == pytest.approx(sum(d * t for d, t in at_depth.items()) / whole)
    for name, percent in (("depth_p50", 50), ("depth_p90", 90), ("depth_p99", 99)):
        least = min(
            d for d in at_depth if 100 * sum(t for e, t in at_depth.items() if e <= d) >= percent * whole
        )
        assert queue[name] == least, name


def h200(name):
    return DATA / "h200" / f"{name}.xplane.pb.gz"


def of(gait, name):
    return gait.document("idle", h200(name))


def test_seed_D3_idle_kernel_launch_input_and_all_others(gait):
    starved = {r["cause"]: r for r in gait.rows(of(gait, "starved"), "idle")}
    assert 29.5e9 < starved["input"]["per_step"] < 32e9
    assert starved["input"]["of_idle"] > 90
    eager = {r["cause"]: r for r in gait.rows(of(gait, "eager"), "idle")}
    assert eager["dispatch"]["of_time"] + eager["launch"]["of_time"] > 85
    recompile = {r["cause"]: r for r in gait.rows(of(gait, "recompile"), "idle")}
    assert 4.0e12 < recompile["compile"]["idle"] < 4.15e12
    gpt = {r["cause"]: r for r in gait.rows(of(gait, "gpt"), "idle")}
    assert sum(r["of_time"] for r in gpt.values()) < 3
    assert max(gpt, key=lambda c: gpt[c]["idle"]) == "kernel_gap"


def test_seed_D4_idle_gaps(gait):
    document = of(gait, "starved")
    for gap in gait.rows(document, "idle_gaps")[:5]:
        assert gap["annotation"] == "data_loading"
        assert gap["cause"] == "input"
    assert "data_loading" in document["answer"]
    gaps = gait.rows(of(gait, "transfers"), "idle_gaps")
    for gap in gaps[:5]:
        assert gap["cause"] == "staging"
        assert gap["runtime"].startswith("Transpose::Execute")
        assert gap["python"].startswith("$train.py")
        assert 25e9 < gap["by_staging"] < 29e9


def test_seed_C10_gaps_and_compilations_are_told_apart(gait):
    gaps = gait.rows(of(gait, "recompile"), "idle_gaps")
    assert all(gap["cause"] == "compile" for gap in gaps[:10])
    assert "$compiler.py" in gaps[0]["python"]


def test_seed_A7_gaps_and_launch_overhead(gait):
    document = of(gait, "eager")
    (kernels,) = (r for r in gait.rows(document, "launches") if r["kind"] == "kernel")
    assert kernels["launches"] == 3600
    assert 1 * US < kernels["delay_p50"] < 5 * US
    # The delay of each launch, and the time without any, from the capture itself.
    check_launches(gait, document, Capture(h200("eager")))
    (queue,) = gait.rows(document, "queue")
    assert 80 < queue["empty"] <= 100


def test_seed_C17_gap_classes(gait):
    document = of(gait, "starved")
    rows = gait.rows(document, "gap_lengths")
    assert [r["length"] for r in rows][-1] == "1 ms or more"
    parsed = Capture(h200("starved"))
    counted = {row["step"] for row in gait.rows(document, "idle_steps")}
    lengths = [
        end - begin
        for (_, device, number), step in gpu_steps(parsed.space).items()
        if number in counted
        for begin, end, *_ in parsed.gaps(device, step["begin"], step["begin"] + step["step_time"])
    ]
    limits = (0, 10 * US, 100 * US, 1000 * US, math.inf)
    for row, (least, below) in zip(rows, itertools.pairwise(limits), strict=True):
        inside = [length for length in lengths if least <= length < below]
        assert (row["gaps"], row["idle"]) == (len(inside), sum(inside)), row["length"]
    assert rows[-1]["gaps"] == 6


def test_only_gaps_of_a_cause(gait):
    capture = DATA / "h200" / "starved.xplane.pb.gz"
    every = gait.rows(gait.document("idle", capture), "idle_gaps")
    for cause in CAUSES:
        found = gait.rows(gait.document("idle", capture, "--cause", cause), "idle_gaps")
        holding = [gap for gap in every if gap["by_" + cause] > 0]
        assert found == sorted(holding, key=lambda g: (-g["by_" + cause], -g["duration"])), cause
    staging = gait.rows(gait.document("idle", capture, "--cause", "staging"), "idle_gaps")
    assert {gap["cause"] for gap in staging} == {"input"}  # never the largest part
