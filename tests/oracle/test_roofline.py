"""Roofline, MFU and HFU, computed from the definition over the rows of gait ops and the steps."""

# ruff: noqa: N802 (rows of the promises have capital letters)

import pytest
from conftest import DATA, H200_CAPTURES, skip_other

H200 = {"bf16": 989e12, "tf32": 494e12, "f32": 67e12, "f32 vector": 67e12}  # data sheet, dense
H200_BYTES_PER_SECOND = 4.8e12
TRAVELLING = ("all-", "reduce-scatter", "collective", "send", "copy")


@pytest.fixture(scope="module")
def document(gait, capture) -> dict:
    return gait.document("roofline", capture)


def tables(gait, document: dict) -> dict[str, list[dict]]:
    return {name: gait.rows(document, name) for name in document["tables"]}


def test_operations_are_those_of_gait_ops(gait, capture, document):
    rows = gait.rows(document, "roofline")
    ops = gait.rows(gait.document("ops", capture), "ops")
    for column in ("self", "time", "flops", "bytes", "executions", "name", "scope"):
        key = [(str(row["name"]), str(row["program"]), str(row[column])) for row in rows]
        assert sorted(key) == sorted((str(r["name"]), str(r["program"]), str(r[column])) for r in ops), column


def test_roofs_equal_the_definition(gait, document):
    found = tables(gait, document)
    peaks = {row["what"]: row["flops_per_second"] or row["bytes_per_second"] for row in found["peaks"]}
    steps = None
    for row in found["roofline"]:
        if row["wasted"] is None:
            assert row["efficiency"] is None and row["bound"] is None
            continue
        peak, bandwidth = row["peak"], peaks["memory"]
        assert peak == peaks.get(row["data_type"])
        by_compute = row["flops"] / peak if peak else 0
        by_memory = row["bytes"] / bandwidth
        ideal = max(by_compute, by_memory)
        seconds = row["time"] / 1e12
        assert row["bound"] == ("compute" if by_compute > by_memory else "memory")
        assert not row["category"].startswith(TRAVELLING)
        if seconds > 0:
            assert row["efficiency"] == pytest.approx(100 * ideal / seconds)
            assert row["flops_per_second"] == pytest.approx(row["flops"] / seconds)
            assert row["wasted"] == pytest.approx(row["self"] * (1 - min(1, ideal / seconds)), abs=1.5)
        if row["bytes"]:
            attainable = row["flops"] / row["bytes"] * bandwidth
            assert row["attainable"] == pytest.approx(min(peak, attainable) if peak else attainable)
            assert row["intensity"] == pytest.approx(row["flops"] / row["bytes"])
        if row["wasted_per_step"] and row["per_step"]:
            steps = steps or round(row["self"] / row["per_step"])
            assert row["wasted_per_step"] == row["wasted"] // steps
    for program in found["programs"]:
        assert program["wasted"] is None or program["wasted"] <= program["self"]
    assert sum(p["wasted"] or 0 for p in found["programs"]) == sum(
        r["wasted"] or 0 for r in found["roofline"]
    )


def test_seed_C16_mfu(gait, capture, document):
    """Of all devices together, against the peak of all devices: the count of devices changes nothing."""
    found = tables(gait, document)
    step = next(iter(found["step"]), None)
    if step is None or step["flops"] is None:
        skip_other(capture, H200_CAPTURES, "no operation of this capture has a known cost")
    steps = gait.rows(gait.document("steps", capture), "step_devices")
    assert step["devices"] >= len({row["device"] for row in steps})
    of_one_step = [row for row in found["roofline"] if row["per_step"]]
    device_steps = (
        round(of_one_step[0]["self"] / of_one_step[0]["per_step"]) if of_one_step else step["devices"]
    )
    total = sum(row["flops"] or 0 for row in found["roofline"])
    assert step["flops"] == pytest.approx(total / device_steps * step["devices"], rel=0.02)
    again = sum(row["flops"] or 0 for row in found["roofline"] if "rematted" in (row["scope"] or ""))
    assert step["model_flops"] == pytest.approx((total - again) * step["flops"] / total if total else 0)
    if step["step_time"] is None or step["peak"] is None:
        return
    assert step["flops_per_second"] == pytest.approx(step["flops"] / (step["step_time"] / 1e12))
    assert step["hfu"] == pytest.approx(100 * step["flops_per_second"] / step["peak"])
    assert step["mfu"] == pytest.approx(step["hfu"] * step["model_flops"] / step["flops"])


@pytest.mark.parametrize("name", ["gpt", "gpt_without_graphs", "starved"])
def test_flops_of_the_known_model(gait, name):
    """Every product of a 12-layer GPT counted by hand: forward once, backward twice."""
    batch, time, width, vocabulary, layers = 16, 512, 768, 32_000, 12
    tokens = batch * time
    weights = layers * 12 * width**2 + vocabulary * width
    by_hand = 6 * tokens * weights + 3 * layers * 4 * batch * time**2 * width
    found = tables(gait, gait.document("roofline", DATA / "h200" / f"{name}.xplane.pb.gz"))
    (step,) = found["step"]
    assert step["flops"] == pytest.approx(by_hand, rel=0.01)
    assert (step["data_type"], step["peak"], step["devices"]) == ("bf16", H200["bf16"], 1)
    if name == "gpt":
        assert step["mfu"] == pytest.approx(30.8, abs=0.3)
    assert found["peaks"][-1]["bytes_per_second"] == H200_BYTES_PER_SECOND


def test_eight_devices_have_eight_peaks(gait):
    options = ("--peak-tflops", "1", "--peak-gbps", "50")
    capture = DATA / "cpu" / "eight_devices.xplane.pb.gz"
    (all_of_them,) = gait.rows(gait.document("roofline", capture, *options), "step")
    (one,) = gait.rows(gait.document("roofline", capture, "--device", "0", *options), "step")
    assert (all_of_them["devices"], one["devices"]) == (8, 1)
    assert all_of_them["peak"] == 8 * one["peak"] == 8e12
    assert all_of_them["flops"] == pytest.approx(8 * one["flops"])
    assert all_of_them["mfu"] == pytest.approx(one["mfu"], rel=0.05)


def test_peaks_of_a_cpu_are_not_invented(gait):
    document = gait.document("roofline", DATA / "cpu" / "one_device.xplane.pb.gz")
    (step,) = gait.rows(document, "step")
    assert step["mfu"] is None and step["flops_per_second"] > 0
    assert any("--peak-tflops" in note for note in document["notes"])


def test_a_program_has_an_efficiency_where_most_of_it_has_a_roof(gait):
    """Nearly all of the eight devices' time is an all-reduce, which waits for the others."""
    peaks = ("--peak-tflops", "0.2", "--peak-gbps", "40")
    for name, known in (("eight_devices", False), ("one_device", True)):
        document = gait.document("roofline", DATA / "cpu" / f"{name}.xplane.pb.gz", *peaks)
        program = max(gait.rows(document, "programs"), key=lambda row: row["self"])
        of_program = [
            r for r in gait.rows(document, "roofline") if r["program"] == program["name"].split("(")[0]
        ]
        judged = sum(r["self"] for r in of_program if r["efficiency"] is not None)
        assert (judged >= 0.9 * program["self"]) == known
        assert (program["efficiency"] is not None) == known
        assert (program["bound"] is not None) == known
