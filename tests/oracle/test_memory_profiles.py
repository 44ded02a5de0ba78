"""Device memory profiles: gait's sums against a slow reading of pprof."""

import gzip
import itertools
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest
import xplane
from conftest import DATA, MORE

STORED = sorted((DATA / "memory").glob("*.prof")) + sorted((MORE / "cpu" / "memory").glob("*.prof"))


def integers(message: bytes, field: int) -> list[int]:
    """Of a repeated integer field, packed or not."""
    found = []
    for value in xplane.repeated(message, field):
        at = 0
        while isinstance(value, bytes) and at < len(value):
            one, at = xplane.varint(value, at)
            found.append(one)
        if isinstance(value, int):
            found.append(value)
    return found


def read(path: Path) -> list[dict]:
    data = gzip.decompress(path.read_bytes())
    strings = [xplane.text(raw) for raw in xplane.repeated(data, 6)]
    functions = {}
    for raw in xplane.repeated(data, 5):
        function = xplane.scalars(raw)
        functions[function[1]] = (strings[function.get(2, 0)], strings[function.get(4, 0)])
    frames = {}
    for raw in xplane.repeated(data, 4):
        location = xplane.scalars(raw)
        line = xplane.scalars(location[4])
        frames[location[1]] = (*functions[line[1]], line.get(2, 0))
    samples = []
    for raw in xplane.repeated(data, 2):
        labels = {}
        for label in xplane.repeated(raw, 3):
            pair = xplane.scalars(label)
            labels[strings[pair.get(1, 0)]] = strings[pair.get(2, 0)]
        count, size = (xplane.signed(value) for value in integers(raw, 2))
        stack = [frames[i] for i in integers(raw, 1)]
        samples.append({"stack": stack, "count": count, "bytes": max(0, size), **labels})
    return samples


def of_jax(frame: tuple) -> bool:
    return bool(re.search(r"(^|/)(jax/(_src|experimental)|jaxlib|(site|dist)-packages/jax)/", frame[1]))


def key(sample: dict) -> tuple:
    mine = [frame for frame in sample["stack"] if not of_jax(frame)] or sample["stack"]
    return tuple(mine), sample.get("kind")


@pytest.mark.parametrize("path", STORED, ids=lambda p: p.name)
def test_one_profile(gait, path):
    samples = read(path)
    document = gait.document("memory", path)
    total = sum(s["bytes"] for s in samples)
    places = {(p["function"], p["file"], p["line"]): p for p in gait.rows(document, "heap_places")}
    assert sum(p["flat"] for p in places.values()) == total
    flat, cumulative = defaultdict(int), defaultdict(int)
    for sample in samples:
        flat[key(sample)[0][0]] += sample["bytes"]
        for frame in set(sample["stack"]):
            cumulative[frame] += sample["bytes"]
    for frame, place in places.items():
        assert place["flat"] == flat[frame]
        assert place["cumulative"] == cumulative[frame]
    by_label = defaultdict(int)
    for sample in samples:
        by_label[sample.get("kind"), sample.get("device")] += sample["count"]
    assert {(t["kind"], t["device"]): t["count"] for t in gait.rows(document, "heap_totals")} == by_label
    assert sum(s["bytes"] for s in gait.rows(document, "heap_stacks")) == total


def check_diff(gait, paths):
    profiles = [read(path) for path in paths]
    rows = gait.rows(gait.document("memory", *paths), "heap_diff")
    expected = defaultdict(lambda: [0] * len(paths))
    for i, samples in enumerate(profiles):
        for sample in samples:
            expected[key(sample)][i] += sample["bytes"]
    assert sorted(row["bytes"] for row in rows) == sorted(expected.values())
    totals = [sum(s["bytes"] for s in samples) for samples in profiles]
    assert sum(row["change"] for row in rows) == totals[-1] - totals[0]
    for row in rows:
        assert (row["leak"] == "yes") == (
            len(paths) > 2 and all(a < b for a, b in itertools.pairwise(row["bytes"]))
        )
    return rows


def test_two_profiles(gait):
    rows = check_diff(gait, STORED[:2])
    assert {row["state"] for row in rows} <= {"new", "gone", "grown", "shrunk", "same"}


def test_seed_B11_a_leak_is_found(gait):  # noqa: N802
    rows = check_diff(gait, [DATA / "memory" / f"step_{step}.prof" for step in range(4)])
    (leak,) = [row for row in rows if row["leak"] == "yes"]
    assert leak["site"].startswith("keep (make_memory.py:")
    assert leak["per_profile"] == 256 * 256 * 4
    same = gait.document("memory", DATA / "memory")  # the folder means all of them, in order
    assert gait.rows(same, "heap_diff") == rows


def test_a_profile_made_now(gait, tmp_path):
    program = "import jax, sys; x = jax.numpy.ones((300, 100)); "
    program += "jax.profiler.save_device_memory_profile(sys.argv[1])"
    path = tmp_path / "now.prof"
    subprocess.run([sys.executable, "-c", program, path], check=True, timeout=120)
    total = sum(sample["bytes"] for sample in read(path))
    assert total >= 120_000
    assert sum(p["flat"] for p in gait.rows(gait.document("memory", path), "heap_places")) == total


def test_a_program_below_a_folder_called_jax(gait, tmp_path):
    program = tmp_path / "jax" / "grow.py"
    program.parent.mkdir()
    program.write_text(
        "import sys\n"
        "sys.path.pop(0)\n"
        "import jax\n"
        "kept = []\n"
        "for path in sys.argv[1:]:\n"
        "    kept.append(jax.numpy.ones((300, 100)) * 2)\n"
        "    jax.profiler.save_device_memory_profile(path)\n"
    )
    paths = [tmp_path / f"{i}.prof" for i in range(3)]
    subprocess.run([sys.executable, program, *paths], check=True, timeout=120)
    rows = check_diff(gait, paths)
    (leak,) = [row for row in rows if row["leak"] == "yes"]
    assert leak["site"].endswith("jax/grow.py:6)")
    assert leak["bytes"] == [120_000, 240_000, 360_000]


def test_what_is_no_profile(gait, tmp_path):
    path = tmp_path / "x.prof"
    path.write_bytes(b"hello")
    done = gait.run("memory", path)
    assert done.returncode == 3
    assert b"no device memory profile" in done.stderr
