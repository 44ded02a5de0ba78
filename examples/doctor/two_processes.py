"""A pair of two processes with one CPU device each, on a core of its own: beside one of them other programs run."""

import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import harness
import jax
import numpy as np
from registry import Numbers, capture_pair

CORES = (0, 1)  # of the processes


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("localhost", 0))
        return s.getsockname()[1]


def run_process(rank: int, port: int, directory: Path) -> None:
    """The same products in both, then a sum over both. Prints the seconds of a step."""
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.distributed.initialize(f"localhost:{port}", num_processes=2, process_id=rank)
    mesh = jax.sharding.Mesh(np.array(jax.devices()), ("d",))
    spec = jax.sharding.PartitionSpec

    def body(x):
        for _ in range(20):
            x = x @ x[0]
        return jax.lax.psum(x.sum(), "d")

    step = jax.jit(jax.shard_map(body, mesh=mesh, in_specs=spec("d"), out_specs=spec(), check_vma=False))
    x = jax.make_array_from_process_local_data(
        jax.sharding.NamedSharding(mesh, spec("d")), np.full((1, 256, 256), 1e-3, np.float32)
    )
    run = lambda i: step(x).block_until_ready()  # noqa: E731
    harness.run_steps(run, 0, 20)
    period = harness.run_steps(run, 20, harness.MEASURED)
    with harness.captured(directory):
        harness.run_steps(run, 20 + harness.MEASURED, harness.CAPTURED)
    print(json.dumps(period))


@capture_pair("slow_device", env={"JAX_PLATFORMS": "cpu"})
def slow_device(slow: bool, directory: Path) -> Numbers:
    port = free_port()
    pinned = ["taskset", "-c", str(CORES[1])]
    beside = [subprocess.Popen([*pinned, sys.executable, "-c", "while True: pass"]) for _ in range(2 * slow)]
    processes = []
    for rank, core in enumerate(CORES):
        command = ["taskset", "-c", str(core), sys.executable, __file__, str(rank), str(port), str(directory)]
        processes.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=dict(os.environ)))
    printed = [process.communicate(timeout=300)[0] for process in processes]
    for process in beside:
        process.kill()
        process.wait()
    run = directory / "plugins" / "profile" / "run"
    run.mkdir(parents=True)
    for rank in range(len(CORES)):
        (capture,) = (directory / str(rank)).rglob("*.xplane.pb")
        shutil.move(capture, run / f"host{rank}.xplane.pb")
        shutil.rmtree(directory / str(rank))
    return {"step": float(printed[0].strip().splitlines()[-1])}


if __name__ == "__main__":
    run_process(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]) / sys.argv[1])
