"""Pairs of two processes with one device each: a core of the CPU, or a half of one GPU."""

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import harness
import jax
import jax.numpy as jnp
import numpy as np
from registry import Numbers, Step, capture_pair

CORES = (0, 1)  # of the processes on the CPU


def both(body: Callable, local: np.ndarray) -> Step:
    """A step that both processes take part in, each with its own array."""
    mesh = jax.sharding.Mesh(np.array(jax.devices()), ("d",))
    spec = jax.sharding.PartitionSpec
    step = jax.jit(jax.shard_map(body, mesh=mesh, in_specs=spec("d"), out_specs=spec(), check_vma=False))
    x = jax.make_array_from_process_local_data(jax.sharding.NamedSharding(mesh, spec("d")), local)
    return lambda i: step(x).block_until_ready()


def products() -> Step:
    """The same products in both, long ones beside all else that a step does, then a sum over both."""

    def body(x):
        for _ in range(3):
            x = x @ x[0]
        return jax.lax.psum(x.sum(), "d")

    return both(body, np.full((1, 512, 512), 1 / 512, np.float32))


def gradients(summed: bool) -> Step:
    """16 MiB of gradients, summed over both or not."""

    def body(x):
        x = jnp.tanh(x)
        return (jax.lax.psum(x, "d") if summed else x).sum()

    return both(body, np.ones((1, 4 << 20), np.float32))


PROGRAMS = {
    "products": products,
    "summed": lambda: gradients(True),
    "alone": lambda: gradients(False),
}


def run_process(program: str, rank: int, port: int, directory: Path) -> None:
    """Prints the seconds of a step."""
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.distributed.initialize(f"localhost:{port}", num_processes=2, process_id=rank, local_device_ids=[0])
    run = PROGRAMS[program]()
    harness.run_steps(run, 0, 20)
    period = harness.run_steps(run, 20, harness.MEASURED)
    with harness.captured(directory):
        harness.run_steps(run, 20 + harness.MEASURED, harness.CAPTURED)
    print(json.dumps(period))


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("localhost", 0))
        return s.getsockname()[1]


def run_both(program: str, directory: Path, start: Callable[[int], tuple[list[str], dict]]) -> Numbers:
    """`start`: what stands before the command of a process, and what its environment has besides. Their captures become
    those of one run."""
    port = free_port()
    processes = []
    for rank in range(2):
        before, environment = start(rank)
        command = [
            *before,
            sys.executable,
            __file__,
            program,
            str(rank),
            str(port),
            str(directory / str(rank)),
        ]
        processes.append(
            subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | environment)
        )
    printed = [process.communicate(timeout=300)[0] for process in processes]
    run = directory / "plugins" / "profile" / "run"
    run.mkdir(parents=True)
    for rank in range(2):
        (capture,) = (directory / str(rank)).rglob("*.xplane.pb")
        shutil.move(capture, run / f"host{rank}.xplane.pb")
        shutil.rmtree(directory / str(rank))
    return {"step": float(printed[0].strip().splitlines()[-1])}


@capture_pair("slow_device", env={"JAX_PLATFORMS": "cpu"})
def slow_device(slow: bool, directory: Path) -> Numbers:
    """Beside one of them other programs run."""
    pinned = [["taskset", "-c", str(core)] for core in CORES]
    busy = [sys.executable, "-c", "while True: pass"]
    beside = [subprocess.Popen([*pinned[1], *busy]) for _ in range(2 * slow)]
    try:
        return run_both("products", directory, lambda rank: (pinned[rank], {}))
    finally:
        for process in beside:
            process.kill()
            process.wait()


@capture_pair("low_bandwidth", gpu=True)
def low_bandwidth(slow: bool, directory: Path) -> Numbers:
    """NCCL is told that the two are on different hosts: on one it would refuse to share a GPU, so it goes through
    sockets, far below the links' rate. There is no second GPU to have links with; without the sum a step takes what
    it would take with infinitely fast ones."""

    def start(rank: int) -> tuple[list[str], dict]:
        sockets = {"NCCL_HOSTID": f"host{rank}", "NCCL_IB_DISABLE": "1", "NCCL_SOCKET_IFNAME": "lo"}
        return [], {**sockets, "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}

    return run_both("summed" if slow else "alone", directory, start)


if __name__ == "__main__":
    name, rank, port, directory = sys.argv[1:]
    run_process(name, int(rank), int(port), Path(directory))
