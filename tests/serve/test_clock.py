"""Hosts whose captures begin apart: tables and timeline have the same times."""

import gzip
import re
import shutil

import pytest
from client import DATA, Server, tracks_of

LATER_NS = 20_000_000
WALL_TIME = re.compile(rb"(?<=[\x00-\x7f])[\x80-\xff]{8}[\x00-\x7f]")  # a varint of nine bytes


def start_later(capture: bytes, ns: int) -> bytes:
    """Moves all wall times of a capture, which are the only numbers of their size."""

    def moved(found: re.Match) -> bytes:
        value = sum((byte & 0x7F) << (7 * i) for i, byte in enumerate(found[0]))
        if not 1.7e18 < value < 1.9e18:
            return found[0]
        value += ns
        return bytes((value >> (7 * i) & 0x7F) | (0x80 if i < 8 else 0) for i in range(9))

    return WALL_TIME.sub(moved, capture)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    run = tmp_path_factory.mktemp("logdir") / "apart"
    shutil.copytree(DATA / "cpu" / "two_processes/plugins/profile/run", run)
    late = run / "host0.xplane.pb.gz"
    late.write_bytes(gzip.compress(start_later(gzip.decompress(late.read_bytes()), LATER_NS)))
    with Server(run.parent) as running:
        yield running


@pytest.fixture(scope="module")
def path(server):
    return f"/api/runs/{server.runs()['apart']['id']}"


@pytest.fixture(scope="module")
def slices(server, path):
    """The slices of the devices by host, device and type of track, as (begin, end)."""
    found: dict[tuple[str, str, str], set] = {}
    for host in server.json(f"{path}/tracks", derived=1)["tree"]:
        for group in host["children"]:
            for track in tracks_of([group]):
                if not group["title"].startswith("CPU"):
                    continue
                place = found.setdefault((host["title"], group["title"], track["type"]), set())
                for event in range(track["events"]):
                    slice_ = server.json(f"{path}/event", track=track["track"], event=event)
                    place.add((slice_["begin"], slice_["begin"] + slice_["duration"]))
    return found


def rows_of(document, table):
    names = [column["name"] for column in document["tables"][table]["columns"]]
    return [dict(zip(names, row, strict=True)) for row in document["tables"][table]["rows"]]


def rows(server, path, verb, table, **query):
    return rows_of(server.json(f"{path}/{verb}", table=table, **query), table)


def devices(slices):
    return sorted({(host, device) for host, device, _ in slices})


def test_the_late_host_is_late(slices):
    first = {host: min(b for b, _ in slices[host, device, "steps"]) for host, device in devices(slices)}
    assert first["host0"] > LATER_NS * 1000 > first["host1"]


def test_gaps_are_where_the_timeline_has_them(server, path, slices):
    gaps = rows(server, path, "idle", "idle_gaps")
    assert {gap["host"] for gap in gaps} == {"host0", "host1"}
    for gap in gaps:
        drawn = slices[gap["host"], gap["device"], "idle"]  # in parts, where it has several causes
        assert gap["begin"] in {begin for begin, _ in drawn}, gap
        assert gap["begin"] + gap["duration"] in {end for _, end in drawn}, gap


def test_steps_are_where_the_timeline_has_them(server, path, slices):
    steps = rows(server, path, "steps", "step_devices")
    assert {step["host"] for step in steps} == {"host0", "host1"}
    for step in steps:
        span = (step["begin"], step["begin"] + step["step_time"])
        assert span in slices[step["host"], step["device"], "steps"], step
    for step in rows(server, path, "path", "path_steps"):
        begins = {begin for begin, _ in slices[step["host"], step["device"], "steps"]}
        assert step["begin"] in begins, step


def test_evidence_is_where_the_timeline_has_it(server, path, slices):
    hosts = set()
    for finding in rows(server, path, "doctor", "findings"):
        for evidence in finding["evidence"]:
            if "begin" not in evidence:
                continue
            place = (evidence["host"], evidence["track"])
            drawn = slices[*place, "idle"] | slices[*place, "operations"]
            assert evidence["begin"] in {begin for begin, _ in drawn}, evidence
            assert evidence["end"] in {end for _, end in drawn}, evidence
            hosts.add(evidence["host"])
    assert hosts == {"host0", "host1"}


def test_dump_has_the_same_times(server, path, slices):
    events = rows(server, path, "dump", "events", track="^CPU", limit=100_000)
    for host, device in devices(slices):
        of_device = [e for e in events if e["host"] == host and e["track"].startswith(device + " ")]
        printed = {(e["begin"], e["begin"] + e["duration"]) for e in of_device}
        assert printed & slices[host, device, "operations"], (host, device)


def test_a_host_is_not_idle_before_its_capture(server, path, slices):
    end = LATER_NS * 1000
    begin = min(b for b, _ in slices["host1", "CPU 2048", "steps"])
    area = server.json(f"{path}/area", **{"from": begin, "to": end})
    assert "host0 was not captured then" in area["answer"]
    found = rows_of(area, "area_time")
    assert {row["host"] for row in found} == {"host1"}
    assert all(row["window"] == end - begin for row in found)
    # Half of this one.
    area = server.json(f"{path}/area", **{"from": begin, "to": end + 2_000_000_000})
    assert "host0 was captured in" in area["answer"]
    late = [row for row in rows_of(area, "area_time") if row["host"] == "host0"]
    assert late and all(0 < row["window"] <= 2_000_000_000 and row["idle"] < row["window"] for row in late)
