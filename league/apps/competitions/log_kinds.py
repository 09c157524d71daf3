"""The kinds of log entries of competitions."""

from django.db.models import TextChoices


class ChangeKind(TextChoices):
    """The kinds of changes of competitions, their entries, rounds and fixtures, of seasons and of halls."""

    COMPETITION_CREATED = "competition.created"
    COMPETITION_CHANGED = "competition.changed"
    COMPETITION_STARTED = "competition.started"
    COMPETITION_FINISHED = "competition.finished"
    COMPETITION_CANCELLED = "competition.cancelled"
    COMPETITION_REVISED = "competition.revised"
    ENTRY_ADDED = "entry.added"
    ENTRY_CHANGED = "entry.changed"
    ROUND_MADE = "round.made"
    ROUND_PUBLISHED = "round.published"
    ROUND_UNDONE = "round.undone"
    FIXTURE_ADDED = "fixture.added"
    FIXTURE_CHANGED = "fixture.changed"
    FIXTURE_PLAYED = "fixture.played"
    FIXTURE_FORFEITED = "fixture.forfeited"
    FIXTURE_ENTERED = "fixture.entered"
    SEASON_CREATED = "season.created"
    SEASON_CHANGED = "season.changed"
    SEASON_ENTERED = "season.entered"
    SEASON_ENTRY_CHANGED = "season.entry_changed"
    SEASON_MOVED = "season.moved"
    SEASON_LINKED = "season.linked"
    SEASON_DRAWN = "season.drawn"
    SEASON_CLOSED = "season.closed"
    SEASON_REVISED = "season.revised"
    SEASON_CANCELLED = "season.cancelled"
    HALL_CREATED = "hall.created"
    HALL_CHANGED = "hall.changed"
    HALL_REMOVED = "hall.removed"


#: What entries of another subject begin with; the others are about a competition.
OTHER_SUBJECTS = ("season.", "hall.")
