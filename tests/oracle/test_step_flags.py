"""Statistics, flags and kinds of loops of `gait steps`, and inferred steps, from docs/metrics/step_time.md."""

import bisect
import re
import statistics
from collections import Counter, defaultdict
from math import ceil

import cpu_devices
import pytest
import xplane
from conftest import DATA, H200_CAPTURES, skip_other
from test_steps import gpu_steps
from windows import is_complete, unannotated, unnumbered, unpacked

CALLS_THAT_WAIT = ("block_until_ready", "::Await", "np.asarray(jax.Array)", "_value", "item", "Synchronize")
LAUNCH_DELAY = 100_000_000  # 100 us
ENDS_STEPS = "update|optim|apply_grad"  # names of programs
PART_OF_STEP = "layer|block|micro|accum"


@pytest.fixture(scope="module")
def document(gait, capture) -> dict:
    return gait.document("steps", capture)


def by_series(gait, document: dict) -> dict[tuple[str, str], list[dict]]:
    found = defaultdict(list)
    for row in gait.rows(document, "steps"):
        found[row["host"], row["series"]].append(row)
    return found


def counted(rows: list[dict]) -> list[int]:
    """The times that the statistics are over."""
    complete = [row["step_time"] for row in rows if is_complete(row["flags"])]
    return sorted(complete or [row["step_time"] for row in rows])


def quantile(times: list[int], share: float) -> int:
    return times[max(1, ceil(share * len(times))) - 1]


def test_statistics_are_over_complete_steps(gait, document):
    steps = by_series(gait, document)
    for row in gait.rows(document, "step_times"):
        times = counted(steps[row["host"], row["series"]])
        assert row["steps"] == len(times)
        assert (row["min"], row["max"]) == (times[0], times[-1])
        assert row["median"] == int(statistics.median(times))
        assert (row["p90"], row["p99"]) == (quantile(times, 0.90), quantile(times, 0.99))
        assert row["mean"] == pytest.approx(statistics.fmean(times), abs=1)  # whole picoseconds
        if len(times) > 1:
            assert row["sigma"] == pytest.approx(statistics.stdev(times), abs=1)
            assert row["cv"] == pytest.approx(100 * statistics.stdev(times) / statistics.fmean(times))


def test_an_outlier_is_five_spreads_and_a_tenth_off(gait, document):
    for rows in by_series(gait, document).values():
        complete = [row for row in rows if is_complete(row["flags"])]
        if not complete:
            continue
        median = statistics.median(row["step_time"] for row in complete)
        spread = statistics.median(abs(row["step_time"] - median) for row in complete)
        for row in rows:
            off = abs(row["step_time"] - median)
            expected = row in complete and len(complete) >= 5 and off > 5 * spread and off > median // 10
            assert ("outlier" in row["flags"]) == expected, row


def host_threads(space: xplane.Space):
    for plane in space.planes:
        if plane.name.startswith("/host:"):
            for line in plane.lines:
                yield line.events


def host_events(space: xplane.Space):
    for events in host_threads(space):
        yield from events


def test_a_step_compiles_when_a_compilation_overlaps_it(gait, document, capture):
    compilations = [
        (event.begin, event.begin + event.duration)
        for event in host_events(xplane.read(unpacked(capture)))
        if event.name in ("backend_compile", "backend_compile_and_load")
    ]
    spans = defaultdict(list)
    for row in gait.rows(document, "step_devices"):
        spans[row["series"], row["step"]].append((row["begin"], row["begin"] + row["step_time"]))
    for row in gait.rows(document, "steps"):
        on_device = spans[row["series"], row["step"]]
        overlaps = any(b < last and first < e for b, e in compilations for first, last in on_device)
        if overlaps:  # a step may also compile in its annotation, before the device works for it
            assert "compiles" in row["flags"]
        if not compilations:
            assert "compiles" not in row["flags"]


def test_a_loop_waits_when_work_ends_inside_its_annotations(gait, document, capture):
    if not any(plane.name.startswith("/device:GPU") for plane in xplane.read(unpacked(capture)).planes):
        pytest.skip("no GPU in this capture; CPU devices are compared below")
    spans, launches, calls_that_wait, begins, edges = {}, [], [], defaultdict(list), defaultdict(list)
    for thread, events in enumerate(host_threads(xplane.read(unpacked(capture)))):
        for event in events:
            args = dict(event.args)
            edges[thread] += [event.begin, event.begin + event.duration]
            if "step_num" in args:
                span = (event.begin, event.begin + event.duration, thread)
                spans[event.name, args["step_num"]] = span
                begins[event.name, thread].append(event.begin)
            if "correlation_id" in args:
                launches.append(event.begin + event.duration)
            if any(name in event.name for name in CALLS_THAT_WAIT):
                calls_that_wait.append((event.begin, event.begin + event.duration, thread))
    launches.sort()
    steps = defaultdict(list)
    for row in gait.rows(document, "step_devices"):
        if (row["series"], row["step"]) in spans:
            begin, end, thread = spans[row["series"], row["step"]]
            finish = row["begin"] + row["step_time"]
            inside = finish <= end
            last_launch = launches[bisect.bisect_right(launches, end) - 1]
            slower = inside and finish - last_launch <= LAUNCH_DELAY
            called = inside and any(b < end and begin < e for b, e, by in calls_that_wait if by == thread)
            # Nothing happened on its thread while the device worked, and something soon after that.
            still = finish - max(last_launch, *(e for e in edges[thread] if e <= finish))
            wakes = min((e for e in edges[thread] if e > finish), default=finish) - finish
            woke = (
                inside
                and still >= LAUNCH_DELAY
                and wakes <= max(LAUNCH_DELAY, still // 10, min(5 * LAUNCH_DELAY, still // 4))
            )
            # After the annotation, before the thread's next one.
            following = min((b for b in begins[row["series"], thread] if b > begin), default=0)
            after = finish > end and any(
                begin <= b and finish <= e <= following for b, e, by in calls_that_wait if by == thread
            )
            steps[row["series"]].append((inside, slower, called or after, called or woke or after))
    for row in gait.rows(document, "step_times"):
        of_series = steps[row["series"]]
        if not of_series:
            continue
        inside, slower, called, seen = (2 * sum(one) > len(of_series) for one in zip(*of_series, strict=True))
        waits = called if slower else seen
        behind = "host-bound" if slower else "late" if inside else "asynchronous"
        assert row["loop"] == ("waits" if waits else behind)


def test_the_first_step_counts_where_little_of_it_is_missing(gait, document, capture):
    annotations = {
        (event.name, dict(event.args)["step_num"]): event.begin
        for event in host_events(xplane.read(unpacked(capture)))
        if "step_num" in dict(event.args)
    }
    loops = {row["series"]: row["loop"] for row in gait.rows(document, "step_times")}
    begins = {}
    for row in gait.rows(document, "step_devices"):
        if row["step_time"]:
            begins.setdefault((row["series"], row["step"]), row["begin"])
    for (_, series), rows in by_series(gait, document).items():
        known = [row for row in rows if (series, row["step"]) in annotations]
        if len(known) < 3 or (series, known[0]["step"]) not in begins:
            continue
        begin = annotations[series, known[0]["step"]]
        if begins[series, known[0]["step"]] != begin:
            continue  # it has a predecessor
        off = [
            abs(annotations[series, row["step"]] - begins[series, row["step"]])
            for row in known[1:]
            if is_complete(row["flags"]) and (series, row["step"]) in begins
        ]
        whole = loops[series] != "asynchronous" and 10 * statistics.median(off) <= known[0]["step_time"]
        assert ("first" in known[0]["flags"]) == (not whole), known[0]


def watched_until(data: bytes, end: int) -> bytes:
    """The capture without what its GPUs did later."""

    def line(raw: bytes) -> bytes:
        begin = xplane.signed(xplane.scalars(raw).get(3, 0)) * 1000

        def is_later(event: bytes) -> bool:
            head = xplane.scalars(event)
            return begin + xplane.signed(head.get(2, 0)) + head.get(3, 0) > end

        return xplane.written([(f, v) for f, v in xplane.fields(raw) if f != 4 or not is_later(v)])

    def plane(raw: bytes) -> bytes:
        if not xplane.scalars(raw).get(2, b"").startswith(b"/device:GPU:"):
            return raw
        return xplane.written([(f, line(v) if f == 3 else v) for f, v in xplane.fields(raw)])

    return xplane.written([(f, plane(v) if f == 1 else v) for f, v in xplane.fields(data)])


@pytest.mark.parametrize("name", ["h200/gpt", "h200/recompile", "h200/transfers", "graphs/dynamic"])
def test_a_step_is_partial_where_the_capture_ends_inside_it(gait, name, tmp_path):
    """The partial steps of one device: without work after its last step with work, or that one, if cut."""
    data = unpacked(DATA / f"{name}.xplane.pb.gz")
    whole = gpu_steps(xplane.read(data))
    cuts = [1 << 62]
    for step in sorted(whole.values(), key=lambda s: s["begin"])[-2:]:
        cuts += [step["begin"], *(step["begin"] + step["step_time"] * part // 10 for part in (3, 7, 9))]
    path = tmp_path / "cut.xplane.pb"
    for cut in cuts:
        path.write_bytes(watched_until(data, cut))
        steps = gpu_steps(xplane.read(path.read_bytes()))
        events = {number: step["events"] for (_, _, number), step in steps.items()}
        expected = {number for _, _, number in whole if number not in events}
        counts = [events[number] for number in sorted(events)]
        whole_ones = counts[1:-1] or counts  # the capture may begin inside the first
        if 10 * counts[-1] < 9 * statistics.median_high(whole_ones):
            expected.add(max(events))
        rows = gait.rows(gait.document("steps", path), "steps")
        assert {row["step"] for row in rows if "partial" in row["flags"]} == expected, cut


def test_a_loop_on_cpu_devices_waits_when_work_ends_inside_its_annotations(gait, document, capture):
    steps = defaultdict(list)
    for (_, number), step in cpu_devices.steps_of(xplane.read(unpacked(capture)), capture).items():
        steps[number].append(step)
    inside = [all(s.end <= s.annotation[1] for s in step) for step in steps.values()]
    inline = []  # the host's call ran the work itself: it need not have waited
    for step, is_inside in zip(steps.values(), inside, strict=True):
        call = max(s.inside_call for s in step)
        inline.append(is_inside and all(s.end - LAUNCH_DELAY <= call for s in step))
    (row,) = gait.rows(document, "step_times")
    if 2 * sum(inline) > len(steps):
        assert row["loop"] in ("waits", "inline")
    else:
        assert row["loop"] == ("waits" if 2 * sum(inside) > len(steps) else "asynchronous")
    if all(inside) and not any(inline):
        assert "the host waits for each step" in document["answer"]


def loop(names: list) -> tuple[int, int, int]:
    """The longest stretch in which programs repeat exactly, and after how many; (0, 0, 0): they do not."""
    for period in range(1, len(names) // 3 + 1):
        stretches = [(0, 0)]
        for begin in range(len(names) - period):
            end = begin + period
            while end < len(names) and names[end] == names[end - period]:
                end += 1
            stretches.append((begin, end))
        begin, end = max(stretches, key=lambda s: (s[1] - s[0], -s[0]))
        if end - begin >= max(3 * period, len(names) / 2):
            return begin, end, period
    return 0, 0, 0


def readings(names: list) -> list:
    """The launches of steps: without rare programs, where the rest is a loop, and all."""
    counts = Counter(names)
    steps = max(counts.values(), default=0)
    for _ in range(2):  # first, as many steps as launches of a program
        kept = [i for i, n in enumerate(names) if 5 * counts[n] >= steps or re.search(ENDS_STEPS, str(n))]
        begin, end, period = loop([names[i] for i in kept])
        if not period:
            return [list(range(len(names)))]
        steps = (end - begin) // period
    part = re.search(PART_OF_STEP, str(names[kept[begin]]))
    if len(kept) < len(names) and 2 * (end - begin) >= len(names) and not part:
        return [kept, list(range(len(names)))]
    return [list(range(len(names)))]


def step_begins(names: list) -> tuple[list[int], bool]:
    """Positions of launches, and whether the loop ends inside the last step."""
    for kept in readings(names):
        own = [names[i] for i in kept]
        begin, end, period = loop(own)
        if not period:
            continue
        begins = range(begin, end, period)
        if own[begin : begin + period].count(own[begin]) == 1:
            begins = [i for i in range(begin, end) if own[i] == own[begin]]
        return [kept[i] for i in begins], begins[-1] + period > end
    return [], False


def test_rare_launches_belong_to_the_step_before():
    for text, steps, launches in (
        ("t" * 10 + "e", 40, 1),
        ("t" * 4 + "e", 4, 5),
        ("t" * 10 + "update ", 4, 11),
    ):
        names = re.findall(r"update|\w", text * 4)
        begins, _ = step_begins(names)
        assert len(begins) == steps
        assert begins[1] - begins[0] == launches
    irregular = [*"ttttttte" * 2, *"ttttttttttte" * 2, *"ttttttttte"]
    assert [irregular[i] for i in step_begins(irregular)[0]] == ["t"] * irregular.count("t")
    assert step_begins([*"telltteetletlle"]) == ([], False)


def lines_of(hlo: bytes) -> set[tuple]:
    """The places in the source that the instructions of an xla.HloProto name."""
    module = xplane.repeated(hlo, 1)[0]
    index = xplane.scalars(module).get(17, b"")
    files, places, frames = (xplane.repeated(index, number) for number in (1, 3, 4))
    found = set()
    for computation in xplane.repeated(module, 3):
        for row in xplane.repeated(computation, 2):
            metadata = xplane.scalars(xplane.scalars(row).get(7, b""))
            file, line = metadata.get(3, b""), metadata.get(4, 0)
            if not file and metadata.get(15, 0):
                place = xplane.scalars(places[xplane.scalars(frames[metadata[15] - 1])[1] - 1])
                file, line = files[place[1] - 1], place.get(3, 0)
            if line:
                found.add((file, line))
    return found


def sources(data: bytes) -> dict[int, set[tuple]]:
    """By the id of a program: its lines."""
    found = {}
    for plane in xplane.repeated(data, 1):
        names = {i: xplane.text(xplane.scalars(m).get(2, b"")) for i, m in xplane.table(plane, 5).items()}
        for metadata in xplane.table(plane, 4).values():
            args = dict(xplane.read_shared_args(metadata, names))
            if "Hlo Proto" in args:
                _, _, number = xplane.text(xplane.scalars(metadata)[2]).rpartition("(")
                found[int(number[:-1])] = lines_of(args["Hlo Proto"])
    return found


def by_function(runs: list[tuple[int, str, int]], lines: dict[int, set[tuple]]) -> list[tuple[int, str]]:
    """Runs of programs: the name and the id of the first of its name that shares a line, or has none."""
    found, functions = [], defaultdict(list)
    for begin, name, program in runs:
        own = lines.get(program, set())
        for first in functions[name]:
            of_first = lines.get(first, set())
            if first == program or not own or not of_first or own & of_first:
                break
        else:
            first = program
            functions[name].append(program)
        found.append((begin, f"{name} {first}"))
    return found


def outermost(calls: list[xplane.Event], event: xplane.Event) -> int:
    """When the first of the calls that are around an event of their thread began; else, when the event did."""
    end = event.begin + event.duration
    around = [c.begin for c in calls if c.begin <= event.begin and end <= c.begin + c.duration]
    return min(around, default=event.begin)


def launches_of(data: bytes) -> tuple[list[tuple], bool]:
    """The host's calls that say which run they start, with the begin of the jitted call around each; of a CPU that has
    none, the runs of its operations."""
    calls, runs = {}, {}
    for events in host_threads(xplane.read(data)):
        jitted = [e for e in events if e.name.startswith(("PjitFunction(", "PmapFunction("))]
        for event in events:
            args = dict(event.args)
            run = args.get("run_id")
            if run is None:
                continue
            if "::Execute" in event.name and "device_ordinal" not in args:
                call = (event.begin, event.name, outermost(jitted, event))
                calls[run] = min(call, calls.get(run, call))
            elif "hlo_op" in args and args.get("device_ordinal") == 0:
                first = (event.begin, args["hlo_module"], args["program_id"])
                runs[run] = min(first, runs.get(run, first))
    return sorted(calls.values()) or by_function(sorted(runs.values()), sources(data)), bool(calls)


def host_begin(launches: list[tuple], at: int) -> int:
    """A step begins with the jitted call around its first launch, unless that made the launch before too."""
    launch, _, call = launches[at]
    return launch if at > 0 and call <= launches[at - 1][0] else call


@pytest.mark.parametrize("name", H200_CAPTURES)
def test_a_loop_is_the_same_without_annotations(gait, tmp_path, name):
    """The waits of a loop do not depend on whether annotations or launches say where a step begins."""
    annotated = DATA / "h200" / f"{name}.xplane.pb.gz"
    path = tmp_path / "unannotated.xplane.pb"
    path.write_bytes(unannotated(annotated))
    loops = [gait.rows(gait.document("steps", file), "step_times")[0]["loop"] for file in (annotated, path)]
    assert loops[0] == loops[1]


def test_annotations_without_numbers_are_steps_too(gait, tmp_path, capture):
    """StepTraceAnnotation("train"), and nothing else: numbered in the order in which they begin."""
    path = tmp_path / "unnumbered.xplane.pb"
    path.write_bytes(unnumbered(capture))
    numbered, document = gait.document("steps", capture), gait.document("steps", path)
    marks = {row["series"] for row in gait.rows(numbered, "step_times") if row["inferred"] != "inferred"}
    if not marks:
        skip_other(capture, (*H200_CAPTURES, "one_device", "eight_devices"), "nothing annotates steps")
    assert gait.rows(document, "step_times") == gait.rows(numbered, "step_times")

    def steps(document):
        return [{k: v for k, v in row.items() if k != "step"} for row in gait.rows(document, "steps")]

    assert steps(document) == steps(numbered)
    assert gait.rows(document, "steps")[0]["step"] == 0


def test_steps_without_annotations_follow_the_launches(gait, capture, tmp_path):
    # The same capture, of a program that annotates nothing.
    data = unannotated(capture)
    launches, by_calls = launches_of(data)
    begins, cut = step_begins([name for _, name, *_ in launches])
    if not begins:
        skip_other(
            capture, (*H200_CAPTURES, "one_device", "eight_devices"), "its launches do not repeat exactly"
        )
    path = tmp_path / "unannotated.xplane.pb"
    path.write_bytes(data)
    document = gait.document("steps", path)
    (series,) = gait.rows(document, "step_times")
    assert series["inferred"] == "inferred"
    rows = gait.rows(document, "steps")
    assert [row["step"] for row in rows] == list(range(len(begins)))
    assert all(row["compute"] is not None for row in rows)
    for row, begin, following in zip(rows, begins, begins[1:], strict=False):
        if by_calls:
            assert row["host_time"] == host_begin(launches, following) - host_begin(launches, begin)
    if cut:
        assert "partial" in rows[-1]["flags"]
