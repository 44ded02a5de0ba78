"""Device time by operation, scope and layer, computed slowly from the definition over the reference reading."""

# ruff: noqa: N802 (rows of the promises have capital letters)

import csv
import io
import itertools
import re
from collections import defaultdict

import cpu_devices
import pytest
import sorts
import xplane
from conftest import DATA, skip_other
from test_collectives import CONTAINERS, KINDS, read_programs
from test_steps import gpu_steps
from windows import is_complete, unpacked

VIEWS = ("op", "scope", "category", "source", "program", "layer", "shape")
COPIES = ("Memcpy", "Memset", "memcpy32", "memset32", "__amd_rocclr_copy", "__amd_rocclr_fill")
# Kernels of no program whose names tell that they compute.
COMPUTES = re.compile(
    "gemm|nvjet|cutlass|triton|cudnn|fusion|wrapped|reduce|softmax|conv|Cijk|Im3d2Col", re.I
)
# Whose instants come first; no capture here has a GPU collective.
COMPUTE, COMMUNICATION, COPY, UNKNOWN, CONTROL = range(5)
SCOPES_OF_CALLS = {
    "closed_call", "eval_jaxpr", "core_call", "checkpoint", "remat", "shard_map", "rematted_computation", "pjit",
}  # fmt: skip


@pytest.fixture(scope="module")
def views(gait, capture) -> dict[str, list[dict]]:
    documents = {by: gait.document("ops", capture, "--by", by) for by in VIEWS}
    return {by: gait.rows(document, "ops") for by, document in documents.items()}


@pytest.fixture(scope="module")
def space(capture) -> xplane.Space:
    return xplane.read(unpacked(capture))


def complete_steps(gait, capture) -> list[dict]:
    """Steps of the series with the most work that reports cover, as (host, device, begin, end)."""
    document = gait.document("steps", capture)
    steps = gait.rows(document, "steps")
    if not steps:
        return []
    first_of_host = {}
    for step in steps:
        first_of_host.setdefault(step["host"], step["series"])
    mine = [s for s in steps if s["series"] == first_of_host[s["host"]] and s["compute"] is not None]
    flags = {(s["host"], s["step"]): s["flags"] for s in mine}
    bad = {key for key, flag in flags.items() if not is_complete(flag)}
    hosts = {host for host, _ in flags}
    for host in hosts:  # where no step is complete all of them count
        if all(key in bad for key in flags if key[0] == host):
            bad -= {key for key in flags if key[0] == host}
    return [
        row
        for row in gait.rows(document, "step_devices")
        if row["series"] == first_of_host[row["host"]]
        and (row["host"], row["step"]) in flags
        and (row["host"], row["step"]) not in bad
    ]


def covered(intervals: list[tuple[int, int]]) -> int:
    total, reached = 0, None
    for first, last in sorted(intervals):
        first = first if reached is None else max(first, reached)
        if last > first:
            total += last - first
            reached = last
    return total


def instructions(gait, capture, program: int) -> dict[str, dict]:
    done = gait.run("hlo", capture, str(program), "--csv")
    assert done.returncode == 0, done.stderr.decode()
    return {row["name"]: row for row in csv.DictReader(io.StringIO(done.stdout.decode()))}


def gpu_events(space: xplane.Space) -> dict[str, list[tuple[int, int, tuple, int, int]]]:
    """By GPU: begin, end, operation, class and correlation id. Only captures whose events name their operation."""
    found = defaultdict(list)
    for plane in space.planes:
        if not plane.name.startswith("/device:GPU:"):
            continue
        for line in plane.lines:
            for event in line.events if line.name.startswith("Stream #") else []:
                args = dict(event.args)
                if str(args.get("hlo_op", "")).startswith("command_buffer"):
                    return {}
                named = "hlo_op" in args
                operation = (args.get("program_id"), args["hlo_op"]) if named else (None, event.name)
                rank = COMPUTE if named or COMPUTES.search(event.name) else UNKNOWN
                work = COPY if event.name.startswith(COPIES) else rank
                begin = event.begin
                found["GPU " + plane.name.rpartition(":")[2]].append(
                    (begin, begin + event.duration, operation, work, args.get("correlation_id", -1))
                )
    return found


def self_times(events: list, windows: list[tuple[int, int]]) -> dict[tuple, int]:
    """Who owns each instant: the first class, then who began last, then the shortest."""
    ordered = sorted(events, key=lambda e: (e[0], e[0] - e[1]))
    cuts = sorted({t for e in events for t in e[:2]} | {t for window in windows for t in window})
    owned: dict[tuple, int] = defaultdict(int)
    running: list[tuple[int, tuple]] = []
    at = window = 0
    for begin, end in itertools.pairwise(cuts):
        while at < len(ordered) and ordered[at][0] <= begin:
            running.append((at, ordered[at]))
            at += 1
        running = [(n, e) for n, e in running if e[1] > begin]
        while window < len(windows) and windows[window][1] <= begin:
            window += 1
        if running and window < len(windows) and windows[window][0] <= begin:
            _, owner = min(running, key=lambda r: (r[1][3], -r[0]))
            owned[owner[2]] += end - begin
    return owned


def runs_of(space: xplane.Space) -> dict[int, tuple]:
    """By correlation id: the host's Execute call around the launch, the innermost one."""
    runs = {}
    for plane in space.planes:
        for number, line in enumerate(plane.lines if plane.name == "/host:CPU" else []):
            around: list[xplane.Event] = []
            for event in sorted(line.events, key=lambda e: (e.begin, -e.duration)):
                around = [e for e in around if event.begin + event.duration <= e.begin + e.duration]
                if "Executable::Execute" in event.name or event.name.endswith(":XLA GPU module"):
                    around.append(event)
                correlation = dict(event.args).get("correlation_id")
                if correlation is not None and around:
                    runs[correlation] = (number, around[-1].begin)
    return runs


def expected_scope(op_name: str, program: str) -> str:
    """The scope path of an op_name, written with other means than the C++: rewriting instead of parsing."""
    op_name = op_name.split(";")[0]
    transforms = r"\b(?:jvp|transpose|vmap|checkpoint|remat)\(((?:[^()]|\([^()]*\))*)\)"
    if "rematted_computation" in op_name:
        pass_name = ["rematted_computation"]
    elif re.search(r"(^|/)transpose\(", op_name):
        pass_name = ["transpose(jvp)"]
    else:
        pass_name = ["jvp"] if re.search(r"(^|/)jvp\(", op_name) else []
    marked = op_name
    while (rewritten := re.sub(transforms, r"^\1", marked)) != marked:
        marked = rewritten
    elements = marked.split("/")
    if not re.match(r"\^|\w+\(", elements[-1]):
        elements.pop()  # the primitive
    root, path = f"jit({program.removeprefix('jit_')})", []
    for before, element in zip(["", *elements], elements, strict=False):
        name = element.lstrip("^")
        if before.lstrip("^") == "while" and name in ("body", "cond"):
            path = path[:-1] if path[-1:] == ["while"] else path
            continue
        if not name or name in SCOPES_OF_CALLS or (name == "jit(main)" and not path):
            continue
        if re.match(r"(p?jit|pmap)\(", name) and element is elements[0]:
            root = name
        elif element.startswith("^") and name in path:
            path = path[: path.index(name) + 1]
        else:
            path.append(name)
    return "/".join([root, *pass_name, *path])


def test_every_view_sums_to_the_busy_time(gait, capture, views):
    sums = {by: sum(row["self"] for row in rows if row["depth"] == 0) for by, rows in views.items()}
    assert len(set(sums.values())) == 1, sums
    assert {sum(row["own"] for row in rows) for rows in views.values()} == set(sums.values())
    assert len({sum(r["events"] for r in rows if r["depth"] == 0) for rows in views.values()}) == 1
    steps = complete_steps(gait, capture)
    if steps:
        assert sums["op"] == sum(step["step_time"] - step["idle"] for step in steps)
    shares = sum(row["share"] for row in views["category"])
    assert shares == pytest.approx(100) or not views["category"]


def test_a_tree_rolls_up(views):
    for by in ("scope", "layer"):
        above: list[dict] = []
        sums = defaultdict(int)
        for number, row in enumerate(views[by]):
            del above[row["depth"] :]
            if above:
                sums[id(above[-1])] += row["self"]
                assert row["self"] <= above[-1]["self"]
                assert row["time"] <= above[-1]["time"]
                assert row["path"].startswith(above[-1]["path"] + "/"), number
            above.append(row)
        for row in views[by]:
            assert row["self"] == row["own"] + sums[id(row)]


def test_work_is_the_same_in_every_view(views):
    for amount in ("flops", "bytes", "executions", "operations"):
        sums = [sum(row[amount] or 0 for row in rows if row["depth"] == 0) for rows in views.values()]
        assert max(sums) == pytest.approx(min(sums)), amount


def test_gpu_operations_equal_the_definition(gait, capture, views, space):
    events = gpu_events(space)
    steps = complete_steps(gait, capture)
    if not events or not steps:
        skip_other(
            capture,
            ("eager", "gpt_without_graphs"),
            "no annotated GPU capture whose events name their operations",
        )
    own, times, counts, runs = defaultdict(int), defaultdict(int), defaultdict(int), defaultdict(set)
    run_of = runs_of(space)
    for device, of_device in events.items():
        windows = sorted((s["begin"], s["begin"] + s["step_time"]) for s in steps if s["device"] == device)
        for operation, time in self_times(of_device, windows).items():
            own[operation] += time
        inside = defaultdict(list)
        for begin, end, operation, _, correlation in of_device:
            for first, last in windows:
                inside[operation].append((max(begin, first), min(end, last)))
                if first <= begin < last:
                    counts[operation] += 1
                    runs[operation].add((device, run_of.get(correlation)))
        for operation, parts in inside.items():
            times[operation] += covered([p for p in parts if p[1] > p[0]])
    known = {
        p: instructions(gait, capture, p) for p in {operation[0] for operation in counts} if p is not None
    }
    expected = {}
    for operation in counts:
        program, name = operation
        expected[program, name] = {
            "self": own[operation],
            "time": times[operation],
            "events": counts[operation],
        }
        in_loops = program is not None and any(i["opcode"] == "while" for i in known[program].values())
        if program is not None and not in_loops and None not in {run for _, run in runs[operation]}:
            expected[program, name]["executions"] = len(runs[operation])
    found = {(row["program_id"], row["name"]): row for row in views["op"]}
    assert found.keys() == expected.keys()
    for key, row in expected.items():
        assert {column: found[key][column] for column in row} == row, key
    for (program, name), row in found.items():
        if program is None:
            continue
        instruction = known[program][name]
        if instruction["flops [flop]"] and instruction["opcode"] not in ("while", "conditional", "call"):
            assert row["flops"] == pytest.approx(float(instruction["flops [flop]"]) * row["executions"])
        if instruction["scope"]:
            assert row["scope"] == expected_scope(instruction["scope"], row["program"]), name


def test_an_operation_of_several_events_counts_once_on_a_cpu(gait, made_captures):
    """A sort copies its operands first, each in an event of its own with the sort's name."""
    capture = made_captures(1, "sorts.py")
    rows = [
        row
        for row in gait.rows(gait.document("ops", "--by", "op", capture), "ops")
        if row["category"] == "sort"
    ]
    counted = len(complete_steps(gait, capture))
    executions = sorted(row["executions"] for row in rows)
    assert executions == [counted, counted, counted * sorts.ITERATIONS]
    assert any(row["events"] > row["executions"] for row in rows)
    for row in rows:
        assert row["flops"] > 0
        assert row["flops"] % row["executions"] == 0


def test_what_steps_do_not_know_is_what_ops_cannot_name(gait, capture, views):
    steps = complete_steps(gait, capture)
    if steps:
        unnamed = sum(row["self"] for row in views["category"] if row["name"] == "unattributed")
        assert unnamed == sum(step["unknown"] for step in steps)


def without_programs(data: bytes) -> bytes:
    """The capture without the plane that holds the programs."""
    return xplane.written([(1, p) for p in xplane.repeated(data, 1) if b"/host:metadata" not in p[:60]])


def test_scopes_without_programs_are_those_that_events_name(gait, tmp_path):
    """Of kernels whose HLO is not in the capture: their own `name`, which may end in a scope."""
    stored = DATA / "h200" / "gpt_without_graphs.xplane.pb.gz"
    stripped = tmp_path / "vm.xplane.pb"
    stripped.write_bytes(without_programs(unpacked(stored)))
    space = xplane.read(stripped.read_bytes())
    names = {
        (args["hlo_op"], args.get("name", ""))
        for plane in space.planes
        if plane.name.startswith("/device:GPU:")
        for line in plane.lines
        for args in (dict(event.args) for event in line.events)
        if "hlo_op" in args
    }
    above = {element for _, name in names for element in name.split("/")[:-1]}
    expected = {}
    for operation, name in names:
        ends_in_scope = name.split("/")[-1] in above
        path = name + "/x" * ends_in_scope
        # The program alone is what the parts of a fusion share: it tells no scope.
        expected[operation] = expected_scope(path, "jit_train_step") if "/" in name else None
    rows = [row for row in gait.rows(gait.document("ops", stripped), "ops") if row["name"] in expected]
    assert {row["name"]: row["scope"] for row in rows} == expected
    # Where both know it, what HLO says is the same or further in: of a fusion `name` is what its parts share.
    whole = {row["name"]: row["scope"] for row in gait.rows(gait.document("ops", stored), "ops")}
    shorter = {operation for operation, scope in expected.items() if scope and scope != whole[operation]}
    assert all(set(expected[o].split("/")) <= set(whole[o].split("/")) for o in shorter)
    assert len(shorter) < 0.2 * len(expected)
    layers = gait.rows(gait.document("ops", stripped, "--by", "layer"), "ops")
    busy = sum(row["self"] for row in layers if row["depth"] == 0)
    assert busy == sum(row["self"] for row in gait.rows(gait.document("ops", stripped), "ops"))
    named = sum(row["self"] for row in layers if row["path"] == "layer_*")
    assert {row["layers"] for row in layers if row["path"] == "layer_*"} == {12}
    assert named > 0.5 * busy


def cpu_class(opcode: str) -> int:
    return CONTROL if opcode in CONTAINERS else COMMUNICATION if opcode in KINDS else COMPUTE


def test_cpu_operations_equal_the_definition(gait, capture, views, space):
    steps = cpu_devices.steps_of(space, capture)
    counted = {(s["device"], s["step"]) for s in complete_steps(gait, capture)}
    programs = read_programs(unpacked(capture))
    events = defaultdict(list)
    for o in cpu_devices.operations(space):
        work = cpu_class(programs[o.program].opcodes[o.name])
        events[f"CPU {o.device}"].append((o.begin, o.end, (o.program, o.name), work))
    expected = defaultdict(lambda: {"self": 0, "time": 0, "events": 0})
    for device, of_device in events.items():
        windows = sorted((s.begin, s.end) for key, s in steps.items() if key in counted and key[0] == device)
        for operation, time in self_times(of_device, windows).items():
            expected[operation]["self"] += time
        inside = defaultdict(list)
        for begin, end, operation, _ in of_device:
            for first, last in windows:
                inside[operation].append((max(begin, first), min(end, last)))
                expected[operation]["events"] += first <= begin < last
        for operation, parts in inside.items():
            expected[operation]["time"] += covered([p for p in parts if p[1] > p[0]])
    found = {
        (row["program_id"], row["name"]): {column: row[column] for column in ("self", "time", "events")}
        for row in views["op"]
    }
    assert found == {operation: row for operation, row in expected.items() if row["events"] or row["time"]}


@pytest.mark.parametrize("name", ["attention", "branch", "dynamic", "gemms", "scan", "split"])
def test_executions_inside_graphs_equal_those_without(gait, name):
    def executions(file: str) -> dict:
        rows = gait.rows(
            gait.document("ops", DATA / "graphs" / f"{file}.xplane.pb.gz", "--by", "scope"), "ops"
        )
        return {row["path"]: row["executions"] for row in rows if not row["path"].startswith("(")}

    assert executions(name) == executions(name + "_without")


@pytest.mark.parametrize("name", ["gpt", "gpt_without_graphs", "starved"])
def test_twelve_equal_layers(gait, name):
    document = gait.document("ops", DATA / "h200" / f"{name}.xplane.pb.gz", "--by", "layer")
    rows = {(row["path"], row["pass"]): row for row in gait.rows(document, "ops")}
    # Every operation has a scope: also the quarter of the time whose kernels carry no `name`.
    for where, milliseconds in (("forward", 0.49), ("backward", 0.77)):
        layer = rows["layer_*", where]
        assert layer["layers"] == 12
        assert layer["layer_mean"] == pytest.approx(milliseconds * 1e9, rel=0.03)
        assert layer["layer_spread"] < 5
        parts = [rows[f"layer_*/{part}", where]["self"] for part in ("attention", "mlp")]
        assert sum(parts) == layer["self"]
    assert rows["(outside gradient)", "other"]["per_step"] == pytest.approx(0.9e9, rel=0.05)  # the optimizer
    unnamed = sum(row["self"] for (path, _), row in rows.items() if path.startswith("(unattributed)"))
    assert unnamed < 0.001 * sum(row["self"] for row in rows.values() if row["depth"] == 0)


def test_the_same_program_costs_the_same_inside_graphs(gait):
    """Operation by operation: gpt_without_graphs is the ground truth for gpt."""

    def per_step(name: str) -> dict:
        rows = gait.rows(gait.document("ops", DATA / "h200" / f"{name}.xplane.pb.gz"), "ops")
        return {row["name"]: row for row in rows if row["program"]}

    inside, outside = per_step("gpt"), per_step("gpt_without_graphs")
    assert inside.keys() == outside.keys()
    different = 0
    for name, row in inside.items():
        assert (row["executions"], row["flops"]) == (outside[name]["executions"], outside[name]["flops"]), (
            name
        )
        different += abs(row["per_step"] - outside[name]["per_step"])
    assert different < 0.05 * sum(row["per_step"] for row in inside.values())


def test_seed_B10_operations_by_time(gait):
    document = gait.document("ops", DATA / "h200" / "gpt.xplane.pb.gz")
    rows = gait.rows(document, "ops")
    assert rows == sorted(rows, key=lambda row: -row["self"])
    assert all(row["flops"] is not None and row["bytes"] is not None for row in rows if row["program"])


def test_seed_B12_operations_above_10_ms(gait):
    rows = gait.rows(gait.document("ops", DATA / "cpu" / "eight_devices.xplane.pb.gz"), "ops")
    slow = [row["name"] for row in rows if row["mean"] is not None and row["mean"] > 10e9]
    assert "all-to-all" in slow
    assert len(slow) < len(rows) / 10


def true_times(gait, path) -> dict[tuple, tuple[int, int]]:
    """By operation of one GPU: self time and time in the steps that count, from the capture itself."""
    space = xplane.read(unpacked(path))
    ((device, events),) = gpu_events(space).items()
    counted = {step["step"] for step in complete_steps(gait, path)}
    windows = sorted(
        (step["begin"], step["begin"] + step["step_time"])
        for (_, of, number), step in gpu_steps(space).items()
        if of == device and number in counted
    )
    inside = defaultdict(list)
    for begin, end, operation, *_ in events:
        inside[operation] += [(max(begin, a), min(end, b)) for a, b in windows if begin < b and a < end]
    owned = self_times(events, windows)
    return {operation: (owned[operation], covered(parts)) for operation, parts in inside.items()}


def test_seed_B15_top_five(gait):
    path = DATA / "h200" / "gpt_without_graphs.xplane.pb.gz"
    done = gait.run("ops", path, "--top", "5", "--csv")
    shown = list(csv.DictReader(io.StringIO(done.stdout.decode())))
    own = {operation: times[0] for operation, times in true_times(gait, path).items()}
    busy = sum(own.values())
    largest = sorted(own, key=own.get, reverse=True)[:5]
    assert [(int(row["program_id"]), row["name"]) for row in shown] == largest
    rows = gait.rows(gait.document("ops", path), "ops")[:5]
    assert [row["self"] for row in rows] == [own[operation] for operation in largest]
    assert [row["share"] for row in rows] == pytest.approx([100 * own[o] / busy for o in largest])


def test_seed_D5_self_and_total_time(gait):
    path = DATA / "h200" / "eager.xplane.pb.gz"
    rows = gait.rows(gait.document("ops", path), "ops")
    found = {(row["program_id"], row["name"]): (row["self"], row["time"]) for row in rows}
    assert found == true_times(gait, path)
    small = [row for row in rows if row["program"] and row["mean"] < 20e6 and row["executions"] >= 400]
    assert len(small) >= 4  # the repeated small operations


def test_seed_E14_hierarchy(gait):
    document = gait.document("ops", DATA / "h200" / "gpt.xplane.pb.gz", "--by", "scope")
    paths = {row["path"]: row["depth"] for row in gait.rows(document, "ops")}
    assert paths["jit(train_step)"] == 0
    assert paths["jit(train_step)/jvp/layer_3/attention"] == 3
    assert paths["jit(train_step)/transpose(jvp)/layer_3/attention"] == 3


def test_seed_E15_which_parts_take_longest(gait):
    path = DATA / "h200" / "gpt_without_graphs.xplane.pb.gz"
    own = {operation: times[0] for operation, times in true_times(gait, path).items()}
    multiply = {
        (dict(event.args).get("program_id"), dict(event.args).get("hlo_op"))
        for plane in xplane.read(unpacked(path)).planes
        for line in plane.lines
        for event in line.events
        if re.search("nvjet|gemm|cutlass", event.name)
    }
    share = 100 * sum(own[operation] for operation in own if operation in multiply) / sum(own.values())
    document = gait.document("ops", path, "--by", "category")
    (matmul,) = [row for row in gait.rows(document, "ops") if row["name"] == "matmul"]
    assert matmul["share"] == pytest.approx(share)
    assert f"matmul {share:.1f} %" in document["answer"]
