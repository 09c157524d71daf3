"""Swiss systems in which an arbiter changes by hand whatever can be changed, drawn at random."""

from contextlib import suppress
from random import Random
from typing import Any

from league.apps.competitions.services.competitions import change_competition
from league.apps.competitions.services.entries import NewEntry, add_entries, change_entry
from league.apps.competitions.services.exchange_numbers import exchange_numbers
from league.apps.competitions.services.fixtures import change_fixture
from league.apps.competitions.services.manual_pairing import make_round_by_hand
from league.apps.competitions.services.results import forfeit_fixture, record_result
from league.apps.competitions.services.rounds import (
    NewFixture,
    NewRound,
    add_fixtures,
    make_round,
    publish_round,
    undo_round,
)
from league.core.errors import RungsError
from league.core.games.services.record import correct_game, void_game
from league.models import League
from tests.helpers.builders import make_league, make_players, sheet
from tests.helpers.running_competitions import loaded_cup, run_competition, scores

#: Rounds are paired while results are missing.
CONFIRMED = ("no_result",)
RESULTS = ((1, 0), (0, 1), (0.5, 0.5), (1, 0), (0, 1), (0, 0), (0.5, 0))


class ChangedCompetition:
    """A competition of single players, round by round; what the rules refuse is left out."""

    def __init__(self, seed: int, players: int = 9, rounds: int = 5) -> None:
        self.random, self.rounds = Random(seed), rounds
        self.handles = [f"p{number}" for number in range(1, players + 1)]
        self.league: League = make_league(players=self.handles, game="Chess")
        colour = self.random.choice(("lot", "white", "black"))
        parameters = {"first_colour": colour, "acceleration": self.random.choice(("none", "baku"))}
        run_competition(self.league, self.handles, rounds=rounds, parameters=parameters, tie_breaks=["BH/C1", "SB"])
        # The seed draws the colours, too.
        self.key = self.league.pk

    def play(self) -> None:
        """Play all rounds, with changes between them, and end the games that are still adjourned."""
        for number in range(1, self.rounds + 1):
            try:
                self._make_round(number)
            except RungsError:
                break
            self._enter_results(number)
            for _change in range(self.random.randrange(3)):
                with suppress(RungsError):
                    self.random.choice((self._correct, self._decide, self._add_points, self._resume))()
        for state in loaded_cup(self.league).fixtures:
            if state.adjourned:
                self._record(state.number)
        for change in (self._report, self._correct, self._expel):
            with suppress(RungsError):
                change()

    def _chance(self, share: float) -> bool:
        return self.random.random() < share

    def _make_round(self, number: int) -> None:
        if self._chance(0.3):
            make_round_by_hand(self.key, "cup", NewRound("olga", confirmed=CONFIRMED))
            present = [entry for entry in loaded_cup(self.league).entries if not self._chance(0.1)]
            self.random.shuffle(present)
            pairs = [NewFixture([*pair], number) for pair in zip(present[::2], present[1::2], strict=False)]
            if len(present) % 2:
                pairs.append(NewFixture([present[-1]], number, "pairing_bye"))
            add_fixtures(self.key, "cup", pairs, by="olga")
        else:
            make_round(self.key, "cup", by="olga", confirmed=CONFIRMED)
            if self._chance(0.2):
                self._exchange(number)
                undo_round(self.key, "cup", number, by="olga")
                make_round(self.key, "cup", by="olga", confirmed=CONFIRMED)
        if self._chance(0.5):
            self._exchange(number)
        publish_round(self.key, "cup", number, by="olga")
        if self._chance(0.3):
            self._exchange(number)
        if self._chance(0.15):
            one = self.random.choice(loaded_cup(self.league).list_fixtures(number))
            change_fixture(self.key, one.number, {"cancelled": True}, by="olga", reason="Illness.")

    def _exchange(self, number: int) -> None:
        fixtures = [one for one in loaded_cup(self.league).list_fixtures(number) if one.status != "cancelled"]
        one, other = self.random.sample(fixtures, 2)
        entries = [*one.entries]
        if self._chance(0.3):
            entries.reverse()
        else:
            entries[self.random.randrange(len(entries))] = self.random.choice(other.entries)
        with suppress(RungsError):
            change_fixture(self.key, one.number, {"entries": entries}, by="olga", reason="By hand.")

    def _enter_results(self, number: int) -> None:
        for state in loaded_cup(self.league).list_fixtures(number):
            if state.status != "planned":
                continue
            if number < self.rounds and self._chance(0.15):
                # Half of them are adjourned by the pairing of the next round.
                if self._chance(0.5):
                    change_fixture(self.key, state.number, {"adjourned": True}, by="olga")
            elif self._chance(0.1):
                forfeit_fixture(self.key, state.number, [self.random.choice(state.entries)], "no_show", by="olga")
            else:
                self._record(state.number)

    def _record(self, number: int) -> None:
        record_result(self.key, number, scores(*self.random.choice(RESULTS)), by="olga")

    def _choose(self, *statuses: str) -> Any:
        found = [one for one in loaded_cup(self.league).fixtures if one.status in statuses and len(one.entries) == 2]
        return self.random.choice(found)

    def _correct(self) -> None:
        state = self._choose("played", "forfeited")
        if self._chance(0.4):
            void_game(self.key, state.game.number, reason="Misread.", username="olga")
            self._record(state.number)
            return
        players = [self.handles[entry - 1] for entry in state.entries]
        result = self.random.choice(RESULTS)
        if self._chance(0.3):
            players, result = players[::-1], result[::-1]
        correct_game(self.key, state.game.number, sheet(players, result), reason="Misread.", username="olga")

    def _decide(self) -> None:
        points = self.random.choice(([0.5, 0], [1, None], [None, None], [0, 0]))
        change_fixture(self.key, self._choose("played").number, {"points": points}, by="olga", reason="A telephone.")

    def _add_points(self) -> None:
        entry = self.random.choice(list(loaded_cup(self.league).entries))
        last = max(loaded_cup(self.league).rounds)
        one = {"round": self.random.randint(1, last), "points": self.random.choice(("-1", "0.5")), "reason": "Late."}
        change_entry(self.key, "cup", entry, {"added_points": [one] * self._chance(0.8)}, by="olga")

    def _resume(self) -> None:
        for state in loaded_cup(self.league).fixtures:
            if state.adjourned:
                self._record(state.number)
                return

    def _report(self) -> None:
        text = self.random.choice(("1-0", "=-=", "0-1", "0-0"))
        number = self._choose("played").number
        change_fixture(self.key, number, {"reported": text}, by="olga", reason="Found later.")

    def _expel(self) -> None:
        entry = self.random.choice(list(loaded_cup(self.league).entries))
        change_entry(self.key, "cup", entry, {"expelled": True}, by="olga")
        if self._chance(0.3):
            change_competition(self.key, "cup", {"points": {"win": 3, "draw": 1, "pairing_bye": 3}}, by="olga")


class ChangedNumbers(ChangedCompetition):
    """Such a competition with late entries and exchanges of numbers; ``order``: the entries as they should be."""

    def __init__(self, seed: int, players: int = 8, rounds: int = 6) -> None:
        super().__init__(seed, players, rounds)
        make_players([f"p{number}" for number in range(players + 1, 20)])
        self.ratings = {number: 2000 - 20 * number for number in range(1, players + 1)}
        self.order = [*self.ratings]
        for number, rating in self.ratings.items():
            change_entry(self.key, "cup", number, {"rating": rating}, by="olga")

    def play_until(self, last: int) -> None:
        """Play some rounds without changes of results, and end the games that are still adjourned."""
        for number in range(1, last + 1):
            self._make_round(number)
            self._enter_results(number)
        for state in loaded_cup(self.league).fixtures:
            if state.adjourned:
                self._record(state.number)

    def _make_round(self, number: int) -> None:
        # As many rounds are made as were before this one.
        for _entry in range(self.random.choice((0, 1, 1, 2))):
            self._enter_late(is_fixed=number > 4)
        if self._chance(0.5) and number <= 4:
            one, other = self.random.sample(self.order, 2)
            exchange_numbers(self.key, "cup", [one, other], by="olga", reason="Mistyped.")
            first, second = map(self.order.index, (one, other))
            self.order[first], self.order[second] = other, one
        super()._make_round(number)

    def _enter_late(self, *, is_fixed: bool) -> None:
        number, rating = len(self.order) + 1, self.random.randrange(1700, 2100)
        handle = f"p{number}"
        add_entries(self.key, "cup", [NewEntry([handle], rating=rating)], by="olga")
        # Among equal ratings the names decide.
        places = [(-self.ratings[one], f"p{one}") for one in self.order]
        behind = (at for at, place in enumerate(places) if place > (-rating, handle))
        self.order.insert(len(self.order) if is_fixed else next(behind, len(self.order)), number)
        self.ratings[number] = rating
        self.handles.append(handle)
