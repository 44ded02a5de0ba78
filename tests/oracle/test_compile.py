"""Compilations, computed slowly from the definition over the reference reading."""

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
        (3, "scale", "same"),
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
