"""Every verb that reads a run says of TensorBoard's and XProf's files what they are, and which file to open."""

import pytest

VERBS = "info overview steps ops kernels idle path memory transfers collectives compile roofline host doctor".split()
VERBS += ["hlo", "dump", "report", "list"]
FILES = (
    "vm.overview_page.pb",
    "vm.input_pipeline.pb",
    "vm.op_profile.json",
    "vm.memory_profile.json.gz",
    "vm.SSTABLE",
)


@pytest.mark.parametrize("verb", VERBS)
def test_says_what_to_open(gait, tmp_path, verb):
    (tmp_path / "vm.xplane.pb").write_bytes(b"")
    for name in FILES:
        (tmp_path / name).write_bytes(b"\x0a\x04\x12\x02ab\x12\x02\x08\x01")
        done = gait.run(verb, tmp_path / name)
        assert done.returncode == 3, done.stdout.decode()
        said = done.stderr.decode()
        assert ", not a capture." in said
        assert f"Open the capture beside it: {tmp_path / 'vm.xplane.pb'}" in said
    done = gait.run("diff", tmp_path / FILES[0], tmp_path / FILES[0])
    assert done.returncode == 3
