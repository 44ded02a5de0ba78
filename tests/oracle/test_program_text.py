"""What program text says about indices and edges is what XLA says: its own text of the same program."""

import re

import pytest

INSTRUCTION = re.compile(r"%(\S+) = \S+ (gather|scatter|pad|dynamic-slice|slice)\(.*?\), (.*)")
ATTRIBUTE = re.compile(r"(\w*(?:dims?|map|sizes|padding|slice))=(\{[^}]*\}|[^,\s]+)")


def attributes(text: str) -> dict[str, tuple[str, list]]:
    """By instruction: its opcode, and what it says besides operands and metadata."""
    found = (INSTRUCTION.search(line) for line in text.splitlines())
    return {m[1]: (m[2], ATTRIBUTE.findall(m[3].split("metadata=")[0])) for m in found if m}


@pytest.fixture(scope="module")
def capture_and_text(made_captures):
    path = made_captures(1, "indexing.py")
    (text,) = path.parents[3].glob("program.txt")
    return path, text.read_text()


def test_indices_and_edges_are_those_of_xla(gait, capture_and_text):
    path, text = capture_and_text
    theirs = attributes(text)
    assert {opcode for opcode, _ in theirs.values()} == {"gather", "scatter", "pad", "dynamic-slice", "slice"}
    assert all(said for _, said in theirs.values())
    assert attributes(gait.run("hlo", path, "jit_indexing").stdout.decode()) == theirs
