"""Competitions in exports and restores, when a person is erased, and when a league is deleted."""

import json
from io import BytesIO
from typing import Any

import pytest

from league.apps.competitions.models import Competition, Entry
from league.apps.competitions.services.competitions import cancel_competition
from league.apps.competitions.services.entries import NewEntry, add_entries, change_entry, withdraw_entry
from league.core.errors import Invalid, Refused
from league.core.leagues.services.delete import delete_league
from league.core.log.services.erase_texts import erase_text
from league.core.players.selectors.erasure_preview import preview_erasure
from league.core.players.selectors.person import serialize_person
from league.core.players.services.erase import erase_player
from league.core.players.services.merges import merge_players
from league.core.players.services.players import change_player
from league.core.transfer.services.restore import restore_league
from league.core.verify.run import verify_league
from league.models import League
from tests.helpers.builders import league_of, make_league, player_of, record, sheet
from tests.helpers.competition_builders import enter, make_competition, start
from tests.helpers.erasing_builders import every_text
from tests.helpers.restore_builders import edited, export_of, sealed_file
from tests.helpers.shared import built_once
from tests.helpers.tiers import long_way

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]


def build_club() -> League:
    """Return a league with a running and a cancelled competition, and entries of merged players and sides."""
    league = make_league(players=("anna", "ben", "cleo", "dan", "eva", "finn", "gus"))
    record(league, sheet(("anna", "ben"), (1, 0)))
    make_competition(league, "swiss", rounds=2, max_entries=3, starts_at=None, description="For all.")
    enter(league, "anna", byes=[{"round": 2, "kind": "half_bye"}])
    enter(league, "ben", not_against=[1], title="FM", federation="SRB", seed=1)
    start(league, ("cleo", "dan"))
    withdraw_entry(league.pk, "cup", 3, by="olga")
    make_competition(league, slug="pairs", sides_of=2, rated=False)
    add_entries(
        league.pk, "pairs", [NewEntry(["anna", "cleo"], name="Anna's Aces"), NewEntry(["eva", "dan"])], by="olga"
    )
    add_entries(league.pk, "pairs", [NewEntry(["ben", "finn"], name="The Bens")], by="olga")
    cancel_competition(league.pk, "pairs", by="olga", reason="No heating.")
    merge_players(player_of("finn"), player_of("cleo"), username="olga")
    return league


built = built_once(build_club)


def rows_of(league: League, *, seeds: bool = True) -> list[Any]:
    """Return the lines of competitions of an export; without ``seeds`` as everyone may read them."""
    lines = map(json.loads, export_of(league, aliases=seeds))
    return [line for line in lines if line["type"] == "competition"]


@long_way
@pytest.mark.parametrize("aliases", [True, False])
def test_a_restored_league_has_the_same_competitions(aliases: bool) -> None:
    league = league_of()
    lines = export_of(league, aliases=aliases)
    assert len(lines) == len(set(lines))
    again = restore_league(
        BytesIO("".join(f"{line}\n" for line in lines).encode()), slug="again", known_players=True, by="root"
    )
    assert again.parts == {"competition": 2}
    assert again.league.attaches_games
    assert rows_of(again.league, seeds=aliases) == rows_of(league, seeds=aliases)
    assert verify_league(again.league.pk).state == "is right"
    cup, pairs = rows_of(league)
    assert [(entry["players"], entry["status"], entry["withdrawn_after"]) for entry in cup["entries"]] == [
        (["ben"], "entered", None), (["anna"], "entered", None), (["cleo"], "withdrawn", 0), (["dan"], "waiting", None),
    ]  # fmt: skip
    assert [(entry["name"], entry["players"]) for entry in pairs["entries"]] == [
        ("Anna's Aces", ["anna", "cleo"]), ("", ["eva", "dan"]), ("The Bens", ["ben", "finn"]),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("settings", "values", "kind"),
    [
        ({"format": "ladder"}, {}, "competition"),
        ({"points": {"win": "much"}}, {}, "competition"),
        ({}, {"rounds": 1}, "competition"),
        # The line of the log that disagrees.
        ({"title": "Another"}, {}, "entry"),
        ({"rounds": 3}, {}, "entry"),
        ({}, {"entries": []}, "entry"),
    ],
)
def test_a_changed_competition_is_refused_with_its_line(
    settings: dict[str, Any], values: dict[str, Any], kind: str
) -> None:
    league = league_of()
    cup = rows_of(league)[0]
    lines = edited("competition", settings={**cup["settings"], **settings}, **values)(export_of(league))
    with pytest.raises(Invalid) as refused:
        restore_league(sealed_file(lines), slug="again", known_players=True, by="root")
    number = int(refused.value.problems[0].pointer.removeprefix("/lines/"))
    assert json.loads(lines[number - 1])["type"] == kind
    assert not League.objects.filter(slug="again").exists()


def test_an_erased_person_stays_in_entries_without_a_name() -> None:
    league = league_of()
    change_player(player_of("anna"), name="Anna Kowalska", username="olga")
    change_entry_name = "The Bens and Anna Kowalska"
    make_competition(league, slug="late", sides_of=2, rated=False)
    add_entries(league.pk, "late", [NewEntry(["ben", "dan"], name=change_entry_name)], by="olga")
    change_entry(league.pk, "late", 1, {"name": change_entry_name + "!"}, by="olga")
    add_entries(
        league.pk,
        "late",
        [NewEntry(["anna", "cleo"], name="Aces"), NewEntry(["eva", "gus"], name="kowalska")],
        by="olga",
    )
    assert ("competition", 3) in [(stored.noun, stored.number) for stored in preview_erasure(player_of("anna")).stored]
    assert [entry["competition"] for entry in serialize_person(player_of("anna"))["leagues"][0]["competitions"]] == [
        "cup", "pairs", "late",
    ]  # fmt: skip
    erased = erase_player(player_of("anna"), username="olga", parts=True).player
    names = Entry.objects.filter(competition__slug="late").order_by("number").values_list("name", flat=True)
    assert "kowalska" not in every_text().replace("anna's", "")
    assert (names[1], "anna" in names[0].casefold()) == ("Aces", False)
    assert Entry.objects.get(competition__slug="cup", number=2).players.get().player == erased
    assert verify_league(league.pk).state == "is right"


def test_erasing_a_text_of_the_log_leaves_the_names_of_sides_and_empties_reasons() -> None:
    league = league_of()
    cancelled = league.log.get(kind="competition.cancelled")
    erase_text(league.pk, cancelled.position, username="olga")
    named = league.log.filter(kind="entry.added", payload__contains="sealed").latest("position")
    erase_text(league.pk, named.position, username="olga")
    assert Entry.objects.get(competition__slug="pairs", number=3).name == "The Bens"
    assert verify_league(league.pk).state == "is right"


def test_a_league_with_a_competition_is_not_deleted() -> None:
    league = make_league(slug="empty", players=())
    make_competition(league)
    with pytest.raises(Refused, match="competitions"):
        delete_league(league.pk, username="olga")
    assert Competition.objects.filter(league=league).exists()
