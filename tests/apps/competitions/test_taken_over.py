"""Swiss tournaments that are exported between two rounds, imported elsewhere, and go on there as they do here."""

from random import Random
from typing import Any, Literal

import pytest

from league.apps.competitions.models import Competition
from league.apps.competitions.selectors.competition_data import LoadedCompetition, load_competition
from league.apps.competitions.selectors.exporting import export_report
from league.apps.competitions.selectors.standings import compute_standings
from league.apps.competitions.services.entries import change_entry, withdraw_entry
from league.apps.competitions.services.results import forfeit_fixture, record_result
from league.apps.competitions.services.rounds import make_round, publish_round
from league.models import League
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league
from tests.helpers.running_competitions import run_competition, scores

pytestmark = pytest.mark.django_db
PLAYERS = ("ann", "bea", "cid", "dot", "eve", "fay", "gus", "hal", "ivo", "jan", "kim", "leo")
ROUNDS = 5


def load(league: League) -> LoadedCompetition:
    """Return the league's only competition."""
    return load_competition(Competition.objects.select_related("league").get(league=league))


def pair(league: League) -> list[tuple[str, tuple[int, ...]]]:
    """Make and publish the next round; return its fixtures."""
    loaded = load(league)
    number = len(loaded.rounds) + 1
    make_round(league.pk, loaded.competition.slug, by="arbiter")
    publish_round(league.pk, loaded.competition.slug, number, by="arbiter")
    fixtures = load(league).list_fixtures(number)
    # Who withdrew here is absent there.
    return sorted((fixture.kind, fixture.entries) for fixture in fixtures if fixture.kind != "zero_bye")


def play(league: League, random: Random, *, leave: int = 0) -> None:
    """Record results of the open games, but for some."""
    loaded = load(league)
    planned = sorted((one for one in loaded.fixtures if one.status == "planned"), key=lambda one: one.entries)
    for fixture in planned[: len(planned) - leave]:
        first = random.choice([1.0, 0.5, 0.0])
        if random.random() < 0.1:
            forfeit_fixture(league.pk, fixture.number, [random.choice(fixture.entries)], "no_show", by="arbiter")
        else:
            record_result(league.pk, fixture.number, scores(first, 1 - first), by="arbiter")


def rank(league: League) -> list[Any]:
    """Return rank, entry and points of the standings; the order of equal ranks is drawn."""
    return sorted((row.rank, row.entry, row.points, str(row.values)) for row in compute_standings(load(league)).rows)


def arrange(league: League, random: Random, version: str) -> None:
    """Let some entries ask for byes and withdraw; TRF16 has the byes of the next round only."""
    loaded = load(league)
    slug, following = loaded.competition.slug, len(loaded.rounds) + 1
    with_bye, leaving, *_others = random.sample(sorted(loaded.entries), 4)
    last = ROUNDS if version == "26" else following
    bye = {"round": random.randint(following, last), "kind": random.choice(["half_bye", "zero_bye"])}
    change_entry(league.pk, slug, with_bye, {"byes": [bye]}, by="arbiter")
    if version == "26" and loaded.planned_rounds:
        withdraw_entry(league.pk, slug, leaving, by="arbiter", after_round=following - 1)


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("version", ["16", "26"])
@pytest.mark.parametrize("seed", range(4))
def test_an_event_goes_on_as_where_it_began(version: Literal["16", "26"], seed: int) -> None:
    random = Random(f"{version} {seed}")
    size, before = random.randint(9, len(PLAYERS)), random.randint(1, ROUNDS - 2)
    here = make_league("elo", PLAYERS)
    run_competition(
        here, PLAYERS[:size], rounds=random.choice([ROUNDS, None]), tie_breaks=["BH/C1", "BH", "SB", "DE"],
        title="Open", venue="Graz", parameters={"first_colour": random.choice(["white", "black"])},
    )  # fmt: skip
    ratings = iter(range(2400, 0, -50))
    for entry in load(here).entries.values():
        entry.rating = next(ratings)
        entry.save()
    for _round in range(before):
        pair(here)
        play(here, random)
    missing = random.choice([0, 2])
    if missing:
        pair(here)
        play(here, random, leave=missing)
    arrange(here, random, version)
    report = export_report(load(here), version)
    there = make_league("elo", (), slug="there")
    imported = Api("organise").post_file("leagues/there/competitions/import/", report, "application/x-trf")
    assert imported.status_code == 201, imported.data
    if version == "26":
        assert rank(there) == rank(here)
    for _round in range(2):
        results = random.random()
        play(here, Random(results))
        play(there, Random(results))
        assert pair(there) == pair(here), (report.decode(), len(load(here).rounds))
    play(here, Random(seed))
    play(there, Random(seed))
    assert rank(there) == rank(here)
    # What was taken over can be taken on.
    again = make_league("elo", (), slug="again")
    report = export_report(load(there), random.choice(["16", "26"]))
    imported = Api("organise", name="other").post_file(
        "leagues/again/competitions/import/", report, "application/x-trf"
    )
    assert imported.status_code == 201, imported.data
    assert [(entry, points) for _rank, entry, points, _values in rank(again)] == [
        (entry, points) for _rank, entry, points, _values in rank(here)
    ]
