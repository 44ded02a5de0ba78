"""A slow and obvious count of the FLOPs of one HLO program: the reference for src/gait/read/hlo/cost.h.

hlo_cost.py FILE prints name and FLOPs of every instruction of a serialized xla.HloProto. Reads the wire format with
the helpers of xplane.py and shares nothing with the C++ code: products are counted from the result, convolutions by
visiting every position. None: this reference has no rule (the C++ code may have one).
"""

import itertools
import json
import math
import sys

import xplane

ELEMENTWISE = set(
    "abs add and compare convert cosine divide exponential log log-plus-one logistic maximum minimum multiply negate "
    "not or power remainder rsqrt select shift-left shift-right-logical sine sqrt subtract tanh xor".split()
)
FREE = set(
    "parameter constant tuple get-tuple-element bitcast copy transpose broadcast slice dynamic-slice gather iota "
    "reshape concatenate pad dynamic-update-slice reverse bitcast-convert all-gather all-to-all collective-permute "
    "copy-start copy-done partition-id".split()
)
TAKES_A_PART = {"slice", "dynamic-slice", "gather"}


def integers(data: bytes, number: int) -> list[int]:
    """The values of a repeated integer field, packed or not."""
    values = []
    for field, value in xplane.fields(data):
        if field != number:
            continue
        if isinstance(value, int):
            values.append(xplane.signed(value))
            continue
        at = 0
        while at < len(value):
            one, at = xplane.varint(value, at)
            values.append(xplane.signed(one))
    return values


class Shape:
    def __init__(self, data: bytes):
        self.dimensions = integers(data, 3)
        self.elements = [Shape(element) for element in xplane.repeated(data, 4)]

    @property
    def first(self) -> "Shape":
        return self.elements[0] if self.elements else self

    @property
    def count(self) -> int:
        return math.prod(self.first.dimensions)


class Instruction:
    def __init__(self, data: bytes):
        self.data = data
        one = dict(xplane.fields(data))
        self.name = xplane.text(one.get(1, b""))
        self.opcode = xplane.text(one.get(2, b""))
        self.shape = Shape(one.get(3, b""))
        self.id = one.get(35, 0)
        self.operands = integers(data, 36)
        self.called = integers(data, 38)
        self.target = xplane.text(one.get(28, b""))
        self.config = one.get(43, b"")


class Program:
    def __init__(self, data: bytes):
        module = xplane.repeated(data, 1)[0]
        self.instructions: dict[int, list[Instruction]] = {}  # by computation
        for computation in xplane.repeated(module, 3):
            rows = [Instruction(row) for row in xplane.repeated(computation, 2)]
            self.instructions[dict(xplane.fields(computation)).get(5, 0)] = rows
        self.totals: dict[int, float | None] = {}

    def total(self, computation: int) -> float | None:
        if computation not in self.totals:
            values = [self.flops(computation, row) for row in self.instructions[computation]]
            self.totals[computation] = None if None in values else sum(values)
        return self.totals[computation]

    def operand(self, computation: int, row: Instruction, number: int) -> Shape:
        wanted = row.operands[number]
        return next(other.shape for other in self.instructions[computation] if other.id == wanted)

    def flops(self, computation: int, row: Instruction) -> float | None:
        if row.opcode in FREE:
            return 0
        if row.opcode in ELEMENTWISE:
            return row.shape.count
        if row.opcode == "fusion":
            # A body that takes a part of what it computes is counted by shares, which this reference does not do.
            body = self.instructions[row.called[0]]
            return None if any(inner.opcode in TAKES_A_PART for inner in body) else self.total(row.called[0])
        if row.opcode == "call":
            return self.total(row.called[0])
        if row.opcode == "reduce":
            applied = self.total(row.called[0])
            times = self.operand(computation, row, 0).count - row.shape.count
            return None if applied is None else applied * times
        if row.opcode == "dot":
            contracted = integers(xplane.repeated(row.data, 30)[0], 1)
            lhs = self.operand(computation, row, 0)
            return 2 * row.shape.count * math.prod(lhs.dimensions[d] for d in contracted)
        if row.opcode == "convolution" or row.target == "__cudnn$convForward":
            return self.convolution(computation, row)
        if row.target.startswith("__cublas$"):
            config = json.loads(row.config)["gemm_backend_config"]
            contracted = config["dot_dimension_numbers"]["lhs_contracting_dimensions"]
            lhs = self.operand(computation, row, 0)
            depth = math.prod(lhs.dimensions[int(d)] for d in contracted)
            return (
                2 * row.shape.count * depth
                if config["epilogue"] == "DEFAULT" and not config["beta"]
                else None
            )
        return None

    def convolution(self, computation: int, row: Instruction) -> float:
        numbers = xplane.repeated(row.data, 16)[0]
        one = dict(xplane.fields(numbers))
        source, kernel = self.operand(computation, row, 0), self.operand(computation, row, 1)
        groups = dict(xplane.fields(row.data)).get(50, 1) or 1
        pairs = 1
        windows = [dict(xplane.fields(w)) for w in xplane.repeated(xplane.repeated(row.data, 15)[0], 1)]
        spatial = zip(windows, integers(numbers, 11), integers(numbers, 12), strict=True)
        for window, from_dimension, to_dimension in spatial:
            there = range(0, source.dimensions[from_dimension] * window.get(6, 1), window.get(6, 1))
            positions = itertools.product(
                range(row.shape.first.dimensions[to_dimension]), range(window.get(1, 0))
            )
            low = xplane.signed(window.get(3, 0))
            pairs *= sum(o * window.get(2, 1) + k * window.get(5, 1) - low in there for o, k in positions)
        batch = source.dimensions[one.get(7, 0)]
        features = source.dimensions[one.get(8, 0)] // groups
        return 2 * batch * features * kernel.dimensions[one.get(4, 0)] * pairs


def count(data: bytes) -> dict[str, float | None]:
    program = Program(data)
    return {row.name: program.flops(c, row) for c, rows in program.instructions.items() for row in rows}


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as file:
        for name, flops in count(file.read()).items():
            print(name, "unknown" if flops is None else flops, sep="\t")
