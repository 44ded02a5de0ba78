"""Captures that are damaged while they are shown or read: every question has an answer or a reason, the other run is
as it was, and the capture is shown again when its file is whole again."""

import gzip
import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from client import DATA, Server

WHOLE = gzip.decompress((DATA / "h200/gpt.xplane.pb.gz").read_bytes())
QUESTIONS = ("overview", "doctor", "ops", "idle", "path", "tracks", "hlo", "search?q=fusion", "load?once=1")


def in_place(path, content: bytes) -> None:
    """The file that the server has open changes under its hands."""
    with path.open("r+b") as file:
        file.write(content)
        file.truncate(len(content))


DAMAGES = {  # and what is said of it then
    "emptied": (lambda path: in_place(path, b""), 422),
    "cut": (lambda path: in_place(path, WHOLE[: len(WHOLE) // 2]), "losses"),
    "zeroed": (lambda path: in_place(path, bytes(len(WHOLE))), 422),
    "torn": (lambda path: in_place(path, WHOLE[: len(WHOLE) // 3] + b"\xff" * len(WHOLE)), "losses"),
    "appended": (lambda path: in_place(path, WHOLE + b"\x0a\xff\xff\xff\x7f"), "losses"),
    "replaced": (lambda path: (path.unlink(), path.write_bytes(b"no capture at all")), 422),
    "removed": (lambda path: path.unlink(), 410),
    "a folder": (lambda path: (path.unlink(), path.mkdir()), 410),
    "a loop": (lambda path: (path.unlink(), path.symlink_to(path)), 410),
}


@pytest.fixture
def runs(tmp_path):
    """The file of a run that is damaged; another one lies beside it."""
    for name in ("damaged", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "vm.xplane.pb").write_bytes(WHOLE)
    return tmp_path / "damaged" / "vm.xplane.pb"


def repair(path) -> None:
    if path.is_dir():
        path.rmdir()
    path.unlink(missing_ok=True)
    path.write_bytes(WHOLE)


def answer_of(server, run: str) -> str:
    status, _, body = server.get(f"/api/runs/{run}/overview")
    return json.loads(body)["answer"] if status == 200 else ""


def ask_all(server, run: str) -> dict[str, int]:
    """The status of each question; what is no answer is an error in JSON."""
    found = {}
    for question in QUESTIONS:
        status, headers, body = server.get(f"/api/runs/{run}/{question}")
        found[question] = status
        if status != 200:
            assert status in (404, 410, 422, 499), (question, status, body[:200])
            assert json.loads(body)["error"]["what"], question
        elif "json" in headers["Content-Type"]:
            for line in body.splitlines() if "ndjson" in headers["Content-Type"] else [body]:
                json.loads(line)
    return found


@pytest.mark.parametrize(("do_damage", "expected"), DAMAGES.values(), ids=DAMAGES)
def test_while_it_is_shown(runs, do_damage, expected):
    with Server(runs.parent.parent) as server:
        before = server.runs()
        ids = {label: run["id"] for label, run in before.items()}
        answers = {name: answer_of(server, ids[name]) for name in ids}
        do_damage(runs)
        ask_all(server, ids["damaged"])
        version = before["damaged"]["version"]
        server.wait_for(lambda: server.runs().get("damaged", {}).get("version") != version)
        ask_all(server, ids["damaged"])
        status, _, body = server.get(f"/api/runs/{ids['damaged']}/overview")
        assert expected == (status if status != 200 else "losses" if json.loads(body)["losses"] else "whole")
        assert set(ask_all(server, ids["other"]).values()) == {200}
        repair(runs)
        for name, answer in answers.items():
            server.wait_for(lambda run=ids[name], answer=answer: answer_of(server, run) == answer)


@pytest.mark.parametrize("do_damage", [first for first, _ in DAMAGES.values()], ids=DAMAGES)
def test_while_it_is_read(runs, do_damage):
    with Server(runs.parent.parent) as server:
        ids = {label: run["id"] for label, run in server.runs().items()}
        with ThreadPoolExecutor(4) as threads:
            asking = [threads.submit(ask_all, server, ids["damaged"]) for _ in range(4)]
            do_damage(runs)
            for asked in asking:
                asked.result(60)
        assert set(ask_all(server, ids["other"]).values()) == {200}
        repair(runs)
        server.wait_for(lambda: answer_of(server, ids["damaged"]) == answer_of(server, ids["other"]))
