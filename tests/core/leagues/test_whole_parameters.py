"""A rule tells all of its parameters, so that what the code takes for granted later rates nothing anew."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from league.core.errors import Invalid
from league.core.ladders.selectors import tallies
from league.core.ladders.services.ladders import RankingRule, create_ladder
from league.core.leagues.services.leagues import adopt_rule, create_league
from league.core.replay.services.inline import replay_from
from league.core.rules.selectors import rules as league_rules
from league.core.transfer.selectors.exports import export_lines
from league.core.transfer.services.restore import restore_league
from league.core.verify.run import verify_league
from league.demo.leagues import DEMOS, load_demo
from league.models import LadderRule, League, LogEntry, Rule
from ratings import registry
from ratings.contract.parameters import number
from ratings.ladder_methods.points import PointsMethod
from ratings.systems.elo import Elo
from tests.helpers.api_client import Api
from tests.helpers.builders import ELO, derived, make_league, record
from tests.helpers.desk_client import DESK, form_fields
from tests.helpers.founding import NEW, first_step, second_step
from tests.helpers.ladder_builders import duel, make_ladder, standings

pytestmark = pytest.mark.django_db

POINTS = {"count": "outcomes", "win": 1, "draw": 0.5, "loss": 0, "ties": "break", "minimum": 1, "winner": "highest"}


def by_service() -> None:
    """Make a league and a ladder as a program does."""
    create_league("club", "Club", system="elo", parameters={"k": 24})
    create_ladder(
        League.objects.get().pk, "month", "Month", RankingRule("points", "month", {"win": 3}), username="olga"
    )


def by_api() -> None:
    """Make them as a game server does."""
    api = Api("organise")
    create_league("club", "Club")
    rule = api.post("leagues/club/rules/", {"system": "elo", "parameters": {"k": 24}})
    assert rule.data["parameters"] == {**ELO, "k": 24}
    body = {"slug": "month", "title": "Month", "method": "points", "cadence": "month", "parameters": {"win": 3}}
    assert api.post("leagues/club/ladders/", body).data["parameters"] == {**POINTS, "win": 3}


def by_desk() -> None:
    """Make them at the desk, where every parameter stands in a field and only one is touched."""
    client = Client()
    client.force_login(User.objects.create_superuser("olga"))
    page = client.post(NEW, first_step(template="system-elo", title="Club", slug="club"))
    client.post(NEW, second_step(page, make="1", **{"parameters-k": "24"}))
    form = client.get(f"{DESK}new-ladder/?method=points").context["form"]
    data = form_fields(form, title="Month", slug="month", parameters_win="3", method="points", _commit="1")
    assert client.post(f"{DESK}new-ladder/", data).status_code == 302


@pytest.mark.parametrize("make", [by_service, by_api, by_desk])
def test_a_rule_stores_all_its_parameters_whoever_adopts_it(make: Callable[[], None]) -> None:
    make()
    assert Rule.objects.get().parameters == {**ELO, "k": 24}
    assert LadderRule.objects.get().parameters == {**POINTS, "win": 3}
    told = {entry.kind: json.loads(entry.payload) for entry in LogEntry.objects.all()}
    assert told["rule.adopted"]["parameters"] == {**ELO, "k": 24}
    assert told["ladder.rule_adopted"]["parameters"] == {**POINTS, "win": 3}


def test_a_later_rule_stores_all_its_parameters_at_the_desk_too(client: Client) -> None:
    make_league(parameters={"k": 24})
    client.force_login(User.objects.create_superuser("olga"))
    address = f"{DESK}rules/"
    data = form_fields(client.get(address).context["form"], parameters_k="20", from_date="2024-03-01")
    mark = client.post(address, data).context["mark"]
    assert client.post(address, {**data, "_shown": mark, "_commit": "1"}).status_code == 302
    assert [rule.parameters for rule in Rule.objects.order_by("starts_at")] == [{**ELO, "k": 24}, ELO]


def test_the_rules_of_the_demo_are_whole() -> None:
    (rail,) = [demo for demo in DEMOS if demo.slug == "rail18xx"]
    load_demo(rail, lambda what, done, total: None, most_games=1)
    assert Rule.objects.get().parameters == {
        "most": 16,
        "full_swing": 1,
        "rounding": "half_away",
        "initial": 1200,
        "winner": "highest",
    }


@dataclass(frozen=True, kw_only=True)
class LaterElo(Elo):
    """Elo with another K by default."""

    k: float = number(99, label="K", low=0, high=1000, help="Another one.")


@dataclass(frozen=True, kw_only=True)
class LaterPoints(PointsMethod):
    """Points with another default for a win."""

    win: float = number(7, label="Win", low=-100, high=100, help="Another one.")


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Return what lets the code have other defaults from now on."""

    def forget() -> None:
        league_rules.build_parametrised_system.cache_clear()
        tallies.build_cached_method.cache_clear()

    def change() -> None:
        forget()
        monkeypatch.setattr(registry, "load_systems", lambda: {"elo": LaterElo})
        monkeypatch.setattr(registry, "load_methods", lambda: {"points": LaterPoints})

    yield change
    forget()


def old_club() -> League:
    """Return a league with a ladder whose rules were adopted with nothing chosen."""
    league = make_league()
    make_ladder(league)
    record(league, duel("anna", "ben", "2024-03-05"))
    record(league, duel("ben", "cleo", "2024-03-06"))
    return league


def test_a_new_default_rates_nothing_anew(later: Callable[[], None]) -> None:
    league = old_club()
    before = derived(league), standings(league)
    assert before[0][1][0][1] == 1510.0
    later()
    league.refresh_from_db()
    replay_from(league, None)
    assert (derived(league), standings(league)) == before
    assert verify_league(league.pk).differences == []
    # It is what the next league takes that has changed.
    adopted = create_league("next", "Next", system="elo").rules.get()
    assert adopted.parameters["k"] == 99


@pytest.mark.parametrize("model", [Rule, LadderRule])
def test_an_export_that_leaves_parameters_out_is_held_to_its_log(model: Any, later: Callable[[], None]) -> None:
    league = old_club()
    model.objects.update(parameters={})
    lines = "".join(f"{line}\n" for line in export_lines(league.pk, timezone.now(), aliases=True))
    assert '"parameters":{}' in lines
    later()
    with pytest.raises(Invalid, match="the log of this file disagrees"):
        restore_league(BytesIO(lines.encode()), slug="copy", by="operator")


def test_a_rule_without_a_change_adopts_what_the_code_takes_today() -> None:
    league = make_league(parameters={"k": 32})
    rule = adopt_rule(league.pk, "elo", {}, None, username="olga")
    assert rule.parameters == ELO


@pytest.mark.parametrize(("first", "second"), [(40, 40.0), (40.0, 40)])
def test_a_system_is_the_rules_own_whatever_was_built_before(first: float, second: float) -> None:
    """40 and 40.0 are equal as keys of a cache, but a form that compares texts takes one for a change of the other."""
    league_rules.build_parametrised_system.cache_clear()
    shown = [
        repr(league_rules.build_rule_system(Rule(system="elo", parameters={"k": k})).to_json()["k"])
        for k in (first, second)
    ]
    assert shown == [repr(first), repr(second)]


@pytest.mark.parametrize(("first", "second"), [(3, 3.0), (3.0, 3)])
def test_a_method_is_the_rules_own_too(first: float, second: float) -> None:
    tallies.build_cached_method.cache_clear()
    shown = [
        repr(tallies.build_method(LadderRule(method="points", parameters={"win": win})).to_json()["win"])
        for win in (first, second)
    ]
    assert shown == [repr(first), repr(second)]
