"""What the host did while the device worked, and while it did not: captures whose truth is known from outside."""

import callback_loop
import pytest
import two_waits
from test_step_shares import MS, Plane, gpu, save


def classes(gait, capture) -> dict[str, int]:
    return {row["class"]: row["per_step"] for row in gait.rows(gait.document("path", capture), "path")}


def two_kernels(path, event: str | None):
    """Each step of 10 ms runs kernels of 6 and of 3 ms; the host waits for each, and an event says so or none does."""
    device, host, calls, kernels = gpu(0), Plane("/host:CPU", 1), [], []
    for step in range(6):
        begin = 1000 + 10_000 * step
        calls.append(host.event("train", begin, 9300, step_num=step, _r=1))
        for number, (offset, length) in enumerate(((0, 6000), (6100, 3000))):
            launch = 10 * step + number
            calls.append(host.event("PjitFunction(f)", begin + offset + 10, 60))
            calls.append(host.event("cuLaunchKernel", begin + offset + 50, 10, correlation_id=launch))
            if event:
                calls.append(host.event(event, begin + offset + 75, length))
            kernels.append(device.event("Memcpy", begin + offset + 65, length, correlation_id=launch))
    device.add_line(14, "Stream #14(Compute)", *kernels)
    host.add_line(-7, "python3", *calls)
    return save(path, device, host)


@pytest.mark.parametrize("event", ["block_until_ready", None])
def test_waiting_for_a_gpu_is_no_dispatch_whether_an_event_says_so_or_not(gait, tmp_path, event):
    by = classes(gait, two_kernels(tmp_path / "vm.xplane.pb", event))
    assert by["copies"] == 9 * MS
    assert by["dispatch"] < 0.9 * MS
    assert (
        by["host_sync"] < 0.2 * MS
    )  # with what the thread needs to wake up, where no event ends with the wait


@pytest.fixture(scope="module")
def waits(made_captures):
    return made_captures(1, "two_waits.py")


def test_the_host_waits_as_long_as_the_program_saw(gait, waits):
    (root,) = (p for p in waits.parents if (p / "waited").exists())
    truth = int((root / "waited").read_text()) * 1000 / two_waits.STEPS
    document = gait.document("host", waits)
    parts = {row["part"]: row for row in gait.rows(document, "input_pipeline")}
    assert parts["wait"]["per_step"] == pytest.approx(truth, rel=0.2)
    # Another process may have the cores that the device is made of.
    assert parts["wait"]["device_busy"] > 0.5 * parts["wait"]["per_step"]
    activities = {row["name"]: row for row in gait.rows(document, "host_activities")}
    assert activities["CommonPjRtBuffer::Await"]["count"] <= 2 * two_waits.STEPS


def test_what_the_host_waited_for_is_on_the_path(gait, waits):
    where = {row["part"]: row for row in gait.rows(gait.document("overview", waits), "where")}
    by = classes(gait, waits)
    assert by["compute"] == pytest.approx(where["compute"]["per_step"], rel=0.05)
    idle = {row["cause"]: row for row in gait.rows(gait.document("idle", waits), "idle")}
    assert idle["host_sync"]["idle"] > 0


@pytest.fixture(scope="module")
def callbacks(made_captures):
    return made_captures(1, "callback_loop.py")


def test_a_callback_into_python_is_the_hosts_time(gait, callbacks):
    document = gait.document("path", callbacks)
    by = classes(gait, callbacks)
    assert by["dispatch"] > 10 * MS
    now = sum(by.values())
    bounds = {row["bound"]: row["step"] for row in gait.rows(document, "path_bounds")}
    assert bounds["free_host"] < now - 10 * MS
    assert bounds["perfect_overlap"] <= bounds["free_host"]
    assert "Without Python and dispatch" in document["answer"]
    assert any(row["name"].startswith("pure_callback") for row in gait.rows(document, "path_events"))
    overview = gait.document("overview", callbacks)
    where = {row["part"]: row["per_step"] for row in gait.rows(overview, "where")}
    # Where the machine stalled, that is what there is to say instead.
    idle = max(row["per_step"] for row in gait.rows(gait.document("idle", callbacks), "idle"))
    assert ("go to callbacks into Python." in overview["answer"]) == (where["host callback"] > idle)


def test_an_annotation_of_a_loaders_thread_is_the_users(gait, callbacks):
    rows = {row["name"]: row for row in gait.rows(gait.document("host", callbacks), "host_annotations")}
    assert rows["load_batch"]["kind"] == "annotation"
    assert rows["load_batch"]["count"] >= callback_loop.STEPS - 2
    assert rows["load_batch"]["mean"] > 2 * MS
