"""The overview against the analyses it is made of, and against the definition."""

# ruff: noqa: N802  (tests of seeds rows carry their letters)

import json
import shutil
from collections import defaultdict
from pathlib import Path

import cpu_devices
import pytest
import windows
from conftest import H200_CAPTURES, skip_other


def h200(name: str) -> Path:
    return Path(__file__).parent.parent / "data" / "h200" / f"{name}.xplane.pb.gz"


@pytest.fixture(scope="module")
def document(gait, capture) -> dict:
    return gait.document("overview", capture)


@pytest.fixture(scope="module")
def parts(gait, document) -> dict[str, dict]:
    return {row["part"]: row for row in gait.rows(document, "where") if row["depth"] == 0}


def children(gait, document, part: str) -> list[dict]:
    rows = gait.rows(document, "where")
    at = next(i for i, row in enumerate(rows) if row["part"] == part and row["depth"] == 0)
    found = []
    for row in rows[at + 1 :]:
        if row["depth"] == 0:
            break
        found.append(row)
    return found


def test_the_parts_are_those_of_the_steps(gait, capture, parts):
    steps = gait.document("steps", capture)
    flags = {(r["series"], r["step"]): r["flags"] for r in gait.rows(steps, "steps")}
    if not flags:
        skip_other(capture, H200_CAPTURES, "no steps in this capture")
    series = gait.rows(steps, "steps")[0]["series"]
    rows = [r for r in gait.rows(steps, "step_devices") if r["series"] == series]
    complete = [r for r in rows if windows.is_complete(flags[series, r["step"]])]
    sums = defaultdict(int)
    for row in complete or rows:
        for name, value in row.items():
            if isinstance(value, int):
                sums[name] += value
    names = {
        "compute": "compute",
        "exposed communication": "exposed_communication",
        "exposed copies": "exposed_copies",
        "kernels of no program": "unknown",
        "idle": "idle",
    }
    for part, row in parts.items():
        assert row["total"] == sums[names[part]], part
    assert sum(row["total"] for row in parts.values()) == sums["step_time"]
    assert sum(row["share"] for row in parts.values()) == pytest.approx(100)


def test_what_a_part_holds_sums_to_it(gait, document, parts):
    for part in ("compute", "idle"):
        if rows := children(gait, document, part):
            assert sum(row["total"] for row in rows) == parts[part]["total"], part
            assert min(row["total"] for row in rows) > 0


def test_idle_is_what_no_event_covers(gait, capture, parts):
    found, _ = windows.windows_of(gait, capture)
    if not found or not any(name.startswith("GPU") for name in found):
        skip_other(capture, H200_CAPTURES, "no steps on a GPU in this capture")
    work = defaultdict(list)
    for plane in windows.read(capture).planes:
        if plane.name.startswith("/device:GPU:"):
            device = "GPU " + plane.name.rpartition(":")[2]
            for line in plane.lines:
                if line.name.startswith("Stream #"):
                    work[device] += [(e.begin, e.begin + e.duration) for e in line.events]
    idle = 0
    for device, steps in found.items():
        for begin, end in steps:
            inside = [(max(b, begin), min(e, end)) for b, e in work[device] if b < end and e > begin]
            idle += end - begin - windows.covered(inside)
    assert parts["idle"]["total"] == idle


def test_idle_is_what_no_operation_of_a_cpu_covers(gait, capture, parts):
    steps = cpu_devices.steps_of(windows.read(capture), capture)
    flags = {r["step"]: r["flags"] for r in gait.rows(gait.document("steps", capture), "steps")}
    complete = [step for (_, number), step in steps.items() if windows.is_complete(flags[number])]
    counted = complete or steps.values()
    assert parts["idle"]["total"] == sum(step.idle for step in counted)
    assert sum(row["total"] for row in parts.values()) == sum(step.end - step.begin for step in counted)


@pytest.mark.parametrize(
    ("name", "part", "least", "most"),
    [
        ("gpt", "compute", 95, 100),
        ("starved", "idle", 60, 66),
        ("eager", "idle", 95, 100),
        ("transfers", "idle", 80, 90),
        ("recompile", "idle", 95, 100),
    ],
)
def test_known_truths(gait, name, part, least, most):
    document = gait.document("overview", h200(name))
    rows = {r["part"]: r for r in gait.rows(document, "where") if r["depth"] == 0}
    assert least <= rows[part]["share"] <= most


def test_seed_B8_step_breakdown_devices_and_memory(gait):
    document = gait.document("overview", h200("gpt"))
    quantities = {r["quantity"]: r for r in gait.rows(document, "overview")}
    steps = gait.rows(gait.document("steps", h200("gpt")), "step_times")[0]
    assert quantities["step"]["value"] == steps["median"]
    assert steps["median"] == pytest.approx(19.3e9, rel=0.01)
    assert quantities["memory"]["value"] == pytest.approx(8.87 * 2**30, rel=0.01)
    assert [r["device"] for r in gait.rows(document, "devices")] == ["GPU 0"]


def test_seed_D3_idle_is_told_apart(gait):
    document = gait.document("overview", h200("starved"))
    causes = {r["part"]: r["per_step"] for r in children(gait, document, "idle")}
    assert max(causes, key=causes.get) == "host busy with input"
    assert causes["host busy with input"] == pytest.approx(31e9, rel=0.05)
    assert "busy with input" in document["answer"]


def test_the_profilers_own_cost_is_estimated(gait, tmp_path):
    """The manifest knows the uncaptured steps: of the differences of median and mean, the smaller is the profiler's."""
    shutil.copy(h200("eager"), tmp_path / "vm.xplane.pb.gz")
    times = gait.rows(gait.document("steps", tmp_path / "vm.xplane.pb.gz"), "step_times")[0]
    median, count = times["median"], times["steps"]
    for side, slower in [
        ({"period_ns": 40_000_000}, lambda mean: median - 40_000_000_000),
        ({"period_ns": 40_000_000, "mean_ns": 60_000_000}, lambda mean: mean - 60_000_000_000),
        ({"period_ns": 60_000_000, "mean_ns": 40_000_000}, lambda mean: median - 60_000_000_000),
        ({"period_ns": 40_000_000, "mean_ns": 900_000_000}, lambda mean: 0),
    ]:
        said = {"schema": 1, "uncaptured": {"before": {"steps": 10, **side}}}
        (tmp_path / "gait.json").write_text(json.dumps(said))
        document = gait.document("overview", tmp_path / "vm.xplane.pb.gz")
        quantities = {r["quantity"]: r for r in gait.rows(document, "overview")}
        where = [r for r in gait.rows(document, "where") if r["depth"] == 0]
        mean = sum(r["total"] for r in where) // count  # of one device: the mean step
        idle = next(r for r in where if r["part"] == "idle")["per_step"]
        uncaptured = mean - slower(mean)
        assert quantities["uncaptured"]["value"] == uncaptured
        assert f"{mean / uncaptured:.2f} times" in quantities["uncaptured"]["note"]
        assert quantities["idle then"]["value"] == max(0, idle - slower(mean))
        assert "estimated" in quantities["idle then"]["note"]


@pytest.mark.parametrize(
    ("name", "compared"), [("another", False), (None, True)], ids=["of another kind", "an older manifest"]
)
def test_uncaptured_steps_of_another_kind_say_nothing(gait, tmp_path, name, compared):
    shutil.copy(h200("eager"), tmp_path / "vm.xplane.pb.gz")
    said = {"uncaptured": {"name": name, "before": {"steps": 10, "period_ns": 40_000_000}}}
    (tmp_path / "gait.json").write_text(json.dumps(said))
    document = gait.document("overview", tmp_path / "vm.xplane.pb.gz")
    (said,) = [r["note"] for r in gait.rows(document, "overview") if r["quantity"] == "uncaptured"]
    assert said.startswith("without the profiler" if compared else "estimated")


def test_a_broken_manifest_is_told(gait, tmp_path):
    shutil.copy(h200("eager"), tmp_path / "vm.xplane.pb.gz")
    (tmp_path / "gait.json").write_text("{")
    done = gait.run("overview", tmp_path / "vm.xplane.pb.gz")
    assert done.returncode == 0
    assert "not a manifest" in " ".join(done.stdout.decode().split())
