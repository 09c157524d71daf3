"""A club with a member of every role, and the combinations of addresses and roles that tests ask."""

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import User

from league.apps.webhooks.models import Webhook
from league.apps.webhooks.services.webhooks import make_webhook
from league.core.accounts.services.members import set_member
from league.core.games.services.record import void_game
from league.core.leagues.services.adjustments import AdjustmentData, adjust
from league.core.players.services.merges import merge_players
from league.models import Job, League, Player
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.experiment_builders import question
from tests.helpers.ladder_builders import close, make_ladder, utc

#: From the least to the most: each may do what those before may.
ROLES = ("nobody", "recorder", "arbiter", "organiser", "owner", "staff")
HOOK_ID = UUID("5c8e0f4e-9f5e-4a0b-8a53-2b1c1c8d7f21")
EXPERIMENT_ID = UUID("7a1d4c1e-52b0-4a3f-8a55-0d6f2f2c9b44")


def cross_with_roles(
    cases: Mapping[str, tuple[Iterable[Any], str]], roles: tuple[str, ...], always: str = "stranger"
) -> list[Any]:
    """Return parameters: the values of each case and a role, for all roles.

    A case is its values and the least role that is allowed. script/test asks the two roles on both sides of that
    limit, or one of them where the test is ``sampled``, and one that it always asks: the owner of another league.
    ``--all`` asks the others.
    """
    found = []
    for name, (values, least) in cases.items():
        limit = roles.index(least)
        for number, role in enumerate(roles):
            near = number in (limit, limit - 1) or role == always
            marks = () if near else (pytest.mark.slow("Far from the limit that the two roles beside it hold."),)
            found.append(pytest.param(*values, role, id=f"{name}-{role}", marks=marks))
    return found


def build_club() -> League:
    """Make a league with a closed period that awaits a decision, a merged player, and members."""
    league = make_league(players=("anna", "ben", "cleo", "dan", "eva", "finn"))
    make_ladder(league)
    for number, (first, second, day) in enumerate(
        (("anna", "ben", "2024-03-05"), ("cleo", "ben", "2024-04-05"), ("dan", "ben", "2024-05-05")), start=1
    ):
        record(league, sheet((first, second), (1, 0), played_at=utc(day)))
        if number == 1:
            close(league, "2024-03")
    merge_players(Player.objects.get(handle="eva"), Player.objects.get(handle="ben"), username="olga")
    record(league, sheet(("cleo", "anna"), (1, 0), played_at=utc("2024-03-07")))
    record(league, sheet(("cleo", "anna"), (1, 0), played_at=utc("2024-05-06")))
    void_game(league.pk, 5, reason="a friendly", username="olga")
    for name, role in (("rita", "recorder"), ("arne", "arbiter"), ("olga", "organiser"), ("oscar", "owner")):
        User.objects.create_user(name)
        set_member(league.pk, name, role)
    User.objects.create_user("otto")
    User.objects.create_superuser("sara")
    asked = {"kind": Job.Kind.COMPARE, "arguments": {"question": question().to_json()}, "asked_at": utc("2024-06-01")}
    Job.objects.create(pk=EXPERIMENT_ID, league=league, **asked)
    adjust(league.pk, Player.objects.get(handle="anna"), AdjustmentData(5, "Tidied up."), username="test")
    webhook, _ = make_webhook(league.pk, "https://club.example/")
    Webhook.objects.filter(pk=webhook.pk).update(id=HOOK_ID)
    return league


def user_of(role: str) -> User:
    """Return the user who has a role in the club; nobody has one in another league."""
    names = {
        "nobody": "otto",
        "recorder": "rita",
        "arbiter": "arne",
        "organiser": "olga",
        "owner": "oscar",
        "staff": "sara",
    }
    return User.objects.get(username=names[role])
