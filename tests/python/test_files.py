"""Files and folders of the package: whole, on the disk, and nobody else's where they are secret."""

import os
import stat
from pathlib import Path

import pytest

from gait import _files


def test_a_secret_is_its_users_alone(tmp_path):
    path = tmp_path / "token"
    path.write_text("old")
    path.chmod(0o644)
    _files.write(path, "sesame", only_own=True)
    assert path.read_text() == "sesame"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.fixture
def source(tmp_path):
    folder = tmp_path / "source"
    (folder / "inner").mkdir(parents=True)
    for name in ("a", "inner/b"):
        (folder / name).write_bytes(name.encode() * 3)
        os.utime(folder / name, (1000, 1000))
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_folder_is_on_the_disk_before_it_has_its_name(source, tmp_path, monkeypatch):
    order = []
    synchronize, rename = os.fsync, os.rename
    monkeypatch.setattr(
        os,
        "fsync",
        lambda fd: (order.append(Path(os.readlink(f"/proc/self/fd/{fd}"))), synchronize(fd)),
    )
    monkeypatch.setattr(os, "rename", lambda *paths: (order.append("rename"), rename(*paths)))
    target = tmp_path / "made" / "target"
    _files.copy_folder(source, target)
    assert contents(target) == contents(source)
    before, after = order[: order.index("rename")], order[order.index("rename") + 1 :]
    assert after == [target.parent]
    (partial,) = {path for path in before if path.parent == target.parent}
    assert {path.relative_to(partial).as_posix() for path in before} == {".", "a", "inner", "inner/b"}


def test_from_another_file_system_files_are_copied(source, tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr(os, "link", refuse)
    target = tmp_path / "target"
    _files.copy_folder(source, target)
    assert contents(target) == contents(source)
    assert not (target / "a").samefile(source / "a")
    assert (target / "a").stat().st_mtime == 1000


def test_nothing_is_left_of_a_folder_that_cannot_be_copied(source, tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "rename", refuse)
    with pytest.raises(OSError, match="No space"):
        _files.copy_folder(source, tmp_path / "made" / "target")
    assert list((tmp_path / "made").iterdir()) == []
