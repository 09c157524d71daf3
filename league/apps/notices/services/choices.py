"""Which notices a user gets by mail: chosen while signed in, or unsubscribed with the link in a mail."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth import get_user_model
from django.core import signing
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from league.apps.notices.models import Notice, NoticeChoice
from league.apps.notices.selectors.mailed import MAIL_RULES, find_role, is_for_role
from league.core.errors import Forbidden, Invalid, NotFound, Problem
from league.core.locking import run_in_transaction
from league.models import League

SALT = "league.apps.notices.services.choices"
INVALID_LINK_MESSAGE = gettext_noop(
    "This link does not work: it is incomplete, or the account or league no longer exists."
)


@dataclass(frozen=True)
class Subscription:
    """The user, league and kind of notices of an unsubscribe link."""

    user: Any
    league: League
    kind: str


def save_choices(league: League, user: Any, wanted_kinds: Mapping[str, bool]) -> None:
    """Store which kinds of notices a user wants by mail; kinds that are not named keep their value.

    Raises Forbidden if the user is not a member, and Invalid for a kind that their role does not get.
    """

    def save() -> None:
        role = find_role(league, user)
        if not role:
            raise Forbidden(_("Only members can get notices of {league}.").format(league=league.title))
        for kind in wanted_kinds:
            if kind not in MAIL_RULES or not is_for_role(role, kind):
                raise Invalid.of(
                    [Problem(f"/{kind}", "unknown", _("Your role does not receive “{kind}”.").format(kind=kind[:40]))]
                )
        _store_choices(league, user, wanted_kinds)

    run_in_transaction(save)


def _store_choices(league: League, user: Any, wanted_kinds: Mapping[str, bool]) -> None:
    NoticeChoice.objects.bulk_create(
        [
            NoticeChoice(league=league, user=user, kind=kind, wanted=is_wanted)
            for kind, is_wanted in wanted_kinds.items()
        ],
        update_conflicts=True,
        unique_fields=["league", "user", "kind"],
        update_fields=["wanted"],
    )


def build_unsubscribe_path(league: League, user: Any, kind: str) -> str:
    """Return the path of the link that ends a user's notices; it does not expire."""
    return reverse("notices-end", args=[signing.dumps([user.pk, league.pk, kind], salt=SALT)])


def find_subscription(token: str) -> Subscription:
    """Return the subscription of an unsubscribe link; raises NotFound."""
    try:
        user_pk, league_pk, kind = signing.loads(token, salt=SALT)
    except signing.BadSignature:
        raise NotFound(_(INVALID_LINK_MESSAGE)) from None
    user = get_user_model().objects.filter(pk=user_pk).first()
    league = League.objects.filter(pk=league_pk).first()
    if user is None or league is None:
        raise NotFound(_(INVALID_LINK_MESSAGE))
    return Subscription(user, league, kind)


def end_notices(token: str, *, all_kinds: bool) -> Subscription:
    """End the notices of a link's kind, or of all kinds; repeating it changes nothing. Raises NotFound."""
    subscription = find_subscription(token)
    kinds = Notice.Kind.values if all_kinds else [subscription.kind]
    run_in_transaction(lambda: _store_choices(subscription.league, subscription.user, dict.fromkeys(kinds, False)))
    return subscription
