"""Who gets at TensorBoard, at a trace for Perfetto and at gait.serve: whoever has the secret, and nobody else."""

import http.client
import threading
import urllib.parse
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest

from gait import _guard
from gait.compat import _viewers
from gait.compat._token_wall import TokenWall

TOKEN = "t0ken-of_this-start"


class Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        pass


def application(request, respond):
    respond("200 OK", [("Content-Type", "text/plain")])
    return [f"for you: {request['PATH_INFO']}?{request['QUERY_STRING']}".encode()]


@pytest.fixture(params=[True, False], ids=["loopback", "elsewhere"])
def port(request):
    with make_server(
        "127.0.0.1", 0, TokenWall(application, TOKEN, request.param), handler_class=Quiet
    ) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def ask(port, path, method="GET", **headers):
    """Status, headers and content; `Sec_Fetch_Site` is the header with dashes."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request(method, path, headers={name.replace("_", "-"): v for name, v in headers.items()})
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        connection.close()


def test_nobody_gets_in_without_the_token(port):
    cookie = f"gait_token_{port}"
    for headers in (
        {},
        {"Authorization": "Bearer"},
        {"Authorization": "Bearer " + TOKEN[:-1]},
        {"Cookie": f"{cookie}="},
        {"Cookie": f"{cookie}={TOKEN[:-1]}"},
        {"Cookie": f"gait_token_1={TOKEN}"},  # of a server at another port
        {"Cookie": f"x{cookie}={TOKEN}"},
    ):
        for path in ("/", "/data/plugin/profile/runs", "/?token=", f"/?token={TOKEN}x", f"/{TOKEN}"):
            for method in ("GET", "POST", "HEAD"):
                status, answered, content = ask(port, path, method, **headers)
                assert status == 403 and b"for you" not in content, (headers, path)
                assert TOKEN not in f"{answered}{content!r}"
                assert answered["Content-Security-Policy"].startswith("default-src 'none'")


def test_the_address_becomes_a_cookie(port):
    status, headers, _ = ask(port, f"/a/%C3%A9?x=1%202&token={TOKEN}&y=")
    assert status == 303 and headers["Location"] == "/a/%C3%A9?x=1+2&y="
    cookie, *attributes = headers["Set-Cookie"].split("; ")
    assert cookie == f"gait_token_{port}={TOKEN}"
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} == set(attributes)
    status, _, content = ask(port, "/a?x=1", Cookie=f'other=["{{}}; {cookie} ; last=1')
    assert (status, content) == (200, b"for you: /a?x=1")
    assert ask(port, "/a", "POST", Authorization=f"Bearer {TOKEN}")[0] == 200


def test_nobody_is_sent_to_another_machine():
    """However the path begins. (Python's own servers take the second slash away, others do not.)"""
    request = {"PATH_INFO": "//evil.example/x", "QUERY_STRING": f"token={TOKEN}", "REQUEST_METHOD": "GET"}
    said = []
    TokenWall(application, TOKEN, False)(request, lambda status, headers: said.append(dict(headers)))
    assert said[0]["Location"] == "/evil.example/x"


def test_names_of_other_machines(port, request):
    for host in (
        f"evil.example:{port}",
        "localhost.evil.example",
        "[::1]evil.example",
        "127.0.0.1:80@evil.example",
        "",
    ):
        status = ask(port, "/a", Host=host, Authorization=f"Bearer {TOKEN}")[0]
        assert status == (403 if "loopback" in request.node.name else 200), host
    for host in ("localhost", f"LOCALHOST:{port}", "127.1.2.3:1", "[::1]:9"):
        assert ask(port, "/a", Host=host, Authorization=f"Bearer {TOKEN}")[0] == 200


def test_a_link_of_another_site_is_asked_again_by_a_page_of_ours(port):
    status, headers, content = ask(port, "/", Sec_Fetch_Site="cross-site")
    assert status == 403 and b"location.replace(to)" in content
    assert "script-src 'sha256-" in headers["Content-Security-Policy"]
    assert b"<script" not in ask(port, "/", "POST", Sec_Fetch_Site="cross-site")[2]


@pytest.mark.parametrize(
    "hosts", [None, [], [""], ["localhost", "localhost"], ["127.0.0.999"], ["0.0.0.0"], ["localhost:"]]
)
def test_hosts_that_name_no_machine_or_two(hosts):
    assert not _guard.names_this_machine(hosts)


def test_a_trace_has_a_secret_place(tmp_path):
    """The page of Perfetto is told the place; who only knows port and name of the file gets nothing."""
    file = tmp_path / "a b.trace.json"
    file.write_text("{}")
    server = _viewers.PerfettoServer(file, port=0)
    thread = threading.Thread(target=server.serve)
    thread.start()
    try:
        address = urllib.parse.urlsplit(server.link.partition("url=")[2])
        place = address.path
        assert len(place.split("/")[1]) >= 22  # 128 bits
        assert ask(address.port, place)[2] == b"{}"
        for wrong in (
            "/a%20b.trace.json",
            "/",
            place.replace("/", "/x", 1),
            place + "?a",
            "/../a%20b.trace.json",
        ):
            status, headers, content = ask(address.port, wrong)
            assert status == 404 and content != b"{}" and "Access-Control-Allow-Origin" not in headers
        for host in ("evil.example", f"evil.example:{address.port}"):
            assert ask(address.port, place, Host=host)[0] == 404
        other = _viewers.PerfettoServer(file, port=0)
        other.close()
        assert place not in other.link
    finally:
        server.shutdown()
        thread.join()
        server.close()
