"""Document D: a training profiled by its environment, looked at as the guide says."""

import urllib.error
import urllib.request

import pytest
from readers import (
    ask,
    changes,
    decoded,
    once,
    products,
    profile_tab,
    program,
    rows,
    run,
    runs_of_tensorboard,
    tensorboard,
)

RULE = "=" * 60


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    """The guide's complete session: steps 1 and 2."""
    wanted = {"PROFILE_ENABLED": "1", "PROFILE_START_STEP": "100", "PROFILE_INTERVAL": "0"}
    return once(tmp_path_factory, "d", lambda folder: run(program("d_viewing.py"), cwd=folder, **wanted))


def test_seed_D12_D13_banner_and_lines(session):
    _, done = session
    banner = [
        RULE,
        "📊 PROFILING ENABLED",
        RULE,
        "  Profile Dir:    ./profiles",
        "  Start Step:     100",
        "  Interval:       once",
        "  Duration:       1 step(s)",
        "  Mode:           tensorboard",
        RULE,
    ]
    lines = done.stdout.splitlines()
    assert lines[: len(banner)] == banner
    assert lines[len(banner) :] == [
        "📊 Profiling step 100...",
        "✓ Profile saved: ./profiles/step_00000100",
        "trained 120 steps",
    ]


def test_seed_D8_D19_the_files_that_the_guide_names(session):
    folder, _ = session
    run_folder = next((folder / "profiles" / "step_00000100" / "plugins" / "profile").iterdir())
    for pattern in ("*.xplane.pb", "perfetto_trace.json.gz", "*.trace.json.gz"):
        (file,) = run_folder.glob(pattern) if "*" not in pattern else list(run_folder.glob(pattern))[:1]
        assert file.stat().st_size > 1024


def test_seed_D9_what_the_trace_contains(session):
    """Python calls, what JAX does, operations of the compiled program, and one step around all."""
    folder, _ = session
    profile = folder / "profiles" / "step_00000100"
    assert [row["step"] for row in rows(ask("steps", profile), "steps")] == [100]
    host = ask("host", profile)
    calls = [row["name"] for row in rows(host, "host_python")]
    assert any("small_gpt.py" in name for name in calls)  # the program's own
    assert not any(
        "_inflight.py" in name or "_jax_launches.py" in name for name in calls
    )  # and none of gait's
    assert rows(host, "host_runtime")
    assert any(row["category"] == "matmul" for row in rows(ask("ops", profile, "--top", 0), "ops"))


def test_seed_D18_the_checklist(session):
    folder, _ = session
    profile = folder / "profiles" / "step_00000100"
    (step,) = rows(ask("steps", profile), "steps")
    (device,) = rows(ask("overview", profile), "devices")
    assert 0 < device["window"] <= step["step_time"]  # device step time
    assert 0 < device["busy"] <= 100  # utilisation
    top = rows(ask("ops", profile, "--top", 5), "ops")
    assert [row["self"] for row in top] == sorted((row["self"] for row in top), reverse=True)
    assert "jit_train_step needs" in ask("memory", profile)["answer"]  # peak usage
    assert "No GPU kernels" in ask("kernels", profile)["answer"]  # occupancy: of a GPU's kernels only
    longest = top[0]["self"]
    over = rows(
        ask("ops", profile, "--top", 0, "--min", f"{longest // 10**6}us"), "ops"
    )  # operations above 50 ms
    assert [row["name"] for row in over] == [
        row["name"] for row in top if row["self"] >= longest // 10**6 * 10**6
    ]
    figures = {row["metric"]: row for row in rows(ask("doctor", profile, "--kpi"), "kpi")}
    assert figures["device utilisation"]["value"] == pytest.approx(device["busy"], abs=0.01)
    # "Check for CPU fallback": there is none. "Look for memory transfer overhead": on a full machine there may be some.
    results = {row["rule"]: row["result"] for row in rows(ask("doctor", profile, "--verbose"), "rules")}
    assert results["cpu_fallback"] == "clean"
    assert {results["host_to_device"], results["device_to_host"]} <= {"clean", "found"}


ONE_OPERATION = """
import jax, jax.numpy as jnp
from gait.compat.ueaj import maybe_profile
step = jax.jit(lambda x: (x @ x, jnp.sin(x[0]).sum(), jnp.sort(x[1]), jnp.cumsum(x[2])))
x = jnp.ones((700, 700))
for i in range(4):
    with maybe_profile(i):
        jax.block_until_ready(step(x))
"""


def test_seed_D11_one_operation_dominates(tmp_path):
    """The fourth of the guide's patterns; the others are in recorded captures of a GPU."""
    run("-c", ONE_OPERATION, cwd=tmp_path, PROFILE_ENABLED="1", PROFILE_START_STEP="2", PROFILE_INTERVAL="0")
    found = rows(ask("doctor", tmp_path / "profiles"), "findings")
    (dominant,) = [row for row in found if row["rule"] == "dominant_op"]
    assert "(matmul)" in dominant["cause"]


def test_seed_D1_D2_tensorboard_lists_the_run_and_its_tools(session):
    folder, _ = session
    with tensorboard(folder / "profiles", "--host=0.0.0.0") as address:
        (name,) = runs_of_tensorboard(address)
        assert name.startswith("step_00000100/")
        tools = profile_tab(address, "run_tools", run=name)
        for tool in ("overview_page", "trace_viewer", "memory_profile"):
            assert any(tool in offered for offered in tools), tools


def test_seed_D1_tensorboard_as_gait_starts_it_is_for_those_with_the_token(session):
    folder, _ = session
    with tensorboard(folder / "profiles", token="open_sesame") as address:
        plain, _, query = address.partition("/?")
        assert query == "token=open_sesame"
        runs = f"{plain}/data/plugin/profile/runs"
        for path in (plain, runs, f"{plain}/data/plugins_listing", f"{plain}/data/logdir"):
            with pytest.raises(urllib.error.HTTPError, match="403"):
                urllib.request.urlopen(path)
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        assert b"tb-relative-root" in browser.open(address).read()  # sent on, with the cookie
        (name,) = decoded(browser.open(runs).read())
        assert name.startswith("step_00000100/")
        with pytest.raises(urllib.error.HTTPError, match="403"):
            browser.open(urllib.request.Request(runs, headers={"Host": "evil.example"}))


def test_seed_D15_D17_again_and_compared(tmp_path):
    """Two profiles of a program, before and after a change: three layers more."""
    wanted = {"PROFILE_ENABLED": "1", "PROFILE_START_STEP": "5", "PROFILE_INTERVAL": "10"}
    for name, layers in (("before", 1), ("after", 4)):
        (tmp_path / name).mkdir()
        run(program("d_viewing.py"), 22, layers, cwd=tmp_path / name, **wanted)
        made = sorted(path.name for path in (tmp_path / name / "profiles").iterdir())
        assert made == ["step_00000005", "step_00000015"]
    last = [tmp_path / name / "profiles" / "step_00000015" for name in ("before", "after")]
    assert products(last[1]) >= 2 * products(last[0]) > 0
    assert all(time > 0 for time in changes(*last)["matmul"])
    assert "whether that is noise is not known" in ask("diff", *last)["answer"]  # one step each
