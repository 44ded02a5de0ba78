"""Document B: the methods of the guide, one after the other, in its words; only the import differs.

`python b_guide.py` in an empty folder leaves ./profiles with a run for each.
"""

import functools

import jax
import jax.numpy as jnp
import small_gpt
from small_gpt import compute_loss

from gait.compat.ueaj import benchmark_function, profile_function, profile_scope, profile_trace

model = small_gpt.new_model()
data_iterator = small_gpt.batches()
batch = next(data_iterator)
input_ids = batch["input_ids"]
loss_fn = lambda model: small_gpt.loss_fn(model, batch)  # noqa: E731
train_step = lambda model, batch: small_gpt.train_step(model, batch)[1]  # noqa: E731
dummy_input, real_input = input_ids[:1], input_ids  # of another shape: it compiles too


@functools.partial(jax.jit, static_argnums=1)
def optimized_step(model, optimizer, batch):
    """(the loss, what is logged), as the guide's training has it."""
    loss, gradients = jax.value_and_grad(small_gpt.loss_fn)(model, batch)
    moved = optimizer(model, gradients)
    return loss, {"norm": sum(jnp.sum(leaf**2) for leaf in jax.tree.leaves(moved)) ** 0.5}


def method_1():
    # Warmup first (important!)
    for _ in range(3):
        loss = train_step(model, batch)
        loss.block_until_ready()

    # Profile
    with profile_trace("./profiles", name="train_step"):
        loss = train_step(model, batch)
        loss.block_until_ready()


def method_2():
    with profile_trace("./profiles", name="detailed_profile"):
        with profile_scope("data_loading"):
            batch = next(data_iterator)

        with profile_scope("forward_pass"):
            logits = model(batch["input_ids"])

        with profile_scope("loss_computation"):
            loss = compute_loss(logits, batch["labels"])

        with profile_scope("backward_pass"):
            grads = jax.grad(loss_fn)(model)

        loss.block_until_ready()
    del grads


def method_3():
    @profile_function("./profiles", warmup_steps=5)
    def decorated_step(state, batch):
        new_state, loss = small_gpt.train_step(state, batch)
        return new_state, {"loss": loss}

    state, metrics = decorated_step(model, batch)
    assert jnp.isfinite(metrics["loss"])


def periodic(model, optimizer, data_loader, max_steps=1001):
    for step in range(max_steps):
        batch = next(data_loader)

        # Profile every 1000 steps
        should_profile = step > 0 and step % 1000 == 0

        if should_profile:
            profile_dir = f"./profiles/step_{step}"
            with profile_trace(profile_dir, name=f"step_{step}"):
                loss, metrics = optimized_step(model, optimizer, batch)
                loss.block_until_ready()
        else:
            loss, metrics = optimized_step(model, optimizer, batch)
    assert jnp.isfinite(metrics["norm"])


def components():
    with profile_trace("./profiles", name="model_breakdown"):
        # Profile each transformer layer
        x = model.embed(input_ids)

        for i, layer in enumerate(model.layers):
            with profile_scope(f"layer_{i}"):
                x = layer(x)

        with profile_scope("lm_head"):
            logits = model.lm_head(x)

        logits.block_until_ready()


def optimizers():
    optimizers = ["adamw", "muon", "multiscale"]

    for opt_name in optimizers:
        optimizer = small_gpt.create_optimizer(opt_name)

        with profile_trace("./profiles", name=f"optimizer_{opt_name}"):
            loss, _ = optimized_step(model, optimizer, batch)
            loss.block_until_ready()


def data_pipeline():
    with profile_trace("./profiles", name="data_pipeline"):
        with profile_scope("fetch_batch"):
            batch = next(data_iterator)

        with profile_scope("to_device"):
            batch = jax.device_put(batch)

        with profile_scope("computation"):
            loss = train_step(model, batch)
            loss.block_until_ready()


def memory():
    # Enable memory profiling
    jax.config.update("jax_log_compiles", True)

    with profile_trace("./profiles", name="memory_analysis"):
        # Force compilation
        _ = model(dummy_input).block_until_ready()

        # Profile actual run
        output = model(real_input)
        output.block_until_ready()
    jax.config.update("jax_log_compiles", False)


def too_large():
    # Good - profiles only 1 step
    with profile_trace("./profiles"):
        train_step(model, batch)


def benchmark():
    # Benchmark training step
    stats = benchmark_function(train_step, model, batch, num_iterations=100, warmup=10)

    print(f"Mean: {stats['mean']:.2f}ms ± {stats['std']:.2f}ms")

    # Assert performance regression
    assert stats["mean"] < 5000.0, f"Training step too slow: {stats['mean']:.2f}ms"


if __name__ == "__main__":
    for part in (method_1, method_2, method_3, components, optimizers, data_pipeline, memory, too_large):
        part()
    periodic(model, small_gpt.create_optimizer("adamw"), data_iterator)
    benchmark()
