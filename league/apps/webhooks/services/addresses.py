"""Where webhooks may be sent: addresses of the public internet only, unless the operator allows others.

A name is resolved once, every address that it has is checked, and the connection goes to a checked
one: a name that leads elsewhere a moment later (DNS rebinding) gains nothing.
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

MAX_LENGTH = 500
#: The public IPv6 internet. What lies outside is private, multicast, mapped or translated.
GLOBAL_V6 = ipaddress.ip_network("2000::/3")
#: Parts of the public internet that have a special purpose, whatever this Python knows of them: protocol assignments,
#: relays, tunnels with an IPv4 address inside (6to4, Teredo), documentation.
SPECIAL = tuple(
    ipaddress.ip_network(text) for text in ("192.0.0.0/24", "192.88.99.0/24", "2001::/23", "2002::/16", "3fff::/20")
)
INWARD = gettext_noop("{host} is in a private network, and webhooks are not sent there.")
#: Names that no public network has (RFC 6761, 6762, 8375, ICANN's .internal).
INSIDE = (".localhost", ".local", ".internal", ".home.arpa", ".lan", ".intranet", ".corp", ".home")
#: Ports below are those of other services, such as mail; 443 is the web's.
FIRST_FREE_PORT = 1024


class Unreachable(Exception):
    """It cannot be sent there; the text says why, in a few words for the owner."""


@dataclass(frozen=True)
class Target:
    """A checked URL: ``path`` with the query, ``host`` as the Host header and the certificate name it."""

    secure: bool
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        """Return the Host header: the port is there unless it is the scheme's own."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        return name if self.port == (443 if self.secure else 80) else f"{name}:{self.port}"


def target_of(url: str) -> Target:
    """Return where a URL leads; raises Unreachable, with a message, where webhooks are not sent to such a one."""
    if not url.isascii() or not url.isprintable() or " " in url or len(url) > MAX_LENGTH:
        raise Unreachable(
            _("A URL has at most {most} ASCII characters and no spaces; write other names as xn--….").format(
                most=MAX_LENGTH
            )
        )
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise Unreachable(_("This is not a URL; a URL looks like https://example.com/hooks/rungs.")) from None
    private = settings.RUNGS_WEBHOOKS_PRIVATE
    if parts.scheme not in (("https", "http") if private else ("https",)) or not parts.hostname:
        raise Unreachable(_("Webhooks are sent to https:// addresses, such as https://example.com/hooks/rungs."))
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise Unreachable(
            _("The URL must not contain a user, password or fragment; receivers check the signature instead.")
        )
    port = port if port is not None else 443 if parts.scheme == "https" else 80
    if not private and port != 443 and port < FIRST_FREE_PORT:
        raise Unreachable(
            _("Webhooks are sent to port 443 or from {first} upwards, not to port {port}.").format(
                first=FIRST_FREE_PORT, port=port
            )
        )
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    target = Target(parts.scheme == "https", parts.hostname, port, path)
    literal = as_address(target.host)
    if literal is not None:
        refuse_private(target.host, [literal])
    elif is_disguised(target.host):
        raise Unreachable(
            _("{host} is not a valid name; write an IP address as four numbers.").format(host=target.host)
        )
    elif not private and ("." not in (name := target.host.rstrip(".").lower()) or name.endswith(INSIDE)):
        raise Unreachable(_(INWARD).format(host=target.host))
    return target


def is_disguised(host: str) -> bool:
    """Return whether a host is an address in another writing, as systems read it: 2130706433, 0x7f.1, 0177.0.0.1."""
    last = host.rstrip(".").rpartition(".")[2]
    # The last part of a name has a letter (RFC 3696): what reads as a number is an address, or nothing at all.
    return host.endswith("..") or not last or re.fullmatch(r"[0-9]+|0x[0-9a-f]*", last, re.IGNORECASE) is not None


def as_address(host: str) -> str | None:
    """Return a host that is an IP address, None for a name."""
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        return None


def addresses_of(host: str, port: int, seconds: float) -> list[str]:
    """Return the addresses of a host, all of them checked; raises Unreachable.

    The system's resolver knows no time limit: it runs in a thread that is left alone when it takes too long.
    """
    answers: queue.SimpleQueue[list[str] | OSError | UnicodeError] = queue.SimpleQueue()

    def resolve() -> None:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            answers.put(error)
        else:
            answers.put(list(dict.fromkeys(str(entry[4][0]) for entry in found)))

    threading.Thread(target=resolve, name=f"resolve {host}", daemon=True).start()
    try:
        answer = answers.get(timeout=seconds)
    except queue.Empty:
        raise Unreachable(_("The name {host} could not be resolved in time.").format(host=host)) from None
    if isinstance(answer, OSError | UnicodeError) or not answer:
        raise Unreachable(_("The name {host} has no address.").format(host=host))
    refuse_private(host, answer)
    return answer


def refuse_private(host: str, addresses: list[str]) -> None:
    """Raise Unreachable if one of a host's addresses is not of the public internet and that is not allowed."""
    if not settings.RUNGS_WEBHOOKS_PRIVATE and not all(is_public(address) for address in addresses):
        raise Unreachable(_(INWARD).format(host=host))


def is_public(text: str) -> bool:
    """Return whether an address is one of the public internet: neither private nor reserved nor multicast.

    An IPv6 address that holds an IPv4 one (mapped, NAT64, 6to4, Teredo) is none, whatever it holds.
    """
    address = ipaddress.ip_address(text)
    if address.is_multicast or address.is_reserved or not address.is_global:
        return False
    if address.version == 6 and address not in GLOBAL_V6:
        return False
    return not any(address in network for network in SPECIAL)
