"""The promises that need a GPU, of the same programs: kernels, launches, copies and the allocator's memory.

CI has no GPU: it tests the analyses on recorded captures. docs/seeds.md says when this ran on an H200, and what it saw.
"""

import shutil

import pytest
from readers import ask, once, program, rows, run

if not shutil.which("nvidia-smi"):
    pytest.skip("no NVIDIA GPU here", allow_module_level=True)

ON_THE_GPU = {"JAX_PLATFORMS": "cuda"}
BATCH_BYTES = 2 * 4 * 64 * 4  # input_ids and labels: 4 times 64 tokens of four bytes


@pytest.fixture(scope="module")
def supergrad(tmp_path_factory):
    words = ("-m", "gait.compat.supergrad", program("a_supergrad.py"), "--gpus", 1)
    folder, _ = once(tmp_path_factory, "a_gpu", lambda folder: run(*words, cwd=folder, **ON_THE_GPU))
    (trace,) = (folder / "tensorboard_logs").glob("1gpu_*/tad_trace")
    return trace


@pytest.fixture(scope="module")
def guide(tmp_path_factory):
    made = once(tmp_path_factory, "b_gpu", lambda to: run(program("b_guide.py"), cwd=to, **ON_THE_GPU))
    return made[0] / "profiles"


@pytest.fixture(scope="module")
def viewed(tmp_path_factory):
    wanted = {"PROFILE_ENABLED": "1", "PROFILE_START_STEP": "100", "PROFILE_INTERVAL": "0", **ON_THE_GPU}
    made = once(tmp_path_factory, "d_gpu", lambda folder: run(program("d_viewing.py"), cwd=folder, **wanted))
    return made[0] / "profiles" / "step_00000100"


def held(capture) -> dict[str, int]:
    """What the kernels, copies and gaps of the capture's window take, in picoseconds."""
    (device,) = rows(ask("overview", capture), "devices")
    gaps = rows(ask("idle", capture), "idle")
    return {"window": device["window"], "busy": device["busy"], "idle": sum(row["idle"] for row in gaps)}


def test_seed_A7_kernels_gaps_and_launches_on_a_gpu(supergrad):
    said = ask("kernels", supergrad)
    kernels = rows(said, "kernels")
    (launches,) = rows(said, "kernel_launches")
    print("A7", said["answer"], launches)
    assert sum(row["count"] for row in kernels) > 20
    assert launches["launches"] > 0
    assert 0 < launches["call_mean"] <= launches["call_max"]
    time = held(supergrad)
    print("A7", ask("idle", supergrad)["answer"])
    assert time["busy"] * time["window"] / 100 + time["idle"] == pytest.approx(time["window"], rel=0.02)


def copies(capture) -> dict[str, dict]:
    return {row["kind"]: row for row in rows(ask("transfers", capture), "transfers")}


def test_seed_A8_B9_copies_on_a_gpu(guide):
    """The block moves one batch to the device."""
    print("A8 B9", ask("transfers", guide / "data_pipeline")["answer"])
    to_device = copies(guide / "data_pipeline")["host to device"]
    assert (to_device["count"], to_device["bytes"]) == (2, BATCH_BYTES)
    assert to_device["rate"] > 0


def test_seed_B10_operations_and_kernels_on_a_gpu(guide):
    by_time = rows(ask("ops", guide / "train_step", "--top", 0), "ops")
    assert [row["self"] for row in by_time] == sorted((row["self"] for row in by_time), reverse=True)
    assert any(row["flops"] for row in by_time)
    assert any(row["bytes"] for row in by_time)
    kernels = rows(ask("kernels", guide / "train_step"), "kernels")
    print("B10", ask("ops", guide / "train_step")["answer"], kernels[0])
    assert all(row["grid"] and row["block"] for row in kernels)
    assert any(0 < (row["occupancy"] or 0) <= 100 for row in kernels)


def test_seed_D4_the_timeline_on_a_gpu(viewed):
    """Small kernels, gaps, and the copy of the step's batch, which comes from numpy."""
    said = ask("kernels", viewed)
    small = sum(row["count"] for row in rows(said, "kernel_sizes") if row["below"] and row["below"] <= 10**8)
    print("D4", said["answer"], ask("idle", viewed)["answer"], ask("transfers", viewed)["answer"])
    assert small > 0
    assert copies(viewed)["host to device"]["bytes"] >= BATCH_BYTES
    assert held(viewed)["idle"] > 0


def test_seed_D6_memory_of_a_gpu(viewed):
    said = ask("memory", viewed)
    device = next(row for row in rows(said, "memory") if row["peak"])
    print("D6", said["answer"], device)
    assert 0 < device["peak"] <= device["limit"] <= device["device_memory"]
    assert device["headroom"] == device["limit"] - device["peak"]
    assert rows(said, "memory_timeline")


def test_seed_D7_kernel_statistics_on_a_gpu(viewed):
    kernels = rows(ask("kernels", viewed), "kernels")
    print("D7", ask("kernels", viewed)["answer"])
    for row in kernels:
        assert row["total"] == pytest.approx(row["mean"] * row["count"], rel=0.001)
        assert row["min"] <= row["p50"] <= row["max"]
