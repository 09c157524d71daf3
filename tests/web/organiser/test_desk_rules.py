"""Rules, settings, log and jobs on a league's desk: what they show, write and refuse, and to whom."""

import json
from datetime import date, timedelta
from typing import Any
from unittest.mock import patch
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from league.core.calendar import subtract_months
from league.core.dry_runs.services.run import preview_rule_since
from league.core.errors import NotFound, Refused
from league.core.games.services.record import correct_game, record_game, void_game
from league.core.leagues.services.leagues import adopt_rule, change_league, create_league, withdraw_rule
from league.core.players.services.players import set_active
from league.core.verify.run import verify_league
from league.models import Job, League, LogEntry, Rule
from league.web.organiser.log_sentences import build_log_row
from tests.helpers.builders import make_league, ratings, record, sheet
from tests.helpers.desk_client import ONCE_KEY, bound_fields, page_messages, page_text, sign_in_member
from tests.helpers.desk_rules import ELO, JOBS, LOG, RULES, SETTINGS
from tests.helpers.ladder_builders import clock, close, duel, make_ladder, utc
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db
LATER = date(2150, 1, 1)


def test_a_coming_rule_is_shown_beside_what_it_changes_and_is_withdrawn(olga: Client) -> None:
    league = make_league()
    adopt_rule(league.pk, "elo", {"k": 32}, LATER, username="olga")
    page = olga.get(RULES)
    assert "From 1 January 2150" in page_text(page)
    (one,) = page.context["coming"]
    assert [(value.label, value.before, value.now) for value in one.changed] == [("K", "20 points", "32 points")]
    done = olga.post(f"{RULES}withdraw/", {"from": "2150-01-01"}, follow=True)
    assert page_messages(done) == "The rule from 2150-01-01 was withdrawn; the previous rule stays in force."
    assert Rule.objects.count() == 1
    entry = LogEntry.objects.order_by("position").last()
    assert entry is not None
    assert (entry.kind, entry.by, json.loads(entry.payload)) == ("rule.withdrawn", "olga", {"from": "2150-01-01"})
    assert verify_league(league.pk).differences == []
    again = olga.post(f"{RULES}withdraw/", {"from": "2150-01-01"}, follow=True)
    assert "it may have been withdrawn." in page_messages(again)
    assert page_messages(olga.post(f"{RULES}withdraw/", {"from": "x"}, follow=True)).startswith("Nothing was withdrawn")
    adopt_rule(league.pk, "elo", {"k": 10}, LATER, username="olga")
    assert verify_league(league.pk).differences == []


def test_a_withdrawn_rule_that_stands_all_the_same_is_found() -> None:
    league = make_league()
    rule = adopt_rule(league.pk, "elo", {"k": 32}, LATER, username="olga")
    withdraw_rule(league.pk, LATER, username="olga")
    rule.save(force_insert=True)
    assert any("2150-01-01" in sentence for sentence in verify_league(league.pk).differences)


def test_rules_that_rate_or_may_rate_games_stay() -> None:
    league = make_league()
    first = Rule.objects.get()
    with pytest.raises(Refused, match="is the league's first"):
        withdraw_rule(league.pk, first.from_date, username="olga")
    adopt_rule(league.pk, "elo", {"k": 32}, date(2024, 1, 1), username="olga")
    with pytest.raises(Refused, match="is already in force"):
        withdraw_rule(league.pk, date(2024, 1, 1), username="olga")
    with clock(utc("2024-03-31T12:00")):
        adopt_rule(league.pk, "elo", {"k": 10}, date(2024, 4, 1), username="olga")
        record(league, duel("anna", "ben", "2024-04-01T06:00"))
        with pytest.raises(Refused, match="have already been rated by that rule"):
            withdraw_rule(league.pk, date(2024, 4, 1), username="olga")
        void_game(league.pk, 1, reason="too early", username="olga")
        withdraw_rule(league.pk, date(2024, 4, 1), username="olga")
    with pytest.raises(NotFound):
        withdraw_rule(league.pk, date(2024, 4, 1), username="olga")
    assert Rule.objects.count() == 2
    assert verify_league(league.pk).differences == []


def test_a_rule_is_tried_as_if_it_had_been_in_force_and_nothing_is_written(olga: Client) -> None:
    league = make_league()
    make_ladder(league, method="rating_score")
    with clock(utc("2024-06-15")):
        record(league, duel("anna", "ben", "2024-03-10"))
        record(league, duel("anna", "ben", "2024-05-10"))
        close(league, "2024-03")
        close(league, "2024-05")
        before, entries = ratings(league), LogEntry.objects.count()
        page = olga.post(RULES, {**ELO, "months": "3"})
    tried = page.context["tried"]
    # Only the game of May: with K 20 the win over an equal gave 10, and with K 40 it gives twice what it gave.
    assert tried.diff.games_replayed == 1
    assert page.context["since"] == date(2024, 3, 15)
    assert {one.player for one in tried.movers} == {"anna", "ben"}
    assert [one.key for one in tried.diff.closed] == ["2024-05"]
    assert "1 closed period will no longer match its edition: May 2024" in page_text(page)
    assert 'name="_commit"' not in page.content.decode()
    assert (ratings(league), LogEntry.objects.count(), Rule.objects.count()) == (before, entries, 1)


@long_way
def test_another_system_is_shown_with_everybody_and_adopted_as_it_was_shown(olga: Client) -> None:
    league, other = make_league(), make_league("trueskill", slug="other")
    for one in (league, other):
        for day in ("2024-03-10", "2024-05-10"):
            record(one, duel("anna", "ben", day))
    address = f"{RULES}?system=trueskill"
    form = olga.get(address).context["form"]
    assert "start" in form.fields
    assert "start" not in olga.get(RULES).context["form"].fields
    data = {name: form[name].value() for name in form.fields}
    page = olga.post(address, {**data, "from_date": "2024-04-01", "start": "replayed"})
    board = [(one.player, one.before, one.after) for one in page.context["tried"].all_ratings]
    assert board == [(name, ratings(league)[name], ratings(other)[name]) for name in ("anna", "ben")]
    assert "All players, before and after" in page_text(page)
    assert Rule.objects.filter(league=league).count() == 1
    sent = {name: page.context[name] for name in ("once", "seen")} | {"_shown": page.context["mark"], "_commit": "yes"}
    # Another start than the one that was shown is shown first.
    asked = olga.post(address, {**data, **sent, "from_date": "2024-04-01", "start": "anew"})
    assert (asked.status_code, Rule.objects.filter(league=league).count()) == (200, 1)
    done = olga.post(address, {**data, **sent, "from_date": "2024-04-01", "start": "replayed"}, follow=True)
    assert page_messages(done) == "The rule from 1 April 2024 was adopted."
    assert ratings(league) == ratings(other)
    assert "before that: Elo" in page_text(done)
    assert "From 1 April 2024: TrueSkill; before that: Elo" in page_text(Client().get("/leagues/club/how/"))
    history = page_text(Client().get("/leagues/club/players/anna/"))
    assert "Another rating system" in history
    assert "The chart starts with TrueSkill" in history
    begun = [page_text(Client().get(f"/leagues/club/games/{number}/")) for number in (1, 2)]
    assert [", set by the change to TrueSkill, 1 April 2024." in text for text in begun] == [
        False,
        True,
    ]


def supposed(league: League, day: date) -> dict[str, tuple[float | None, float | None]]:
    """Return who would move how, had K been 40 since a day."""
    found = preview_rule_since(league, "elo", {"k": 40}, day).ratings
    return {one.player: (one.before, one.after) for one in found}


def test_a_supposed_rule_counts_in_spite_of_later_ones_and_from_the_first_game_on() -> None:
    league = make_league()
    adopt_rule(league.pk, "elo", {"k": 0}, date(2024, 5, 1), username="olga")
    record(league, duel("anna", "ben", "2024-03-10"))
    record(league, duel("cleo", "dan", "2024-05-10"))
    # Equal players, K 40: the winner takes 20.
    assert supposed(league, date(2024, 4, 1)) == {"cleo": (1500.0, 1520.0), "dan": (1500.0, 1480.0)}
    always = supposed(league, date(1, 1, 1))
    assert (always["anna"], always["dan"]) == ((1510.0, 1520.0), (1500.0, 1480.0))
    with pytest.raises(Refused, match="New players of this league start"):
        preview_rule_since(league, "elo", {"initial": 1000}, date(2024, 4, 1))
    assert Rule.objects.count() == 2


def test_a_rule_is_looked_at_and_adopted_once(olga: Client) -> None:
    league = make_league()
    record(league, duel("anna", "ben", "2024-03-10"))
    sent = {**ELO, "from_date": "2024-03-01", "once": ONCE_KEY}
    page = olga.post(RULES, sent)
    assert "From 1 March 2024: 1 game will be rated again" in page_text(page)
    assert "Adopt it from 1 March 2024" in page_text(page)
    assert ratings(league) == {"anna": 1510, "ben": 1490}
    sent["_shown"] = page.context["mark"]
    done = olga.post(RULES, {**sent, "_commit": "1"}, follow=True)
    assert page_messages(done) == "The rule from 1 March 2024 was adopted."
    assert ratings(league) == {"anna": 1520, "ben": 1480}
    assert Rule.objects.count() == 2
    assert "From the first game" in page_text(olga.get(RULES))


def test_fields_of_a_rule_stand_in_groups_of_what_they_change(olga: Client) -> None:
    make_league()
    groups = olga.get(RULES).context["groups"]
    names = [[field.name for field in group.fields] for group in groups]
    assert (names[0], names[2]) == (["from_date"], ["season_days", "season_pull"])
    assert sorted(name for some in names for name in some) == sorted(olga.get(RULES).context["form"].fields)
    assert [group.is_open for group in groups] == [True, True, False, False]
    # A refused field is seen.
    page = olga.post(RULES, {"season_days": "yesterday"})
    assert [group.is_open for group in page.context["groups"]] == [True, True, True, False]
    page = olga.get(f"{RULES}?system=barbu")
    assert [field.name for field in page.context["groups"][0].fields] == ["from_date", "start"]


def test_the_first_parameters_and_the_changed_ones_are_in_sight_and_the_others_folded(
    olga: Client,
) -> None:
    make_league()

    def in_sight(page: Any) -> list[str]:
        return [field.name.removeprefix("parameters_") for field in page.context["groups"][1].first_fields]

    page = olga.get(RULES)
    assert in_sight(page) == ["k", "scale"]
    assert (
        page.context["groups"][1].more_values
        == f"{len(page.context['groups'][1].more_fields)} parameters, at their defaults"
    )
    assert in_sight(olga.post(RULES, {**ELO, "parameters_top_k": "12"})) == ["k", "scale", "top_k"]
    assert in_sight(olga.post(RULES, {**ELO, "parameters_margin": "wide"})) == ["k", "scale", "margin"]


def test_a_preview_of_what_is_in_force_says_that_nothing_would_change(olga: Client) -> None:
    make_league()
    nothing = "Nothing would change: these are the values of the rule in force."
    data = bound_fields(olga.get(RULES))
    page = olga.post(RULES, data)
    assert nothing in page_text(page)
    assert 'name="_commit"' not in page.content.decode()
    seasons = {"season_days": "09-01", "season_pull": "20"}
    for changed in ({"parameters_k": "40"}, seasons, {"sets_sport": "table_tennis"}):
        page = olga.post(RULES, {**data, **changed})
        assert nothing not in page_text(page)
        assert 'name="_commit"' in page.content.decode()
    assert nothing not in page_text(olga.post(f"{RULES}?system=durak", data))


@long_way
def test_what_is_refused_stands_at_its_field(olga: Client) -> None:
    league = make_league()
    make_ladder(league)
    record(league, duel("anna", "ben", "2024-05-10"))
    close(league, "2024-05")
    for sent, said in (
        ({"parameters_k": "-1"}, "Ensure this value"),
        ({"from_date": "2024-02-30"}, "Enter a valid date"),
        ({"parameters_initial": "1000"}, "New players of this league start at 1500"),
        ({"from_date": "2024-05-01"}, "is closed, and a rule from 2024-05-01 would change it"),
    ):
        text = page_text(olga.post(RULES, {**ELO, "from_date": "2024-06-01", "_commit": "1", **sent}))
        assert said in text
        assert "Nothing was adopted." in text
    assert Rule.objects.count() == 1
    page = olga.get(SETTINGS)
    refused = olga.post(SETTINGS, bound_fields(page, time_zone="Asia/Tokyo"))
    assert "so it cannot be changed" in page_text(refused)
    assert "Nothing was changed." in page_text(refused)
    assert olga.post(SETTINGS, bound_fields(page, title="")).context["form"].errors["title"]
    assert League.objects.get().time_zone == "UTC"


def test_months_before_end_with_the_month() -> None:
    assert subtract_months(date(2024, 5, 31), 3) == date(2024, 2, 29)
    assert subtract_months(date(2024, 1, 15), 12) == date(2023, 1, 15)
    assert subtract_months(date(2024, 1, 15), 1) == date(2023, 12, 15)


@long_way
def test_owners_change_settings_and_put_back_nothing_that_others_changed(olga: Client) -> None:
    league = make_league()
    page = olga.get(SETTINGS)
    assert [group.title for group in page.context["groups"]][:4] == [
        "Title and description", "Visibility", "Calendar", "Board",
    ]  # fmt: skip
    change_league(league.pk, {"game": "Go"}, username="gus")
    done = olga.post(SETTINGS, bound_fields(page, title="The Club", min_games="4"), follow=True)
    assert page_messages(done) == "Changed: title, games needed for the board."
    league.refresh_from_db()
    assert (league.title, league.game, league.min_games) == ("The Club", "Go", 4)
    entry = LogEntry.objects.order_by("position").last()
    assert entry is not None
    assert json.loads(entry.payload) == {"title": "The Club", "min_games": 4}
    assert page_messages(olga.post(SETTINGS, bound_fields(olga.get(SETTINGS)), follow=True)) == "Nothing was changed."


@long_way
def test_the_log_is_told_in_sentences_and_found_by_who_what_and_day(olga: Client) -> None:
    league = make_league(time_zone="Asia/Tokyo")
    with clock(utc("2024-03-10T20:00")):
        record(league, duel("anna", "ben", "2024-03-10"))
    with clock(utc("2024-04-10")):
        correct_game(league.pk, 1, duel("ben", "anna", "2024-03-10"), reason="Swapped.", username="olga")
        set_active(
            league.pk, record(league, sheet(("anna", "ben"), (1, 0))).results.all()[0].player, False, username="rita"
        )
    assert [line.words for line in olga.get(LOG).context["lines"]][:4] == [
        "set anna inactive", "recorded game 3", "corrected game 1, now game 2", "recorded game 1",
    ]  # fmt: skip
    assert "“Swapped.”" in page_text(olga.get(LOG))

    def found(query: str) -> list[str]:
        return [line.words for line in olga.get(f"{LOG}?{query}").context["lines"]]

    assert found("who=rita") == ["set anna inactive"]
    assert found("who=calendar") == []
    assert found("what=corrections") == ["corrected game 1, now game 2"]
    # 20:00 in London is the next morning in Tokyo.
    assert found("day=2024-03-11") == ["recorded game 1"]
    assert found("day=2024-03-10") == []
    assert found("who=%00rita&what=people&day=") == ["set anna inactive"]
    assert "No entries match." in page_text(olga.get(f"{LOG}?who=nobody"))
    assert "That is not a date." in page_text(olga.get(f"{LOG}?day=2024-13-01"))
    assert olga.get(f"{LOG}?day=9999-12-31").status_code == 200


def test_the_log_goes_on_to_older_entries(olga: Client) -> None:
    league = make_league()
    for number in range(60):
        change_league(league.pk, {"title": f"Club {number}"}, username="olga")
    page = olga.get(f"{LOG}?what=settings")
    assert [line.entry.position for line in page.context["lines"]] == list(range(62, 22, -1))
    older = olga.get(f"{LOG}?{page.context['older']}")
    assert [line.entry.position for line in older.context["lines"]] == list(range(22, 0, -1))
    assert (older.context["older"], older.context["newest"]) == ("", "what=settings")
    assert olga.get(f"{LOG}?before=²").status_code == 200


def test_entries_stand_below_the_day_of_the_league(olga: Client) -> None:
    league = make_league(time_zone="Europe/Belgrade")
    # 23:30 of 3 March in Belgrade, then 0:30 of the next day.
    for title, hour in (("One", 22), ("Two", 23)):
        with clock(utc(f"2050-03-03T{hour}:30")):
            change_league(league.pk, {"title": title}, username="olga")
    page = olga.get(f"{LOG}?what=settings&who=olga")
    days = [(day, [row.entry.at.hour for row in rows]) for day, rows in page.context["days"]]
    assert days[:2] == [("Friday 4 March 2050", [23]), ("Thursday 3 March 2050", [22])]
    assert ">00:30</time>" in page.content.decode()


def test_entries_of_unknown_kinds_are_told_by_their_kinds() -> None:
    entry = LogEntry(kind="moon.landed", payload="{}", by="")
    assert build_log_row(entry, {})[1:] == ("calendar", "moon.landed", "", None, "", {})
    assert build_log_row(LogEntry(kind="game.recorded"), {"game": 1.5}).words == "game.recorded"
    moved = LogEntry(kind="games.moved", by="olga")
    assert build_log_row(moved, {"games": [3, 4]})[1:] == ("olga", "swapped games 3 and 4", "", None, "", {})


@pytest.mark.parametrize(
    ("kind", "payload", "said"),
    [
        ("league.created", {"title": "Club"}, "created the league Club"),
        ("league.created", {"title": "Club", "game": "Chess", "metadata": {"a": "1"}}, "created the league Club"),
        ("league.restored", {"entries": 3}, "restored the league from an export"),
        ("rule.adopted", {"from": "0001-01-01"}, "adopted a rule from 1 January 0001"),
        ("rule.adopted", {"from": "1800-01-01"}, "adopted a rule from the first game"),
        ("rule.withdrawn", {"from": "2030-01-01"}, "withdrew the rule from 1 January 2030"),
        ("initial_rating.set", {"player": "anna", "rating": 1712.5}, "set the initial rating of anna to 1712.5"),
        ("player.created", {"player": "anna"}, "added anna"),
        ("player.changed", {"player": "anna", "given": ["aliases", "name"]}, "changed anna: other names, name"),
        ("player.merged", {"player": "anna", "into": "ben"}, "merged anna into ben"),
        ("player.unmerged", {"player": "anna", "into": "ben"}, "split anna from ben"),
        ("game.voided", {"number": 7}, "voided game 7"),
        ("game.restored", {"number": 7, "game": {"number": 9}}, "restored game 7, now game 9"),
        ("ladder.created", {"title": "Month"}, "created the ladder Month"),
        ("ladder.changed", {"title": "Month"}, "changed the ladder Month"),
        ("ladder.rule_adopted", {"ladder": "month", "from": "2024-05-01"},
         "adopted a ranking rule for month from 1 May 2024"),
        ("edition.published", {"ladder": "month", "period": "2026-05", "edition": 1}, "closed May 2026 (month)"),
        ("edition.published", {"ladder": "cup", "period": "spring", "edition": 2},
         "published edition 2 of spring (cup)"),
        ("period.reopened", {"ladder": "month", "period": "2026-05", "edition": 1}, "reopened May 2026 (month)"),
        ("period.carried", {"ladder": "month", "period": "2026-05", "edition": 1},
         "kept edition 1 of May 2026 (month)"),
        ("head.published", {"position": 12}, "signed the log up to entry 12"),
    ],
)  # fmt: skip
def test_each_kind_of_entry_has_its_sentence(kind: str, payload: dict[str, Any], said: str) -> None:
    assert build_log_row(LogEntry(kind=kind), payload).words == said


def test_jobs_show_how_far_they_are_and_are_asked_again_only_where_they_moved(olga: Client) -> None:
    league = make_league()
    assert "The data has not been checked yet" in page_text(olga.get(JOBS))
    now = timezone.now()
    job = Job.objects.create(
        id=uuid4(), league=league, kind="replay", state="running", phase="rating", done=1, total=4, asked_at=now
    )
    page = olga.get(JOBS)
    assert "rating, 25%" in page_text(page)
    assert "<html" in page.content.decode()
    part = olga.get(f"{JOBS}?part=1")
    assert "<html" not in part.content.decode()
    assert 'data-open="yes"' in part.content.decode()
    same = olga.get(f"{JOBS}?part=1", headers={"If-None-Match": part["ETag"]})
    assert (same.status_code, same.content) == (304, b"")
    Job.objects.filter(pk=job.pk).update(done=2)
    assert olga.get(f"{JOBS}?part=1", headers={"If-None-Match": part["ETag"]}).status_code == 200
    Job.objects.filter(pk=job.pk).update(state="failed", problem={"detail": "The disk is full."}, ended_at=now)
    assert "Failed. The disk is full." in page_text(olga.get(f"{JOBS}?part=1"))


def test_the_last_check_is_told(olga: Client) -> None:
    league, at = make_league(), timezone.now() - timedelta(hours=2)
    for result, said in (
        ({"found": 0}, "Every number was recomputed and matched."),
        ({"found": 2}, "found 2 differences"),
        (None, "The last check did not finish."),
    ):
        Job.objects.all().delete()
        Job.objects.create(league=league, kind="verify", state="done", asked_at=at, ended_at=at, result=result)
        assert said in page_text(olga.get(JOBS))


def test_a_day_that_was_left_empty_is_the_day_on_which_it_was_tried(olga: Client) -> None:
    with clock(utc("2024-03-05T23:30")):
        make_league()
        tried = olga.post(RULES, ELO).context
        assert tried["since"] == date(2024, 3, 5)
    with clock(utc("2024-03-06T00:10")):
        page = olga.post(RULES, {**ELO, "_shown": tried["mark"], "_commit": "1"})
    assert page.context["since"] == date(2024, 3, 6)
    assert Rule.objects.count() == 1


def test_the_log_names_those_whose_entries_it_holds_and_no_other_member(olga: Client) -> None:
    league = make_league()
    browsers = {name: sign_in_member(name, role, league) for name, role in (("rita", "recorder"), ("walt", "owner"))}
    sign_in_member("Xena", "organiser", league)
    record_game(league.pk, sheet(("anna", "ben"), (1, 0)), by="Xena")
    for name, browser in browsers.items():
        page = browser.get(LOG)
        assert page.context["names"] == ["test", "Xena", "calendar"]
        assert ("walt" in page.content.decode()) == (name == "walt")


def test_a_league_without_a_rule_chooses_its_first_one_by_system(olga: Client) -> None:
    create_league("club", "Club", by="olga")
    assert "No rule yet" in page_text(olga.get(SETTINGS))
    page = olga.get(RULES)
    assert "Choose how games are rated" in page_text(page)
    assert "?system=elo" in page.content.decode()
    assert "Choose how games are rated" in page_text(olga.get(f"{RULES}?system=chance"))
    address = f"{RULES}?system=elo"
    refused = olga.post(address, {**ELO, "parameters_k": "-3"})
    assert "Nothing was adopted." in page_text(refused)
    assert refused.context["form"]["parameters_k"].value() == "-3"
    assert not Rule.objects.exists()
    done = olga.post(address, {**ELO, "once": ONCE_KEY}, follow=True)
    assert page_messages(done) == "Games are rated by Elo from the first game."
    assert (Rule.objects.get().system, Rule.objects.get().parameters["k"]) == ("elo", 40)
    assert "In force" in page_text(olga.get(RULES))


def test_a_first_rule_that_comes_twice_is_adopted_once(olga: Client) -> None:
    create_league("club", "Club", by="olga")
    with patch("league.web.organiser.rules.load_rules", lambda league: []):
        first, again = (olga.post(f"{RULES}?system=elo", {**ELO, "once": ONCE_KEY}) for _ in range(2))
        other = olga.post(f"{RULES}?system=elo", {**ELO, "parameters_k": "10", "once": ONCE_KEY})
    assert (first.status_code, again.status_code) == (302, 302)
    assert "This form has already been submitted with other contents." in page_text(other)
    assert Rule.objects.order_by("from_date")[0].parameters["k"] == 40
