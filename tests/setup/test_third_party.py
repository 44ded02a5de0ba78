"""THIRD_PARTY.md names every part of others that ends up in the program, the Python package or the web app."""

import json
import re
import shutil
import subprocess

import packages
import pytest

ROOT = packages.ROOT
PAGE = (ROOT / "THIRD_PARTY.md").read_text()
GAIT = ROOT / "build" / "bin" / "gait"

# The system's own, which every program of it uses.
SYSTEM = "linux-vdso ld-linux libc libm libgcc_s libstdc++ libpthread libdl librt libpython".split()
# How the parts of shared libraries and of header folders are called on the page.
PART_OF_LIBRARY = {
    "libz": "zlib",
    "libzstd": "Zstandard",
    "libfmt": "fmt",
    "libsimdjson": "simdjson",
    "libdeflate": "libdeflate",
    "libre2": "RE2",
    "libgrpc": "gRPC",
    "libgrpc++": "gRPC",
    "libgpr": "gRPC",
    "libupb": "upb",
    "libaddress_sorting": "address_sorting",
    "libcares": "c-ares",
    "libssl": "OpenSSL",
    "libcrypto": "OpenSSL",
}
PART_OF_HEADERS = {
    "absl": "Abseil",
    "boost": "Boost",
    "CLI": "CLI11",
    "fmt": "fmt",
    "grpc": "gRPC",
    "grpcpp": "gRPC",
    "nanobind": "nanobind",
    "protozero": "protozero",
    "re2": "RE2",
    "robin_map": "robin-map",
}
OWN_TESTS = {"gtest", "gmock", "benchmark", "google"}  # in no program that leaves the tree


def parts() -> dict[str, str]:
    """The first column of the table with the whole row."""
    rows = re.findall(r"^\| ([^|]+?) \| (.*)$", PAGE, re.MULTILINE)
    return {name: rest for name, rest in rows if name not in ("part", "---")}


def is_named(part: str) -> bool:
    """By a row of its own, or of what comes with it; not by one that says what it is a part of."""
    own = [name.split(", of ")[0] for name in parts()]
    return any(re.search(rf"(^|[ (,]){re.escape(part)}($|[ ),])", name) for name in own)


def part_of_library(library: str) -> str | None:
    stem = library.split(".so")[0]
    if any(stem == name or stem.startswith((f"{name}-", "libpython")) for name in SYSTEM):
        return None
    return "Abseil" if stem.startswith("libabsl_") else PART_OF_LIBRARY.get(stem, stem)


def linked() -> set[str]:
    binaries = [*(ROOT / "build" / "bin").glob("gait*"), *(ROOT / "build" / "python" / "gait").glob("*.so")]
    found = set()
    for binary in binaries:
        text = subprocess.run(["ldd", binary], capture_output=True, text=True, check=True).stdout
        found.update(line.split()[0].rpartition("/")[2] for line in text.splitlines() if line.strip())
    return found


@pytest.mark.skipif(not GAIT.exists(), reason="there is no build")
def test_every_linked_library_is_there():
    libraries = linked()
    assert len(libraries) > 8
    missing = {part for part in map(part_of_library, libraries) if part and not is_named(part)}
    assert not missing


@pytest.mark.skipif(not GAIT.exists(), reason="there is no build")
def test_every_library_of_headers_is_there():
    """Folders below the systems' include, and those of Python packages, that sources of ours have read from."""
    folders = set()
    for header in packages.run(
        "ninja", "-C", ROOT / "build", "-t", "deps"
    ).splitlines():  # nanobind's are relative
        header = header.strip()
        if found := re.match(r"/usr/(?:local/)?include/(\w[\w.+-]*)/", header):
            folders.add(found[1])
        elif found := re.search(r"/site-packages/(nanobind)/(?:ext/(\w+)/)?", header):
            folders.add(found[2] or found[1])
    known = {folder: part for folder, part in PART_OF_HEADERS.items() if folder in folders}
    assert {"boost", "protozero", "fmt", "nanobind"} <= set(known)
    system = {"arpa", "asm-generic", "bits", "c++", "linux", "net", "netinet", "rpc", "sys", "gnu"}
    unknown = {
        f
        for f in folders - set(known) - OWN_TESTS - system
        if not f.startswith(("x86_64", "aarch64", "python"))
    }
    assert not unknown, "neither the system's nor on the page"
    missing = {part for part in known.values() if not is_named(part)}
    assert not missing


def bundled() -> dict[str, str]:
    """What the app depends on, and what that brings in, with versions."""
    lock = json.loads((ROOT / "web" / "package-lock.json").read_text())["packages"]
    return {
        path.rpartition("node_modules/")[2]: package["version"]
        for path, package in lock.items()
        if path and not package.get("dev")
    }


def test_every_package_of_the_web_app_is_there_with_its_version():
    rows = parts()
    for name, version in bundled().items():
        row = next((rest for part, rest in rows.items() if part.split(",")[0] == name), "")
        assert row.startswith(f"{version} |"), f"{name} {version}: {row or 'missing'}"


def test_the_web_app_imports_nothing_else():
    packages_of_app = bundled()
    for source in (ROOT / "web" / "src").rglob("*.ts*"):
        if ".test." in source.name:
            continue
        for name in re.findall(r"""(?:from|import) ['"]([^./'"][^'"]*)['"]""", source.read_text()):
            package = "/".join(name.split("/")[: 2 if name.startswith("@") else 1])
            assert package in packages_of_app, f"{source.name} imports {name}"


def test_every_licence_that_is_named_is_printed():
    for rest in parts().values():
        for licence in re.findall(r"\b(MIT|BSD-\d-Clause|BSL-1\.0|Zlib|Apache-2\.0)\b", rest):
            assert f"### {licence}\n" in PAGE, licence


@pytest.mark.skipif(not GAIT.exists(), reason="there is no build")
def test_the_program_prints_it():
    done = subprocess.run([GAIT, "--licenses"], capture_output=True, text=True, check=True)
    assert done.stdout == PAGE + "\n" + (ROOT / "LICENSE").read_text()


@pytest.mark.skipif(not shutil.which("ldd"), reason="there is no ldd")
def test_a_library_that_is_forgotten_is_found():
    assert not is_named("libcurl")
    assert part_of_library("libcurl.so.4") == "libcurl"
    assert part_of_library("libc.so.6") is None and part_of_library("ld-linux-x86-64.so.2") is None
