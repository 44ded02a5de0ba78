"""Who may ask a server of the package: whoever names this machine and has the server's secret (serve/guard.h)."""

from __future__ import annotations

import hmac
import ipaddress
import re
import secrets

_HOST = re.compile(r"(localhost|\[::1\]|[0-9.]+)(:[0-9]{1,5})?", re.IGNORECASE | re.ASCII)


def new_secret() -> str:
    """Random, 192 bits, with characters that need no quotes in an address, a header or a cookie."""
    return secrets.token_urlsafe(24)


def is_secret(given: str, secret: str) -> bool:
    """Takes the same time wherever the first difference is."""
    return hmac.compare_digest(given.encode(), secret.encode())


def names_this_machine(hosts: list[str] | None) -> bool:
    """Of all Host headers of a request: a page that points a name of its own at 127.0.0.1 sends that name, and which
    of two hosts is meant is not for a server to guess."""
    found = _HOST.fullmatch(hosts[0]) if hosts and len(hosts) == 1 else None
    return found is not None and is_loopback(found[1].strip("[]"))


def is_loopback(address: str) -> bool:
    """Whether nobody but this machine reaches a server that listens there."""
    if address.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False
