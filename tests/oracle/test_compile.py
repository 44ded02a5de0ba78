"""Compilations, computed slowly from the definition over the reference reading."""

import collections
import dataclasses
import gzip
import itertools
import subprocess
import sys
from pathlib import Path

import pytest
import xplane
from conftest import DATA

PHASES = (
    "tracing",
    "lowering",
    "cache",
    "optimization",
    "autotuning",
    "code_generation",
    "loading",
    "other",
)


AUTOTUNER = ("config-assigner", "utotun", "algorithm-picker")


def union(intervals) -> int:
    total, reached = 0, None
    for begin, end in sorted(intervals):
        if reached is not None:
            begin = max(begin, reached)
        if end > begin:
            total += end - begin
            reached = end
    return total


def end(event: xplane.Event) -> int:
    return event.begin + event.duration


def inside(event: xplane.Event, around: xplane.Event) -> bool:
    return around.begin <= event.begin and end(event) <= end(around) and event is not around


def read(path: Path) -> xplane.Space:
    data = path.read_bytes()
    return xplane.read(gzip.decompress(data) if path.suffix == ".gz" else data)


def calls_that_compile(space: xplane.Space) -> list[dict]:
    """Each compiler call of JAX with the lowering and the jitted call around it, from their events alone."""
    found = []
    for plane in space.planes:
        if not plane.name.startswith("/host:"):
            continue
        for line in plane.lines:
            backends = [e for e in line.events if e.name in ("backend_compile", "backend_compile_and_load")]
            lowerings = [e for e in line.events if e.name == "lower_sharding_computation"]
            jitted = [e for e in line.events if e.name.startswith("PjitFunction(")]
            tuning = [e for e in line.events if any(word in e.name for word in AUTOTUNER)]
            for backend in backends:
                around = [e for e in jitted if inside(backend, e)]
                if not around:
                    continue
                innermost = min(around, key=lambda e: e.duration)
                call = max((e for e in around if e.name == innermost.name), key=lambda e: e.duration)
                (lowering,) = [e for e in lowerings if inside(e, call)]
                found.append(
                    {
                        "function": call.name[len("PjitFunction(") : -1],
                        "begin": call.begin,
                        "end": end(backend),
                        "tracing": lowering.begin - call.begin,
                        "lowering": lowering.duration,
                        "cache": backend.begin - end(lowering),
                        "autotuning": union((e.begin, end(e)) for e in tuning if inside(e, backend)),
                        "backend": backend.duration,
                    }
                )
    return sorted(found, key=lambda c: c["begin"])


def steps_of(space: xplane.Space) -> list[tuple[int, int, int]]:
    return sorted(
        (event.begin, end(event), dict(event.args)["step_num"])
        for plane in space.planes
        if plane.name.startswith("/host:")
        for line in plane.lines
        for event in line.events
        if "step_num" in dict(event.args)
    )


def test_parts_sum_to_the_wall(gait, capture):
    document = gait.document("compile", capture)
    compiles = gait.rows(document, "compiles")
    phases = gait.rows(document, "compile_phases")
    functions = gait.rows(document, "compile_functions")
    for total in gait.rows(document, "compile_totals"):
        of_host = [c for c in compiles if c["host"] == total["host"]]
        assert sum(c["time"] for c in of_host) == total["time"]
        for c in of_host:
            assert sum(c[phase] for phase in PHASES) == c["time"]
            assert c["time"] <= c["elapsed"]
        for phase in PHASES:
            wall = sum(
                r["time"]
                for r in phases
                if r["phase"] == phase.replace("_", " ") and r["depth"] == 0 and r["host"] == total["host"]
            )
            assert wall == sum(c[phase] for c in of_host)
        assert sum(f["time"] for f in functions if f["host"] == total["host"]) == total["time"]
        assert total["time_in_window"] <= min(total["time"], total["window"])
        assert 0 <= total["idle_meanwhile"] <= total["time"]


def test_calls_are_those_of_the_events(gait, capture):
    space = read(capture)
    expected = calls_that_compile(space)
    document = gait.document("compile", capture)
    got = [c for c in gait.rows(document, "compiles") if c["thread"] is not None]
    assert [c["function"] for c in got] == [c["function"] for c in expected]
    for mine, reference in zip(got, expected, strict=True):
        for part in ("begin", "tracing", "lowering", "cache", "autotuning"):
            assert mine[part] == reference[part], part
        # A worker of the compiler may be busy a little longer than the call that it works for.
        assert mine["elapsed"] >= reference["end"] - reference["begin"]
    if len(got) == len(gait.rows(document, "compiles")):
        (total,) = gait.rows(document, "compile_totals")
        calls = union((c["begin"], c["end"]) for c in expected)
        late = sum(c["elapsed"] for c in got) - sum(c["end"] - c["begin"] for c in expected)
        assert calls <= total["time"] <= calls + late


RECOMPILE = DATA / "h200" / "recompile.xplane.pb.gz"


def test_seed_E16_compile_during_execution(gait):  # noqa: N802
    """Ten compilations, two functions in each of five steps, 4.09 of 4.18 s, a good part of it autotuning."""
    document = gait.document("compile", RECOMPILE)
    compiles = gait.rows(document, "compiles")
    assert [(c["step"], c["function"]) for c in compiles] == [
        (step, function) for step in range(5) for function in ("broadcast_in_dim", "<lambda>")
    ]
    (total,) = gait.rows(document, "compile_totals")
    space = read(RECOMPILE)
    backend = sum(c["backend"] for c in calls_that_compile(space))
    assert round(backend / 1e12, 2) == 4.09
    assert backend < total["time"] < total["window"]
    assert round(total["window"] / 1e12, 2) == 4.18
    assert total["time"] == total["time_in_window"]
    assert sum(c["autotuning"] for c in compiles) > total["time"] / 2
    assert total["steps_hit"] == total["steps"] == 5
    steps = steps_of(space)
    for c in compiles:
        (step,) = [number for begin, last, number in steps if begin <= c["begin"] < last]
        assert c["step"] == step


def test_seed_C10_why_it_compiled_again(gait):  # noqa: N802
    document = gait.document("compile", RECOMPILE)
    assert "each time because a shape changed" in document["answer"]
    compiles = gait.rows(document, "compiles")
    for function, cause in (("<lambda>", "shape"), ("broadcast_in_dim", "result")):
        rows = [c for c in compiles if c["function"] == function]
        assert {c["cause"] for c in rows} == {cause}
        changes = [c["why"].split(": ")[1].split(" → ") for c in rows]
        for (_, after), (before, _) in itertools.pairwise(changes):
            assert after == before  # each differs from the one before it
        assert all(before != after for before, after in changes)


def test_seed_E14_compile_phases(gait):  # noqa: N802
    rows = gait.rows(gait.document("compile", RECOMPILE), "compile_phases")
    tuning = next(r for r in rows if r["phase"] == "autotuning")
    assert tuning["parallel"] > 2  # many threads, counted once
    assert tuning["thread_time"] > 2 * tuning["time"]
    stages = {r["stage"] for r in rows if r["depth"] == 1}
    assert {"machine_code", "llvm", "emission", "scheduling"} <= stages


def test_seed_C9_no_compilation_is_said(gait):  # noqa: N802
    document = gait.document("compile", DATA / "h200" / "gpt.xplane.pb.gz")
    assert document["answer"] == "No compilation in this capture."
    assert gait.rows(document, "compiles") == []


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    directory = tmp_path_factory.mktemp("compile")
    program = Path(__file__).parent / "compile_program.py"
    subprocess.run([sys.executable, program, directory], check=True, timeout=300)
    return directory


def test_seed_D10_compile_time_of_a_made_capture(gait, made):  # noqa: N802
    document = gait.document("compile", made / "fresh")
    rows = gait.rows(document, "compiles")
    assert [(c["step"], c["function"], c["cause"]) for c in rows] == [
        (0, "predict", "first"),
        (0, "scale", "first"),
        (1, "predict", "shape"),
        (3, "predict", "type"),
        (3, "scale", "other"),
    ]
    assert rows[2]["why"] == "x: f32[8,64] → f32[9,64]"
    assert rows[3]["why"] == "x: f32[9,64] → f16[9,64]"
    assert all(c["code_generation"] > 0 for c in rows)


def test_what_the_cache_gave(gait, made):
    (fresh,) = gait.rows(gait.document("compile", made / "fresh"), "compile_totals")
    assert (fresh["compiles"], fresh["from_cache"]) == (5, 0)
    document = gait.document("compile", made / "warm")
    (warm,) = gait.rows(document, "compile_totals")
    assert (warm["compiles"], warm["from_cache"]) == (0, 5)
    assert {c["cache_result"] for c in gait.rows(document, "compiles")} == {"likely hit"}
    assert gait.document("compile", made / "none")["answer"] == "No compilation in this capture."


@dataclasses.dataclass
class Program:
    """What decides why a function was compiled again, from the fields of xla.HloModuleProto."""

    parameters: list[tuple[int, list[int]]]  # element type, dimensions
    result: tuple[int, list[int]]
    shardings: list[bytes]  # of the parameters
    devices: bytes
    instructions: list[tuple]  # without names and numbers; operands and computations by their places
    constants: list[bytes]


# Names, metadata, ids, shardings, attributes of the frontend and what the autotuner found.
NOT_THE_PROGRAM = {1, 7, 8, 26, 35, 36, 37, 38, 40, 43, 68, 82, 88}


def integers(data: bytes, number: int) -> list[int]:
    values = []
    for field, value in xplane.fields(data):
        if field == number and isinstance(value, bytes):
            at = 0
            while at < len(value):
                one, at = xplane.varint(value, at)
                values.append(one)
        elif field == number:
            values.append(value)
    return values


def shape_of(instruction: bytes) -> tuple[int, list[int]]:
    shape = xplane.scalars(instruction)[3]
    return xplane.scalars(shape).get(2, 0), integers(shape, 3)


def sharding_of(sharding: bytes) -> bytes:
    """Nothing where every device has all: a mesh of which no axis is named says no more than no sharding."""
    for named in xplane.repeated(sharding, 14):
        if not any(xplane.repeated(dimension, 1) for dimension in xplane.repeated(named, 3)):
            return b""
    return sharding


def read_program(hlo: bytes) -> Program:
    module = xplane.repeated(hlo, 1)[0]
    head = xplane.scalars(module)
    computations = xplane.repeated(module, 3)
    places = {xplane.scalars(c)[5]: place for place, c in enumerate(computations)}
    entry = computations[places[head[6]]]
    by_id = {xplane.scalars(row)[35]: row for row in xplane.repeated(entry, 2)}
    parameters = [row for row in by_id.values() if xplane.scalars(row)[2] == b"parameter"]
    parameters.sort(key=lambda row: xplane.scalars(row).get(9, 0))
    in_module = xplane.repeated(module, 14)  # where JAX 0.12 has those of parameters
    rows, constants = [], []
    for computation in computations:
        ids = [xplane.scalars(row)[35] for row in xplane.repeated(computation, 2)]
        rows.append((ids.index(xplane.scalars(computation)[6]), len(ids)))
        for row in xplane.repeated(computation, 2):
            kept = [(n, value) for n, value in xplane.fields(row) if n not in NOT_THE_PROGRAM]
            operands = [ids.index(i) for i in integers(row, 36)]
            rows.append((kept, operands, [places[c] for c in integers(row, 38)]))
            constants += xplane.repeated(row, 8)
    return Program(
        [shape_of(p) for p in parameters],
        shape_of(by_id[xplane.scalars(entry)[6]]),
        [*(sharding_of(xplane.scalars(p).get(40, b"")) for p in parameters), *map(sharding_of, in_module)],
        head.get(15, b""),
        rows,
        constants,
    )


def programs_of(data: bytes) -> dict[str, list[tuple[int, Program]]]:
    """By name, in the order of their ids: that of compilation."""
    found = collections.defaultdict(list)
    for plane in xplane.repeated(data, 1):
        names = {i: xplane.text(xplane.scalars(m).get(2, b"")) for i, m in xplane.table(plane, 5).items()}
        for metadata in xplane.table(plane, 4).values():
            args = dict(xplane.read_shared_args(metadata, names))
            if "Hlo Proto" in args:
                name, _, number = xplane.text(xplane.scalars(metadata)[2]).rpartition("(")
                found[name].append((int(number[:-1]), read_program(args["Hlo Proto"])))
    return {name: sorted(same, key=lambda p: p[0]) for name, same in found.items()}


def nearest(earlier: list[tuple[int, Program]], program: Program) -> tuple[int, Program]:
    """The last one that is the same, else the last one with the same parameters, else the last."""
    alike = [one for one in earlier if one[1].parameters == program.parameters]
    same = [one for one in alike if cause_of(one[1], program) == "same"]
    return (same or alike or earlier)[-1]


def cause_of(before: Program, after: Program) -> str:
    if len(before.parameters) != len(after.parameters):
        return "parameters"
    if [shape for _, shape in before.parameters] != [shape for _, shape in after.parameters]:
        return "shape"
    if before.parameters != after.parameters:
        return "type"
    if before.result != after.result:
        return "result"
    if (before.shardings, before.devices) != (after.shardings, after.devices):
        return "sharding"
    if before.instructions != after.instructions:
        return "other"
    return "same" if before.constants == after.constants else "constant"


CHANGED = {
    "static_number": ("constant", "constant: 0.1 → 0.05"),
    "static_array": ("constant", "constant of f32[8] changed"),
    "static_choice": ("other", "another program of the same name"),
    "static_type": ("result", "result: bf16[8] → s32[8]"),
    "static_size": ("result", "result: f32[3] → f32[4]"),
    "weak_type": ("same", "the same program again"),
    "other_type": ("type", "x: f32[8] → f16[8]"),
    "other_shape": ("shape", "x: f32[8] → f32[9]"),
    "other_type_and_shape": ("shape", "x: f32[8] → f16[9]"),
    "more_arguments": ("parameters", "parameters: 1 → 2"),
    "other_sharding": ("sharding", "sharding of x changed"),
    "other_device": ("sharding", "devices changed"),
    "<lambda>": ("same", "the same program again"),
}


def test_causes_are_those_of_the_programs(gait, made_captures):
    """Against what the program changed, and against a comparison of the two HLO protos."""
    path = made_captures(4, "recompile_program.py")
    programs = programs_of(path.read_bytes())
    document = gait.document("compile", path)
    rows = gait.rows(document, "compiles")
    again = {c["function"]: c for c in rows if c["step"] == 1 and c["function"] in CHANGED}
    assert {name: (c["cause"], c["why"]) for name, c in again.items()} == CHANGED
    compared = 0
    for c in rows:
        same = programs[c["program"]]
        at = [number for number, _ in same].index(c["program_id"])
        if c["compared_with"] is None:
            assert c["cause"] == "first"
            continue
        compared += 1
        number, before = nearest(same[:at], same[at][1])
        assert number == c["compared_with"]
        assert cause_of(before, same[at][1]) == c["cause"], c["function"]
    assert compared >= len(CHANGED)


def test_the_answer_counts_the_causes(gait, made_captures):
    """A result of another type is no shape; what is most is named."""
    document = gait.document("compile", made_captures(4, "recompile_program.py"))
    rows = gait.rows(document, "compiles")
    counts = collections.Counter(c["cause"] for c in rows if c["cause"] not in ("first", "unknown"))
    shapes = types = 0
    for c in rows:
        if c["cause"] == "result":
            before, after = (text.partition("[") for text in c["why"].split(": ")[1].split(" → "))
            shapes += before[2] != after[2]
            types += before[2] == after[2]
    assert types >= 1
    answer = document["answer"]
    assert f"{counts.total()} of them again: " in answer
    phrases = {
        "because a shape changed": counts["shape"] + shapes,
        "because a type changed": counts["type"] + types,
        "because a constant changed": counts["constant"],
        "because a sharding changed": counts["sharding"],
        "with no change of the program": counts["same"],
        "with other instructions": counts["other"],
        "because the number of arguments changed": counts["parameters"],
    }
    named = {phrase: n for phrase, n in phrases.items() if phrase in answer}
    assert all(f"{n} {phrase}" in answer for phrase, n in named.items())
    assert sorted(named.values()) == sorted(phrases.values())[-3:]
    assert f"{counts.total() - sum(named.values())} for other reasons" in answer
