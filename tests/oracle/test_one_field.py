"""One field of one event is changed: the answers stay, change in a way that can be, or a loss is counted."""

import gzip
import json
import os
import random
from collections import Counter, defaultdict

import one_field
import pytest
from conftest import DATA
from test_wrong_times import below_zero

CASES = int(os.environ.get("GAIT_CHANGES", "175"))  # of each capture
CAPTURES = (
    "cpu/same_names",
    "launches/blocks",
    "launches/dropped",
    "h200/transfers",
    "graphs/branch",
    "graphs/attention_without",
)
VERBS = ("info", "overview", "steps", "ops", "idle", "host", "doctor")
PARTS = ("compute", "exposed_communication", "exposed_copies", "unknown", "idle")


def rows(document: dict, table: str) -> list[dict]:
    found = document["tables"].get(table, {"columns": [], "rows": []})
    names = [column["name"] for column in found["columns"]]
    return [dict(zip(names, row, strict=True)) for row in found["rows"]]


def out_of_bounds(document: dict) -> list[str]:
    """Parts that are more than the whole."""
    found = []
    for name, table in document["tables"].items():
        for at, column in enumerate(table["columns"]):
            if column["unit"] == "percent" and column["name"] in ("share", "busy", "of_idle", "of_time"):
                found += [
                    f"{name}.{column['name']}: {row[at]}" for row in table["rows"] if (row[at] or 0) > 100.001
                ]
    for row in rows(document, "step_devices"):
        if sum(row[part] for part in PARTS) != row["step_time"]:
            found.append(f"the parts of a step are not the step: {row}")
    for row in rows(document, "devices"):
        # Each is a mean of all steps, rounded.
        if "idle" in row and abs(sum(row[part] for part in PARTS) - row["window"]) > len(PARTS):
            found.append(f"the parts of the window are not the window: {row}")
    for row in rows(document, "idle_gaps"):
        if sum(value for name, value in row.items() if name.startswith("by_")) != row["duration"]:
            found.append(f"the causes of a gap are not the gap: {row}")
    for row in rows(document, "input_steps"):
        if (
            sum(row[part] for part in "fetch to_device dispatch compile wait collect rest".split())
            != row["host_step"]
        ):
            found.append(f"the parts of a host step are not the step: {row}")
    return found


def totals(info: dict) -> dict[tuple, Counter]:
    """Events and time of each line of the file: one that has a count instead of a time is on a track beside."""
    lines = defaultdict(Counter)
    for row in rows(info, "tracks"):
        if not row["derived"]:
            line = lines[row["plane"], row["id"]]
            line.update(events=row["events"], time=row["total_duration"] or 0)
    return lines


def after_all(info: dict) -> int:
    return max(row["end"] or 0 for row in rows(info, "tracks"))


def wrong_totals(usual: dict, info: dict, change: one_field.Change) -> list[str]:
    """Without a loss every event is there, and what all took together differs by just what was changed."""
    if info["losses"] != usual["losses"]:
        return []
    before, after = totals(usual), totals(info)
    found = [
        f"{key}: other events" for key in before | after if after[key]["events"] != before[key]["events"]
    ]
    moved = sum(abs(after[key]["time"] - before[key]["time"]) for key in before | after)
    if after_all(info) > 10 * after_all(usual) + 60 * 10**12:
        found.append(f"the capture now takes {after_all(info)} ps")
    if moved != change.reach:
        found.append(f"durations differ by {moved} ps, the change was {change.reach}")
    return found


@pytest.mark.parametrize("name", CAPTURES)
def test_one_field(gait, tmp_path, name):
    space = gzip.decompress((DATA / f"{name}.xplane.pb.gz").read_bytes())
    places = list(one_field.places(space))
    rng = random.Random(name)
    file = tmp_path / "vm.xplane.pb"
    file.write_bytes(space)
    usual = {verb: gait.document(verb, file) for verb in VERBS}
    assert not any(below_zero(document) + out_of_bounds(document) for document in usual.values())
    seen = {"same": 0, "changed": 0, "loss": 0}
    absurd = []
    for _ in range(CASES):
        change = one_field.make(space, places, rng)
        file.write_bytes(change.capture)
        answers = {}
        for verb in VERBS:
            done = gait.run(verb, file, "--json")
            assert done.returncode in (0, 1), f"{change.what}, {verb}: {done.stderr.decode()}"
            answers[verb] = json.loads(done.stdout)
        wrong = [
            problem
            for document in answers.values()
            for problem in below_zero(document) + out_of_bounds(document)
        ]
        wrong += wrong_totals(usual["info"], answers["info"], change)
        absurd += [f"{change.what}: {problem}" for problem in wrong]
        lost = answers["info"]["losses"] != usual["info"]["losses"]
        same = all(answers[verb]["tables"] == usual[verb]["tables"] for verb in VERBS[1:])
        seen["loss" if lost else "same" if same else "changed"] += 1
    assert not absurd, f"{len(absurd)}\n" + "\n".join(absurd[:20])
    assert min(seen.values()) > 0, seen  # each kind was tried
