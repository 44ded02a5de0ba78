"""Names, parameters and defaults of the originals."""

import dataclasses
import inspect

import pytest

from gait.compat import efficientids, supergrad, ueaj, xax

FUNCTIONS = {
    supergrad: """
setup_tensorboard_logging(gpu_count, timestamp=None)
run_with_jax_profiler(func, trace_name, log_dir, description='')
print_tensorboard_summary(results, tensorboard_log_dir)
create_profiled_test_function(test_func, benchmark, n_qubit)
""",
    ueaj: """
profile_trace(log_dir, name='trace', create_perfetto_link=False, create_perfetto_trace=False, tensorboard=True)
profile_function(log_dir, name=None, warmup_steps=3, profile_steps=1)
profile_scope(name, enabled=True)
time_jax_function(func, *args, **kwargs)
benchmark_function(func, *args, num_iterations=100, warmup=10, **kwargs)
get_profiling_config()
maybe_profile(step)
ProfilingConfig()
ProfilingConfig.should_profile(self, step)
ProfilingConfig.get_profile_name(self, step)
ProfilingConfig.profile_step(self, step)
""",
    efficientids: """
Profiler(num_steps=5, log_dir='./profiler_traces', auto_enable_at_step=None, flop_counter=None)
Profiler.begin_step(self, step)
Profiler.end_step(self, num_tokens=None)
Profiler.capture_async(self)
ProfileContext(log_dir='./profiler_traces')
FLOPCounter(num_params, model_dims, num_layers, num_heads, vocab_size, peak_flops=None, use_mixed_precision=True)
FLOPCounter.estimate_flops_per_token(self)
FLOPCounter.estimate_flops_per_batch(self, batch_size, seq_len)
FLOPCounter.estimate_detailed_flops(self, batch_size, seq_len)
FLOPCounter.compute_mfu(self, tokens_per_sec, batch_size=1, seq_len=1)
FLOPCounter.compute_achieved_flops(self, tokens_per_sec)
FLOPCounter.print_summary(self, batch_size, seq_len, tokens_per_sec)
detect_device_flops()
estimate_model_flops(params, batch, apply_fn)
create_flop_counter_from_model(model, params, batch_size=16, seq_len=128, peak_flops=None)
save_profiling_json(result, filepath, indent=2)
load_profiling_json(filepath)
print_profiling_summary(result)
""",
    xax: """
ProfilerMixin.get_profiling_dir(self)
ProfilerMixin.should_run_profiler(self, state)
ProfilerMixin.profile_context(self, state, name='profile')
ProfilerMixin.profile_fn(self, fn, state, name='profile')
annotate(name)
trace_function(fn, name=None)
open_latest_profile(profile_dir=None)
""",
}


def bare(function) -> str:
    """The signature without types."""
    found = inspect.signature(function)
    parameters = [p.replace(annotation=inspect.Parameter.empty) for p in found.parameters.values()]
    return str(found.replace(parameters=parameters, return_annotation=inspect.Signature.empty))


@pytest.mark.parametrize(
    ("module", "line"),
    [(module, line) for module, lines in FUNCTIONS.items() for line in lines.split("\n") if line],
    ids=lambda value: (
        value.partition("(")[0] if isinstance(value, str) else value.__name__.rpartition(".")[2]
    ),
)
def test_function(module, line):
    name, _, parameters = line.partition("(")
    function = module
    for part in name.split("."):
        function = getattr(function, part)
    assert bare(function) == "(" + parameters


def test_fields_of_the_configuration():
    fields = {field.name: field.default for field in dataclasses.fields(xax.ProfilerConfig)}
    assert fields == {
        "enable_profiling": False,
        "profiling_dir": None,
        "profile_every_n_steps": 100,
        "profile_duration_ms": 3000,
        "max_profile_count": 5,
        "backend": "tensorboard",
        "profile_gpu_trace": False,
    }


def test_attributes_read_from_the_environment(monkeypatch):
    for name in "ENABLED DIR START_STEP INTERVAL DURATION MODE STEP".split():
        monkeypatch.delenv(f"PROFILE_{name}", raising=False)
    config = ueaj.ProfilingConfig()
    names = ("enabled", "profile_dir", "start_step", "interval", "duration", "mode")
    assert [getattr(config, name) for name in names] == [False, "./profiles", 100, 1000, 1, "tensorboard"]
