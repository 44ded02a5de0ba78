"""Document A: one command runs all configurations; traces, result files, scaling and a comparison of the methods."""

import json
import re

import pytest
from readers import ask, once, profile_tab, program, rows, run, runs_of_tensorboard, tensorboard

COUNTS = (1, 2, 4, 8)


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory):
    words = ("-m", "gait.compat.supergrad", program("a_supergrad.py"), "--gpus", *COUNTS)
    folder, done = once(tmp_path_factory, "a", lambda folder: run(*words, cwd=folder))
    return folder, done.stdout


def result(folder, count):
    return json.loads((folder / f"profile_{count}gpu_results.json").read_text())


def test_seed_A1_A2_A3_every_configuration_traces_both_methods(benchmark):
    folder, printed = benchmark
    for count in COUNTS:
        said = result(folder, count)
        assert said["gpu_count"] == count
        for method in ("lcam", "tad"):
            record = said[f"unitary_grad_{method}"]
            assert record["success"] is True
            assert record["execution_time"] > 0
            trace = folder / record["tensorboard_trace"]
            assert trace.name == f"{method}_trace"
            assert list(trace.glob("plugins/profile/*/*.xplane.pb"))
    assert printed.count("✅ JAX profiler trace completed") == 2 * len(COUNTS)
    stamps = {path.name.partition("gpu_")[2] for path in (folder / "tensorboard_logs").iterdir()}
    assert len(stamps) == 1


def test_seed_A6_the_work_ran_on_so_many_devices(benchmark):
    folder, _ = benchmark
    for count in COUNTS:
        assert result(folder, count)["isolation_verified"] is True
        devices = rows(
            ask("info", folder / result(folder, count)["unitary_grad_tad"]["tensorboard_trace"]), "devices"
        )
        assert len(devices) == count


def test_seed_A9_A10_sharding_and_communication(benchmark):
    """Gradients of a batch that is split need an all-reduce, on all devices; one device needs none."""
    folder, _ = benchmark
    for count in (1, 4):
        trace = folder / result(folder, count)["unitary_grad_tad"]["tensorboard_trace"]
        kinds = {row["kind"] for row in rows(ask("collectives", trace), "collectives")}
        assert ("all-reduce" in kinds) == (count > 1)


def test_seed_A15_scaling(benchmark):
    folder, printed = benchmark
    for method in ("LCAM", "TAD"):
        lines = printed[printed.index(f"\n{method}\n") :].splitlines()[2 : 2 + len(COUNTS)]
        assert [int(line.split()[0]) for line in lines] == list(COUNTS)
        warm = [result(folder, count)[f"unitary_grad_{method.lower()}"]["warm_time"] for count in COUNTS]
        trace = folder / result(folder, 1)[f"unitary_grad_{method.lower()}"]["tensorboard_trace"]
        busy = sum(row["self"] for row in rows(ask("ops", trace, "--top", 0), "ops"))
        # The results are dropped, and the devices' work is in it all the same: a launch takes a thousandth of it. The
        # traced call may be many times slower than warm ones on a busy machine.
        assert warm[0] > busy / 1e12 / 50
        for line, count, time in zip(lines, COUNTS, warm, strict=True):
            found = re.search(r": +([\d.]+) ±[\d.]+ ms, +([\d.]+) times, +(\d+) % efficient", line)
            shown, speedup, efficient = map(float, found.groups())
            assert shown == pytest.approx(1e3 * time, abs=0.051)
            assert speedup == pytest.approx(warm[0] / time, abs=0.0051)
            assert efficient == pytest.approx(100 * warm[0] / time / count, abs=0.51)


def test_seed_A16_the_methods_at_kernel_level(benchmark):
    """LCAM recomputes: it has operations that TAD has not, in the part that is rematted."""
    folder, _ = benchmark
    traces = [folder / result(folder, 1)[f"unitary_grad_{m}"]["tensorboard_trace"] for m in ("tad", "lcam")]
    compared = ask("diff", *traces)
    assert any(row["change"] in ("added", "more often") for row in rows(compared, "operations"))
    flops = [sum(row["flops"] or 0 for row in rows(ask("ops", trace, "--top", 0), "ops")) for trace in traces]
    assert flops[1] > flops[0] > 0


def test_seed_A13_A19_the_summary_leads_to_a_tensorboard_that_shows_them(benchmark):
    folder, printed = benchmark
    logs = f"tensorboard_logs/{result(folder, 4)['unitary_grad_tad']['tensorboard_trace'].split('/')[1]}"
    assert f"View traces with: tensorboard --logdir {logs}" in printed
    with tensorboard(folder / logs) as address:
        names = runs_of_tensorboard(address)
        assert [name.partition("/")[0] for name in names] == ["lcam_trace", "tad_trace"]
        tools = profile_tab(address, "run_tools", run=names[0])
        assert any("trace_viewer" in tool for tool in tools)
