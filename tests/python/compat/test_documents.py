"""The documents' own snippets, unchanged but for the import."""

import types
from dataclasses import dataclass
from typing import Optional

import jax
import jax.numpy as jnp
import pytest
from programs import captures, folders

import gait

# What the snippets take as given: a model, a batch, a training step.
GIVEN = """
import jax, jax.numpy as jnp

class Layer:
    def __call__(self, x): return jnp.tanh(x @ jnp.eye(8))

@jax.tree_util.register_pytree_node_class
class Model:
    layers = [Layer(), Layer()]
    def __init__(self, w=1.0): self.w = w
    def tree_flatten(self): return (self.w,), None
    @classmethod
    def tree_unflatten(cls, _, leaves): return cls(*leaves)
    def embed(self, input_ids): return jnp.ones((4, 8)) * input_ids
    def lm_head(self, x): return x @ jnp.ones((8, 16))
    def __call__(self, x): return jnp.tanh(x @ jnp.eye(8))
    forward = __call__

model = Model()
data = dummy_input = real_input = input_ids = jnp.ones((4, 8))
batch = {"input_ids": data, "labels": data}
data_iterator = iter([batch] * 100)
fn = jnp.tanh
compute_loss = lambda logits, labels: jnp.mean((logits - labels) ** 2)
loss_fn = lambda m: m.w * 2.0
"""

TRAIN_STEP = (
    "compiled = jax.jit(lambda x: jnp.sum(jnp.tanh(x @ x.T)))\ntrain_step = lambda *_: compiled(data)\n"
)
TRAIN_STEP_2 = "train_step = lambda *_: (jnp.sum(jnp.tanh(data @ data.T)), {})\n"
STATE_STEP = "state = jnp.zeros(3)\ntrain_step = jax.jit(lambda s, b: (s + 1, {}))\n"

B_METHOD_1 = """
from gait.compat.ueaj import profile_trace

# Warmup first (important!)
for _ in range(3):
    loss = train_step(model, batch)
    loss.block_until_ready()

# Profile
with profile_trace("./profiles", name="train_step"):
    loss = train_step(model, batch)
    loss.block_until_ready()
"""
B_METHOD_2 = """
from gait.compat.ueaj import profile_trace, profile_scope

with profile_trace("./profiles", name="detailed_profile"):
    with profile_scope("data_loading"):
        batch = next(data_iterator)

    with profile_scope("forward_pass"):
        logits = model(batch['input_ids'])

    with profile_scope("loss_computation"):
        loss = compute_loss(logits, batch['labels'])

    with profile_scope("backward_pass"):
        grads = jax.grad(loss_fn)(model)

    loss.block_until_ready()
"""
B_METHOD_3 = """
from gait.compat.ueaj import profile_function

@profile_function("./profiles", warmup_steps=5)
def train_step(state, batch):
    # Your training logic
    return new_state, metrics
"""
B_PERIODIC = """
from gait.compat.ueaj import profile_trace, profile_scope

def train(model, optimizer, data_loader, config):
    for step in range(config.max_steps):
        batch = next(data_loader)

        # Profile every 1000 steps
        should_profile = (step > 0 and step % 1000 == 0)

        if should_profile:
            profile_dir = f"{config.profile_dir}/step_{step}"
            with profile_trace(profile_dir, name=f"step_{step}"):
                loss, metrics = train_step(model, optimizer, batch)
                loss.block_until_ready()
        else:
            loss, metrics = train_step(model, optimizer, batch)

        # Logging, checkpointing, etc.
"""
B_COMPONENTS = """
from gait.compat.ueaj import profile_trace, profile_scope

with profile_trace("./profiles", name="model_breakdown"):
    # Profile each transformer layer
    x = model.embed(input_ids)

    for i, layer in enumerate(model.layers):
        with profile_scope(f"layer_{i}"):
            x = layer(x)

    with profile_scope("lm_head"):
        logits = model.lm_head(x)

    logits.block_until_ready()
"""
B_OPTIMIZERS = """
from gait.compat.ueaj import profile_trace
optimizers = ['adamw', 'muon', 'multiscale']

for opt_name in optimizers:
    optimizer = create_optimizer(opt_name)

    with profile_trace("./profiles", name=f"optimizer_{opt_name}"):
        loss = train_step(model, optimizer, batch)
        loss.block_until_ready()
"""
B_DATA = """
from gait.compat.ueaj import profile_trace, profile_scope
with profile_trace("./profiles", name="data_pipeline"):
    with profile_scope("fetch_batch"):
        batch = next(data_iterator)

    with profile_scope("to_device"):
        batch = jax.device_put(batch)

    with profile_scope("computation"):
        loss = train_step(model, batch)
        loss.block_until_ready()
"""
B_MEMORY = """
from gait.compat.ueaj import profile_trace
with profile_trace("./profiles", name="memory_analysis"):
    # Force compilation
    _ = model(dummy_input).block_until_ready()

    # Profile actual run
    output = model(real_input)
    output.block_until_ready()
"""
B_TROUBLE = """
from gait.compat.ueaj import profile_trace
# Wrong
with profile_trace("./profiles"):
    x = jax.jit(fn)(data)  # Returns immediately!

# Correct
with profile_trace("./profiles"):
    x = jax.jit(fn)(data)
    x.block_until_ready()  # Wait for computation
"""
B_BENCHMARK = """
from gait.compat.ueaj import benchmark_function

# Benchmark training step
stats = benchmark_function(
    train_step,
    model, batch,
    num_iterations=100,
    warmup=10
)

print(f"Mean: {stats['mean']:.2f}ms ± {stats['std']:.2f}ms")

# Assert performance regression
assert stats['mean'] < 150.0, f"Training step too slow: {stats['mean']:.2f}ms"
"""
C_LOOP = """
from gait.compat.efficientids import Profiler

# In training loop
profiler = Profiler(num_steps=5, log_dir='./traces')

for step in range(num_steps):
    profiler.begin_step(step)

    # Your training code
    state, metrics = train_step(state, batch)

    profiler.end_step()

    # Trigger profiling at step 100
    if step == 100:
        profiler.capture_async()
"""
C_BLOCK = """
from gait.compat.efficientids import ProfileContext

with ProfileContext('./traces'):
    # Code to profile
    state, metrics = train_step(state, batch)
"""
D_TROUBLE = """
# Always block on outputs
with maybe_profile(step):
    result = train_step(...)
    result.block_until_ready()  # <-- Required!
"""
E_CONTEXT = """
# In a task method
with self.profile_context(state, name="my_operation"):
    # Code to profile
    result = my_operation(...)
"""
E_ANNOTATE = """
from gait.compat.xax import annotate

@annotate("compute_loss")
def compute_loss(self, model, x, y):
    # Function implementation
    ...
"""
E_TRACE = """
from gait.compat.xax import trace_function

# Wrap an existing function
original_fn = model.forward
model.forward = trace_function(original_fn, name="model_forward")
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs a snippet in an empty folder; gives its names."""
    monkeypatch.chdir(tmp_path)

    def execute(*parts, **names):
        for part in (GIVEN, *parts):
            exec(compile(part, "<document>", "exec"), names)
        assert gait._capture.recorder.wait(60)
        return names

    return execute


@pytest.mark.parametrize(
    ("snippet", "expected"),
    [
        (B_METHOD_1, ["train_step"]),
        (B_METHOD_2, ["detailed_profile"]),
        (B_COMPONENTS, ["model_breakdown"]),
        (B_DATA, ["data_pipeline"]),
        (B_MEMORY, ["memory_analysis"]),
        (B_TROUBLE, ["trace"]),
    ],
    ids=["method 1", "method 2", "components", "data pipeline", "memory", "troubleshooting"],
)
def test_blocks_of_the_guide(run, tmp_path, snippet, expected):
    run(TRAIN_STEP, snippet)
    assert folders(tmp_path / "profiles") == expected


def test_the_decorator_of_the_guide(run, tmp_path):
    names = run("new_state, metrics = jnp.ones(3), {'loss': 1.0}\n", B_METHOD_3)
    state, metrics = names["train_step"](jnp.ones(3), None)
    assert metrics == {"loss": 1.0} and state.shape == (3,)
    assert folders(tmp_path / "profiles") == ["train_step"]


def test_periodic_profiling_of_the_guide(run, tmp_path):
    names = run(TRAIN_STEP_2, B_PERIODIC)
    loader = iter([None] * 3000)
    config = types.SimpleNamespace(max_steps=2500, profile_dir="./profiles")
    result = jnp.ones(2), {}
    names["train_step"] = lambda *_: result
    names["train"](None, None, loader, config)
    assert folders(tmp_path / "profiles") == ["step_1000/step_1000", "step_2000/step_2000"]


def test_optimizers_of_the_guide(run, tmp_path):
    run(TRAIN_STEP, "create_optimizer = str\n", B_OPTIMIZERS)
    assert folders(tmp_path / "profiles") == ["optimizer_adamw", "optimizer_multiscale", "optimizer_muon"]


def test_the_benchmark_of_the_guide(run, capsys):
    run(TRAIN_STEP, B_BENCHMARK)
    assert "Mean: " in capsys.readouterr().out


def test_the_loop_and_the_block_of_efficientids(run, tmp_path):
    names = run(STATE_STEP, "num_steps = 110\n", C_LOOP)
    assert [capture.steps for capture in names["profiler"].captures] == [[101, 102, 103, 104, 105]]
    run(STATE_STEP, C_BLOCK)
    assert len(captures(tmp_path / "traces")) == 2


def test_the_viewing_guide(run, tmp_path, monkeypatch):
    from gait.compat import ueaj

    monkeypatch.setenv("PROFILE_ENABLED", "1")
    monkeypatch.setenv("PROFILE_START_STEP", "100")
    ueaj.get_profiling_config.cache_clear()
    given = "train_step = lambda _: jnp.ones(3) + 1\nstep = 100\n"
    run(given, D_TROUBLE, maybe_profile=ueaj.maybe_profile)
    ueaj.get_profiling_config.cache_clear()
    assert folders(tmp_path / "profiles") == ["step_00000100"]


def test_the_task_of_xax(run, tmp_path):
    from gait.compat.xax import ProfilerMixin

    @dataclass
    class MyTaskConfig:
        enable_profiling: bool = True
        profiling_dir: Optional[str] = None  # noqa: UP045  # as the document has it
        profile_every_n_steps: int = 100
        profile_duration_ms: int = 3000
        max_profile_count: int = 5
        profile_gpu_trace: bool = True

    class MyTask(ProfilerMixin[MyTaskConfig]):
        config = MyTaskConfig()
        exp_dir = tmp_path

    state = types.SimpleNamespace(num_steps=200)
    names = run(E_CONTEXT, self=MyTask(), state=state, my_operation=lambda _: jax.jit(jnp.sin)(jnp.ones(3)))
    assert names["result"].shape == (3,)
    assert folders(tmp_path / "profiles") == ["my_operation_step_200"]


def test_annotations_of_xax(run):
    names = run(E_ANNOTATE, E_TRACE)
    assert names["compute_loss"](None, None, None, None) is None
    assert names["model"].forward(jnp.ones((4, 8))).shape == (4, 8)
