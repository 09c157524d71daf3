"""A preview of erasing a person: what would be removed and what would stay."""

from dataclasses import dataclass

from league.core.capabilities import load_declared
from league.core.players.erasers import StoredCount
from league.core.players.name_redaction import NameWords
from league.core.players.selectors.aliases import editions_naming, with_merged, words_of
from league.core.players.selectors.person import leagues_of
from league.models import League, LogText, Player


@dataclass(frozen=True)
class WrittenText:
    """A note or reason with its log entry."""

    league: League
    position: int
    text: str


@dataclass(frozen=True)
class ErasurePreview:
    """The effects of erasing a person."""

    leagues: list[League]
    texts: list[WrittenText]
    """Notes and reasons that contain one of their names."""
    parts: list[WrittenText]
    """Texts with only a part of a name, which may belong to someone else; they stay by default."""
    editions: int
    stored: list[StoredCount]
    """What capabilities have of them."""


def preview_erasure(player: Player) -> ErasurePreview:
    """Return the effects of erasing a person, including merged players."""
    people = with_merged(player)
    leagues = leagues_of(people)
    words = words_of(people, parts=True)
    written = [one for league in leagues for one in list_texts_with_names(league, words)]
    return ErasurePreview(
        leagues,
        [one for one in written if words.name_in(one.text)],
        [one for one in written if not words.name_in(one.text)],
        editions_naming(people).count(),
        [count for eraser in load_declared("erasers") for count in eraser.count_stored(people)],
    )


def list_texts_with_names(league: League, words: NameWords) -> list[WrittenText]:
    """Return the notes and reasons of a league that contain one of the names, or a part of one."""
    rows = LogText.objects.filter(league=league, erased_at=None).order_by("position", "pk")
    there = rows.values_list("position", "text").iterator()
    return [WrittenText(league, position, text) for position, text in there if words.written.name_in(text)]
