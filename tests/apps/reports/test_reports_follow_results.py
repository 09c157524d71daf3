"""The reports of a fixture follow the game that is its result now, whatever was done in whatever order."""

from collections.abc import Sequence
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from league.apps.competitions.models import Competition, Fixture
from league.apps.competitions.services.competitions import cancel_competition, finish_competition
from league.apps.competitions.services.rounds import NewFixture, add_fixtures
from league.apps.reports.models import Report
from league.apps.reports.services.answering import confirm_report, dispute_report
from league.core.errors import RungsError
from league.core.games.services.record import correct_game, record_game, restore_game, void_game
from league.core.verify.run import verify_league
from league.models import Game, League, Result
from tests.helpers.builders import league_of, sheet
from tests.helpers.report_builders import link_of, played, reported, reporting_club
from tests.helpers.running_competitions import run_competition
from tests.helpers.shared import built_once
from tests.helpers.tiers import examples, long_way

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
built = built_once(reporting_club)

WON, DRAWN, LOST = (1.0, 0.0), (0.5, 0.5), (0.0, 1.0)
#: Who reports what; two say the same.
REPORTED = (("anna", WON), ("ben", DRAWN), ("ben", WON))
#: Who sits in a game: those of the fixture, one of them with another, who stands for the other entry, or neither.
PAIRS = (("anna", "ben"), ("anna", "ben"), ("anna", "dan"), ("cleo", "dan"))
OPEN = ("waiting", "overdue", "twin", "disputed")
ACTS = ("record", "record", "void", "void", "restore", "restore", "correct", "correct", "confirm", "dispute")
STEPS = st.lists(
    st.tuples(
        st.sampled_from([*ACTS, "finish", "cancel", "run another"]),
        st.sampled_from(PAIRS),
        st.sampled_from([WON, DRAWN, LOST]),
        st.integers(0, 7),
    ),
    min_size=2,
    max_size=12,
)


def build_reported_fixture() -> tuple[League, Sequence[Report], dict[str, str]]:
    """Return a league with a fixture of Anna and Ben, its reports, and the links of both."""
    league = league_of()
    run_competition(league, ("anna", "ben"), "free")
    add_fixtures(league.pk, "cup", [NewFixture([1, 2])], by="olga")
    links = {handle: link_of(league, handle) for handle in ("anna", "ben")}
    made = [reported(links[who], played(("anna", "ben"), scores, fixture=1)) for who, scores in REPORTED]
    return league, made, links


def do(
    league: League, made: Sequence[Report], links: dict[str, str], step: tuple[str, tuple[str, str], Any, int]
) -> None:
    """Do something; what it is done to is chosen by a number among what there is."""
    act, pair, scores, which = step
    void, counting = league.games.filter(voided_at__isnull=False), league.games.filter(number__gt=2, voided_at=None)
    chosen = list((void if act == "restore" else counting).order_by("number").values_list("number", flat=True))
    said: dict[str, Any] = {"reason": "So.", "username": "olga"}
    report = made[which % len(made)]
    other = links["ben" if report.entered_by.handle == "anna" else "anna"]
    if act == "record":
        record_game(league.pk, sheet(pair, scores), by="olga")
    elif act == "confirm":
        confirm_report(other, report.pk)
    elif act == "dispute":
        dispute_report(other, report.pk, reason="No.")
    elif act == "finish":
        finish_competition(league.pk, "cup", by="olga")
    elif act == "cancel":
        cancel_competition(league.pk, "cup", by="olga")
    elif act == "run another" and not Competition.objects.filter(slug="other").exists():
        run_competition(league, ("cleo", "dan"), "free", slug="other", title="Other")
    elif act in ("void", "restore", "correct") and chosen:
        number = chosen[which % len(chosen)]
        if act == "correct":
            correct_game(league.pk, number, sheet(pair, scores), **said)
        else:
            (void_game if act == "void" else restore_game)(league.pk, number, **said)


def find_result() -> tuple[Game, tuple[float | None, ...]] | None:
    """Return the game that is the result of the fixture, with the scores of Anna and Ben or who stands for them."""
    attached = Fixture.objects.get(number=1).game
    game = None if attached is None else Game.objects.filter(order_key=attached.order_key, voided_at=None).first()
    if game is None:
        return None
    scores = dict(Result.objects.filter(game=game).values_list("player__handle", "score"))
    strangers = [scores[name] for name in scores if name not in ("anna", "ben")]
    if len(strangers) > 1:
        return None
    return game, tuple(scores[name] if name in scores else strangers[0] for name in ("anna", "ben"))


def read_reports(made: Sequence[Report]) -> list[Report]:
    """Return the reports as they stand."""
    by_pk = {report.pk: report for report in Report.objects.select_related("game")}
    return [by_pk[report.pk] for report in made]


def check_reports(found: Sequence[Report], before: Sequence[Report]) -> None:
    """Demand that the reports say what the fixture's game says."""
    result = find_result()
    settled = [(one, scores) for one, (_who, scores) in zip(found, REPORTED, strict=True) if one.state_before]
    if result is None:
        if Competition.objects.get(slug="cup").status == "running":
            assert settled == []
        else:
            # Nothing waits anew for what nobody can confirm.
            assert {one.pk for one in found if one.state in OPEN} <= {one.pk for one in before if one.state in OPEN}
        return
    game, counted = result
    assert [one for one in found if one.state in OPEN] == []
    own = [
        one
        for one, (_who, scores) in zip(found, REPORTED, strict=True)
        if not one.state_before and one.game is not None and one.game.order_key == game.order_key and scores == counted
    ]
    confirmed = [(one, scores) for one, scores in settled if one.state == "confirmed"]
    refused = [(one, scores) for one, scores in settled if one.state == "refused"]
    assert len(confirmed) + len(refused) == len(settled)
    assert len(own) + len(confirmed) <= 1
    assert all((one.game, scores) == (game, counted) for one, scores in confirmed)
    assert {one.reason for one, _scores in refused} <= {f"Fixture 1 has its result already: game {game.number}."}
    if counted in [scores for _one, scores in refused]:
        assert own or confirmed, "nobody else says what this report says"


@long_way
@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_reports_follow_the_game_of_their_fixture_whatever_is_done_in_whatever_order(
    steps: list[tuple[str, tuple[str, str], Any, int]],
) -> None:
    with transaction.atomic():
        league, made, links = build_reported_fixture()
        for step in steps:
            before = read_reports(made)
            try:
                do(league, made, links, step)
            except RungsError:
                continue  # It cannot be done now, and nothing was written.
            check_reports(read_reports(made), before)
        assert verify_league(league.pk).differences == []
        transaction.set_rollback(True)
