"""What recording cost is estimated where nobody measured it: the loop itself knows how long its steps take without."""

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

PROGRAM = Path(__file__).parent / "recorded_calls.py"


@pytest.fixture(scope="module")
def loop(tmp_path_factory):
    """The turns that other programs disturbed least."""
    folder = tmp_path_factory.mktemp("recorded")
    done = subprocess.run([sys.executable, PROGRAM, folder], capture_output=True, text=True, check=True)
    plain, recorded = (json.loads(done.stdout)[side] for side in ("plain", "recorded"))
    (capture,) = folder.glob(f"{recorded.index(min(recorded))}/**/*.xplane.pb")
    return SimpleNamespace(capture=capture, plain=min(plain), recorded=min(recorded))


def test_steps_without_the_profiler_are_estimated(gait, loop):
    rows = {row["quantity"]: row for row in gait.rows(gait.document("overview", loop.capture), "overview")}
    said = (rows["step"]["value"] - rows["uncaptured"]["value"]) / 1e12
    true = loop.recorded - loop.plain
    assert true > 0.3 * loop.recorded, "recording these calls costs nothing here"
    assert true / 2 < said < true * 2


def test_costs_are_without_what_recording_costs(gait, loop):
    """The loop's Python is what the device waits for: more than that cannot be gained."""
    document = gait.document("doctor", loop.capture)
    found = gait.rows(document, "findings")[0]
    assert found["cost_low"] < found["cost_ms_per_step"] < found["cost_high"]
    assert found["cost_low"] < 1e3 * loop.plain * 1.3
    assert "as estimated" in document["answer"]
    assert any("is estimated to add" in note for note in document["notes"])
