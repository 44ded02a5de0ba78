"""A loop that waits for batches of another thread, with evaluations on another device: its truth is known."""

import pytest
import queued_loop
from test_step_shares import MS

LOADING = queued_loop.LOADING * 1e12


@pytest.fixture(scope="module")
def loop(made_captures):
    return made_captures(2, "queued_loop.py")


def test_no_tracer_is_needed_to_see_that_it_waits_for_input(gait, loop):
    """The loader begins the next batch when the queue has room, so a step lacks little of one."""
    idle = {row["cause"]: row["per_step"] for row in gait.rows(gait.document("idle", loop), "idle")}
    path = {row["class"]: row["per_step"] for row in gait.rows(gait.document("path", loop), "path")}
    host = {row["part"]: row["per_step"] for row in gait.rows(gait.document("host", loop), "input_pipeline")}
    for input_time in (idle["input"], path["input"], host["fetch"]):
        assert 0.6 * LOADING < input_time < 1.3 * LOADING
    assert idle["dispatch"] < 0.3 * idle["input"]
    assert "fetching input, mostly in data_loading" in gait.document("host", loop)["answer"]
    first = gait.rows(gait.document("doctor", loop), "findings")[0]
    assert first["rule"] == "input"


def test_evaluations_on_another_device_are_no_part_of_the_steps(gait, loop):
    (root,) = (p for p in loop.parents if (p / "evaluated").exists())
    truth = int((root / "evaluated").read_text()) * 1000
    rows = gait.rows(gait.document("steps", loop), "steps")
    evaluations = [row for row in rows if row["series"] == "eval"]
    assert len(evaluations) == queued_loop.EVALUATIONS
    assert sum(row["step_time"] for row in evaluations) == pytest.approx(truth, rel=0.2, abs=2 * MS)
    whole = [row for row in rows if row["series"] == "train" and row["flags"] == ""]
    assert sum(row["step_time"] for row in whole) < 1.5 * LOADING * len(whole)
