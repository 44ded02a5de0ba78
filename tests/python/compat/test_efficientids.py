"""gait.compat.efficientids: the rows C of docs/seeds.md that concern capture."""

import argparse
import inspect
import json
import logging
import math
import threading
import time
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest
from programs import captures, folders, run_program

import gait
from gait import _options
from gait.compat import efficientids
from gait.compat.efficientids import analyze, compare
from gait.compat.efficientids._operations import io_operations

DATA = Path(__file__).resolve().parents[2] / "data"


@pytest.fixture
def loop(step_function, array, monkeypatch, tmp_path):
    """The loop of the document; gives the steps of each capture."""
    monkeypatch.chdir(tmp_path)

    def run(profiler, steps, trigger_at=None, tokens=None):
        for step in steps:
            profiler.begin_step(step)
            result = step_function(array)
            profiler.end_step(tokens)
            if step == trigger_at:
                profiler.capture_async()
        result.block_until_ready()
        assert all(capture.ok for capture in profiler.captures), profiler.captures
        return [capture.steps for capture in profiler.captures]

    return run


@pytest.fixture
def lines(caplog):
    caplog.set_level(logging.INFO, "gait.compat.efficientids")
    return lambda: [record.getMessage() for record in caplog.records]


def counter(**changes):
    sizes = {"num_params": 1000, "model_dims": 8, "num_layers": 2, "num_heads": 2, "vocab_size": 100}
    return efficientids.FLOPCounter(**{**sizes, "peak_flops": 1e9, **changes})


def parse(*words):
    return efficientids.add_profiling_arguments(argparse.ArgumentParser()).parse_args(words)


def test_seed_C1_off_by_default(tmp_path):
    args = parse()
    assert not args.enable_profiling
    assert efficientids.profiler_from_args(args, tmp_path) is None
    assert not list(tmp_path.iterdir())


def test_seed_C2_from_step_150_five_steps(loop):
    profiler = efficientids.profiler_from_args(parse("--enable_profiling"))
    assert loop(profiler, range(148, 160)) == [[150, 151, 152, 153, 154]]


def test_seed_C2_a_resumed_program_is_profiled_too(loop):
    assert loop(efficientids.Profiler(2, auto_enable_at_step=150), range(400, 410)) == [[400, 401]]


def test_seed_C3_another_range(loop):
    words = ("--enable_profiling", "--profiler_start_step", "100", "--profiler_num_steps", "10")
    assert loop(efficientids.profiler_from_args(parse(*words)), range(95, 120)) == [list(range(100, 110))]


def test_seed_C4_only_by_hand_from_the_command_line(loop):
    profiler = efficientids.profiler_from_args(parse("--enable_profiling", "--profiler_start_step", "none"))
    assert profiler.auto_enable_at_step is None
    assert loop(profiler, range(148, 160)) == []
    assert loop(profiler, range(160, 170), trigger_at=161) == [[162, 163, 164, 165, 166]]


def test_seed_C5_begin_end_and_trigger(loop, tmp_path):
    profiler = efficientids.Profiler(num_steps=3, log_dir="./traces")
    assert not profiler.is_profiling and profiler.avg_step_time == 0.0
    assert loop(profiler, range(98, 106), trigger_at=100) == [[101, 102, 103]]
    assert not profiler.is_profiling
    assert 0 < profiler.avg_step_time < 5
    assert captures(tmp_path / "traces")


def test_seed_C5_an_exception_between_begin_and_end(loop, step_function, array):
    profiler = efficientids.Profiler(num_steps=2, auto_enable_at_step=1)
    for step in range(6):
        try:
            profiler.begin_step(step)
            if step == 1:
                raise ValueError
            step_function(array)
            profiler.end_step()
        except ValueError:
            continue
    assert [capture.steps for capture in profiler.captures] == [[1, 2]]
    assert profiler.captures[0].ok


def test_threads_that_share_a_profiler_tell_each_thing_once(lines, step_function, array, tmp_path):
    profiler = efficientids.Profiler(num_steps=2, log_dir=str(tmp_path), auto_enable_at_step=2)
    together = threading.Barrier(2)

    def train():
        for step in range(8):
            together.wait()
            profiler.begin_step(step)
            together.wait()
            step_function(array).block_until_ready()
            profiler.end_step()

    threads = [threading.Thread(target=train) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    told = [line.split(" after")[0].split(" at")[0] for line in lines() if "rofiler" in line]
    assert told.count("🚀 Starting profiler") == told.count("⏸️  Stopping profiler") == len(profiler.captures)


def test_seed_C6_one_block(tmp_path, lines, step_function, array):
    with efficientids.ProfileContext(str(tmp_path / "traces")) as context:
        step_function(array)
    assert captures(tmp_path / "traces")
    assert f"   ✓ Trace saved to: {tmp_path}/traces/" in lines()
    assert context.capture.ok
    with pytest.raises(KeyError), efficientids.ProfileContext(str(tmp_path / "traces")):
        raise KeyError  # its own error, whatever stopping does


def test_seed_C7_below_the_checkpoints(loop, tmp_path):
    profiler = efficientids.profiler_from_args(
        parse("--enable_profiling", "--profiler_start_step", "0"), "checkpoints"
    )
    loop(profiler, range(6))
    assert folders(tmp_path) == ["checkpoints/profiler_traces"]


def test_seed_C8_a_file_for_perfetto_with_every_event(loop):
    profiler = efficientids.Profiler(num_steps=1, auto_enable_at_step=0)
    loop(profiler, range(2))
    assert profiler.captures[0].trace_json.stat().st_size > 0


def test_seed_C11_lines_of_the_example_output(loop, lines):
    profiler = efficientids.Profiler(5, "./checkpoints/profiler_traces", auto_enable_at_step=200)
    loop(profiler, range(98, 106), trigger_at=99)
    assert lines() == [
        "Profiler initialized: 5 steps → ./checkpoints/profiler_traces",
        "   Auto-enable at step 200",
        "📊 Profiler enabled for next 5 steps",
        "🚀 Starting profiler at step 100 for 5 steps",
        "   Trace directory: ./checkpoints/profiler_traces",
        "   ✓ JAX profiler started",
        "⏸️  Stopping profiler after 5 steps",
        "   ✓ Trace saved to: ./checkpoints/profiler_traces/",
        "   📁 View at: https://ui.perfetto.dev/",
    ]


def test_seed_C11_lines_are_seen_without_logging_set_up(tmp_path):
    program = "from gait.compat.efficientids import Profiler; Profiler(3)"
    done = run_program("-c", program, cwd=tmp_path)
    assert "Profiler initialized: 3 steps" in done.stderr
    quiet = "import logging; logging.basicConfig(level=logging.WARNING); " + program
    assert "initialized" not in run_program("-c", quiet, cwd=tmp_path).stderr
    twice = "import logging; logging.basicConfig(level=logging.INFO); " + program
    assert run_program("-c", twice, cwd=tmp_path).stderr.count("initialized") == 1


def test_seed_C12_already_active(loop, lines, tmp_path):
    profiler = efficientids.Profiler(2)
    profiler.capture_async()
    profiler.capture_async()
    assert [line for line in lines() if "already active" in line] == [
        "Profiler already active: this request is ignored"
    ]
    jax.profiler.start_trace(str(tmp_path / "theirs"))
    profiler.begin_step(0)
    profiler.end_step()
    jax.profiler.stop_trace()
    assert "did not start: jax.profiler.start_trace has a profile running" in lines()[-1]


@pytest.mark.on_cpu
def test_seed_C13_an_empty_trace_is_said(loop, capfd):
    profiler = efficientids.Profiler(1, auto_enable_at_step=0)
    profiler.begin_step(0)
    profiler.end_step()
    (capture,) = profiler.captures
    assert capture.empty
    (loss,) = capture.losses
    assert loss["reason"] == "no program was over on a device while it was captured"
    assert "no program was over on a device" in capfd.readouterr().err


def test_seed_C14_what_the_profiler_cost_is_measured(loop):
    profiler = efficientids.Profiler(3, auto_enable_at_step=40)
    begin = time.perf_counter_ns()
    loop(profiler, range(80))
    elapsed = time.perf_counter_ns() - begin
    from gait._capture import recorder

    assert recorder.wait(60)
    recorder.flush(force=True)
    assert gait._native.wait_for_writer(60)
    said = json.loads(profiler.captures[0].manifest.read_text())["uncaptured"]
    before = said["before"]
    assert before["steps"] >= 30  # of forty; those that compiled are left out
    assert 0 < before["steps"] * before["mean_ns"] < elapsed
    captured = profiler.captures[0].load().overview()
    assert any("uncaptured" in str(row) for table in captured.tables.values() for row in table)


@pytest.mark.parametrize("platform", ["cpu", "gpu", "tpu"])
def test_seed_C15_one_code_for_every_platform(loop, monkeypatch, platform):
    """What it takes itself to run on changes neither its steps nor its options."""
    from gait import _facts

    monkeypatch.setattr(_facts, "default_platform", lambda: platform)
    profiler = efficientids.Profiler(2, auto_enable_at_step=3)
    assert loop(profiler, range(8)) == [[3, 4]]
    (capture,) = profiler.captures
    assert capture.ok
    assert capture.options == _options.check({"python_tracer_level": 1})


@pytest.mark.on_cpu
def test_seed_C16_peaks_by_the_names_that_jax_gives():
    def peak(kind):
        return gait._native.peak_flops(kind).get("bf16")

    assert peak("TPU v4") == peak("TPU-v4") == 275e12
    assert [peak(kind) for kind in ("NVIDIA H200", "NVIDIA B200", "TPU v5p", "TPU v6e")] == [
        989e12,
        2250e12,
        459e12,
        918e12,
    ]
    assert efficientids.detect_device_flops() is None  # a CPU: unknown, not 0


def test_seed_C16_mfu_is_of_all_devices(monkeypatch):
    from gait.compat.efficientids import _flops

    monkeypatch.setattr(_flops, "_peak_of_one_device", lambda mixed: 1e12)
    monkeypatch.setattr(jax, "device_count", lambda: 8)
    everything = counter(peak_flops=None)
    assert everything.peak_flops == 8e12
    assert everything.compute_mfu(1e9) == pytest.approx(100 * 6000 * 1e9 / 8e12)
    assert counter().estimate_flops_per_token() == 6000
    assert counter().estimate_flops_per_batch(4, 8) == 6000 * 32
    assert counter().compute_achieved_flops(10) == 60_000


@pytest.mark.on_cpu
def test_seed_C16_unknown_is_not_zero(capsys):
    unknown = counter(peak_flops=None)
    assert unknown.peak_flops is None and math.isnan(unknown.compute_mfu(10))
    unknown.print_summary(1, 1, 10)
    assert "MFU:              unknown" in capsys.readouterr().out


def test_seed_C16_detailed_flops_equal_a_count_by_xla():
    detailed = counter(model_dims=16, num_layers=3, vocab_size=64).estimate_detailed_flops(2, 32)
    parts = detailed["attention"] + detailed["mlp"] + detailed["logits"]
    assert detailed["forward"] == parts and detailed["total"] == 3 * parts

    def projections(w, x):
        for _ in range(4):
            x = x @ w
        return x

    once = efficientids.estimate_model_flops(jnp.ones((16, 16)), jnp.ones((64, 16)), projections)
    assert detailed["attention_projections"] == pytest.approx(3 * once, rel=0.01)


def test_seed_C16_layers_are_counted():
    class Model:
        class config:  # noqa: N801
            hidden_size = 8
            num_attention_heads = 2
            vocab_size = 50

    params = {f"layer_{i}": {"w": jnp.ones((8, 8))} for i in range(7)}
    made = efficientids.create_flop_counter_from_model(Model(), params)
    assert (made.num_params, made.num_layers, made.model_dims, made.num_heads) == (7 * 64, 7, 8, 2)


@pytest.mark.parametrize(
    "around", [lambda layers: layers, lambda layers: {"params": layers, "head": jnp.ones(3)}]
)
def test_seed_C16_layers_in_a_list_are_counted(around):
    for layer in ({"w": jnp.ones((8, 8))}, (jnp.ones((8, 8)), jnp.ones(8))):
        params = around([layer] * 5)
        assert efficientids.create_flop_counter_from_model(object(), params).num_layers == 5
    matrices = around([jnp.ones((8, 8))] * 5)
    assert efficientids.create_flop_counter_from_model(object(), matrices).num_layers == 5
    by_number = around({i: {"w": jnp.ones((8, 8))} for i in range(5)})
    assert efficientids.create_flop_counter_from_model(object(), by_number).num_layers == 5
    for unknown in ([jnp.ones((8, 8))], {"path": {"w": jnp.ones(8)}}):
        assert efficientids.create_flop_counter_from_model(object(), unknown).num_layers is None
    # What ends like a word for layers is none.
    heads = {"batch": [{"w": jnp.ones((8, 8))}], "layers": [{"w": jnp.ones((8, 8))}] * 3}
    assert efficientids.create_flop_counter_from_model(object(), heads).num_layers == 3


@pytest.mark.parametrize("name", ["layers", "towers"])  # told by the word, told by the list
def test_layers_of_several_lists(name):
    matrix = jnp.ones((8, 8))
    two_parts = {part: {name: [{"w": matrix}] * 3} for part in ("encoder", "decoder")}
    assert efficientids.create_flop_counter_from_model(object(), two_parts).num_layers == 6
    in_parallel = {name: [{"w": matrix}] * 3, f"mlp_{name}": [{"up": matrix, "down": matrix}] * 3}
    assert efficientids.create_flop_counter_from_model(object(), in_parallel).num_layers == 3
    bare = {f"up_{name}": [matrix] * 3, f"down_{name}": [matrix] * 3}
    assert efficientids.create_flop_counter_from_model(object(), bare).num_layers == 3


def test_seed_C16_flop_stats_of_each_capture(loop, tmp_path, lines):
    profiler = efficientids.Profiler(2, "traces", auto_enable_at_step=1, flop_counter=counter())
    loop(profiler, range(10), trigger_at=5, tokens=100)
    keys = "profiling_steps total_tokens total_time_sec tokens_per_sec model_params flops_per_token achieved_tflops"
    expected = {*keys.split(), "peak_tflops", "mfu_percent", "per_step_tokens", "per_step_times"}
    last = json.loads((tmp_path / "traces" / "flop_stats.json").read_text())
    assert set(last) == expected
    assert (last["profiling_steps"], last["total_tokens"], last["per_step_tokens"]) == (2, 200, [100, 100])
    assert last["tokens_per_sec"] == pytest.approx(200 / last["total_time_sec"])
    assert last["mfu_percent"] == pytest.approx(100 * last["achieved_tflops"] / last["peak_tflops"])
    first, second = (json.loads((c.path / "flop_stats.json").read_text()) for c in profiler.captures)
    assert second == last and first["total_time_sec"] != last["total_time_sec"]
    assert "✅ Profiling results saved to: traces/flop_stats.json" in lines()


def test_seed_C17_the_analyzer_on_a_gpu_capture(tmp_path, capsys):
    trace = DATA / "h200" / "gpt.xplane.pb.gz"
    words = ["--output_json", str(tmp_path / "out.json"), "--html", str(tmp_path / "out.html")]
    assert analyze.main(["--trace_file", str(trace), *words]) == 0
    assert (tmp_path / "out.html").read_text().startswith("<!doctype html>")
    assert "✅ Profiling results saved to: " in capsys.readouterr().out
    result = efficientids.load_profiling_json(tmp_path / "out.json")
    assert result["metadata"]["device_type"] == "NVIDIA H200"
    assert result["step_timing"]["num_steps"] == 4
    assert result["step_timing"]["avg_step_time_us"] == pytest.approx(19_313, rel=0.001)
    assert result["timeline_coverage"]["timeline_coverage_percent"] == pytest.approx(97.85, abs=0.1)
    assert (
        result["kernels"]["top_kernels"][0]["total_time_us"]
        > result["kernels"]["top_kernels"][1]["total_time_us"]
    )
    categories = {
        name: row["total_time_us"] for name, row in result["kernels"]["kernels_by_category"].items()
    }
    assert categories["matmul"] / sum(categories.values()) == pytest.approx(0.514, abs=0.001)
    assert result["memory_operations"]["host_to_device"]["count"] == 4
    assert result["timeline_analysis"]["small_gaps"] == 1348
    operations = result["xla_operations"]
    assert operations["by_category"]["matmul"] == {
        "count": 876,
        "total_time_us": pytest.approx(categories["matmul"]),
    }
    assert operations["count"] == sum(row["count"] for row in operations["by_category"].values())
    assert (
        operations["top_operations"][0]["total_time_us"] >= operations["top_operations"][1]["total_time_us"]
    )
    io = result["io_operations"]
    assert io["copies"]["host to device"]["bytes"] == result["memory_operations"]["host_to_device"]["bytes"]
    assert "data_loading" in io["input"]["names"]
    assert analyze.main(["--trace_file", str(tmp_path / "none")]) == 1


@pytest.mark.on_cpu
def test_seed_C17_the_analyzer_on_what_was_captured_here(loop, tmp_path):
    profiler = efficientids.Profiler(4, "checkpoints/profiler_traces", 2, flop_counter=counter())
    loop(profiler, range(8), tokens=64)
    result = analyze.analyze(profiler.captures[0].trace_json, "checkpoints")
    assert result["metadata"]["platform"] == "cpu"
    assert result["step_timing"]["step_count_source"] == "annotation"
    assert result["throughput"]["tokens_per_batch"] == 64
    assert result["flop_stats"]["peak_tflops"] == 1e-3
    assert result["kernels"]["top_kernels"]
    assert analyze.main(["--checkpoint_dir", "checkpoints"]) == 0


def test_seed_C18_the_schema(tmp_path, capsys):
    parameters = inspect.signature(efficientids.create_unified_result).parameters
    assert len(parameters) == 52
    required = [name for name, p in parameters.items() if p.default is inspect.Parameter.empty]
    assert required == ["platform", "device_type", "trace_file", "framework"]
    plain = efficientids.create_unified_result(
        "gpu", "A100", "t.json.gz", "jax", num_devices=4, tokens_per_sec=100.0
    )
    assert set(plain) == {
        *("metadata model_config parameter_counts step_timing throughput timeline_coverage kernels".split())
    }
    assert plain["metadata"]["profiler_version"] == "1.0.0" and "config_name" not in plain["metadata"]
    assert plain["model_config"] == {} and plain["kernels"] == {"top_kernels": [], "kernels_by_category": {}}
    assert plain["throughput"]["tokens_per_sec_per_device"] == 25.0
    sections = "memory_ops multi_device timeline_gaps compilation io_operations statistical_performance xla_operations"
    given = {name: {"x": 1, "none": None} for name in sections.split()}
    full = efficientids.create_unified_result(
        "gpu", "A100", "t", "jax", mfu_percent=40.0, model_dims=8, **given
    )
    assert full["flop_stats"] == {"mfu_percent": 40.0}
    renamed = "memory_operations multi_device timeline_analysis compilation io_operations"
    for name in (*renamed.split(), "statistical_performance", "xla_operations"):
        assert full[name] == {"x": 1}
    path = tmp_path / "deep" / "result.json"
    efficientids.save_profiling_json(full, path)
    assert efficientids.load_profiling_json(path) == full
    efficientids.print_profiling_summary(full)
    out = capsys.readouterr().out
    assert f"✅ Profiling results saved to: {path}" in out and "MFU:               40.00 %" in out


def test_seed_C19_two_results_side_by_side(tmp_path, capsys):
    for name, device, tokens in (("gpu", "A100", 100.0), ("tpu", "TPU v4", 150.0)):
        result = efficientids.create_unified_result(
            name,
            device,
            "t",
            "jax",
            tokens_per_sec=tokens,
            kernels_by_category={"matmul": {"total_time_us": tokens}},
        )
        efficientids.save_profiling_json(result, tmp_path / f"{name}.json")
    words = ["--gpu", str(tmp_path / "gpu.json"), "--tpu", str(tmp_path / "tpu.json")]
    capsys.readouterr()
    assert (
        compare.main([*words, "--output", str(tmp_path / "o.json"), "--html", str(tmp_path / "o.html")]) == 0
    )
    assert "throughput.tokens_per_sec" in capsys.readouterr().out
    rows = {row["metric"]: row for row in json.loads((tmp_path / "o.json").read_text())["rows"]}
    assert rows["throughput.tokens_per_sec"]["ratio"] == 1.5 and rows["matmul (µs)"]["ratio"] == 1.5
    assert "TPU v4" in (tmp_path / "o.html").read_text()
    assert compare.main([*words, "--focus", "kernels"]) == 0
    assert "tokens" not in capsys.readouterr().out
    assert compare.main(["--a", str(tmp_path / "none"), "--b", str(tmp_path / "none")]) == 1


def test_a_trace_that_is_lost_is_not_called_saved(
    full_disk, tmp_path, lines, monkeypatch, step_function, array
):
    monkeypatch.chdir(tmp_path)
    profiler = efficientids.Profiler(1, "traces", 0, flop_counter=counter())
    profiler.begin_step(0)
    step_function(array)
    profiler.end_step(5)
    with efficientids.ProfileContext("block"):
        step_function(array)
    assert not [line for line in lines() if "saved to" in line]
    assert sum("✗ nothing was saved: " in line and "disk is full" in line for line in lines()) == 2
    assert gait._native.wait_for_writer(60)
    assert not [file for file in tmp_path.glob("**/*") if file.is_file()]


def test_a_full_disk_does_not_end_the_training(loop, monkeypatch, tmp_path):
    from gait.compat.efficientids import _profiler

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(_profiler, "write_json", full)
    loop(efficientids.Profiler(1, "traces", 0, flop_counter=counter()), range(3), tokens=5)


def test_the_step_that_is_said_is_the_one_that_counts(tmp_path, lines, step_function, array, capsys):
    profiler = efficientids.Profiler(num_steps=1, log_dir=str(tmp_path))
    profiler.capture_async()
    profiler.begin_step(float("inf"))
    step_function(array)
    profiler.end_step()
    said = [line for line in lines() if "Starting profiler" in line]
    assert len(said) == 1 and "inf" not in said[0]
    assert f"at step {profiler.captures[0].steps[0]} for" in said[0]


def test_the_input_takes_what_its_calls_take(tmp_path, step_function, array):
    """With Python calls recorded, the time of a loader is in time.sleep, a call of its own."""

    def loader():
        while True:
            time.sleep(0.02)
            yield array

    batches = loader()
    with gait.trace(tmp_path, options={"python_tracer_level": 1}) as capture:
        with gait.scope("fetch_batch"):
            batch = next(batches)
        step_function(batch).block_until_ready()
    assert 20e3 <= io_operations(capture.load())["input"]["total_time_us"] < 20e6
