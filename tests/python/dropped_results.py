"""python dropped_results.py DIRECTORY [REPEATS]: blocks that drop their result, and blocks that keep it, turn by turn.

Prints one line of JSON: for each way the operations that ran, the device time in milliseconds and what the manifests
say of launches without end, of each capture. On whatever devices JAX has; several share the batch.
"""

import contextlib
import io
import json
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from gait.compat.ueaj import profile_trace


def loss_of(params, x):
    for weights in params:
        x = jnp.tanh(x @ weights)
    return jnp.mean(x**2)


@jax.jit
def train_step(params, x):
    loss, gradients = jax.value_and_grad(loss_of)(params, x)
    return [p - 0.1 * g for p, g in zip(params, gradients, strict=True)], loss


def executions(capture) -> int:
    """Events of operations, as they are in the file: on devices of their own, or on the CPU's."""
    data = jax.profiler.ProfileData.from_file(str(capture.wait().xplane))
    return sum(
        plane.name.startswith("/device:") or any(name == "hlo_op" for name, _ in event.stats)
        for plane in data.planes
        for line in plane.lines
        for event in line.events
    )


def main(directory: str, repeats: int = 20) -> None:
    mesh = Mesh(np.array(jax.devices()), ("batch",))
    key = jax.random.key(0)
    params = [jax.random.normal(key, (256, 256)) * 0.05 for _ in range(6)]
    params = jax.device_put(params, NamedSharding(mesh, PartitionSpec()))
    x = jax.device_put(jax.random.normal(key, (512, 256)), NamedSharding(mesh, PartitionSpec("batch")))
    for _ in range(3):
        train_step(params, x)  # dropped too: none of it belongs to the first capture
    captures = {"dropped": [], "kept": []}
    for i in range(repeats):
        for way, made in captures.items():
            with (
                contextlib.redirect_stdout(io.StringIO()),
                profile_trace(directory, f"{way}_{i}") as capture,
            ):
                if way == "dropped":
                    train_step(params, x)
                else:
                    jax.block_until_ready(train_step(params, x))
            made.append(capture)
    found = {}
    for way, made in captures.items():
        tables = [list(capture.load().ops().table) for capture in made]
        manifests = [json.loads(Path(capture.wait().manifest).read_text())["capture"] for capture in made]
        found[way] = {
            "executions": [executions(capture) for capture in made],
            "device_ms": [round(sum(row["self"] or 0 for row in rows) / 1e9, 3) for rows in tables],
            "launches": [said["launches"] for said in manifests],
            "losses": [capture.losses for capture in made],
        }
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 20)
