"""Steps of programs that mark none: which launches are counted, and how they are seen."""

import jax
import jax.numpy as jnp
import pytest

from gait import _jax
from gait._launches import Launches
from gait._loop import Function, Loop


def followed(launches: str, **sizes: int) -> list[tuple[str, int]]:
    """(function, step) of each launch that is one, of functions with names of one letter."""
    loop = Loop()
    functions = {name: Function(name, lambda name=name: sizes.get(name, 1)) for name in set(launches)}
    return [(n, functions[n].launches - 1) for n in launches if loop.launch(functions[n])]


@pytest.mark.parametrize(
    ("launches", "last"),
    [
        ("ittttt", ("t", 4)),  # initialised once, by a larger program
        ("iiitttttt", ("t", 5)),  # layer by layer
        ("aaaaaattt", ("t", 2)),  # prepared by a smaller one, for long
        ("t" * 19 + "e" + "t" * 20 + "e" + "t", ("t", 39)),  # an evaluation, larger and rare
        ("hhhthhhthhht", ("t", 2)),  # small helpers, more often than the step
        ("t" * 30 + "v" * 10 + "t", ("t", 30)),  # validated in a row, by a smaller one
        ("t" * 30 + "e" * 10 + "t" * 11, ("t", 40)),  # by a larger one
    ],
)
def test_the_function_that_repeats_is_followed(launches, last):
    assert followed(launches, i=100, e=100, t=10)[-1] == last


def test_what_is_launched_once_is_no_step():
    assert followed("abcdef") == []


def test_a_capture_holds_its_function_until_that_one_rests():
    loop = Loop()
    small, large = Function("small", lambda: 1), Function("large", lambda: 2)
    held = [loop.launch(function, hold=True) for function in [small, small, *[large] * 4]]
    assert held == [False, True, False, False, True, True]


class Seen:
    def __init__(self):
        self.events = []

    def before(self, function):
        self.events.append(("before", function.name))

    def after(self, function):
        self.events.append(("after", function.name))

    def take(self):
        events, self.events = self.events, []
        return events


@pytest.fixture
def launches():
    watched = Launches(Seen())
    watched.install()
    yield watched
    watched.remove()


def launch(launches, step, x, times=1):
    for _ in range(times):
        step(x)
    return launches._listener.take()


def test_launches_keep_their_fast_path_and_those_of_jax_are_left_out(launches):
    @jax.jit
    def step(x):
        return jnp.sin(x) + 1

    x = jnp.ones((3,)) + 1
    launch(launches, step, x)
    assert launch(launches, step, x, 3) == [("after", "jit(step)")] * 3  # never "before": not by Python
    (function,) = launches._functions.values()
    launches.show_next(function)
    assert launch(launches, step, x, 2) == [
        ("before", "jit(step)"),
        ("after", "jit(step)"),
        ("after", "jit(step)"),
    ]
    launches.remove()
    assert launch(launches, step, x, 2) == []


def test_what_gait_launches_is_no_launch_of_the_program(launches):
    for _ in range(2):
        _jax.wait_for_devices(launches=True)
    assert launches._listener.take() == []


def test_launches_of_one_function_for_several_shapes_are_of_one_function(launches):
    step = jax.jit(lambda x: x * 2)
    for size in (2, 3, 2, 3):
        launch(launches, step, jnp.ones(size))
    assert len(launches._functions) == 1


def test_launches_of_what_was_compiled_ahead_of_time(launches):
    x = jnp.ones((3,))
    step = jax.jit(lambda x: x * 3).lower(x).compile()
    events = launch(launches, step, x, 3)
    assert [when for when, _ in events] == ["before", "after", "after", "after"]


def test_jax_looks_for_nans_as_before(launches):
    step = jax.jit(lambda x: x / x)
    one, zero = jnp.ones(()), jnp.zeros(())
    launch(launches, step, one, 2)
    with jax.debug_nans(True):
        launch(launches, step, one, 2)
        with pytest.raises(FloatingPointError):
            step(zero)
    launches._listener.take()
    # JAX has told this thread to look no longer; launches are still seen
    assert launch(launches, step, one, 2)[-1] == ("after", "jit(<lambda>)")


def test_a_mistake_of_ours_is_not_the_programs(launches, capsys):
    def fail(function):
        raise ValueError("ours")

    launches._listener.after = fail
    jax.jit(lambda x: x * 5)(jnp.ones(2))
    assert "no longer counted: ours" in capsys.readouterr().err
