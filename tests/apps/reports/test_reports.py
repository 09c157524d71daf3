"""Player reports with links: permissions, refusals, and recording a game exactly once."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

from league.apps.reports.models import Report
from league.apps.reports.selectors.reports import compute_mark, load_report_views
from league.apps.reports.services.answering import confirm_report, dispute_report
from league.apps.reports.services.deciding import record_report, refuse_report
from league.apps.reports.services.entering import SimilarReport, enter_report
from league.apps.reports.services.lapsing import lapse_due_reports
from league.core.errors import Conflict, Invalid, NotFound, Refused, RungsError
from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.record import record_game
from league.core.players.services.merges import merge_players
from league.core.players.services.players import set_active
from league.core.verify.run import verify_league
from league.models import Game, League, LogEntry
from tests.helpers.builders import FOUR, make_league, player_of, ratings, record, reread, sheet
from tests.helpers.report_builders import TABLE, all_refuse, built_club, link_of, played, reported, reporting_club
from tests.helpers.shared import built_once

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]

built = built_once(reporting_club)


def test_a_confirmed_report_is_recorded_at_its_time() -> None:
    league = built_club()
    anna, ben = link_of(league, "anna"), link_of(league, "ben")
    before = ratings(league)
    new = played(("anna", "ben"), (0.5, 0.5), hours=3, note="At home")
    report = reported(anna, new)
    assert (report.state, report.game, report.entered_by, report.played_at) == (
        "waiting", None, player_of("anna"), new.played_at,
    )  # fmt: skip
    assert (Game.objects.count(), ratings(league), League.objects.get().last_number) == (2, before, 2)
    done = confirm_report(ben, report.pk)
    game = Game.objects.get(number=3)
    assert (done.state, done.game) == ("confirmed", game)
    assert (game.played_at, game.note, game.recorded_by, game.kind) == (new.played_at, "At home", "the table", "played")
    assert [(line.player.handle, line.score) for line in game.results.all()] == [("anna", 0.5), ("ben", 0.5)]
    assert ratings(league)["anna"] < before["anna"], "a higher-rated player who draws loses points"
    assert verify_league(league.pk).state == "is right"


#: A sheet for each check that recording makes; what it refuses, tests of recording hold.
WRONG = {
    "one player": played(("anna",), (1,)),
    "too far ahead": replace(played(), played_at=timezone.now() + timedelta(days=3)),
    "a word of another system": played(details={"bula": 30}),
    "a worksheet": replace(played(), results=[NewResult("anna", worksheet={"middle": 1}), NewResult("ben", 1)]),
    "no number": played(scores=(float("nan"), 0)),
    "long": played(note="x" * 501),
}


@pytest.mark.parametrize("new", WRONG.values(), ids=WRONG)
def test_reports_are_checked_like_games(new: NewGame) -> None:
    league = built_club()
    anna = link_of(league, "anna")
    with pytest.raises(RungsError) as game:
        record_game(league.pk, new, by="olga")
    with pytest.raises(RungsError) as report:
        enter_report(anna, new, key="k")
    assert (report.value.problems, report.value.detail, type(report.value)) == (
        game.value.problems, game.value.detail, type(game.value),
    )  # fmt: skip
    assert not Report.objects.exists()


def test_only_players_of_the_game_report_and_answer() -> None:
    league = built_club()
    anna, cleo = link_of(league, "anna"), link_of(league, "cleo")
    with pytest.raises(Refused, match="Cleo is not on this sheet: only players of a game can report it"):
        reported(cleo)
    report = reported(anna)
    all_refuse(
        NotFound,
        "There is no such report",
        lambda: confirm_report(cleo, report.pk),
        lambda: dispute_report(cleo, report.pk, reason="No"),
    )
    all_refuse(
        Refused,
        "You reported this game",
        lambda: confirm_report(anna, report.pk),
        lambda: dispute_report(anna, report.pk, reason="No"),
    )
    assert (reread(report).state, reread(report).answers, Game.objects.count()) == ("waiting", [], 2)


def test_a_tables_link_requires_a_player() -> None:
    league = built_club()
    for nobody in ("", "zoe", "a\0b", "Anna"):
        with pytest.raises(Refused, match="Choose your name"):
            reported(TABLE, who=nobody)
    report = reported(TABLE, who="anna")
    assert report.link is not None
    assert (report.entered_by, report.link.name) == (player_of("anna"), "Table 1")
    with pytest.raises(Refused, match="You reported this game"):
        confirm_report(TABLE, report.pk, handle="anna")
    assert confirm_report(TABLE, report.pk, handle="ben").state == "confirmed"
    set_active(league.pk, player_of("cleo"), False, username="olga")
    with pytest.raises(Refused, match="Choose your name"):
        reported(TABLE, played(("cleo", "dan")), who="cleo")


def test_a_link_is_useless_in_another_league() -> None:
    league = built_club()
    other = make_league(slug="other", reporting="by_link")
    record(other, sheet(("anna", "ben"), (1, 0)))
    report = reported(link_of(league, "anna"))
    with pytest.raises(NotFound, match="There is no such report"):
        confirm_report(link_of(other, "ben"), report.pk)
    with pytest.raises(NotFound, match="There is no such report"):
        refuse_report(other.pk, report.pk, reason="No", mark=compute_mark(report), username="olga")


def test_a_key_identifies_one_report() -> None:
    league = built_club()
    anna = link_of(league, "anna")
    new = replace(played(), played_at=None)
    first, second = enter_report(anna, new, key="k"), enter_report(anna, new, key="k")
    assert (first.created, second.created) == (True, False)
    assert first.report == second.report
    for other in (played(scores=(0, 1)), replace(new, note="Other"), played(("anna", "ben"), hours=2)):
        with pytest.raises(Conflict, match="the form has changed"):
            enter_report(anna, other, key="k")
    with pytest.raises(Conflict, match="the form has changed"):
        enter_report(link_of(league, "ben"), new, key="k")
    for key in ("", "x" * 65, "ž"):
        with pytest.raises(Invalid, match="The key of a report has 1 to 64 characters"):
            enter_report(anna, new, key=key)
    assert Report.objects.count() == 1


def test_a_repeated_form_after_confirmation_returns_the_report() -> None:
    league = built_club()
    anna = link_of(league, "anna")
    report = enter_report(anna, played(), key="k").report
    confirm_report(link_of(league, "ben"), report.pk)
    merge_players(player_of("anna"), player_of("dan"), username="olga")
    new = record_sheet(report)
    assert enter_report(anna, new, key="k").report == report
    assert Game.objects.count() == 3


def record_sheet(report: Report) -> NewGame:
    """Return the sheet of a report as it was sent."""
    results = [NewResult(line["player"], line["score"]) for line in report.sheet["results"]]
    return NewGame(results, played_at=report.played_at)


def test_confirming_twice_records_one_game() -> None:
    league = built_club()
    report = reported(link_of(league, "cleo"), played(("anna", "ben", "cleo"), (3, 2, 1)))
    first = confirm_report(link_of(league, "anna"), report.pk)
    second = confirm_report(link_of(league, "ben"), report.pk)
    assert first.game == second.game == Game.objects.get(number=3)
    assert [answer["player"] for answer in reread(report).answers] == ["anna"]
    with pytest.raises(Conflict, match="This report has already been recorded as game 3"):
        dispute_report(link_of(league, "ben"), report.pk, reason="It was me.")


def test_others_can_answer_a_disputed_report() -> None:
    league = built_club()
    anna, ben, cleo = (link_of(league, one) for one in ("anna", "ben", "cleo"))
    report = reported(anna, played(("anna", "ben", "cleo"), (3, 2, 1)))
    dispute_report(ben, report.pk, reason="  I had 4. ")
    assert reread(report).state == "disputed"
    dispute_report(ben, report.pk, reason="I had 4.")
    with pytest.raises(Conflict, match="You have already answered this report"):
        confirm_report(ben, report.pk)
    assert confirm_report(cleo, report.pk).state == "disputed"
    text = [(one["player"], one["right"], one["reason"]) for one in reread(report).answers]
    assert text == [("ben", False, "I had 4."), ("cleo", True, "")]
    kinds = [entry.kind for entry in LogEntry.objects.order_by("position") if entry.kind.startswith("report")]
    assert kinds == ["report.entered", "report.disputed", "report.answered"]
    (one,) = load_report_views([reread(report)])
    assert [(answer["name"], answer["right"]) for answer in one.answers] == [("Ben", False), ("Cleo", True)]
    assert Game.objects.count() == 2
    assert lapse_due_reports(league.pk, timezone.now() + timedelta(days=9)) == 0, "who disputed stopped the clock"


def test_a_dispute_needs_a_reason() -> None:
    league = built_club()
    report, ben = reported(link_of(league, "anna")), link_of(league, "ben")
    for reason in ("", " ", "x" * 501, "a\0b"):
        with pytest.raises(Invalid):
            dispute_report(ben, report.pk, reason=reason)
    assert reread(report).state == "waiting"


def test_an_organiser_records_amends_or_rejects_a_report() -> None:
    league = built_club()
    anna = link_of(league, "anna")
    one, two, three = (reported(anna, played(hours=hours)) for hours in (1, 2, 3))
    assert record_report(league.pk, one.pk, mark=compute_mark(one), username="olga").game == Game.objects.get(number=3)
    amended = record_report(
        league.pk, two.pk, mark=compute_mark(two), username="olga", amended=played(scores=(0, 1), hours=2)
    )
    assert amended.reason == "Recorded with changes."
    assert [line.score for line in Game.objects.get(number=4).results.order_by("seat")] == [0, 1]
    assert [line["score"] for line in amended.sheet["results"]] == [1, 0], "what was entered stays"
    refused = refuse_report(league.pk, three.pk, reason="Nobody was here.", mark=compute_mark(three), username="olga")
    assert (refused.state, refused.reason, refused.decided_by, refused.game) == (
        "refused", "Nobody was here.", "olga", None,
    )  # fmt: skip
    assert Game.objects.get(number=3).recorded_by == "olga"
    for report in (one, two, three):
        with pytest.raises(Conflict, match=r"This report (has already been recorded|was rejected: Nobody was here)"):
            record_report(league.pk, report.pk, mark=compute_mark(reread(report)), username="olga")
    with pytest.raises(Invalid, match="Give a reason"):
        refuse_report(league.pk, one.pk, reason=" ", mark="", username="olga")
    assert verify_league(league.pk).state == "is right"


def test_a_decision_needs_the_latest_answers() -> None:
    league = built_club()
    report = reported(link_of(league, "anna"))
    seen = compute_mark(report)
    dispute_report(link_of(league, "ben"), report.pk, reason="I won.")
    all_refuse(
        Conflict,
        "Another player has answered this report meanwhile",
        lambda: record_report(league.pk, report.pk, mark=seen, username="olga"),
        lambda: refuse_report(league.pk, report.pk, reason="No", mark=seen, username="olga"),
    )
    assert (reread(report).state, Game.objects.count()) == ("disputed", 2)


def test_a_game_refused_by_the_rules_leaves_the_report_open() -> None:
    league = built_club()
    report = reported(link_of(league, "anna"), played(("anna", "ben")))
    Report.objects.filter(pk=report.pk).update(sheet={**report.sheet, "details": {"bula": 1}})
    all_refuse(
        Refused,
        "bula",
        lambda: confirm_report(link_of(league, "ben"), report.pk),
        lambda: record_report(league.pk, report.pk, mark=compute_mark(report), username="olga"),
    )
    assert (reread(report).state, reread(report).answers, Game.objects.count()) == ("waiting", [], 2)


def test_a_similar_recorded_game_needs_a_decision() -> None:
    league = built_club()
    anna, ben, cleo = (link_of(league, one) for one in ("anna", "ben", "cleo"))
    new = played(("anna", "ben", "cleo"), (3, 2, 1))
    report = reported(anna, new)
    record(league, new)
    for link in (ben, cleo):
        left = confirm_report(link, report.pk)
        assert (left.state, left.game) == ("twin", None)
        newest = LogEntry.objects.filter(league=league).order_by("-position")[0]
        assert (newest.kind, newest.by) == ("report.twin", "the table")
    assert left.reason == "Game 3 at about that time has the same players and scores."
    assert [answer["player"] for answer in left.answers] == ["ben", "cleo"]
    assert Game.objects.count() == 3
    assert verify_league(league.pk).state == "is right"
    record_report(league.pk, report.pk, mark=compute_mark(left), username="olga")
    assert (reread(report).state, reread(report).reason, Game.objects.count()) == ("confirmed", "", 4)
    assert verify_league(league.pk).state == "is right"


def test_other_or_earlier_games_are_not_similar() -> None:
    league = built_club()
    anna, ben = link_of(league, "anna"), link_of(league, "ben")
    first = reported(anna, played(hours=2))
    record(league, played(scores=(0, 1), hours=2))
    assert confirm_report(ben, first.pk).state == "confirmed"
    second = enter_report(
        anna, played(hours=2), key="second", confirmed_other=str(first.game_id or reread(first).game_id)
    ).report
    assert confirm_report(ben, second.pk).state == "confirmed"
    known = record(league, played(("cleo", "dan"), hours=2))
    third = enter_report(
        link_of(league, "cleo"), played(("cleo", "dan"), hours=2), key="third", confirmed_other=str(known.pk)
    ).report
    assert confirm_report(link_of(league, "dan"), third.pk).state == "confirmed", "who entered it was asked"


def test_a_partner_can_dispute_but_not_confirm() -> None:
    league = built_club()
    seats = (("anna", 21, 1), ("cleo", 21, 1), ("ben", 15, 2), ("dan", 15, 2))
    new = replace(played(), results=[NewResult(name, score, None, side) for name, score, side in seats])
    report = reported(link_of(league, "anna"), new)
    assert [line["side"] for line in report.sheet["results"]] == [1, 1, 2, 2]
    cleo, ben = link_of(league, "cleo"), link_of(league, "ben")
    all_refuse(Refused, "a player from another team must confirm it", lambda: confirm_report(cleo, report.pk))
    result = {name: load_report_views([reread(report)], player_of(name))[0] for name in ("anna", "cleo", "ben", "dan")}
    assert {name: one.due for name, one in result.items()} == {"anna": False, "cleo": False, "ben": True, "dan": True}
    assert [line["side"] for line in result["ben"].lines] == [1, 1, 2, 2]
    assert confirm_report(ben, report.pk).state == "confirmed"
    assert list(Game.objects.get(number=3).results.order_by("seat").values_list("side", flat=True)) == [1, 1, 2, 2]
    wrong = reported(link_of(league, "dan"), replace(new, played_at=timezone.now() - timedelta(hours=5)))
    assert dispute_report(ben, wrong.pk, reason="It was 21 to 20.").state == "disputed"
    assert verify_league(league.pk).state == "is right"


def draw(sides: Sequence[int | None], names: Sequence[str] = FOUR) -> NewGame:
    """Return a draw of the four on these sides."""
    return replace(
        played(), results=[NewResult(name, 9.0, None, side) for name, side in zip(names, sides, strict=True)]
    )


SAME: list[Sequence[int | None]] = [(1, 1, 2, 2), (2, 2, 1, 1), (5, 5, 3, 3), (None,) * 4]
OTHERS = [(1, 2, 1, 2), (1, 2, 2, 1), (1, 2, 2, 2)]


def test_the_numbers_and_seats_of_sides_do_not_matter() -> None:
    league = built_club()
    reported(link_of(league, "anna"), draw((1, 1, 2, 2)))
    cleo = link_of(league, "cleo")
    for new in (*map(draw, SAME), draw((1, 2, 1, 2), ("dan", "ben", "cleo", "anna"))):
        with pytest.raises(SimilarReport):
            enter_report(cleo, new, key="another")
    assert Report.objects.count() == 1


@pytest.mark.parametrize("sides", OTHERS)
def test_other_partners_play_another_game(sides: tuple[int, ...]) -> None:
    league = built_club()
    reported(link_of(league, "anna"), draw((1, 1, 2, 2)))
    enter_report(link_of(league, "cleo"), draw(sides), key="another")
    assert Report.objects.count() == 2


def test_other_places_are_another_game() -> None:
    league = built_club()
    for name, places in (("anna", (1, 2)), ("ben", (2, 1))):
        results = [NewResult(one, None, place) for one, place in zip(("anna", "ben"), places, strict=True)]
        enter_report(link_of(league, name), replace(played(), results=results), key=name)
    assert Report.objects.count() == 2
