"""What a round robin breaks that was changed by hand: everyone meets everyone as often, with colours that balance."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations

from django.utils.translation import gettext as _

from league.apps.competitions.selectors.competition_data import LoadedCompetition
from league.apps.competitions.selectors.pairing_checks import Breach
from ratings.pairing_formats.round_robin import RoundRobin

#: How often an entry may have one colour more than the other: an odd number of games has one left over.
MAX_DIFFERENCE = 1


def find_table_breaches(loaded: LoadedCompetition) -> Iterator[Breach]:
    """Yield who meets too often, who does not meet, and whose colours do not balance; none of other formats."""
    if loaded.competition.format != RoundRobin.key:
        return
    games = [one.entries for one in loaded.fixtures if one.kind == "game" and one.status != "cancelled"]
    meetings = Counter(frozenset(entries) for entries in games)
    turns = 2 if loaded.competition.parameters.get("turns") == "double" else 1
    for one, other in combinations(sorted(loaded.entries), 2):
        count = meetings[frozenset((one, other))]
        names = {"one": loaded.name(one), "other": loaded.name(other), "count": count, "turns": turns}
        if count > turns:
            template = _("{one} and {other} meet {count} times instead of {turns}.")
            yield Breach((), template.format(**names), "rematch")
        elif count < turns:
            template = _("{one} and {other} meet {count} times instead of {turns}.")
            yield Breach((), template.format(**names), "no_meeting")
    whites, blacks = (Counter(entries[seat] for entries in games) for seat in (0, -1))
    for entry in sorted(loaded.entries):
        if abs(whites[entry] - blacks[entry]) > MAX_DIFFERENCE:
            template = _("{entry} has White {white} times and Black {black} times.")
            sentence = template.format(entry=loaded.name(entry), white=whites[entry], black=blacks[entry])
            yield Breach((), sentence, "colour_difference")
