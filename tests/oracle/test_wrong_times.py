"""Times that cannot be are counted as losses, and no verb has a time below 0 in its results."""

import gzip
import json

import pytest
import wrong_times
from conftest import DATA

CAPTURES = ("cpu/one_device.xplane.pb.gz", "h200/gpt.xplane.pb.gz")
VERBS = "info overview steps ops kernels idle path memory transfers collectives compile roofline host doctor".split()
VERBS += ["hlo", "dump"]


def below_zero(document: dict) -> list[str]:
    found = []
    for name, table in document["tables"].items():
        for at, column in enumerate(table["columns"]):
            if column["unit"] not in ("ps", "unix_ns"):
                continue
            found += [
                f"{document['verb']} {name}.{column['name']}: {row[at]}"
                for row in table["rows"]
                if isinstance(row[at], int | float) and row[at] < 0
            ]
    return found


@pytest.fixture(scope="module")
def unpacked():
    return {name: gzip.decompress((DATA / name).read_bytes()) for name in CAPTURES}


@pytest.mark.parametrize("mutation", wrong_times.MUTATIONS)
@pytest.mark.parametrize("name", CAPTURES)
def test_no_result_has_a_time_below_zero(gait, unpacked, tmp_path, name, mutation):
    file = tmp_path / "vm.xplane.pb"
    file.write_bytes(wrong_times.MUTATIONS[mutation](unpacked[name]))
    found = []
    for verb in VERBS:
        done = gait.run(verb, file, "--json")
        assert done.returncode in (0, 1), f"{verb}: {done.stderr.decode()}"
        document = json.loads(done.stdout)
        assert document["losses"], f"{verb} says nothing of {mutation}"
        found += below_zero(document)
    assert not found, "\n".join(found[:20])


def test_a_file_with_no_wrong_times_has_no_losses(gait, unpacked, tmp_path):
    """The mutations are what the losses above come from."""
    for name, content in unpacked.items():
        file = tmp_path / "vm.xplane.pb"
        file.write_bytes(content)
        losses = gait.document("info", file)["losses"]
        assert not [loss for loss in losses if loss["kind"] == "repaired"], name
