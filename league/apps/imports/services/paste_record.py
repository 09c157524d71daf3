"""Records pastes, all or nothing (long ones in a worker), lists recent ones, and undoes whole pastes."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from io import BytesIO

from django.db.models import Count, Min, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from league.apps.imports.models import PasteBatch
from league.apps.imports.paste.text import split_lines
from league.apps.imports.services.paste_columns import save_columns
from league.apps.imports.services.read_paste import (
    NEW_GAME,
    Paste,
    PasteAnswers,
    make_new_game,
    read_paste,
    refuse_undecided,
)
from league.apps.imports.services.run import (
    GamesPreview,
    ImportOptions,
    ImportReport,
    import_and_rate_later,
    preview_games,
)
from league.apps.imports.services.uploads import Upload, enqueue_import, save_paste_batch
from league.core.errors import Conflict, NotFound
from league.core.games.services.game_files import ReadFile, ReadGame
from league.core.games.services.rewrite_games import void_batch
from league.core.jobs.services.work import WorkerNeeded
from league.core.ladders.selectors.closed_periods import refuse_closed
from league.core.locking import run_with_league_lock
from league.core.permissions import Viewer
from league.models import Game, Job, League
from league.models.facts import RESULT

#: Prefix of the external_ids of pasted games, so that a form sent twice is recognized.
PASTE_ID_PREFIX = "paste-"
#: Pastes of this period can be undone.
UNDO_PERIOD, MAX_PASTES = timedelta(days=30), 5

#: What a paste has of a result.
RESULT_NAMES = ("player", *RESULT, "sets", "retired", "fields")
#: Maximum number of seats of a paste that is previewed and recorded at once; a worker records longer ones.
MAX_IMMEDIATE_SEATS = 2000
#: Shown if the text would now be read differently from the preview.
CHANGED_MESSAGE = gettext_noop(
    "The text, an answer or the league has changed since you looked, so nothing was saved. This is the current preview."
)


class PasteChanged(Conflict):
    """A paste would be read differently from the preview that the user saw."""


@dataclass(frozen=True)
class RecordedPaste:
    """A recorded paste: its key, the numbers of its first and last game, and of those that count how many and when."""

    key: str
    first: int
    last: int
    games: int
    first_played_at: datetime
    recorded_at: datetime


def make_file(paste: Paste, answers: PasteAnswers, batch: str) -> ReadFile:
    """Make the input of an import from the new games of a paste, in order."""
    return ReadFile(
        [
            ReadGame(
                make_new_game(sheet, f"{PASTE_ID_PREFIX}{batch}-{sheet.game.key}", answers.values),
                tuple(line.seat.line for line in sheet.seats),
                True,
            )
            for sheet in sorted(paste.in_state(NEW_GAME), key=lambda sheet: sheet.game.lines[0])
        ],
        (),
    )


def is_short(paste: Paste) -> bool:
    """Return whether a paste can be recorded at once."""
    return sum(len(sheet.seats) for sheet in paste.in_state(NEW_GAME)) <= MAX_IMMEDIATE_SEATS


def preview_paste(
    league: League,
    paste: Paste,
    answers: PasteAnswers,
    viewer: Viewer,
    inspect: Callable[[Sequence[Game]], object] = lambda games: None,
) -> GamesPreview | None:
    """Preview the new games of a paste; None if there are none, or a worker is needed.

    ``inspect``: as of ``preview_games``. Raises what recording them would raise.
    """
    sheets = paste.in_state(NEW_GAME)
    if not sheets or not is_short(paste):
        return None
    options = ImportOptions("", create_players=True, viewer=viewer)
    try:
        return preview_games(league, make_file(paste, answers, "preview"), options, inspect)
    except WorkerNeeded:
        return None


def hash_state(paste: Paste, answers: PasteAnswers) -> str:
    """Hash the text, answers and state of each game, so that changes since the preview are found."""
    text = "\n".join(split_lines(answers.text))
    sheets = [
        (sheet.game.key, sheet.state, [line.handle or line.name for line in sheet.seats]) for sheet in paste.sheets
    ]
    times = [str(sheet.game.played_at) for sheet in paste.sheets]
    parts = [text, paste.roles, sheets, times, dict(answers.values)]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def record_paste(
    league: League, answers: PasteAnswers, preview_hash: str, batch: str, *, username: str, viewer: Viewer
) -> ImportReport | Job:
    """Record and rate the new games of a paste, or return the job that will; a batch key is recorded once.

    ``preview_hash`` is the ``hash_state`` of the preview. Raises PasteChanged, Refused if something is unclear, and
    what an import raises; then nothing was written.
    """

    def read(now: datetime) -> Paste:
        paste = read_paste(league, answers, viewer, now)
        if hash_state(paste, answers) != preview_hash:
            raise PasteChanged(_(CHANGED_MESSAGE))
        refuse_undecided(paste)
        return paste

    paste = read(timezone.now())
    added = any(name.is_new for name in paste.names)
    if not is_short(paste):
        run_with_league_lock(league.pk, lambda league, now: save_all_columns(league, paste))
        games = make_file(paste, answers, batch).games
        lines = b"".join(
            json.dumps(serialize_game(entry)).encode() + b"\n" for entry in games if isinstance(entry, ReadGame)
        )
        with Upload(BytesIO(lines), "ndjson") as upload:
            return enqueue_import(league, upload, username=username, create_players=added, viewer=viewer, paste=batch)

    def work(league: League, now: datetime) -> ImportReport:
        # Read again under the lock, to see games recorded in the meantime.
        options = ImportOptions(username, create_players=added, viewer=viewer)
        paste = read(now)
        report = import_and_rate_later(league.pk, make_file(paste, answers, batch), options)
        save_paste_batch(league.pk, batch, report.games, username=username)
        save_all_columns(league, paste)
        return report

    return run_with_league_lock(league.pk, work)


def save_all_columns(league: League, paste: Paste) -> None:
    """Save the columns of a paste, and the order in 11/06 if it was chosen."""
    for table in paste.tables:
        save_columns(league, table.grid, table.guessed_columns, table.columns, paste.stated_order)


def serialize_game(entry: ReadGame) -> Mapping[str, object]:
    """Serialize a game for a line of JSON."""
    new = entry.game
    assert new.played_at is not None, "a game without a time is not recorded"
    results = [
        {name: value for name in RESULT_NAMES if (value := getattr(result, name)) is not None and value is not False}
        for result in new.results
    ]
    record: dict[str, object] = {"played_at": new.played_at.isoformat(), "external_id": new.external_id}
    record["results"] = results
    if new.weight != 1.0:
        record["weight"] = new.weight
    if new.details:
        record["details"] = dict(new.details)
    if new.fields:
        record["fields"] = dict(new.fields)
    return record


def undo_paste(league: League, key: str, *, username: str, viewer: Viewer) -> int:
    """Void all games of a paste at once; returns how many.

    Raises Forbidden if one is in a closed period, and NotFound if none counts.
    """
    paste = PasteBatch.objects.filter(league=league, key=key).first()
    if paste is None:
        raise NotFound(_("None of the pasted games counts any more."))
    return void_batch(
        league.pk,
        range(paste.first, paste.last + 1),
        reason="Undone: the whole paste is taken back.",
        username=username,
        precondition=lambda league, game: refuse_closed(viewer, league, game.played_at),
    )


def find_paste(league: League, key: str) -> RecordedPaste | None:
    """Find a recent paste, None if no game of it counts."""
    paste = query_recent_pastes(league).filter(key=key).first()
    return load_paste(paste) if paste is not None else None


def list_recent_pastes(league: League) -> list[RecordedPaste]:
    """Return recent pastes with counted games, newest first."""
    pastes = (load_paste(paste) for paste in query_recent_pastes(league)[: 4 * MAX_PASTES])
    return [recorded_paste for recorded_paste in pastes if recorded_paste is not None][:MAX_PASTES]


def query_recent_pastes(league: League) -> QuerySet[PasteBatch]:
    """Query recent pastes, newest first."""
    return PasteBatch.objects.filter(league=league, recorded_at__gte=timezone.now() - UNDO_PERIOD).order_by(
        "-recorded_at", "-pk"
    )


def load_paste(paste: PasteBatch) -> RecordedPaste | None:
    """Load a paste's counted games, None if there are none."""
    games = Game.objects.counting().filter(league=paste.league_id, number__range=(paste.first, paste.last))
    counted = games.aggregate(count=Count("pk"), first=Min("played_at"))
    if not counted["count"]:
        return None
    return RecordedPaste(paste.key, paste.first, paste.last, counted["count"], counted["first"], paste.recorded_at)
