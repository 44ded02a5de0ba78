"""Host threads, computed slowly from the definitions over the reference reading."""

import gzip
import itertools
import statistics
from collections import defaultdict

import pytest
import xplane
from conftest import DATA, H200_CAPTURES, skip_other
from test_step_shares import MS, Plane, gpu, save
from windows import in_order, is_complete, unannotated

# What people wrote around their code in the programs of the captures; the steps have numbers besides.
ANNOTATIONS = {"data_loading", "to_device", "load_batch", "prepare"}
PARTS = ("fetch", "to_device", "dispatch", "compile", "wait", "collect", "rest")


@pytest.fixture(scope="module")
def space(capture) -> xplane.Space:
    data = capture.read_bytes()
    return xplane.read(gzip.decompress(data) if capture.suffix == ".gz" else data)


@pytest.fixture(scope="module")
def document(gait, capture) -> dict:
    return gait.document("host", capture)


def of_one_thread(marks: list[tuple[int, int, int]]) -> list[tuple[int, int, int, bool]]:
    """Begin, end, number of the host's steps, and whether they are whole: until the next one begins, if one does."""
    marks = sorted(marks)
    gaps = [abs(after[0] - before[1]) for before, after in itertools.pairwise(marks)]
    begin, end, number = marks[-1]
    whole = not gaps or 10 * statistics.median(gaps) <= end - begin
    steps = [(before[0], after[0], before[2], True) for before, after in itertools.pairwise(marks)]
    return [*steps, (begin, end, number, whole)]


def all_host_steps(gait, capture, space: xplane.Space) -> list[tuple[int, int, bool]]:
    """From the begin of an annotation to the begin of its thread's next, and whether the step counts on the host."""
    document = gait.document("steps", capture)
    steps = gait.rows(document, "steps")
    if not steps:
        return []
    series = steps[0]["series"]
    steps = [s for s in steps if s["series"] == series]
    complete = [s for s in steps if is_complete(s["flags"])]
    worked = [s for s in complete if s["compute"] is not None] or [
        s for s in steps if s["compute"] is not None
    ]
    wanted = {s["step"] for s in worked or steps}
    found = []
    for plane in space.planes:
        for line in plane.lines if plane.name.startswith("/host:") else []:
            marks = []
            for event in line.events:
                args = dict(event.args)
                if event.name == series and "step_num" in args:
                    marks.append((event.begin, event.begin + event.duration, args["step_num"]))
            found += [step for step in of_one_thread(marks) if step[2] in wanted] if marks else []
    none_whole = not any(whole for *_, whole in found)
    return [(begin, end, whole or none_whole) for begin, end, _, whole in sorted(found)]


def host_steps(gait, capture, space: xplane.Space) -> list[tuple[int, int]]:
    """Of the steps that count."""
    return [(begin, end) for begin, end, counts in all_host_steps(gait, capture, space) if counts]


def inside(begin: int, end: int, windows: list[tuple[int, int]]) -> int:
    return sum(max(0, min(end, w[1]) - max(begin, w[0])) for w in windows)


def common(name: str) -> str:
    if " [" in name and name.endswith("]"):
        return name[: name.find(" [")]
    front, _, last = name.rpartition(" ")
    return front.removesuffix(":") if front and "=" in last else name


def threads(space: xplane.Space) -> list[list[xplane.Event]]:
    found = []
    for plane in space.planes:
        if plane.name.startswith("/host:"):
            for line in plane.lines:
                events = [e for e in line.events if not e.occurrences]
                found.append(in_order(events))
    return found


def main_thread(space: xplane.Space) -> list[list[xplane.Event]]:
    """The thread with the most annotated steps; none where there are none."""

    def steps(events: list[xplane.Event]) -> int:
        return sum("step_num" in dict(e.args) for e in events)

    most = max(threads(space), key=steps, default=[])
    return [most] if steps(most) else []


def totals(of: list[list[xplane.Event]], windows: list[tuple[int, int]]) -> dict[str, int]:
    """By name: the union of the events of each thread, summed."""
    result = defaultdict(int)
    for events in of:
        reached = {}
        for event in events:
            name, end = common(event.name), event.begin + event.duration
            begin = max(event.begin, reached.get(name, event.begin))
            if end > begin:
                result[name] += inside(begin, end, windows)
            reached[name] = max(end, reached.get(name, end))
    return result


def selves(of: list[list[xplane.Event]], windows: list[tuple[int, int]]) -> dict[str, int]:
    """By name: the time in which it is the event of its thread that began last."""
    result = defaultdict(int)
    for events in of:
        edges = sorted({t for e in events for t in (e.begin, e.begin + e.duration)})
        position, running = 0, []
        for begin, end in itertools.pairwise(edges):
            while position < len(events) and events[position].begin <= begin:
                running.append(events[position])
                position += 1
            while running and running[-1].begin + running[-1].duration <= begin:
                running.pop()
            owner = next((e for e in reversed(running) if e.begin + e.duration > begin), None)
            if owner:
                result[common(owner.name)] += inside(begin, end, windows)
    return result


def whole(space: xplane.Space) -> list[tuple[int, int]]:
    events = [e for thread in threads(space) for e in thread]
    return [(min(e.begin for e in events), max(e.begin + e.duration for e in events))] if events else []


def test_self_and_total_equal_the_definition(gait, capture, space, document):
    if any(p.name.startswith("/device:TPU") for p in space.planes):
        skip_other(capture, H200_CAPTURES, "threads of this capture are not those of the reference")
    annotated = any("step_num" in dict(e.args) for thread in threads(space) for e in thread)
    if not annotated and gait.rows(document, "input_steps"):
        skip_other(capture, H200_CAPTURES, "inferred steps")
    windows = host_steps(gait, capture, space) if annotated else whole(space)
    kinds = defaultdict(set)
    for row in gait.rows(document, "host_activities"):
        kinds[row["name"]].add(row["kind"])
    for prefix, of in (("", threads(space)), ("main_", main_thread(space))):
        if not of:
            continue
        found_total, found_self = defaultdict(int), defaultdict(int)
        for row in gait.rows(document, "host_activities"):
            found_total[row["name"]] += row[prefix + "total"]
            found_self[row["name"]] += row[prefix + "self"]
        expected_self = selves(of, windows)
        assert {n: t for n, t in found_self.items() if t} == {n: t for n, t in expected_self.items() if t}
        for name, total in totals(of, windows).items():
            if len(kinds[name]) == 1:  # a name of two kinds is two rows, whose totals overlap
                assert found_total[name] == total, (prefix, name)


def test_host_steps_equal_the_definition(gait, capture, space, document):
    if not any("step_num" in dict(e.args) for thread in threads(space) for e in thread):
        skip_other(capture, H200_CAPTURES, "no annotated steps")
    rows = gait.rows(document, "input_steps")
    expected = all_host_steps(gait, capture, space)
    assert [(r["host_step"], r["flags"]) for r in rows] == [
        (end - begin, "" if counts else "partial") for begin, end, counts in expected
    ]
    totals_of_parts = sum(row["total"] for row in gait.rows(document, "input_pipeline"))
    assert totals_of_parts == sum(end - begin for begin, end, counts in expected if counts)


def test_identities(gait, document):
    for row in gait.rows(document, "input_steps"):
        assert sum(row[part] for part in PARTS) == row["host_step"]
        assert min(row[part] for part in PARTS) >= 0
        assert 0 <= row["rest_device_busy"] <= row["rest"]
    for row in gait.rows(document, "host_activities"):
        assert 0 <= row["self"] <= row["total"]
        assert row["mean"] <= row["max"]
    assert {row["name"] for row in gait.rows(document, "host_annotations")} <= ANNOTATIONS
    for table in ("host_annotations", "host_python", "host_runtime"):
        kinds = {row["kind"] for row in gait.rows(document, table)}
        assert kinds <= {table.removeprefix("host_").removesuffix("s")}


def test_starved_fetches_in_data_loading(gait):
    document = gait.document("host", DATA / "h200" / "starved.xplane.pb.gz")
    parts = {row["part"]: row for row in gait.rows(document, "input_pipeline")}
    assert 30e9 < parts["fetch"]["per_step"] < 31e9
    assert parts["fetch"]["device_busy"] < 0.1 * parts["fetch"]["per_step"]
    assert "data_loading" in document["answer"]
    assert any("python_tracer_level" in note for note in document["notes"])
    of = {row["name"]: row["part"] for row in gait.rows(document, "host_activities")}
    names = ("data_loading", "to_device", "PjitFunction(train_step)", "train")
    assert [of[name] for name in names] == ["fetch", "to_device", "dispatch", "rest"]


def test_the_last_launch_of_a_loop_without_annotations_is_no_whole_step(gait, tmp_path):
    """Nothing says where it ended: the input of the next step is not in the capture, which ends soon after it."""
    capture = tmp_path / "vm.xplane.pb"
    capture.write_bytes(unannotated(DATA / "h200" / "starved.xplane.pb.gz"))
    document = gait.document("host", capture)
    fetch = {row["part"]: row for row in gait.rows(document, "input_pipeline")}["fetch"]
    assert fetch["per_step"] == pytest.approx(30.3 * MS, rel=0.005)
    assert fetch["share"] == pytest.approx(59, abs=1)
    flags = [row["flags"] for row in gait.rows(document, "input_steps")]
    assert set(flags[:-1]) == {""}
    assert flags[-1] == "partial"
    assert any("without the last step" in note for note in document["notes"])


def test_what_follows_a_loop_without_annotations_does_not_end_its_last_step(gait, tmp_path):
    """Six steps of 10 ms: a call of 3.9 ms, then 6 ms in a loader; after the last one another function is called."""
    device, host, calls, kernels = gpu(0), Plane("/host:CPU", 1), [], []
    for step in range(7):
        begin = 1000 + 10_000 * step
        name = "train_step" if step < 6 else "mean"
        calls.append(host.event(f"PjitFunction({name})", begin, 3900))
        calls.append(host.event("cuLaunchKernel", begin + 10, 5, correlation_id=step))
        kernels.append(device.event("gemm", begin + 50, 3800, correlation_id=step))
        calls.append(host.event("data_loading" if step < 5 else "report", begin + 3900, 6000))
    device.add_line(14, "Stream #14(Compute)", *kernels)
    host.add_line(-7, "python3", *calls)
    capture = save(tmp_path / "vm.xplane.pb", device, host)
    document = gait.document("host", capture)
    fetch = {row["part"]: row for row in gait.rows(document, "input_pipeline")}["fetch"]
    assert fetch["per_step"] == 6 * MS
    flags = {row["step"]: row["flags"] for row in gait.rows(document, "input_steps")}
    assert flags[5] == "partial"
    assert set(flags.values()) == {"", "partial"}
    # The last one that was chosen is not the last one.
    chosen = gait.rows(gait.document("host", capture, "--steps", "2:3"), "input_steps")
    assert [row["flags"] for row in chosen] == ["", ""]


def test_a_loader_between_the_annotations_is_in_every_step_that_counts(gait, tmp_path):
    """Five steps of 10 ms: 6 ms in a loader, then 3.9 ms of the annotation; after the last one nothing is loaded."""
    device, host, calls, kernels = gpu(0), Plane("/host:CPU", 1), [], []
    for step in range(5):
        begin = 1000 + 10_000 * step
        calls.append(host.event("data_loading", begin, 6000))
        calls.append(host.event("train", begin + 6000, 3900, step_num=step, _r=1))
        calls.append(host.event("cuLaunchKernel", begin + 6010, 5, correlation_id=step))
        kernels.append(device.event("gemm", begin + 6050, 3800, correlation_id=step))
        calls.append(host.event("block_until_ready", begin + 6100, 3760))
    device.add_line(14, "Stream #14(Compute)", *kernels)
    host.add_line(-7, "python3", *calls)
    capture = save(tmp_path / "vm.xplane.pb", device, host)
    document = gait.document("host", capture)
    parts = {row["part"]: row for row in gait.rows(document, "input_pipeline")}
    assert parts["fetch"]["per_step"] == 6 * MS
    assert sum(row["per_step"] for row in parts.values()) == 10 * MS
    assert [row["flags"] for row in gait.rows(document, "input_steps")][-2:] == ["", "partial"]
    # Chosen alone it counts.
    alone = gait.document("host", capture, "--steps", "4")
    assert [row["flags"] for row in gait.rows(alone, "input_steps")] == [""]


def test_steps_of_two_threads_are_split_each_on_its_own(gait, tmp_path):
    """Each thread has a GPU of its own; one loads 4 of 9 ms, the other 15 of 20 ms, and nobody takes turns."""
    host, devices, fetches = Plane("/host:CPU", 1), [gpu(0), gpu(1)], (4000, 15_000)
    for thread, (device, fetch) in enumerate(zip(devices, fetches, strict=True)):
        calls, kernels = [], []
        for step in range(6):
            begin, launch = 1000 + 700 * thread + (fetch + 5000) * step, 100 * thread + step
            calls.append(host.event("train", begin, fetch + 4990, step_num=step, _r=1))
            calls.append(host.event("data_loading", begin + 10, fetch))
            calls.append(host.event("cuLaunchKernel", begin + fetch + 20, 10, correlation_id=launch))
            calls.append(host.event("block_until_ready", begin + fetch + 50, 4900))
            kernels.append(device.event("gemm", begin + fetch + 40, 4900, correlation_id=launch))
        device.add_line(14, "Stream #14(Compute)", *kernels)
        host.add_line(-7 - thread, "python3", *calls)
    document = gait.document("host", save(tmp_path / "vm.xplane.pb", *devices, host))
    rows = gait.rows(document, "input_steps")
    assert {row["fetch"] for row in rows} == {4 * MS, 15 * MS}
    for row in rows:
        assert row["host_step"] - row["fetch"] == pytest.approx(5 * MS, abs=0.01 * MS)
        assert row["wait"] == 4.9 * MS
        assert sum(row[part] for part in PARTS) == row["host_step"]
        assert min(row[part] for part in PARTS) >= 0
    parts = {row["part"]: row for row in gait.rows(document, "input_pipeline")}
    fetched = sum(row["fetch"] for row in rows) / len(rows)
    assert parts["fetch"]["per_step"] == pytest.approx(fetched, abs=1)
    assert "fetching input, mostly in data_loading" in document["answer"]
    activities = {row["name"]: row for row in gait.rows(document, "host_activities")}
    assert activities["data_loading"]["main_total"] == sum(row["fetch"] for row in rows)


def test_transfers_waits_for_data_on_its_way_to_the_device(gait):
    """The main thread is inside Execute while another one stages 268 MB: what idle and transfers say, too."""
    path = DATA / "h200" / "transfers.xplane.pb.gz"
    document = gait.document("host", path)
    parts = {row["part"]: row for row in gait.rows(document, "input_pipeline")}
    idle = {row["cause"]: row for row in gait.rows(gait.document("idle", path), "idle")}
    assert 24e9 < parts["to_device"]["per_step"] <= idle["staging"]["per_step"]
    assert parts["dispatch"]["per_step"] < 3e9
    assert "handing input to the device, mostly in H2D" in document["answer"]


def test_seed_B14_input_pipeline_split(gait):  # noqa: N802
    """fetch, to device and compute of every step, with what is left over."""
    path = DATA / "h200" / "gpt.xplane.pb.gz"
    document = gait.document("host", path)
    assert [row["part"] for row in gait.rows(document, "input_pipeline")] == list(PARTS)
    annotations = {row["name"]: row for row in gait.rows(document, "host_annotations")}
    parts = {row["part"]: row for row in gait.rows(document, "input_pipeline")}
    assert set(annotations) == {"data_loading", "to_device"}
    # What the events of the program's own annotations say.
    capture = xplane.read(gzip.decompress(path.read_bytes()))
    steps = host_steps(gait, path, capture)
    truth = totals(main_thread(capture), steps)
    assert parts["fetch"]["total"] == pytest.approx(truth["data_loading"], rel=0.05)
    assert parts["to_device"]["total"] == pytest.approx(truth["to_device"], rel=0.05)
    assert sum(row["total"] for row in parts.values()) == sum(end - begin for begin, end in steps)
    assert sum(row["share"] for row in parts.values()) == pytest.approx(100)
    assert parts["dispatch"]["share"] > 70


def test_seed_D3_host_step_time(gait):  # noqa: N802
    path = DATA / "h200" / "recompile.xplane.pb.gz"
    document = gait.document("host", path)
    parts = {row["part"]: row for row in gait.rows(document, "input_pipeline")}
    assert 95 < parts["compile"]["share"] <= 100
    # From each annotation to the next.
    steps = all_host_steps(gait, path, xplane.read(gzip.decompress(path.read_bytes())))
    rows = gait.rows(document, "input_steps")
    assert [row["host_step"] for row in rows] == [end - begin for begin, end, _ in steps]
    assert len(rows) == 5


def test_seed_C9_host_overhead(gait):  # noqa: N802
    """How much of the host's step is spent asking for work, and whether the device works meanwhile."""
    document = gait.document("host", DATA / "h200" / "eager.xplane.pb.gz")
    parts = {row["part"]: row for row in gait.rows(document, "input_pipeline")}
    assert parts["dispatch"]["share"] > 60
    threads_table = gait.rows(document, "host_threads")
    assert threads_table[0]["main"] == "main"
    assert threads_table[0]["busy_share"] > 90


def test_seed_D9_python_rows(gait):  # noqa: N802
    document = gait.document("host", DATA / "h200" / "gpt.xplane.pb.gz")
    python = gait.rows(document, "host_python")
    assert all(row["name"].startswith("$") for row in python)
    step = next(row for row in python if row["name"].endswith(" step"))
    assert step["total"] > 5 * step["self"] > 0
    assert step["threads"] == 1
