"""Log entries of competitions as sentences."""

from collections.abc import Callable

from django.utils.translation import gettext_noop, ngettext

from league.apps.competitions.log_kinds import ChangeKind
from league.web.organiser.log_sentences import Payload, make_formatter


def _describe_added_entries(payload: Payload) -> str:
    count = len(payload["entries"])
    text = ngettext("added an entry to {competition}", "added {count} entries to {competition}", count)
    return text.format(competition=payload["competition"], count=count)


def _describe_changed_entries(payload: Payload) -> str:
    entries = payload["entries"]
    text = ngettext("changed entry {entry} of {competition}", "changed {count} entries of {competition}", len(entries))
    return text.format(competition=payload["competition"], count=len(entries), entry=entries[0]["entry"])


def _describe_added_fixtures(payload: Payload) -> str:
    count = len(payload["fixtures"])
    text = ngettext("added a fixture to {competition}", "added {count} fixtures to {competition}", count)
    return text.format(competition=payload["competition"], count=count)


def _describe_changed_fixtures(payload: Payload) -> str:
    fixtures = payload["fixtures"]
    text = ngettext(
        "changed fixture {fixture} of {competition}", "changed {count} fixtures of {competition}", len(fixtures)
    )
    return text.format(competition=payload["competition"], count=len(fixtures), fixture=fixtures[0]["fixture"])


def _describe_season_entries(payload: Payload) -> str:
    count = len(payload["season_entries"])
    text = ngettext("added an entry to the season {season}", "added {count} entries to the season {season}", count)
    return text.format(season=payload["season"], count=count)


SENTENCES: dict[str, Callable[[Payload], str]] = {
    ChangeKind.COMPETITION_CREATED: make_formatter(gettext_noop("created the competition {competition}")),
    ChangeKind.COMPETITION_CHANGED: make_formatter(gettext_noop("changed the competition {competition}")),
    ChangeKind.COMPETITION_STARTED: make_formatter(gettext_noop("started the competition {competition}")),
    ChangeKind.COMPETITION_FINISHED: make_formatter(gettext_noop("finished the competition {competition}")),
    ChangeKind.COMPETITION_CANCELLED: make_formatter(gettext_noop("cancelled the competition {competition}")),
    ChangeKind.COMPETITION_REVISED: make_formatter(
        gettext_noop("published the standings of {competition} again, as edition {standings[edition]}")
    ),
    ChangeKind.ENTRY_ADDED: _describe_added_entries,
    ChangeKind.ENTRY_CHANGED: _describe_changed_entries,
    ChangeKind.ROUND_MADE: make_formatter(gettext_noop("paired round {round} of {competition}")),
    ChangeKind.ROUND_PUBLISHED: make_formatter(gettext_noop("published round {round} of {competition}")),
    ChangeKind.ROUND_UNDONE: make_formatter(gettext_noop("removed round {round} of {competition}")),
    ChangeKind.FIXTURE_ADDED: _describe_added_fixtures,
    ChangeKind.FIXTURE_CHANGED: _describe_changed_fixtures,
    ChangeKind.FIXTURE_PLAYED: make_formatter(
        gettext_noop("recorded game {game} for fixture {fixtures[0][fixture]} of {competition}")
    ),
    ChangeKind.FIXTURE_ENTERED: make_formatter(
        gettext_noop("entered a result of fixture {fixtures[0][fixture]} of {competition}, which does not count yet")
    ),
    ChangeKind.SEASON_CREATED: make_formatter(gettext_noop("created the season {season}")),
    ChangeKind.SEASON_CHANGED: make_formatter(gettext_noop("changed the season {season}")),
    ChangeKind.SEASON_ENTERED: _describe_season_entries,
    ChangeKind.SEASON_ENTRY_CHANGED: make_formatter(
        gettext_noop("changed entry {season_entries[0][entry]} of the season {season}")
    ),
    ChangeKind.SEASON_MOVED: make_formatter(
        gettext_noop("moved entry {season_entries[0][entry]} in the proposal of the season {season}")
    ),
    ChangeKind.SEASON_LINKED: make_formatter(gettext_noop("changed the competitions of the season {season}")),
    ChangeKind.SEASON_DRAWN: make_formatter(gettext_noop("drew the season {season}")),
    ChangeKind.SEASON_CLOSED: make_formatter(gettext_noop("closed the season {season}")),
    ChangeKind.SEASON_REVISED: make_formatter(
        gettext_noop("published the standings of the season {season} again, as edition {season_edition[edition]}")
    ),
    ChangeKind.SEASON_CANCELLED: make_formatter(gettext_noop("cancelled the season {season}")),
    ChangeKind.HALL_CREATED: make_formatter(gettext_noop("created the hall {hall}")),
    ChangeKind.HALL_CHANGED: make_formatter(gettext_noop("changed the hall {hall} or its evening")),
    ChangeKind.HALL_REMOVED: make_formatter(gettext_noop("removed the hall {hall}")),
    ChangeKind.FIXTURE_FORFEITED: make_formatter(
        gettext_noop("recorded the forfeit of fixture {fixtures[0][fixture]} of {competition}")
    ),
}
