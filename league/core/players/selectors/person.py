"""All stored data of a person, for requests about personal data; see ``accounts`` for user accounts."""

import json
from typing import Any

from django.db.models import Q

from league.core.capabilities import load_declared
from league.core.log.chain import instant
from league.core.players.erasers import leagues_naming
from league.core.players.name_redaction import NameWords
from league.core.players.selectors.aliases import editions_naming, with_merged, words_of
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
from league.models.facts import RESULT, said_by


def all_of(player: Player) -> dict[str, Any]:
    """Return all data of a person as JSON: identity, and data by league."""
    people = with_merged(player)
    words = words_of(people, parts=True)
    spellings = Alias.objects.filter(Q(player__in=people) | Q(recorded_as__in=people))
    return {
        "handle": player.handle,
        "name": player.name,
        "metadata": player.metadata,
        "external_ids": [str(one) for one in ExternalId.objects.filter(player__in=people)],
        "active": player.active,
        "created_at": instant(player.created_at),
        "erased_at": player.erased_at and instant(player.erased_at),
        "spellings": sorted(set(spellings.values_list("text", flat=True))),
        "merges": [
            {
                "player": merge.player.handle,
                "name": merge.player.name,
                "into": merge.into.handle,
                "at": instant(merge.at),
                "by": merge.by,
                "undone_at": merge.undone_at and instant(merge.undone_at),
                "undone_by": merge.undone_by,
            }
            for merge in Merge.objects.filter(Q(player__in=people) | Q(into__in=people)).select_related(
                "player", "into"
            )
        ],
        "leagues": [in_league(league, people, words) for league in leagues_of(people)],
    }


def leagues_of(people: list[Player]) -> list[League]:
    """Return the leagues whose data names any of these players."""
    played = Result.objects.filter(Q(player__in=people) | Q(recorded_as__in=people)).order_by()
    known = Q(pk__in=played.values("league")) | Q(initial_ratings__player__in=people)
    known |= Q(inactive__player__in=people) | leagues_naming(people)
    return list(League.objects.filter(known).distinct().order_by("slug"))


def in_league(league: League, people: list[Player], words: NameWords) -> dict[str, Any]:
    """Return a league's data of these players."""
    rating = Rating.objects.filter(league=league, player__in=people).first()
    rows = LogText.objects.filter(league=league, erased_at=None).order_by("position", "pk")
    there = [text for text in rows.values_list("text", flat=True).iterator() if words.written.name_in(text)]
    return {
        "league": league.slug,
        "title": league.title,
        "inactive": league.inactive.filter(player__in=people).exists(),
        "initial_ratings": list(league.initial_ratings.filter(player__in=people).values_list("rating", flat=True)),
        "rating": rating and rating.rating,
        "games": [game_of(line) for line in results_of(league, people)],
        "history": [
            {"game": number, "at": instant(at), "change": change, "after": after}
            for number, at, change, after in RatingChange.objects.filter(league=league, player__in=people)
            .order_by("at", "order_key", "step")
            .values_list("number", "at", "change", "after")
        ],
        "adjustments": [
            {
                "at": instant(one.at),
                "amount": one.amount,
                "reason": one.reason,
                "voided_at": one.voided_at and instant(one.voided_at),
                "void_reason": one.void_reason,
            }
            for one in league.adjustments.filter(player__in=people).order_by("at", "number")
        ],
        "moves": [
            {"cause": one.cause, "at": instant(one.at), "change": one.change, "after": one.after}
            for one in GamelessChange.objects.filter(league=league, player__in=people).order_by("at", "number")
        ],
        **{
            key: said
            for eraser in load_declared("erasers")
            for key, said in eraser.describe_league(league, people, words).items()
        },
        "editions": [told_edition(one, people) for one in editions_naming(people).filter(league=league)],
        "written": [text for text in there if words.name_in(text)],
        "written_maybe_of_them": [text for text in there if not words.name_in(text)],
        "elsewhere": elsewhere(league, words),
    }


def told_edition(edition: Edition, people: list[Player]) -> dict[str, Any]:
    """Return their lines of a published ranking."""
    handles = {player.handle for player in people}
    rows = json.loads(edition.document)["standings"]
    return {
        "ladder": edition.ladder.slug,
        "period": edition.key,
        "edition": edition.number,
        "standings": [row for row in rows if row["player"] in handles],
    }


def elsewhere(league: League, words: NameWords) -> list[dict[str, str]]:
    """Return other texts of a league that contain one of their names, including pending notices and jobs."""
    said = [("title", league.title), ("description", league.description)]
    said += [
        ("title of a ladder", title) for title in Ladder.objects.filter(league=league).values_list("title", flat=True)
    ]
    said += [("note of an invitation", one.note) for one in Invitation.objects.filter(league=league).exclude(note="")]
    given = Game.objects.filter(league=league, external_id__isnull=False).values_list("external_id", flat=True)
    said += [("external_id of a game", one or "") for one in given.iterator()]
    found = [{"where": where, "said": text} for where, text in said if words.written.name_in(text)]
    kept = [row for eraser in load_declared("erasers") for row in eraser.list_stored(league)]
    kept += [
        ("job", one.asked_at, [one.arguments, one.result, one.problem]) for one in Job.objects.filter(league=league)
    ]
    return found + [
        {"where": f"{what} of {instant(at)}", "said": json.dumps(facts, ensure_ascii=False)}
        for what, at, facts in kept
        if words.within(facts) != facts
    ]


def results_of(league: League, people: list[Player]) -> list[Result]:
    """Return their results in a league, by game number."""
    mine = Result.objects.filter(Q(player__in=people) | Q(recorded_as__in=people), league=league)
    return list(mine.select_related("game").order_by("game__number"))


def game_of(line: Result) -> dict[str, Any]:
    """Return a game with only their own line."""
    game = line.game
    return {
        "game": game.number,
        "played_at": instant(game.played_at),
        "kind": game.kind,
        "seat": line.seat,
        **dict(zip(RESULT, said_by(line), strict=True)),
        "weight": game.weight,
        "note": game.note,
        "metadata": game.metadata,
        "void": game.voided_at is not None,
        "void_reason": game.void_reason,
    }
