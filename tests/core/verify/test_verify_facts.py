"""``verify`` holds the facts to the log: what is changed behind the services' back is found after a replay, too.

A field alone is changed in ``test_verify_every_field.py``; here are rows that come and go, and what lies in several.
"""

from collections.abc import Callable
from typing import Any

import pytest

from league.core.dispatch.sweep import replay_league
from league.core.players.services.merges import unmerge_player
from league.core.verify.run import verify_league
from league.models import (  # fmt: skip
    Alias,
    Decision,
    Edition,
    Game,
    InitialRating,
    League,
    LogEntry,
    Merge,
    Player,
    Result,
    Rule,
)
from tests.helpers.builders import player_of
from tests.helpers.ladder_builders import utc
from tests.helpers.log_reading import free_log
from tests.helpers.shared import built_once
from tests.helpers.tiers import mark_slow
from tests.helpers.verify_builders import build_every_entry, free_editions, league_row, raw_delete

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]

built = built_once(build_every_entry)


def game(number: int, **fields: Any) -> Callable[[], object]:
    """Return what changes a game."""
    return lambda: Game.objects.filter(number=number).update(**fields)


def seat(number: int, nth: int, **fields: Any) -> Callable[[], object]:
    """Return what changes a result."""
    return lambda: Result.objects.filter(game__number=number, seat=nth).update(**fields)


def keys_exchanged() -> None:
    """Let two games change their places in the order, by their keys."""
    game(2, order_key=70)()
    game(3, order_key=2)()
    game(2, order_key=3)()


def voided() -> None:
    """Mark a game void."""
    game(3, voided_at=utc("2024-05-01"), voided_by="olga", void_reason="Nobody saw it.")()


def counting_again() -> None:
    """Take a void mark away."""
    game(5, voided_at=None, voided_by="", void_reason="")()


def without_last_game() -> None:
    """Delete the last game, and have the league say that there never was one."""
    raw_delete(lambda: Result.objects.filter(game__number=9))()
    raw_delete(lambda: Game.objects.filter(number=9))()
    League.objects.update(last_number=8)


def one_more_game() -> None:
    """Plant a game of which nobody was told."""
    league = League.objects.get()
    made = Game.objects.create(
        league=league, number=10, played_at=utc("2024-04-15"), recorded_at=utc("2024-04-15"), order_key=10
    )
    for nth, (handle, score) in enumerate((("anna", 1), ("ben", 0)), start=1):
        Result.objects.create(league=league, game=made, seat=nth, player=player_of(handle), score=score)
    League.objects.update(last_number=10)


def cut_log() -> None:
    """Cut off the log's last entry, and put its head right."""
    free_log()
    LogEntry.objects.order_by("-position")[0].delete()
    last = LogEntry.objects.order_by("-position")[0]
    League.objects.update(log_length=last.position, log_sha256=last.sha256)


def unmerged() -> None:
    """Take a merge back behind the log's back."""
    Merge.objects.all().delete()
    Player.objects.filter(handle="finn").update(merged_into=None)


def handed_back() -> None:
    """Let a merged player's line count for that one again, although the merge stands."""
    Result.objects.filter(recorded_as__handle="finn", game__number=6).update(player=player_of("finn"), recorded_as=None)


def rule(day: str, **fields: Any) -> Callable[[], object]:
    """Return what changes a rule of the league."""
    return lambda: Rule.objects.filter(from_date=day).update(**fields)


def without_edition() -> None:
    """Delete the only edition and what was decided about it."""
    free_editions()
    Decision.objects.all().delete()
    Edition.objects.all().delete()


def spelling(**fields: Any) -> Callable[[], object]:
    """Return what changes the spelling that is Ben's handle."""
    return lambda: Alias.objects.filter(text="ben").update(**fields)


MORE_START = lambda: InitialRating.objects.create(league=League.objects.get(), player=player_of("ben"), rating=1600.0)  # noqa: E731 -- a line of a table
#: What is planted, and how a sentence begins that names it, or part of one.
CORRUPTIONS: dict[str, tuple[Callable[[], object], str]] = {
    "score of a void game": (seat(1, 1, score=0.5), "Seat 1 of game 1 has score 0.5; entry"),
    "seat number": (seat(2, 2, seat=3), "Game 2 has the seats 1, 3; entry"),
    "order_key": (keys_exchanged, "Game 2 has order_key 3; by the log it has 2."),
    "void mark set": (voided, "The void mark of game 3 exists, but is not in the log."),
    "void mark removed": (counting_again, "The void mark of game 5 is missing, but is recorded in entry"),
    "the last game": (without_last_game, "Game 9 is missing, but was recorded in entry"),
    "one more game": (one_more_game, "Game 10 exists, but no entry of the log recorded it."),
    "a rule's day": (
        rule("2024-04-12", from_date="2024-04-13", starts_at=utc("2024-04-12T22:00")),
        "The rule from 2024-04-13 exists, but is not in the log.",
    ),
    "a rule less": (
        raw_delete(lambda: Rule.objects.filter(from_date="2024-04-12")),
        "The rule from 2024-04-12 is missing",
    ),
    "a start less": (
        raw_delete(InitialRating.objects.all),
        "The initial rating of dan is missing, but is recorded in",
    ),
    "a start more": (MORE_START, "The initial rating of ben exists, but is not in the log."),
    "merge undone": (unmerged, "The merge of finn has merged_into nothing; entry"),
    "counts for": (handed_back, "Seat 1 of game 6 counts for finn; by the log it counts for eva (recorded as finn)."),
    "a handle": (
        lambda: Player.objects.filter(handle="ben").update(handle="benno"),
        "The handle benno does not belong to its player.",
    ),
    "an edition": (without_edition, "Edition 1 of month 2024-03 is missing, but is recorded in entry"),
    "a decision": (raw_delete(Decision.objects.all), "The decision (carry) of"),
    "a spelling's key": (spelling(key="bennie"), "The name “ben” of ben is stored as “bennie”; it must be “ben”."),
    "a handle that leads to nobody": (
        raw_delete(lambda: Alias.objects.filter(text="ben")),
        "The handle ben does not belong to its player.",
    ),
    "a spelling of who was not merged": (
        lambda: spelling(recorded_as=player_of("dan"))(),
        "The name “ben” of ben belongs to dan, who was not merged into them.",
    ),
    "the title": (league_row(title="Moon"), "The league has title “Moon”; its log has “Club”."),
    "log cut": (cut_log, "Game 9 exists, but no entry of the log recorded it."),
}


@pytest.mark.parametrize("name", mark_slow(CORRUPTIONS, "Another fact.", but=[*CORRUPTIONS][::5]))
def test_what_is_planted_in_the_facts_is_found_after_a_replay(name: str) -> None:
    league = League.objects.get(slug="club")
    plant, sentence = CORRUPTIONS[name]
    plant()
    replay_league(league.pk)
    found = verify_league(league.pk).differences
    assert any(one.startswith(sentence) for one in found), found


def test_facts_that_no_system_takes_are_said_to_be_so() -> None:
    league = League.objects.get(slug="club")
    Rule.objects.update(system="durak", parameters={})
    found = verify_league(league.pk).differences
    for sentence in (
        "The rule from 1800-01-01 has system “durak”",
        "The history cannot be computed from the stored facts (",
    ):
        assert any(one.startswith(sentence) for one in found), found


def test_books_with_everything_in_them_are_what_their_log_says() -> None:
    league = League.objects.get(slug="club")
    verdict = verify_league(league.pk)
    assert (verdict.differences, verdict.notes) == ([], [])
    unmerge_player(player_of("finn"), username="otto")
    assert verify_league(league.pk).differences == []
    Merge.objects.update(undone_by="nobody")
    sentence = f"The ended merge of finn has undone_by “nobody”; entry {league.log_length + 1} of the log has “otto”."
    assert verify_league(league.pk).differences == [sentence]
