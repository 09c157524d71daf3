"""An edition says what was published, hashes to it, and nothing can change it; its entry in the log is its own."""

import hashlib
import json
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.db.models import ProtectedError

from league.core.errors import Invalid, NotFound
from league.core.games.services.record import correct_game
from league.core.ladders.selectors.ladders import (
    StandingDifference,
    compute_differences,
    find_edition,
    list_edition_rows,
    load_editions,
    load_last_editions,
    load_live_rows,
)
from league.core.ladders.services.decisions import advance, carry_period, reopen_period
from league.core.ladders.services.ladders import RankingRule, change_ranking
from league.core.leagues.services.leagues import adopt_rule
from league.core.players.services.players import change_player
from league.core.transfer.services.restore import restore_league
from league.core.verify.run import verify_league
from league.models import Decision, Edition, League, Player
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.ladder_builders import (
    clock,
    close,
    duel,
    make_ladder,
    period,
    record_as_played,
    state,
    tables,
    utc,
)
from tests.helpers.log_reading import run_sql
from tests.helpers.restore_builders import export_of, sealed_file

pytestmark = [pytest.mark.engine, pytest.mark.django_db]
MARCH = "leagues/club/ladders/month/periods/2024-03/"
#: League, rule, ladder, its rule and three games of the league below have entries; the next one tells of the edition.
POSITION = 8


def closed_march(**settings: Any) -> League:
    """Return a league with two games in March, whose monthly ladder is closed."""
    with clock(utc("2024-03-01")):
        league = make_league(**settings)
        make_ladder(league, win=3, draw=1)
    draw = sheet(("ben", "cleo"), (0.5, 0.5), played_at=utc("2024-03-31T21:59:59"))
    record_as_played(league, duel("anna", "ben", "2024-03-10"), draw, duel("dan", "anna", "2024-04-02"))
    advance(league.pk, utc("2024-04-30"))
    return league


def line(rank: int, player: str, score: float, games: int, **columns: float) -> dict[str, Any]:
    """Return a line of a ranking as it is published."""
    return {
        "rank": rank, "player": player, "name": player.title(), "score": score, "games": games, "columns": columns,
        "qualified": True, "why_not": "", "decided_by": "",
    }  # fmt: skip


def test_an_edition_says_everything_that_its_ranking_rests_on() -> None:
    closed_march(time_zone="Europe/Paris", parameters={"k": 32})
    edition = Edition.objects.get()
    document = json.loads(edition.document)
    parameters = document.pop("parameters")
    (rule,) = document.pop("rules")
    assert parameters == {
        "count": "outcomes", "win": 3, "draw": 1, "loss": 0, "ties": "break", "minimum": 1, "winner": "highest",
    }  # fmt: skip
    assert (rule["from"], rule["system"], rule["parameters"]["k"]) == ("1800-01-01", "elo", 32)
    assert document == {
        "league": "club", "ladder": "month", "title": "Month", "period": "2024-03", "edition": 1,
        "published_at": "2024-04-30T00:00:00.000000Z", "reason": "", "time_zone": "Europe/Paris",
        "starts_at": "2024-02-29T23:00:00.000000Z", "ends_at": "2024-03-31T22:00:00.000000Z", "cadence": "month",
        "method": "points", "log_position": POSITION, "games": 2,
        "standings": [
            line(1, "anna", 3.0, 1, wins=1, draws=0, losses=0, sum=1, mean=3),
            line(2, "ben", 1.0, 2, wins=0, draws=1, losses=1, sum=0.5, mean=0.5),
            line(2, "cleo", 1.0, 1, wins=0, draws=1, losses=0, sum=0.5, mean=1),
        ],
    }  # fmt: skip
    told = (edition.ladder.slug, edition.key, edition.number, edition.log_position)
    assert told == ("month", "2024-03", 1, POSITION)
    assert (edition.starts_at, edition.ends_at) == (utc("2024-02-29T23:00"), utc("2024-03-31T22:00"))
    assert (edition.due_at, edition.published_at) == (utc("2024-04-01T22:00"), utc("2024-04-30"))
    assert edition.winners == [{"player": "anna", "name": "Anna", "score": 3.0}]


def test_an_edition_is_canonical_json_that_hashes_to_its_sha256() -> None:
    closed_march()
    edition = Edition.objects.get()
    text = edition.document
    assert hashlib.sha256(text.encode()).hexdigest() == edition.sha256
    # RFC 8785 of such plain things: sorted keys, no spaces, whole floats without a fraction.
    assert text == json.dumps(json.loads(text), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert '"score":3,' in text
    rows = [{key: value for key, value in row.items() if key != "name"} for row in json.loads(text)["standings"]]
    told = json.dumps(rows, sort_keys=True, separators=(",", ":")).encode()
    assert hashlib.sha256(told).hexdigest() == edition.standings_sha256


def test_who_shares_the_first_rank_shares_the_win_and_who_is_not_qualified_wins_nothing() -> None:
    league = make_league()
    make_ladder(league)
    record(league, sheet(("anna", "ben"), (0.5, 0.5), played_at=utc("2024-03-10")))
    assert [(one["player"], one["score"]) for one in close(league, "2024-03").winners] == [("anna", 0.5), ("ben", 0.5)]
    make_ladder(league, "often", minimum=2)
    edition = close(league, "2024-03", "often")
    told = [(one["rank"], one["player"], one["why_not"]) for one in list_edition_rows(edition)]
    why = "1 of 2 games played; 1 to go."
    assert (told, edition.winners) == ([(None, "anna", why), (None, "ben", why)], [])


def test_a_rule_from_june_leaves_the_editions_of_may_as_they_are_to_the_byte() -> None:
    with clock(utc("2024-04-19")):
        league = make_league("barbu", ("anna", "ben", "cleo", "dan"), time_zone="Europe/Paris")
        make_ladder(league, "month", "erf_mean", from_date=date(2024, 4, 1))
        make_ladder(league, "strength", "rating_score", rounding="none")
    for day in ("2024-04-20", "2024-05-31T21:59:59.999999", "2024-05-31T22:00", "2024-06-20"):
        evening = sheet(("anna", "ben", "cleo", "dan"), (50, 30, -20, -60), played_at=utc(day))
        record_as_played(league, evening)
    advance(league.pk, utc("2024-06-10"))
    editions = list(Edition.objects.order_by("pk").values())
    assert [edition["key"] for edition in editions] == ["2024-04", "2024-04", "2024-05", "2024-05"]
    may, june = (load_live_rows(period(league, key, "strength")) for key in ("2024-05", "2024-06"))
    adopt_rule(league.pk, "barbu", {"zero_sum": "league", "half_life": 20}, date(2024, 6, 1), username="olga")
    change_ranking(
        league.pk, "month", RankingRule("erf_mean", "month", {"factor": "none"}, date(2024, 6, 1)), username="olga"
    )
    assert list(Edition.objects.order_by("pk").values()) == editions
    assert load_live_rows(period(league, "2024-05", "strength")) == may
    assert load_live_rows(period(league, "2024-06", "strength")) != june
    assert [state(league, key, slug) for key in ("2024-04", "2024-05") for slug in ("month", "strength")] == [
        (True, False)
    ] * 4
    close(league, "2024-06")
    rules = json.loads(Edition.objects.get(key="2024-06").document)["rules"]
    assert [rule["from"] for rule in rules] == ["2024-06-01"]
    assert [rule["from"] for rule in json.loads(editions[-1]["document"])["rules"]] == ["1800-01-01"]


def test_an_edition_over_a_change_of_rules_names_both() -> None:
    league = make_league()
    make_ladder(league, "year", cadence="year")
    adopt_rule(league.pk, "elo", {"k": 10}, date(2024, 6, 1), username="olga")
    adopt_rule(league.pk, "elo", {"k": 12}, date(2025, 1, 1), username="olga")
    record(league, duel("anna", "ben", "2024-07-10"))
    document = json.loads(close(league, "2024", "year").document)
    assert [rule["from"] for rule in document["rules"]] == ["1800-01-01", "2024-06-01"]


def test_both_editions_stay_readable_and_their_difference_is_shown() -> None:
    league = closed_march()
    first = Edition.objects.get()
    correct_game(league.pk, 1, sheet(("anna", "ben"), (0, 1)), reason="misread", username="olga")
    second = close(league, "2024-03", reason="A result was misread.")
    found = period(league, "2024-03")
    assert [edition.number for edition in load_editions(found)] == [1, 2]
    assert find_edition(found, 1).document == first.document
    assert find_edition(found, 2).document == second.document
    assert json.loads(second.document)["reason"] == "A result was misread."
    assert compute_differences(list_edition_rows(first), list_edition_rows(second)) == [
        StandingDifference("ben", "Ben", 2, 1, 1.0, 4.0),
        StandingDifference("anna", "Anna", 1, 3, 3.0, 0.0),
    ]
    with pytest.raises(NotFound, match="March 2024 has no edition 3"):
        find_edition(found, 3)
    assert [(one.key, one.number) for one in load_last_editions(found.ladder)] == [("2024-03", 2)]


def test_players_who_come_go_or_are_renamed() -> None:
    league = closed_march()
    first = list_edition_rows(Edition.objects.get())
    record(league, duel("dan", "ben", "2024-03-12"))
    live = load_live_rows(period(league, "2024-03"))
    assert StandingDifference("dan", "Dan", None, 1, None, 3.0) in compute_differences(first, live)
    assert StandingDifference("dan", "Dan", 1, None, 3.0, None) in compute_differences(live, first)
    carry_period(league.pk, "month", "2024-03", username="olga")
    change_player(Player.objects.get(handle="anna"), name="Anna-Maria")
    assert [row["name"] for row in load_live_rows(period(league, "2024-03"))][:2] == ["Anna-Maria", "Dan"]
    record(league, duel("dan", "ben", "2024-05-12"))
    assert state(league, "2024-03") == (True, False)


def copied(edition: Edition) -> None:
    """Publish another document under the same number."""
    edition.pk, edition.document = None, "{}"
    edition.save(force_insert=True)


def replaced(edition: Edition) -> None:
    """Insert an edition in the place of another one, which no trigger of DELETE hears on SQLite."""
    rows = "league_edition SELECT * FROM league_edition WHERE id = %s"
    if connection.vendor == "sqlite":
        run_sql(f"INSERT OR REPLACE INTO {rows}")(edition)
    else:
        run_sql(f"INSERT INTO {rows} ON CONFLICT (id) DO UPDATE SET reason = 'forged'")(edition)


ATTACKS: dict[str, Callable[[Edition], object]] = {
    "update": lambda edition: Edition.objects.filter(pk=edition.pk).update(document="{}"),
    "another of its number": copied,
    "another in its place": replaced,
    "delete": lambda edition: edition.delete(),
    "delete its ladder": lambda edition: edition.ladder.delete(),
    "delete its league": lambda edition: edition.ladder.league.delete(),
    "SQL update": run_sql("UPDATE league_edition SET number = 7 WHERE id = %s"),
    "SQL update of nothing": run_sql("UPDATE league_edition SET number = number WHERE id = %s"),
    "SQL delete": run_sql("DELETE FROM league_edition WHERE id = %s"),
    "SQL delete of its ladder": run_sql(
        "DELETE FROM league_ladder WHERE id = (SELECT ladder_id FROM league_edition WHERE id = %s)"
    ),
}


def attempt(attack: Callable[[Edition], object]) -> None:
    """Attack the edition; foreign keys are looked at when the transaction ends, or now."""
    with transaction.atomic():
        attack(Edition.objects.get())
        connection.check_constraints()


def test_nothing_changes_or_deletes_an_edition() -> None:
    closed_march()
    before = tables()
    for attack in ATTACKS.values():
        with pytest.raises((DatabaseError, ProtectedError)) as caught:
            attempt(attack)
        assert isinstance(caught.value, IntegrityError | ProtectedError)
        assert tables() == before


def test_a_ladder_with_a_decision_cannot_be_deleted_either() -> None:
    league = closed_march()
    reopen_period(league.pk, "month", "2024-03", reason="Look again.", username="olga")
    assert Decision.objects.count() == 1
    with pytest.raises(ProtectedError), transaction.atomic():
        period(league, "2024-03").ladder.delete()


@pytest.mark.parametrize("closing", ["automatic", "by_hand"])
def test_an_edition_that_a_person_publishes_early_was_due_then(closing: str) -> None:
    with clock(utc("2023-12-31")):
        league = make_league(closing=closing)
        make_ladder(league)
    record_as_played(league, duel("anna", "ben", "2024-01-10"), duel("ben", "anna", "2024-02-10"))
    api, month = Api("organise"), "leagues/club/ladders/month/periods/"
    with clock(utc("2024-02-01T08:00")):
        early = api.post(f"{month}2024-01/close/", {})
    moment = "2024-02-01T08:00:00Z"
    assert (early.status_code, early.data["due_at"], early.data["published_at"]) == (201, moment, moment)
    with clock(utc("2024-03-05T08:00")):
        late = api.post(f"{month}2024-02/close/", {})
        record(league, duel("cleo", "anna", "2024-02-11"))
        again = api.post(f"{month}2024-02/close/", {"reason": "A late sheet."})
    assert (late.data["due_at"], again.data["due_at"]) == ("2024-03-02T00:00:00Z", "2024-03-05T08:00:00Z")
    assert verify_league(league.pk).differences == []


def test_an_editions_position_leads_to_its_own_entry_in_the_changes() -> None:
    closed_march()
    api = Api()
    (edition,) = api.get(MARCH).data["editions"]
    document = api.get(f"{MARCH}editions/1/").data
    assert (edition["log_position"], document["log_position"]) == (POSITION, POSITION)
    (entry,) = map(json.loads, b"".join(api.get(f"leagues/club/changes/?after={POSITION - 1}&limit=1")).splitlines())
    assert (entry["position"], entry["kind"]) == (POSITION, "edition.published")
    assert entry["payload"]["sha256"] == edition["sha256"]


@pytest.mark.parametrize("position", [POSITION - 1, POSITION + 1])
def test_an_export_whose_edition_stands_elsewhere_in_its_log_is_refused(position: int) -> None:
    lines = export_of(closed_march())
    (number,) = [number for number, text in enumerate(lines) if text.startswith('{"type":"edition"')]
    lines[number] = lines[number].replace(
        f'"log_position":{POSITION},"winners"', f'"log_position":{position},"winners"'
    )
    with pytest.raises(Invalid, match=f"Line {number + 1}: "):
        restore_league(sealed_file(lines), slug="again", by="operator")
    assert not League.objects.filter(slug="again").exists()


def test_an_edition_of_which_the_log_does_not_tell_is_found() -> None:
    league, edition = closed_march(), Edition.objects.get()
    edition.pk, edition.key = None, "2024-04"
    edition.save(force_insert=True)
    assert "Edition 1 of month 2024-04 exists, but is not in the log." in verify_league(league.pk).differences
