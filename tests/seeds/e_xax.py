"""Document E: a task with the mixin, its configuration as the document has it; steps, sections, annotations."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

import jax
import small_gpt

from gait.compat.xax import ProfilerConfig, ProfilerMixin, annotate, trace_function


@dataclass
class TrainConfig(ProfilerConfig):
    exp_dir: str = "./experiment"
    layers: int = 1


@dataclass
class MyTaskConfig(TrainConfig):
    # Enable profiling
    enable_profiling: bool = True

    # Directory to save profiling results (optional)
    profiling_dir: Optional[str] = None  # noqa: UP045  # as the document has it

    # How often to run profiling (in steps)
    profile_every_n_steps: int = 100

    # Duration of each profiling session in milliseconds
    profile_duration_ms: int = 3000

    # Maximum number of profiling sessions to save
    max_profile_count: int = 5

    # Enable detailed GPU traces
    profile_gpu_trace: bool = True


@dataclass
class State:
    num_steps: int = 0


class Task(ProfilerMixin[MyTaskConfig]):
    def __init__(self, config):
        self.config = config
        self.exp_dir = Path(config.exp_dir)
        self.model = small_gpt.new_model(layers=config.layers)
        self.forward = trace_function(lambda model, x: model(x), name="model_forward")
        self.step = jax.jit(self.update)

    @annotate("compute_loss")
    def compute_loss(self, model, batch):
        return small_gpt.compute_loss(self.forward(model, batch["input_ids"]), batch["labels"])

    def update(self, model, batch):
        gradients = jax.grad(self.compute_loss)(model, batch)
        return jax.tree.map(lambda p, g: p - 0.1 * g, model, gradients)

    def train(self, steps):
        state, data = State(), small_gpt.batches()
        for _ in range(steps):
            batch = next(data)
            with self.profile_context(state, name="train_step"):
                self.model = self.step(self.model, batch)
            state.num_steps += 1


if __name__ == "__main__":
    steps, layers = map(int, sys.argv[1:] or (301, 1))
    Task(MyTaskConfig(layers=layers)).train(steps)
