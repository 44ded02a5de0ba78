"""What recording cost is estimated where nobody measured it: the loop itself knows how long its steps take without."""

import json
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parent / "recorded_calls.py"


@pytest.fixture(scope="module")
def loop(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recorded")
    done = subprocess.run([sys.executable, PROGRAM, folder], capture_output=True, text=True, check=True)
    return folder, json.loads(done.stdout)


def test_steps_without_the_profiler_are_estimated(gait, loop):
    folder, measured = loop
    captured, uncaptured = [], []
    for capture in folder.glob("**/*.xplane.pb"):
        rows = {row["quantity"]: row for row in gait.rows(gait.document("overview", capture), "overview")}
        captured.append(rows["step"]["value"] / 1e12)
        uncaptured.append(rows["uncaptured"]["value"] / 1e12)
    said = statistics.median(captured) - statistics.median(uncaptured)
    true = measured["recorded"] - measured["plain"]
    assert true > 0.3 * measured["recorded"], "recording these calls costs nothing here"
    assert true / 2 < said < true * 2


def test_costs_are_without_what_recording_costs(gait, loop):
    """The loop's Python is what the device waits for: more than that cannot be gained."""
    folder, measured = loop
    (capture,) = folder.glob("6/**/*.xplane.pb")
    document = gait.document("doctor", capture)
    found = gait.rows(document, "findings")[0]
    assert found["cost_low"] < found["cost_ms_per_step"] < found["cost_high"]
    assert found["cost_low"] < 1e3 * measured["plain"] * 1.3
    assert "as estimated" in document["answer"]
    assert any("recording cost" in note for note in document["notes"])
