"""A chain of programs over devices: each runs one program a step, so its n-th run is that of the n-th step."""

from collections import defaultdict

import cpu_devices
import device_chain
import pytest
import windows


@pytest.fixture(scope="module", params=["same", "each"])
def functions(request):
    return request.param


@pytest.fixture(scope="module", params=["wait", "go_on"])
def loop(request):
    return request.param


@pytest.fixture(scope="module")
def chain(functions, loop, made_captures):
    return made_captures(2, "device_chain.py", functions, loop)


def test_each_run_belongs_to_the_step_that_asked_for_it(gait, chain):
    runs = defaultdict(lambda: defaultdict(list))  # ends of operations by device and run, in order of begin
    for operation in cpu_devices.operations(windows.read(chain)):
        runs[f"CPU {operation.device}"][operation.run].append(operation.end)
    rows = gait.rows(gait.document("steps", chain), "step_devices")
    found = {(row["device"], row["step"]): (row["begin"] + row["step_time"], row["events"]) for row in rows}
    expected = {
        (device, step): (max(ends), len(ends))
        for device, of_device in runs.items()
        for step, ends in enumerate(of_device.values())
    }
    assert len(expected) == 2 * device_chain.STEPS
    assert found == expected


def test_all_steps_are_whole(gait, chain, loop):
    document = gait.document("steps", chain)
    assert {row["flags"] for row in gait.rows(document, "steps")[1:]} <= {"", "outlier"}
    (row,) = gait.rows(document, "step_times")
    assert row["steps"] >= device_chain.STEPS - 1
    assert (row["loop"] == "waits") == (loop == "wait")
