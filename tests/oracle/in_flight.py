"""When the asynchronous copies and collectives of a TPU were in flight: a slow and obvious reading of the definition.

An operation is in flight from the begin of its start to the end of its done. Takes the line of operations alone: what
the device itself says on its line of asynchronous operations must come out of it.
"""

import dataclasses
from collections import defaultdict

import xplane

COMMUNICATION = set(
    "all-reduce all-gather reduce-scatter all-to-all ragged-all-to-all collective-permute collective-broadcast "
    "send recv".split()
)
CONTROL = {"while", "conditional", "call"}

Span = tuple[int, int]


@dataclasses.dataclass
class Instruction:
    opcode: str
    operands: list[int]  # ids
    wrapped: str = ""  # of an asynchronous wrapper: the opcode of what it wraps


@dataclasses.dataclass
class Work:
    """What a TPU did, by class. Copies and communication include what was in flight."""

    compute: list[Span] = dataclasses.field(default_factory=list)
    communication: list[Span] = dataclasses.field(default_factory=list)
    copies: list[Span] = dataclasses.field(default_factory=list)
    control: list[Span] = dataclasses.field(default_factory=list)
    copied: list[Span] = dataclasses.field(default_factory=list)  # copies in flight, one by one


def packed(data: bytes, number: int) -> list[int]:
    values = []
    for field, value in xplane.fields(data):
        if field == number and isinstance(value, int):
            values.append(value)
        elif field == number:
            at = 0
            while at < len(value):
                one, at = xplane.varint(value, at)
                values.append(one)
    return values


def read_program(proto: bytes) -> tuple[dict[str, int], dict[int, Instruction]]:
    """Ids by name, and instructions by id."""
    module = xplane.repeated(proto, 1)[0]
    names, found, roots = {}, {}, {}
    for computation in xplane.repeated(module, 3):
        head = xplane.scalars(computation)
        roots[head.get(5, 0)] = head.get(6, 0)
        for row in xplane.repeated(computation, 2):
            one = xplane.scalars(row)
            names[xplane.text(one.get(1, b""))] = one.get(35, 0)
            found[one.get(35, 0)] = Instruction(xplane.text(one.get(2, b"")), packed(row, 36))
    for computation in xplane.repeated(module, 3):
        for row in xplane.repeated(computation, 2):
            called = [found[roots[c]].opcode for c in packed(row, 38) if roots.get(c) in found]
            one = found[xplane.scalars(row).get(35, 0)]
            if one.opcode.startswith("async-") and called:
                one.wrapped = called[0]
    return names, found


def read_programs(data: bytes) -> dict[int, tuple[dict[str, int], dict[int, Instruction]]]:
    programs = {}
    for plane in xplane.repeated(data, 1):
        names = {i: xplane.text(xplane.scalars(m).get(2, b"")) for i, m in xplane.table(plane, 5).items()}
        for metadata in xplane.table(plane, 4).values():
            args = dict(xplane.read_shared_args(metadata, names))
            if "Hlo Proto" in args:
                name = xplane.text(xplane.scalars(metadata)[2])  # "jit_f(77)": the id
                programs[int(name.rpartition("(")[2][:-1])] = read_program(args["Hlo Proto"])
    return programs


def started_by(program: dict[int, Instruction], at: int) -> int:
    """The start that a done waits for, through updates; of any other instruction itself."""
    while program[at].opcode.endswith(("-done", "-update")) and program[at].operands:
        at = program[at].operands[0]
    return at


def class_of(program: dict[int, Instruction], at: int) -> str:
    start = program[started_by(program, at)]
    opcode = start.wrapped or start.opcode
    if opcode.removesuffix("-start").removesuffix("-done") in COMMUNICATION:
        return "communication"
    if opcode in ("copy-start", "copy-done", "infeed", "outfeed"):
        return "copies"
    return "control" if opcode in CONTROL else "compute"


def execution(modules: list[Span], at: int) -> int:
    """Which execution of a program an event belongs to: the last that had begun."""
    return sum(begin <= at for begin, _ in modules)


def work_of(space: xplane.Space, data: bytes) -> dict[str, Work]:
    """By TPU."""
    programs = read_programs(data)
    found = {}
    for plane in space.planes:
        if not plane.name.startswith("/device:TPU:") or " " in plane.name:
            continue
        lines = defaultdict(list)
        for line in plane.lines:
            lines[line.name] += line.events
        modules = [(e.begin, e.begin + e.duration) for e in lines["XLA Modules"]]
        work = Work()
        # By execution, program and start: when starts began, and dones.
        starts, dones = defaultdict(list), defaultdict(list)
        for event in lines["XLA Ops"]:
            args = dict(event.args)
            names, program = programs[args["program_id"] & 0xFFFF_FFFF_FFFF_FFFF]
            at = names[args.get("hlo_op") or event.name.split(" ")[0].removeprefix("%")]
            span = (event.begin, event.begin + event.duration)
            getattr(work, class_of(program, at)).append(span)
            key = (execution(modules, event.begin), args["program_id"], started_by(program, at))
            if program[at].opcode.endswith("-done"):
                dones[key].append(span)
            elif key[2] == at:
                starts[key].append(span[0])
        # Within one execution an operation runs once, or in a loop: then one after the other.
        for key, waits in dones.items():
            _, program = programs[key[1] & 0xFFFF_FFFF_FFFF_FFFF]
            kind = class_of(program, key[2])
            if kind not in ("communication", "copies"):
                continue
            for begin, end in sorted(waits):
                before = [s for s in starts[key] if s <= begin]
                if not before:
                    continue
                starts[key] = [s for s in starts[key] if s > begin]
                getattr(work, kind).append((max(before), end))
                if kind == "copies":
                    work.copied.append((max(before), end))
        found["TPU " + plane.name.rpartition(":")[2]] = work
    return found
