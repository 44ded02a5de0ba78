"""Launches without an end are a loss where the program dropped its results, and nowhere else."""

import pytest


def unfinished(document: dict) -> list[dict]:
    return [loss for loss in document["losses"] if loss["kind"] == "unfinished"]


def test_whole_captures_have_none(gait, capture):
    assert unfinished(gait.document("info", capture)) == []


@pytest.mark.parametrize("devices", [1, 8])
def test_dropped_results_are_counted(gait, made_captures, devices):
    cut = made_captures(devices, "dropped_result.py")
    for verb in ("info", "overview"):
        (loss,) = unfinished(gait.document(verb, cut))
        assert loss["place"] == "jit_train_step"
        assert 1 <= loss["count"] <= 2
    findings = gait.rows(gait.document("doctor", cut), "findings")
    (finding,) = [row for row in findings if row["rule"] == "incomplete"]
    assert any("of jit_train_step" in evidence["text"] for evidence in finding["evidence"])
