"""gait doctor finds what was planted in each capture, and nothing that was not."""

# ruff: noqa: N802  (tests of seeds rows carry their letters)

from pathlib import Path

import pytest
from profiler_part import mean_step, profiler_part

ROOT = Path(__file__).parent.parent.parent
DATA = ROOT / "tests" / "data"
COLUMNS = ["rule", "severity", "cost_ms_per_step", "share", "title", "cause", "fix", "evidence"]
H200 = {
    "gpt": "attention",
    "gpt_without_graphs": "attention",
    "starved": "input",
    "eager": "launch_bound",
    "transfers": "host_to_device",
    "recompile": "recompile",
}
NOT_IN_GPT = {
    "input",
    "launch_bound",
    "tiny_kernels",
    "cuda_graphs",
    "host_to_device",
    "device_to_host",
    "recompile",
}


def h200(name: str) -> Path:
    return DATA / "h200" / f"{name}.xplane.pb.gz"


def findings(gait, capture: Path, *options: str) -> list[dict]:
    return gait.rows(gait.document("doctor", capture, *options), "findings")


@pytest.mark.parametrize("name", H200)
def test_the_planted_finding_comes_first(gait, name):
    document = gait.document("doctor", h200(name))
    assert [c["name"] for c in document["tables"]["findings"]["columns"]][: len(COLUMNS)] == COLUMNS
    found = gait.rows(document, "findings")
    assert found[0]["rule"] == H200[name]
    assert found[0]["severity"] == "high"
    assert found[0]["cause"] and found[0]["fix"] and found[0]["evidence"]


@pytest.mark.parametrize("name", ["gpt", "gpt_without_graphs"])
def test_a_busy_device_raises_no_alarm_about_the_host(gait, name):
    assert NOT_IN_GPT.isdisjoint(f["rule"] for f in findings(gait, h200(name)))


def test_costs_are_those_of_the_analyses(gait):
    """Waiting for input costs the idle time that gait idle attributes to it."""
    (cost,) = [f["cost_ms_per_step"] for f in findings(gait, h200("starved")) if f["rule"] == "input"]
    idle = {
        row["cause"]: row["per_step"] for row in gait.rows(gait.document("idle", h200("starved")), "idle")
    }
    assert cost == pytest.approx(idle["input"] / 1e9, rel=0.01)
    assert cost == pytest.approx(31, abs=1)  # the input sleeps 30 ms
    (copies,) = [f for f in findings(gait, h200("transfers")) if f["rule"] == "host_to_device"]
    assert "train.py:104" in str(copies["evidence"])
    assert copies["cost_ms_per_step"] == pytest.approx(26 + 4.9, rel=0.1)


def test_findings_are_ranked_and_bounded_by_the_step(gait, capture):
    document = gait.document("doctor", capture)
    found = gait.rows(document, "findings")
    costs = [f["cost_ms_per_step"] for f in found if f["cost_ms_per_step"] is not None]
    assert costs == sorted(costs, reverse=True)
    overview = gait.document("overview", capture)
    step = mean_step(gait, overview) / 1e9
    assert all(0 <= cost <= step * 1.0001 for cost in costs)
    left = [row["step_if_fixed"] / 1e9 for row in gait.rows(document, "finding_details")]
    assert left == sorted(left, reverse=True)
    assert all(value >= -1e-6 for value in left)
    # Fixing everything saves no more than the sum of all costs.
    if left:
        assert left[-1] >= step - profiler_part(gait, overview) / 1e9 - sum(costs) - 1e-3 * step
    fixes = gait.rows(document, "fixes")
    if len(fixes) > 1:
        assert sum(row["saved"] for row in fixes) == fixes[0]["saved"] + fixes[0]["step"]  # the step as it is
        assert sum(row["share"] for row in fixes) == pytest.approx(100)
        assert fixes[-1]["rule"] == "" and fixes[-1]["saved"] == fixes[-1]["step"]


def test_every_rule_has_a_page_and_every_page_a_rule(gait):
    rules = {row["rule"] for row in gait.rows(gait.document("doctor", "--list"), "rules")}
    pages = {page.stem for page in (ROOT / "docs" / "rules").glob("*.md")} - {"README"}
    assert rules == pages


def test_a_device_that_idles_has_a_finding_that_says_why(gait, capture):
    """Idle time of 10 % of a step is claimed, by a rule about it or by the one about what is left."""
    document = gait.document("doctor", capture)
    overview = gait.document("overview", capture)
    shares = {row["part"]: row["share"] for row in gait.rows(overview, "where") if row["depth"] == 0}
    assert shares.get("idle", 0) < 20 or gait.rows(document, "findings")[0]["severity"] in ("high", "warning")
    if shares.get("idle", 0) >= 20:
        assert "Nothing that stands out" not in document["answer"]


def test_every_finding_has_a_page_and_says_what_its_cost_is_of(gait, capture):
    for row in findings(gait, capture):
        assert (ROOT / row["docs"]).is_file()
        assert row["portion"] in ("a step", "on each device", "in all")


def test_rules_before_the_run(gait):
    before = gait.run("doctor", "--only", "input,recompile", h200("starved"), "--json")
    after = gait.run("doctor", h200("starved"), "--only", "input,recompile", "--json")
    assert before.returncode == 0
    assert before.stdout == after.stdout
    nothing = gait.run("doctor", h200("starved"), "--only", "input", "--ignore", "input")
    assert nothing.returncode == 2
    assert b"no rule is left" in nothing.stderr


def test_key_figures_fail_too(gait):
    assert gait.run("doctor", h200("starved"), "--kpi", "--fail-on", "high").returncode == 1
    assert gait.run("doctor", h200("starved"), "--kpi").returncode == 0


def test_fail_on(gait):
    assert gait.run("doctor", h200("starved"), "--fail-on", "high").returncode == 1
    assert gait.run("doctor", h200("starved"), "--fail-on", "high", "--only", "recompile").returncode == 0
    assert gait.run("doctor", h200("starved")).returncode == 0


def test_a_capture_with_uncaptured_steps_is_corrected(gait, tmp_path):
    """The manifest says that steps take 40 ms without the profiler: what it added is taken off the host's part."""
    run = tmp_path / "run"
    run.mkdir()
    (run / "vm.xplane.pb.gz").write_bytes(h200("eager").read_bytes())
    manifest = '{"uncaptured": {"before": {"steps": 20, "period_ns": %d}}}'
    (run / "gait.json").write_text(manifest % 82_511_962)  # as long as the captured ones
    before = findings(gait, run)[0]["cost_ms_per_step"]
    (run / "gait.json").write_text(manifest % 40_000_000)
    document = gait.document("doctor", run)
    after = gait.rows(document, "findings")[0]["cost_ms_per_step"]
    assert "42.5 ms a step without the profiler" in document["answer"]  # 85.0 less 82.5 - 40
    assert after == pytest.approx(before - 42.5 * before / 83, rel=0.02)


def test_seed_D10_levels_of_the_key_figures(gait):
    gpt = {row["metric"]: row for row in gait.rows(gait.document("doctor", h200("gpt"), "--kpi"), "kpi")}
    eager = {row["metric"]: row for row in gait.rows(gait.document("doctor", h200("eager"), "--kpi"), "kpi")}
    compiling = {
        row["metric"]: row for row in gait.rows(gait.document("doctor", h200("recompile"), "--kpi"), "kpi")
    }
    assert gpt["device utilisation"]["level"] == "good"
    assert eager["device utilisation"]["level"] == "bad"
    assert eager["host overhead"]["level"] == "bad"
    assert compiling["compilation time"]["level"] == "warning"
    assert (gpt["device utilisation"]["good"], gpt["device utilisation"]["bad"]) == (80, 50)


@pytest.mark.parametrize(
    ("name", "rule", "pattern", "cause", "fix"),
    [
        (
            "eager",
            "launch_bound",
            "all of them below 10 µs",
            "launches of single kernels a step",
            "under one jit",
        ),
        (
            "starved",
            "input",
            "idle in data_loading",
            "prepares input, in data_loading",
            "next batches while the",
        ),
        ("transfers", "host_to_device", "256 MiB, in every step", "prepares the bytes", "jax.device_put("),
        ("recompile", "recompile", "a was f32[2860,128]", "compiled 10 times in 5 steps", "few shapes"),
    ],
)
def test_seed_D11_pattern_cause_fix(gait, name, rule, pattern, cause, fix):
    """Many small kernels, idle gaps, large transfers; each with what was seen, why, and what to do."""
    (finding,) = [f for f in findings(gait, h200(name)) if f["rule"] == rule]
    assert pattern in finding["evidence"][0]["text"]
    assert cause in finding["cause"]
    assert fix in finding["fix"]


@pytest.mark.parametrize("rule", ["launch_bound", "input", "host_to_device", "recompile", "dominant_op"])
def test_seed_D11_a_program_without_the_pattern_is_left_alone(gait, rule):
    assert rule not in [f["rule"] for f in findings(gait, h200("gpt"))]


def test_seed_C10_gaps_collectives_and_compilation_are_told_apart(gait):
    assert findings(gait, h200("starved"))[0]["rule"] == "input"
    assert findings(gait, h200("recompile"))[0]["rule"] == "recompile"
    # Nearly all of its time in collectives is waiting, which is what `gait collectives` says too.
    eight = DATA / "cpu" / "eight_devices.xplane.pb.gz"
    waiting = findings(gait, eight)[0]
    assert waiting["rule"] == "straggler"
    devices = gait.rows(gait.document("collectives", eight), "collective_devices")
    waited = sum(row["wait_per_step"] for row in devices) / len(devices) / 1e9
    assert waiting["cost_ms_per_step"] == pytest.approx(waited, rel=0.02)


def test_seed_A9_a_late_device_is_found(gait):
    found = findings(gait, DATA / "cpu" / "two_processes")
    (late,) = [f for f in found if f["rule"] == "straggler"]
    assert "host1" in late["cause"]


def test_seed_B12_B15_unfused_attention_and_layouts(gait):
    rules = [f["rule"] for f in findings(gait, h200("gpt"))]
    assert rules[0] == "attention"
    assert "layout_copies" in rules


def test_seed_E15_E20_the_longest_part_has_a_name(gait):
    (attention,) = [f for f in findings(gait, h200("gpt")) if f["rule"] == "attention"]
    assert "train.py" in attention["evidence"][0]["text"]
    assert attention["evidence"][0]["end"] > attention["evidence"][0]["begin"]


@pytest.mark.parametrize(
    ("name", "rule", "evidence"),
    [
        ("recompile", "recompile", "was f32[2860,128], is f32[3345,128]"),  # compiled again, and why
        ("transfers", "host_to_device", "256 MiB"),  # what is copied, how often
        ("eager", "launch_bound", ""),  # the same small operations again and again
    ],
)
def test_seed_E20_compiles_transfers_and_repeated_operations_are_named(gait, name, rule, evidence):
    (found,) = [row for row in findings(gait, h200(name)) if row["rule"] == rule]
    text = found["cause"] + " ".join(row["text"] for row in found["evidence"])
    assert evidence in text
    assert found["fix"] and found["cost_ms_per_step"] > 0


def test_seed_E16_compilation_during_execution(gait):
    (again,) = [f for f in findings(gait, h200("recompile")) if f["rule"] == "recompile"]
    assert "f32[2860,128]" in again["cause"]


def test_seed_B20_C13_D19_captures_that_cannot_be_used_say_why(gait, tmp_path):
    empty = tmp_path / "empty.xplane.pb"
    empty.write_bytes(b"")
    result = gait.run("doctor", empty)
    assert result.returncode == 3
    assert b"empty" in result.stderr
