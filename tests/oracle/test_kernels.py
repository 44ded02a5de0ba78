"""Kernels computed slowly from the definition over the reference reading."""
# ruff: noqa: N802  (tests are called after rows of the list of promises)

import gzip
import itertools
import math
from collections import Counter, defaultdict

import pytest
import xplane
from conftest import DATA, H200_CAPTURES, skip_other
from hlo_cost import integers
from windows import covered, read, windows_of

COPIES = ("Memcpy", "Memset", "memcpy32", "memset32", "__amd_rocclr_copy", "__amd_rocclr_fill")
RECORDS = {
    "memcpy_details",
    "Memset_details",
    "memalloc_details",
    "MemFree_details",
    "MemoryResidency_details",
}
SIZES = {"below 10 µs": 10_000_000, "10 to 100 µs": 100_000_000, "100 µs to 1 ms": 1_000_000_000}


@pytest.fixture(scope="module")
def document(gait, capture) -> dict:
    return gait.document("kernels", capture)


def kernel_events(space: xplane.Space) -> list[tuple[str, int, xplane.Event, dict]]:
    """Every kernel of every GPU: device, stream, event, arguments."""
    found = []
    for plane in space.planes:
        if not plane.name.startswith("/device:GPU:"):
            continue
        for line in plane.lines:
            if not line.name.startswith("Stream #"):
                continue
            for event in line.events:
                args = dict(event.args)
                if not event.name.startswith(COPIES) and not RECORDS & args.keys():
                    found.append(("GPU " + plane.name.rpartition(":")[2], line.id, event, args))
    return found


def quantile(values: list[int], fraction: float) -> int:
    return sorted(values)[max(1, math.ceil(fraction * len(values))) - 1]


def clipped(
    gait, capture, space: xplane.Space
) -> list[tuple[list[tuple[int, int]], str, int, xplane.Event, dict]]:
    """The kernels that have a part in the windows, with these parts."""
    events = kernel_events(space)
    windows, _ = windows_of(gait, capture)
    work = [
        (e.begin, e.begin + e.duration)
        for plane in space.planes
        if plane.name.startswith("/device:GPU:")
        for line in plane.lines
        if line.name.startswith("Stream #")
        for e in line.events
    ]
    if not windows and work:
        everything = (min(b for b, e in work if e > b), max(e for b, e in work))
        windows = defaultdict(lambda: [everything])
    found = []
    for device, stream, event, args in events:
        begin, end = event.begin, event.begin + event.duration
        parts = [(max(begin, b), min(end, e)) for b, e in windows[device] if max(begin, b) < min(end, e)]
        if parts or (begin == end and any(b <= begin < e for b, e in windows[device])):
            found.append((parts, device, stream, event, args))
    return found


def test_kernels_equal_the_definition(gait, document, capture):
    found = clipped(gait, capture, read(capture))
    by_name = defaultdict(list)
    for item in found:
        by_name[item[3].name].append(item)
    rows = {row["name"]: row for row in gait.rows(document, "kernels")}
    assert rows.keys() == by_name.keys()
    for name, items in by_name.items():
        row = rows[name]
        durations = [event.duration for _, _, _, event, _ in items]
        by_device = defaultdict(list)
        for parts, device, _, _, _ in items:
            by_device[device] += parts
        assert row["count"] == len(items)
        assert row["total"] == sum(e - b for parts in by_device.values() for b, e in parts)
        assert row["union"] == sum(covered(parts) for parts in by_device.values())
        assert row["mean"] == sum(durations) // len(durations)
        assert row["p50"] == quantile(durations, 0.5)
        assert row["p99"] == quantile(durations, 0.99)
        assert (row["min"], row["max"]) == (min(durations), max(durations))
        assert row["streams"] == sorted({stream for _, _, stream, _, _ in items})
        assert sorted(row["devices"]) == sorted(by_device)


def test_short_names_are_unique(gait, document):
    names = [row["kernel"] for row in gait.rows(document, "kernels")]
    assert len(names) == len(set(names))


def details(text: str) -> dict[str, str]:
    return dict(item.split(":", 1) for item in text.split() if ":" in item)


def test_seed_B10_kernel_statistics(gait, document, capture):
    """Occupancy, grid and block of the most frequent launch, from the arguments."""
    shapes = defaultdict(Counter)
    for _, _, _, event, args in clipped(gait, capture, read(capture)):
        shapes[event.name][args.get("kernel_details", "")] += 1
    for row in gait.rows(document, "kernels"):
        counts = shapes[row["name"]]
        most = max(counts.values())
        common = [details(text) for text, count in counts.items() if count == most]
        assert row["shapes"] == len(counts)
        assert row["varies"] == ("yes" if len(counts) > 1 else "no")
        assert any(c.get("grid") == row["grid"] and c.get("block") == row["block"] for c in common)
        if "regs" in common[0] and len(common) == 1:
            assert row["registers"] == int(common[0]["regs"])
            assert row["shared"] == int(common[0]["static_shared"]) + int(common[0]["dynamic_shared"])
        percent = float(common[0].get("occ_pct", 0))
        if len(common) == 1:
            assert row["occupancy"] == (percent if percent else None)


def test_computed_occupancy_equals_the_drivers(gait, document, capture):
    """Registers, shared memory and block give the number that the driver gave."""
    compared = 0
    for row in gait.rows(document, "kernels"):
        if row["occupancy_computed"] is not None:
            assert row["occupancy_computed"] == pytest.approx(row["occupancy"]), row["name"]
            assert (row["limited_by"] == "none") == (row["occupancy"] == 100)
            compared += 1
    if not compared:
        skip_other(capture, H200_CAPTURES, "no kernel of this capture has registers and shared memory")


def test_waves_equal_the_definition(gait, document, capture):
    """Blocks of the grid over those that an H200 holds: 132 multiprocessors with room for 2048 threads each."""
    compared = 0
    for row in gait.rows(document, "kernels"):
        if row["waves"] is None or not capture.is_relative_to(DATA / "h200"):
            continue
        threads, grid = (math.prod(map(int, row[name].split(","))) for name in ("block", "grid"))
        held = round(row["occupancy"] / 100 * 2048 / threads)
        assert row["waves"] == pytest.approx(grid / (132 * held)), row["name"]
        compared += 1
    if not compared:
        skip_other(capture, H200_CAPTURES, "no kernel of an H200 with registers and shared memory")


def instructions(space_bytes: bytes) -> dict[tuple[int, str], set[str]]:
    """By program and instruction: its opcode, and all of the computations that it calls."""
    found = {}
    for plane in xplane.repeated(space_bytes, 1):
        names = {i: xplane.text(xplane.scalars(m).get(2, b"")) for i, m in xplane.table(plane, 5).items()}
        for metadata in xplane.table(plane, 4).values():
            args = dict(xplane.read_shared_args(metadata, names))
            if not {"Hlo Proto", "program_id"} <= args.keys():
                continue
            rows = {}  # of a computation
            for computation in xplane.repeated(xplane.repeated(args["Hlo Proto"], 1)[0], 3):
                rows[xplane.scalars(computation)[5]] = xplane.repeated(computation, 2)

            def opcodes(row: bytes, rows: dict = rows) -> set[str]:
                called = [inner for c in integers(row, 38) for inner in rows[c]]
                return {xplane.text(xplane.scalars(row)[2])}.union(*map(opcodes, called))

            for row in itertools.chain(*rows.values()):
                found[args["program_id"], xplane.text(xplane.scalars(row)[1])] = opcodes(row)
    return found


def test_tensor_cores_equal_the_definition(gait, document, capture):
    """NVIDIA's nvjet kernels use them; what XLA generated without a product cannot."""
    raw = capture.read_bytes()
    known = instructions(gzip.decompress(raw) if capture.suffix == ".gz" else raw)
    executed = defaultdict(set)
    for _, _, _, event, args in clipped(gait, capture, read(capture)):
        executed[event.name].add((args.get("program_id"), args.get("hlo_op")))
    products = {"dot", "convolution", "custom-call"}
    answers = Counter()
    for row in gait.rows(document, "kernels"):
        opcodes = [known.get(key) for key in executed[row["name"]]]
        if row["name"].startswith("nvjet"):
            assert row["tensor_cores"] == "yes", row["name"]
        elif all(opcodes) and not any(o & products for o in opcodes):
            assert row["tensor_cores"] == "no", row["name"]
        else:
            continue
        answers[row["tensor_cores"]] += 1
    if not answers:
        skip_other(capture, H200_CAPTURES, "no kernel of which it is known")


def test_seed_D4_small_kernels(gait, document, capture):
    """Share of runs and of time in kernels below 10 and 100 µs."""
    found = clipped(gait, capture, read(capture))
    if not found:
        assert gait.rows(document, "kernel_sizes") == []
        return
    expected = {name: [0, 0] for name in [*SIZES, "1 ms and more"]}
    for parts, _, _, event, _ in found:
        name = next((n for n, below in SIZES.items() if event.duration < below), "1 ms and more")
        expected[name][0] += 1
        expected[name][1] += sum(e - b for b, e in parts)
    total = sum(t for _, t in expected.values())
    for row in gait.rows(document, "kernel_sizes"):
        count, time = expected[row["duration"]]
        assert (row["count"], row["total"]) == (count, time)
        assert row["count_share"] == pytest.approx(100 * count / len(found))
        assert row["time_share"] == pytest.approx(100 * time / total)


def test_seed_D7_kernel_sums(gait, document, capture):
    """Totals and counts of kernels, of size classes and of the whole agree."""
    kernels, sizes = gait.rows(document, "kernels"), gait.rows(document, "kernel_sizes")
    if not kernels:
        assert document["answer"].startswith("No GPU kernels")
        return
    (launches,) = gait.rows(document, "kernel_launches")
    assert sum(k["total"] for k in kernels) == sum(s["total"] for s in sizes) == launches["kernel_total"]
    assert sum(k["count"] for k in kernels) == sum(s["count"] for s in sizes)
    assert sum(k["share"] for k in kernels) == pytest.approx(100)
    assert all(k["union"] <= k["total"] for k in kernels)
    parts = defaultdict(list)
    for pieces, device, _, _, _ in clipped(gait, capture, read(capture)):
        parts[device] += pieces
    assert launches["kernel_union"] == sum(covered(p) for p in parts.values())


def test_seed_A7_launch_overhead(gait, document, capture):
    """Launch calls: events of the host that share a correlation id with a kernel, a graph launch once."""
    space = read(capture)
    calls = {}
    for plane in space.planes:
        if not plane.name.startswith("/host:"):
            continue
        for line in plane.lines:
            for event in line.events:
                key = dict(event.args).get("correlation_id")
                if key is not None and (key not in calls or event.begin < calls[key].begin):
                    calls[key] = event
    found = clipped(gait, capture, space)
    if not found:
        return
    (row,) = gait.rows(document, "kernel_launches")
    linked = [
        (device, args["correlation_id"])
        for _, device, _, _, args in found
        if args.get("correlation_id") in calls
    ]
    counts = Counter(linked)
    durations = [calls[key].duration for _, key in counts]
    assert row["launches"] == len(counts)
    assert row["unlinked_kernels"] == len(found) - len(linked)
    graphs = {k: n for k, n in counts.items() if "GraphLaunch" in calls[k[1]].name}
    assert (row["graph_launches"], row["graph_kernels"]) == (len(graphs), sum(graphs.values()))
    if durations:
        assert row["call_mean"] == sum(durations) // len(durations)
        assert row["call_p50"] == quantile(durations, 0.5)
        assert row["call_p99"] == quantile(durations, 0.99)
        assert row["call_total"] == sum(durations)
    pauses = []
    for device in {device for device, _ in counts}:
        begins = sorted(calls[key].begin for launched_on, key in counts if launched_on == device)
        pauses += [after - before for before, after in itertools.pairwise(begins)]
    assert row["dispatching"] == sum(pause for pause in pauses if pause < 1_000_000_000)
    windows, steps = windows_of(gait, capture)
    if windows:
        assert row["kernels_per_step"] == pytest.approx(len(found) / (steps * len(windows)))


def test_eager_is_launch_bound(gait):
    """Known truth: thousands of kernels of a few microseconds, each launched by a call of its own."""
    document = gait.document("kernels", DATA / "h200" / "eager.xplane.pb.gz")
    assert document["answer"].startswith("Launch-bound: 1200 kernels a step")
    (sizes, *_) = gait.rows(document, "kernel_sizes")
    assert sizes["count_share"] == 100
    for name in ("gpt", "starved", "transfers", "gpt_without_graphs"):
        (row,) = gait.rows(
            gait.document("kernels", DATA / "h200" / f"{name}.xplane.pb.gz"), "kernel_launches"
        )
        assert row["launch_bound"] == "no", name
