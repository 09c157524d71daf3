"""Games that are sent together: each is checked as if it came alone, then all are written and rated at once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np
from django.conf import settings
from django.db import transaction

from league.core.db.bulk import refresh_statistics
from league.core.db.statements import execute_query, format_select_list, make_objects
from league.core.errors import Conflict, Invalid, Refused
from league.core.fields.selectors.fields import load_fields
from league.core.games.selectors.games import find_by_external_ids, get_game_status
from league.core.games.services.attaching import (
    Attachment,
    GameAttacher,
    attach_games,
    build_attacher,
    find_attachment,
    may_attach,
)
from league.core.games.services.computed_results import compute_results, refuse_computed_details
from league.core.games.services.declared_values import store_values
from league.core.games.services.game_columns import Facts, GameColumns, NamedPlayer
from league.core.games.services.game_files import ReadGame
from league.core.games.services.game_input import (
    NewGame,
    NewResult,
    check_form,
    check_sheet,
    check_time,
)
from league.core.games.services.record import (
    RecordedGame,
    SeatedPlayers,
    find_known_game,
    find_seats,
    list_seated_players,
)
from league.core.games.services.resolve_players import find_sheet_players
from league.core.locking import locked
from league.core.players.services.add_players import log_added_players
from league.core.replay.services.history import Position
from league.core.replay.services.inline import catch_up
from league.core.rules.selectors.rules import find_rules_rating, load_rules
from league.models import Game, League, Player, RatingChange, Result

MAX_GAMES = settings.RUNGS_LIMITS["batch_games"]
#: PostgreSQL's planner is told how a league has grown at so many games, and whenever they have doubled since: of a
#: league that it takes for empty it would compare all games with all external_ids.
GROWTH = 500
#: What is shown of a line of the history.
FIGURES = ("before", "after", "change", "games", "performance")
#: Why a game is refused, which leaves the others alone; trouble of the database ends the whole batch.
Refusal = Invalid | Refused | Conflict
#: FIGURES of a line.
Figures = Sequence[Any]
UNRATED: Figures = (None,) * len(FIGURES)


@dataclass(frozen=True, slots=True)
class New:
    """A game that was recorded with others, as it stands; ``lines`` in seat order."""

    game: Game
    status: str
    lines: Sequence[tuple[Player, NewResult, Figures]]


Outcome = New | RecordedGame | Refusal


@locked
def record_together(league: League, now: datetime, games: Sequence[NewGame], *, username: str) -> list[Outcome]:
    """Record the games of one sender in the order sent, in one transaction; returns what became of each.

    Raises Busy or what else is the database's; then nothing was written.
    """
    return Together(league, now, username).record(games)


class Together:
    """Games on their way into the data of a league, which must be locked."""

    def __init__(self, league: League, now: datetime, by: str) -> None:
        self.league, self.now, self.by = league, now, by
        self.rules, self.fields = load_rules(league), load_fields(league)
        self.borne: set[str | None] = set()
        """The external_ids that stand in the books, or wait."""
        self.waiting: list[tuple[NewGame, SeatedPlayers]] = []
        """Games that are checked and not written yet."""
        self.written: list[tuple[NewGame, SeatedPlayers]] = []
        self.rated: list[Position] = []
        self.attacher: GameAttacher | None = None
        self.attached: dict[int, Attachment] = {}
        """Number -> what a game is for that waits to be written."""

    def record(self, games: Sequence[NewGame]) -> list[Outcome]:
        """Record games in this order; returns what became of each."""
        last_number = self.league.last_number
        self.look_up(games)
        if any(may_attach(self.league, new) for new in games):
            self.attacher = build_attacher(self.league, self.now, self.by, many=True)
        outcomes = [self.number_or_refusal(new) for new in games]
        self.write()
        if self.rated:
            catch_up(self.league, min(self.rated), new_count=len(self.rated))
        if (last_number // GROWTH).bit_length() < (self.league.last_number // GROWTH).bit_length():
            refresh_statistics(Game, Result, RatingChange)
        written_by_number = {new.game.number: new for new in self.stand(last_number)}
        return [written_by_number[outcome] if isinstance(outcome, int) else outcome for outcome in outcomes]

    def stand(self, before: int) -> Iterator[New]:
        """Yield the games that were written, as they stand now; only what the database alone knows is read."""
        league, first = self.league, min(self.rated, default=None)
        change_values: Iterator[Figures] = iter(())
        if first is not None and league.stale_from is None:
            rows = RatingChange.objects.filter(league=league, step=1, at__gte=first[0], number__gt=before)
            change_values = rows.order_by("number", "seat").values_list(*FIGURES).iterator()
        columns = format_select_list(Game, "g")
        sql = f"SELECT {columns} FROM league_game g WHERE g.league_id = %s AND g.number > %s ORDER BY g.number"  # noqa: S608 -- own names
        games = make_objects(Game, execute_query(sql, [league.pk, before]))
        for game, (sheet, seats) in zip(games, self.written, strict=True):
            status = get_game_status(league, game)
            lines = [
                (player, line, next(change_values) if status == "rated" else UNRATED)
                for line, player in zip(sheet.results, seats.players, strict=True)
            ]
            yield New(game, status, lines)

    def look_up(self, games: Sequence[NewGame]) -> None:
        """Find the players and the external_ids of the games that are known already, all at once."""
        texts = list({line.player for game in games for line in game.results})
        self.table = find_sheet_players(self.league, texts, games[0].viewer if games else None)
        names = {game.external_id for game in games if game.external_id is not None}
        self.borne |= {game.external_id for game in find_by_external_ids(self.league, list(names))} if names else set()

    def number_or_refusal(self, new: NewGame) -> int | Outcome:
        """Return the number that a game gets, or why it gets none: as if it came alone."""
        try:
            check_form(new)
            refuse_computed_details(new)
            new = store_values(self.league, new, self.now, self.fields)
            # Players who are added for a game before take no name that a text of the table has.
            seats = [self.table.seats[line.player] for line in new.results if line.player in self.table.seats]
            if new.external_id in self.borne or len(seats) < len(new.results):
                return self.asked(new)
            return self.checked(new, list_seated_players(seats, self.table))
        except (Invalid, Refused, Conflict) as error:
            return error

    def asked(self, new: NewGame) -> int | RecordedGame:
        """Return the number that a game gets whose players or external_id may be those of the games before it."""
        self.write()
        with transaction.atomic():
            seats = find_seats(self.league, new)
            existing = find_known_game(self.league, new, seats.players)
            return self.checked(new, seats) if existing is None else RecordedGame(existing, created=False)

    def checked(self, new: NewGame, seats: SeatedPlayers) -> int:
        """Check a sheet and have it wait to be written; returns its number."""
        sheet = compute_results(self.league, new, self.now)
        attachment = find_attachment(self.attacher, self.league, sheet, seats.players)
        if attachment is not None:
            sheet = replace(sheet, kind=attachment.kind)
        played_at = sheet.played_at or self.now
        if sheet.played_at is None:
            sheet = replace(sheet, played_at=played_at)
        check_time(played_at, self.now, self.rules)
        check_sheet(sheet, find_rules_rating(self.rules, played_at), seats.players)
        log_added_players(self.league, self.now, self.by, seats.added)
        self.waiting.append((sheet, seats))
        number = self.league.last_number + len(self.waiting)
        if self.attacher is not None and attachment is not None:
            self.attacher.taken.add(attachment.number)
            self.attached[number] = attachment
        if sheet.external_id is not None:
            self.borne.add(sheet.external_id)
        if sheet.kind == Game.Kind.PLAYED:
            self.rated.append((played_at, number))
        return number

    def write(self) -> None:
        """Write the games that wait."""
        if not self.waiting:
            return
        games, players = GameColumns(self.league, self.rules, self.now), dict[int, NamedPlayer]()
        for sheet, seats in self.waiting:
            entry = ReadGame(sheet, (), whole=True)
            places = games.seats(entry)
            games.put(entry, places)
            players |= {
                place: NamedPlayer.by(player, seats.named.get(player.pk))
                for place, player in zip(places, seats.players, strict=True)
                if place not in players
            }
        self.written += self.waiting
        self.waiting.clear()
        facts = Facts(self.league, self.now, self.by, games, [players[place] for place in range(len(players))])
        facts.write(np.arange(len(games)), games.columns())
        if self.attacher is not None and self.attached:
            attach_games(self.attacher, self.attached, self.league, self.now, self.by)
            self.attached.clear()
