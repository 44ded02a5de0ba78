"""Promises of the source documents that several verbs keep together. Others have their test beside the verb."""

# ruff: noqa: N802  (tests of seeds rows carry their letters)

import itertools
from pathlib import Path

import pytest
import windows
from test_memory import allocator_events, in_use

DATA = Path(__file__).parent.parent / "data"
GPT = DATA / "h200" / "gpt.xplane.pb.gz"


def test_seed_B13_variants_can_be_compared(gait):
    """Two variants of one program, operation by operation: with CUDA graphs and without."""
    tables = [
        {
            row["name"]: row
            for row in gait.rows(gait.document("ops", DATA / "h200" / f"{name}.xplane.pb.gz"), "ops")
        }
        for name in ("gpt", "gpt_without_graphs")
    ]
    both = tables[0].keys() & tables[1].keys()
    assert len(both) > 600
    totals = [sum(table[name]["per_step"] for name in both) for table in tables]
    assert totals[0] == pytest.approx(totals[1], rel=0.02)


def test_seed_C17_what_the_analyzer_computed(gait):
    """Step times, top kernels, categories, coverage, gaps, devices, compile, operations, memory, statistics."""
    times = gait.rows(gait.document("steps", GPT), "step_times")[0]
    assert times["min"] <= times["median"] <= times["max"]
    kernels = gait.rows(gait.document("kernels", GPT), "kernels")
    assert kernels[0]["total"] >= kernels[1]["total"]
    categories = gait.rows(gait.document("ops", GPT, "--by", "category"), "ops")
    assert sum(row["share"] for row in categories) == pytest.approx(100)
    for verb in ("overview", "idle", "compile", "memory", "transfers", "collectives"):
        assert gait.document(verb, GPT)["answer"]


def test_seed_C18_every_measured_key_of_the_schema_has_a_source(gait):
    """The unified result's keys that a capture can answer: each comes out of a table."""
    steps = gait.rows(gait.document("steps", GPT), "step_times")[0]
    kernels = gait.rows(gait.document("kernels", GPT), "kernels")
    overview = gait.document("overview", GPT)
    quantities = {row["quantity"]: row["value"] for row in gait.rows(overview, "overview")}
    where = {row["part"]: row for row in gait.rows(overview, "where") if row["depth"] == 0}
    result = {
        "num_steps": steps["steps"],
        "avg_step_time_us": steps["mean"] / 1e6,
        "total_kernels": sum(row["count"] for row in kernels),
        "achieved_tflops": quantities["compute"] / (steps["mean"] / 1e12) / 1e12,
        "timeline_coverage_percent": 100 - where["idle"]["share"],
        "idle_time_us": where["idle"]["total"] / 1e6,
    }
    assert result["num_steps"] == 4
    assert result["avg_step_time_us"] == pytest.approx(19_300, rel=0.01)
    assert result["achieved_tflops"] == pytest.approx(305, rel=0.01)
    assert result["timeline_coverage_percent"] == pytest.approx(97.9, abs=0.1)


def test_seed_D10_the_five_figures(gait):
    """Device utilisation, kernel duration, host overhead, memory bandwidth, compilation time: all are there."""
    where = {r["part"]: r for r in gait.rows(gait.document("overview", GPT), "where") if r["depth"] == 0}
    assert 100 - where["idle"]["share"] > 80
    kernels = gait.rows(gait.document("kernels", GPT), "kernels")
    mean = sum(r["total"] for r in kernels) / sum(r["count"] for r in kernels)
    assert mean == pytest.approx(27.4e6, rel=0.02)
    host = gait.document("host", DATA / "h200" / "eager.xplane.pb.gz")
    parts = {row["part"]: row["share"] for row in gait.rows(host, "input_pipeline")}
    assert parts["dispatch"] > 20
    roof = gait.rows(gait.document("roofline", GPT), "roofline")
    assert max(r["bytes_per_second"] or 0 for r in roof) > 1e12
    compiles = gait.rows(gait.document("compile", DATA / "h200" / "recompile.xplane.pb.gz"), "compiles")
    assert sum(r["time"] for r in compiles) == pytest.approx(4.1e12, rel=0.03)


def test_seed_D6_spikes_are_in_the_timeline(gait):
    memory = gait.document("memory", GPT)
    points = gait.rows(memory, "memory_timeline")
    peak = max(r["peak"] or 0 for r in gait.rows(memory, "memory"))
    events = itertools.chain(*allocator_events(windows.read(GPT)).values())
    assert peak == max(in_use(args) for _, _, args in events)
    assert max(r["in_use"] for r in points) == peak
