"""The client's address and network."""

import re
from ipaddress import IPv6Address, ip_address

from django.conf import settings
from django.http import HttpRequest

#: Bits of an IPv6 address that identify a household; clients can choose the others freely.
HOUSEHOLD_BITS = 64
#: An address followed by a port, as some proxies write it.
ADDRESS_WITH_PORT = re.compile(r"([0-9.]+):[0-9]+|\[([0-9A-Fa-f:.]+)\](?::[0-9]+)?")


def get_client_address(request: HttpRequest) -> str:
    """Return the client's address as seen by the last trusted proxy."""
    trusted = settings.RUNGS_PROXIES
    hops = [hop.strip() for hop in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")] if trusted else []
    if len(hops) >= trusted > 0:
        hop = ADDRESS_WITH_PORT.fullmatch(hops[-trusted])
        return (hop[1] or hop[2]) if hop else hops[-trusted]
    return str(request.META.get("REMOTE_ADDR", ""))


def compute_network(address: str) -> str:
    """Return the part of an address that a client cannot choose: all of IPv4, the first half of IPv6."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address):
        return str(parsed.ipv4_mapped or parsed.packed[: HOUSEHOLD_BITS // 8].hex())
    return str(parsed)
