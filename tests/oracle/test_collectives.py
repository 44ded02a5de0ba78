"""Collectives, computed slowly from the definitions over the reference reading of CPU captures."""

import dataclasses
import gzip
import math
import statistics
import subprocess
import sys
from collections import defaultdict
from fractions import Fraction
from pathlib import Path

import cpu_devices
import numpy as np
import pytest
import xplane
from conftest import DATA, ROOT, skip_other
from windows import is_complete

KINDS = "all-reduce all-gather reduce-scatter all-to-all collective-permute collective-broadcast".split()
CONTAINERS = ("while", "conditional", "call")
BYTES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 2, 8: 4, 9: 8, 10: 2, 11: 4, 12: 8, 15: 8, 16: 2, 18: 16}


# --- HLO: opcode, message and groups of every instruction


def integers(data: bytes, number: int) -> list[int]:
    values = []
    for field, value in xplane.fields(data):
        if field == number and isinstance(value, int):
            values.append(xplane.signed(value))
        elif field == number:
            at = 0
            while at < len(value):
                one, at = xplane.varint(value, at)
                values.append(xplane.signed(one))
    return values


def byte_size(shape: bytes) -> int:
    elements = xplane.repeated(shape, 4)
    if elements:
        return sum(map(byte_size, elements))
    return BYTES[xplane.scalars(shape).get(2, 0)] * math.prod(integers(shape, 3))


def iota_groups(iota: bytes) -> list[list[int]]:
    """0, 1, 2, ... reshaped, transposed, and cut into groups."""
    count, size = (xplane.scalars(iota).get(field, 0) for field in (1, 2))
    shape, order = integers(iota, 3), integers(iota, 4)
    return np.arange(count * size).reshape(shape).transpose(order or None).reshape(count, size).tolist()


def mesh_groups(mesh_axes: bytes) -> list[list[int]]:
    """The devices of a mesh along whole axes: those axes last, the others say which group."""
    (mesh,) = xplane.repeated(mesh_axes, 1)
    axes = [xplane.scalars(axis).get(2, 0) for axis in xplane.repeated(mesh, 1)]
    ids = integers(mesh, 2) or range(math.prod(axes))
    named = [xplane.scalars(part).get(1, 0) for part in xplane.repeated(mesh_axes, 2)]
    assert not any(xplane.repeated(part, 2) for part in xplane.repeated(mesh_axes, 2)), "a part of an axis"
    others = [axis for axis in range(len(axes)) if axis not in named]
    size = math.prod(axes[axis] for axis in named)
    return np.reshape(ids, axes).transpose([*others, *named]).reshape(-1, size).tolist()


def groups_of(instruction: bytes, everyone: list[int]) -> list[list[int]]:
    """Groups of logical ids, from whichever of the encodings the file has."""
    lists = [integers(group, 1) for group in xplane.repeated(instruction, 49)]
    for device_list in xplane.repeated(instruction, 87):
        lists += [integers(group, 1) for group in xplane.repeated(device_list, 1)]
    lists += [group for iota in xplane.repeated(instruction, 92) for group in iota_groups(iota)]
    lists += [group for axes in xplane.repeated(instruction, 93) for group in mesh_groups(axes)]
    return lists or [everyone]


@dataclasses.dataclass
class Collective:
    name: str
    kind: str
    message: int
    size: int  # of a group
    group: dict[int, int]  # of a device id


@dataclasses.dataclass
class Program:
    opcodes: dict[str, str]
    scopes: dict[str, str]
    collectives: dict[str, Collective]


def read_program(proto: bytes) -> Program:
    module = xplane.repeated(proto, 1)[0]
    devices = [i for a in xplane.repeated(module, 15) for p in xplane.repeated(a, 3) for i in integers(p, 1)]
    program = Program({}, {}, {})
    for computation in xplane.repeated(module, 3):
        rows = xplane.repeated(computation, 2)
        shapes = {xplane.scalars(row).get(35, 0): xplane.scalars(row).get(3, b"") for row in rows}
        for row in rows:
            one = xplane.scalars(row)
            name, opcode = xplane.text(one.get(1, b"")), xplane.text(one.get(2, b""))
            program.opcodes[name] = opcode
            program.scopes[name] = xplane.text(xplane.scalars(one.get(7, b"")).get(2, b""))
            if opcode not in KINDS:
                continue
            operands = [byte_size(shapes[o]) for o in integers(row, 36)]
            logical = groups_of(row, list(range(len(devices))))
            if opcode == "collective-permute":  # these tests have circles only: all devices are connected
                size, message, logical = len(devices), operands[0], [list(range(len(devices)))]
            else:
                size, message = len(logical[0]), sum(operands)
            if opcode == "reduce-scatter":
                message //= size
            group = {devices[i]: g for g, members in enumerate(logical) for i in members}
            program.collectives[name] = Collective(name, opcode, message, size, group)
    return program


def read_programs(space_bytes: bytes) -> dict[int, Program]:
    programs = {}
    for plane in xplane.repeated(space_bytes, 1):
        names = {i: xplane.text(xplane.scalars(m).get(2, b"")) for i, m in xplane.table(plane, 5).items()}
        for metadata in xplane.table(plane, 4).values():
            args = dict(xplane.read_shared_args(metadata, names))
            if {"Hlo Proto", "program_id"} <= args.keys():
                programs[args["program_id"]] = read_program(args["Hlo Proto"])
    return programs


# --- Sets of intervals


def union(intervals: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for begin, end in sorted(intervals):
        if merged and begin <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        elif end > begin:
            merged.append((begin, end))
    return merged


def overlap(a: list[tuple[int, int]], b: list[tuple[int, int]]) -> int:
    """Length of the intersection of two unions."""
    return sum(max(0, min(x[1], y[1]) - max(x[0], y[0])) for x in a for y in b)


def clip(a: list[tuple[int, int]], windows: list[tuple[int, int]]) -> list[tuple[int, int]]:
    pieces = [(max(x[0], y[0]), min(x[1], y[1])) for x in a for y in windows]
    return union([p for p in pieces if p[0] < p[1]])


def length(a: list[tuple[int, int]]) -> int:
    return sum(end - begin for begin, end in a)


def covered_windows(gait, path) -> dict[tuple[str, str], list[tuple[int, int]]]:
    """By host and device, the complete steps: what the numbers cover."""
    document = gait.document("steps", path)
    steps = gait.rows(document, "steps")
    wanted = [s for s in steps if is_complete(s["flags"])] or steps
    keys = {(s["host"], s["series"], s["step"]) for s in wanted}
    windows = defaultdict(list)
    for row in gait.rows(document, "step_devices"):
        if (row["host"], row["series"], row["step"]) in keys:
            windows[row["host"], row["device"]].append((row["begin"], row["begin"] + row["step_time"]))
    return {key: union(value) for key, value in windows.items()}


@dataclasses.dataclass
class Host:
    name: str
    start_ps: int
    programs: dict[int, Program]
    operations: list[cpu_devices.Operation]

    def compute(self, device: int) -> list[tuple[int, int]]:
        return union(
            [
                (o.begin, o.end)
                for o in self.operations
                if o.device == device and self.opcode(o) not in (*KINDS, *CONTAINERS)
            ]
        )

    def opcode(self, operation: cpu_devices.Operation) -> str:
        return self.programs[operation.program].opcodes[operation.name]


def read_host(path: Path, name: str) -> Host:
    data = path.read_bytes()
    data = gzip.decompress(data) if path.suffix == ".gz" else data
    space = xplane.read(data)
    start = next(
        (dict(p.args)["profile_start_time"] for p in space.planes if "profile_start_time" in dict(p.args)), 0
    )
    return Host(name, start * 1000, read_programs(data), cpu_devices.operations(space))


def median(values: list[int]) -> int:
    exact = statistics.median([Fraction(v) for v in values])
    return math.trunc(exact)


def expected(hosts: list[Host], windows: dict) -> dict:
    """By (program, instruction): the row of the collective; and by (host, device) its totals."""
    devices = sorted({(h, o.device) for h, host in enumerate(hosts) for o in host.operations})
    compute = {(h, d): hosts[h].compute(d) for h, d in devices}
    count, met = defaultdict(int), defaultdict(list)
    communication = defaultdict(list)
    for h, host in enumerate(hosts):
        for o in host.operations:
            if host.opcode(o) not in KINDS:
                continue
            collective = host.programs[o.program].collectives[o.name]
            communication[h, o.device].append((o.begin, o.end))
            number = count[h, o.device, o.program, o.name, o.run]
            count[h, o.device, o.program, o.name, o.run] += 1
            met[o.program, o.name, collective.group[o.device], o.run, number].append((h, o))

    def counts(h: int, o: cpu_devices.Operation) -> bool:
        return any(b < o.end <= e for b, e in windows.get((hosts[h].name, f"CPU {o.device}"), []))

    met = {key: group for key, group in met.items() if any(counts(h, o) for h, o in group)}
    # Clocks: the median of the distance of ends from their mean, one shift for each host.
    skews = defaultdict(list)
    for (program, name, *_), group in met.items():
        kind = hosts[group[0][0]].programs[program].collectives[name].kind
        if len(group) < 2 or kind not in ("all-reduce", "all-gather", "reduce-scatter", "all-to-all"):
            continue
        ends = {(h, o.device): o.end + hosts[h].start_ps - hosts[0].start_ps for h, o in group}
        for device, end in ends.items():
            skews[device].append(end - math.trunc(Fraction(sum(ends.values()), len(ends))))
    offset = {device: median(values) for device, values in skews.items()}
    offset = {device: value - offset[min(offset)] for device, value in offset.items()}  # the first reads 0
    of_host = [median([o for (h, _), o in offset.items() if h == host] or [0]) for host in range(len(hosts))]

    rows = defaultdict(lambda: defaultdict(list))
    totals = {key: defaultdict(int) for key in devices}
    for (program, name, *_), group in met.items():
        row = rows[program, name]
        exposed = {
            (h, o.device): o.end - o.begin - overlap([(o.begin, o.end)], compute[h, o.device])
            for h, o in group
        }
        starts = {
            (h, o.device): o.begin + hosts[h].start_ps - hosts[0].start_ps - (of_host[h] - of_host[0])
            for h, o in group
        }
        row["exposed"].append(sum(exposed.values()))
        row["hidden"].append(sum(o.end - o.begin for _, o in group) - sum(exposed.values()))
        row["time"].append(min(o.end - o.begin for _, o in group))
        row["wait"].append(max(exposed.values()) - min(exposed.values()))
        row["skew"].append(max(starts.values()) - min(starts.values()))
        last = max(starts.values())
        row["late"].append([d for d in starts if starts[d] == last])
        row["devices"].append(len(group))
        row["members"].append(list(starts))
        within = [d for d in starts if starts[d] >= last - row["skew"][-1] // 10]
        row["together"].append({h for h, _ in within} if len(within) > 1 else set())
        for device, value in exposed.items():
            totals[device]["wait"] += value - min(exposed.values())
            totals[device]["executions"] += len(group) > 1
        if len(row["late"][-1]) == 1 < len(group):
            (device,) = row["late"][-1]
            totals[device]["starts_last"] += 1
            totals[device]["skew_caused"] += row["skew"][-1]
    for key in devices:
        inside = clip(union(communication[key]), windows.get((hosts[key[0]].name, f"CPU {key[1]}"), []))
        totals[key]["hidden"] = overlap(inside, compute[key])
        totals[key]["exposed"] = length(inside) - totals[key]["hidden"]
    spread = {d: median([abs(v - median(values)) for v in values]) for d, values in skews.items()}
    samples = {device: len(values) for device, values in skews.items()}
    applied = [value - of_host[0] for value in of_host]
    return {
        "rows": rows,
        "totals": totals,
        "offset": offset,
        "spread": spread,
        "samples": samples,
        "applied": applied,
    }


def check(gait, path: Path, files: list[Path]) -> dict:
    document = gait.document("collectives", path)
    names = list(dict.fromkeys(row["host"] for row in gait.rows(document, "alignment")))
    hosts = [read_host(file, name) for file, name in zip(files, names, strict=True)]
    truth = expected(hosts, covered_windows(gait, path))
    found = gait.rows(document, "collectives")
    by_key = defaultdict(list)
    for (program, name), row in truth["rows"].items():
        by_key[name].append((program, row))
    assert sorted(r["collective"] for r in found) == sorted(n for n, rows in by_key.items() for _ in rows)
    for got in found:
        # Two programs may have instructions of one name; the exposed time tells which is meant.
        program, row = next(x for x in by_key[got["collective"]] if sum(x[1]["exposed"]) == got["exposed"])
        collective = hosts[0].programs[program].collectives[got["collective"]]
        assert got["kind"] == collective.kind
        assert got["message_bytes"] == collective.message
        assert got["group_size"] == collective.size
        assert got["matched_by"] == "run id"
        groups = len(set(collective.group.values()))
        assert got["executions"] == len(row["time"]) / groups
        assert got["hidden"] == sum(row["hidden"])
        full = [i for i, n in enumerate(row["devices"]) if n == max(row["devices"])]
        assert got["incomplete"] == len(row["devices"]) - len(full)
        assert got["time"] == median([row["time"][i] for i in full])
        assert got["wait"] == sum(row["wait"][i] for i in full) // groups
        assert got["skew"] == median([row["skew"][i] for i in full])
        assert got["largest_skew"] == max(row["skew"][i] for i in full)
        n = collective.size
        size = n if collective.kind in ("all-gather", "reduce-scatter") else 1
        bus = {"all-reduce": 2 * (n - 1) / n, "collective-permute": 1}.get(collective.kind, (n - 1) / n)
        rate = collective.message * size / (got["time"] * 1e-12)
        assert got["algorithm_bandwidth"] == pytest.approx(rate, rel=1e-9)
        assert got["bus_bandwidth"] == pytest.approx(rate * bus, rel=1e-9)
        if got["straggler"] in names and len(names) > 1:
            late_hosts = [row["together"][i] for i in full]
            skews = [row["skew"][i] for i in full]
            own = [
                s for s, who in zip(skews, late_hosts, strict=True) if who == {names.index(got["straggler"])}
            ]
            assert sum(own) - max(own) > sum(skews) - sum(own)
            assert got["starts_last"] is None
        elif got["straggler"]:
            device = int(got["straggler"].rpartition(" ")[2])
            late = [any(d == device for _, d in row["late"][i]) for i in full]
            assert got["starts_last"] == pytest.approx(
                100 * sum(late) / len(late), abs=100 / len(late) + 1e-9
            )
    for (h, device), total in truth["totals"].items():
        got = next(
            r
            for r in gait.rows(document, "collective_devices")
            if r["host"] == names[h] and r["device"] == f"CPU {device}"
        )
        for name in ("exposed", "hidden", "wait", "executions", "starts_last", "skew_caused"):
            assert got[name] == total[name], (h, device, name)
        if total["executions"]:
            share = 100 * total["starts_last"] / total["executions"]
            assert got["starts_last_share"] == pytest.approx(share)
    # Groups that overlap in part are joined over their graph: constructed offsets test that (alignment_test.cc).
    one_group = len({frozenset(n) for r in truth["rows"].values() for n in r["members"]}) == 1
    for row in gait.rows(document, "alignment") if one_group else []:
        key = (names.index(row["host"]), int(row["device"].rpartition(" ")[2]))
        assert row["offset"] == truth["offset"][key]
        assert row["spread"] == truth["spread"][key]
        assert row["samples"] == truth["samples"][key]
        assert row["applied"] == truth["applied"][key[0]]
    return document


def is_cpu_with_several_devices(space: xplane.Space) -> bool:
    if any(plane.name.startswith("/device:") for plane in space.planes):
        return False
    return len({o.device for o in cpu_devices.operations(space)}) > 1


def test_cpu_collectives_equal_the_definition(gait, capture):
    data = capture.read_bytes()
    if not is_cpu_with_several_devices(
        xplane.read(gzip.decompress(data) if capture.suffix == ".gz" else data)
    ):
        skip_other(capture, ("eight_devices",), "not a CPU capture of several devices")
    check(gait, capture, [capture])


def test_two_processes_equal_the_definition(gait):
    folder = DATA / "cpu" / "two_processes"
    document = check(gait, folder, sorted(folder.glob("**/*.xplane.pb.gz")))
    assert "host1 starts last" in document["answer"]
    # Process 1 sleeps 3 ms a step: that is what process 0 waits.
    for row in gait.rows(document, "collective_devices"):
        assert (row["wait_per_step"] > 2e9) == (row["host"] == "host0")


def test_identities(gait, capture):
    document = gait.document("collectives", capture)
    devices = gait.rows(document, "collective_devices")
    kinds = gait.rows(document, "collective_kinds")
    assert sum(d["exposed"] for d in devices) <= sum(k["exposed"] for k in kinds)
    for row in gait.rows(document, "collectives"):
        assert row["exposed"] >= 0
        assert row["hidden"] >= 0
        if row["wait"] is not None:
            assert 0 <= row["wait"] <= row["exposed"]
            assert 0 <= row["skew"] <= row["largest_skew"]


def test_one_device_says_so_in_one_line(gait):
    document = gait.document("collectives", DATA / "h200" / "gpt.xplane.pb.gz")
    assert document["answer"] == "No communication: one device did all the work of this capture."
    assert document["tables"]["collectives"]["rows"] == []


def true_windows(gait, path) -> dict[str, list[tuple[int, int]]]:
    """By device: where the steps that count lie, from the capture itself; gait tells only which they are."""
    document = gait.document("steps", path)
    bad = {r["step"] for r in gait.rows(document, "steps") if not is_complete(r["flags"])}
    found = defaultdict(list)
    steps = cpu_devices.steps_of(xplane.read(gzip.decompress(path.read_bytes())), path)
    for (device, number), step in sorted(steps.items()):
        if number not in bad:
            found[device].append((step.begin, step.end))
    return found


def test_seed_A9_load_balance(gait):  # noqa: N802
    """Per device: how long it waited for the others, and how often the others waited for it."""
    path = DATA / "cpu" / "eight_devices.xplane.pb.gz"
    document = gait.document("collectives", path)
    devices = gait.rows(document, "collective_devices")
    assert [d["device"] for d in devices] == [f"CPU {i}" for i in range(8)]
    executions = max(d["executions"] for d in devices)
    assert sum(d["starts_last"] for d in devices) == executions
    windows = true_windows(gait, path)
    truth = expected([read_host(path, "vm")], {("vm", device): w for device, w in windows.items()})["totals"]
    for row in devices:
        wait = truth[0, int(row["device"][4:])]["wait"]
        assert row["wait_per_step"] == wait // len(windows[row["device"]])


def test_seed_A10_communication_overhead_and_overlap(gait):  # noqa: N802
    """Exposed and hidden communication per step sum to the steps' own partition."""
    path = DATA / "cpu" / "eight_devices.xplane.pb.gz"
    windows = covered_windows(gait, path)
    steps = gait.document("steps", path)
    exposed, hidden = defaultdict(int), defaultdict(int)
    for row in gait.rows(steps, "step_devices"):
        if any(b <= row["begin"] < e for b, e in windows["vm", row["device"]]):
            exposed[row["device"]] += row["exposed_communication"]
            hidden[row["device"]] += row["hidden_communication"]
    for row in gait.rows(gait.document("collectives", path), "collective_devices"):
        assert row["exposed"] == exposed[row["device"]] > 0
        assert row["hidden"] == hidden[row["device"]] > 0


def test_seed_C9_all_reduce_is_reported(gait):  # noqa: N802
    document = gait.document("collectives", DATA / "cpu" / "eight_devices.xplane.pb.gz")
    kinds = {row["kind"]: row for row in gait.rows(document, "collective_kinds")}
    assert set(kinds) == {"all-reduce", "all-gather", "reduce-scatter", "all-to-all", "collective-permute"}
    all_reduce = kinds["all-reduce"]  # its device computes nothing meanwhile
    assert all_reduce["exposed_per_step"] > 0
    assert all_reduce["hidden_per_step"] == 0
    assert all_reduce["bytes_per_step"] == 448 * 1024 + 4
    assert "exposed in collectives" in document["answer"]


GROUPS = """
import sys, jax, jax.numpy as jnp, numpy as np
from jax.sharding import Mesh, PartitionSpec as P
jax.config.update("jax_num_cpu_devices", 8)
mesh = Mesh(np.array(jax.devices()).reshape(2, 4), ("a", "b"))
def step(x):
    def body(_, y):
        return jax.lax.psum(y, "a") * 0.1 + jnp.tanh(y @ y.T).sum()
    x = jax.lax.fori_loop(0, 3, body, x)
    y = jax.lax.psum_scatter(x, "b", tiled=True)
    y = jax.lax.all_gather(y, "b", tiled=True)
    y = jax.lax.all_to_all(y, "b", 0, 0, tiled=True)
    return jax.lax.ppermute(y, ("a", "b"), [(i, (i + 1) % 8) for i in range(8)])
run = jax.jit(jax.shard_map(step, mesh=mesh, in_specs=P("a", "b"), out_specs=P("a", "b"), check_vma=False))
x = jnp.ones((64, 256))
run(x).block_until_ready()
with jax.profiler.trace(sys.argv[1]):
    for number in range(4):
        with jax.profiler.StepTraceAnnotation("train", step_num=number):
            run(x).block_until_ready()
"""


def test_groups_of_a_mesh_inside_a_loop(gait, tmp_path):
    """A 2 x 4 mesh: collectives over its rows and columns, one of them in a loop whose event contains it."""
    made = subprocess.run(
        [sys.executable, "-c", GROUPS, tmp_path], cwd=ROOT, capture_output=True, timeout=300, check=False
    )
    assert made.returncode == 0, made.stderr.decode()[-2000:]
    (path,) = tmp_path.glob("**/*.xplane.pb")
    document = check(gait, path, [path])
    rows = {r["kind"]: r for r in gait.rows(document, "collectives")}
    assert (rows["all-reduce"]["group"], rows["all-reduce"]["group_size"]) == ("4 \u00d7 2", 2)
    assert (rows["all-gather"]["group"], rows["all-gather"]["group_size"]) == ("2 \u00d7 4", 4)
    assert rows["collective-permute"]["group_size"] == 8
    steps = len([r for r in gait.rows(gait.document("steps", path), "steps") if not r["flags"]]) or 4
    assert rows["all-reduce"]["executions"] == 3 * steps
    assert rows["all-reduce"]["exposed"] > 0  # the loop's own event does not hide it
    assert all(r["skew"] is not None for r in rows.values())
