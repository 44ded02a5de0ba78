"""What a step's figures are divided by: constructed captures whose truth is planted."""

from pathlib import Path

import pytest
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


def loop_of(devices: list[Plane], work: list[list[int]], period: int) -> list[Plane]:
    """Each step runs a kernel of nine tenths of its period on the devices named for it, for which the host waits."""
    host, calls, kernels = Plane("/host:CPU", 1), [], [[] for _ in devices]
    for step, numbers in enumerate(work):
        begin = 1000 + period * step
        calls.append(host.event("train", begin, period * 95 // 100, step_num=step, _r=1))
        for number in numbers:
            launch = 100 * step + number
            calls.append(host.event("cuLaunchKernel", begin + 2 + 2 * number, 1, correlation_id=launch))
            kernels[number].append(
                devices[number].event("gemm", begin + period // 25, period * 9 // 10, correlation_id=launch)
            )
    for device, own in zip(devices, kernels, strict=True):
        device.add_line(14, "Stream #14(Compute)", *own)
    host.add_line(-7, "python3", *calls)
    return [*devices, host]


def test_a_device_without_work_in_some_steps_is_idle_in_them(gait, tmp_path):
    """GPU 1 has nothing to do in every third step of 1 ms: its part of that one is idle, the next is not longer."""
    work = [[0] if step % 3 == 1 else [0, 1] for step in range(12)]
    capture = save(tmp_path / "vm.xplane.pb", *loop_of([gpu(0), gpu(1)], work, 1000))
    document = gait.document("steps", capture)
    assert not any("partial" in row["flags"] for row in gait.rows(document, "steps"))
    times = [row["step_time"] for row in gait.rows(document, "steps")]
    assert times[1:] == pytest.approx([MS] * 11, rel=0.01)  # the first begins with its annotation
    idle = {
        (row["step"], row["device"]): row["idle"] / row["step_time"]
        for row in gait.rows(document, "step_devices")
        if row["step"] > 0
    }
    for step in range(1, 12):
        assert idle[step, "GPU 0"] == pytest.approx(0.1, abs=0.01)
        assert idle[step, "GPU 1"] == pytest.approx(0.1 if 1 in work[step] else 1, abs=0.01)
    where = {row["part"]: row for row in gait.rows(gait.document("overview", capture), "where")}
    assert sum(row["per_step"] for row in where.values() if row["depth"] == 0) == pytest.approx(MS, rel=0.01)


def test_a_step_without_work_among_others_is_not_partial(gait, tmp_path):
    """Every second step does nothing on the device: the capture holds it whole, and no time of it is made up."""
    work = [[0] if step % 2 == 0 else [] for step in range(9)] + [[], []]
    capture = save(tmp_path / "vm.xplane.pb", *loop_of([gpu(0)], work, 1000))
    document = gait.document("steps", capture)
    flags = {row["step"]: row["flags"] for row in gait.rows(document, "steps")}
    assert {step for step in flags if flags[step] == "no work"} == {1, 3, 5, 7}
    assert {step for step in flags if flags[step] == "partial"} == {9, 10}
    times = {row["step"]: row["step_time"] for row in gait.rows(document, "steps")}
    assert all(times[step] is None for step in (1, 3, 5, 7))
    assert all(times[step] == pytest.approx(2 * MS, rel=0.01) for step in (2, 4, 6, 8))
    assert any(note.startswith("no work: ") for note in document["notes"])


def test_a_cut_step_between_few_does_not_count(gait, tmp_path):
    """The capture begins inside the first of three steps and ends inside the last: only the second is whole."""
    device, host = gpu(0), Plane("/host:CPU", 1)
    calls, kernels = [], []
    for step, pieces in enumerate((4, 10, 6)):
        calls.append(host.event("train", 1000 + 10 * step, 9, step_num=step, _r=1))
        for piece in range(pieces):
            launch, place = 100 * step + piece, 10 * step - (0, 6, 6)[step] + piece
            calls.append(host.event("cuLaunchKernel", 1001 + 10 * step, 1, correlation_id=launch))
            kernels.append(device.event("gemm", 2000 + 100 * place, 90, correlation_id=launch))
    device.add_line(14, "Stream #14(Compute)", *kernels)
    host.add_line(-7, "python3", *calls)
    capture = save(tmp_path / "vm.xplane.pb", device, host)
    document = gait.document("steps", capture)
    assert [row["flags"] for row in gait.rows(document, "steps")] == ["first", "", "partial"]
    assert gait.rows(document, "step_times")[0]["median"] == MS


def test_short_steps_beside_a_long_evaluation_are_named_as_the_other_reading(gait, tmp_path):
    """Four steps of 1 ms and an evaluation of 8: taken for one step of five launches, which may be wrong."""
    device, host, calls, kernels, begin = gpu(0), Plane("/host:CPU", 1), [], [], 1000
    for launch in range(20):
        name, length = ("jit_evaluate", 8000) if launch % 5 == 4 else ("jit_train", 1000)
        calls.append(host.event(f"PjRtLoadedExecutable::Execute ({name})", begin, 20, run_id=70 + launch))
        calls.append(host.event("cuLaunchKernel", begin + 5, 5, correlation_id=launch))
        kernels.append(device.event("gemm", begin + 15, length, correlation_id=launch))
        begin += length + 100
    device.add_line(14, "Stream #14(Compute)", *kernels)
    host.add_line(-7, "python3", *calls)
    done = gait.run("steps", save(tmp_path / "vm.xplane.pb", device, host), "--width", "200")
    assert (
        "each of these launches may also be a step, with jit_evaluate after about every 4"
        in done.stdout.decode()
    )
