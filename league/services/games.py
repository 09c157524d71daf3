"""The one door: recording, voiding and correcting a game.

How a game flows (the numbers stand in the code, too):
1 well-formed? 2 lock the league and freeze one now; 3 a known external_id answers the game that is
there; 4 the league's system checks the sheet; 5 take the next number; 6 write the facts and the log; 7 rate it
in the same transaction, or replay from where it belongs.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from league.errors import Conflict, Invalid, NotFound, Problem, Refused
from league.models import Game, InitialRating, League, LogEntry, Player, Rating, RatingChange, Result, Rule
from league.names import key_of
from league.selectors.players import spellings
from league.selectors.rules import rule_at, rules_of, system_of
from league.services import entries, log
from league.services.books import with_books
from league.services.history import Place
from league.services.periods import update_ladders
from league.services.players import create_unknown
from league.services.recompute import start_of
from league.services.replay import Entry, States, catch_up, rate_entries
from league.services.sheets import NewGame, check_form, check_sheet, check_time, same_content, unsigned
from league.services.standings import refresh_ratings, update_ratings
from ratings.system import RatingSystem

REASON_LENGTH = 500
#: Looks at a game under the lock and raises where it is not as its reader saw it.
Expectation = Callable[[League, Game], None]


@dataclass(frozen=True)
class Recorded:
    """A game in the books; ``created`` is False where it was there already."""

    game: Game
    created: bool


def record_game(league_id: int, new: NewGame, *, by: str) -> Recorded:
    """Record one game and rate it, all in one transaction.

    Raises Invalid (not well-formed), Refused (the league's rules, with seat or field), Conflict (the
    external_id stands for another game) or Busy; then nothing was written.
    """
    check_form(new)  # 1

    def work(league: League, now: datetime) -> Recorded:  # 2
        seats = seated(new)
        known = known_game(league, new, seats.players)  # 3
        if known is not None:
            return Recorded(known, created=False)
        game = write_game(league, new, seats, now, by)  # 4, 5, 6
        bring_up_to_date(league, game)  # 7
        return Recorded(game, created=True)

    return with_books(league_id, work)


def void_game(league_id: int, number: int, *, reason: str, by: str, expect: Expectation | None = None) -> Game:
    """Void a game: it stays readable and is rated no more. Raises NotFound, Conflict or Invalid.

    ``expect`` sees the game under the lock, before anything is written, and may raise.
    """
    reason = checked_reason(reason)

    def work(league: League, now: datetime) -> Game:
        game = live_game(league, number, expect)
        mark_void(game, now, reason, by)
        log.append(league, now, by, LogEntry.Kind.GAME_VOIDED, entries.of_void(game))
        catch_up(league, (game.played_at, game.number))
        return game

    return with_books(league_id, work)


def correct_game(
    league_id: int, number: int, new: NewGame, *, reason: str, by: str, expect: Expectation | None = None
) -> Recorded:
    """Replace a game by a corrected one: void the old, record the new, replay from the earlier of both.

    What the correction leaves out of time and external_id it takes from the game that it replaces.
    ``expect`` sees the old game under the lock, before anything is written, and may raise.
    """
    check_form(new)
    reason = checked_reason(reason)

    def work(league: League, now: datetime) -> Recorded:
        old = live_game(league, number, expect)
        corrected = replace(
            new, played_at=new.played_at or old.played_at, external_id=new.external_id or old.external_id
        )
        seats = seated(corrected).as_in(old)
        refuse_borne(league, old, corrected.external_id)
        mark_void(old, now, reason, by)
        game = write_game(league, corrected, seats, now, by, replaces=old)
        catch_up(league, min((old.played_at, old.number), (game.played_at, game.number)))
        return Recorded(game, created=True)

    return with_books(league_id, work)


def checked_reason(reason: str) -> str:
    """Return the reason for a void or correction; raises Invalid where there is none."""
    reason = reason.strip()
    if not reason:
        raise Invalid.of([Problem("/reason", "missing", "Say why: a void or corrected game keeps its reason.")])
    if len(reason) > REASON_LENGTH or "\0" in reason:
        raise Invalid.of([Problem("/reason", "too_long", f"A reason has at most {REASON_LENGTH} characters.")])
    return reason


@dataclass(frozen=True)
class Seated:
    """Who sits in a game: the players in seat order."""

    players: list[Player]
    named: Mapping[int, Player]
    """Player id -> whom the sheet named, where that one was merged into the player."""
    added: Sequence[str]
    """Handles of those who were added to the site for this game."""

    def as_in(self, game: Game) -> "Seated":
        """Return the same, merged players named as a game named them: correcting a score names nobody else."""
        lines = game.results.filter(recorded_as__isnull=False).select_related("recorded_as")
        there = {line.player_id: line.recorded_as for line in lines if line.recorded_as is not None}
        return replace(self, named={**there, **self.named})


def seated(new: NewGame) -> Seated:
    """Find the players of a sheet, or add them; raises Refused naming each one who is unknown."""
    names = [result.player for result in new.results]
    found = spellings(names)
    unknown = [name for name in names if key_of(name) not in found]
    if unknown and not new.create_players:
        problems = [
            Problem(f"/results/{seat}/player", "unknown_player", f"Seat {seat + 1}: there is no player “{name}”.")
            for seat, name in enumerate(names)
            if key_of(name) not in found
        ]
        raise Refused.of(problems)
    players = {key: alias.player for key, alias in found.items()}
    added: list[str] = []
    if unknown:
        players |= create_unknown(names, added)
    named = {alias.player_id: alias.recorded_as for alias in found.values() if alias.recorded_as is not None}
    return Seated([players[key_of(name)] for name in names], named, added)


def known_game(league: League, new: NewGame, players: Sequence[Player]) -> Game | None:
    """Return the game that this external_id stands for already; raises Conflict where it differs."""
    if new.external_id is None:
        return None
    games = league.games.filter(external_id=new.external_id).order_by("-number")
    for game in games:
        if same_content(game, new, players):
            return game
    if games:
        sentence = f"external_id “{new.external_id}” stands for game {games[0].number} with other content."
        raise Conflict.of([Problem("/external_id", "conflict", sentence)])
    return None


def refuse_borne(league: League, old: Game, external_id: str | None) -> None:
    """Raise Conflict where another game than the one to be replaced bears this external_id."""
    if external_id is None:
        return
    other = league.games.filter(external_id=external_id, voided_at__isnull=True).exclude(pk=old.pk).first()
    if other is not None:
        sentence = f"external_id “{external_id}” stands for game {other.number}; leave it out to keep the game's own."
        raise Conflict.of([Problem("/external_id", "conflict", sentence)])


def live_game(league: League, number: int, expect: Expectation | None) -> Game:
    """Return a game that is not void and is as somebody expects it; raises NotFound or Conflict."""
    game = league.games.filter(number=number).first()
    if game is None:
        raise NotFound(f"The league has no game {number}.")
    if expect is not None:
        expect(league, game)
    if game.voided_at is not None:
        raise Conflict(f"Game {number} is void already.")
    return game


def mark_void(game: Game, now: datetime, reason: str, by: str) -> None:
    """Write that a game is void; every other field of it stays as it was recorded."""
    game.voided_at, game.void_reason, game.voided_by = now, reason, by
    game.save(update_fields=["voided_at", "void_reason", "voided_by"])


def write_game(
    league: League, new: NewGame, seats: Seated, now: datetime, by: str, replaces: Game | None = None
) -> Game:
    """Check the sheet against the rule in force and write facts and log; the league must be locked.

    The league's ``last_number`` is written with the entry of the log.
    """
    played_at = new.played_at or now
    check_sheet(new, check_time(played_at, now, rules_of(league)), seats.players)
    league.last_number += 1
    game = Game.objects.create(
        league=league,
        number=league.last_number,
        played_at=played_at,
        kind=new.kind,
        external_id=new.external_id,
        details={key: unsigned(value) for key, value in new.details.items()},
        note=new.note,
        recorded_at=now,
        recorded_by=by,
        replaces=replaces,
    )
    lines = written_results(game, new, seats)
    log_game(league, game, lines, seats.added)
    return game


def written_results(game: Game, new: NewGame, seats: Seated) -> list[Result]:
    """Write the lines of a game in seat order; returns them."""
    lines = zip(seats.players, new.results, strict=True)
    return Result.objects.bulk_create(
        Result(
            game=game,
            seat=seat,
            player=player,
            score=unsigned(result.score),
            place=result.place,
            recorded_as=seats.named.get(player.pk),
        )
        for seat, (player, result) in enumerate(lines, start=1)
    )


def log_game(league: League, game: Game, lines: Sequence[Result], added: Sequence[str]) -> None:
    """Append a game that was recorded, or that replaces another one, to the log; before it the players added for it."""
    at, by = game.recorded_at, game.recorded_by
    for handle in added:
        log.append(league, at, by, LogEntry.Kind.PLAYER_CREATED, {"player": handle})
    told = entries.lines_of(lines)
    if game.replaces is None:
        log.append(league, at, by, LogEntry.Kind.GAME_RECORDED, entries.of_game(game, told))
    else:
        log.append(league, at, by, LogEntry.Kind.GAME_CORRECTED, entries.of_correction(game.replaces, game, told))


def bring_up_to_date(league: League, game: Game) -> None:
    """Rate a new game: at once where it is the newest, else by a replay from where it belongs."""
    if game.kind != Game.Kind.PLAYED:
        return
    newest = newest_place(league)
    if league.stale_from is None and (newest is None or newest < (game.played_at, game.number)):
        rate_newest(league, game, newest)
    else:
        catch_up(league, (game.played_at, game.number))


def newest_place(league: League) -> Place | None:
    """Return the place of the last rated game in the order."""
    changes = RatingChange.objects.filter(league=league).order_by("-at", "-number")
    return changes.values_list("at", "number").first()


def rate_newest(league: League, game: Game, newest: Place | None) -> None:
    """Rate the newest game from the players' current state, and bring their ratings up to date."""
    rules = rules_of(league)
    rule = rule_at(rules, game.played_at)
    assert rule is not None, "the sheet was checked against this rule"
    system = system_of(rule)
    results = list(game.results.order_by("seat").values_list("player_id", "score", "place", "seat"))
    players = [line[0] for line in results]
    states = current_states(league, system, rules, players)
    rate_entries(league, system, [Entry(game.pk, game.number, game.played_at, game.details, results)], states)
    if newest is not None and rule_at(rules, newest[0]) != rule:
        # A new rule may show everybody's rating differently.
        refresh_ratings(league)
    else:
        games = {player: int(states.pool.games[index]) for player, index in states.position.items()}
        update_ratings(league, system, games, states.pool.shift)
    update_ladders(league, system, game.played_at, players)


def current_states(league: League, system: RatingSystem, rules: Sequence[Rule], players: Sequence[int]) -> States:
    """Return the current state of a few players, and the pool's shift where the system has one."""
    width = len(system.state)
    states = States(width, players)
    pool = states.pool
    current = {rating.player_id: rating for rating in Rating.objects.filter(league=league, player__in=players)}
    starts = dict(InitialRating.objects.filter(league=league, player__in=players).values_list("player_id", "rating"))
    for player, index in states.position.items():
        rating = current.get(player)
        if rating is None:
            pool.values[index] = start_of(system_of(rules[0]), starts.get(player))
            continue
        pool.values[index] = [rating.settled, rating.state_1, rating.state_2, rating.state_3][:width]
        pool.games[index], pool.shift_at[index] = rating.games, rating.shift
    newest = RatingChange.objects.filter(league=league).order_by("-at", "-number", "-step")
    pool.shift = newest.values_list("shift", flat=True).first() or 0.0
    if system.moves_everybody():
        pool.others = Rating.objects.filter(league=league).count() - len(current)
    return states
