"""Which competition of a league is the event that a file describes, so that nothing is imported twice."""

from collections.abc import Collection, Iterator
from datetime import date
from typing import NamedTuple

from league.apps.competitions.models import Competition, EntryPlayer, SourceFile
from league.apps.competitions.selectors.competitions import get_zone
from league.apps.competitions.services.imported_competition import ImportedCompetition
from league.core.calendar import get_time_zone
from league.core.text.names import build_name_key
from league.models import League, Player


class ImportedEvent(NamedTuple):
    """What tells an event from others, apart from its people. Texts are folded; "" and None are not stated."""

    title: str
    place: str
    first_day: date | None

    def may_be(self, other: "ImportedEvent") -> bool:
        """Return whether nothing that both state differs."""
        pairs = ((self.place, other.place), (self.first_day, other.first_day))
        return self.title == other.title and all(not one or not two or one == two for one, two in pairs)


def describe_event(read: ImportedCompetition, time_zone: str) -> ImportedEvent:
    """Return the event of a file."""
    zone = get_time_zone(time_zone)
    times = [read.settings.get("starts_at"), *(one.starts_at for one in read.rounds)]
    times += [fixture.played_at or fixture.starts_at for one in read.rounds for fixture in one.fixtures]
    days = [time.astimezone(zone).date() for time in times if time is not None]
    days += [day for day in (read.starts_on, *(one.day for one in read.rounds)) if day is not None]
    title, place = (build_name_key(str(read.settings.get(name, ""))) for name in ("title", "venue"))
    return ImportedEvent(title, place, min(days, default=None))


def find_same_event(
    league: League, event: ImportedEvent, players: Collection[Player]
) -> Iterator[tuple[Competition, bool]]:
    """Yield the competitions of the same event and people, and whether both state their first day."""
    stored = {source.competition_id: source for source in SourceFile.objects.filter(league=league).defer("data")}
    people = {player.pk for player in players}
    for competition in Competition.objects.filter(league=league).order_by("created_at", "pk"):
        competition.league = league
        known = _describe_competition(competition, stored.get(competition.pk))
        same = next((one for one in known if one.may_be(event)), None)
        has_something = competition.pk in stored or competition.fixtures.exists()
        if same is not None and has_something and _has_same_people(competition, people):
            yield competition, (same.first_day is None) == (event.first_day is None)


def _describe_competition(competition: Competition, source: SourceFile | None) -> list[ImportedEvent]:
    """Return what the file of a competition said, and what the competition is called now."""
    starts = competition.starts_at
    day = None if starts is None else starts.astimezone(get_zone(competition)).date()
    known = [ImportedEvent(build_name_key(competition.title), build_name_key(competition.venue), day)]
    if source is not None:
        known = [
            ImportedEvent(source.title, source.place, source.first_day),
            known[0]._replace(first_day=source.first_day),
        ]
    return known


def _has_same_people(competition: Competition, people: Collection[int]) -> bool:
    """Return whether half of the smaller side are people of the other one."""
    lines = EntryPlayer.objects.filter(league=competition.league_id, competition=competition)
    entered = {line.survivor.pk for line in lines.select_related("player__merged_into")}
    return 2 * len(entered.intersection(people)) >= max(1, min(len(entered), len(people)))
