"""The second step of signing in: a code of an app, made of a clock and a secret (TOTP, RFC 6238), or a recovery code.

Recovery codes are stored as digests under the site's secret. A code counts once; wrong ones are slowed down twice: by
name and address as passwords are, and for the device, twice as long after each (django-otp).
"""

import secrets
from dataclasses import dataclass
from math import ceil
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from league.errors import NotFound
from league.names import storable
from league.services.accounts.sessions import end_sessions
from league.services.locking import in_transaction

#: Recovery codes that are made at once, their letters (no two of them look alike), and how many a code has: 49 bits.
CODES, LETTERS, LENGTH = 10, "abcdefghjkmnpqrstuvwxyz23456789", 10
PURPOSE, STORED = "league.recovery", 16


@dataclass(frozen=True)
class Checked:
    """Whether a code was right; ``wait`` in seconds before another one is looked at, ``left``: recovery codes."""

    right: bool
    wait: int = 0
    left: int | None = None


def is_required(user: Any) -> bool:
    """Tell whether somebody may come in with a second step only."""
    return bool(settings.RUNGS_STAFF_SECOND_FACTOR and (user.is_staff or user.is_superuser))


def is_set_up(user: Any) -> bool:
    """Tell whether somebody has a second step."""
    return bool(TOTPDevice.objects.filter(user=user, confirmed=True).exists())


def codes_left(user: Any) -> int:
    """Return how many recovery codes somebody has."""
    return int(StaticToken.objects.filter(device__user=user).count())


def begun(user: Any, mine: int | None = None) -> TOTPDevice:
    """Return the device that somebody is about to set up: ``mine`` until they have, for a page may be loaded anew.

    Any other one goes: a secret that was shown to another browser, which may be somebody else's, is never taken.
    """

    def work() -> TOTPDevice:
        there = TOTPDevice.objects.filter(user=user, confirmed=False)
        found = there.select_for_update().filter(pk=mine).first()
        there.exclude(pk=mine if found else None).delete()
        return found or TOTPDevice.objects.create(user=user, name="app", confirmed=False)

    return in_transaction(work)


def set_up(user: Any, code: str, *, session: str | None) -> list[str]:
    """Take a device into use whose app shows the right code; returns recovery codes, or nothing where it was wrong.

    All sessions of the person end but the given one.
    """

    def work() -> list[str]:
        device = TOTPDevice.objects.select_for_update().filter(user=user, confirmed=False).first()
        if device is None or not device.verify_token(digits_of(code)):
            return []
        TOTPDevice.objects.filter(user=user).exclude(pk=device.pk).delete()
        device.confirmed = True
        device.save(update_fields=["confirmed"])
        return new_codes(user)

    codes = in_transaction(work)
    if codes:
        end_sessions(user.pk, but=session)
    return codes


def new_codes(user: Any) -> list[str]:
    """Give somebody new recovery codes in the place of the old ones; this is the only time at which they are known."""
    codes = ["".join(secrets.choice(LETTERS) for _ in range(LENGTH)) for _ in range(CODES)]

    def work() -> None:
        StaticDevice.objects.filter(user=user).delete()
        device = StaticDevice.objects.create(user=user, name="recovery")
        StaticToken.objects.bulk_create([StaticToken(device=device, token=digests(user, code)[0]) for code in codes])

    in_transaction(work)
    return [f"{code[:5]}-{code[5:]}" for code in codes]


def digests(user: Any, code: str) -> list[str]:
    """Return what may stand for a recovery code: under the site's secret, and under those of earlier."""
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    text = f"{user.pk}\0{code}"
    return [salted_hmac(PURPOSE, text, secret=key, algorithm="sha256").hexdigest()[:STORED] for key in keys]


def check(user: Any, code: str) -> Checked:
    """Look at a code; a right one is used up."""

    def work() -> Checked:
        device = TOTPDevice.objects.select_for_update().filter(user=user, confirmed=True).first()
        if device is None:
            return Checked(right=False)
        allowed, why = device.verify_is_allowed()
        if not allowed:
            return Checked(False, wait=max(ceil((why["locked_until"] - timezone.now()).total_seconds()), 1))
        typed = "".join(code.lower().split()).replace("-", "")
        if len(typed) != LENGTH:
            return Checked(device.verify_token(digits_of(code)))
        used = StaticToken.objects.filter(device__user=user, token__in=digests(user, typed)).delete()[0]
        device.throttle_reset() if used else device.throttle_increment()
        return Checked(bool(used), left=codes_left(user) if used else None)

    return in_transaction(work)


def digits_of(code: str) -> str:
    """Return the digits of a code, which many apps show in two groups; "x" for what is no code."""
    typed = "".join(code.split())
    return typed if typed.isascii() and typed.isdigit() and len(typed) == 6 else "x"


def drop(user: Any, *, session: str | None = None) -> bool:
    """End somebody's second step, and their sessions but the given one; returns whether there was one."""

    def work() -> bool:
        StaticDevice.objects.filter(user=user).delete()
        return bool(TOTPDevice.objects.filter(user=user).delete()[0])

    gone = in_transaction(work)
    if gone:
        end_sessions(user.pk, but=session)
    return gone


def drop_of(name: str) -> bool:
    """End the second step of an account by its name, for who lost theirs; raises NotFound."""
    user = get_user_model().objects.filter(username=name).first() if storable(name) else None
    if user is None:
        raise NotFound(_("There is no user “{name}” on this site; the site's staff add users.").format(name=name))
    return drop(user)
