"""How sentences under ``verify`` name facts beside games."""

from datetime import date

from league.said import Said, phrase


def edition_name(slug: str, key: str, number: int) -> Said:
    """Return how a sentence names an edition."""
    return phrase("Edition {number} of {ladder} {key}", number=number, ladder=slug, key=key)


def decision_name(key: tuple[str, str, int, str, str]) -> Said:
    """Return how a sentence names a decision."""
    ladder, period, edition, kind, at = key
    return phrase(
        "The decision ({kind}) of {at} about edition {edition} of {ladder} {period}",
        kind=kind,
        at=at,
        edition=edition,
        ladder=ladder,
        period=period,
    )


def rule_name(day: date | str) -> Said:
    """Return how a sentence names a rule."""
    return phrase("The rule from {day}", day=day)


def ladder_name(slug: str) -> Said:
    """Return how a sentence names a ladder."""
    return phrase("The ladder {ladder}", ladder=slug)


def ranking_name(key: tuple[str, str]) -> Said:
    """Return how a sentence names a rule of a ladder."""
    return phrase("The rule of {ladder} from {day}", ladder=key[0], day=key[1])


def redacted_name(key: tuple[str, str, int]) -> Said:
    """Return how a sentence names an edition that was redacted."""
    return phrase("Redacted edition {number} of {ladder} {key}", number=key[2], ladder=key[0], key=key[1])


def void_name(number: int) -> Said:
    """Return how a sentence names the mark of a game that is void."""
    return phrase("The void mark of game {number}", number=number)
