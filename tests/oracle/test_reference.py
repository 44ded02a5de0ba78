"""The reference reading agrees with JAX's own reader, so that it may judge gait."""

import gzip

import pytest
import xplane
from jax.profiler import ProfileData


@pytest.fixture(scope="module")
def pair(capture):
    data = capture.read_bytes()
    if capture.suffix == ".gz":
        data = gzip.decompress(data)
    return xplane.read(data), ProfileData.from_serialized_xspace(data)


def test_same_planes_and_lines(pair):
    ours, jax_data = pair
    assert [p.name for p in ours.planes] == [p.name for p in jax_data.planes]
    for plane, jax_plane in zip(ours.planes, jax_data.planes, strict=True):
        assert [line.name for line in plane.lines] == [line.name for line in jax_plane.lines]


def test_same_events(pair):
    ours, jax_data = pair
    for plane, jax_plane in zip(ours.planes, jax_data.planes, strict=True):
        for line, jax_line in zip(plane.lines, jax_plane.lines, strict=True):
            jax_events = list(jax_line.events)
            assert [e.name for e in line.events] == [e.name for e in jax_events]
            # ProfileData cuts durations to whole nanoseconds and gives both as doubles.
            assert [e.duration // 1000 for e in line.events] == [int(e.duration_ns) for e in jax_events]
            assert [e.begin / 1000 for e in line.events] == pytest.approx(
                [e.start_ns for e in jax_events], abs=1
            )


def test_same_arguments(pair):
    ours, jax_data = pair
    for plane, jax_plane in zip(ours.planes, jax_data.planes, strict=True):
        for line, jax_line in zip(plane.lines, jax_plane.lines, strict=True):
            for event, jax_event in zip(line.events, jax_line.events, strict=True):
                assert sorted(event.own_args, key=repr) == sorted(jax_event.stats, key=repr), event.name
