"""All stored data of a person, for requests about personal data; see ``accounts`` for user accounts."""

import json
from typing import Any

from django.db.models import Q

from league.core.capabilities import load_declared
from league.core.players.erasers import build_leagues_condition
from league.core.players.name_redaction import NameWords
from league.core.players.selectors.aliases import build_name_words, find_editions_with_names, load_with_merged
from league.core.text.instants import format_instant
from league.models import (
    Alias,
    Edition,
    ExternalId,
    Game,
    GamelessChange,
    Invitation,
    Job,
    Ladder,
    League,
    LogText,
    Merge,
    Player,
    Rating,
    RatingChange,
    Result,
)
from league.models.facts import ADJUSTMENT_RECORD, RESULT, list_recorded_values
from league.models.merges import MERGE_RECORD


def serialize_person(player: Player) -> dict[str, Any]:
    """Return all data of a person as JSON: identity, and data by league."""
    players = load_with_merged(player)
    name_words = build_name_words(players, parts=True)
    spellings = Alias.objects.filter(Q(player__in=players) | Q(recorded_as__in=players))
    return {
        "handle": player.handle,
        "name": player.name,
        "metadata": player.metadata,
        "external_ids": [str(external_id) for external_id in ExternalId.objects.filter(player__in=players)],
        "active": player.active,
        "created_at": format_instant(player.created_at),
        "erased_at": player.erased_at and format_instant(player.erased_at),
        "spellings": sorted(set(spellings.values_list("text", flat=True))),
        "merges": [
            MERGE_RECORD.serialize(merge)
            for merge in Merge.objects.filter(Q(player__in=players) | Q(into__in=players)).select_related(
                "player", "into"
            )
        ],
        "leagues": [_serialize_league_data(league, players, name_words) for league in find_leagues_naming(players)],
    }


def find_leagues_naming(players: list[Player]) -> list[League]:
    """Return the leagues whose data names any of these players."""
    results = Result.objects.filter(Q(player__in=players) | Q(recorded_as__in=players)).order_by()
    condition = Q(pk__in=results.values("league")) | Q(initial_ratings__player__in=players)
    condition |= Q(inactive__player__in=players) | build_leagues_condition(players)
    return list(League.objects.filter(condition).distinct().order_by("slug"))


def _serialize_league_data(league: League, players: list[Player], name_words: NameWords) -> dict[str, Any]:
    """Return a league's data of these players."""
    rating = Rating.objects.filter(league=league, player__in=players).first()
    rows = LogText.objects.filter(league=league, erased_at=None).order_by("position", "pk")
    texts = [text for text in rows.values_list("text", flat=True).iterator() if name_words.written.name_in(text)]
    return {
        "league": league.slug,
        "title": league.title,
        "inactive": league.inactive.filter(player__in=players).exists(),
        "initial_ratings": list(league.initial_ratings.filter(player__in=players).values_list("rating", flat=True)),
        "rating": rating and rating.rating,
        "games": [serialize_game(line) for line in _load_results(league, players)],
        "history": [
            {"game": number, "at": format_instant(played_at), "change": change, "after": rating_after}
            for number, played_at, change, rating_after in RatingChange.objects.filter(
                league=league, player__in=players
            )
            .order_by("at", "order_key", "step")
            .values_list("number", "at", "change", "after")
        ],
        "adjustments": [
            ADJUSTMENT_RECORD.serialize(item, ("at", "amount", "reason", "voided_at", "void_reason"))
            for item in league.adjustments.filter(player__in=players).order_by("at", "number")
        ],
        "moves": [
            {"cause": item.cause, "at": format_instant(item.at), "change": item.change, "after": item.after}
            for item in GamelessChange.objects.filter(league=league, player__in=players).order_by("at", "number")
        ],
        **{
            key: value
            for eraser in load_declared(lambda app: app.data.eraser)
            for key, value in eraser.describe_league(league, players, name_words).items()
        },
        "editions": [
            _serialize_edition(item, players) for item in find_editions_with_names(players).filter(league=league)
        ],
        "written": [text for text in texts if name_words.name_in(text)],
        "written_maybe_of_them": [text for text in texts if not name_words.name_in(text)],
        "elsewhere": find_other_texts(league, name_words),
    }


def _serialize_edition(edition: Edition, players: list[Player]) -> dict[str, Any]:
    """Return their lines of a published ranking."""
    handles = {player.handle for player in players}
    rows = json.loads(edition.document)["standings"]
    return {
        "ladder": edition.ladder.slug,
        "period": edition.key,
        "edition": edition.number,
        "standings": [row for row in rows if row["player"] in handles],
    }


def find_other_texts(league: League, name_words: NameWords) -> list[dict[str, str]]:
    """Return other texts of a league that contain one of their names, including pending messages and jobs."""
    texts = [("title", league.title), ("description", league.description)]
    texts += [
        ("title of a ladder", title) for title in Ladder.objects.filter(league=league).values_list("title", flat=True)
    ]
    texts += [("note of an invitation", one.note) for one in Invitation.objects.filter(league=league).exclude(note="")]
    external_ids = Game.objects.filter(league=league, external_id__isnull=False).values_list("external_id", flat=True)
    texts += [("external_id of a game", one or "") for one in external_ids.iterator()]
    matches = [{"where": origin, "said": text} for origin, text in texts if name_words.written.name_in(text)]
    rows = [row for eraser in load_declared(lambda app: app.data.eraser) for row in eraser.list_stored(league)]
    rows += [
        ("job", one.asked_at, [one.arguments, one.result, one.problem]) for one in Job.objects.filter(league=league)
    ]
    return matches + [
        {"where": f"{kind} of {format_instant(recorded_at)}", "said": json.dumps(facts, ensure_ascii=False)}
        for kind, recorded_at, facts in rows
        if name_words.within(facts) != facts
    ]


def _load_results(league: League, players: list[Player]) -> list[Result]:
    """Return their results in a league, by game number."""
    results = Result.objects.filter(Q(player__in=players) | Q(recorded_as__in=players), league=league)
    return list(results.select_related("game").order_by("game__number"))


def serialize_game(line: Result) -> dict[str, Any]:
    """Return a game with only their own line."""
    game = line.game
    return {
        "game": game.number,
        "played_at": format_instant(game.played_at),
        "kind": game.kind,
        "seat": line.seat,
        **dict(zip(RESULT, list_recorded_values(line), strict=True)),
        "weight": game.weight,
        "note": game.note,
        "metadata": game.metadata,
        "void": game.voided_at is not None,
        "void_reason": game.void_reason,
    }
