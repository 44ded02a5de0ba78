#!/usr/bin/env python3
"""Makes the small inputs of the case files: a log directory with known events, and damaged files of every kind.

Needs nothing but Python.
"""

import gzip
import os
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "oracle"))
from wire import number, text, varint

WHEN = 1_790_000_000  # modification time of every file, so that listings are the same everywhere


class Plane:
    """An XPlane: names get their ids in the order of use."""

    def __init__(self, name: str, plane_id: int = 0):
        self.head = number(1, plane_id) + text(2, name)
        self.lines = b""
        self.events: dict[object, int] = {}
        self.stats: dict[str, int] = {}
        self.own_stats = b""

    def stat(self, name: str, value: object) -> bytes:
        stat_id = self.stats.setdefault(name, len(self.stats) + 1)
        if isinstance(value, int):
            return number(1, stat_id) + number(4, value)
        return number(1, stat_id) + text(5, value)

    def event(self, name: "bytes | str", offset_us: int, duration_us: int, **stats: object) -> bytes:
        event_id = self.events.setdefault(name, len(self.events) + 1)
        body = number(1, event_id) + number(2, offset_us * 10**6) + number(3, duration_us * 10**6)
        for key, value in stats.items():
            body += text(4, self.stat(key, value))
        return text(4, body)

    def add_line(self, line_id: int, name: str, *events: bytes, start_ns: int = 0) -> None:
        self.lines += text(3, number(1, line_id) + text(2, name) + number(3, start_ns) + b"".join(events))

    def add_stats(self, **stats: object) -> None:
        for key, value in stats.items():
            self.own_stats += text(6, self.stat(key, value))

    def bytes(self) -> bytes:
        tables = b""
        for name, i in self.events.items():
            tables += text(4, number(1, i) + text(2, number(1, i) + text(2, name)))
        for name, i in self.stats.items():
            tables += text(5, number(1, i) + text(2, number(1, i) + text(2, name)))
        return text(1, self.head + self.lines + tables + self.own_stats)


def capture(
    host: str = "vm",
    steps: int = 3,
    errors: "tuple[str, ...]" = (),
    odd_names: bool = False,
    start_ns: "int | None" = WHEN * 10**9,
    overflow: bool = False,
) -> bytes:
    """A GPU with one stream and a host thread with annotated steps; times are whole microseconds."""
    gpu = Plane("/device:GPU:0")
    gpu.add_stats(gpu_device_name="NVIDIA H200", memory_size=150_109_880_320, core_count=132)
    gpu.add_stats(memory_bandwidth=4_814_304_000_000)
    kernels = []
    for step in range(steps):
        base = 1000 + 5000 * step
        kernels.append(gpu.event("loop_fusion_12", base, 400, correlation_id=7 + step, hlo_op="fusion.12"))
        kernels.append(
            gpu.event("gemm_bf16_128x128", base + 390, 3000, correlation_id=7 + step, hlo_op="dot.3")
        )
    gpu.add_line(14, "Stream #14(Compute)", *kernels)
    cpu = Plane("/host:CPU", 1)
    calls = []
    for step in range(steps):
        calls.append(cpu.event("train", 800 + 5000 * step, 4500, step_num=step, _r=1))
        calls.append(cpu.event("PjitFunction(train_step)", 850 + 5000 * step, 120, note="two words"))
    if odd_names:
        calls.append(cpu.event(b"\x1b[2J\xff bad bytes\n", 20000, 1))
        calls.append(cpu.event("日本語の名前", 20001, 1))
    cpu.add_line(-7, "python3", *calls)
    if overflow:
        cpu.add_line(-8, "late", cpu.event("beyond all clocks", 0, 1), start_ns=2**62)
    environment = Plane("Task Environment", 2)
    if start_ns is not None:
        environment.add_stats(profile_start_time=start_ns, profile_stop_time=start_ns + 10**9)
    metadata = Plane("/host:metadata", 3)
    metadata.add_stats(jax_version="0.12.0")
    planes = b"".join(p.bytes() for p in (metadata, gpu, cpu, environment))
    return planes + b"".join(text(2, e) for e in errors) + text(4, host)


def kernel_names() -> bytes:
    """A GPU whose events name no operation: only the names of the kernels tell what they do."""
    gpu = Plane("/device:GPU:0")
    gpu.add_stats(gpu_device_name="NVIDIA H200")
    cpu = Plane("/host:CPU", 1)
    names = (
        "nvjet_hsh_128x128",
        "cutlass_80_tensorop_bf16",
        "triton_softmax",
        "cudnn_infer",
        "MemcpyH2D",
        "own",
        "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
    )
    kernels, calls = [], []
    for step in range(3):
        base = 1000 + 1000 * step
        calls.append(cpu.event("train", base - 100, 950, step_num=step, _r=1))
        calls.append(cpu.event("cuLaunchKernel", base - 50, 20, correlation_id=7 + step))
        for i, name in enumerate(names):
            kernels.append(gpu.event(name, base + 100 * i, 100, correlation_id=7 + step))
    gpu.add_line(14, "Stream #14(Compute)", *kernels)
    cpu.add_line(-7, "python3", *calls)
    return gpu.bytes() + cpu.bytes() + text(4, "vm")


def hlo(name: str, program_id: int, opcode: str = "add", constant: float = 0.1, tiles: int = 0) -> bytes:
    """An xla.HloProto of f(x) = x op constant; x lies in so many parts on the devices, if any."""
    array = number(2, 11) + text(3, varint(8))
    scalar = number(2, 11)
    sharding = text(40, number(1, 3) + text(3, varint(tiles)) + text(9, varint(tiles))) if tiles else b""
    source = text(7, text(2, "x") + text(3, "train.py") + number(4, 7))
    literal = text(8, text(1, scalar) + text(8, struct.pack("<f", constant)))
    ids = [program_id * 10 + i for i in range(3)]
    rows = (
        text(1, "x") + text(2, "parameter") + text(3, array) + source + sharding,
        text(1, f"constant.{program_id}") + text(2, "constant") + text(3, scalar) + literal,
        text(1, "y") + text(2, opcode) + text(3, array) + text(36, varint(ids[0]) + varint(ids[1])),
    )
    main = b"".join(text(2, row + number(35, i)) for row, i in zip(rows, ids, strict=True))
    entry = text(1, "main") + main + number(5, 1) + number(6, ids[2])
    return text(1, text(1, name) + text(2, "main") + text(3, entry) + number(5, program_id) + number(6, 1))


def compiled_again() -> bytes:
    """A host that compiles functions in both of its steps, each for another reason."""
    changes = (
        ("learning_rate", {}, {"constant": 0.05}),
        ("<lambda>", {}, {}),
        ("a_function_with_a_long_name", {}, {}),
        ("sharded", {"tiles": 2}, {"tiles": 4}),
        ("chosen", {}, {"opcode": "multiply"}),
    )
    cpu = Plane("/host:CPU", 1)
    calls, programs = [], b""
    for step in range(2):
        calls.append(cpu.event("train", 1000 * step, 1000, step_num=step, _r=1))
        for i, (function, *inside) in enumerate(changes):
            begin = 1000 * step + 200 * i
            calls.append(cpu.event(f"PjitFunction({function})", begin, 190))
            calls.append(cpu.event("lower_sharding_computation", begin + 10, 20))
            calls.append(cpu.event("backend_compile_and_load", begin + 40, 140))
            key = 1 + len(changes) * step + i
            name = "jit_" + function.replace("<", "_").replace(">", "")
            proto = text(5, number(1, 1) + text(6, hlo(name, key, **inside[step])))
            programs += text(4, number(1, key) + text(2, number(1, key) + text(2, f"{name}({key})") + proto))
    cpu.add_line(-7, "python3", *calls)
    stat = text(5, number(1, 1) + text(2, number(1, 1) + text(2, "Hlo Proto")))
    metadata = text(1, number(1, 2) + text(2, "/host:metadata") + programs + stat)
    return metadata + cpu.bytes() + text(4, "vm")


def overview_page() -> bytes:
    """tensorflow.profiler.OverviewPage: messages where a capture has its planes and errors."""
    op = text(1, "fusion") + text(2, "MatMul") + varint(3 << 3 | 1) + struct.pack("<d", 0.5)
    analysis = text(2, op) + text(2, op) + text(14, "remark")
    inputs = text(1, "CPU") + text(2, text(1, "type.googleapis.com/x") + text(2, b"\x08\x01"))
    return text(1, analysis) + text(2, inputs) + text(6, text(1, "vm") + number(3, 8))


def input_pipeline() -> bytes:
    """tensorflow.profiler.InputPipelineAnalysisResult: bytes where a memory profile has functions and texts."""
    step = text(1, "type.googleapis.com/x") + text(2, b"\x08\x01\x10\x02")
    return text(2, "CPU") + text(5, number(1, 7)) + text(6, step) + text(9, number(1, 3))


def main(folder: pathlib.Path) -> None:
    whole = capture()
    files = {
        "runs/gpt/plugins/profile/2026_11_15_00_29_59/vm.xplane.pb": whole,
        "runs/gpt/plugins/profile/2026_11_15_00_29_59/vm.trace.json.gz": b"",
        "runs/two/plugins/profile/2026_11_14_10_00_00/host0.xplane.pb": capture("host0"),
        "runs/two/plugins/profile/2026_11_14_10_00_00/host1.xplane.pb": capture("host1", steps=2),
        "runs/old/run/vm.xplane.pb.gz": gzip.compress(whole, compresslevel=0, mtime=0),
        "skew/host0.xplane.pb": capture("host0", steps=1, start_ns=WHEN * 10**9 + 100_000),
        "skew/host1.xplane.pb": capture("host1", steps=1),
        "skew/host2.xplane.pb": capture("host2", steps=1, start_ns=None),
        "kernel_names.xplane.pb": kernel_names(),
        "compiled_again.xplane.pb": compiled_again(),
        "overflow.xplane.pb": capture(steps=1, overflow=True),
        "odd.xplane.pb": capture(odd_names=True),
        "errors.xplane.pb": capture(
            errors=("vm: Failed to load libcupti (is it installed and accessible?)",)
        ),
        "cut.xplane.pb": whole[: len(whole) * 2 // 3],
        "empty.xplane.pb": b"",
        "mangled.xplane.pb": whole.decode("utf-8", "replace").encode(),
        "page.xplane.pb": b"<!DOCTYPE html><html><body>Sign in</body></html>",
        "pointer.xplane.pb": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 12\n",
        "packed/vm.xplane.pb.xz": b"\xfd7zXZ\x00",
        "nothing/notes.txt": b"no capture here",
        "partial/.vm.xplane.pb.77.partial": whole[: len(whole) // 2],
        "partial/.vm.xplane.pb.78.partial": b"\x0a\x03",
        "tools/vm.xplane.pb": whole,
        "tools/vm.overview_page.pb": overview_page(),
        "tools/vm.input_pipeline.pb": input_pipeline(),
        "tools/vm.op_profile.json": b'{"byCategory": {}}',
        "tools/vm.trace.json.gz": gzip.compress(b'{"traceEvents": []}', mtime=0),
        "tools/vm.SSTABLE": b"\x00\x01" * 64,
        "tools/jit_f(3).hlo_proto.pb": hlo("jit_f", 3),
        "tools_alone/vm.kernel_stats.pb": text(1, text(1, "kernel")),
        "tools_alone/vm.memory_profile.json.gz": gzip.compress(b"{}", mtime=0),
        "tools_alone/renamed.pb": overview_page(),
        "tools_alone/renamed_input.pb": input_pipeline(),
    }
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        os.utime(path, (WHEN, WHEN))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
