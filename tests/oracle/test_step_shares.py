"""What a step's figures are divided by: constructed captures whose truth is planted."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))
from make_data import WHEN, Plane, text

MS = 1_000_000_000  # ps


def gpu(number: int) -> Plane:
    plane = Plane(f"/device:GPU:{number}", 10 + number)
    plane.add_stats(gpu_device_name="NVIDIA H200", memory_size=150_109_880_320, core_count=132)
    return plane


def save(path: Path, *planes: Plane) -> Path:
    environment = Plane("Task Environment", 9)
    environment.add_stats(profile_start_time=WHEN * 10**9, profile_stop_time=WHEN * 10**9 + 10**9)
    path.write_bytes(b"".join(plane.bytes() for plane in (*planes, environment)) + text(4, "vm"))
    return path


@pytest.mark.parametrize("stray", [200, 13_000], ids=["before the loop", "after it"])
def test_a_device_that_worked_for_no_step_divides_nothing(gait, tmp_path, stray):
    """GPU 0 makes a step every millisecond, 0.9 ms of it busy; GPU 1 runs one kernel outside of the loop."""
    one, other, host = gpu(0), gpu(1), Plane("/host:CPU", 1)
    calls = [host.event("cuLaunchKernel", stray, 5, correlation_id=999)]
    other.add_line(14, "Stream #14(Compute)", other.event("gemm", stray + 20, 100, correlation_id=999))
    kernels = []
    for step in range(10):
        begin = 1000 + 1000 * step
        calls.append(host.event("train", begin, 950, step_num=step, _r=1))
        calls.append(host.event("cuLaunchKernel", begin + 10, 5, correlation_id=50 + step))
        kernels.append(one.event("gemm", begin + 40, 900, correlation_id=50 + step))
    one.add_line(14, "Stream #14(Compute)", *kernels)
    host.add_line(-7, "python3", *calls)
    capture = save(tmp_path / "vm.xplane.pb", one, other, host)

    step = gait.rows(gait.document("steps", capture), "step_times")[0]["mean"]
    assert step == pytest.approx(MS, rel=0.01)
    busy = sum(r["per_step"] for r in gait.rows(gait.document("ops", capture), "ops"))
    assert busy == pytest.approx(0.9 * MS, abs=9)
    where = [r for r in gait.rows(gait.document("overview", capture), "where") if r["depth"] == 0]
    assert sum(r["per_step"] for r in where) == pytest.approx(step, abs=9)
    idle = sum(r["per_step"] for r in gait.rows(gait.document("idle", capture), "idle"))
    assert idle == pytest.approx(step - busy, abs=9)


def test_the_length_of_an_annotation_is_no_step_time(gait, tmp_path):
    """Ten steps are dispatched in a millisecond; the capture ends when the device has done one, of 5.4 ms."""
    device, host = gpu(0), Plane("/host:CPU", 1)
    calls = []
    for step in range(10):
        begin = 1000 + 100 * step
        calls.append(host.event("train", begin, 90, step_num=step, _r=1))
        calls.append(host.event("cuLaunchKernel", begin + 10, 5, correlation_id=50 + step))
    device.add_line(14, "Stream #14(Compute)", device.event("gemm", 1040, 5400, correlation_id=50))
    host.add_line(-7, "python3", *calls)
    capture = save(tmp_path / "vm.xplane.pb", device, host)
    times = gait.rows(gait.document("steps", capture), "step_times")[0]
    assert 5.4 * MS <= times["median"] < 5.5 * MS
