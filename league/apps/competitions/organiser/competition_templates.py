"""Templates of competitions: usual settings for what a club plays."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_noop

from league.apps.competitions.models import Competition
from league.apps.competitions.services.setting_rules import has_setting
from ratings.contract.system import RatingSystem


@dataclass(frozen=True)
class CompetitionTemplate:
    """A template: its title and summary for organisers, its format, and settings that differ from the defaults.

    ``asks_rounds``, ``asks_size``, ``asks_last_day``: whether the organiser chooses the number of rounds, the size of a
    table, and the day until which games are played.
    """

    key: str
    title: str
    summary: str
    settings: Mapping[str, Any]
    asks_size: bool = False
    asks_last_day: bool = False

    @property
    def asks_rounds(self) -> bool:
        """Whether the organiser chooses the number of rounds."""
        return "rounds" in self.settings

    def asks(self, name: str) -> bool:
        """Return whether the form asks for a field."""
        own = {
            "rounds": self.asks_rounds,
            "size": self.asks_size,
            "until": self.asks_last_day,
            "turns": self.settings["format"] == "round_robin",
        }
        return own[name] if name in own else has_setting(self.settings["format"], name)

    def fits(self, system: RatingSystem) -> bool:
        """Return whether the league's system rates games of this size."""
        if self.asks_size:
            return system.max_players >= SMALLEST_TABLE and system.min_players <= LARGEST_TABLE
        return system.min_players <= 2


SMALLEST_TABLE, LARGEST_TABLE = 3, 7
TEMPLATES: dict[str, CompetitionTemplate] = {
    template.key: template
    for template in (
        CompetitionTemplate(
            "round_robin",
            gettext_noop("Evening round robin"),
            gettext_noop("Everyone meets everyone. All rounds are made at the start."),
            {"format": "round_robin"},
        ),
        CompetitionTemplate(
            "swiss",
            gettext_noop("Club Swiss"),
            gettext_noop("A number of rounds; each round you meet someone with the same points, nobody twice."),
            {"format": "swiss", "rounds": 5},
        ),
        CompetitionTemplate(
            "cup",
            gettext_noop("Cup"),
            gettext_noop("The winner of each match goes on. There is a match for the third place."),
            {"format": "knockout", "parameters": {"third_place": "yes"}},
        ),
        CompetitionTemplate(
            "double_cup",
            gettext_noop("Cup with a second chance"),
            gettext_noop("Whoever loses goes on in a second bracket, and leaves after the second loss."),
            {"format": "double_knockout"},
        ),
        CompetitionTemplate(
            "tables",
            gettext_noop("Tables of three to seven"),
            gettext_noop("A number of rounds with new opponents each time; places give points."),
            {"format": "tables", "rounds": 3},
            asks_size=True,
        ),
        CompetitionTemplate(
            "months",
            gettext_noop("Fixtures over months"),
            gettext_noop("Everyone meets everyone until a day; they agree on dates, and you decide about late games."),
            {"format": "round_robin", "deadline_action": Competition.DeadlineAction.ASK.value},
            asks_last_day=True,
        ),
        CompetitionTemplate(
            "free",
            gettext_noop("Free fixtures"),
            gettext_noop("You enter who meets whom, with dates and deadlines."),
            {"format": "free", "deadline_action": Competition.DeadlineAction.ASK.value},
        ),
    )
}
