"""What the log says of the games of a file, written straight as canonical JSON: ``entries.of_game``, sealed.

An entry costs a game of four some microseconds here, a tenth of what the general way takes.
"""

from collections.abc import Iterator, Sequence
from math import isnan

from league.chain import canonical, instant, quoted
from league.sealing import SEALED, Text, sealed_text
from league.services.imports.columns import Batch
from league.services.imports.files import NOTHING
from league.services.log.figures import sided, weighed

#: So many scores are remembered as they are written.
MOST_NUMBERS = 100_000


class Teller:
    """Tells of games; knows how the players of a file are called."""

    def __init__(self) -> None:
        self.players: dict[int, str] = {}
        """Position among the file's names -> what stands between a result's place and its score."""
        self.numbers: dict[float, str] = {}
        self.notes: list[tuple[int, Text]] = []
        """The notes of games, by their numbers, that wait to be written beside the log."""

    def name(self, position: int, player: str, recorded_as: str | None) -> None:
        """Note what logs call a player, and whom the file names where that one was merged into the player."""
        original = "" if recorded_as is None else f',"recorded_as":{quoted(recorded_as)}'
        self.players[position] = f',"player":{quoted(player)}{original},"score":'

    def texts(self, games: Batch, positions: Sequence[int], number: int) -> Iterator[str]:
        """Yield the payloads of games that get the numbers from ``number`` on."""
        offsets, players, numbers = games.offsets, self.players, self.numbers
        for count, position in enumerate(positions, start=number):
            part = slice(offsets[position], offsets[position + 1])
            external_id, details = games.external_ids[position], games.details[position]
            name = "null" if external_id is None else quoted(external_id)
            fields = "{}" if details is NOTHING else canonical(dict(details))
            lines = [
                f'{{"place":{place or "null"}{players[player]}{numbers.get(score) or self.number(score)}}}'
                for player, score, place in zip(
                    games.players[part], games.scores[part], games.places[part], strict=True
                )
            ]
            sides = games.sides[part]
            if any(sides):
                lines = [sided(line, side) if side else line for line, side in zip(lines, sides, strict=True)]
            results = ",".join(lines)
            yield (
                f'{{"details":{fields},"external_id":{name},"kind":"{games.kinds[position]}",'
                f'"note":{self.note(games.notes[position], count)},"number":{count},'
                f'"played_at":"{instant(games.moments[position])}","results":[{results}]{weighed(games.weights[position])}}}'
            )

    def note(self, note: str, number: int) -> str:
        """Write the note of a game, sealed; it waits to be written beside the log."""
        if not note:
            return '""'
        text = sealed_text(note)
        self.notes.append((number, text))
        return f'{{"{SEALED}":"{text.sha256}"}}'

    def taken(self) -> list[tuple[int, Text]]:
        """Return the notes that wait, which wait no longer."""
        notes, self.notes = self.notes, []
        return notes

    def number(self, score: float) -> str:
        """Write a score that has not been seen, or is none (not a number)."""
        if isnan(score):
            return "null"
        text = canonical(score)
        if len(self.numbers) < MOST_NUMBERS:
            self.numbers[score] = text
        return text
