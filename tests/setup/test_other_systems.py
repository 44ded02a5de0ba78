"""What tools/packages.sh says on systems that are not this one: their programs are played by scripts."""

import os
import re
import subprocess
from pathlib import Path

import packages
import pytest

SCRIPT = packages.ROOT / "tools" / "packages.sh"


@pytest.fixture
def ask(tmp_path):
    """ask(system, groups, PROGRAM=script): runs packages.sh as a user there, who has no package at all."""

    def run(system: str, *groups: str, **programs: str) -> tuple[int, str]:
        (tmp_path / "os-release").write_text(system)
        players = {
            "id": "echo 1000",
            "sudo": "exit 1",
            "dpkg_query": "exit 1",
            "rpm": "exit 1",
            "pacman": "exit 1",
        }
        for name, script in (players | programs).items():
            path: Path = tmp_path / name.replace("_", "-")
            path.write_text(f"#!/bin/sh\n{script}\n")
            path.chmod(0o755)
        environment = os.environ | {
            "PATH": f"{tmp_path}:{os.environ['PATH']}",
            "OS_RELEASE": str(tmp_path / "os-release"),
        }
        done = subprocess.run([SCRIPT, *groups], env=environment, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    return run


def named(said: str, line: int) -> set[str]:
    """The packages of one of the commands that were printed."""
    command = [text for text in said.splitlines() if text.startswith("  ")][line]
    return set(
        re.split(r"install --no-install-recommends -y|dnf install|pacman -S --needed", command)[-1].split()
    )


def test_debian_prints_one_command_for_both(ask):
    groups = packages.groups()
    status, said = ask("ID=debian\nVERSION_ID=13\n", "build")
    assert status == 1
    assert "sudo apt-get update && sudo apt-get install" in said
    assert named(said, 0) == {*groups["build"], *groups["clang"], *groups["browser"]}
    assert named(said, 1) == {*groups["build"]}


def test_what_is_there_is_not_asked_for(ask):
    assert ask("ID=debian\nVERSION_ID=13\n", "build", dpkg_query="echo installed") == (0, "")
    status, said = ask("ID=debian\nVERSION_ID=13\n", "build", dpkg_query="[ $3 = cmake ] || echo installed")
    assert status == 1 and named(said, 0) == {"cmake"}
    assert "python3-dev" in named(ask('ID=linuxmint\nID_LIKE="ubuntu debian"\n', "build")[1], 1)


def test_ubuntu(ask):
    jammy = named(ask('ID=ubuntu\nID_LIKE=debian\nVERSION_ID="22.04"\n', "build")[1], 0)
    assert {"g++-12", "python3.11-dev", "libboost-dev"} <= jammy
    assert not {"g++", "python3-dev", "clang-19", "chromium"} & jammy
    noble = named(ask('ID=ubuntu\nID_LIKE=debian\nVERSION_ID="24.04"\n', "build")[1], 0)
    assert {"g++", "python3-dev", "clang-19"} <= noble and "chromium" not in noble


@pytest.mark.parametrize(
    ("system", "command", "some"),
    [
        ("ID=fedora\nVERSION_ID=43\n", "sudo dnf install", {"gcc-c++", "boost-devel", "python3-devel"}),
        ("ID=arch\n", "sudo pacman -S --needed", {"gcc", "boost", "python"}),
    ],
)
def test_others_are_told_what_to_install(ask, system, command, some):
    status, said = ask(system, "build")
    assert status == 1 and command in said
    assert some <= named(said, 1) and not {"g++", "python3-dev", "-"} & named(said, 0)
    assert ask(system, "build", rpm="exit 0", pacman="exit 0") == (0, "")


def test_elsewhere(ask):
    status, said = ask("ID=void\n", "build")
    assert status == 0 and "libboost-dev" in said
    status, said = ask("", "build", uname="echo Darwin")
    assert status == 1 and "gait is built on Linux" in said and "debian:12" in said
