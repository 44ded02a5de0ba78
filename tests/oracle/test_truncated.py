"""A capture cut anywhere is a partial trace that says so, or one clear error. Never a crash."""

import gzip
import json
import random

import pytest

CUTS = 50


@pytest.fixture(scope="module")
def whole(capture) -> bytes:
    data = capture.read_bytes()
    return gzip.decompress(data) if capture.suffix == ".gz" else data


def events_in(gait, document: dict) -> int:
    return sum(row["events"] for row in gait.rows(document, "tracks") if not row["derived"])


def test_cut_anywhere(gait, whole, tmp_path):
    places = sorted(random.Random(7).sample(range(1, len(whole)), min(CUTS, len(whole) - 1)))
    file = tmp_path / "cut.xplane.pb"
    events = 0
    for place in places:
        file.write_bytes(whole[:place])
        done = gait.run("info", file, "--json")
        if done.returncode == 3:
            message = done.stderr.decode()
            assert message.startswith("gait: "), (place, message)
            assert not events, f"{place}: an error although less of the file gave {events} events"
            continue
        assert done.returncode == 0, (place, done.stderr.decode())
        document = json.loads(done.stdout)
        assert any(loss["kind"] == "truncated" for loss in document["losses"]), place
        # More of the file never gives fewer events.
        assert events_in(gait, document) >= events, place
        events = events_in(gait, document)
    file.write_bytes(whole)
    assert events <= events_in(gait, gait.document("info", file))


def test_cut_gzip(gait, whole, tmp_path):
    packed = gzip.compress(whole, compresslevel=1)
    file = tmp_path / "cut.xplane.pb.gz"
    for place in sorted(random.Random(11).sample(range(1, len(packed)), min(10, len(packed) - 1))):
        file.write_bytes(packed[:place])
        done = gait.run("info", file, "--json")
        assert done.returncode in (0, 3), (place, done.stderr.decode())
        if done.returncode == 3:
            assert done.stderr.decode().startswith("gait: "), place
