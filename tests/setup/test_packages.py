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


def test_what_is_used_is_listed(files):
    missing = packages.not_brought_in(packages.groups(), files)
    assert not missing, "packages that tools/packages.txt lacks: " + "; ".join(
        f"{name}: {why}" for name, why in missing.items()
    )


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
        ("clang-19", "clang-19"),  # the linters, which make test does not install, bring it too
    ],
)
def test_a_package_that_is_forgotten_is_found(files, forgotten, seen):
    listed = {name: [one for one in group if one != forgotten] for name, group in packages.groups().items()}
    missing = packages.not_brought_in(listed, files)
    assert any(package.startswith(seen) for package in missing), missing


def test_programs_are_found_where_commands_stand():
    assert {*packages.commands_of_shell('a=$("$here/llvm.sh" clang++)\nunshare -m tar x')} == {
        "clang++",
        "tar",
    }
    script = 'x=1 cut -f 1 "$(sort a)" | tr a b && step.sh "title" log env make -j\nif ! grep x; then echo find; fi'
    assert [*packages.commands_of_shell(script)] == ["sort", "cut", "tr", "make", "grep", "echo"]
    assert [*packages.commands_of_python("import subprocess\nsubprocess.run(['git', 'log'])")] == ["git"]
