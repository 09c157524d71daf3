"""Every field of every table is changed by SQL alone, and a row deleted or added: ``verify`` finds it.

What it does not find stands here with the reason why not.

A new field, or a new model, fails here until it is one or the other: none can be forgotten.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import date, timedelta
from itertools import chain, combinations, product
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, connection, models, transaction

from league.apps.competitions.models import Competition, Entry, EntryPlayer, Fixture, FixtureSeat, Round
from league.apps.competitions.services.competitions import finish_competition, start_competition
from league.apps.competitions.services.entries import NewEntry, add_entries
from league.apps.competitions.services.results import record_result
from league.apps.reports.models import Report, ReportLink
from league.apps.reports.selectors.reports import compute_mark
from league.apps.reports.services.answering import confirm_report, dispute_report
from league.apps.reports.services.deciding import refuse_report
from league.apps.reports.services.links import make_link, revoke_link
from league.core.capabilities import list_models
from league.core.dispatch.sweep import replay_league
from league.core.errors import RungsError
from league.core.leagues.services.adjustments import AdjustmentData, adjust, void_adjustment
from league.core.leagues.services.leagues import change_league
from league.core.log.services.erase_texts import erase_text
from league.core.log.services.heads import publish_heads
from league.core.players.services.merges import merge_players, unmerge_player
from league.core.players.services.players import change_player, set_active
from league.core.verify.run import verify_league
from league.models import Adjustment, Game, Head, Inactive, LadderRule, League, LogText, Merge, Period, Player, Result
from tests.helpers.builders import make_league, record
from tests.helpers.competition_builders import make_competition, start
from tests.helpers.ladder_builders import clock, duel, make_ladder, utc
from tests.helpers.log_reading import drop_triggers, free_log
from tests.helpers.report_builders import link_of, reported
from tests.helpers.restore_builders import Undone
from tests.helpers.running_competitions import scores
from tests.helpers.shared import built_once
from tests.helpers.tiers import mark_slow
from tests.helpers.verify_builders import build_every_entry, free_editions

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]

MODELS = {model.__name__: model for model in list_models()}
FACTS = (
    "League", "Rule", "InitialRating", "Adjustment", "Player", "Inactive", "Alias", "Merge", "Game", "Result", "Ladder",
    "LadderRule", "Edition", "Decision", "LogEntry", "LogText", "Head", "ReportLink", "Report",
    "Competition", "Entry", "EntryPlayer", "Round", "Fixture", "FixtureSeat", "FinalStandings",
)  # fmt: skip
#: Facts that no replay reads: what is planted there stands as it is after one.
UNREAD = (
    "Inactive", "Alias", "LogEntry", "LogText", "Head", "ReportLink", "Report", "Competition", "Entry", "EntryPlayer",
    "Round", "Fixture", "FixtureSeat", "FinalStandings",
)  # fmt: skip
#: What a replay writes anew.
DERIVED = ("RatingChange", "GamelessChange", "Rating", "Period", "Standing")
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
    "Entry.status": "waiting",
    "Fixture.kind": "half_bye",
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


def everything() -> League:
    """Return a league with a row in every table, and beside it another one, so that every key has another row."""
    other = make_league(slug="other", players=("zoe", "yan"))
    make_ladder(other, "moon", from_date=date(2024, 1, 1))
    record(other, duel("zoe", "yan", "2024-03-10"))
    league = build_every_entry()
    change_player(Player.objects.get(handle="ben"), aliases=["Benny"], username="olga")
    make_ladder(league, "spring", cadence="dated", from_date=date(2024, 3, 1), to_date=date(2024, 5, 31))
    unmerge_player(Player.objects.get(handle="finn"), username="olga")
    merge_players(Player.objects.get(handle="finn"), Player.objects.get(handle="eva"), username="olga")
    change_league(league.pk, {"reporting": "by_link"}, username="olga")
    with clock(utc("2024-04-20")):
        reports_of(league)
    adjust(
        league.pk, Player.objects.get(handle="anna"), AdjustmentData(-5, "Late.", utc("2024-04-18")), username="olga"
    )
    adjust(
        league.pk, Player.objects.get(handle="anna"), AdjustmentData(-5, "Twice.", utc("2024-04-18")), username="olga"
    )
    void_adjustment(league.pk, 2, reason="Once.", username="olga")
    set_active(league.pk, Player.objects.get(handle="dan"), False, username="olga")
    erase_text(league.pk, league.log.filter(kind="game.voided").earliest("position").position, username="olga")
    competitions_of(league)
    publish_heads()
    assert Head.objects.exists() and Inactive.objects.exists()
    return league


def competitions_of(league: League) -> None:
    """Let pairs play, of whom one game is open, and two people finish a competition."""
    make_competition(league, slug="duel")
    start(league, ("ben", "dan"), slug="duel")
    record_result(league.pk, 1, scores(1, 0), by="olga")
    finish_competition(league.pk, "duel", by="olga", reason="Late.")
    make_competition(league, slug="pairs", sides_of=2, rated=False)
    sides = [NewEntry(["anna", "ben"], "Aces"), NewEntry(["cleo", "dan"]), NewEntry(["eva", "zoe"])]
    add_entries(league.pk, "pairs", sides, by="olga")
    start_competition(league.pk, "pairs", by="olga")


def reports_of(league: League) -> None:
    """Let players report a game that is confirmed, and one that is disputed and refused."""
    anna, cleo = link_of(league, "anna"), link_of(league, "cleo")
    confirm_report(cleo, reported(anna, duel("anna", "cleo", "2024-04-15")).pk)
    wrong = reported(anna, duel("anna", "cleo", "2024-04-16"))
    dispute_report(cleo, wrong.pk, reason="I was not here.")
    mark = compute_mark(Report.objects.get(pk=wrong.pk))
    refuse_report(league.pk, wrong.pk, reason="So it was.", mark=mark, username="olga")
    made = make_link(league.pk, "table", username="olga", name="Table 1")
    make_link(league.pk, "another", username="olga", name="Table 2", good_for=timedelta(days=9))
    revoke_link(league.pk, ReportLink.objects.get(player__handle="cleo").pk, username="olga")
    assert made.revoked_at is None


built = built_once(everything)


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
        models.Field: lambda: ["planted"],
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


def unfound(model: Any) -> Iterator[str]:
    """Yield the fields of a model that ``verify`` takes as they are planted; after a replay where they are facts."""
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
            if verify_league(league.pk).state == "is right":
                yield name
            raise Undone


def test_every_table_is_looked_at_or_said_to_be_none_of_the_books() -> None:
    known = {*FACTS, *DERIVED, *OTHERS}
    assert set(MODELS) == known


def test_the_books_are_right_before_anything_is_planted() -> None:
    assert verify_league(League.objects.get(slug="club").pk).state == "is right"
    assert {name.partition(".")[0] for name in UNTOLD} <= {*FACTS, *DERIVED}


#: Of each kind of table one: facts, what no replay reads, what is derived.
QUICK = ("Result", "Head", "Rating", "Period")


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
