"""What a user is told of a league by mail: chosen at the desk, or ended by the link of a mail without signing in."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth import get_user_model
from django.core import signing
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from league.apps.notices.models import Notice, NoticeChoice
from league.apps.notices.selectors.mailed import MAILED, reaches, role_of
from league.core.errors import Forbidden, Invalid, NotFound, Problem
from league.core.locking import in_transaction
from league.models import League

SALT = "league.apps.notices.services.choices"
GONE = gettext_noop("This link does not work: it is incomplete, or the account or league no longer exists.")


@dataclass(frozen=True)
class Subscription:
    """Whom a link at the end of a mail is about: a person, a league, and the kind of the mail."""

    user: Any
    league: League
    kind: str


def choose(league: League, user: Any, wanted: Mapping[str, bool]) -> None:
    """Keep which kinds of notices of a league someone wants by mail; kinds that are not named stay as they are.

    Raises Forbidden for who is no member, and Invalid for a kind that is not for members of their role.
    """

    def work() -> None:
        role = role_of(league, user)
        if not role:
            raise Forbidden(_("Only members can get notices of {league}.").format(league=league.title))
        for kind in wanted:
            if kind not in MAILED or not reaches(role, kind):
                raise Invalid.of(
                    [Problem(f"/{kind}", "unknown", _("Your role does not receive “{kind}”.").format(kind=kind[:40]))]
                )
        keep(league, user, wanted)

    in_transaction(work)


def keep(league: League, user: Any, wanted: Mapping[str, bool]) -> None:
    """Write choices down."""
    NoticeChoice.objects.bulk_create(
        [NoticeChoice(league=league, user=user, kind=kind, wanted=said) for kind, said in wanted.items()],
        update_conflicts=True,
        unique_fields=["league", "user", "kind"],
        update_fields=["wanted"],
    )


def ending_path(league: League, user: Any, kind: str) -> str:
    """Return the path of the link that ends a user's notices; it is good for as long as the mail is kept."""
    return reverse("notices-end", args=[signing.dumps([user.pk, league.pk, kind], salt=SALT)])


def subscription_of(token: str) -> Subscription:
    """Return whom a link is about; raises NotFound."""
    try:
        user_pk, league_pk, kind = signing.loads(token, salt=SALT)
    except signing.BadSignature:
        raise NotFound(_(GONE)) from None
    user = get_user_model().objects.filter(pk=user_pk).first()
    league = League.objects.filter(pk=league_pk).first()
    if user is None or league is None:
        raise NotFound(_(GONE))
    return Subscription(user, league, kind)


def end(token: str, *, all_kinds: bool) -> Subscription:
    """End the notices of a league to whom a link is about, all of them or those of the mail's kind; raises NotFound.

    Twice is as good as once.
    """
    found = subscription_of(token)
    kinds = Notice.Kind.values if all_kinds else [found.kind]
    in_transaction(lambda: keep(found.league, found.user, dict.fromkeys(kinds, False)))
    return found
