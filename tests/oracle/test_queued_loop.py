"""A loop that waits for batches of another thread, with evaluations on another device: its truth is known."""

import json

import pytest
import queued_loop
from test_step_shares import MS


def truth_of(capture):
    """Begin and end, in picoseconds, of what the program measured."""
    (path,) = (p / "truth.json" for p in capture.parents if (p / "truth.json").exists())
    found = json.loads(path.read_text())
    return {what: [(1000 * begin, 1000 * end) for begin, end in spans] for what, spans in found.items()}


def came_back_at_once(spans):
    """The loop's thread, from each wait: 1 ms later it could have done anything."""
    ends = zip(spans["loaded"], spans["waited"], strict=True)
    return all(wait[1] - load[1] < 0.6 * MS for load, wait in ends if load[1] > wait[0])


@pytest.fixture(scope="module")
def loop(made_captures):
    for attempt in range(6):
        capture = made_captures(2, "queued_loop.py", str(attempt))
        if came_back_at_once(truth_of(capture)):
            break
    return capture


@pytest.fixture(scope="module")
def truth(loop):
    return truth_of(loop)


def length(spans):
    return sum(end - begin for begin, end in spans)


def test_no_tracer_is_needed_to_see_that_it_waits_for_input(gait, loop, truth):
    if not came_back_at_once(truth):
        pytest.skip("other programs kept the loop's thread waiting in each of six captures")
    waited = length(truth["waited"]) / len(truth["waited"])
    idle = {row["cause"]: row["per_step"] for row in gait.rows(gait.document("idle", loop), "idle")}
    path = {row["class"]: row["per_step"] for row in gait.rows(gait.document("path", loop), "path")}
    host = {row["part"]: row["per_step"] for row in gait.rows(gait.document("host", loop), "input_pipeline")}
    for input_time in (idle["input"], path["input"], host["fetch"]):
        assert input_time == pytest.approx(waited, rel=0.2, abs=2 * MS)
    assert idle["dispatch"] < 0.3 * idle["input"]
    assert "fetching input, mostly in data_loading" in gait.document("host", loop)["answer"]
    first = gait.rows(gait.document("doctor", loop), "findings")[0]
    assert first["rule"] == "input"


def test_evaluations_on_another_device_are_no_part_of_the_steps(gait, loop, truth):
    rows = gait.rows(gait.document("steps", loop), "steps")
    evaluations = [row for row in rows if row["series"] == "eval"]
    assert len(evaluations) == queued_loop.EVALUATIONS
    expected = length(truth["evaluated"])
    assert sum(row["step_time"] for row in evaluations) == pytest.approx(expected, rel=0.2, abs=2 * MS)
    whole = [row for row in rows if row["series"] == "train" and row["flags"] == ""]
    expected = length(truth["trained"][row["step"]] for row in whole)
    assert sum(row["step_time"] for row in whole) == pytest.approx(expected, rel=0.1)
