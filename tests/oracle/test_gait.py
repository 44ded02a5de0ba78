"""gait reads the same planes, tracks, events and arguments as the reference."""

import gzip
import json
from collections import Counter, defaultdict

import pytest
import xplane


def plain(capture) -> bytes:
    data = capture.read_bytes()
    return gzip.decompress(data) if capture.suffix == ".gz" else data


@pytest.fixture(scope="module")
def reference(capture) -> xplane.Space:
    return xplane.read(plain(capture))


@pytest.fixture(scope="module")
def info(gait, capture) -> dict:
    return gait.document("info", capture)


@pytest.fixture(scope="module")
def dump(gait, capture) -> dict:
    return gait.document("dump", capture, "--limit", "0")


def by_track(space: xplane.Space) -> dict[tuple[str, int], list[xplane.Event]]:
    """Events by plane and id: lines with the same id are one timeline."""
    tracks = defaultdict(list)
    for plane in space.planes:
        for line in plane.lines:
            tracks[plane.name, line.id].extend(line.events)
    return tracks


def as_json(args: "list[tuple[str, xplane.Value]]") -> str:
    """Arguments as `gait dump --json` writes them, types and all; as text, so that they can be counted."""
    return json.dumps([[key, {"bytes": len(v)} if isinstance(v, bytes) else v] for key, v in args])


def is_timeless(event: xplane.Event) -> bool:
    return event.occurrences > 0


def test_nothing_is_lost(info, reference):
    reported = len(reference.errors) + len(reference.warnings)
    assert [loss for loss in info["losses"] if loss["kind"] != "capture"] == []
    assert sum(loss["count"] for loss in info["losses"]) == reported


def test_tracks(gait, info, reference):
    expected = {
        key: (len(events), sum(e.duration for e in events))
        for key, events in by_track(reference).items()
        if events
    }
    rows = [row for row in gait.rows(info, "tracks") if not row["derived"] and row["events"]]
    found = {(row["plane"], row["id"]): (row["events"], row["total_duration"]) for row in rows}
    assert found == expected


def test_track_names(gait, info, reference):
    expected = {(p.name, line.id, line.name) for p in reference.planes for line in p.lines if line.events}
    rows = [row for row in gait.rows(info, "tracks") if not row["derived"] and row["events"]]
    assert {(row["plane"], row["id"], row["name"]) for row in rows} == expected


def test_events_and_arguments(gait, dump, reference):
    found = defaultdict(Counter)
    for row in gait.rows(dump, "events"):
        event = row["begin"], row["duration"], row["name"], json.dumps(row["arguments"])
        found[row["plane"], row["track_id"]][event] += 1
    for key, events in by_track(reference).items():
        expected = Counter(
            (None, None, e.name, as_json(e.args))
            if is_timeless(e)
            else (e.begin, e.duration, e.name, as_json(e.args))
            for e in events
        )
        assert found.pop(key, Counter()) == expected, key
    assert not found


def test_programs(gait, info, reference):
    expected = sorted(name for plane in reference.planes for name in plane.programs)
    rows = gait.rows(info, "programs")
    # Ids of TPU programs use all 64 bits; a sign is one way to show them.
    assert sorted(f"{row['name']}({row['id'] % (1 << 64)})" for row in rows) == expected
