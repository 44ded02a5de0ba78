"""Seeds that are text, as people, programs and browsers write them."""

import json
from collections.abc import Iterator

RUN = "/api/runs/RUN"

# What the page asks as somebody looks around; up to four of them are one input.
REQUESTS = {
    "page_opens": [
        "/api/runs",
        f"{RUN}/load?once=1",
        f"{RUN}/overview?v=91ab03c2",
        f"{RUN}/doctor?verbose=1&v=91ab03c2",
    ],
    "page_operations": [
        f"{RUN}/ops?by=scope&sort=-self&top=200&explain=1",
        f"{RUN}/ops?by=op&name=%2Fdot%7Cfusion%2F&steps=3%3A8&program=jit_small",
        f"{RUN}/executions?name=dot.3&steps=3:8&device=0",
        f"{RUN}/hlo?program=jit_small&instruction=dot.3",
    ],
    "page_steps": [
        f"{RUN}/steps?table=steps&top=50&series=train",
        f"{RUN}/idle?cause=input&steps=1:",
        f"{RUN}/path?steps=2",
        f"{RUN}/roofline?table=step&peak_tflops=989&peak_gbps=4800",
    ],
    "page_timeline": [
        f"{RUN}/tracks?derived=1",
        f"{RUN}/names?from=0&count=65536",
        f"{RUN}/tile?tracks=0,1,2,3,4m,5m&level=20&first=-3&buckets=1024",
        f"{RUN}/tile?tracks=0,1&level=11&first=1048576&buckets=2048",
    ],
    "page_slice": [
        f"{RUN}/event?track=3&event=17&by=operation",
        f"{RUN}/search?q=%2F%5Edot%5C.%5B0-9%5D%2B%24%2F&in=names&at=54064000&step=next&at_track=3&at_event=17",
        f"{RUN}/search?name_id=4&like=3&min=1000&max=412000&from=0&to=174329853000&offset=100&limit=100",
        f"{RUN}/search?q=%2216654%2Ffusion.12%22&track=0,1,2",
    ],
    "page_selection": [
        f"{RUN}/area?from=54064000&to=174329853000&tracks=0,1,2&by=operation&top=100&sort=-total",
        f"{RUN}/area?from=54064000&to=174329853000&by=category&format=csv",
        f"{RUN}/flame?tracks=5,6&from=0&to=174329853000",
        f"{RUN}/dump?track=Stream&from=1.5ms&to=2ms&limit=1000&name=%5Edot",
    ],
    "page_compares": [
        f"{RUN}/diff?with=RUN&with=newest&steps=1:&program=jit_small",
        f"{RUN}/scale?with=RUN&weak=1&steps=2:",
        f"{RUN}/heap?file=step_9.prof&file=step_10.prof",
        f"{RUN}/doctor?only=input,launch_bound&ignore=recompile",
    ],
}

CHROME = (
    "Host: localhost:41217\r\nConnection: keep-alive\r\nCache-Control: max-age=0\r\n"
    'sec-ch-ua: "Chromium";v="142", "Not A Brand";v="99"\r\nsec-ch-ua-mobile: ?0\r\n'
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0 Safari/537.36\r\n"
    "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\nSec-Fetch-Mode: navigate\r\n"
    "Accept-Encoding: gzip, deflate, br, zstd\r\nAccept-Language: en-GB,en;q=0.9\r\n"
)


def head(first: str, *fields: str) -> str:
    return "\r\n".join([first, *fields, "", ""])


# "0": without a token; "1": the token is "sesame" (http_fuzzer.cc).
HTTP = {
    "open": "0" + head("GET / HTTP/1.1", "Host: 127.0.0.1:8080"),
    "page": "1GET /?token=sesame HTTP/1.1\r\n" + CHROME + "Sec-Fetch-Site: none\r\n\r\n",
    "link": "1GET /runs/1 HTTP/1.1\r\n" + CHROME + "Sec-Fetch-Site: cross-site\r\n\r\n",
    "cookie": "1GET /api/runs HTTP/1.1\r\n"
    + CHROME
    + 'Sec-Fetch-Site: same-origin\r\nCookie: a=b; gait_token_41217=sesame; c=d\r\nIf-None-Match: "1f"\r\n\r\n',
    "bearer": "1"
    + head(
        "GET /api/runs HTTP/1.1", "Host: [::1]:80", "Authorization: Bearer sesame", "Accept-Encoding: zstd"
    ),
    "wrong": "1" + head("GET /api/runs?token=sesam HTTP/1.1", "Host: localhost"),
    "percent": "1" + head("HEAD /api/a%20b?x=%2B+%zz&token=%73esame&=&& HTTP/1.1", "Host: localhost"),
    "elsewhere": "0" + head("GET /api/runs HTTP/1.1", "Host: 127.evil.example:80"),
    "two_hosts": "0" + head("GET /api/runs HTTP/1.1", "Host: localhost", "Host: evil.example"),
    "proxy": "0" + head("GET http://evil.example/api/runs HTTP/1.1", "Host: localhost"),
    "slashes": "1" + head("GET //evil.example/%2e%2e?token=sesame HTTP/1.1", "Host: localhost:1"),
    "new_line": "1" + head("GET /a%0d%0aSet-Cookie:%20x=y?token=sesame HTTP/1.1", "Host: localhost:1"),
    "old": "0" + head("GET /api/runs HTTP/1.0", "Host: LOCALHOST:9", "Connection: keep-alive"),
    "body": "0"
    + head("POST /api/runs HTTP/1.1", "Host: localhost", "Content-Length: 3")
    + "a=b"
    + head("GET / HTTP/1.1", "Host: localhost"),
    "chunks": "0"
    + head("GET / HTTP/1.1", "Host: localhost", "Transfer-Encoding: chunked")
    + "3\r\nabc\r\n0\r\n\r\n",
    "range": "0" + head("GET /icon.svg HTTP/1.1", "Host: localhost", "Range: bytes=0-1"),
    "one_after_the_other": "0"
    + head("GET /api/runs HTTP/1.1", "Host: localhost") * 5
    + head("HEAD /x HTTP/1.1", "Host: localhost", "Connection: close"),
    "no_http": "0\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "many_lines": "0" + head("GET / HTTP/1.1", "Host: localhost", *[f"X-{i}: {i}" for i in range(130)]),
    "long": "0" + head(f"GET /{'a' * 8190} HTTP/1.1", "Host: localhost"),
}

MANIFEST = {
    "gait": "0.1.0",
    "capture": {
        "begin_unix_ns": 1795036124529959961,
        "end_unix_ns": 1795036124547865436,
        "trigger": "trace",
        "steps": list(range(8)),
        "options": {"host_tracer_level": 2, "python_tracer_level": 0, "enable_hlo_proto": True},
        "collections": True,
        "waited_seconds": 0.000102,
        "launches": 8,
        "launches_without_end": {"jit_train_step": 2},
        "warnings": ["the disk is slow"],
        "command": ["train.py", "--batch", "16"],
        "directory": "/home/user/model",
        "pid": 25128,
        "process": {"index": 0, "count": 1},
        "versions": {"gait": "0.1.0", "python": "3.11.7", "jax": "0.10.2", "jaxlib": "0.10.2"},
        "flags": {"XLA_FLAGS": "--xla_gpu_graph_level=0", "jax_enable_x64": "False"},
        "git_commit": "692c84ee65ab26005ee060bf107572b8fedb3fb0",
        "devices": [{"id": 0, "kind": "NVIDIA H200", "platform": "gpu"}],
    },
    "uncaptured": {
        "name": "train",
        "before": {"steps": 30, "period_ns": 19310000, "mean_ns": 19500000},
        "after": {"steps": 10, "period_ns": 19290000, "mean_ns": None},
    },
    "files": [{"name": "vm.xplane.pb", "bytes": 10874, "events": 193}],
    "devices": [{"name": "GPU 0", "events": 16}],
    "losses": [{"kind": "capture", "count": 1, "reason": "the profiler dropped events"}],
}
STATUS = {
    "gait": "0.1.0",
    "pid": 7,
    "host": "vm",
    "command": ["train.py"],
    "steps": 312,
    "busy": False,
    "captures": 1,
}
CAPTURED = {
    "file": "/gait/captures/1",
    "path": "runs/plugins/profile/2026_11_18_21_08_44/vm.xplane.pb",
    "bytes": 10874,
    "events": 193,
    "steps": [3, 4, 5],
    "warnings": [],
}
TOML = """# What a change must not break.
[check]
limits = ["step_time < 12ms", "exposed_comm < 5%", 'compiles_after_warmup == 0']
mfu = "> 30%"  # the same as "mfu > 30%" among the limits
device_busy = ">= 80 %"
baseline = "runs/main"
max_slower = "3%"
"""
# The first byte says which (texts_fuzzer.cc).
TEXTS = {
    "manifest_capture": "\0" + json.dumps(MANIFEST),
    "toml_check": "\1" + TOML,
    "limit_share": "\2exposed_comm <= 5.5 %",
    "expression_scope": "\3(?i)^jit\\(.*\\)/(jvp|transpose)\\(.*layer_[0-9]{1,3}/(mlp|attention)\\b.*$",
    "status_server": "\4" + json.dumps(STATUS),
    "file_captured": "\5" + json.dumps(CAPTURED),
    "file_failed": "\5" + json.dumps({"error": {"what": "a capture is being made.", "hint": "Ask again."}}),
    "line_connected": "\7connected 0",
    "line_received": "\7received 3 18446744073709551615",
    "line_failed": "\7failed 12 busy Only one profile session can be active at a time.",
}


def all_of_them() -> Iterator[tuple[str, bytes]]:
    for folder, seeds in (("http", HTTP), ("texts", TEXTS)):
        for name, seed in seeds.items():
            yield f"{folder}/{name}", seed.encode("latin-1")
    for name, lines in REQUESTS.items():
        yield f"requests/{name}", "\n".join(lines).encode()
