"""A player who was two: some games become another person's by corrections, all or none, and come back as one."""

from typing import Any
from unittest.mock import patch

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from league.core.errors import Conflict, Forbidden, Invalid, NotFound, Refused, RungsError
from league.core.games.services.record import void_game
from league.core.games.services.split_players import Split, split_player, undo_split
from league.core.permissions import load_viewer_of_user, refuse_foreign
from league.core.players.services.merges import merge_players, unmerge_player
from league.core.verify.run import verify_league
from league.models import Game, League, LogEntry, Membership, Player, Result
from tests.helpers.builders import make_league, ratings, record, sheet
from tests.helpers.desk_client import page_messages, page_text, sign_in_member
from tests.helpers.ladder_builders import tables, utc
from tests.helpers.shared import built_once
from tests.helpers.split_builders import SPLIT, build_six_games, seats_of_games, six_games, split_anna, split_fields
from tests.helpers.tiers import long_way

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]

built = built_once(build_six_games)


def test_games_become_a_new_persons_as_if_they_had_been_written_down_so() -> None:
    league = six_games()
    done = split_anna(league, [2, 5], name="Anna Berg")
    assert (done.into.handle, done.into.name) == ("anna-berg", "Anna Berg")
    assert done.numbers == [(2, 7), (5, 8)]
    assert seats_of_games(league) == {
        "x-0": ["anna", "ben"], "x-1": ["anna-berg", "cleo"], "x-2": ["ben", "cleo"], "x-3": ["anna", "ben"],
        "x-4": ["dan", "anna-berg"], "x-5": ["anna", "cleo"],
    }  # fmt: skip
    assert verify_league(league.pk).differences == []


def test_facts_are_voided_and_written_anew_in_their_place() -> None:
    league = six_games()
    before = list(Result.objects.order_by("game", "seat").values_list("game", "player", "score"))
    split_anna(league, [5], name="Anna Berg")
    old, new = Game.objects.get(number=5), Game.objects.get(number=7)
    assert (old.voided_by, old.void_reason, old.external_id) == ("olga", "Two Annas.", "x-4")
    assert (new.replaces, new.order_key, new.played_at, new.external_id) == (old, 5, old.played_at, "x-4")
    kept = Result.objects.exclude(game=new).order_by("game", "seat")
    assert list(kept.values_list("game", "player", "score")) == before
    kinds = LogEntry.objects.filter(league=league).order_by("-position").values_list("kind", flat=True)
    assert list(kinds[:2]) == ["game.corrected", "player.created"]


def test_games_become_a_player_of_the_league_and_come_back() -> None:
    league = six_games()
    before, places = ratings(league), seats_of_games(league)
    done = split_anna(league, [2, 6], into="dan")
    assert seats_of_games(league)["x-5"] == ["dan", "cleo"]
    assert ratings(league) != before
    allow = lambda leagues: None  # noqa: E731 -- shorter than a function, and said once
    assert undo_split(league.pk, done.numbers, reason="Not so.", username="olga", allow=allow) == 2
    assert seats_of_games(league) == places
    assert ratings(league) == before
    places_in_time = league.games.filter(voided_at=None).order_by("external_id").values_list("order_key", flat=True)
    assert list(places_in_time) == [1, 2, 3, 4, 5, 6]
    assert verify_league(league.pk).differences == []
    with pytest.raises(Conflict, match="Game 7 was changed after the split"):
        undo_split(league.pk, done.numbers, reason="Not so.", username="olga", allow=allow)


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize(
    ("numbers", "more", "kind", "sentence"),
    [
        ([], {}, Invalid, "Choose the games that another person played."),
        (list(range(1, 502)), {}, Invalid, "You can split off at most 500 games at once."),
        ([3], {}, Conflict, "Anna did not play game 3, or it is void now. Nothing was changed."),
        ([1, 3, 99], {}, Conflict, "Anna did not play games 3, 99, or they are void now. Nothing was changed."),
        ([1, 2], {"into": "ben"}, Refused, "Ben also plays in game 1, with Anna. Leave it out."),
        ([1], {"into": "anna"}, Invalid, "These games already belong to Anna."),
        ([1], {"into": "nobody"}, NotFound, "No player is called “nobody”."),
        ([1], {"name": "Ben"}, Conflict, "“Ben” already means Ben (ben): choose that player, or enter another name."),
        ([1], {"name": " "}, Refused, "A name must not be empty."),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(
    numbers: list[int], more: dict[str, Any], kind: type[RungsError], sentence: str
) -> None:
    league = six_games()
    make_league(slug="more", players=("eva",))
    before = tables()
    with pytest.raises(kind) as refused:
        split_anna(league, numbers, **more)
    assert sentence in refused.value.detail
    assert tables() == before


def test_all_of_it_or_nothing() -> None:
    league = six_games()
    make_league(slug="more", players=("eva",))
    before = tables()

    def refusing(results: Any) -> None:
        """Fail where games are void, and others stand in their places without a line."""
        assert (Game.objects.filter(voided_by="olga").count(), league.games.count()) == (3, 9)
        raise Refused("No.")

    with patch("league.core.games.services.write_games.insert_results", refusing), pytest.raises(Refused, match="No"):
        split_anna(league, [1, 2, 4])
    assert tables() == before


def test_who_does_not_organise_the_league_splits_nobody() -> None:
    league = six_games()
    rita = sign_in_member("rita", Membership.Role.RECORDER, league)
    assert rita.get(SPLIT).status_code == 403
    viewer = load_viewer_of_user(User.objects.get(username="rita"))
    before = tables()
    with pytest.raises(Forbidden, match="of which “rita” is not an organiser"):
        split_player(
            league.pk, Split("anna", [1], name="Eva"), reason="x", username="rita", viewer=viewer,
            allow=lambda leagues: refuse_foreign(viewer, leagues),
        )  # fmt: skip
    with pytest.raises(Forbidden):
        undo_split(
            league.pk, [(1, 2)], reason="x", username="rita", allow=lambda leagues: refuse_foreign(viewer, leagues)
        )
    assert tables() == before


def test_somebody_of_a_private_league_is_not_there(olga: Client) -> None:
    league = six_games()
    make_league(slug="hidden", players=("zara",), visibility="private")
    record(League.objects.get(slug="hidden"), sheet(("zara", "dan"), (1, 0)))
    owen = sign_in_member("owen", Membership.Role.ORGANISER, league)
    page = owen.post(SPLIT, {"who": "zara", "game": ["1"]})
    assert page.context["form"].errors["who"] == ["No player is called “zara”."]
    page = owen.post(SPLIT, {"who": "zara", "new": "on", "game": ["1"]})
    assert "Nothing has been saved yet." in page_text(page)


def test_a_merge_before_and_a_split_after_keep_whom_games_named() -> None:
    """Dan was merged into Anna; a game of Anna's own is split off, and the merge is taken back: all is as written."""
    league = six_games()
    void_game(league.pk, 5, reason="they sat together", username="olga")
    dan, anna = Player.objects.get(handle="dan"), Player.objects.get(handle="anna")
    record(league, sheet(("dan", "ben"), (1, 0), played_at=utc("2024-03-07"), external_id="x-6"))
    merge_players(dan, anna, username="olga")
    make_league(slug="more", players=("eva",))
    split_anna(league, [1], into="eva")
    assert seats_of_games(league)["x-0"] == ["eva", "ben"]
    unmerge_player(dan, username="olga")
    assert seats_of_games(league)["x-6"] == ["dan", "ben"]
    assert verify_league(league.pk).differences == []


@long_way
def test_the_desk_shows_tries_and_splits_once_and_one_press_takes_it_back(olga: Client) -> None:
    league = six_games()
    page = olga.get(SPLIT)
    assert [view.game.number for view in page.context["games"]] == [6, 5, 4, 2, 1]
    before, places = tables("Session"), seats_of_games(league)
    page = olga.post(SPLIT, {"who": "Anna Berg", "new": "on", "game": ["5"], "last": "2024-03-02"})
    assert tables("Session") == before
    said = page_text(page)
    assert "Give 3 games of Anna to Anna Berg?" in said
    assert "Nothing has been saved yet." in said
    assert page.context["action"].wanted.numbers == [1, 2, 5]
    then = {one.player: one.after for one in page.context["tried"].diff.ratings}
    # Pressed twice: its way back stands on the page to which the second leads.
    olga.post(SPLIT, split_fields(page))
    done = olga.post(SPLIT, split_fields(page), follow=True)
    assert done.redirect_chain == [("/admin/leagues/club/people/players/anna-berg/", 302)]
    assert league.games.count() == 9
    assert then == {name: rating for name, rating in ratings(league).items() if name in then}
    assert set(Game.objects.filter(voided_by="olga").values_list("void_reason", flat=True)) == {
        "Played by somebody else, not by anna."
    }
    # Told once, with the way back.
    undo = done.context["undo"]
    assert undo["address"] == "/admin/leagues/club/people/splits/7/"
    back = olga.post(undo["address"], {"seen": undo["seen"], "once": undo["once"], "_commit": "yes"}, follow=True)
    assert page_messages(back) == "The split was undone: 3 games were restored."
    assert seats_of_games(league) == places
    assert "There is no split to undo" in page_messages(olga.post(undo["address"], follow=True))
    assert verify_league(league.pk).differences == []


def test_who_comes_second_with_the_same_new_player_is_told_so(olga: Client) -> None:
    league = six_games()
    first, second = (olga.post(SPLIT, {"who": "Zoe New", "new": "on", "game": [game]}) for game in ("1", "2"))
    assert olga.post(SPLIT, split_fields(first)).status_code == 302
    refused = olga.post(SPLIT, split_fields(second))
    assert refused.status_code == 200
    assert "Zoe New" in page_text(refused)
    assert "already" in page_text(refused)
    assert league.games.filter(voided_by="olga").count() == 1


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize(
    ("data", "field", "sentence"),
    [
        ({"who": "", "game": ["1"]}, "who", "Choose who played these games."),
        ({"who": "dan"}, "__all__", "Choose the games that another person played."),
        ({"who": "dan", "game": ["x", "9" * 50]}, "__all__", "Choose the games"),
        ({"who": "dan", "first": "2024-03-05", "last": "2024-03-01"}, "last", "The last day is before the first day."),
        ({"who": "dan", "first": "9999-12-31"}, "__all__", "Choose the games"),
        ({"who": "dan", "last": "9999-12-31"}, "__all__", "Choose the games"),
        ({"who": "Zora", "game": ["1"]}, "who", "No player is called “Zora”."),
        ({"who": "Ben", "new": "on", "game": ["1"]}, "who", "“Ben” already means Ben (ben)"),
        ({"who": "Ben", "game": ["1", "2"]}, "who", "Ben also plays in game 1, with Anna"),
    ],
)
def test_what_is_wrong_stands_at_its_field_and_the_ticks_stay(
    olga: Client, data: dict[str, Any], field: str, sentence: str
) -> None:
    page = olga.post(SPLIT, data)
    assert sentence in " ".join(page.context["form"].errors[field])
    assert "Nothing was saved." in page_text(page)
    ticked = {int(one) for one in data.get("game", []) if one.isdigit() and len(one) < 10}
    assert page.content.decode().count("checked") == len(ticked) + ("new" in data)


def test_who_goes_back_keeps_games_that_were_chosen_by_their_days(olga: Client) -> None:
    """Games 1 and 2 are older than the newest that are shown: they stand there ticked all the same."""
    with patch("league.web.organiser.split_player.MAX_LISTED_GAMES", 2):
        page = olga.get(SPLIT)
        assert [view.game.number for view in page.context["games"]] == [6, 5]
        assert page.context["more_games"] == 3
        page = olga.post(SPLIT, {"who": "Zora", "new": "on", "last": "2024-03-03"})
        assert page.context["action"].wanted.numbers == [1, 2]
        back = olga.post(SPLIT, {**split_fields(page), "_edit": "back"})
    assert [view.game.number for view in back.context["games"]] == [6, 5, 2, 1]
    assert back.content.decode().count("checked") == 2 + 1
    assert back.context["more_games"] == 1
    again = olga.post(SPLIT, {"who": "Zora", "new": "on", "game": ["1", "2"]})
    assert again.context["action"].wanted.numbers == [1, 2]


def test_many_games_take_no_more_statements_than_few() -> None:
    """Five hundred games hold the league's lock once, and for less than a second."""
    league = six_games()
    make_league(slug="more", players=("eva",))

    def asked(numbers: list[int]) -> int:
        with CaptureQueriesContext(connection) as few:
            done = split_anna(league, numbers, into="eva")
        with CaptureQueriesContext(connection) as back:
            undo_split(league.pk, done.numbers, reason="Not so.", username="olga", allow=lambda leagues: None)
        return len(few) + len(back)

    one = asked([6])
    counting = sorted(
        league.games.filter(voided_at=None, results__player__handle="anna").values_list("number", flat=True)
    )
    assert len(counting) == 5
    assert asked(counting) <= one + 4  # the replay reads a little more from an earlier game on
