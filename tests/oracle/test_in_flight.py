"""What was in flight on TPUs: each analysis must tell the same as the definition, read slowly from the file."""

import gzip
from collections import defaultdict

import in_flight
import pytest
import xplane
from make_data import Plane, number, text
from windows import covered, windows_of

# A step of 1000 us: name of the instruction, begin, end. A collective and two copies are in flight at a time.
BODY = [("copy-start.2", 0, 1), ("fusion.2", 2, 40), ("copy-done.2", 50, 70)]  # of while.1, three times
STEP = [
    ("copy-start.1", 0, 2),
    ("all-reduce-start.1", 2, 5),
    ("fusion.1", 10, 300),
    ("async-start.1", 300, 302),
    ("while.1", 310, 560),
    *((name, at + begin, at + end) for at in (320, 400, 480) for name, begin, end in BODY),
    ("all-reduce-done.1", 600, 650),
    ("fusion.3", 650, 700),
    ("async-done.1", 750, 800),
    ("copy-done.1", 820, 900),
]
PROGRAM = 77


def instruction(
    uid: int, name: str, opcode: str, operands: tuple[int, ...] = (), called: tuple[int, ...] = ()
):
    row = text(1, name) + text(2, opcode) + number(35, uid)
    return text(2, row + b"".join(number(36, o) for o in operands) + b"".join(number(38, c) for c in called))


def hlo_proto() -> bytes:
    main = [
        instruction(1, "copy-start.1", "copy-start"),
        instruction(2, "copy-done.1", "copy-done", (1,)),
        instruction(3, "all-reduce-start.1", "all-reduce-start"),
        instruction(4, "all-reduce-done.1", "all-reduce-done", (3,)),
        instruction(5, "async-start.1", "async-start", (), (2,)),
        instruction(6, "async-done.1", "async-done", (5,)),
        instruction(7, "while.1", "while"),
        instruction(8, "copy-start.2", "copy-start"),
        instruction(9, "copy-done.2", "copy-done", (8,)),
        *(instruction(10 + i, f"fusion.{i}", "fusion") for i in (1, 2, 3)),
    ]
    wrapped = instruction(20, "reduce-scatter.1", "reduce-scatter")
    computations = text(3, text(1, "main") + b"".join(main) + number(5, 1) + number(6, 2))
    computations += text(3, text(1, "wrapped") + wrapped + number(5, 2) + number(6, 20))
    return text(1, text(1, "jit_f") + text(2, "main") + computations + number(5, PROGRAM) + number(6, 1))


def tpu(ordinal: int, with_line: bool) -> bytes:
    """Five steps, and the begin of one more; the first done of all came before its start was recorded."""
    plane = Plane(f"/device:TPU:{ordinal}", ordinal)

    def event(name: str, op: str, begin: int, end: int) -> bytes:
        return plane.event(f"%{name} = f32[] op()", begin, end - begin, hlo_op=op, program_id=PROGRAM)

    modules, ops, line = [], [], []
    ops.append(event("copy-done.1", "copy-done.1", 500, 520))
    for step in range(6):
        base = 1000 * (step + 1) + 7 * ordinal
        cut = step == 5
        modules.append(plane.event(f"jit_f({PROGRAM})", base, 310 if cut else 900, run_id=step))
        begun = {}
        for name, begin, end in STEP:
            if cut and begin >= 310:
                break
            ops.append(event(name, name, base + begin, base + end))
            if "-start" in name:
                begun[name] = begin
            elif "-done" in name:
                start = name.replace("-done", "-start")
                line.append((base + begun[start], event(start, name, base + begun[start], base + end)))
    plane.add_line(1, "XLA Modules", *modules)
    plane.add_line(2, "XLA Ops", *ops)
    plane.add_line(3, "Async XLA Ops", *(e for _, e in sorted(line) if with_line))
    return plane.bytes()


def made_capture() -> bytes:
    """Three TPUs that do the same; one of them says what is in flight on a line of its own."""
    name = f"jit_f({PROGRAM})"
    stats = text(5, number(1, 1) + text(6, hlo_proto())) + text(5, number(1, 2) + number(3, PROGRAM))
    programs = text(2, "/host:metadata") + text(
        4, number(1, 1) + text(2, number(1, 1) + text(2, name) + stats)
    )
    for i, key in ((1, "Hlo Proto"), (2, "program_id")):
        programs += text(5, number(1, i) + text(2, number(1, i) + text(2, key)))
    return text(1, programs) + b"".join(tpu(i, with_line=i == 0) for i in range(3)) + text(4, "vm")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    path = tmp_path_factory.mktemp("tpu") / "vm.xplane.pb"
    path.write_bytes(made_capture())
    return path


def check(gait, path) -> dict[str, in_flight.Work]:
    data = path.read_bytes()
    data = gzip.decompress(data) if path.suffix == ".gz" else data
    devices = in_flight.work_of(xplane.read(data), data)
    check_steps(gait, path, devices)
    check_transfers(gait, path, devices)
    check_collectives(gait, path, devices)
    check_path(gait, path, devices)
    return devices


def inside(spans: list[in_flight.Span], windows: list[in_flight.Span]) -> list[in_flight.Span]:
    parts = [(max(b, first), min(e, last)) for b, e in spans for first, last in windows]
    return [(b, e) for b, e in parts if b < e]


def parts_of(work, window: list[in_flight.Span]) -> tuple:
    """Compute, communication, copies and control inside of the window."""
    kinds = (work.compute, work.communication, work.copies, work.control)
    return tuple(inside(spans, window) for spans in kinds)


def check_steps(gait, path, devices) -> None:
    rows = gait.rows(gait.document("steps", path), "step_devices")
    assert rows
    for row in rows:
        window = [(row["begin"], row["begin"] + row["step_time"])]
        compute, communication, copies, control = parts_of(devices[row["device"]], window)
        under = covered(compute)
        exchanged = covered(compute + communication)
        copied = covered(compute + communication + copies)
        busy = covered(compute + communication + copies + control)
        expected = {
            "compute": under + busy - copied,
            "exposed_communication": exchanged - under,
            "hidden_communication": covered(communication) - (exchanged - under),
            "exposed_copies": copied - exchanged,
            "hidden_copies": covered(copies) - (copied - exchanged),
            "idle": row["step_time"] - busy,
        }
        assert {name: row[name] for name in expected} == expected, (row["device"], row["step"])


def check_transfers(gait, path, devices) -> None:
    windows, _ = windows_of(gait, path)
    rows = [r for r in gait.rows(gait.document("transfers", path), "transfers") if r["place"] == "programs"]
    parts = {device: inside(work.copied, windows[device]) for device, work in devices.items()}
    whole = [s for device, work in devices.items() for s in work.copied if inside([s], windows[device])]
    assert sum(row["count"] for row in rows) == len(whole)
    assert sum(row["total"] for row in rows) == sum(e - b for spans in parts.values() for b, e in spans)


def check_collectives(gait, path, devices) -> None:
    windows, _ = windows_of(gait, path)
    rows = {row["device"]: row for row in gait.rows(gait.document("collectives", path), "collective_devices")}
    for device, work in devices.items():
        communication = inside(work.communication, windows[device])
        compute = inside(work.compute, windows[device])
        both = covered(communication) + covered(compute) - covered(communication + compute)
        row = rows.get(device) or defaultdict(int)
        assert (row["hidden"], row["exposed"]) == (both, covered(communication) - both)


def check_path(gait, path, devices) -> None:
    rows = gait.rows(gait.document("path", path), "path_steps")
    assert rows
    for row in rows:
        window = [(row["begin"], row["begin"] + row["length"])]
        compute, communication, copies, control = parts_of(devices[row["device"]], window)
        others = compute + communication + copies
        between = covered(others + control) - covered(others)  # what loops do between their operations
        least = max(covered(compute) + between, covered(copies))
        # Of communication only what follows the last device's start counts.
        assert least <= row["perfect_overlap"] <= max(least, covered(communication))


def test_a_made_capture_equals_the_definition(gait, made):
    devices = check(gait, made)
    assert {device: len(work.copied) for device, work in devices.items()} == {
        f"TPU {i}": 20 for i in range(3)
    }


def test_devices_that_do_the_same_have_the_same_numbers(gait, made):
    """With a line of asynchronous operations or without."""
    of_device = defaultdict(list)
    for row in gait.rows(gait.document("steps", made), "step_devices"):
        of_device[row["device"]].append(
            {k: v for k, v in row.items() if k not in ("device", "begin", "events")}
        )
    with_line, *others = of_device.values()
    assert with_line[1]["hidden_copies"] > 0 < with_line[1]["hidden_communication"]
    assert all(rows[1:] == with_line[1:] for rows in others)


def test_tpus_equal_the_definition(gait, capture):
    data = capture.read_bytes()
    space = xplane.read(gzip.decompress(data) if capture.suffix == ".gz" else data)
    lines = [line for p in space.planes if p.name.startswith("/device:TPU:") for line in p.lines]
    if not any(line.name == "XLA Ops" and line.events for line in lines):
        pytest.skip("no TPU in this capture")
    check(gait, capture)
