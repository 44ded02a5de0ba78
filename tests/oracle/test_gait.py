"""gait reads the same planes, tracks, events and arguments as the reference."""

import base64
import gzip
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


def by_track(space: xplane.Space) -> dict[tuple[str, str, int], list[xplane.Event]]:
    """Events by plane, track name and id: lines with the same id are one timeline."""
    tracks = defaultdict(list)
    for plane in space.planes:
        for line in plane.lines:
            tracks[plane.name, line.name, line.id].extend(line.events)
    return tracks


def track_key(row: dict) -> tuple[str, str, int]:
    return row["plane"], row["track"], row["line_id"]


def json_value(value: xplane.Value):
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return value


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
    assert {track_key(row): (row["events"], row["total"]) for row in rows} == expected


def test_events_and_arguments(gait, dump, reference):
    found = defaultdict(Counter)
    for row in gait.rows(dump, "events"):
        if not row["derived"]:
            args = tuple((key, value) for key, value in row["args"])
            found[track_key(row)][row["begin"], row["duration"], row["name"], args] += 1
    for key, events in by_track(reference).items():
        expected = Counter(
            (e.begin, e.duration, e.name, tuple((k, json_value(v)) for k, v in e.args)) for e in events
        )
        assert found.pop(key, Counter()) == expected, key
    assert not found


def test_programs(gait, info, reference):
    expected = sorted(name for plane in reference.planes for name in plane.programs)
    rows = gait.rows(info, "programs")
    assert sorted(f"{row['name']}({row['program_id']})" for row in rows) == expected
