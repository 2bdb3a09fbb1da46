"""Who may ask: Host names, origins, tokens."""

from __future__ import annotations

import pytest

from qidf.admission import Access, host_name, same_site
from qidf.errors import InvalidArgumentError

TOKEN = "0123456789abcdefXYZ"


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:7433", "127.0.0.1:80", "[::1]:7433", "LOCALHOST", "127.8.0.1"]
)
def test_a_loopback_server_answers_to_loopback_names(host: str) -> None:
    assert Access().admits_host(host)


@pytest.mark.parametrize(
    "host",
    ["", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "192.168.1.5", "a b",
     "localhost:80:80", "localhost:x", "[::1", "user@localhost", "localhost/", "0.0.0.0"],
)  # fmt: skip
def test_a_loopback_server_answers_to_no_other_name(host: str) -> None:
    assert not Access().admits_host(host)


def test_elsewhere_addresses_and_named_hosts_are_answered_and_strangers_are_not() -> None:
    access = Access("0.0.0.0", frozenset({"Search.Example"}), TOKEN)
    assert access.admits_host("192.168.1.5:7433")
    assert access.admits_host("search.example:443")
    assert not access.admits_host("rebound.example")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.org"])
def test_listening_elsewhere_takes_a_token(host: str) -> None:
    with pytest.raises(InvalidArgumentError, match="takes a token"):
        Access(host)
    assert Access(host, token=TOKEN).admits_token(TOKEN)


@pytest.mark.parametrize("token", ["", "short", "with a space in it", "naïve-naïve-naïve"])
def test_a_token_that_could_be_guessed_or_garbled_is_refused(token: str) -> None:
    with pytest.raises(InvalidArgumentError, match="at least 16"):
        Access("127.0.0.1", token=token)


def test_auto_makes_a_new_token_each_time_and_repr_keeps_it_secret() -> None:
    first, second = Access.of("0.0.0.0", "auto"), Access.of("0.0.0.0", "auto")
    assert first.token is not None
    assert first.token != second.token
    assert first.token not in repr(first)


@pytest.mark.parametrize("given", [None, "", "wrong", TOKEN + "x", TOKEN[:-1], "é"])
def test_another_token_is_refused(given: str | None) -> None:
    assert not Access("0.0.0.0", token=TOKEN).admits_token(given)


@pytest.mark.parametrize(
    ("origin", "same"),
    [
        ("http://localhost:7433", True),
        ("https://localhost:7433", True),
        ("http://localhost", False),
        ("http://localhost:7434", False),
        ("http://evil.example", False),
        ("null", False),
        ("file://localhost:7433", False),
        ("http://evil.example@localhost:7433", False),
        ("", False),
    ],
)
def test_an_origin_is_ours_only_if_it_is_the_host_asked(origin: str, same: bool) -> None:
    assert same_site(origin, "localhost:7433") is same


def test_the_name_in_a_host_header_is_without_its_port() -> None:
    assert host_name("Example.org:80") == "example.org"
    assert host_name("[::1]:80") == "::1"
    assert host_name("[nonsense]:80") is None
