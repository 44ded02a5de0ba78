"""Capture blocks are steps, and eager work stands under the scopes that launched it: as the program itself knows."""

import json

import pytest

PS = 1e12


@pytest.fixture(scope="module", params=[1, 8])
def eager(request, made_captures):
    return made_captures(request.param, "eager_blocks.py")


def labels(capture) -> dict:
    for folder in capture.parents:
        if (folder / "labels.json").is_file():
            return json.loads((folder / "labels.json").read_text())
    raise FileNotFoundError("labels.json")


def scopes(gait, capture) -> dict[str, dict]:
    rows = gait.rows(gait.document("ops", capture, "--by", "scope"), "ops")
    return {row["path"]: row for row in rows}


def test_each_entry_is_a_step_as_long_as_the_program_measured(gait, eager):
    document = gait.document("steps", eager)
    (series,) = gait.rows(document, "step_times")
    assert (series["series"], series["inferred"], series["steps"]) == ("my_block", "block", 3)
    rows = gait.rows(document, "steps")
    for row, seconds in zip(rows, labels(eager)["seconds"], strict=True):
        # The program also waits for its own thread to wake up, which takes long on a busy machine.
        assert 0.4 * seconds < row["step_time"] / PS < seconds + 0.0005


def test_layers_have_the_time_of_what_they_launched(gait, eager):
    rows = scopes(gait, eager)
    assert {"forward_pass", "backward_pass"} <= rows.keys()
    layers = [rows[f"forward_pass/layer_{i}"] for i in range(4)]
    assert all(row["from"] == "host" and row["self"] > 0 for row in layers)
    # The same programs in each layer, in layer 2 four times.
    assert [row["executions"] for row in layers] == [layers[0]["executions"] * n for n in (1, 1, 4, 1)]
    assert layers[0]["executions"] > 0
    assert sum(row["self"] for row in layers) == rows["forward_pass"]["self"]
    below = [path for path in rows if path.startswith("forward_pass/layer_0/")]
    assert below and all(rows[path]["from"] == "program" for path in below)


def test_rows_still_sum_to_the_busy_time(gait, eager):
    rows = gait.rows(gait.document("ops", eager, "--by", "scope"), "ops")
    plain = gait.rows(gait.document("ops", eager), "ops")
    assert sum(row["self"] for row in rows if row["depth"] == 0) == sum(row["self"] for row in plain)


def test_another_threads_work_is_under_its_own_scope(gait, eager):
    rows = scopes(gait, eager)
    assert (rows["metrics"]["depth"], rows["metrics"]["from"]) == (0, "host")
    assert rows["metrics"]["self"] > 0
    assert {path.split("/")[0] for path in rows if "sin" in path} == {"metrics"}


def test_overview_has_the_scopes(gait, eager):
    names = [row["scope"] for row in gait.rows(gait.document("overview", eager), "scopes")]
    assert {name.split("/")[0] for name in names} == {"forward_pass", "backward_pass", "metrics"}


def test_layers_are_folded(gait, eager):
    rows = {row["path"]: row for row in gait.rows(gait.document("ops", eager, "--by", "layer"), "ops")}
    assert rows["forward_pass/layer_*"]["layers"] == 4
    # Which one is slowest a CPU that does other things may change: ops/eager_layers.case has it of an H200.
    assert rows["forward_pass/layer_*"]["slowest_layer"].startswith("forward_pass/layer_")


def test_diff_knows_the_noise_of_blocks(gait, eager):
    document = gait.document("diff", eager, eager)
    assert "no difference" in document["answer"].lower() or "same" in document["answer"].lower()


def test_launches_of_threads_that_queue_up_are_under_their_own_scope(gait, made_captures):
    capture = made_captures(1, "busy_threads.py")
    rows = {path: row for path, row in scopes(gait, capture).items() if row["depth"] == 0}
    launches = labels(capture)["launches"]
    assert rows.keys() == launches.keys()
    each = rows["main"]["executions"] / launches["main"]  # operations of the program
    assert each >= 1
    short = {scope: count for scope, count in launches.items() if scope != "long"}
    assert {scope: rows[scope]["executions"] for scope in short} == {
        scope: each * count for scope, count in short.items()
    }
