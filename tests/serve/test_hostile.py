"""Requests that nobody should send, many at once, slow ones and ones that go away."""

import contextlib
import json
import re
import socket
import subprocess
import threading
import time
import urllib.parse
from pathlib import Path

import pytest
from client import GAIT, Server, read_tile

BAD_QUERIES = [
    ("tile", {}),
    ("tile", {"tracks": 0, "level": 99, "first": 0, "buckets": 10}),
    ("tile", {"tracks": 0, "level": -1, "first": 0, "buckets": 10}),
    ("tile", {"tracks": 0, "level": 48, "first": 2**62, "buckets": 10}),
    ("tile", {"tracks": 0, "level": 10, "first": 0, "buckets": 10**9}),
    ("tile", {"tracks": "0,,1", "level": 10, "first": 0, "buckets": 10}),
    ("event", {}),
    ("event", {"track": 0, "event": -1}),
    ("event", {"track": "x", "event": 0}),
    ("search", {"q": "/(((/"}),
    ("search", {"q": "/((a{1,255}){1,255}){1,255}/"}),
    ("search", {"q": r"/(.*)(.*)\1\2$/"}),
    ("search", {"q": "x", "in": "everywhere"}),
    ("search", {"q": "x", "limit": 10**7}),
    ("search", {"q": "x", "step": "sideways", "at": 0}),
    ("area", {"from": 5, "to": 5}),
    ("area", {"from": 0, "to": "9" * 30}),
    ("area", {"from": 0, "to": 10, "by": "colour"}),
    ("names", {"from": -1}),
    ("ops", {"by": "nonsense"}),
    ("ops", {"top": "many"}),
    ("ops", {"unknown": 1}),
    ("ops", {"peak_tflops": "nan"}),
    ("steps", {"steps": "a:b"}),
    ("overview", {"device": "GPU 77"}),
    ("idle", {"cause": "boredom"}),
    ("dump", {"limit": 10**9}),
    ("dump", {"from": "yesterday"}),
    ("hlo", {"program": "no_such_program"}),
    ("tracks", {"derived": "maybe"}),
]


@pytest.mark.parametrize(("what", "query"), BAD_QUERIES)
def test_bad_parameters_are_told(server, what, query):
    run = server.runs()["gpt"]
    status, _, body = server.get(f"/api/runs/{run['id']}/{what}", **query)
    assert status == 400, body[:300]
    error = json.loads(body)["error"]
    assert error["what"] and set(error) - {"see"} == {"what", "hint"}


def test_an_error_says_which_page_shows_more(server):
    run = server.runs()["gpt"]
    status, _, body = server.get(f"/api/runs/{run['id']}/ops", steps="900")
    error = json.loads(body)["error"]
    assert status == 400 and error["see"] == "steps" and "gait steps" in error["hint"]


@pytest.mark.parametrize(
    ("what", "query"),
    [
        ("tile", {"tracks": "0,999999m", "level": 10, "first": 0, "buckets": 10}),
        ("tile", {"tracks": "4294967296", "level": 10, "first": 0, "buckets": 10}),
        ("search", {"q": "x", "like": 999999}),
        ("area", {"from": 0, "to": 10, "tracks": 999999}),
        ("event", {"track": 999999, "event": 0}),
        ("event", {"track": 0, "event": 99999999}),
        ("event", {"track": 0, "event": 2**40}),
    ],
)
def test_tracks_and_slices_that_are_not_there(server, what, query):
    run = server.runs()["gpt"]
    status, _, body = server.get(f"/api/runs/{run['id']}/{what}", **query)
    assert status == 404, body[:300]
    assert json.loads(body)["error"]["what"].startswith("there is no")


@pytest.mark.parametrize(
    "path",
    [
        "/api",
        "/api/",
        "/api/nothing",
        "/api/runs/",
        "/api/runs/000000000000",
        "/api/runs/000000000000/overview",
        "/api/runs/..%2f..%2fetc%2fpasswd/overview",
        "/api/runs/newest/..%2f..",
        "/api/runs/newest/nothing",
        "/api/runs/newest/tile/more",
        "/../../etc/passwd.txt",
        "/%2e%2e/%2e%2e/etc/passwd.txt",
        "/assets/..%2f..%2fx.js",
        "/missing.js",
    ],
)
def test_nothing_is_there(server, path):
    status, _, body = server.get(path)
    assert status == 404
    assert json.loads(body)["error"]["what"]


def test_without_a_token_other_hosts_are_refused(logdir):
    with Server(logdir, "--no-token") as server:
        assert server.token is None
        for host in ("evil.example", f"evil.example:{server.port}", "127.0.0.1.evil.example", ""):
            assert server.get("/api/runs", {"Host": host})[0] == 403
        for host in (f"localhost:{server.port}", "localhost:1", "127.0.0.1"):
            assert server.get("/api/runs", {"Host": host})[0] == 200


def test_other_sites_are_refused(server):
    assert server.get("/api/runs", {"Sec-Fetch-Site": "cross-site"})[0] == 403
    assert server.get("/api/runs", {"Sec-Fetch-Site": "same-origin"})[0] == 200


def test_every_answer_has_the_policy(server):
    for path in ("/", "/api/runs", "/api/nothing", "/missing.js"):
        _, headers, _ = server.get(path)
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert "unsafe" not in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert "Access-Control-Allow-Origin" not in headers
    assert server.get("/")[1]["Content-Type"].startswith("text/html")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "BREW"])
def test_only_reading(server, method):
    assert server.get("/api/runs", method=method)[0] in (400, 404, 405)


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_other_methods_are_refused_at_once(server, method):
    """Also without a body, which nobody waits for."""
    begin = time.monotonic()
    head = server.head(f"{method} /api/runs HTTP/1.1")
    with socket.create_connection(("127.0.0.1", server.port), timeout=15) as connection:
        connection.sendall(head + b"\r\n")
        refused = b""
        while not refused.endswith(b"}\n"):  # the head may come before the rest
            refused += connection.recv(65536)
        assert refused.startswith(b"HTTP/1.1 405 ")
        assert b"\r\nAllow: GET, HEAD\r\n" in refused
        # The connection is good for more.
        connection.sendall(server.head() + b"\r\n")
        assert b"HTTP/1.1 200 " in connection.recv(65536)
    with socket.create_connection(("127.0.0.1", server.port), timeout=15) as connection:
        connection.sendall(head + b"Content-Length: 2\r\n\r\nhi")
        assert connection.recv(65536).startswith(b"HTTP/1.1 405 ")
    assert time.monotonic() - begin < 5


def test_requests_that_come_together_are_answered_in_their_order(server):
    """Nothing of a second request is lost that came with the first, nor of one that comes in two parts."""
    heads = [server.head(f"GET {path} HTTP/1.1") for path in ("/api/runs", "/api/nothing", "/api/runs")]
    together = b"\r\n".join(heads) + b"Connection: close\r\n\r\n"
    for parts in ((together,), (together[:-90], together[-90:]), (together[:20], together[20:])):
        with socket.create_connection(("127.0.0.1", server.port), timeout=15) as connection:
            for part in parts:
                connection.sendall(part)
                time.sleep(0.1)
            answer = b""
            while piece := connection.recv(65536):
                answer += piece
        assert re.findall(rb"HTTP/1.1 (\d+) ", answer) == [b"200", b"404", b"200"]


def test_a_body_is_never_taken_for_the_next_request(server):
    hidden = b"GET /api/runs HTTP/1.1\r\nHost: localhost\r\n\r\n"
    for method, status in ((b"GET", b"413"), (b"POST", b"405")):
        for length in (b"Content-Length: %d" % len(hidden), b"Transfer-Encoding: chunked"):
            answer = raw(
                server, method + b" /api/runs HTTP/1.1\r\nHost: localhost\r\n" + length + b"\r\n\r\n" + hidden
            )
            assert re.findall(rb"HTTP/1.1 (\d+) ", answer) == [status], (method, length)


def test_an_answer_in_pieces_without_them(server):
    """HEAD has no body, and HTTP/1.0 no pieces; the connection is good for more."""
    load = f"/api/runs/{server.runs()['gpt']['id']}/load"
    further = server.head("GET /api/nothing HTTP/1.1") + b"Connection: close\r\n\r\n"
    answer = raw(server, server.head(f"HEAD {load} HTTP/1.1") + b"\r\n" + further, stays=True)
    assert re.fullmatch(rb"HTTP/1.1 200 (?:[^\r]*\r\n)+\r\nHTTP/1.1 404 .*", answer, re.DOTALL), answer[:600]
    assert b"chunked" not in answer
    answer = raw(server, server.head(f"GET {load} HTTP/1.0") + b"\r\n", stays=True)
    assert answer.startswith(b"HTTP/1.0 200 ") and b"chunked" not in answer
    assert json.loads(answer.splitlines()[-1])["state"] == "open"


def test_a_head_of_many_lines_is_too_large(server):
    head = server.head()
    assert raw(server, head + b"a: b\r\n" * 100 + b"\r\n").startswith(b"HTTP/1.1 200 ")
    assert raw(server, head + b"a: b\r\n" * 200 + b"\r\n").startswith(b"HTTP/1.1 431 ")
    assert raw(server, b"GET /" + b"a" * 10_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n").startswith(
        b"HTTP/1.1 414 "
    )


def raw(server: Server, data: bytes, seconds: float = 15, stays: bool = False) -> bytes:
    """What comes back. Who has ended the own side, unless it `stays`, has gone: no run is opened for it."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=seconds) as connection:
        with contextlib.suppress(OSError):  # it may have had enough
            connection.sendall(data)
            if not stays:
                connection.shutdown(socket.SHUT_WR)
        answer = b""
        try:
            while piece := connection.recv(65536):
                answer += piece
        except (TimeoutError, ConnectionResetError):
            pass
        return answer


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 20,
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 100_000 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"".join(b"X%d: y\r\n" % i for i in range(5000)) + b"\r\n",
        b"GET /api/runs?"
        + b"&".join(b"a%d=1" % i for i in range(900))
        + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /%00%ff%fe HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /api/runs?q=%zz%%% HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nRange: bytes=" + b",".join([b"0-"] * 2000) + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\nabc",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\nabc",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: " + b"gzip;q=," * 500 + b"\r\n\r\n",
    ],
)
def test_garbage_does_no_harm(server, data):
    raw(server, data)
    _, let_in = server.head().split(b"\r\n", 1)
    raw(server, data.replace(b"Host: localhost\r\n", let_in))  # beyond the guard
    assert server.json("/api/runs")["runs"]


# What is freed stays for a while there.
SANITIZED = 10 if b"__asan_init" in GAIT.read_bytes() else 1


def resident(server: Server) -> int:
    """Bytes of memory that the server has had at most."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(re.search(r"VmHWM:\s*(\d+) kB", status)[1]) * 1024


def flood(server: Server, first: bytes, piece: bytes, size: int) -> tuple[bytes, int]:
    """Sends a head that does not end: the answer, and how much was taken before it."""
    sent = 0
    with socket.create_connection(("127.0.0.1", server.port), timeout=15) as connection:
        try:
            connection.sendall(first)
            while sent < size:
                connection.sendall(piece)
                sent += len(piece)
            connection.sendall(b"\r\n")
        except (BrokenPipeError, ConnectionResetError):
            pass
        try:
            return connection.recv(65536), sent
        except ConnectionResetError:
            return b"", sent


@pytest.mark.parametrize("options", [(), ("--bind", "0.0.0.0")])
def test_a_head_without_end_is_not_read(logdir, options):
    """Nor kept: whoever asks has not even shown a token yet."""
    head = b"GET /api/runs HTTP/1.1\r\nHost: localhost\r\n"
    shapes = [
        (head, b"".join(b"X-%d: " % i + b"y" * 4000 + b"\r\n" for i in range(250))),  # many long headers
        (head, b"a:\r\n" * 250_000),  # the shortest there are
        (head + b"X: ", b"y" * 1_000_000),  # one that is all
        (b"GET /", b"y" * 1_000_000),
    ]
    with Server(logdir, *options) as server:
        server.get("/api/runs")
        before = resident(server)
        for first, piece in shapes:
            answer, taken = flood(server, first, piece, 100_000_000)
            assert answer.startswith(b"HTTP/1.1 431 "), (first, answer[:100])
            assert b"Content-Security-Policy" in answer
            assert taken < 20_000_000  # what fits the sockets' buffers
        assert resident(server) - before < 10_000_000 * SANITIZED
        assert server.get("/api/runs")[0] == 200


def test_connections_hold_little_each(logdir):
    """As much of a head as is allowed, on many connections that wait."""
    with Server(logdir) as server:
        server.get("/api/runs")
        before = resident(server)
        head = server.head() + b"X: " + b"y" * 60_000
        waiting = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(100)]
        for connection in waiting:
            connection.sendall(head)
        assert server.get("/api/runs")[0] == 200
        for connection in waiting:
            connection.close()
        assert resident(server) - before < 40_000_000 * SANITIZED


def test_connections_that_say_nothing_give_way(logdir):
    """More than are served at a time, which would hold others up until they time out, after 10 s."""
    with Server(logdir) as server:
        silent = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(700)]
        begin = time.monotonic()
        assert server.get("/api/runs")[0] == 200
        assert time.monotonic() - begin < 8
        for connection in silent:
            connection.close()


def test_a_request_names_one_host(server):
    for lines in (
        b"GET /api/runs HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n",
        b"GET http://evil.example/api/runs HTTP/1.1\r\nHost: localhost\r\n",
    ):
        assert raw(server, lines + b"\r\n").startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize("options", [(), ("--bind", "0.0.0.0")])
def test_nothing_is_shown_without_the_token(logdir, options):
    """On this machine too: others have accounts here."""
    with Server(logdir, *options) as server:
        assert server.token
        app = re.search(rb'src="\.?(/[^"]+\.js)"', server.get("/")[2])[1].decode()
        run = server.runs()["gpt"]["id"]
        pages = ["/", app, "/docs/", "/docs/index.html", "/missing.js"]
        questions = [
            "/api",
            "/api/runs",
            f"/api/runs/{run}",
            f"/api/runs/{run}/overview",
            f"/api/runs/{run}/load",
        ]
        wrong = {"Authorization": "Bearer " + "0" * 32}
        for path in pages + questions:
            for headers in ({}, wrong, {"Cookie": f"gait_token_{server.port}={'0' * 32}"}):
                status, _, body = server.ask(path, headers)
                assert status == 403, path
                assert b"the whole address that gait view printed" in body
                assert b"gpt" not in body
            assert server.ask(path, token="0" * 32)[0] == 403
        assert server.ask("/api/runs", token=server.token)[0] == 200
        status, headers, _ = server.ask("/", token=server.token)
        assert status == 303 and headers["Location"] == "/"
        cookie, *attributes = headers["Set-Cookie"].split("; ")
        assert cookie == f"gait_token_{server.port}={server.token}"
        assert {"HttpOnly", "SameSite=Strict"} <= set(attributes)
        elsewhere = server.ask("/api/runs", {"Cookie": cookie, "Host": f"elsewhere:{server.port}"})[0]
        assert elsewhere == (200 if options else 403)  # a server on loopback has no other name
        assert server.ask(app, {"Cookie": cookie, "Host": f"localhost:{server.port}"})[0] == 200


def test_no_process_has_the_token_among_its_arguments(logdir, tmp_path):
    """The browser is given a page that only this user can read, and that goes when the server does."""
    told = tmp_path / "told"
    opener = tmp_path / "xdg-open"
    opener.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >{told}.part\nmv {told}.part {told}\n')
    opener.chmod(0o755)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", "DISPLAY": ":none", "TMPDIR": str(scratch)}
    with Server(logdir, browser=True, environment=environment) as server:
        server.wait_for(told.exists)
        (page,) = (Path(line) for line in told.read_text().splitlines())
        assert server.token not in str(page)
        assert server.token.encode() not in Path(f"/proc/{server.process.pid}/cmdline").read_bytes()
        assert page.stat().st_mode & 0o777 == 0o600 and page.parent.stat().st_mode & 0o777 == 0o700
        assert server.said[1].strip() in page.read_text()
    assert not list(scratch.iterdir())


def test_no_token_is_for_this_machine_alone(logdir):
    done = subprocess.run(
        [GAIT, "view", logdir, "--no-browser", "--no-token", "--bind", "0.0.0.0"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2 and "without a token everyone who reaches 0.0.0.0 could look" in done.stderr


def test_browsers_are_sent_no_header_that_they_ignore(logdir):
    # Without https Cross-Origin-Opener-Policy counts on this machine only; elsewhere the console has an error.
    with Server(logdir, "--bind", "0.0.0.0") as server:
        for host, policy in [("localhost", "same-origin"), ("192.0.2.2", None)]:
            headers = server.get("/", {"Host": f"{host}:{server.port}"})[1]
            assert headers.get("Cross-Origin-Opener-Policy") == policy, host


def overview_tile(server: Server, run: dict) -> str:
    tree = server.json(f"/api/runs/{run['id']}/tracks")
    level = max((tree["span"][1] - tree["span"][0]).bit_length() - 11, 0)
    query = {"tracks": "0,1,2", "level": level, "first": tree["span"][0] >> level, "buckets": 2048}
    return f"/api/runs/{run['id']}/tile?{urllib.parse.urlencode(query)}"


def test_thirty_clients_at_once(logdir):
    with Server(logdir) as server:
        run = server.runs()["gpt"]
        failures: list[object] = []
        answers: set[bytes] = set()
        tiles: set[bytes] = set()

        def client() -> None:
            try:
                connection = server.connect()
                for path in ("overview", "ops", "tracks", "names", "kernels", "steps"):
                    connection.request("GET", f"/api/runs/{run['id']}/{path}", headers=server.pass_)
                    reply = connection.getresponse()
                    body = reply.read()
                    if reply.status != 200:
                        failures.append((path, reply.status))
                    if path == "overview":
                        answers.add(body)
                connection.request("GET", overview_tile(server, run), headers=server.pass_)
                tiles.add(connection.getresponse().read())
                connection.close()
            except Exception as error:  # reported below, in the thread that tests
                failures.append(error)

        threads = [threading.Thread(target=client) for _ in range(30)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures
        assert len(answers) == 1 and len(tiles) == 1
        read_tile(tiles.pop())


def test_an_expression_cannot_hold_the_server_up(server):
    run = server.runs()["gpt"]
    for hostile in ("/(a+)+$/", "/^(.|..)+!$/", "/(((((.*)*)*)*)*)*!/", "/[ab]*a[ab]{40}x/", "/(.?){500}!$/"):
        begin = time.monotonic()
        server.json(f"/api/runs/{run['id']}/search", q=hostile)
        assert time.monotonic() - begin < 30, hostile  # without a bound it takes longer than anyone has


def test_a_head_that_never_ends_is_given_up(server):
    begin = time.monotonic()
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.settimeout(0.5)
        connection.sendall(b"GET /api/runs HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
        while time.monotonic() - begin < 60:
            try:
                connection.sendall(b"a")
                if connection.recv(100) == b"":
                    break
            except TimeoutError:
                continue  # it waits for more
            except OSError:
                break
    assert time.monotonic() - begin < 40  # 10 s for all of it, on a machine that may stand still
    assert server.json("/api/runs")["runs"]


def test_slow_readers_and_those_that_leave_hold_nobody_up(server):
    run = server.runs()["gpt"]
    request = server.head(f"GET /api/runs/{run['id']}/dump?limit=100000 HTTP/1.1") + b"\r\n"
    slow = []
    for _ in range(20):
        connection = socket.create_connection(("127.0.0.1", server.port))
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.sendall(request)
        slow.append(connection)
    for _ in range(40):
        leaving = socket.create_connection(("127.0.0.1", server.port))
        leaving.sendall(request)
        leaving.close()
    for _ in range(20):
        slow.append(socket.create_connection(("127.0.0.1", server.port)))  # says nothing at all
    begin = time.monotonic()
    assert server.json(f"/api/runs/{run['id']}/steps")["verb"] == "steps"
    assert time.monotonic() - begin < 15  # who reads slowly is given up after 20
    for connection in slow:
        connection.close()
    assert server.json("/api/runs")["runs"]
