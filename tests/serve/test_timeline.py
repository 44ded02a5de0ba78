"""Tracks, tiles, slices, search and areas against the events that `gait dump` prints."""

import json
import random
import subprocess

import pytest
from client import GAIT, read_tile, tracks_of, union_length

MERGED = 0xFFFFFFFF


class Events:
    """The events of a run by the label of their track, as [begin, end, name]."""

    def __init__(self, run: dict) -> None:
        printed = subprocess.run(
            [GAIT, "dump", run["path"], "--json"], check=True, capture_output=True, text=True
        ).stdout
        table = json.loads(printed)["tables"]["events"]
        at = {column["name"]: i for i, column in enumerate(table["columns"])}
        self.by_track: dict[tuple[str, str], list] = {}
        for row in table["rows"]:
            begin, duration = row[at["begin"]], row[at["duration"]]
            place = (row[at["host"]], row[at["track"]])
            self.by_track.setdefault(place, []).append((begin, begin + duration, row[at["name"]]))


@pytest.fixture(scope="module", params=["gpt", "eight", "two"])
def opened(request, server):
    run = server.runs()[request.param]
    tracks = server.json(f"/api/runs/{run['id']}/tracks", derived=1)
    return run, tracks, Events(run)


def labels(tree: dict) -> dict[int, tuple[str, str]]:
    """The place of each captured track as `dump` calls it, by number."""
    found = {}
    for host in tree["tree"]:
        for group in host["children"]:
            for track in tracks_of([group]):
                if not track["derived"]:
                    device = "host" if group["title"].startswith("host threads") else group["title"]
                    found[track["track"]] = (host["title"], f"{device} {track['title']}")
    return found


def clip(intervals, begin, end):
    return [(max(b, begin), min(e, end)) for b, e in intervals if b < end and e > begin]


def test_tracks_are_those_of_the_capture(opened):
    _, tree, events = opened
    # Two tracks of one name are one here.
    counts: dict[tuple[str, str], int] = {}
    places = labels(tree)
    for track in tracks_of(tree["tree"]):
        if not track["derived"]:
            place = places[track["track"]]
            counts[place] = counts.get(place, 0) + track["events"]
    # Tracks that gait made while reading (device rows of CPU captures) are not dumped unless they are named.
    for place, list_of in events.by_track.items():
        assert counts[place] == len(list_of), place
    keys = [track["key"] for track in tracks_of(tree["tree"])]
    assert len(set(keys)) == len(keys)


def test_first_answer_comes_without_the_derived(server, opened):
    run, tree, _ = opened
    first = server.json(f"/api/runs/{run['id']}/tracks")
    known = {track["key"]: track for track in tracks_of(tree["tree"])}
    for track in tracks_of(first["tree"]):
        assert known[track["key"]] == track


def test_every_window_sums_to_the_union(server, opened):
    run, tree, events = opened
    rng = random.Random(1)
    places = labels(tree)
    names = list(places.values())
    begin, end = tree["span"]
    tracks = [t for t in tracks_of(tree["tree"]) if not t["derived"] and names.count(places[t["track"]]) == 1]
    tracks = [t for t in tracks if places[t["track"]] in events.by_track]
    ids = [track["track"] for track in tracks]
    for _ in range(12):
        level = rng.randint(18, 34)
        buckets = rng.choice([1, 17, 600, 2000])
        first = rng.randint(begin >> level, end >> level) - rng.randint(0, buckets)
        _, _, body = server.get(
            f"/api/runs/{run['id']}/tile",
            tracks=",".join([f"{i}m" for i in ids] + [str(i) for i in ids]),
            level=level,
            first=first,
            buckets=buckets,
        )
        tile = read_tile(body)
        window = (first << level, (first + buckets) << level)
        for track in tracks:
            intervals = [(b, e) for b, e, _ in events.by_track[places[track["track"]]]]
            inside = clip(intervals, *window)
            merged = tile["rows"].get((track["track"], MERGED), {"busy": [], "count": []})
            assert sum(merged["busy"]) == union_length(inside), (track["title"], level, first)
            assert sum(merged["count"]) == sum(window[0] <= b < window[1] for b, _ in intervals)
            lanes = [row for (t, lane), row in tile["rows"].items() if t == track["track"] and lane != MERGED]
            drawn = sum(sum(row["busy"]) for row in lanes)
            for row in lanes:
                slices = [(int(b), int(b + d)) for b, d in zip(row["begin"], row["duration"], strict=True)]
                drawn += sum(e - b for b, e in clip(slices, *window))
                assert all(e - b >= 1 << level for b, e in slices)
                assert len(slices) <= buckets + 1
            assert drawn == sum(e - b for b, e in inside)


def test_slices_have_their_names(server, opened):
    run, tree, events = opened
    names = server.json(f"/api/runs/{run['id']}/names")
    assert names["total"] == len(names["name"]) == tree["names"]
    places = labels(tree)
    for track in tracks_of(tree["tree"]):
        if track["derived"] or places[track["track"]] not in events.by_track:
            continue
        if list(places.values()).count(places[track["track"]]) > 1:
            continue
        level = max((track["span"][1] - track["span"][0]).bit_length() - 10, 0)
        query = {
            "tracks": track["track"],
            "level": level,
            "first": track["span"][0] >> level,
            "buckets": 1200,
        }
        tile = read_tile(server.get(f"/api/runs/{run['id']}/tile", **query)[2])
        known = {(b, e, name) for b, e, name in events.by_track[places[track["track"]]]}
        for row in tile["rows"].values():
            for b, d, name in zip(row["begin"], row["duration"], row["name"], strict=True):
                assert (int(b), int(b + d), names["name"][name]) in known


def test_event(server, opened):
    run, tree, _ = opened
    rng = random.Random(2)
    for track in tracks_of(tree["tree"]):
        if track["draw"] == "counter":
            assert server.get(f"/api/runs/{run['id']}/event", track=track["track"], event=0)[0] == 400
            continue
        for event in {0, track["events"] - 1, rng.randrange(track["events"])}:
            answer = server.json(f"/api/runs/{run['id']}/event", track=track["track"], event=event)
            same = answer["same"]
            assert 0 <= answer["self"] <= answer["duration"]
            assert same["min"] <= same["p50"] <= same["p99"] <= same["max"]
            assert same["min"] <= answer["duration"] <= same["max"]
            assert sum(same["histogram"]["counts"]) == same["count"] >= 1
            assert len(same["histogram"]["edges"]) == len(same["histogram"]["counts"]) + 1
            assert (same["previous"] is None) == (same["position"] == 0)
            assert (same["next"] is None) == (same["position"] == same["count"] - 1)
            for link in [*answer["causes"], *answer["effects"]]:
                back = server.json(f"/api/runs/{run['id']}/event", track=link["track"], event=link["event"])
                assert back["name"] == link["name"]


def test_a_slice_of_no_instruction_says_why(server):
    run = server.runs()["transfers"]
    tree = server.json(f"/api/runs/{run['id']}/tracks")["tree"]
    copies = next(t for t in tracks_of(tree) if t["type"] == "stream" and "MemcpyH2D" in t["title"])
    slice_ = server.json(f"/api/runs/{run['id']}/event", track=copies["track"], event=0)
    assert slice_["operation"] is None
    assert slice_["unattributed"].startswith("it names no operation (copies outside")


def test_launches_and_kernels_point_at_each_other(server):
    run = server.runs()["gpt"]
    tree = server.json(f"/api/runs/{run['id']}/tracks", derived=1)["tree"]
    stream = next(t for t in tracks_of(tree) if t["type"] == "stream" and "Compute" in t["title"])
    kernel = server.json(f"/api/runs/{run['id']}/event", track=stream["track"], event=100)
    (launch,) = kernel["causes"]
    assert launch["name"].startswith("cuGraphLaunch")
    back = server.json(f"/api/runs/{run['id']}/event", track=launch["track"], event=launch["event"])
    assert back["effects_total"] > 100
    assert any(e["track"] == stream["track"] for e in back["effects"])
    assert kernel["operation"]["found"] == "by_graph_node"
    assert kernel["operation"]["scope"].startswith("jit(train_step)")
    assert kernel["operation"]["source"]
    only = server.json(f"/api/runs/{run['id']}/event", track=stream["track"], event=100, by="operation")
    assert only["same"]["count"] <= kernel["same"]["count"]


def test_search(server, opened):
    run, _tree, events = opened
    path = f"/api/runs/{run['id']}/search"
    all_names = [name for place in events.by_track.values() for _, _, name in place]
    for text in ("execute", "FUSION", "no such thing at all"):
        answer = server.json(path, q=text, **{"in": "names"})
        derived_rows = answer["total"] - sum(text.lower() in name.lower() for name in all_names)
        # Device rows of CPU captures show the host's events once more.
        assert derived_rows >= 0
        if run["label"] == "gpt":
            assert derived_rows == 0
        assert all(text.lower() in match["name"].lower() for match in answer["matches"])
    regex = server.json(path, q="/^Pj.*Execute$/", **{"in": "names"})
    assert all(m["name"].startswith("Pj") and m["name"].endswith("Execute") for m in regex["matches"])
    assert server.get(path, q="/(/")[0] == 400
    assert server.get(path)[0] == 400


def test_stepping_goes_through_all_matches(server):
    run = server.runs()["gpt"]
    path = f"/api/runs/{run['id']}/search"
    listed = server.json(path, q="gemm", limit=10000)
    total = listed["total"]
    assert total == len(listed["matches"]) > 3
    at = {"at": -1}
    for match in listed["matches"]:
        step = server.json(path, q="gemm", step="next", **at)
        assert step["matches"] == [match] and not step["wrapped"]
        at = {"at": match["begin"], "at_track": match["track"], "at_event": match["event"]}
    assert server.json(path, q="gemm", step="next", **at)["wrapped"]
    previous = server.json(path, q="gemm", step="previous", **at)
    assert previous["matches"] == [listed["matches"][-2]] and previous["offset"] == total - 2


def test_search_by_argument_and_duration(server):
    run = server.runs()["gpt"]
    path = f"/api/runs/{run['id']}/search"
    scope = server.json(path, q="layer_3", **{"in": "args"})
    assert scope["total"] > 0 and scope["matches"][0]["arg"][0] == "scope"
    correlation = server.json(path, q="step_num", **{"in": "args"})
    assert correlation["total"] == 0
    long = server.json(path, q="fusion", min=100_000_000)
    assert long["total"] > 0 and all(m["duration"] >= 100_000_000 for m in long["matches"])
    by_id = server.json(path, name_id=0)
    assert by_id["total"] > 0 and {m["name_id"] for m in by_id["matches"]} == {0}


@pytest.mark.parametrize("label", ["gpt", "recompile", "eight"])
def test_executions_are_those_that_the_operations_count(server, label):
    """Kernels and memsets of one execution together, and programs of one name apart."""
    path = f"/api/runs/{server.runs()[label]['id']}"
    ops = server.json(f"{path}/ops")["tables"]["ops"]
    at = {column["name"]: i for i, column in enumerate(ops["columns"])}
    known = [row for row in ops["rows"] if row[at["program_id"]] is not None]
    several = [row for row in known if row[at["events"]] != row[at["executions"]]]
    assert several or label != "gpt"
    for row in several[:20] + known[::20]:
        name, program = row[at["name"]], row[at["program_id"]]
        times = server.json(f"{path}/executions", name=name, program_id=program)
        assert times["count"] == row[at["executions"]] == sum(times["histogram"]["counts"])
        assert times["min"] <= times["p50"] <= times["p99"] <= times["max"]
        assert row[at["mean"]] <= times["mean"] <= times["max"]
        slices = server.json(f"{path}/search", q=f'"{program}/{name}"', limit=10000)
        first = times["first"]
        assert (first["track"], first["event"]) in {(m["track"], m["event"]) for m in slices["matches"]}
        event = server.json(f"{path}/event", track=first["track"], event=first["event"])
        assert event["operation"]["program_id"] == program
    names = {(row[at["program"]], row[at["name"]]) for row in known}
    assert (len(names) < len(known)) == (label == "recompile")


def test_area(server, opened):
    run, tree, events = opened
    places = labels(tree)
    begin, end = tree["span"]
    window = (begin + (end - begin) // 3, begin + (end - begin) // 2)
    for track in tracks_of(tree["tree"]):
        place = places.get(track["track"])
        if place not in events.by_track or list(places.values()).count(place) > 1:
            continue
        query = {"from": window[0], "to": window[1], "tracks": track["track"], "top": 0}
        table = server.json(f"/api/runs/{run['id']}/area", **query)["tables"]["area"]
        at = {column["name"]: i for i, column in enumerate(table["columns"])}
        expected: dict[str, list] = {}
        for b, e, name in events.by_track[place]:
            if b < window[1] and (e > window[0] or window[0] <= b):
                expected.setdefault(name, []).append((b, e))
        got = {row[at["name"]]: row for row in table["rows"]}
        assert set(got) == set(expected)
        for name, intervals in expected.items():
            row = got[name]
            durations = sorted(e - b for b, e in intervals)
            assert row[at["count"]] == len(intervals)
            assert row[at["total"]] == sum(e - b for b, e in clip(intervals, *window))
            assert row[at["min"]] == durations[0] and row[at["max"]] == durations[-1]
            assert row[at["p50"]] == durations[(len(durations) + 1) // 2 - 1]
        inside = clip([(b, e) for b, e, _ in events.by_track[place]], *window)
        assert sum(row[at["self"]] for row in table["rows"]) == union_length(inside)


def test_shares_of_an_area_are_of_devices_and_of_hosts_apart(server, opened):
    run, tree, _ = opened
    begin, end = tree["span"]
    table = server.json(f"/api/runs/{run['id']}/area", **{"from": begin, "to": end, "top": 0})["tables"][
        "area"
    ]
    at = {column["name"]: i for i, column in enumerate(table["columns"])}
    for where in {row[at["on"]] for row in table["rows"]}:
        assert sum(row[at["share"]] for row in table["rows"] if row[at["on"]] == where) == pytest.approx(100)


def test_area_partition_is_that_of_steps(server):
    for name in ("gpt", "starved", "eight"):
        run = server.runs()[name]
        steps = server.json(f"/api/runs/{run['id']}/steps", table="step_devices")["tables"]["step_devices"]
        tree = server.json(f"/api/runs/{run['id']}/tracks", derived=1)["tree"]
        at = {column["name"]: i for i, column in enumerate(steps["columns"])}
        row = steps["rows"][1]
        device = row[at["device"]]
        track = next(
            t for t in tracks_of(tree) if t["type"] == "steps" and t["key"].endswith(f"{device}//steps")
        )
        event = 1 if name != "eight" else 0
        slice_ = server.json(f"/api/runs/{run['id']}/event", track=track["track"], event=event)
        area = server.json(
            f"/api/runs/{run['id']}/area",
            **{"from": slice_["begin"], "to": slice_["begin"] + slice_["duration"]},
        )["tables"]["area_time"]
        of = {column["name"]: i for i, column in enumerate(area["columns"])}
        step = dict(slice_["args"])["step"]
        row = next(r for r in steps["rows"] if r[at["device"]] == device and r[at["step"]] == step)
        found = next(r for r in area["rows"] if r[of["device"]] == device)
        for part in ("compute", "exposed_communication", "exposed_copies", "idle"):
            assert found[of[part]] == row[at[part]], (name, part)
        causes = [found[i] for column, i in of.items() if column.startswith("idle_")]
        assert sum(causes) == found[of["idle"]]


def test_derived_tracks(server):
    kinds = {}
    for name in ("gpt", "eight", "transfers"):
        run = server.runs()[name]
        tree = server.json(f"/api/runs/{run['id']}/tracks", derived=1)["tree"]
        kinds[name] = {track["type"] for track in tracks_of(tree) if track["derived"]}
    assert {"steps", "programs", "scopes", "idle", "busy"} <= kinds["gpt"]
    assert "collectives" in kinds["eight"]
    assert "copies" in kinds["transfers"]


def test_scopes_cover_the_operations(server):
    """Inside CUDA graphs too, every instant of an operation has the first scope of its path."""
    run = server.runs()["gpt"]
    tree = tracks_of(server.json(f"/api/runs/{run['id']}/tracks", derived=1)["tree"])
    stream = next(t for t in tree if t["type"] == "stream" and "Compute" in t["title"])
    scopes = next(t for t in tree if t["type"] == "scopes")
    level = 36
    query = {"level": level, "first": 0, "buckets": 64}
    tracks = f"{stream['track']}m,{scopes['track']}"
    tile = read_tile(server.get(f"/api/runs/{run['id']}/tile", tracks=tracks, **query)[2])
    work = sum(tile["rows"][stream["track"], MERGED]["busy"])
    row = tile["rows"][scopes["track"], 0]
    outer = sum(row["busy"]) + sum(row["duration"])
    assert outer >= 0.999 * work
    assert scopes["lanes"] >= 3


def test_links_between_hosts_stand_on_one_clock(server):
    """Who takes part in a collective waits for the others: the executions overlap, on whatever host they are."""
    run = server.runs()["two"]
    path = f"/api/runs/{run['id']}"
    rows = [
        track
        for track in tracks_of(server.json(f"{path}/tracks", derived=1)["tree"])
        if track["type"] == "collectives"
    ]
    hosts = {track["key"].split("/")[0] for track in rows}
    assert len(hosts) == 2
    checked = 0
    for event in range(min(rows[0]["events"], 5)):
        own = server.json(f"{path}/event", track=rows[0]["track"], event=event)
        peers = own["effects"]
        assert {row["track"] for row in rows[1:]} == {peer["track"] for peer in peers}
        for peer in peers:
            there = server.json(f"{path}/event", track=peer["track"], event=peer["event"])
            assert {key: there[key] for key in ("begin", "duration", "lane", "name")} == {
                key: peer[key] for key in ("begin", "duration", "lane", "name")
            }
        together = [own, *peers]
        assert max(one["begin"] for one in together) < min(one["begin"] + one["duration"] for one in together)
        checked += 1
    assert checked > 0
