"""A backward pass that runs without jit has the scopes of the model, of gait.scope and of jax.named_scope."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax._src.interpreters import ad

import gait

LAYERS = 3
inputs = jnp.ones((32, 128))
weights = [jnp.full((128, 128), 0.01 * (i + 1)) for i in range(LAYERS)]


def loss(weights):
    y = inputs
    for i, w in enumerate(weights):
        with gait.scope(f"layer_{i}"), jax.named_scope("mlp"):
            y = jnp.tanh(y @ w)
    with gait.scope("head"):
        return jnp.mean(y**2)


@pytest.fixture(autouse=True)
def own():
    """JAX's own function is there again afterwards."""
    before = ad._name_stack_ctx
    yield
    assert ad._name_stack_ctx is before


def scopes(capture) -> dict[str, int]:
    """Device time by the path of scopes, in picoseconds."""
    rows = capture.wait().load().ops(by="scope", top=0).to_dicts()
    return {row["path"]: row["time"] for row in rows}


@pytest.mark.parametrize("tracer", [0, 1])
def test_each_layer_has_its_backward_pass(tmp_path, tracer):
    expected = jax.grad(loss)(weights)
    with gait.trace(tmp_path, options={"python_tracer_level": tracer}) as capture:
        found = jax.grad(loss)(weights)
    for one, other in zip(expected, found, strict=True):
        np.testing.assert_array_equal(one, other)
    time = scopes(capture)
    for i in range(LAYERS):
        assert time[f"layer_{i}"] > 0
        assert time[f"backward/layer_{i}/mlp"] > 0
    assert time["backward/head"] > 0
    whole = sum(time[path] for path in time if "/" not in path)
    of_scopes = sum(time[path] for path in time if "/" not in path and not path.startswith("jit("))
    assert of_scopes > 0.95 * whole


def test_what_is_compiled_has_none_of_it(tmp_path):
    """Tracing a backward pass runs nothing: what is compiled has the scopes in its own names."""
    with gait.trace(tmp_path) as capture:
        jax.jit(jax.grad(lambda w: loss(w) * 2))(weights)
    assert not capture.load().dump(name="^backward$").to_dicts()


def test_an_error_in_it_comes_through(tmp_path):
    @jax.custom_vjp
    def broken(x):
        return x

    def fails(*_):
        raise ValueError("no gradient today")

    broken.defvjp(lambda x: (x, None), fails)

    def wrong(w):
        with gait.scope("layer"):
            return jnp.sum(broken(w * 2))

    with gait.trace(tmp_path) as capture:
        with pytest.raises(ValueError, match="no gradient today"):
            jax.grad(wrong)(weights[0])
        jax.grad(loss)(weights)
    assert scopes(capture)["backward/layer_0/mlp"] > 0
