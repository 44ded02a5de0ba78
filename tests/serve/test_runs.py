"""The list of runs, the verbs over HTTP, caching, runs that come and go."""

import json
import os
import re
import shutil
import subprocess

import pytest
from client import DATA, GAIT, Server

VERBS = [
    "info",
    "overview",
    "steps",
    "ops",
    "kernels",
    "idle",
    "path",
    "memory",
    "transfers",
    "collectives",
    "compile",
    "roofline",
    "host",
    "hlo",
    "doctor",
]


def command(verb: str, run: dict, *options: str) -> str:
    return subprocess.run(
        [GAIT, verb, run["path"], "--json", *options], check=True, capture_output=True, text=True
    ).stdout


def test_list(server, logdir):
    answer = server.json("/api/runs")
    assert answer["directory"] == str(logdir)
    assert answer["empty"] is None
    runs = server.runs()
    assert set(runs) == {"gpt", "recompile", "starved", "transfers", "eight", "two", "broken"}
    assert runs["two"]["hosts"] == sorted(runs["two"]["hosts"]) and len(runs["two"]["hosts"]) == 2
    assert runs["gpt"]["bytes"] == (logdir / "gpt" / "vm.xplane.pb.gz").stat().st_size
    assert server.json(f"/api/runs/{runs['gpt']['id']}")["label"] == "gpt"
    assert len({run["id"] for run in runs.values()}) == len(runs)


def test_what_a_value_holds_is_not_taken_for_another_parameter(server):
    run = server.runs()["gpt"]
    one = server.json(f"/api/runs/{run['id']}/ops", name="dot", top=1)
    other = server.json(f"/api/runs/{run['id']}/ops", name="dot|top=1")
    assert [len(answer["tables"]["ops"]["rows"]) for answer in (one, other)] == [
        1,
        len(other["tables"]["ops"]["rows"]),
    ]
    assert len(other["tables"]["ops"]["rows"]) > 1


@pytest.mark.parametrize("verb", ["overview", "ops", "idle", "roofline"])
def test_options_of_the_command_are_parameters(server, verb):
    run = server.runs()["gpt"]
    says = subprocess.run([GAIT, verb, "--help"], check=True, capture_output=True, text=True).stdout
    what = says[says.index("\nWhat\n") : says.index("\nRows\n")]
    names = [name.replace("-", "_") for name in re.findall(r"^  --([a-z-]+)", what, re.MULTILINE)]
    assert len(names) > 5
    for name in names:
        _, _, body = server.get(f"/api/runs/{run['id']}/{verb}", **{name: "1"})
        assert b"there is no parameter" not in body, name


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("name", ["gpt", "eight", "two"])
def test_verbs_are_those_of_the_command(server, name, verb):
    run = server.runs()[name]
    status, _, body = server.get(f"/api/runs/{run['id']}/{verb}")
    assert status == 200
    assert body.decode() == command(verb, run)


@pytest.mark.parametrize(
    ("verb", "query", "options"),
    [
        ("ops", {"by": "scope", "top": 5}, ["--by", "scope", "--top", "5"]),
        ("ops", {"steps": "1:2", "name": "fusion"}, ["--steps", "1:2", "--name", "fusion"]),
        ("ops", {"by": "category", "peak_tflops": 100}, ["--by", "category", "--peak-tflops", "100"]),
        ("idle", {"cause": "input"}, ["--cause", "input"]),
        ("kernels", {"sort": "p99", "table": "kernels"}, ["--sort", "p99", "--table", "kernels"]),
        ("steps", {"explain": 1}, ["--explain"]),
        ("overview", {"program": "jit_train_step"}, ["--program", "jit_train_step"]),
        ("hlo", {"program": "jit_train_step"}, ["jit_train_step"]),
        (
            "dump",
            {"limit": 20, "from": "25ms", "name": "fusion"},
            ["--limit", "20", "--from", "25ms", "--name", "fusion"],
        ),
    ],
)
def test_options_of_verbs(server, verb, query, options):
    run = server.runs()["gpt"]
    answer = server.json(f"/api/runs/{run['id']}/{verb}", **query)
    assert answer == json.loads(command(verb, run, *options))


def test_diff(server):
    runs = server.runs()
    before, after = runs["gpt"], runs["starved"]
    answer = server.json(f"/api/runs/{before['id']}/diff", **{"with": after["id"]})
    assert answer == json.loads(command("diff", before, after["path"]))
    assert server.get(f"/api/runs/{before['id']}/diff")[0] == 400
    assert server.get(f"/api/runs/{before['id']}/diff", **{"with": "nothing"})[0] == 404
    several = server.json(
        f"/api/runs/{before['id']}/diff", **{"with": [after["id"], runs["transfers"]["id"]]}
    )
    assert several == json.loads(command("diff", before, after["path"], runs["transfers"]["path"]))


def test_csv(server):
    run = server.runs()["gpt"]
    status, headers, body = server.get(f"/api/runs/{run['id']}/kernels", format="csv")
    assert (status, headers["Content-Type"]) == (200, "text/csv; charset=utf-8")
    assert (
        body
        == subprocess.run([GAIT, "kernels", run["path"], "--csv"], check=True, capture_output=True).stdout
    )


def test_summary_is_the_overview(server):
    run = server.runs()["gpt"]
    summary = server.json(f"/api/runs/{run['id']}/summary")
    steps = server.json(f"/api/runs/{run['id']}/steps", table="steps")["tables"]["steps"]
    assert summary["answer"] == server.json(f"/api/runs/{run['id']}/overview")["answer"]
    assert summary["steps"] == len(summary["step_ps"]) > 0
    duration = [column["name"] for column in steps["columns"]].index("step_time")
    assert set(summary["step_ps"]) <= {row[duration] for row in steps["rows"]}
    for label in ("gpt", "starved", "transfers", "eight"):
        path = f"/api/runs/{server.runs()[label]['id']}"
        times = server.json(f"{path}/steps", table="step_times")["tables"]["step_times"]
        median = [column["name"] for column in times["columns"]].index("median")
        assert server.json(f"{path}/summary")["step_median_ps"] == times["rows"][0][median]
    assert 90 < summary["device_busy_percent"] <= 100
    starved = server.json(f"/api/runs/{server.runs()['starved']['id']}/summary")
    assert starved["headline"] == "Waiting for input"
    assert starved["findings"] == 4


def test_a_broken_run_says_why(server):
    run = server.runs()["broken"]
    status, _, body = server.get(f"/api/runs/{run['id']}/overview")
    assert status == 422
    assert "not an XPlane file" in json.loads(body)["error"]["what"]
    assert server.runs()["broken"]["state"] == "failed"


def test_load_tells_how_far_it_is(logdir):
    with Server(logdir) as server:
        run = server.runs()["starved"]
        assert run["state"] == "closed"
        assert server.json(f"/api/runs/{run['id']}/load", once=1)["state"] == "closed"
        status, headers, body = server.get(f"/api/runs/{run['id']}/load")
        lines = [json.loads(line) for line in body.decode().splitlines()]
        assert (status, headers["Content-Type"]) == (200, "application/x-ndjson")
        assert lines[-1]["state"] == "open" and lines[-1]["fraction"] == 1 and lines[-1]["ms"] > 0
        assert all(line["state"] == "loading" for line in lines[:-1])
        assert server.runs()["starved"]["state"] == "open"


def test_the_run_that_the_page_opens_at_is_read_before_anyone_asks(logdir):
    with Server(logdir) as server:
        first = server.said[1].split("#/")[1].split("/")[0]
        runs = server.json("/api/runs")["runs"]
        assert first == runs[0]["id"]
        server.wait_for(lambda: server.json("/api/runs")["runs"][0]["state"] == "open")
        assert {run["state"] for run in server.json("/api/runs")["runs"][1:]} == {"closed"}


def test_the_page_opens_at_a_run_that_can_be_read(tmp_path):
    for number, content in enumerate([(DATA / "h200/gpt.xplane.pb.gz").read_bytes(), b""]):
        run = tmp_path / f"plugins/profile/2026_11_15_1{number}_00_00"
        run.mkdir(parents=True)
        (run / f"vm.xplane.pb{'' if number else '.gz'}").write_bytes(content)
    with Server(tmp_path) as server:
        runs = server.json("/api/runs")["runs"]
        assert [run["devices"] for run in runs] == ["empty", "compressed"]
        assert f"#/{runs[1]['id']}/" in server.said[1]


def test_caching(server):
    run = server.runs()["gpt"]
    path = f"/api/runs/{run['id']}/steps"
    _, plain, body = server.get(path)
    assert plain["Cache-Control"] == "private, no-cache"
    status, headers, again = server.get(path, {"If-None-Match": plain["ETag"]})
    assert (status, again, headers["ETag"]) == (304, b"", plain["ETag"])
    assert server.get(path, {"If-None-Match": '"other"'})[0] == 200
    _, pinned, _ = server.get(path, v=run["version"])
    assert "immutable" in pinned["Cache-Control"]
    assert "immutable" not in server.get(path, v="old")[1]["Cache-Control"]
    _, packed, unpacked = server.get(path, {"Accept-Encoding": "gzip"})
    assert packed["Content-Encoding"] == "gzip" and unpacked == body
    assert server.get(path, {"Accept-Encoding": "zstd, gzip"})[1]["Content-Encoding"] == "zstd"
    status, headers, nothing = server.get(path, method="HEAD")
    assert (status, nothing, int(headers["Content-Length"])) == (200, b"", len(body))
    list_tag = server.get("/api/runs")[1]["ETag"]
    assert server.get("/api/runs", {"If-None-Match": list_tag})[0] == 304


def test_runs_come_and_go(tmp_path):
    with Server(tmp_path) as server:
        answer = server.json("/api/runs")
        assert answer["runs"] == [] and answer["empty"]["what"]
        assert server.get("/api/runs/newest/overview")[0] == 404
        (tmp_path / "new").mkdir()
        target = tmp_path / "new" / "vm.xplane.pb.gz"
        shutil.copy(DATA / "h200/gpt.xplane.pb.gz", target)
        run = server.wait_for(lambda: server.runs().get("new"))
        overview = server.json(f"/api/runs/{run['id']}/overview")
        assert server.json("/api/runs/newest/overview") == overview
        # Written again with another content: another version, the new numbers.
        shutil.copy(DATA / "h200/starved.xplane.pb.gz", target)
        server.wait_for(lambda: server.runs()["new"]["version"] != run["version"])
        assert server.json(f"/api/runs/{run['id']}/overview")["answer"] != overview["answer"]
        # Deleted while it is open.
        target.unlink()
        server.wait_for(lambda: server.get(f"/api/runs/{run['id']}/steps")[0] == 410)
        assert server.json("/api/runs")["runs"] == []


def test_the_app_is_small(server):
    page = server.get("/")[2].decode()
    scripts = re.findall(r'src="\./?([^"]+\.js)"', page)
    assert scripts
    sizes = [
        int(server.get(f"/{script}", {"Accept-Encoding": "gzip"})[1]["Content-Length"]) for script in scripts
    ]
    assert sum(sizes) < 300_000


def test_ids_stay_the_same(server, logdir):
    before = {label: run["id"] for label, run in server.runs().items()}
    with Server(logdir) as other:
        assert {label: run["id"] for label, run in other.runs().items()} == before


def test_one_file_is_a_run(logdir):
    with Server(logdir / "gpt" / "vm.xplane.pb.gz") as server:
        (run,) = server.runs().values()
        assert server.said[1].strip().endswith(f"#/{run['id']}/overview")
        assert server.json(f"/api/runs/{run['id']}/info")["verb"] == "info"


def test_heap_profiles(tmp_path):
    shutil.copytree(DATA / "cpu" / "two_processes/plugins/profile/run", tmp_path / "run")
    with Server(tmp_path) as server:
        (run,) = server.runs().values()
        assert server.get(f"/api/runs/{run['id']}/heap")[0] == 404
        for name in ("step_0.prof", "step_3.prof"):
            shutil.copy(DATA / "memory" / name, tmp_path / "run")
        server.wait_for(lambda: server.json(f"/api/runs/{run['id']}/files")["files"])
        files = server.json(f"/api/runs/{run['id']}/files")["files"]
        assert [file["name"] for file in files] == ["step_0.prof", "step_3.prof"]
        paths = [str(tmp_path / "run" / file["name"]) for file in files]
        printed = subprocess.run([GAIT, "memory", *paths, "--json"], check=True, capture_output=True).stdout
        assert server.json(f"/api/runs/{run['id']}/heap") == json.loads(printed)
        one = server.json(f"/api/runs/{run['id']}/heap", file="step_0.prof")
        assert one["source"] == paths[0]
        assert server.get(f"/api/runs/{run['id']}/heap", file="../../x.prof")[0] == 404


def test_a_pipe_beside_a_run_holds_nobody_up(tmp_path):
    """Nor is what its writer has to say taken away: it is no file of a run."""
    (tmp_path / "good").mkdir()
    shutil.copy(DATA / "h200/gpt.xplane.pb.gz", tmp_path / "good" / "vm.xplane.pb.gz")
    (tmp_path / "slow").mkdir()
    pipe = tmp_path / "slow" / "vm.xplane.pb"
    os.mkfifo(pipe)
    with open(pipe, "r+b", buffering=0) as writer, Server(tmp_path) as server:
        writer.write(b"kept")
        assert list(server.runs()) == ["good"]
        assert server.json("/api/runs/newest/overview")["answer"]
        assert writer.read(4) == b"kept"


def test_a_pipe_that_never_ends_does_not_keep_the_server(tmp_path):
    """Named itself it is waited for; the list and the page answer meanwhile."""
    pipe = tmp_path / "vm.xplane.pb"
    os.mkfifo(pipe)
    with open(pipe, "r+b", buffering=0), Server(pipe) as server:
        (run,) = server.runs().values()
        asking = server.connect()
        asking.request("GET", f"/api/runs/{run['id']}/overview", headers=server.pass_)
        server.wait_for(lambda: server.json("/api/runs")["runs"][0]["state"] == "loading")
        assert server.get("/")[0] == 200
        asking.close()
        assert server.json(f"/api/runs/{run['id']}/load", once=1)["state"] == "loading"
