"""Every field of every table is changed by SQL alone, and a row deleted or added: ``verify`` finds it.

What it does not find stands here with the reason why not.

A new field, or a new model, fails here until it is one or the other: none can be forgotten.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import date, timedelta
from itertools import chain, combinations, product
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, connection, models, transaction

from league.apps.competitions.models import Competition, Entry, EntryPlayer, Fixture, FixtureSeat, Round, SeasonEntry
from league.apps.reports.models import Report, ReportLink
from league.core.capabilities import list_models
from league.core.dispatch.sweep import replay_league
from league.core.errors import RungsError
from league.core.record_checks import list_log_tables
from league.core.verify.run import verify_league
from league.models import Adjustment, Game, LadderRule, League, LogText, Merge, Period, Player, Result
from tests.helpers.every_fact import build_every_fact
from tests.helpers.ladder_builders import utc
from tests.helpers.log_reading import drop_triggers, free_log
from tests.helpers.restore_builders import Undone
from tests.helpers.shared import built_once
from tests.helpers.tiers import mark_slow
from tests.helpers.verify_builders import free_editions

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]

MODELS = {model.__name__: model for model in list_models()}
FACTS = (
    "League", "Rule", "InitialRating", "Adjustment", "Player", "Inactive", "Alias", "Merge", "Game", "Result", "Ladder",
    "LadderRule", "Edition", "Decision", "LogEntry", "LogText", "Head", "ReportLink", "Report",
    "Competition", "Entry", "EntryPlayer", "Round", "Fixture", "FixtureSeat", "FinalStandings",
    "Season", "SeasonEntry", "SeasonPart", "SeasonEdition", "DeclaredField", "PlayerFields", "GameValue", "PlayerValue",
    "Context", "Hall",
)  # fmt: skip
#: Facts that no replay reads: what is planted there stands as it is after one.
UNREAD = (
    "Inactive", "Alias", "LogEntry", "LogText", "Head", "ReportLink", "Report", "Competition", "Entry", "EntryPlayer",
    "Round", "Fixture", "FixtureSeat", "FinalStandings", "Season", "SeasonEntry", "SeasonPart", "SeasonEdition",
    "DeclaredField", "PlayerFields", "GameValue", "PlayerValue", "Hall",
)  # fmt: skip
#: What a replay writes anew.
DERIVED = (
    "RatingChange", "GamelessChange", "Rating", "Period", "Standing", "ContextChange", "ContextGamelessChange",
    "ContextRating",
)  # fmt: skip
#: Tables that say nothing of what was played, nor of what follows from it.
OTHERS = {
    "Membership": "accounts and roles are a site's own; no log and no export names them",
    "Invitation": "accounts and roles are a site's own; no log and no export names them",
    "Token": "accounts and roles are a site's own; no log and no export names them",
    "Job": "work on its way; what is due follows from the books",
    "JobPart": "work on its way; what is due follows from the books",
    "Sign": "when something was heard last",
    "ExternalId": "names in other programs: a log that can forget nothing holds none; a merge hands them over and back",
    "FormerOpaque": "what the log of a league from elsewhere calls somebody; without it their handle is unknown",
    "Edits": "a count that tells caches that something changed",
    "PasteBatch": "which games came together, so that they can be voided together; each stands in the log by itself",
    "PasteColumns": "how a text was read the last time",
    "RequestKey": "answers that are kept for a day, so that a request that comes twice is done once",
    "RatingList": "lists of federations, which the next ones replace",
    "ListedRow": "people of those lists",
    "CacheEntry": "wrong passwords of the last hour, and codes that were used",
    "Webhook": "whom to send the log to; what is sent is the log itself",
    "Delivery": "what was sent",
    "Notice": "what members and chats were told; it follows from the books",
    "NoticeMail": "what was sent",
    "EmblemPicture": "how a league shows itself; no log and no export holds a picture",
    "SecondBoard": "how a league shows itself: by which other system; made of the games, and anew when they change",
    "SourceFile": "in the log by its hash; apps/competitions/test_files_are_facts.py changes its fields",
    "NoticeChoice": "what somebody wants to be told",
}
#: Fields that no log tells and from which nothing follows that could be compared, and why.
UNTOLD = {
    "League.replays": "a count that tells readers that the history was rewritten",
    "League.last_message": "how many messages were written",
    "League.picture": "how a league shows itself; no log and no export holds a picture",
    "League.also_rated_by": "how a league shows itself: by which other system, beside its own",
    "League.seats": "how many seats an empty score pad has; the last game's where a league has no template",
    "League.has_listeners": "so that recording in a league without listeners asks nothing",
    "League.has_contexts": "so that recording in a league without contexts asks nothing",
    "Context.pending": "work on its way; what is due follows from the books",
    "League.has_fields": "so that recording in a league without declared fields asks nothing",
    "League.has_attached_games": "so that pages of a league without competitions ask for no fixtures",
    "League.attaches_games": "so that recording in a league without running competitions asks nothing",
    "Edition.due_at": "when a period was to close, by what was set then; neither its document nor its entry tells that",
    "Player.metadata": "a log that can forget nothing holds no names",
    "Player.active": "of who has played nowhere; in a league it is Inactive, which the log tells",
    "Player.added_in": "who sees a player before the first game; most come to the site before they come to a league",
    "Player.created_at": "players are the site's, and most come to it before they come to a league",
}
#: Fields that a replay itself puts right.
PUT_RIGHT = ("League.stale_from", "League.stale_key", "League.touched_from", "League.touched_key")
#: What is planted where a value made of the old one would break a rule of the database.
VALUES = {
    "League.visibility": "private",
    "League.closing": "by_hand",
    "League.language": "de",
    "League.reporting": "off",
    "League.report_timeout": "drop",
    "League.colour": "teal",
    "League.division": "pale",
    "League.charge": "star",
    "Report.state": "lapsed",
    "League.stale_from": utc("2031-01-01"),
    "League.unranked_from": utc("2031-01-01"),
    "Rule.system": "durak",
    "Rule.start": "anew",
    "Game.kind": "forfeit",
    "Game.voided_by": "planted",
    "LadderRule.cadence": "year",
    "Decision.kind": "reopen",
    "RatingChange.cause": "pool",
    "LogText.erased_at": None,
    "Competition.status": "cancelled",
    "Competition.seeding": "hand",
    "Competition.result_entries": "twice",
    "Entry.status": "waiting",
    "Fixture.kind": "half_bye",
    "Season.status": "cancelled",
    "SeasonEntry.status": "withdrawn",
    "Context.start": "own",
    "Context.system": "durak",
    "ContextChange.cause": "pool",
    "DeclaredField.of": "game",
    "DeclaredField.type": "yes_no",
    "DeclaredField.visible": "organisers",
}
#: Tables of which a row more changes nothing that a log tells, and why.
ADDED = {
    "Player": "of whom no league knows anything yet",
    "Alias": "a log that can forget nothing holds no names",
    "Merge": "one that has ended, and that no log of the league tells",
    "Decision": "the same decision once more",
}
#: Which row is changed, where the last one does not show it.
ROWS: dict[str, Callable[[], Any]] = {
    "League": lambda: League.objects.filter(slug="club"),
    "Player": lambda: Player.objects.filter(handle="ben"),
    "LadderRule": lambda: LadderRule.objects.filter(ladder__slug="month"),
    "Period": lambda: Period.objects.filter(ladder__slug="month", key="2024-04"),
    "Period.awaits": lambda: Period.objects.filter(ladder__slug="month", key="2024-03"),
    "LadderRule.to_date": lambda: LadderRule.objects.filter(ladder__slug="spring"),
    "Merge.undone_by": lambda: Merge.objects.exclude(undone_at=None),
    "Game.kind": lambda: Game.objects.filter(kind="played", voided_at=None),
    "SeasonEntry.season": lambda: SeasonEntry.objects.filter(season__slug="spring", number=2),
    "Game.void_reason": lambda: Game.objects.filter(number=5),
    "Game.voided_by": lambda: Game.objects.filter(number=5),
    "ReportLink": lambda: ReportLink.objects.exclude(revoked_at=None),
    "ReportLink.name": lambda: ReportLink.objects.filter(player=None),
    "Report": lambda: Report.objects.filter(state="refused"),
    "Report.game": lambda: Report.objects.filter(state="confirmed"),
    "LogText": lambda: LogText.objects.filter(league__slug="club", erased_at=None),
    "LogText.erased_at": lambda: LogText.objects.exclude(erased_at=None),
    "Adjustment": lambda: Adjustment.objects.filter(voided_at=None),
    "Adjustment.voided_at": lambda: Adjustment.objects.exclude(voided_at=None),
    "Adjustment.voided_by": lambda: Adjustment.objects.exclude(voided_at=None),
    "Adjustment.void_reason": lambda: Adjustment.objects.exclude(voided_at=None),
    "Result.score": lambda: Result.objects.filter(game__number=9, seat=1),
    "Competition": lambda: Competition.objects.filter(slug="pairs"),
    "Entry": lambda: Entry.objects.filter(competition__slug="pairs", number=3),
    "EntryPlayer": lambda: EntryPlayer.objects.filter(competition__slug="pairs", position=1),
    "EntryPlayer.entry": lambda: EntryPlayer.objects.filter(competition__slug="pairs", position=2),
    "Round": lambda: Round.objects.filter(competition__slug="pairs"),
    "Fixture": lambda: Fixture.objects.filter(competition__slug="pairs", kind="game"),
    "Fixture.game": lambda: Fixture.objects.exclude(game=None),
    "FixtureSeat": lambda: FixtureSeat.objects.filter(fixture__competition__slug="pairs", seat=2),
}


built = built_once(build_every_fact)


def other_values(field: Any, old: Any, league: Any = None) -> list[Any]:
    """Return other values of a field, of one league where it is given; of those of a key the database takes one."""
    if isinstance(field, models.ForeignKey):
        others = field.related_model._default_manager.exclude(pk=old).order_by("-pk")
        if league is not None and any(each.name == "league" for each in field.related_model._meta.fields):
            others = others.filter(league=league)
        return list(others.values_list("pk", flat=True))
    made: dict[Any, Callable[[], list[Any]]] = {
        models.BooleanField: lambda: [not old],
        models.IntegerField: lambda: [(old or 0) + 1, (old or 0) + 100],
        models.FloatField: lambda: [(old or 0.0) + 0.5],
        models.DateTimeField: lambda: [(old or utc("2024-03-10")) + timedelta(hours=1)],
        models.DateField: lambda: [(old or date(2024, 1, 1)) + timedelta(days=1)],
        models.JSONField: lambda: [{"planted": 1}],
        models.Field: lambda: ["planted"[: field.max_length]],
    }
    return next(values() for kind, values in made.items() if isinstance(field, kind))


def plant(model: Any, field: Any) -> None:
    """Change a field of a row behind everybody's back, by SQL alone."""
    name = f"{model.__name__}.{field.name}"
    rows = ROWS.get(name, ROWS.get(model.__name__, model._default_manager.all))()
    pk, old = rows.order_by("-pk").values_list("pk", field.attname)[0]
    quote = connection.ops.quote_name
    sql = (
        f"UPDATE {quote(model._meta.db_table)} SET {quote(field.column)} = %s WHERE {quote(model._meta.pk.column)} = %s"
    )
    values = [VALUES[name]] if name in VALUES else other_values(field, old)
    for value in values:
        with suppress(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
            prepared = model._meta.pk.get_db_prep_value(pk, connection)
            cursor.execute(sql, [field.get_db_prep_save(value, connection), prepared])
            assert cursor.rowcount == 1
            return
    raise AssertionError(f"The database takes no {name} of {values}.")


def delete_row(model: Any) -> None:
    """Delete a row, and those that cannot stand without it: the database keeps no reference to nothing."""

    def delete(row: models.Model) -> None:
        for relation in row._meta.get_fields(include_hidden=True):
            if not isinstance(relation, models.ForeignObjectRel):
                continue
            for other in relation.related_model._base_manager.filter(**{relation.field.name: row}):
                delete(other)
        rows = type(row)._base_manager.filter(pk=row.pk)
        rows._raw_delete(rows.db)

    delete(ROWS.get(model.__name__, model._default_manager.all)().order_by("-pk")[0])


def add_row(model: Any) -> None:
    """Add a row like another one, changed in as few fields as the database wants unique.

    What points to a row of another league is joined to nothing: keys are of a league and a row.
    """
    rows = ROWS.get(model.__name__, model._default_manager.all)().order_by("-pk")
    fields = [field for field in model._meta.concrete_fields if not field.primary_key and field.name != "league"]
    fields.sort(key=lambda field: field.is_relation)
    league = League.objects.get(slug="club")
    for changed in chain.from_iterable(combinations(fields, number) for number in range(3)):
        names = [f"{model.__name__}.{field.name}" for field in changed]
        others = [[VALUES[name]] if name in VALUES else other_values(field, getattr(rows[0], field.attname), league)
                  for name, field in zip(names, changed, strict=True)]  # fmt: skip
        for values in product(*others):
            row = rows[0]
            row.pk, row._state.adding = None, True
            for field, value in zip(changed, values, strict=True):
                setattr(row, field.attname, value)
            with suppress(IntegrityError), transaction.atomic():
                model._base_manager.bulk_create([row])
                return
    raise AssertionError(f"The database takes no other {model.__name__}.")


def list_names(model: Any, field: Any) -> set[str]:
    """Return how ``verify`` may name a field: as log tables do, or, where it decides which row is meant, no row."""
    names = set()
    for table in list_log_tables():
        children = [child for child in table.children.values() if child.model is model]
        of_row = {**table.compared, **table.sealed} if table.record.model is model else {}
        members = {**of_row, **{name: member for child in children for name, member in child.line.items()}}
        told = {name for name, member in members.items() if member.fields[0] is field}
        key = {name for alternatives in table.key for name in alternatives}
        if table.none:
            told -= key  # Which row has such a mark, another table of the record says.
        if told and children:
            told = {name for name, child in table.children.items() if child in children}
        if told & table.sealed.keys():
            told |= {"seal"}
        if told & key or (told and field.name in table.none):
            told |= {"missing", "exists"}
        names |= told
    return names


def is_named(model: Any, field: Any, names: set[str], differences: Sequence[str]) -> bool:
    """Return whether a difference names the field and a row of its table, in the words of that table."""
    titles = [table for table in list_log_tables() if table.record.model is model or any(
        child.model is model for child in table.children.values()
    )]  # fmt: skip
    # What a table calls its rows, up to the first name of a row.
    starts = [re.split(r"[{]", str(table.name(*["{"] * max(1, len(table.key)))))[0] for table in titles]
    return any(
        one.startswith(start) and re.search(rf"\b({'|'.join(names)})\b", one) for start in starts for one in differences
    )


def unfound(model: Any) -> Iterator[str]:
    """Yield the fields of a model that ``verify`` takes as they are planted; after a replay where they are facts.

    Of a field that a table of the log has, a difference names the table and the field.
    """
    league = League.objects.get(slug="club")
    for field in model._meta.concrete_fields:
        if field.primary_key:
            continue  # Nothing is known by it but the rows that point there, which are fields of their own.
        with suppress(Undone), transaction.atomic():
            plant(model, field)
            name = f"{model.__name__}.{field.name}"
            if model.__name__ in FACTS and model.__name__ not in UNREAD and name not in PUT_RIGHT:
                # Some facts no replay survives; then it leaves what stood.
                with (
                    suppress(RungsError, DatabaseError, LookupError, ValueError, ArithmeticError),
                    transaction.atomic(),
                ):
                    replay_league(league.pk)
            verdict = verify_league(league.pk)
            if verdict.state == "is right":
                yield name
            names = list_names(model, field)
            if names:
                assert is_named(model, field, names, verdict.differences), (name, names, verdict.differences)
            raise Undone


def test_every_table_is_looked_at_or_said_to_be_none_of_the_books() -> None:
    known = {*FACTS, *DERIVED, *OTHERS}
    assert set(MODELS) == known


def test_the_books_are_right_before_anything_is_planted() -> None:
    assert verify_league(League.objects.get(slug="club").pk).state == "is right"
    assert {name.partition(".")[0] for name in UNTOLD} <= {*FACTS, *DERIVED}


#: Of facts, and of what is derived, one each.
QUICK = ("Result", "Rating")


@pytest.mark.parametrize("name", mark_slow([*FACTS, *DERIVED], "The same of another table.", but=QUICK))
def test_every_field_that_is_planted_is_found_or_said_to_be_told_by_no_log(name: str) -> None:
    free_log()
    free_editions()
    drop_triggers("league_head", "league_heads_stand")
    assert set(unfound(MODELS[name])) == {one for one in UNTOLD if one.partition(".")[0] == name}


ROW_TABLES = [name for name in (*FACTS, *DERIVED) if name != "League"]


@pytest.mark.engine
@pytest.mark.parametrize("name", mark_slow(ROW_TABLES, "The same of another table.", but=("Entry",)))
def test_a_row_that_is_deleted_or_added_is_found(name: str) -> None:
    league = League.objects.get(slug="club")
    free_log()
    free_editions()
    drop_triggers("league_head", "league_heads_stand")
    found = set()
    for work in (delete_row, add_row):
        with suppress(Undone), transaction.atomic():
            work(MODELS[name])
            if verify_league(league.pk).state != "is right":
                found.add(work)
            raise Undone
    assert found == ({delete_row} if name in ADDED else {delete_row, add_row})
