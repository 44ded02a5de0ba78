"""Document A: what profile_Ngpu.py was. `python a_supergrad.py COUNT`, run for each count by one command.

Two ways to the same gradient, each traced: LCAM recomputes the layers in the backward pass, TAD is plain autodiff.
"""

import sys

import jax

COUNT = int(sys.argv[1])
if not jax.config.jax_platforms or "cpu" in jax.config.jax_platforms:
    jax.config.update("jax_num_cpu_devices", COUNT)

import numpy as np  # noqa: E402
import small_gpt  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec  # noqa: E402

from gait.compat.supergrad import create_profiled_test_function, profile_configuration  # noqa: E402

MESH = Mesh(np.array(jax.devices()), ("batch",))


def unitary_gradient(loss):
    """As the original's test functions: takes what it needs by name, returns nothing."""
    step = jax.jit(jax.grad(loss))

    def test(benchmark, n_qubit):
        model, batch = benchmark
        for _ in range(n_qubit):
            gradients = step(model, batch)
        del gradients

    return test


def recomputing(model, batch):
    return jax.checkpoint(small_gpt.loss_fn)(model, batch)


def main():
    everywhere = NamedSharding(MESH, PartitionSpec())
    split = NamedSharding(MESH, PartitionSpec("batch"))
    model = jax.device_put(small_gpt.new_model(layers=1), everywhere)
    batch = jax.device_put(next(small_gpt.batches(batch_size=8)), split)
    methods = {
        name: create_profiled_test_function(unitary_gradient(loss), (model, batch), n_qubit=2)
        for name, loss in (("lcam", recomputing), ("tad", small_gpt.loss_fn))
    }
    params = sum(leaf.size for leaf in jax.tree.leaves(model))
    profile_configuration(COUNT, methods, n_qubit=2, total_params=params)


if __name__ == "__main__":
    main()
