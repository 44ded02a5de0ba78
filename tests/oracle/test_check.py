"""gait check, gait scale and gait report: limits, sums and forms."""

# ruff: noqa: N802  (tests of seeds rows carry their letters)

import json
import statistics
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from windows import is_complete

DATA = Path(__file__).parent.parent / "data"
GPT = DATA / "h200" / "gpt.xplane.pb.gz"
STARVED = DATA / "h200" / "starved.xplane.pb.gz"
RECOMPILE = DATA / "h200" / "recompile.xplane.pb.gz"


@pytest.mark.parametrize(
    ("run", "limit", "code"),
    [
        (GPT, "step_time < 20ms", 0),
        (GPT, "step_time < 12ms", 1),
        (GPT, "device_busy > 80%", 0),
        (STARVED, "device_busy > 80%", 1),
        (GPT, "peak_memory < 70GB", 0),
        (GPT, "peak_memory < 8GiB", 1),
        (GPT, "compiles_after_warmup == 0", 0),
        (RECOMPILE, "compiles_after_warmup == 0", 1),
        (GPT, "exposed_comm < 5%", 0),
        (DATA / "cpu" / "eight_devices.xplane.pb.gz", "exposed_comm < 5%", 1),
        (DATA / "cpu" / "one_device.xplane.pb.gz", "kernels < 10", 1),  # not known: not passed
        (GPT, "no_such_metric < 1", 2),
        (GPT, "step_time < 3 %", 2),
        (GPT, "device_busy > 0.8", 0),
        (GPT, "device_busy > 0.99", 1),
        (GPT, "device_busy > 80", 2),  # 80 % or 8000 %?
    ],
)
def test_limits(gait, run, limit, code):
    assert gait.run("check", run, limit).returncode == code


def test_metrics_are_those_of_the_analyses(gait):
    document = gait.document("check", GPT, "step_time > 0")
    metrics = {row["metric"]: row["value"] for row in gait.rows(document, "metrics")}
    steps = gait.rows(gait.document("steps", GPT), "step_times")[0]
    assert metrics["step_time_median"] == steps["median"]
    assert metrics["steps"] == steps["steps"]
    quantities = {
        row["quantity"]: row["value"] for row in gait.rows(gait.document("overview", GPT), "overview")
    }
    assert metrics["peak_memory"] == quantities["memory"]
    assert metrics["step_time_median"] == quantities["step"]
    compiles = {
        row["metric"]: row["value"]
        for row in gait.rows(gait.document("check", RECOMPILE, "steps > 0"), "metrics")
    }
    assert compiles["compiles"] == 10


def test_baseline_config_junit_and_annotations(gait, tmp_path):
    config = tmp_path / "gait.toml"
    config.write_text(f'[check]\nlimits = ["step_time < 12ms"]\nbaseline = "{GPT}"\nmax_slower = "5%"\n')
    junit = tmp_path / "report.xml"
    result = gait.run("check", STARVED, "--config", config, "--junit", junit, "--github")
    assert result.returncode == 1
    suite = ET.parse(junit).getroot().find("testsuite")
    assert suite.attrib["tests"] == suite.attrib["failures"] == "2"
    assert result.stdout.decode().count("\n::error ") == 2
    assert gait.run("check", GPT, "--baseline", STARVED).returncode == 0
    assert gait.run("check", GPT, "--baseline", GPT).returncode == 0
    assert gait.run("check", GPT).returncode == 2
    assert gait.run("check", GPT, "--baseline", STARVED, "--max-slower", "3").returncode == 2


@pytest.mark.parametrize(
    ("run", "limit", "evidence"),
    [
        (STARVED, "device_busy > 80%", "Waiting for input"),
        (STARVED, "step_time < 12ms", "Waiting for input"),
        (RECOMPILE, "compiles_after_warmup == 0", "Recompilation inside the loop"),
        (GPT, "peak_memory < 8GiB", ""),  # nothing that the doctor found is about memory
        (DATA / "cpu" / "one_device.xplane.pb.gz", "peak_memory < 70GB", ""),  # not known
        (DATA / "cpu" / "eight_devices.xplane.pb.gz", "exposed_comm < 5%", "Devices wait for each other"),
    ],
)
def test_the_evidence_is_about_the_limit(gait, run, limit, evidence):
    document = json.loads(gait.run("check", run, limit, "--json").stdout)
    (row,) = gait.rows(document, "checks")
    assert row["result"] == "failed"
    assert row["evidence"].startswith(evidence) and bool(row["evidence"]) == bool(evidence)


@pytest.mark.parametrize("kind", [(), ("--weak",)])
def test_parts_of_a_scaling_loss_sum_to_it(gait, made_captures, kind):
    document = gait.document("scale", *kind, made_captures(1), made_captures(8))
    rows = gait.rows(document, "scaling")
    losses = gait.rows(document, "scaling_loss")
    assert [row["devices"] for row in rows] == [1, 8]
    for row, loss in zip(rows, losses, strict=True):
        assert sum(v for k, v in loss.items() if k not in ("devices", "loss")) == loss["loss"] == row["loss"]
        assert row["ideal"] + row["loss"] == row["step"]
        factor = 1 if kind else row["devices"]
        assert row["ideal"] == pytest.approx(rows[0]["step"] / factor, abs=10)
        assert row["efficiency"] == pytest.approx(100 * row["ideal"] / row["step"])
    kinds = gait.rows(document, "scaling_collectives")
    assert any(row["kind"] == "all-reduce" for row in kinds)
    # One device waits for nobody: what eight wait is all loss.
    assert sum(row["wait"] for row in kinds) == losses[1]["waiting_for_devices"] > 0
    assert all(row["wait"] <= row["longest_wait"] for row in kinds)


def test_seed_A15_speed_up_and_efficiency_of_warm_steps(gait, made_captures):
    """Of the steps in which nothing was compiled, one by one as `gait steps` has them."""
    document = gait.document("scale", made_captures(8), made_captures(1))
    scaling = gait.rows(document, "scaling")
    for row, count in zip(scaling, (1, 8), strict=True):
        steps = gait.rows(gait.document("steps", made_captures(count)), "steps")
        warm = [s["step_time"] for s in steps if is_complete(s["flags"]) and "compiles" not in s["flags"]]
        assert row["warm_steps"] == len(warm) > 1
        assert row["warm_step"] == pytest.approx(statistics.mean(warm), rel=1e-6)
        assert row["warm_noise"] == pytest.approx(2 * statistics.stdev(warm) / len(warm) ** 0.5, rel=1e-6)
        assert row["speedup"] == pytest.approx(scaling[0]["step"] / row["step"])
        assert row["efficiency"] == pytest.approx(100 * row["speedup"] / count)


def test_report_as_markdown(gait, tmp_path):
    out = tmp_path / "report.md"
    assert gait.run("report", STARVED, "-o", out).returncode == 0
    text = out.read_text()
    assert "### 1. Waiting for input (high, 30.3 ms/step, 59 %)" in text
    assert "| where the time goes | a step ms | of step % |" in text
    assert gait.run("report", "--diff", GPT, STARVED, "-o", out).returncode == 0
    assert "**2.67 times slower" in out.read_text()
    assert not list(tmp_path.glob("*.part"))
    assert gait.run("report", GPT, "-o", tmp_path / "no" / "where.md").returncode == 3


def test_seed_C18_the_unified_result(gait):
    result = json.loads(gait.run("report", GPT, "--format", "unified").stdout)
    assert list(result) == [
        "metadata",
        "model_config",
        "parameter_counts",
        "step_timing",
        "throughput",
        "flop_stats",
        "timeline_coverage",
        "kernels",
        "memory_operations",
        "timeline_analysis",
        "compilation",
        "statistical_performance",
    ]
    assert result["metadata"]["platform"] == "gpu"
    assert result["metadata"]["profiler_version"] == "1.0.0"
    assert result["step_timing"]["num_steps"] == 4
    assert result["step_timing"]["avg_step_time_us"] == pytest.approx(19_313, rel=1e-3)
    assert result["throughput"]["ms_per_step"] == pytest.approx(19.313, rel=1e-3)
    assert result["flop_stats"]["mfu_percent"] == pytest.approx(30.8, abs=0.1)
    assert result["timeline_coverage"]["timeline_coverage_percent"] == pytest.approx(97.85, abs=0.01)
    assert result["kernels"]["top_kernels"][0]["count"] > 0
    several = json.loads(
        gait.run("report", DATA / "cpu" / "eight_devices.xplane.pb.gz", "--format", "unified").stdout
    )
    assert several["multi_device"]["num_devices"] == 8
    assert "flop_stats" not in several


def test_the_unified_result_of_several_hosts_is_of_one_piece(gait):
    result = json.loads(gait.run("report", DATA / "cpu" / "two_processes", "--format", "unified").stdout)
    steps, coverage = result["step_timing"], result["timeline_coverage"]
    assert steps["avg_step_time_us"] == pytest.approx(1000 * result["throughput"]["ms_per_step"])
    assert steps["avg_step_time_us"] == pytest.approx(result["statistical_performance"]["mean_us"], rel=1e-3)
    assert steps["total_time_us"] == pytest.approx(steps["num_steps"] * steps["avg_step_time_us"])
    busy_and_idle = coverage["kernel_time_us"] + coverage["idle_time_us"]
    assert busy_and_idle == pytest.approx(steps["total_time_us"], rel=1e-6)
