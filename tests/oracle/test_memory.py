"""Memory of captures, computed slowly from the definition over the reference reading."""

import gzip
import math
import re
from collections import Counter, defaultdict
from pathlib import Path

import hlo_cost
import pytest
import xplane
from conftest import DATA
from make_data import Plane, text
from test_ops import expected_scope

GPT = DATA / "h200" / "gpt.xplane.pb.gz"


def contents(path: Path) -> bytes:
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


def allocator_events(space: xplane.Space) -> dict[tuple, list[tuple]]:
    """By allocator: (time, allocates, arguments) in order of time."""
    found = defaultdict(list)
    for plane in space.planes:
        for line in plane.lines if plane.name.startswith("/host:") else []:
            around: list[xplane.Event] = []
            for event in sorted(line.events, key=lambda e: (e.begin, -e.duration)):
                end = event.begin + event.duration
                around = [e for e in around if end <= e.begin + e.duration]
                if "Executable::Execute" in event.name:
                    around.append(event)
                if event.name in ("MemoryAllocation", "MemoryDeallocation"):
                    args = dict(event.args) | {"thread": line.name, "calls": around}
                    key = (args.get("allocator_name", ""), args.get("index_on_host"))
                    found[key].append((event.begin, event.name == "MemoryAllocation", args))
    return {key: sorted(events, key=lambda e: e[0]) for key, events in found.items()}


def in_use(args: dict) -> int:
    """What is handed out, and what is kept for the temporaries of programs: neither is free."""
    return args["bytes_allocated"] + args["bytes_reserved"]


def summary(events: list[tuple]) -> dict:
    _, allocates, first = events[0]
    change = abs(first.get("allocation_bytes", 0))
    before = max(0, in_use(first) - change if allocates else in_use(first) + change)
    top = max(range(len(events)), key=lambda i: (in_use(events[i][2]), -i))
    live = {}
    for _, allocates, args in events[: top + 1]:
        if allocates:
            live[args["addr"]] = args
        else:
            live.pop(args["addr"], None)
    sizes = [a["allocation_bytes"] for a in live.values()]
    compiling = [a["allocation_bytes"] for a in live.values() if "compile" in a["thread"]]
    args = events[top][2]
    peak = in_use(args)
    return {
        "before": before,
        "peak": max(peak, before),
        "known": sum(sizes) + args["bytes_reserved"] if peak >= before else 0,
        "compiling": sum(compiling) if peak >= before else 0,
        "limit": peak + args["bytes_available"],
        "fragmentation": 100 * args["fragmentation"],
        "lifetime_peak": max(e[2]["peak_bytes_in_use"] for e in events),
        "allocations": sum(1 for e in events if e[1]),
        "allocated_bytes": sum(e[2].get("allocation_bytes", 0) for e in events if e[1]),
    }


def test_allocators(gait, capture):
    document = gait.document("memory", capture)
    rows = gait.rows(document, "memory")
    live = gait.rows(document, "memory_live")
    timeline = gait.rows(document, "memory_timeline")
    events = allocator_events(xplane.read(contents(capture)))
    assert len(rows) == len(events)
    for (name, index), of_allocator in events.items():
        expected = summary(of_allocator)
        mine = name or f"device {index}"
        (row,) = [r for r in rows if r["allocator"] == mine]
        for key in ("before", "peak", "limit", "lifetime_peak", "allocations", "allocated_bytes"):
            assert row[key] == expected[key], key
        assert abs(row["fragmentation"] - expected["fragmentation"]) < 1e-9
        assert row["headroom"] == row["limit"] - row["peak"]
        parts = [part for part in live if part["allocator"] == mine]
        assert sum(part["bytes"] for part in parts) == row["peak"]
        rest = sum(part["bytes"] for part in parts if part["kind"] == "before")
        assert row["peak"] - rest == expected["known"]
        compilation = sum(part["bytes"] for part in parts if part["kind"] == "compilation")
        assert compilation >= expected["compiling"]
        points = [p for p in timeline if p["allocator"] == mine]
        assert len(points) <= 1000
        assert max(p["in_use"] for p in points) == row["peak"]
        if len(of_allocator) <= 1000 and row["before"] < row["peak"]:
            assert [(p["time"], p["in_use"]) for p in points] == [
                (time, in_use(args)) for time, _, args in of_allocator
            ]


def sizes_of(protos: dict, name: str) -> tuple[set[int], set[int]]:
    """Of the allocations of all programs of a name: of temporaries, of outputs."""
    temporaries, outputs = set(), set()
    for proto in (proto for (program, _), proto in protos.items() if program == name):
        for raw in xplane.repeated(b"".join(xplane.repeated(proto, 3)), 3):
            a = xplane.scalars(raw)
            if not (a.get(3) or a.get(12)):
                (outputs if a.get(7) else temporaries if not a.get(5) else set()).add(a.get(2, 0))
    return temporaries, outputs


def executed(args: dict) -> str | None:
    names = [re.search(r"\((\w+)\)$", call.name) for call in args["calls"]]
    return next((name[1] for name in reversed(names) if name), None)


def parts_of_programs(events: list[tuple], protos: dict) -> dict[tuple[str, str], int]:
    """Of the peak. Where outputs and temporaries have one size: a call itself gives its temporaries back."""
    top = max(range(len(events)), key=lambda i: (in_use(events[i][2]), -i))
    live, freed = {}, {}
    for _, allocates, args in events[: top + 1]:
        if allocates:
            live[args["addr"]] = args
        else:
            live.pop(args["addr"], None)
    for time, allocates, args in events[top + 1 :]:
        if not allocates:
            freed.setdefault(args["addr"], time)
    found = defaultdict(int)
    for address, args in live.items():
        if not (program := executed(args)):
            continue
        temporaries, outputs = sizes_of(protos, program)
        size = args["requested_bytes"]
        returned = freed.get(address, math.inf) <= max(c.begin + c.duration for c in args["calls"])
        if size in temporaries and (returned or size not in outputs):
            found["temporaries", program] += args["allocation_bytes"]
        elif size in outputs:
            found["output", program] += args["allocation_bytes"]
    return found


def test_temporaries_and_outputs_of_programs(gait, capture):
    check_parts(gait, capture)


def check_parts(gait, capture) -> dict[tuple[str, str], int]:
    data = contents(capture)
    together = {}
    named = set()  # by their calls; gait knows others by their sizes
    for events in allocator_events(xplane.read(data)).values():
        named |= {executed(args) for _, _, args in events}
        expected = summary(events)
        if expected["peak"] > expected["before"]:
            together |= parts_of_programs(events, programs(data))
    mine = defaultdict(int)
    for row in gait.rows(gait.document("memory", capture), "memory_live"):
        if row["kind"] in ("temporaries", "output") and row["program"] in named:
            mine[row["kind"], row["program"]] += row["bytes"]
    assert mine == together
    return together


@pytest.mark.parametrize("peak", ["inside", "after"])
def test_outputs_as_large_as_the_temporaries(gait, tmp_path, peak):
    """jit_large of the stored capture has an output and temporaries of 1 MiB: three calls, whose outputs stay."""
    mebi = 2**20
    space = xplane.fields(contents(DATA / "cpu" / "same_names.xplane.pb.gz"))
    planes = [value for field, value in space if field == 1]
    metadata = b"".join(text(1, p) for p in planes if xplane.scalars(p).get(2) == b"/host:metadata")
    gpu, cpu, total, rows = Plane("/device:GPU:0"), Plane("/host:CPU", 1), 0, []

    def change(time: int, size: int, address: int) -> None:
        nonlocal total
        total += size
        name = "MemoryAllocation" if size > 0 else "MemoryDeallocation"
        numbers = {
            "bytes_allocated": total,
            "bytes_available": 2**30 - total,
            "bytes_reserved": 0,
            "addr": address,
        }
        sizes = dict.fromkeys(("requested_bytes", "allocation_bytes"), abs(size))
        numbers |= sizes | {"peak_bytes_in_use": total, "fragmentation": 0}
        rows.append(cpu.event(name, time, 0, allocator_name="GPU_0_bfc", **numbers))

    for call in range(3):
        at = 1000 * call
        rows.append(cpu.event("CommonPjRtLoadedExecutable::Execute (jit_large)", at, 200))
        change(at + 10, mebi, 100 + call)
        change(at + 20, mebi, 200)
        change(at + 30, -mebi, 200)
    if peak == "after":
        rows.append(cpu.event("BufferFromHostBuffer", 4000, 50))
        change(4010, 5 * mebi, 300)
    cpu.add_line(1, "python3", *rows)
    path = tmp_path / "vm.xplane.pb"
    path.write_bytes(metadata + gpu.bytes() + cpu.bytes() + text(4, "vm"))
    found = check_parts(gait, path)
    assert found["output", "jit_large"] == 3 * mebi
    assert found.get(("temporaries", "jit_large"), 0) == (mebi if peak == "inside" else 0)


def programs(data: bytes) -> dict[tuple[str, int], bytes]:
    """HLO protos by name and id."""
    found = {}
    for plane in xplane.repeated(data, 1):
        if xplane.scalars(plane).get(2) != b"/host:metadata":
            continue
        for metadata in xplane.table(plane, 4).values():
            name, _, number = xplane.text(xplane.scalars(metadata).get(2, b"")).rpartition("(")
            for stat in xplane.repeated(metadata, 5):
                if 6 in xplane.scalars(stat):
                    found[name, int(number[:-1])] = xplane.scalars(stat)[6]
    return found


def buffers(proto: bytes) -> dict | None:
    """Sums over the buffer assignment of a program, and what XLA itself says is live at the peak."""
    assignment = b"".join(xplane.repeated(proto, 3))
    if not assignment:
        return None
    sums = dict.fromkeys(("parameters", "donated", "outputs", "constants", "temporaries"), 0)
    temporary = set()
    for raw in xplane.repeated(assignment, 3):
        a = xplane.scalars(raw)
        if a.get(3) or a.get(8):
            continue
        size = a.get(2, 0)
        if a.get(5):
            sums["parameters"] += size
            sums["donated"] += size if a.get(7) else 0
        elif a.get(12):
            sums["constants"] += size
        elif a.get(7):
            sums["outputs"] += size
        else:
            sums["temporaries"] += size
            temporary.add(a.get(1, 0))
    sizes = {}
    for raw in xplane.repeated(assignment, 1):
        buffer = xplane.scalars(raw)
        sizes[buffer.get(1, 0)] = buffer.get(2, 0)
    peak = xplane.repeated(assignment, 5)
    if peak:
        live = 0
        for raw in peak:
            if xplane.scalars(raw).get(1, 0) in temporary:
                ids = []
                for packed in xplane.repeated(raw, 2):
                    at = 0
                    while isinstance(packed, bytes) and at < len(packed):
                        value, at = xplane.varint(packed, at)
                        ids.append(value)
                    if isinstance(packed, int):
                        ids.append(packed)
                live += sum(sizes[i] for i in ids)
        sums["live_at_most"] = live
    return sums


def simulated_peak(proto: bytes) -> int:
    """The most bytes that are live at once, from the trace of XLA's heap simulator."""
    assignment = b"".join(xplane.repeated(proto, 3))
    buffer_messages = [xplane.scalars(raw) for raw in xplane.repeated(assignment, 1)]
    sizes = {b.get(1, 0): b.get(2, 0) for b in buffer_messages}
    (trace,) = xplane.repeated(assignment, 4)
    holders: dict[int, set[int]] = defaultdict(set)  # whose bytes, who holds them
    owner: dict[int, int] = {}
    most = 0
    for raw in xplane.repeated(trace, 1):
        event = xplane.scalars(raw)
        kind, buffer = event.get(1, 0), event.get(2, 0)
        if kind == 1:
            holders[owner.pop(buffer)].discard(buffer)
        else:
            whose = buffer if kind == 0 else event.get(5, 0)
            owner[buffer] = owner.get(whose, whose)
            holders[owner[buffer]].add(buffer)
        most = max(most, sum(sizes[o] for o, who in holders.items() if who))
    return most


def test_programs(gait, capture):
    document = gait.document("memory", capture)
    rows = {(r["program"], r["program_id"]): r for r in gait.rows(document, "memory_programs")}
    expected = programs(contents(capture))
    for key, proto in expected.items():
        sums = buffers(proto)
        row = rows[key]
        if sums is None:
            assert row["total"] is None
            continue
        for part in ("parameters", "donated", "outputs", "constants", "temporaries"):
            assert row[part] == sums[part], (key, part)
        assert row["total"] == sum(sums[p] for p in ("parameters", "outputs", "constants", "temporaries"))
        assert 0 <= row["live_temporaries"] <= row["temporaries"]
        assert row["packing"] == row["temporaries"] - row["live_temporaries"]


def test_live_buffers_sum_to_the_programs_peak(gait, capture):
    document = gait.document("memory", capture)
    live = gait.rows(document, "memory_buffers")
    groups = gait.rows(document, "memory_groups")
    for name in {b["program"] for b in live}:
        total = sum(b["bytes"] for b in live if b["program"] == name)
        rows = [r for r in gait.rows(document, "memory_programs") if r["program"] == name and r["total"]]
        assert total in {r["total"] - r["packing"] for r in rows}
        for by in ("kind", "category", "scope", "shape"):
            parts = [g["bytes"] for g in groups if g["by"] == by and g["program"] == name]
            assert sum(parts) == total


def opcodes_inside(program: hlo_cost.Program, row: hlo_cost.Instruction) -> set[str]:
    """Of a fusion: what it computes. Of anything else: itself."""
    if row.opcode != "fusion":
        return {row.opcode}
    body = [inner for called in row.called for inner in program.instructions[called]]
    return set().union(*(opcodes_inside(program, inner) for inner in body))


def expected_category(program: hlo_cost.Program, row: hlo_cost.Instruction) -> str | None:
    """What is told by one look at the opcodes; None: it takes more."""
    if row.target.startswith("__cublas$"):
        return "matmul"
    inside = opcodes_inside(program, row)
    if inside & {"custom-call", "dot", "convolution", "gather", "scatter", "sort", "fft"}:
        return None
    if "reduce" in inside:
        exponential = inside & {"exponential", "exponential-minus-one"}
        root = inside & {"rsqrt", "sqrt"}
        return "softmax" if exponential else "normalisation" if root else "reduction"
    if inside <= {"parameter", "copy", "transpose", "slice", "concatenate", "bitcast", "broadcast"}:
        return "layout" if inside - {"parameter"} else None
    known = {"add", "multiply", "subtract", "maximum", "tanh", "divide"}
    return "elementwise" if inside & known and not inside & {"rng-bit-generator", "while", "call"} else None


def test_categories_and_scopes_are_those_of_operations(gait, capture):
    document = gait.document("memory", capture)
    groups = gait.rows(document, "memory_groups")
    protos = programs(contents(capture))
    compared = 0
    for name, number in {(b["program"], b["program_id"]) for b in gait.rows(document, "memory_buffers")}:
        program = hlo_cost.Program(protos[name, number])
        rows = {row.name: row for part in program.instructions.values() for row in part}
        named = Counter(row.name for part in program.instructions.values() for row in part)
        scopes = defaultdict(int)
        for buffer in gait.rows(document, "memory_buffers"):
            if buffer["program"] != name or buffer["instruction"] is None:
                continue
            row = rows[buffer["instruction"]]
            if buffer["kind"] in ("parameter", "constant"):
                assert buffer["category"] == buffer["kind"]
                continue
            expected = expected_category(program, row)
            assert expected in (None, buffer["category"]), row.name
            compared += expected is not None
            op_name = xplane.text(xplane.scalars(xplane.scalars(row.data).get(7, b"")).get(2, b""))
            # A parameter is made by no operation, and stands under the caller of its computation. A name that two
            # computations have tells nothing.
            if op_name and row.opcode != "parameter" and named[row.name] == 1:
                scopes[expected_scope(op_name, name)] += buffer["bytes"]
        mine = {g["group"]: g["bytes"] for g in groups if g["program"] == name and g["by"] == "scope"}
        for scope, size in scopes.items():
            assert mine[scope] >= size, scope  # those that the compiler left nameless are there too
        if capture == GPT:
            assert compared > 100


WIDTHS = {"pred": 8, "bf16": 16, "f16": 16, "f32": 32, "f64": 64} | {
    f"{sign}{bits}": bits for sign in "su" for bits in (4, 8, 16, 32, 64)
}


def needed(shape: str) -> int | None:
    """Bytes of "f32[8,16]{1,0}"."""
    if not (parts := re.match(r"(\w+)\[([\d,]*)\]", shape)) or parts[1] not in WIDTHS:
        return None
    return (WIDTHS[parts[1]] * math.prod(int(size) for size in parts[2].split(",") if size) + 7) // 8


def test_padding_is_what_buffers_have_beyond_their_shapes(gait, capture):
    document = gait.document("memory", capture)
    live = gait.rows(document, "memory_buffers")
    for buffer in live:
        known = needed(buffer["shape"] or "")
        # Of a larger allocation that others use too, the rest is theirs.
        if known is not None:
            assert buffer["padding"] in (0, buffer["bytes"] - known), buffer
    programs = gait.rows(document, "memory_programs")
    for name in {b["program"] for b in live}:
        own = sum(b["padding"] for b in live if b["program"] == name)
        assert own in {row["padding"] for row in programs if row["program"] == name}
    # Only a TPU's layouts have tiles.
    assert "tpu" in str(capture) or not any(row["padding"] for row in programs)


def test_seed_B11_peak_memory_and_buffers(gait):  # noqa: N802
    """8.87 GiB of 139.8, by other means; nearly all of it temporaries of the step."""
    document = gait.document("memory", GPT)
    row = next(r for r in gait.rows(document, "memory") if r["space"] == "device")
    assert round(row["peak"] / 2**30, 2) == 8.87
    assert round(row["device_memory"] / 2**30, 1) == 139.8
    live = gait.rows(document, "memory_live")
    (temporaries,) = [part for part in live if part["kind"] == "temporaries"]
    assert temporaries["program"] == "jit_train_step"
    assert temporaries["bytes"] > 0.8 * row["peak"]
    proto = programs(contents(GPT))["jit_train_step", 16654]
    (program,) = [r for r in gait.rows(document, "memory_programs") if r["program"] == "jit_train_step"]
    assert program["live_temporaries"] == simulated_peak(proto) > 0.99 * program["temporaries"]
    # XLA's own list leaves out what the instruction at the peak reads for the last time.
    assert buffers(proto)["live_at_most"] <= program["live_temporaries"]


def test_candidates_of_the_autotuner_are_compilation(gait):
    """The peak is while candidates are tried: all but the arrays of the loop is theirs."""
    capture = DATA / "h200" / "recompile.xplane.pb.gz"
    live = gait.rows(gait.document("memory", capture), "memory_live")
    (compilation,) = [part for part in live if part["kind"] == "compilation"]
    events = allocator_events(xplane.read(contents(capture)))
    assert compilation["bytes"] == summary(events["GPU_0_bfc", None])["compiling"] == 256 * 2**20


def test_seed_D6_fragmentation_and_headroom(gait):  # noqa: N802
    row = next(r for r in gait.rows(gait.document("memory", GPT), "memory") if r["space"] == "device")
    assert 0 < row["fragmentation"] < 100
    assert row["used"] < 90
    assert row["headroom"] == row["limit"] - row["peak"]


def test_the_program_named_is_the_one_that_the_overview_names(gait, capture):
    answer = gait.document("memory", capture)["answer"]
    named = re.search(r"No memory events; (\S+) needs", answer)
    notes = {
        row["quantity"]: row["note"] for row in gait.rows(gait.document("overview", capture), "overview")
    }
    assert ("needed by" in notes["memory"]) == bool(named)
    if named:
        assert notes["memory"].startswith(f"needed by {named[1]};")


def test_seed_B8_memory_without_events_says_why(gait):  # noqa: N802
    done = gait.run("memory", DATA / "cpu" / "one_device.xplane.pb.gz")
    text = done.stdout.decode()
    assert "No memory events; jit_train_step needs 10.8 MiB by its buffer assignment." in text
    assert "no memory events: XLA's BFC allocator writes them" in text
