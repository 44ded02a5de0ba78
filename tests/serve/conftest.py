"""A log directory of stored captures, and a server on it."""

import shutil

import pytest
from client import DATA, Server

CAPTURES = {
    "gpt": "h200/gpt.xplane.pb.gz",
    "recompile": "h200/recompile.xplane.pb.gz",
    "starved": "h200/starved.xplane.pb.gz",
    "transfers": "h200/transfers.xplane.pb.gz",
    "eight": "cpu/eight_devices.xplane.pb.gz",
}


@pytest.fixture(scope="session")
def logdir(tmp_path_factory):
    directory = tmp_path_factory.mktemp("logdir")
    for name, path in CAPTURES.items():
        (directory / name).mkdir()
        shutil.copy(DATA / path, directory / name / "vm.xplane.pb.gz")
    shutil.copytree(DATA / "cpu" / "two_processes/plugins/profile/run", directory / "two")
    (directory / "broken").mkdir()
    (directory / "broken" / "vm.xplane.pb").write_bytes(b"this is no capture" * 100)
    return directory


@pytest.fixture(scope="session")
def server(logdir):
    with Server(logdir) as running:
        yield running
