"""gait.Schedule: pure numbers."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import gait


def due(schedule, numbers, **options):
    return [n for n in numbers if schedule.due(n, **options)]


def test_n_means_n():
    for count in range(1, 8):
        assert due(gait.Schedule(start=10, count=count), range(100)) == list(range(10, 10 + count))


def test_once_unless_told_otherwise():
    assert due(gait.Schedule(start=100, count=1), range(5000)) == [100]


def test_periods():
    assert due(gait.Schedule(start=100, every=1000, count=2), range(2500)) == [
        100,
        101,
        1100,
        1101,
        2100,
        2101,
    ]


def test_one_range_may_be_repeated():
    assert gait.Schedule(every=5, count=2) == gait.Schedule(start=10, every=5, count=2)
    schedule = gait.Schedule(steps="2:3", every=5)
    assert schedule == gait.Schedule(start=2, count=2, every=5)
    assert due(schedule, range(15)) == [2, 3, 7, 8, 12, 13]
    assert dataclasses.replace(gait.Schedule(steps="2:3"), every=5) == schedule


def test_asking_changes_nothing():
    schedule = gait.Schedule(start=3, count=2)
    assert [schedule.due(3) for _ in range(5)] == [True] * 5


def test_E1_asked_for_a_tracer():
    schedule = gait.Schedule(start=3, count=2)
    assert jax.jit(lambda x: x + schedule.due(3))(1) == 2
    with pytest.raises(TypeError, match=r"inside jax\.jit"):
        jax.jit(schedule.due)(3)


def test_numbers_of_other_kinds_are_asked_for():
    schedule = gait.Schedule(start=3, count=2)
    assert schedule.due(np.int64(4)) and schedule.due(jnp.int32(4))
    with pytest.raises(TypeError, match="a step number is an integer, not float"):
        schedule.due(3.5)


def test_a_program_that_resumes_behind_the_start():
    assert due(gait.Schedule(start=100, count=3), range(5000, 5010), first=5000) == [5000, 5001, 5002]
    assert due(gait.Schedule(start=100, every=1000, count=1), range(5000, 7000), first=5000) == [5100, 6100]


def test_no_schedule_captures_nothing():
    assert due(gait.Schedule(), range(100)) == []


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        (7, [7]),
        ("7", [7]),
        ("3:5", [3, 4, 5]),
        ("3:5, 9", [3, 4, 5, 9]),
        (range(3, 6), [3, 4, 5]),
        ([1, 5, 6], [1, 5, 6]),
        ([1, range(4, 6), "8:9"], [1, 4, 5, 8, 9]),
        ("3:6, 5:8, 4", [3, 4, 5, 6, 7, 8]),
    ],
)
def test_given_steps(steps, expected):
    assert due(gait.Schedule(steps=steps), range(20)) == expected


def test_neighbours_are_one_window():
    assert gait.Schedule(steps=[1, 5, 6]).windows() == (gait.Window(1, 1), gait.Window(5, 2))


def test_ranges_that_overlap_are_one_window():
    assert gait.Schedule(steps="10:15,13:18,30:39,32:33").windows() == (
        gait.Window(10, 9),
        gait.Window(30, 10),
    )
    assert gait.Schedule(steps="10:12,13:14").windows() == (gait.Window(10, 3), gait.Window(13, 2))


def test_a_window_that_is_jumped_over_begins_at_the_next_step():
    schedule = gait.Schedule(start=100, every=1000, count=2)
    assert schedule.begins(105, 95) == gait.Window(100, 2)
    assert schedule.begins(106, 105) is None
    assert gait.Schedule(steps="50:51").begins(60, 40) == gait.Window(50, 2)


@pytest.mark.parametrize(
    "arguments",
    [
        {"start": -1},
        {"count": 0},
        {"every": -5},
        {"start": "x"},
        {"count": True},
        {"max_seconds": 0},
        {"start": 1, "steps": "2"},
        {"steps": "5:3"},
        {"steps": "abc"},
        {"steps": 1.5},
        {"steps": -3},
        {"steps": True},
        {"steps": range(0)},
        {"steps": []},
        {"steps": range(-2, 2)},
        {"max_seconds": "3"},
        {"max_seconds": True},
        {"start": 1, "every": 2, "count": 3},
        {"steps": "2:3", "count": 2},
        {"steps": "2:3", "count": 5},
        {"steps": "2,5:6", "every": 10},
        {"steps": "2:5", "every": 3},
        {"steps": "2", "every": True},
    ],
)
def test_what_makes_no_sense_is_refused(arguments):
    with pytest.raises(gait.OptionError):
        gait.Schedule(**arguments)


def test_due_takes_the_numbers_that_steps_take():
    schedule = gait.Schedule(start=5, count=1)
    assert [schedule.due(number) for number in (5, 5.0, np.float32(5), np.int64(5), 6.0)] == [True] * 4 + [
        False
    ]
    for number in (None, 5.5, "5", float("nan"), True):
        with pytest.raises(TypeError, match="a step number is an integer"):
            schedule.due(number)
