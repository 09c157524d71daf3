"""Nothing private is kept by browsers or by what stands between: asked of every address, as everybody."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from league.core.accounts.services.members import set_member
from league.core.leagues.services.leagues import change_league
from league.models import League, Membership
from league.web.response_headers import PRIVATE
from tests.helpers.builders import make_league
from tests.helpers.ladder_builders import close, duel, make_ladder, record_as_played

#: What stands in addresses.
GIVEN = {
    "slug": "club", "league": "club", "number": "1", "handle": "anna", "player": "anna", "other": "ben",
    "ladder": "month",
    "period": "2024-03", "key": "2024-03", "pk": "00000000-0000-0000-0000-000000000000", "secret": "x", "token": "x",
    "uidb64": "MQ", "system": "elo", "method": "points", "code": "invalid", "language": "de", "section": "leagues",
}  # fmt: skip
#: Files that are everybody's, and hold nothing of anybody.
FILES = ("/static/", "/look/", "/.well-known/", "/admin/leagues/pad-worker.js", "/admin/jsi18n/")
ROLES = ("", "visitor", "recorder", "organiser", "owner", "staff")


def addresses(patterns: list[Any] | None = None, before: str = "") -> list[str]:
    """Return every address that answers, with something in the place of what varies."""
    found = []
    for one in get_resolver().url_patterns if patterns is None else patterns:
        path = before + str(one.pattern)
        if isinstance(one, URLResolver):
            found += addresses(one.url_patterns, path)
        elif isinstance(one, URLPattern):
            found.append(filled("/" + path))
    return sorted({one for one in found if "(" not in one and "<" not in one})


def filled(path: str) -> str:
    """Return an address with values."""
    for name, value in GIVEN.items():
        for kind in ("str:", "int:", "slug:", "uuid:", ""):
            path = path.replace(f"<{kind}{name}>", value)
    return path.replace("<path:object_id>", "1").replace("<int:content_type_id>", "1").replace("<path:url>", "x")


def club() -> League:
    """Make a league with a game, a ladder with an edition, and somebody of each role."""
    league = make_league(slug="club", closing="by_hand")
    make_ladder(league)
    record_as_played(league, duel("anna", "ben", "2024-03-05T20:00:00Z"))
    close(league, "2024-03")
    for role in Membership.Role.values:
        User.objects.create_user(role)
        set_member(league.pk, role, role)
    User.objects.create_user("visitor")
    User.objects.create_superuser("staff")
    return league


@pytest.mark.slow("Visits every address as everybody, 20 seconds each.")
@pytest.mark.django_db
@pytest.mark.parametrize("visibility", ["public", "private"])
def test_what_is_somebodys_own_is_kept_nowhere(visibility: str) -> None:
    change_league(club().pk, {"visibility": visibility})
    asked = addresses()
    assert len(asked) > 120
    wrong = []
    for role in ROLES:
        client = Client(raise_request_exception=False)
        if role:
            client.force_login(User.objects.get(username=role))
        for path in asked:
            if "logout" in path:
                continue
            answer = client.get(path)
            kept = answer.get("Cache-Control", "")
            if path.startswith(FILES) or answer.status_code in (404, 405):
                continue
            own = path.startswith(("/admin/", "/accounts/", "/invitations/", "/report/"))
            of_private = visibility == "private" and "/club/" in path
            if (own or of_private) and kept != PRIVATE:
                wrong.append((role, path, answer.status_code, kept))
            elif not kept:
                wrong.append((role, path, answer.status_code, "nothing said"))
    assert wrong == []
