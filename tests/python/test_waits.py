"""The program's waits for results, which JAX does not record on every platform, are events of a capture."""

import threading

import jax
import jax.numpy as jnp
import pytest
from jax._src.array import ArrayImpl
from jax._src.lib import xla_client

import gait
from gait import _replacing
from gait._waits import WaitHook

from .helpers import run_python


def functions() -> list:
    return [ArrayImpl.__dict__["block_until_ready"], xla_client.batched_block_until_ready]


@pytest.fixture(autouse=True)
def own():
    """JAX's own functions, which are there again afterwards."""
    before = functions()
    yield before
    assert functions() == before


def waits(capture) -> list[dict]:
    return capture.wait().load().dump(name="^block_until_ready$").to_dicts()


def test_each_wait_is_an_event_of_its_thread(tmp_path, step_function, array):
    with gait.trace(tmp_path) as capture:
        assert step_function(array).block_until_ready().shape == (64, 64)
        assert len(jax.block_until_ready([step_function(array), step_function(array)])) == 2
        jax.block_until_ready({"one": step_function(array), "no array": 3})
        thread = threading.Thread(target=step_function(array).block_until_ready)
        thread.start()
        thread.join()
    found = waits(capture)
    assert len(found) == 4
    assert len({wait["track_id"] for wait in found[:3]}) == 1
    assert found[3]["track_id"] != found[0]["track_id"]


def test_a_loop_that_waits_is_told_from_one_that_does_not(tmp_path):
    step = jax.jit(lambda x: x @ x / 1024)
    x = step(jnp.ones((1024, 1024))).block_until_ready()

    def loop(wait: bool) -> tuple[str, list[dict]]:
        with gait.trace(tmp_path / str(wait)) as capture:
            y = x
            for i in range(8):
                with gait.step(i):
                    y = step(y)
                    if wait:
                        y.block_until_ready()
        (series, *_) = capture.wait().load().steps().tables["step_times"].to_dicts()
        return series["loop"], waits(capture)

    said, found = loop(True)
    assert said == "waits"
    assert len(found) == 8
    assert loop(False)[1] == []  # gait's own wait at the end is none of the program's


def test_what_a_wait_raises_is_the_programs(tmp_path):
    gone = jnp.ones(3)
    gone.delete()
    with gait.trace(tmp_path) as capture:
        with pytest.raises(RuntimeError, match="deleted"):
            gone.block_until_ready()
        jnp.ones(3).block_until_ready()
    assert len(waits(capture)) == 2


@pytest.mark.parametrize(
    "options, records",
    [
        ({"host_tracer_level": 2}, True),
        ({"host_tracer_level": 0}, False),
        ({"python_tracer_level": 1}, False),  # which would take our file for the program's
    ],
)
def test_jax_has_its_functions_back_after_every_capture(tmp_path, own, options, records):
    for _ in range(2):
        with gait.trace(tmp_path, options=options) as capture:
            assert (functions() != own) == records
            with gait.trace(tmp_path) as inner:  # which is refused
                pass
            assert inner.lost
            assert (functions() != own) == records
        assert functions() == own
        capture.wait()
    with pytest.raises(ValueError, match="mine"), gait.trace(tmp_path):
        raise ValueError("mine")


FORKING = """
import os, sys, gait
from jax._src.array import ArrayImpl
own = ArrayImpl.block_until_ready
with gait.trace(sys.argv[1]):
    child = os.fork()
    if child == 0:
        os._exit(0 if ArrayImpl.block_until_ready is own else 1)
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_forked_child_has_them_back_too(tmp_path):
    assert run_python(FORKING, tmp_path).returncode == 0


def test_an_interrupt_between_the_two_leaves_nothing(own, monkeypatch):
    hook = WaitHook()

    def interrupted(owner, name, value, set_it=setattr):
        set_it(owner, name, value)
        raise KeyboardInterrupt

    monkeypatch.setattr(_replacing, "setattr", interrupted, raising=False)
    with pytest.raises(KeyboardInterrupt):
        hook.add()
    assert functions() != own
    with pytest.raises(KeyboardInterrupt):
        hook.remove()
    monkeypatch.undo()
    hook.remove()  # as the recorder does, which repeats it


def test_what_the_program_puts_there_meanwhile_stays(tmp_path, own, array):
    called = []
    try:
        with gait.trace(tmp_path) as capture:
            ours = ArrayImpl.block_until_ready

            def theirs(self):
                called.append(self)
                return ours(self)

            ArrayImpl.block_until_ready = theirs
        assert ArrayImpl.block_until_ready is theirs
        assert array.block_until_ready() is array  # through ours, which records no more
        assert called[-1] is array
    finally:
        ArrayImpl.block_until_ready = own[0]
    assert capture.wait().ok
