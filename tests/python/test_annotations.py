"""gait.scope, annotate, trace_function, step: what they name, in captures and in programs."""

import asyncio
import functools
import threading
from fractions import Fraction
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import gait

from .helpers import manifest


def names_of(capture, pattern: str) -> list[dict]:
    """Events of a capture whose name matches."""
    return capture.load().dump(name=pattern).to_dicts()


def test_a_scope_reaches_the_names_of_operations():
    @jax.jit
    def f(x):
        with gait.scope("outer"), gait.scope("inner"):
            return jnp.sin(x)

    assert "outer/inner/sin" in f.lower(1.0).compile().as_text()


def test_a_scope_is_an_event_with_stats(tmp_path, step_function, array):
    with gait.trace(tmp_path) as capture, gait.scope("my load", source="disk", shard=3):
        array = step_function(array)
    (event,) = names_of(capture, "^my load$")
    assert "disk" in str(event) and "3" in str(event)


def test_halves_of_surrogate_pairs_end_no_training(tmp_path, step_function, array):
    """As in the names of captures: ? stands for them."""
    from gait.compat.ueaj import profile_scope

    named = gait.annotate("\udc80annotated")(step_function)
    with gait.trace(tmp_path) as capture:
        with (
            gait.scope("\udc80scope", file="caf\udce9", path=Path("caf\udce9")),
            profile_scope("\udc80compat"),
        ):
            array = named(array)
        with gait.step(3, "\udc80step", file="caf\udce9"):
            array = jax.jit(lambda x: gait.scope("\udc80staged")(jnp.sin)(x))(array)
        array.block_until_ready()
    for name in ("scope", "compat", "annotated", "step"):
        assert len(names_of(capture, f"^[?]{name}$")) == 1
    assert "caf?" in str(names_of(capture, "^[?]scope$"))
    assert manifest(capture)["capture"]


def test_a_scope_outside_of_captures_does_nothing():
    made = gait.scope("x")
    with made as entered:
        assert entered is made
    assert repr(made) == "gait.scope('x')"
    assert made.name == "x"


def test_a_scope_needs_a_name():
    for arguments in ((), (3,), ("a", "b")):
        with pytest.raises(TypeError, match="one name"):
            gait.scope(*arguments)


def test_one_scope_may_be_entered_again_and_by_many_threads(tmp_path, step_function, array):
    shared = gait.scope("shared")

    def work():
        for _ in range(5):
            with shared, shared:
                pass

    with gait.trace(tmp_path) as capture:
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        work()
        for thread in threads:
            thread.join()
    assert len(names_of(capture, "^shared$")) == 5 * 5 * 2


def test_a_scope_that_a_session_ends_or_begins_in_is_harmless(tmp_path):
    with gait.scope("before"):
        trace = gait.trace(tmp_path)
        capture = trace.__enter__()
    with gait.scope("across"):
        trace.__exit__(None, None, None)
    assert capture.ok


def test_exceptions_pass_through_a_scope():
    with pytest.raises(KeyError), gait.scope("x"):
        raise KeyError("mine")


class Model:
    @gait.annotate
    def method(self, x):
        return x + 1

    @gait.annotate("static")
    @staticmethod
    def static(x):
        return x + 2

    @gait.annotate
    @classmethod
    def of_class(cls, x):
        return x + 3

    def __call__(self, x):
        return x + 4


def test_annotate_in_every_form():
    @gait.annotate
    def bare(x):
        """Its text."""
        return x

    @gait.annotate()
    def empty(x):
        return x

    @gait.annotate("named", kind="test")
    def named(x):
        return x

    @gait.scope("as a decorator")
    def scoped(x):
        return x

    @gait.trace_function("traced", source="disk")
    def traced(x):
        return x

    @gait.trace_function(name="traced too")
    def traced_too(x):
        return x

    for function in (bare, empty, named, scoped, traced, traced_too):
        assert function(7) == 7
    assert bare.__name__ == "bare" and bare.__doc__ == "Its text."
    assert Model().method(1) == 2
    assert Model.static(1) == Model().static(1) == 3
    assert Model.of_class(1) == 4
    assert gait.trace_function(functools.partial(bare, 5))() == 5
    assert gait.trace_function(Model(), "callable")(1) == 5
    assert gait.annotate(len)("abc") == 3


def test_annotate_refuses_what_is_no_function():
    with pytest.raises(TypeError):
        gait.annotate("name")(3)
    with pytest.raises(TypeError, match="functions, not str"):
        gait.trace_function("function", "name")


def test_annotated_generators_keep_their_protocol():
    log = []

    @gait.annotate
    def generate():
        try:
            got = yield 1
            log.append(got)
            try:
                yield 2
            except ValueError as error:
                log.append(str(error))
            yield 3
            return "end"
        finally:
            log.append("closed")

    generator = generate()
    assert next(generator) == 1
    assert generator.send("sent") == 2
    assert generator.throw(ValueError("thrown")) == 3
    with pytest.raises(StopIteration) as stop:
        next(generator)
    assert stop.value.value == "end"
    assert log == ["sent", "thrown", "closed"]
    early = generate()
    next(early)
    early.close()
    assert log[-1] == "closed"


def test_an_annotated_generator_is_an_event_for_each_resumption(tmp_path):
    @gait.annotate("batches")
    def batches():
        yield from range(3)

    with gait.trace(tmp_path) as capture:
        assert list(batches()) == [0, 1, 2]
    assert len(names_of(capture, "^batches$")) == 4  # the last one finds the end


def test_annotated_coroutines():
    @gait.annotate
    async def double(x):
        await asyncio.sleep(0)
        return 2 * x

    @gait.annotate
    async def count(n):
        for i in range(n):
            await asyncio.sleep(0)
            yield i

    async def main():
        return await double(4), [i async for i in count(3)]

    assert asyncio.iscoroutinefunction(double)
    assert asyncio.run(main()) == (8, [0, 1, 2])


def test_steps_are_found_in_the_capture(tmp_path, step_function, array):
    with gait.trace(tmp_path) as capture:
        for i in range(10, 14):
            with gait.step(i, name="epoch", split="train"):
                array = step_function(array)
    assert capture.steps == [10, 11, 12, 13]
    steps = capture.load().steps()
    assert [row["step"] for row in steps.tables["steps"]] == [10, 11, 12, 13]


@pytest.fixture
def unsaid(monkeypatch):
    from gait import _annotate

    monkeypatch.setattr(_annotate, "_said", False)


def test_E1_a_tracer_is_no_step_number(unsaid, capsys):
    @jax.jit
    def train_step(state):
        with gait.step(state):
            return state + 1

    assert train_step(1) == 2
    assert "inside jax.jit" in capsys.readouterr().err


class Unprintable:
    def __repr__(self):
        raise ValueError("mine")


@pytest.mark.parametrize(
    "number",
    [
        *("x", "3", None, 1.5j, 3.7, True, float("nan"), float("inf"), 2**70, -(2**70)),
        *(10**400, 10**5000, Fraction(10**400), Unprintable()),
    ],
    ids=lambda number: type(number).__name__,
)
def test_what_is_no_step_number_is_said_once_and_training_goes_on(number, unsaid, capsys):
    with gait.step(40):
        pass
    for expected in (41, 42):
        with gait.step(number) as marked:
            assert marked.number == expected
    assert capsys.readouterr().err.count("a step number is an integer") == 1


@pytest.mark.parametrize("number", [2.0, np.float32(2), np.float64(2)])
def test_a_float_without_a_fraction_is_its_integer(number, unsaid, capsys):
    assert gait.step(number).number == 2
    assert "It counts as step 2" in capsys.readouterr().err


@pytest.mark.parametrize("number", [float("nan"), None, np.float32(5), 2**70])
def test_a_profiler_takes_any_step_number(tmp_path, number, unsaid):
    profiler = gait.Profiler(gait.Schedule(start=100), tmp_path, on_signal=None)
    with profiler.step(number):
        pass
    profiler.close()


def test_step_numbers_of_other_types():
    assert gait.step(np.int32(5)).number == 5
    assert gait.step(jnp.int32(6)).number == 6


def test_a_step_cannot_run_inside_itself(tmp_path):
    with gait.trace(tmp_path):
        running = gait.step(1)
        with running, pytest.raises(RuntimeError, match="already running"):
            running.__enter__()


def test_is_recording(tmp_path):
    assert not gait.is_recording()
    with gait.trace(tmp_path):
        assert gait.is_recording()
    assert not gait.is_recording()
