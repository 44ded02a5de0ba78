"""Document B: each method of the guide, as its reader sees it in gait and in TensorBoard."""

import re

import pytest
from readers import ask, changes, once, program, rows, run, runs_of_tensorboard, scopes, tensorboard


@pytest.fixture(scope="module")
def guide(tmp_path_factory):
    folder, done = once(tmp_path_factory, "b", lambda folder: run(program("b_guide.py"), cwd=folder))
    return folder / "profiles", done.stdout


def test_seed_B1_B3_a_step_is_captured_as_a_whole(guide):
    profiles, printed = guide
    assert "📊 Profiling to: ./profiles/train_step" in printed
    assert "✓ TensorBoard: tensorboard --logdir=./profiles/train_step" in printed
    (step,) = rows(ask("steps", profiles / "train_step"), "steps")
    assert step["step"] == 0
    assert ask("compile", profiles / "train_step")["answer"].startswith("No compilation")


def test_seed_B20_a_dropped_result_is_waited_for(guide):
    """The guide's own "good" example: it drops the result. Every operation of the step is there all the same."""
    profiles, _ = guide
    kept, dropped = (
        {row["name"]: row["executions"] for row in rows(ask("ops", profiles / name, "--top", 0), "ops")}
        for name in ("train_step", "trace")
    )
    assert dropped == kept
    assert not ask("info", profiles / "trace")["losses"]


def test_seed_B4_eager_scopes_hold_device_time(guide):
    profiles, _ = guide
    time = scopes(profiles / "detailed_profile")
    assert {"forward_pass", "loss_computation", "backward_pass"} <= set(time)
    assert time["forward_pass"] > 0
    assert (
        time["backward_pass"] > time["forward_pass"] / 4
    )  # twice as much work, on a machine that may stand still
    assert time["loss_computation"] > 0


def test_seed_B6_each_layer_has_its_time(guide):
    profiles, _ = guide
    time = scopes(profiles / "model_breakdown")
    assert {"layer_0", "layer_1", "lm_head"} <= set(time)
    assert min(time["layer_0"], time["layer_1"], time["lm_head"]) > 0
    (step,) = rows(ask("steps", profiles / "model_breakdown"), "steps")  # the block, not its layers
    assert step["step"] == 0


def test_seed_B5_the_decorator_profiles_once(guide):
    profiles, printed = guide
    assert "🔥 Warming up decorated_step (5 steps)..." in printed
    assert "📊 Profiling decorated_step (1 steps)..." in printed
    assert len(list((profiles / "decorated_step").glob("**/*.xplane.pb"))) == 1


def test_seed_B7_every_1000_steps(guide):
    profiles, _ = guide
    assert list((profiles / "step_1000" / "step_1000").glob("**/*.xplane.pb"))
    assert not list(profiles.glob("step_0*"))


def test_seed_B13_optimizers_are_compared(guide):
    """The guide warms none of them up: each block compiles its step. What the devices do is compared all the same."""
    profiles, _ = guide
    adamw, muon = profiles / "optimizer_adamw", profiles / "optimizer_muon"
    compared = ask("diff", adamw, muon)["answer"]
    assert " a step" in compared and "one step" in compared  # no noise is claimed of one
    assert "while the host compiles; without that: " in compared
    work = changes(adamw, muon)["compute"]
    assert work[1] > 1.5 * work[0] > 0  # Newton and Schulz take matrix products


def test_seed_B14_the_input_pipeline_is_split(guide):
    """fetch_batch, to_device and the computation, each with the time that it took in the block's one step."""
    profiles, _ = guide
    said = ask("host", profiles / "data_pipeline")
    parts = {row["part"]: row["per_step"] for row in rows(said, "input_pipeline")}
    scopes_of_host = {row["name"]: row["main_total"] for row in rows(said, "host_annotations")}
    assert {"fetch_batch", "to_device", "computation"} <= scopes_of_host.keys()
    # Each part is its scope; only a garbage collection inside a scope has a part of its own.
    for part, scope in (("fetch", "fetch_batch"), ("to_device", "to_device")):
        assert scopes_of_host[scope] - parts["collect"] <= 1.05 * parts[part]
        assert parts[part] <= 1.05 * scopes_of_host[scope] + scopes_of_host["computation"] / 4
    (step,) = rows(said, "input_steps")
    assert sum(parts.values()) == step["host_step"]


def test_seed_B11_what_the_program_needs(guide):
    profiles, _ = guide
    assert "MiB" in ask("memory", profiles / "memory_analysis")["answer"]
    assert re.match(r"\d+ compilations", ask("compile", profiles / "memory_analysis")["answer"])


def test_seed_B16_the_benchmark(guide):
    _, printed = guide
    assert re.search(r"^Mean: \d+\.\d\dms ± \d+\.\d\dms$", printed, re.MULTILINE)


def test_seed_B8_tensorboard_shows_every_run(guide):
    profiles, _ = guide
    with tensorboard(profiles) as address:
        names = {name.partition("/")[0] for name in runs_of_tensorboard(address)}
    assert {"train_step", "detailed_profile", "model_breakdown", "trace", "data_pipeline"} <= names
