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
LEFT = 0.5  # of the gain, at most, that a finding may still cost after the fix


def one_side(rule: str, slow: bool, directory: Path) -> None:
    """In a process of its own: prints the seconds of a step, or the numbers of a capture."""
    import harness
    import pairs

    pair = pairs.PAIRS[rule]
    if pair.capture:
        numbers = pair.capture(slow, directory) or {}
    elif pair.cold or pair.captured:
        numbers = {"step": harness.measure_captured(pair.steps(slow), directory, pair.cold and slow)}
    else:
        numbers = {"step": harness.measure(pair.steps(slow), directory)}
    print(json.dumps(numbers))


def start(rule: str, pair, slow: bool, directory: str) -> dict[str, float]:
    env = os.environ | pair.env
    flags = f"{env.get('XLA_FLAGS', '')} {pair.flags if slow else ''} {pair.always}".split()
    if flags:
        env["XLA_FLAGS"] = " ".join(flags)
    if "force_host_platform_device_count" in pair.always:
        env["JAX_PLATFORMS"] = "cpu"
    command = [sys.executable, str(HERE / "run.py"), "--side", rule, "slow" if slow else "fast", directory]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "no output")
    return json.loads(done.stdout.strip().splitlines()[-1])


def has_gpu() -> bool:
    """Asked in another process: one that has initialised JAX keeps most of the GPU's memory."""
    question = "import jax; print(jax.default_backend())"
    done = subprocess.run([sys.executable, "-c", question], capture_output=True, text=True, check=True)
    return done.stdout.strip() == "gpu"


def diagnosis(gait: str, directory: str, rule: str) -> dict:
    """What the doctor says: the finding of the rule, None where it is silent, and the rules that speak, the first
    first."""
    text = subprocess.run(
        [gait, "doctor", directory, "--json"], capture_output=True, text=True, check=True
    ).stdout
    table = json.loads(text)["tables"]["findings"]
    names = [column["name"] for column in table["columns"]]
    rows = [dict(zip(names, row, strict=True)) for row in table["rows"]]
    said = next((row for row in rows if row["rule"] == rule), None)
    return {"said": said, "rules": [row["rule"] for row in rows]}


def run_pair(rule: str, pair, gait: str, keep: str | None) -> dict:
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(keep or scratch) / rule
        result: dict = {"rule": rule}
        for side in ("before", "after"):
            numbers = start(rule, pair, side == "before", str(root / side))
            result[side] = {"numbers": numbers} | diagnosis(gait, str(root / side), rule)
    before, after = result["before"], result["after"]
    if "step" in before["numbers"]:
        said = before["said"]
        result["gain_ms"] = 1e3 * (before["numbers"]["step"] - after["numbers"]["step"])
        result["cost_ms"] = said["cost_ms_per_step"] if said else None
        known = result["cost_ms"] is not None and result["gain_ms"] > 0
        result["factor"] = result["cost_ms"] / result["gain_ms"] if known else None
    return result


def holds(result: dict, part: bool) -> bool:
    """A rule with a cost tells the gain, and little of it after; one without speaks before, and is silent after."""
    after = result["after"]["said"]
    if "factor" in result:
        left = after["cost_ms_per_step"] or 0 if after else 0
        least = 0 if part else 1 / ALLOWED
        told = result["factor"] is not None and least < result["factor"] <= ALLOWED
        return told and left <= LEFT * result["gain_ms"]
    return result["before"]["said"] is not None and after is None


def show_row(result: dict) -> None:
    shown = ["-"] * 5
    if "factor" in result:
        steps = [1e3 * result[side]["numbers"]["step"] for side in ("before", "after")]
        numbers = [*steps, result["gain_ms"], result["cost_ms"], result["factor"]]
        shown = ["-" if v is None else f"{v:.2f}" for v in numbers]
    first = (result["before"]["rules"] or ["-"])[0]
    print(
        f"{result['rule']:22}{shown[0]:>10}{shown[1]:>10}{shown[2]:>10}{shown[3]:>10}{shown[4]:>11}  {first}",
        flush=True,
    )


def show_words(result: dict) -> None:
    print(f"\n{result['rule']}")
    for side in ("before", "after"):
        said, rules = result[side]["said"], result[side]["rules"]
        numbers = ", ".join(f"{name} {value:.6g}" for name, value in result[side]["numbers"].items())
        print(f"  {side}: {numbers + '; ' if numbers else ''}findings: {', '.join(rules) or 'none'}")
        if said:
            cost = said["cost_ms_per_step"]
            print(f"    {said['title']} ({said['severity']}{'' if cost is None else f', {cost:.2f} ms'})")
            print(f"    {said['cause']}")
            for row in said["evidence"]:
                print(f"      {row['text']}")


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
        one_side(rule, side == "slow", Path(directory))
        return 0

    import pairs

    gpu = has_gpu()
    rules = options.rules or [rule for rule, pair in pairs.PAIRS.items() if gpu or not pair.gpu]
    results = []
    print(
        f"{'rule':22}{'before ms':>10}{'after ms':>10}{'gain ms':>10}{'cost ms':>10}{'cost/gain':>11}  first finding"
    )
    for rule in rules:
        try:
            results.append(run_pair(rule, pairs.PAIRS[rule], options.gait, options.keep))
        except (RuntimeError, subprocess.SubprocessError) as error:
            print(f"{rule:22}could not run: {error}", flush=True)
            continue
        show_row(results[-1])
    for result in results:
        show_words(result)
    if options.json:
        Path(options.json).write_text(json.dumps(results, indent=1) + "\n")
    good = sum(holds(result, pairs.PAIRS[result["rule"]].part) for result in results)
    print(
        f"\n{good} of {len(rules)}: cost within a factor of {ALLOWED} of the gain, or spoke before and not after"
    )
    return 0 if good == len(rules) else 1


if __name__ == "__main__":
    sys.exit(main())
