"""What would go if a person were forgotten, and what would stay: counted and told before it is done."""

from dataclasses import dataclass

from league.core.capabilities import load_declared
from league.core.players.erasers import StoredCount
from league.core.players.name_redaction import NameWords
from league.core.players.selectors.aliases import editions_naming, with_merged, words_of
from league.core.players.selectors.person import leagues_of
from league.models import League, LogText, Player


@dataclass(frozen=True)
class WrittenText:
    """A note or a reason, and the entry of the log that it belongs to."""

    league: League
    position: int
    text: str


@dataclass(frozen=True)
class ErasurePreview:
    """What forgetting a person would do."""

    leagues: list[League]
    texts: list[WrittenText]
    """Notes and reasons in which one of their names stands."""
    parts: list[WrittenText]
    """Those in which only a part of a name stands, which may be somebody else's: they stay where nobody wants more."""
    editions: int
    stored: list[StoredCount]
    """What capabilities have of them."""


def what_goes(player: Player) -> ErasurePreview:
    """Return what forgetting a person, with all who were merged into them, would do."""
    people = with_merged(player)
    leagues = leagues_of(people)
    words = words_of(people, parts=True)
    written = [one for league in leagues for one in naming_texts(league, words)]
    return ErasurePreview(
        leagues,
        [one for one in written if words.name_in(one.text)],
        [one for one in written if not words.name_in(one.text)],
        editions_naming(people).count(),
        [count for eraser in load_declared("erasers") for count in eraser.count_stored(people)],
    )


def naming_texts(league: League, words: NameWords) -> list[WrittenText]:
    """Return the notes and reasons of a league in which a name of theirs stands, or a part of one."""
    rows = LogText.objects.filter(league=league, erased_at=None).order_by("position", "pk")
    there = rows.values_list("position", "text").iterator()
    return [WrittenText(league, position, text) for position, text in there if words.written.name_in(text)]
