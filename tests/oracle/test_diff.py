"""gait diff: parts that sum, verdicts that hold, and what changed."""

# ruff: noqa: N802  (tests of seeds rows carry their letters)

import statistics
from pathlib import Path

import pytest

DATA = Path(__file__).parent.parent / "data"


def h200(name: str) -> Path:
    return DATA / "h200" / f"{name}.xplane.pb.gz"


PAIRS = [
    (h200("gpt"), h200("starved")),
    (h200("gpt_without_graphs"), h200("gpt")),
    (h200("eager"), h200("transfers")),
    (DATA / "cpu" / "one_device.xplane.pb.gz", DATA / "cpu" / "one_device_jax_0_10.xplane.pb.gz"),
    (DATA / "cpu" / "one_device.xplane.pb.gz", h200("gpt")),
    (DATA / "cpu" / "eight_devices.xplane.pb.gz", DATA / "cpu" / "two_processes"),
]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair[0].name}-{pair[1].name}")
def test_parts_sum_to_the_change(gait, pair):
    document = gait.document("diff", *pair)
    parts = {row["part"]: row for row in gait.rows(document, "what_changed") if row["depth"] == 0}
    step = parts.pop("step")
    (verdict,) = gait.rows(document, "verdict")
    assert sum(row["delta"] for row in parts.values()) == step["delta"] == verdict["delta"]
    operations = sum(row["delta"] for row in gait.rows(document, "operations"))
    assert operations + parts["idle"]["delta"] == step["delta"]
    assert sum(row["delta"] for row in gait.rows(document, "scopes")) == operations
    inner = [row for row in gait.rows(document, "what_changed") if row["depth"] == 1]
    assert sum(row["delta"] for row in inner) in (
        step["delta"],
        pytest.approx(step["delta"], abs=abs(step["delta"])),
    )


@pytest.mark.parametrize("pair", PAIRS[:2], ids=lambda pair: pair[0].name)
def test_steps_are_those_of_the_overview(gait, pair):
    (verdict,) = gait.rows(gait.document("diff", *pair), "verdict")
    where = [row for row in gait.rows(gait.document("overview", pair[1]), "where") if row["depth"] == 0]
    assert verdict["step"] == pytest.approx(sum(row["per_step"] for row in where), abs=10)


def test_a_run_against_itself_is_zero(gait, capture):
    document = gait.document("diff", capture, capture)
    for table in ("what_changed", "operations", "scopes"):
        assert all(row["delta"] == 0 for row in gait.rows(document, table))
    assert all(row["delta"] in (0, None) for row in gait.rows(document, "quantities"))
    assert gait.rows(document, "environment") == []
    (verdict,) = gait.rows(document, "verdict")
    assert verdict["verdict"] == "no difference beyond noise"
    assert gait.run("diff", capture, capture, "--fail-if-slower", "0%").returncode == 0


def test_starved_is_slower_because_of_the_input(gait):
    document = gait.document("diff", h200("gpt"), h200("starved"))
    assert document["answer"].startswith("2.67 times slower: 19.3 ms → 51.6 ms a step")
    parts = {row["part"]: row["delta"] for row in gait.rows(document, "what_changed")}
    assert parts["host busy with input"] == pytest.approx(30.3e9, rel=0.01)
    assert abs(parts["compute"]) < 0.2e9
    assert gait.run("diff", h200("gpt"), h200("starved"), "--fail-if-slower", "3%").returncode == 1
    assert gait.run("diff", h200("gpt"), h200("starved"), "--fail-if-slower", "300%").returncode == 0
    assert gait.run("diff", h200("starved"), h200("gpt"), "--fail-if-slower", "3%").returncode == 0


def test_graphs_bought_nothing_in_a_device_bound_step(gait):
    """Operations of the same program match although graphs hide their names."""
    document = gait.document("diff", h200("gpt_without_graphs"), h200("gpt"))
    rows = gait.rows(document, "operations")
    lost = sum(abs(row["delta"]) for row in rows if row["change"] in ("added", "removed"))
    (verdict,) = gait.rows(document, "verdict")
    assert lost < 0.01 * verdict["step"]
    assert abs(verdict["delta"]) < 0.01 * verdict["step"]


def test_what_graphs_changed_is_said(gait):
    document = gait.document("diff", h200("gpt_without_graphs"), h200("gpt"))
    also = {row["quantity"]: (row["a"], row["b"]) for row in gait.rows(document, "quantities")}
    launches = [
        {row["metric"]: row["value"] for row in gait.rows(gait.document("check", run, "--list"), "metrics")}[
            "launches"
        ]
        for run in (h200("gpt_without_graphs"), h200("gpt"))
    ]
    assert also["launch calls"] == tuple(launches) == (695, 1)
    assert also["graph launches"] == (0, 1)
    assert also["time of launch calls"][0] > 2 * also["time of launch calls"][1]
    (sentence,) = [note for note in document["notes"] if "CUDA graphs" in note]
    assert "1 instead of 695 launch calls" in sentence


def test_collectives_are_counted_as_gait_collectives_does(gait):
    document = gait.document("diff", PAIRS[5][1], PAIRS[5][0])
    (row,) = [row for row in gait.rows(document, "quantities") if row["quantity"] == "collectives"]
    assert (row["a"], row["b"]) == (2, 5)


def test_programs_under_other_names_are_matched(gait):
    document = gait.document("diff", PAIRS[3][0], PAIRS[5][0])
    rows = gait.rows(document, "scopes")
    assert any("→" in row["program"] for row in rows)
    names = [row["scope"] for row in rows]
    assert len(names) == len(set(names))


def test_what_cannot_be_judged_does_not_pass(gait):
    one_step = gait.run("diff", h200("gpt"), h200("starved"), "--steps", "2", "--fail-if-slower", "3%")
    assert one_step.returncode == 1
    # Where the line breaks depends on how long the path of the project is.
    assert "cannot be judged" in " ".join(one_step.stdout.decode().split())
    assert gait.run("diff", h200("gpt"), h200("starved"), "--fail-if-slower", "3").returncode == 2


def test_the_band_is_the_same_every_time(gait):
    first = gait.rows(gait.document("diff", h200("gpt"), h200("starved")), "verdict")
    assert first == gait.rows(gait.document("diff", h200("gpt"), h200("starved")), "verdict")
    assert first[0]["low"] < first[0]["delta"] < first[0]["high"]


@pytest.mark.parametrize("pair", PAIRS[:3], ids=lambda pair: pair[0].name)
def test_the_band_is_about_that_of_students_t(gait, pair):
    """Welch's interval, from the definition: where steps are few, a plain bootstrap is far too narrow."""
    samples = []
    for run in pair:
        flagged = gait.rows(gait.document("steps", run), "steps")
        samples.append([row["step_time"] for row in flagged if not row["flags"]])
    errors = [statistics.variance(times) / len(times) for times in samples]
    freedom = sum(errors) ** 2 / sum(e**2 / (len(s) - 1) for e, s in zip(errors, samples, strict=True))
    t = {1: 12.71, 2: 4.30, 3: 3.18, 4: 2.78, 5: 2.57, 6: 2.45}[int(freedom)]
    (verdict,) = gait.rows(gait.document("diff", *pair), "verdict")
    assert verdict["noise"] == pytest.approx(t * sum(errors) ** 0.5, rel=0.3)


def test_environment_differences_are_listed(gait):
    document = gait.document("diff", PAIRS[3][0], PAIRS[3][1])
    versions = {row["what"]: (row["a"], row["b"]) for row in gait.rows(document, "environment")}
    assert versions["jax_version"] == ("0.12.0.1", "0.10.2")


def test_seed_A16_B13_variants_side_by_side(gait):
    runs = [h200("gpt"), h200("gpt_without_graphs"), h200("starved")]
    document = gait.document("diff", *runs)
    rows = gait.rows(document, "variants")
    assert [row["verdict"] for row in rows[2:]] == ["slower"]
    parts = gait.rows(document, "variant_parts")
    for row, part in zip(rows, parts, strict=True):
        times = [v for k, v in part.items() if k not in ("run", "memory_peak")]
        assert sum(times) == row["step"]


def test_seed_C19_other_kinds_of_devices_compare_by_scope(gait):
    document = gait.document("diff", DATA / "cpu" / "one_device.xplane.pb.gz", h200("gpt"))
    assert gait.rows(document, "scopes")
    assert any(row["what"] == "devices" for row in gait.rows(document, "environment"))


def test_seed_D17_E17_before_and_after(gait):
    (verdict,) = gait.rows(gait.document("diff", h200("starved"), h200("gpt")), "verdict")
    assert verdict["verdict"] == "faster"
    assert verdict["ratio"] == pytest.approx(19.3 / 51.6, rel=0.01)
