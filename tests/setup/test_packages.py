"""A fresh machine has what the build uses: every file from outside of the tree is in a package that tools/packages.txt
lists, or that a listed one brings in."""

import shutil

import packages
import pytest

pytestmark = pytest.mark.skipif(
    not shutil.which("dpkg-query"), reason="packages are looked up in Debian's lists"
)


@pytest.fixture(scope="module")
def files():
    found = packages.used()
    assert len(found) > 500
    return found


@pytest.fixture(scope="module")
def listed():
    return [package for group in packages.groups().values() for package in group]


def said(missing):
    return "packages that tools/packages.txt lacks: " + "; ".join(
        f"{name}: {why}" for name, why in missing.items()
    )


def test_what_is_used_is_listed(listed, files):
    missing = packages.not_brought_in(listed, files)
    assert not missing, said(missing)


def test_what_the_build_uses_is_in_its_group(files):
    """make run installs no more. The benchmark's programs are of the same tree, where somebody built them."""
    groups = packages.groups()
    release = {file: by for file, by in files.items() if by.startswith("build, ")}
    missing = packages.not_brought_in(groups["build"] + groups["bench"] + groups["optional"], release)
    assert not missing, said(missing)


@pytest.mark.parametrize(
    ("forgotten", "seen"),
    [
        ("python3-venv", "python3"),  # a module
        ("chromium", "chromium"),
        ("python3-dev", "libpython3."),  # a header, also of another Python than Debian's
        ("libboost-dev", "libboost"),
        ("libcli11-dev", "libcli11-dev"),
        ("cmake", "cmake"),  # a program
        ("ninja-build", "ninja-build"),
        ("libdeflate-dev", "libdeflate-dev"),  # a library
    ],
)
def test_a_package_that_is_forgotten_is_found(listed, files, forgotten, seen):
    missing = packages.not_brought_in([package for package in listed if package != forgotten], files)
    assert any(package.startswith(seen) for package in missing), missing


def test_programs_are_found_where_commands_stand():
    script = 'x=1 cut -f 1 "$(sort a)" | tr a b && step.sh "title" log env make -j\nif ! grep x; then echo find; fi'
    assert [*packages.commands_of_shell(script)] == ["sort", "cut", "tr", "make", "grep", "echo"]
    assert [*packages.commands_of_python("import subprocess\nsubprocess.run(['git', 'log'])")] == ["git"]
