"""Posting to users' URLs: only to the public internet, within the deadline."""

import socket
import ssl
import subprocess
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.utils.http import http_date

from league.apps.webhooks.services import posting
from league.apps.webhooks.services.addresses import Unreachable, is_public, parse_url, resolve_host
from league.apps.webhooks.services.posting import parse_retry_after, post
from tests.helpers.receiver import dripping, hanging, huge, receiving, status, words


@pytest.fixture
def private(settings: Any) -> None:
    """Allow private networks, as the tests use loopback."""
    settings.RUNGS_WEBHOOKS_PRIVATE = True


def delayed(found: list[str]) -> list[str]:
    """Return the argument after a while."""
    time.sleep(0.3)
    return found


def fake_resolver(monkeypatch: pytest.MonkeyPatch, *found: str) -> list[str]:
    """Let every name have these addresses; returns the list of names and addresses that were looked up."""
    question: list[str] = []

    def getaddrinfo(host: str, port: int, *more: Any, **options: Any) -> list[Any]:
        question.append(host)
        own = [host] if host in found else found
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in own]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return question


PRIVATE = [
    "127.0.0.1", "127.8.8.8", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
    "100.127.255.254", "192.0.0.8", "192.0.2.1", "198.18.0.1", "224.0.0.1", "239.1.1.1", "240.0.0.1",
    "255.255.255.255", "::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12:3456::1", "ff02::1", "fec0::1",
    "::ffff:10.0.0.1", "::ffff:8.8.8.8", "64:ff9b::a00:1", "64:ff9b:1::1", "2002:a00:1::1", "2001:0:a00:1::1",
    "2001:db8::1", "100::1",
]  # fmt: skip


@pytest.mark.parametrize("address", PRIVATE)
def test_private_addresses(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "1.1.1.1", "100.128.0.1", "172.32.0.1", "2606:4700:4700::1111"])
def test_public_addresses(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://club.example/", "https:// addresses"),
        ("ftp://club.example/", "https:// addresses"),
        ("https:///hook", "https:// addresses"),
        ("club.example", "https:// addresses"),
        ("https://club.example:25/", "not to port 25"),
        ("https://club.example:80/", "not to port 80"),
        ("https://club.example:0/", "not to port 0"),
        ("https://club.example:99999/", "This is not a URL"),
        ("https://[::1/", "This is not a URL"),
        ("https://me:secret@club.example/", "not contain a user, password or fragment"),
        ("https://me@club.example/", "not contain a user, password or fragment"),
        ("https://club.example/#top", "not contain a user, password or fragment"),
        ("https://club.example/a b", "no space"),
        ("https://club.example/\r\nX: y", "no space"),
        ("https://клуб.example/", "xn--"),
        ("https://club.example/" + "x" * 500, "at most 500"),
        ("https://127.0.0.1/", "is in a private network"),
        ("https://localhost/", "is in a private network"),
        ("https://postgres:5432/", "is in a private network"),
        ("https://metadata.google.internal/", "is in a private network"),
        ("https://printer.LOCAL./", "is in a private network"),
        ("https://2130706433/", "write an IP address as four numbers"),
        ("https://017700000001/", "write an IP address as four numbers"),
        ("https://0177.0.0.1/", "write an IP address as four numbers"),
        ("https://0x7f.1/", "write an IP address as four numbers"),
        ("https://0X7F000001/", "write an IP address as four numbers"),
        ("https://127.1/", "write an IP address as four numbers"),
        ("https://127.0.0.1./", "write an IP address as four numbers"),
        ("https://club.example../", "write an IP address as four numbers"),
        ("https://[::ffff:127.0.0.1]/", "is in a private network"),
        ("https://[::ffff:8.8.8.8]/", "is in a private network"),
        ("https://[64:ff9b::7f00:1]/", "is in a private network"),
        ("https://[::ffff:10.0.0.1]/", "is in a private network"),
    ],
)
def test_refused_urls(url: str, words: str) -> None:
    with pytest.raises(Unreachable, match=words.replace(".", r"\.")):
        parse_url(url)


@pytest.mark.parametrize(
    ("url", "authority", "path"),
    [
        ("https://club.example", "club.example", "/"),
        ("https://Club.Example:443/a?b=c", "club.example", "/a?b=c"),
        ("https://club.example:8443/", "club.example:8443", "/"),
        ("https://[2606:4700::1]:8443/", "[2606:4700::1]:8443", "/"),
    ],
)
def test_accepted_urls(url: str, authority: str, path: str) -> None:
    target = parse_url(url)
    assert (target.authority, target.path, target.secure) == (authority, path, True)


def test_http_and_all_ports_are_allowed_with_private_networks(private: None) -> None:
    target = parse_url("http://127.0.0.1:81/")
    assert (target.authority, target.secure) == ("127.0.0.1:81", False)
    assert parse_url("http://intra/").authority == "intra"


@pytest.mark.parametrize("addresses", [["127.0.0.1"], ["8.8.8.8", "10.0.0.1"]])
def test_one_private_address_of_a_public_name_is_refused(addresses: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    fake_resolver(monkeypatch, *addresses)
    with pytest.raises(Unreachable, match=r"club\.example is in a private network"):
        post("https://club.example/", b"{}", {})


def test_a_name_is_resolved_once_and_the_connection_goes_to_the_checked_address(
    monkeypatch: pytest.MonkeyPatch, private: None
) -> None:
    with receiving() as receiver:
        question = fake_resolver(monkeypatch, "127.0.0.1")
        assert post(f"http://club.example:{receiver.port}/a?b", b"{}", {"X-One": "1"}).status == 204
        (request,) = receiver.came
    assert question == ["club.example", "127.0.0.1"]  # the second only makes a socket address of the first one's answer
    assert (request.path, request.headers["host"]) == ("/a?b", f"club.example:{receiver.port}")
    assert (request.headers["x-one"], request.body) == ("1", b"{}")


def test_the_next_address_is_tried_if_one_refuses(monkeypatch: pytest.MonkeyPatch, private: None) -> None:
    with receiving() as receiver:
        monkeypatch.setattr(posting, "resolve_host", lambda *given: ["127.0.0.9", "127.0.0.1"])
        assert post(f"http://club.example:{receiver.port}/", b"{}", {}).status == 204


def test_names_without_address_and_hanging_resolvers(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*given: Any, **options: Any) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(Unreachable, match=r"The name club\.example has no address"):
        resolve_host("club.example", 443, 1.0)
    monkeypatch.setattr(socket, "getaddrinfo", lambda *given, **options: delayed([]))
    with pytest.raises(Unreachable, match="could not be resolved in time"):
        resolve_host("club.example", 443, 0.05)
    time.sleep(0.4)  # the thread that was left alone ends
    monkeypatch.undo()
    with pytest.raises(Unreachable, match="has no address"):
        resolve_host("." * 70, 443, 5.0)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("120", 120), (" 7 ", 7), ("0", 0), ("9" * 400, 1e18),
        ("Tue, 05 Mar 2024 19:32:00 GMT", 120),  # the three forms of RFC 9110, section 5.6.7
        ("Tuesday, 05-Mar-24 19:32:00 GMT", 120),
        ("Tue Mar  5 19:32:00 2024", 120),
        ("Tue, 05 Mar 2024 19:29:00 GMT", 0),  # past
        ("", 0), ("soon", 0), ("-5", 0), ("1.5", 0), ("٣", 0), ("Tue, 99 Mar 2024 19:32:00 GMT", 0),
        ("Tue, 05 Mar 2024 19:32:00 +9999999999", 0),
    ],
)  # fmt: skip
def test_retry_after_is_parsed(text: str, seconds: float) -> None:
    assert parse_retry_after(text, datetime(2024, 3, 5, 19, 30, tzinfo=UTC)) == seconds


def test_responses_have_status_and_delay_and_redirects_are_not_followed(private: None) -> None:
    later = http_date(time.time() + 7200)
    with receiving() as receiver:
        receiver.script = [
            status(429, **{"Retry-After": "120"}), status(503, **{"Retry-After": later}), status(200),
            status(302, Location="/elsewhere"),
        ]  # fmt: skip
        answers = [post(receiver.url, b"{}", {}) for _ in range(4)]
    assert [answer.status for answer in answers] == [429, 503, 200, 302]
    assert [answer.wait for answer in answers] == [120.0, pytest.approx(7200, abs=100), 0.0, 0.0]
    assert [request.path for request in receiver.came] == ["/hook?club=1"] * 4


@pytest.mark.slow("Waits for a deadline.")
def test_the_deadline_is_kept(monkeypatch: pytest.MonkeyPatch, private: None) -> None:
    monkeypatch.setattr(posting, "MAX_TOTAL_SECONDS", 1.0)
    with receiving() as receiver:
        for answer in (hanging(12), dripping(12)):
            receiver.script = [answer]
            start = time.monotonic()
            with pytest.raises(Unreachable, match="no answer within"):
                post(receiver.url, b"{}", {})
            assert time.monotonic() - start < 10


def test_the_deadline_includes_further_addresses(monkeypatch: pytest.MonkeyPatch, private: None) -> None:
    monkeypatch.setattr(posting, "MAX_TOTAL_SECONDS", 0.2)
    monkeypatch.setattr(posting, "resolve_host", lambda *given: delayed(["127.0.0.1"]))
    with pytest.raises(Unreachable, match="no connection within 3 seconds"):
        post("http://127.0.0.1:9/", b"{}", {})


def test_only_a_few_kb_of_a_response_are_read(private: None) -> None:
    sent: list[int] = []
    size = 200_000_000
    with receiving() as receiver:
        receiver.script = [huge(size, sent)]
        assert post(receiver.url, b"{}", {}).status == 200
        deadline = time.monotonic() + 60
        while not sent and time.monotonic() < deadline:
            time.sleep(0.01)
    assert sent[0] < size / 10  # what the buffers of the system took


def test_invalid_http_and_refused_connections(private: None) -> None:
    with receiving() as receiver:
        receiver.script = [words(b"SSH-2.0-OpenSSH_9.2\r\n")]
        with pytest.raises(Unreachable, match="The answer was not HTTP"):
            post(receiver.url, b"{}", {})
        with pytest.raises(Unreachable, match="No safe connection"):
            post(receiver.url.replace("http:", "https:"), b"{}", {})
    with pytest.raises(Unreachable, match="The connection failed: Connection refused"):
        post(receiver.url, b"{}", {})


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file with a key and a self-signed certificate of club.example."""
    folder = tmp_path_factory.mktemp("tls")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-keyout", folder / "key.pem", "-out", folder / "cert.pem", "-subj", "/CN=club.example",
         "-addext", "subjectAltName=DNS:club.example"],
        check=True, capture_output=True,
    )  # fmt: skip
    return folder


def test_tls_checks_the_names_certificate(certificate: Path, monkeypatch: pytest.MonkeyPatch, private: None) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate / "cert.pem", certificate / "key.pem")
    names: list[str | None] = []
    context.sni_callback = lambda sock, name, own: names.append(name)
    with receiving(context) as receiver:
        fake_resolver(monkeypatch, "127.0.0.1")
        with pytest.raises(Unreachable, match="No safe connection: self-signed certificate"):
            post(f"https://club.example:{receiver.port}/", b"{}", {})
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate / "cert.pem"))
        assert post(f"https://club.example:{receiver.port}/", b"{}", {}).status == 204
        with pytest.raises(Unreachable, match="Hostname mismatch"):
            post(f"https://other.example:{receiver.port}/", b"{}", {})
    assert names == ["club.example", "club.example", "other.example"]
    assert len(receiver.came) == 1
