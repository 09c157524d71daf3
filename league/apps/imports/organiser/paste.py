"""The page to paste games: a text or file, its columns, names and games, and a button that records them.

Every step posts the whole form with the text and all answers; only the last step writes. It works without JavaScript.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from league.apps.imports.organiser.paste_purposes import GamePurpose, PurposeReader, index_by_sheet
from league.apps.imports.organiser.recorded_pastes import describe_recorded_paste
from league.apps.imports.paste import roles
from league.apps.imports.paste.games import PasteSeat
from league.apps.imports.paste.text import SEPARATORS, hash_lines, is_edited_version, split_lines
from league.apps.imports.paste.workbook import OLD_WORKBOOK_MESSAGE, is_old_workbook, is_workbook, read_workbook
from league.apps.imports.services.paste_columns import ORDERS
from league.apps.imports.services.paste_record import (
    PasteChanged,
    find_paste,
    hash_state,
    is_short,
    list_recent_pastes,
    preview_paste,
    record_paste,
)
from league.apps.imports.services.read_paste import (
    BAD,
    CHAT,
    DATELESS,
    NEW_GAME,
    NEW_PLAYER,
    UNDECIDED,
    Paste,
    PasteAnswers,
    PastedSheet,
    PasteName,
    PasteTable,
    find_obstacle,
    load_seat_fields,
    make_sheet_fields,
    read_paste,
)
from league.core.errors import Invalid, KeyReused, RungsError
from league.core.finish import rates_results_alone
from league.core.players.selectors.search import EXTERNAL_ID, HANDLE, NAME, SPELLING, load_offered_players
from league.core.rules.selectors.rules import load_system_in_force
from league.core.text.decoding import CHOICES, decode_text
from league.core.text.display_formats import format_day_of_year, format_exact
from league.core.text.game_results import format_result_of_two
from league.core.text.names import build_name_key
from league.models import Job, League
from league.web.organiser.field_forms import GameFieldsForm
from league.web.organiser.forms import (
    CHANGED,
    get_form_key,
    get_request_username,
    get_submitted_key,
    parse_day,
    parse_whole_number,
    run_once,
    warn_of_decisions,
)
from league.web.organiser.previewed_actions import offer_undo, pop_undo
from league.web.organiser.score_sheets import choose_seat_count
from league.web.organiser.selectors import find_newest_game, load_evening_at
from league.web.organiser.site import organiser_page, redirect_to_first_rule, show
from league.web.sign_in.sessions import viewer_of
from ratings.contract.system import RatingSystem

#: Larger files must be imported as a file.
MAX_BYTES = settings.RUNGS_LIMITS["paste_bytes"]
TOO_LARGE = gettext_noop(
    "The file is larger than {size} bytes. Use “Import games from a file” instead; it runs in the background."
)
RECORDED_ALREADY = gettext_noop("These games have already been recorded: the form was sent twice.")
#: Maximum number of sheets and of editable names shown, and of matched names before the rest is collapsed.
MAX_SHEETS, MAX_NAMES, VISIBLE_MATCHED = 60, 300, 6
#: How a name is a player's for certain: nobody need look at it.
EXACT = (NAME, HANDLE, SPELLING, EXTERNAL_ID)
ROLE_LABELS = {
    roles.IGNORED: gettext_noop("ignored"),
    roles.UNKNOWN: "?",
    roles.DAY: gettext_noop("Day"),
    roles.TIME: gettext_noop("Time"),
    roles.GAME: gettext_noop("Game"),
    roles.PLAYER: gettext_noop("Player"),
    roles.SCORE: gettext_noop("Score"),
    roles.PLACE: gettext_noop("Place"),
    roles.PERSON: gettext_noop("A player"),
    roles.SIDE: gettext_noop("Team"),
    roles.WEIGHT: gettext_noop("Weight"),
    roles.WINNER: gettext_noop("Winner"),
    roles.LOSER: gettext_noop("Loser"),
}
#: Words from other modules that the page shows; listed here for translation.
TRANSLATED_WORDS = (
    gettext_noop("chosen"),
    gettext_noop("tabs"),
    gettext_noop("semicolons"),
    gettext_noop("commas"),
    gettext_noop("bars"),
    gettext_noop("spaces"),
)


class PasteColumn(NamedTuple):
    """A column as the page shows it: number, its role, and its first cells."""

    number: int
    role: str
    head: str
    cells: list[str]


class TableColumns(NamedTuple):
    """A table as the page shows it: its columns, what parts their cells, and whether it has a head."""

    columns: list[PasteColumn]
    separator: str
    head: bool


class SheetLine(NamedTuple):
    """A player of a sheet as the page shows it."""

    name: str
    score: float | None
    place: int | None
    change: float | None
    side: int | None
    values: str


class SheetCard(NamedTuple):
    """A sheet as the page shows it."""

    sheet: PastedSheet
    title: str
    lines: list[SheetLine]
    pasted: str = ""
    """The lines of a fault as they were pasted, "" where its sentence quotes them."""
    purpose: GamePurpose | None = None

    @property
    def sides(self) -> list[list[SheetLine]]:
        """The lines by side, in their order; who has no side is alone."""
        sides: dict[Any, list[SheetLine]] = {}
        for number, line in enumerate(self.lines):
            sides.setdefault(f"line {number}" if line.side is None else line.side, []).append(line)
        return list(sides.values())

    @property
    def result(self) -> str:
        """The result of two players or sides in one line, as 1–0; "" for other games, or if it is unknown."""
        if len(self.sides) != 2:
            return ""
        first, second = ((side[0].score, side[0].place) for side in self.sides)
        return format_result_of_two(first, second)


def list_column_labels(system: RatingSystem, columns: Sequence[str]) -> dict[str, str]:
    """Return the labels of column roles; sides and weights only if supported or present."""
    support_by_role = {roles.SIDE: type(system).sides, roles.WEIGHT: type(system).weights}
    return {role: _(label) for role, label in ROLE_LABELS.items() if support_by_role.get(role, True) or role in columns}


@organiser_page("record")
def paste_games(request: HttpRequest, league: League) -> HttpResponse:
    """Take a text, preview the games, and record them on confirmation."""
    system = load_system_in_force(league)
    if system is None:
        return redirect_to_first_rule(request, league)
    context: dict[str, Any] = {"answers": PasteAnswers(""), "lately": list_recent_pastes(league)}
    context["example"] = choose_example(system, choose_seat_count(league, system, find_newest_game(league)))
    if request.method == "POST":
        context["answers"] = read_answers(request, league, request.POST.get("text", ""))
        try:
            context["answers"] = answers = read_answers(request, league, read_text(request))
            if "_record" in request.POST:
                return record_once(request, league, answers)
        except (PasteChanged, KeyReused) as error:
            context["notice"] = CHANGED if isinstance(error, KeyReused) else error.detail
            context["once"] = get_form_key(request, new=isinstance(error, KeyReused))
        except RungsError as error:
            context["error"] = error
        submitted_day = parse_day(request.POST.get("day", ""))
        context["day_anew"] = submitted_day is not None and submitted_day != context["answers"].day
        context["answered"] = "pick" in request.POST
        if context["answers"].text.strip():
            context |= preview_context(request, league, system, context["answers"])
        else:
            context.setdefault("error", Invalid(_("There is nothing to read yet: paste games, or choose a file.")))
    context.setdefault("once", get_form_key(request))
    context["undo"] = pop_undo(request, league)
    return show(request, league, "apps/imports/paste.html", "pad", encodings=CHOICES, **context)


def choose_example(system: RatingSystem, seats: int) -> str:
    """Return a line that shows how games of the league's kind are pasted."""
    if seats != 2:
        return _("16.07.2026;Novak;-30;Mira;45;Weiss;90;Horvat;-105")
    if rates_results_alone(system):
        return _("16.07.2026: Novak – Mira 1-0")
    return _("16.07.2026: Novak – Mira 3:1")


def read_answers(request: HttpRequest, league: League, text: str) -> PasteAnswers:
    """Read a text's answers from the form.

    Answers given for another text are dropped, except player matches: a name means the same person in both.
    """
    data = request.POST
    is_same_text = is_edited_version(text, data.get("of", ""))
    players_by_name = dict(zip(data.getlist("who"), data.getlist("is"), strict=False))
    picked, handle = [*data.get("pick", "").split(":", 1), ""][:2]
    names, number = data.getlist("who"), parse_whole_number(picked, 6)
    if number is not None and number < len(names):
        players_by_name[names[number]] = handle
    out, again = (split_words(data.get(name, "")) if is_same_text else set() for name in ("out", "again"))
    return PasteAnswers(
        text=text,
        roles=read_changed_roles(data) if is_same_text else {},
        order=ORDERS.get(data.get("order", ""), "") if is_same_text else "",
        day=(parse_day(data.get("day", "")) if is_same_text else None) or load_evening_at(league, timezone.now()).day,
        people={build_name_key(key): text.strip() for key, text in players_by_name.items() if text.strip()},
        all_new=data.get("all_new") == hash_text(text),
        left_out=frozenset((out | split_words(data.get("leave", ""))) - split_words(data.get("take", ""))),
        values=GameFieldsForm(league, data).read(),
        recorded_again=frozenset((again | split_words(data.get("repeat", ""))) - split_words(data.get("known", ""))),
    )


def read_text(request: HttpRequest) -> str:
    """Return the text of the uploaded file or of the form; raises Invalid if the file is not text."""
    file = request.FILES.get("file")
    if not file:
        return request.POST.get("text", "")
    if (file.size or 0) > MAX_BYTES:
        raise Invalid(_(TOO_LARGE).format(size=f"{MAX_BYTES:,}"))
    content = file.read()
    if is_old_workbook(content):
        raise Invalid(OLD_WORKBOOK_MESSAGE)
    return (
        read_workbook(content) if is_workbook(content) else decode_text(content, request.POST.get("encoding", "")).text
    )


def hash_text(text: str) -> str:
    """Hash a text, so that "all unknown names are new" applies only to it."""
    return hashlib.sha256("\n".join(split_lines(text)).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def split_words(text: str) -> set[str]:
    """Return the words of a hidden field."""
    return {word for word in text.split(",") if word}


def read_changed_roles(data: Mapping[str, Any]) -> dict[int, str]:
    """Return the column roles that the user changed."""
    guessed = str(data.get("guessed", "")).split("|")
    changed_roles = {}
    for number, guess in enumerate(guessed):
        role = data.get(f"role-{number}")
        known = role in ROLE_LABELS or str(role).startswith((roles.FIELD_PREFIX, roles.VALUE_PREFIX))
        if role is not None and role != guess and known:
            changed_roles[number] = str(role)
    return changed_roles


def record_once(request: HttpRequest, league: League, answers: PasteAnswers) -> HttpResponse:
    """Record a paste once, however often the form comes, and redirect to the result."""
    outcome = run_once(request, lambda: record_answers(request, league, answers))
    if outcome.again:
        messages.success(request, _(RECORDED_ALREADY))
    else:
        messages.success(request, describe_recorded_paste(league, outcome.answer))
        if outcome.answer.get("undo"):
            offer_undo(request, league, outcome.answer["undo"])
    warn_of_decisions(request, league)
    return HttpResponseRedirect(outcome.answer["target"])


def record_answers(request: HttpRequest, league: League, answers: PasteAnswers) -> dict[str, Any]:
    """Record a paste; returns the numbers of its first and last game or a message, and the next page."""
    batch = get_submitted_key(request) or get_form_key(request, new=True)
    outcome = record_paste(
        league,
        answers,
        request.POST.get("shown", ""),
        batch,
        username=get_request_username(request),
        viewer=viewer_of(request),
    )
    if isinstance(outcome, Job):
        message = _(
            "This is a long paste, so it is being recorded in the background, all or nothing. Follow its progress here."
        )
        return {"said": message, "target": reverse("desk:jobs", args=[league.slug])}
    recorded = find_paste(league, batch)
    target = reverse("desk:paste", args=[league.slug]) + f"?batch={batch}"
    if recorded is None:
        return {"said": _(RECORDED_ALREADY), "target": target}
    return {
        "numbers": [recorded.first, recorded.last],
        "added": outcome.created_players,
        "target": target,
        "undo": reverse("desk:paste_undo", args=[league.slug, batch]),
    }


def preview_context(
    request: HttpRequest, league: League, system: RatingSystem, answers: PasteAnswers
) -> dict[str, Any]:
    """Return the template context for a text."""
    viewer = viewer_of(request)
    try:
        paste = read_paste(league, answers, viewer, timezone.now())
    except RungsError as error:
        return {"error": error}
    tables = list(map(make_columns, paste.tables))
    reason, preview, refused = find_obstacle(paste), None, None
    purposes = PurposeReader(request, league, MAX_SHEETS)
    try:
        preview = preview_paste(league, paste, answers, viewer, purposes.read)
    except RungsError as error:
        refused = error
    changes = index_by_sheet(preview.changes) if preview else {}
    cards = make_cards(paste, league, changes, split_lines(answers.text), index_by_sheet(purposes.found))
    return {
        "paste": paste,
        "tables": tables,
        "columns": [column for table in tables for column in table.columns],
        "guessed": [role for table in paste.tables for role in table.proposed.roles],
        "labels": list_column_labels(system, paste.roles),
        "fields": _list_field_labels(league, system),
        "declared": GameFieldsForm(league, request.POST),
        "order": paste.order,
        **_build_names_context(paste, league, viewer),
        "first_fault": next(iter(paste.in_state(BAD)), None),
        "cards": cards,
        "faults": [card for card in cards if card.sheet.state == BAD],
        "others": sorted((card for card in cards if card.sheet.state != BAD), key=lambda card: card.sheet.game.lines),
        "chat": [(sheet.game.lines[0], sheet.game.chat) for sheet in paste.in_state(CHAT)[:MAX_SHEETS]],
        "more": max(len(paste.sheets) - len(paste.in_state(CHAT)) - MAX_SHEETS, 0),
        # What the button will record once every name is matched, and every line is checked or left out.
        "then": sum(len(paste.in_state(state)) for state in (NEW_GAME, UNDECIDED, DATELESS)),
        "counts": Counter(sheet.state for sheet in paste.sheets),
        "unread": [sheet.game.key for sheet in paste.in_state(BAD) if sheet.game.key and not sheet.seats],
        "decimals": system.decimals,
        "scores": system.score != "unused",
        "preview": preview,
        "closed": [period for period in preview.diff.periods if period.closed] if preview else [],
        "long": not is_short(paste),
        "refused": refused,
        "why": reason or (refused.detail if refused else ""),
        "shown": hash_state(paste, answers),
        "text_key": hash_text(answers.text),
        "marks": hash_lines(answers.text),
        "left_out": ",".join(sorted(answers.left_out)),
        "again": ",".join(sorted(answers.recorded_again)),
    }


def _list_field_labels(league: League, system: RatingSystem) -> dict[str, str]:
    """Return the roles of columns that have fields of the system or of the league, with their labels."""
    fields = make_sheet_fields(system, load_seat_fields(league))
    labels = {f"{roles.FIELD_PREFIX}{key}": label for key, label in fields.game_fields.items()}
    return labels | {f"{roles.VALUE_PREFIX}{key}": headings[0] for key, headings in fields.values.items()}


def _build_names_context(paste: Paste, league: League, viewer: Any) -> dict[str, Any]:
    """Return the names as the page shows them: undecided names, the first matched ones, and the remaining ones."""
    visible_names: list[PasteName] = sorted(paste.names, key=lambda name: (name.is_decided, name.is_new))[:MAX_NAMES]
    numbered = list(enumerate(visible_names))
    open_ = [(number, name) for number, name in numbered if not name.is_decided]
    settled = [(number, name) for number, name in numbered if name.is_decided]
    offered = load_offered_players(league, viewer)
    bearers = Counter(name for _, name in offered)
    return {
        "to_decide": open_,
        "settled": settled[:VISIBLE_MATCHED],
        "folded": settled[VISIBLE_MATCHED:],
        # Nothing is to be looked at in names that are those of players: they are one line.
        "all_known": not open_ and all(name.match.how in EXACT and not name.is_new for _number, name in settled),
        "unlike": sum(1 for _, name in open_ if not name.match.near),
        "people": [name if bearers[name] == 1 else handle for handle, name in offered],
        "said": {
            name.key: NEW_PLAYER if name.is_new else name.match.handle
            for name in visible_names
            if name.match.how in ("", "chosen")
        },
    }


def make_columns(table: PasteTable) -> TableColumns:
    """Return the columns of a table, each with its head and its first cells."""
    rows, head = [dict(enumerate(row.cells)) for row in table.grid.rows[:3]], table.columns.head
    sample_rows = rows[1:] if head else rows[:2]
    columns = [
        PasteColumn(
            table.first_column + index,
            role,
            rows[0].get(index, "") if head else "",
            [row.get(index, "") for row in sample_rows],
        )
        for index, role in enumerate(table.columns.roles)
    ]
    return TableColumns(columns, _(SEPARATORS[table.grid.separator]), head)


def make_cards(
    paste: Paste,
    league: League,
    changes: Mapping[str, Any],
    lines: Sequence[str] = (),
    purposes: Mapping[str, GamePurpose] = MappingProxyType({}),
) -> list[SheetCard]:
    """Make the cards of the first sheets, with dates unless all have the default one; ``lines``: those pasted."""
    sheets = [sheet for sheet in paste.sheets if sheet.state != CHAT]
    days = not paste.asks_day or len({sheet.game.day for sheet in paste.sheets if sheet.game.day}) > 1
    cards = [make_card(sheet, league, changes.get(sheet.game.key), days=days) for sheet in sheets[:MAX_SHEETS]]
    return [
        card._replace(pasted=_quote_fault(card.sheet, lines), purpose=purposes.get(card.sheet.game.key))
        for card in cards
    ]


def _quote_fault(sheet: PastedSheet, lines: Sequence[str]) -> str:
    """Return the pasted lines of a sheet that was read but is wrong."""
    if sheet.state != BAD or not sheet.seats:
        return ""
    return "\n".join(lines[number - 1].strip() for number in sheet.lines if number <= len(lines))


def make_card(sheet: PastedSheet, league: League, changes: Any, *, days: bool) -> SheetCard:
    """Return a sheet as the page shows it; in a game of more than two the best result first."""
    zone, game = ZoneInfo(league.time_zone), sheet.game
    numbers = sheet.lines if sheet.state == BAD else sorted(set(game.lines))
    title = ""
    if numbers:
        template = _("lines {first}–{last}") if len(numbers) > 1 else _("line {first}")
        title = template.format(first=numbers[0], last=numbers[-1])
    if game.day is not None and days:
        title += f", {format_day_of_year(game.day)}"
    if game.played_at is not None and game.has_time:
        title += f", {game.played_at.astimezone(zone):%H:%M}"
    if game.weight != 1.0:
        title += f", {_('weight {weight}').format(weight=format_exact(game.weight))}"
    seat_changes = list(changes) if changes else [None] * len(sheet.seats)
    lines = [
        SheetLine(line.name, line.seat.score, line.seat.place, change, line.seat.side, _describe_values(line.seat))
        for line, change in zip(sheet.seats, seat_changes, strict=True)
    ]
    card = SheetCard(sheet, title, lines)
    # Who comes first in a game of two was typed: White, or the home side.
    if len(card.sides) != 2:
        lines.sort(key=lambda line: (line.place or 0, -(line.score or 0), line.side or 0))
    return card


def _describe_values(seat: PasteSeat) -> str:
    """Return the values of a seat, as they were read, "" for none."""
    words = {True: _("Yes"), False: _("No")}
    return ", ".join(words[one] if isinstance(one, bool) else str(one) for one in seat.values.values())
