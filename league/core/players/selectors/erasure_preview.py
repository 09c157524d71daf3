"""A preview of erasing a person: what would be removed and what would stay."""

from dataclasses import dataclass

from league.core.capabilities import load_declared
from league.core.players.erasers import StoredCount
from league.core.players.name_redaction import NameWords
from league.core.players.selectors.aliases import build_name_words, find_editions_with_names, load_with_merged
from league.core.players.selectors.person import find_leagues_naming
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
    players = load_with_merged(player)
    leagues = find_leagues_naming(players)
    name_words = build_name_words(players, parts=True)
    texts = [text for league in leagues for text in list_texts_with_names(league, name_words)]
    return ErasurePreview(
        leagues,
        [text for text in texts if name_words.name_in(text.text)],
        [text for text in texts if not name_words.name_in(text.text)],
        find_editions_with_names(players).count(),
        [count for eraser in load_declared(lambda app: app.data.eraser) for count in eraser.count_stored(players)],
    )


def list_texts_with_names(league: League, name_words: NameWords) -> list[WrittenText]:
    """Return the notes and reasons of a league that contain one of the names, or a part of one."""
    rows = LogText.objects.filter(league=league, erased_at=None).order_by("position", "pk")
    texts = rows.values_list("position", "text").iterator()
    return [WrittenText(league, position, text) for position, text in texts if name_words.written.name_in(text)]
