"""All that the site knows of a person, for whoever asks what is kept of them."""

from typing import Any

from django.db.models import Q

from league.chain import instant
from league.models import League, LogText, Merge, Player, Rating, RatingChange, Report, ReportLink, Result
from league.models.declared import RESULT, said_by


def all_of(player: Player) -> dict[str, Any]:
    """Return what is known of a person as plain JSON: who they are, and league by league what the books say."""
    people = [player, *player.merged.order_by("pk")]
    return {
        "handle": player.handle,
        "name": player.name,
        "active": player.active,
        "created_at": instant(player.created_at),
        "erased_at": player.erased_at and instant(player.erased_at),
        "spellings": sorted(player.aliases.values_list("text", flat=True)),
        "merges": [
            {
                "player": merge.player.handle,
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
        "leagues": [in_league(league, people) for league in leagues_of(people)],
    }


def leagues_of(people: list[Player]) -> list[League]:
    """Return the leagues that know somebody of these."""
    played = Result.objects.filter(Q(player__in=people) | Q(recorded_as__in=people)).order_by()
    known = Q(pk__in=played.values("game__league")) | Q(initial_ratings__player__in=people)
    known |= Q(inactive__player__in=people) | Q(report_links__player__in=people) | Q(reports__entered_by__in=people)
    return list(League.objects.filter(known).distinct().order_by("slug"))


def in_league(league: League, people: list[Player]) -> dict[str, Any]:
    """Return what a league has of them."""
    rating = Rating.objects.filter(league=league, player__in=people).first()
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
        "links": [
            {
                "made_at": instant(link.made_at),
                "made_by": link.made_by,
                "revoked_at": link.revoked_at and instant(link.revoked_at),
            }
            for link in ReportLink.objects.filter(league=league, player__in=people).order_by("made_at")
        ],
        "reports": [
            {
                "entered_at": instant(report.entered_at),
                "state": report.state,
                "sheet": report.sheet,
                "reason": report.reason,
            }
            for report in Report.objects.filter(league=league, entered_by__in=people).order_by("entered_at")
        ],
        "written": written_of(league, people),
    }


def written_of(league: League, people: list[Player]) -> list[str]:
    """Return the notes and reasons in which one of their names stands."""
    naming = Q()
    for word in {word for player in people for word in (player.name, player.handle)}:
        naming |= Q(text__icontains=word)
    return list(LogText.objects.filter(naming, league=league).order_by("position").values_list("text", flat=True))


def results_of(league: League, people: list[Player]) -> list[Result]:
    """Return their results in a league, in the order of the games' numbers."""
    mine = Result.objects.filter(Q(player__in=people) | Q(recorded_as__in=people), game__league=league)
    return list(mine.select_related("game").order_by("game__number"))


def game_of(line: Result) -> dict[str, Any]:
    """Return a game as far as it is theirs."""
    game = line.game
    return {
        "game": game.number,
        "played_at": instant(game.played_at),
        "kind": game.kind,
        "seat": line.seat,
        **dict(zip(RESULT, said_by(line), strict=True)),
        "note": game.note,
        "void": game.voided_at is not None,
        "void_reason": game.void_reason,
    }
