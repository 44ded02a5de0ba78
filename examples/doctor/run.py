#!/usr/bin/env python3
"""Runs the pairs and holds the doctor's cost against what the change gained."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ALLOWED = 1.5  # between cost and gain, either way


def one_side(rule: str, slow: bool, directory: str) -> None:
    """In a process of its own: prints the seconds of a step."""
    import harness
    import pairs

    step = pairs.PAIRS[rule](slow)
    print(json.dumps({"step": harness.measure(step, Path(directory) if directory else None)}))


def start(rule: str, slow: bool, directory: str, flags: str) -> float:
    env = dict(os.environ)
    if flags:
        env["XLA_FLAGS"] = f"{env.get('XLA_FLAGS', '')} {flags}".strip()
    if "force_host_platform_device_count" in flags:
        env["JAX_PLATFORMS"] = "cpu"
    command = [sys.executable, str(HERE / "run.py"), "--side", rule, "slow" if slow else "fast", directory]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "no output")
    return json.loads(done.stdout.strip().splitlines()[-1])["step"]


def has_gpu() -> bool:
    """Asked in another process: one that has initialised JAX keeps most of the GPU's memory."""
    question = "import jax; print(jax.default_backend())"
    done = subprocess.run([sys.executable, "-c", question], capture_output=True, text=True, check=True)
    return done.stdout.strip() == "gpu"


def diagnosis(gait: str, directory: str, rule: str) -> tuple[float | None, str]:
    """The cost in ms that the doctor gives to the rule, and which rule it puts first."""
    text = subprocess.run(
        [gait, "doctor", directory, "--json"], capture_output=True, text=True, check=True
    ).stdout
    table = json.loads(text)["tables"]["findings"]
    names = [column["name"] for column in table["columns"]]
    rows = [dict(zip(names, row, strict=True)) for row in table["rows"]]
    costs = [row["cost_ms_per_step"] for row in rows if row["rule"] == rule]
    return (costs[0] if costs else None), (rows[0]["rule"] if rows else "-")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rules", nargs="*")
    parser.add_argument(
        "--gait", default=os.environ.get("GAIT", str(HERE.parent.parent / "build" / "bin" / "gait"))
    )
    parser.add_argument("--json", help="also write the results here")
    parser.add_argument("--keep", help="keep the captures here")
    parser.add_argument("--side", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.side:
        rule, side, directory = options.side
        one_side(rule, side == "slow", directory)
        return 0

    sys.path.insert(0, str(HERE))
    import pairs

    rules = options.rules or [r for r in pairs.PAIRS if r not in pairs.ONLY_GPU or has_gpu()]
    results = []
    print(
        f"{'rule':20}{'before ms':>11}{'after ms':>11}{'gain ms':>10}{'cost ms':>10}{'cost/gain':>11}  first finding"
    )
    for rule in rules:
        with tempfile.TemporaryDirectory() as scratch:
            directory = str(Path(options.keep) / rule) if options.keep else scratch
            try:
                always = pairs.ALWAYS.get(rule, "")
                before = 1e3 * start(rule, True, directory, f"{pairs.FLAGS.get(rule, '')} {always}".strip())
                after = 1e3 * start(rule, False, "", always)
            except RuntimeError as error:
                print(f"{rule:20}could not run: {error}")
                continue
            cost, first = diagnosis(options.gait, directory, rule)
        gain = before - after
        factor = cost / gain if cost is not None and gain > 0 else None
        results.append(
            {
                "rule": rule,
                "before_ms": before,
                "after_ms": after,
                "cost_ms": cost,
                "factor": factor,
                "first": first,
            }
        )
        shown = ["-" if v is None else f"{v:.2f}" for v in (before, after, gain, cost, factor)]
        print(f"{rule:20}{shown[0]:>11}{shown[1]:>11}{shown[2]:>10}{shown[3]:>10}{shown[4]:>11}  {first}")
    if options.json:
        Path(options.json).write_text(json.dumps(results, indent=1) + "\n")
    good = [r for r in results if r["factor"] is not None and 1 / ALLOWED <= r["factor"] <= ALLOWED]
    print(f"{len(good)} of {len(results)} within a factor of {ALLOWED}")
    return 0 if len(good) == len(results) else 1


if __name__ == "__main__":
    sys.exit(main())
