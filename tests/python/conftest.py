"""The package under test, with real JAX: on the CPU, and where there is a GPU on that."""

import pytest

import gait


def pytest_configure(config):
    config.addinivalue_line("markers", "on_cpu: holds where JAX's devices are the CPU's")


def pytest_runtest_setup(item):
    if item.get_closest_marker("on_cpu"):
        import jax

        if jax.default_backend() != "cpu":
            pytest.skip("JAX's devices are not the CPU's here")


@pytest.fixture
def keeps_pace(monkeypatch):
    """The test's loop waits for its results: a machine that stalls must not make it look as if it had run ahead."""
    from gait import _periods

    monkeypatch.setattr(_periods, "AHEAD", float("inf"))


@pytest.fixture(autouse=True)
def _nothing_left_behind():
    """Whatever a test does: afterwards no session runs, nothing waits to be written."""
    yield
    from gait import _term
    from gait._capture import recorder
    from gait._ending import wait_until
    from gait._session import Session

    left = Session.active()
    recorder.end()
    assert recorder.wait(60)
    assert wait_until(lambda: _term._handler() == 0, 10), "SIGTERM was not given back"
    assert gait._native.wait_for_writer(60)
    assert left is None, "a session was left behind"


@pytest.fixture
def full_disk(monkeypatch):
    """Captures are recorded and then lost."""
    from gait import _capture

    monkeypatch.setattr(_capture, "KEEP_FREE", 1 << 60)  # more than there is


@pytest.fixture
def step_function():
    """A jitted step with a scope in it, compiled."""
    import jax
    import jax.numpy as jnp

    @jax.jit
    def train_step(x):
        with gait.scope("inner_scope"):
            return jnp.tanh(x @ x)

    train_step(jnp.ones((64, 64))).block_until_ready()
    return train_step


@pytest.fixture
def array():
    import jax.numpy as jnp

    return jnp.ones((64, 64))
