"""Captures that another thread asks for, where the program's steps do not come as expected."""

import threading

import pytest

import gait
from gait import _jax, _on_request
from gait._ending import wait_until

from .helpers import whole


@pytest.fixture
def on_request(tmp_path):
    made = _on_request.OnRequest(tmp_path)
    yield made
    made.close()


class Asked(threading.Thread):
    """A request on a thread of its own."""

    def __init__(self, on_request, **what):
        super().__init__()
        self._work = lambda: on_request.capture(**what)
        self.capture, self.error = None, None
        self.start()

    def run(self):
        try:
            self.capture = self._work()
        except gait.GaitError as error:
            self.error = error


def train(step_function, array, steps):
    for i in range(steps):
        with gait.step(i):
            step_function(array).block_until_ready()


@pytest.fixture
def stuck(on_request, monkeypatch, step_function, array):
    """A capture of more steps than there are, which somebody has stopped."""
    monkeypatch.setattr(_on_request, "END_SECONDS", 0.0)
    train(step_function, array, 2)
    asked = Asked(on_request, steps=1000)
    assert wait_until(lambda: on_request._request is not None, 60)
    while asked.is_alive() and not gait.is_recording():
        train(step_function, array, 1)
    train(step_function, array, 3)
    return asked


@pytest.mark.on_cpu
def test_one_whose_steps_never_come_can_be_stopped(on_request, stuck, tmp_path):
    assert on_request.stop()
    stuck.join(60)
    assert stuck.error is None
    assert len(stuck.capture.steps) >= 3
    whole(tmp_path)
    assert not on_request.busy


def test_on_gpus_it_waits_for_a_step_but_those_who_asked_do_not(
    on_request, stuck, monkeypatch, step_function, array, tmp_path
):
    from gait._capture import recorder

    recorder._recording.beside = False
    assert on_request.stop()
    stuck.join(60)
    assert "until a step of the program ends" in str(stuck.error)
    assert not on_request.busy
    train(step_function, array, 1)
    assert recorder.wait(60)
    whole(tmp_path)


def test_on_gpus_without_steps_none_is_made(on_request, monkeypatch):
    monkeypatch.setattr(_jax, "stops_beside", lambda: False)
    monkeypatch.setattr(_on_request._periods, "count", lambda: 0)
    with pytest.raises(_on_request.RefusedError, match=r"mark them with gait\.step"):
        on_request.capture(seconds=0.01)
