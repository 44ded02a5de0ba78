"""Every writer whose file is a pipe, a device or a link: that stays what it is, and what it leads to gets the file."""

import errno
import itertools
import json
import os
import resource
import select
import stat
import subprocess
import threading
import tty
from pathlib import Path
from typing import Protocol

import pytest
from writers import CAPTURE, OLD, command, files_below, is_whole, prepare, writer_called

WRITERS = "report unified junit result schema extract memory_profile benchmarks".split()


class Target(Protocol):
    """What is in the place of a file."""

    def content(self) -> bytes: ...


class Pipe:
    def __init__(self, path: Path, _):
        os.mkfifo(path)
        self.path, self.read = path, b""
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self):
        self.read = self.path.read_bytes()

    def content(self):
        self.thread.join(10)
        assert stat.S_ISFIFO(self.path.lstat().st_mode)
        return self.read


class Device:
    """A terminal behind a link."""

    def __init__(self, path: Path, _):
        self.master, self.terminal = os.openpty()
        tty.setraw(self.terminal)
        self.name = os.ttyname(self.terminal)
        self.before = os.stat(self.name)
        path.symlink_to(self.name)
        self.path, self.read, self.done = path, b"", threading.Event()
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self):
        while select.select([self.master], [], [], 0.2)[0] or not self.done.is_set():
            if select.select([self.master], [], [], 0)[0]:
                self.read += os.read(self.master, 1 << 16)

    def content(self):
        self.done.set()
        self.thread.join(10)
        after = os.stat(self.name)
        os.close(self.terminal)
        os.close(self.master)
        assert str(self.path.readlink()) == self.name
        assert (after.st_mode, after.st_uid, after.st_rdev) == (
            self.before.st_mode,
            self.before.st_uid,
            self.before.st_rdev,
        )
        return self.read


class Link:
    def __init__(self, path: Path, elsewhere: Path):
        self.path, self.behind = path, elsewhere / path.name
        self.behind.write_bytes(OLD)
        self.behind.chmod(0o640)
        path.symlink_to(self.behind)

    def content(self):
        assert self.path.readlink() == self.behind
        assert self.behind.stat().st_mode & 0o777 == 0o640
        return self.behind.read_bytes()


class LinkToNothing:
    def __init__(self, path: Path, elsewhere: Path):
        self.path, self.behind = path, elsewhere / path.name
        path.symlink_to(self.behind)

    def content(self):
        assert self.path.readlink() == self.behind
        return self.behind.read_bytes()


def put(kind: type[Target], names: list[str], folder: Path) -> dict[str, Target]:
    """In the place of the files of these names."""
    elsewhere = folder.parent / "behind"
    elsewhere.mkdir()
    made = {}
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).unlink(missing_ok=True)
        made[name] = kind(folder / name, elsewhere)
    return made


# A capture is looked at when it is written, and no pipe gives back what was written.
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *itertools.product(WRITERS, [Pipe, Device, Link, LinkToNothing]),
        *itertools.product(["capture"], [Link, LinkToNothing]),
    ],
)
def test_every_target(tmp_path, name, kind):
    folder = tmp_path / "out"
    with writer_called(name, folder) as writer:
        prepare(writer, folder)
        ended = writer.attempt(0, errno.EIO)
        assert ended.status == 0, ended.said
        usual = files_below(folder)
        prepare(writer, folder)
        made = put(kind, writer.files, folder)
        ended = writer.attempt(0, errno.EIO)
        assert ended.status == 0, ended.said
        for file, target in made.items():
            assert is_whole(file, target.content(), usual), file
        others = [file for file in files_below(folder) if file not in writer.inputs]
        assert not others  # no file in the place of one, and none beside


@pytest.mark.parametrize("name", ["-", "/dev/stdout", "/dev/fd/1"])
def test_standard_output_by_any_name(tmp_path, name):
    def said(*words):
        done = subprocess.run([command(), *words], cwd=tmp_path, stdout=subprocess.PIPE, check=True)
        assert not files_below(tmp_path)
        return done.stdout.decode()

    assert json.loads(said("report", CAPTURE, "--format", "unified", "-o", name))
    assert said("check", CAPTURE, "step_time < 3600s", "--junit", name).count("</testsuite>") == 1


def test_a_file_that_may_grow_no_further(tmp_path):
    done = subprocess.run(
        [command(), "report", CAPTURE, "-o", "out.html"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16)),
    )
    assert done.returncode == 3 and b"ulimit -f" in done.stderr
    assert not files_below(tmp_path)
