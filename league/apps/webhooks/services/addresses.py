"""Checks URLs of webhooks: only addresses of the public internet are allowed, unless the operator allows others.

A name is resolved once, all of its addresses are checked, and the connection uses one of them, so DNS rebinding has no
effect.
"""

import ipaddress
import queue
import re
import socket
import threading
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from league.apps.webhooks.models import MAX_URL_LENGTH

#: The public IPv6 internet; other addresses are private, multicast, mapped or translated.
GLOBAL_V6 = ipaddress.ip_network("2000::/3")
#: Networks with a special purpose, in case this Python does not know them: protocol assignments, relays, tunnels with
#: an IPv4 address inside (6to4, Teredo), documentation.
SPECIAL_NETWORKS = tuple(
    ipaddress.ip_network(text) for text in ("192.0.0.0/24", "192.88.99.0/24", "2001::/23", "2002::/16", "3fff::/20")
)
PRIVATE_NETWORK_MESSAGE = gettext_noop("{host} is in a private network, and webhooks are not sent there.")
#: Suffixes of names that are never public (RFC 6761, 6762, 8375, ICANN's .internal).
PRIVATE_SUFFIXES = (".localhost", ".local", ".internal", ".home.arpa", ".lan", ".intranet", ".corp", ".home")
#: Lower ports, except 443, belong to other services such as mail.
FIRST_UNRESERVED_PORT = 1024


class Unreachable(Exception):
    """A webhook cannot be sent; the text tells the owner why."""


@dataclass(frozen=True)
class Target:
    """A checked URL: ``path`` includes the query; ``host`` is used for the Host header and the certificate."""

    secure: bool
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        """The Host header, without the port if it is the scheme's default."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        return name if self.port == (443 if self.secure else 80) else f"{name}:{self.port}"


def parse_url(url: str) -> Target:
    """Return the target of a URL; raises Unreachable if webhooks are not sent there."""
    if not url.isascii() or not url.isprintable() or " " in url or len(url) > MAX_URL_LENGTH:
        raise Unreachable(
            _("A URL has at most {most} ASCII characters and no spaces; write other names as xn--….").format(
                most=MAX_URL_LENGTH
            )
        )
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise Unreachable(_("This is not a URL; a URL looks like https://example.com/hooks/rungs.")) from None
    allows_private = settings.RUNGS_WEBHOOKS_PRIVATE
    if parts.scheme not in (("https", "http") if allows_private else ("https",)) or not parts.hostname:
        raise Unreachable(_("Webhooks are sent to https:// addresses, such as https://example.com/hooks/rungs."))
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise Unreachable(
            _("The URL must not contain a user, password or fragment; receivers check the signature instead.")
        )
    port = port if port is not None else 443 if parts.scheme == "https" else 80
    if not allows_private and port != 443 and port < FIRST_UNRESERVED_PORT:
        raise Unreachable(
            _("Webhooks are sent to port 443 or from {first} upwards, not to port {port}.").format(
                first=FIRST_UNRESERVED_PORT, port=port
            )
        )
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    target = Target(parts.scheme == "https", parts.hostname, port, path)
    ip_address = _parse_address(target.host)
    if ip_address is not None:
        _refuse_private(target.host, [ip_address])
    elif _is_disguised_address(target.host):
        raise Unreachable(
            _("{host} is not a valid name; write an IP address as four numbers.").format(host=target.host)
        )
    elif not allows_private and (
        "." not in (name := target.host.rstrip(".").lower()) or name.endswith(PRIVATE_SUFFIXES)
    ):
        raise Unreachable(_(PRIVATE_NETWORK_MESSAGE).format(host=target.host))
    return target


def _is_disguised_address(host: str) -> bool:
    """Return whether a host is an IP address in another notation: 2130706433, 0x7f.1, 0177.0.0.1."""
    last_part = host.rstrip(".").rpartition(".")[2]
    # The last part of a name contains a letter (RFC 3696), so a number can only be an address.
    return (
        host.endswith("..")
        or not last_part
        or re.fullmatch(r"[0-9]+|0x[0-9a-f]*", last_part, re.IGNORECASE) is not None
    )


def _parse_address(host: str) -> str | None:
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        return None


def resolve_host(host: str, port: int, seconds: float) -> list[str]:
    """Return the addresses of a host after checking all of them; raises Unreachable.

    The system's resolver has no timeout, so it runs in a thread that is abandoned after ``seconds``.
    """
    results: queue.SimpleQueue[list[str] | OSError | UnicodeError] = queue.SimpleQueue()

    def resolve() -> None:
        try:
            entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            results.put(error)
        else:
            results.put(list(dict.fromkeys(str(entry[4][0]) for entry in entries)))

    threading.Thread(target=resolve, name=f"resolve {host}", daemon=True).start()
    try:
        addresses = results.get(timeout=seconds)
    except queue.Empty:
        raise Unreachable(_("The name {host} could not be resolved in time.").format(host=host)) from None
    if isinstance(addresses, OSError | UnicodeError) or not addresses:
        raise Unreachable(_("The name {host} has no address.").format(host=host))
    _refuse_private(host, addresses)
    return addresses


def _refuse_private(host: str, addresses: list[str]) -> None:
    if not settings.RUNGS_WEBHOOKS_PRIVATE and not all(is_public(address) for address in addresses):
        raise Unreachable(_(PRIVATE_NETWORK_MESSAGE).format(host=host))


def is_public(text: str) -> bool:
    """Return whether an address belongs to the public internet: neither private nor reserved nor multicast.

    An IPv6 address that contains an IPv4 address (mapped, NAT64, 6to4, Teredo) does not.
    """
    address = ipaddress.ip_address(text)
    if address.is_multicast or address.is_reserved or not address.is_global:
        return False
    if address.version == 6 and address not in GLOBAL_V6:
        return False
    return not any(address in network for network in SPECIAL_NETWORKS)
