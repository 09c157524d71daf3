"""Every code of a problem, and what to do about it: the one table behind the pages at /docs/problems/.

``PROBLEMS`` are codes of whole answers, ``FAULTS`` those of single things that are wrong (``errors``).
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class StatusCode:
    """A code of an answer: its status, what it means in a few words, and what to do about it."""

    status: int
    title: str
    advice: str


PROBLEMS: dict[str, StatusCode] = {
    "invalid": StatusCode(
        400,
        "The request is not well-formed.",
        "Something in the body or the address has another form than it must have. Each of `errors` points at "
        "it; mend it and send again.",
    ),
    "unauthenticated": StatusCode(
        401,
        "It takes a token.",
        "Send `Authorization: Bearer <token>` with a token that is known, has not expired and was not "
        "revoked, or sign in.",
    ),
    "forbidden": StatusCode(
        403,
        "You may not do this.",
        "The token's scope or your role in the league does not reach. The sentence names what is missing; an "
        "owner of the league can give it.",
    ),
    "not_found": StatusCode(
        404,
        "There is no such thing.",
        "Look at the address. Private leagues, and people whom you may not see, are not there for you. "
        "Addresses end with a slash.",
    ),
    "method_not_allowed": StatusCode(
        405, "The address does not know the method.", "The header `Allow` names those that it knows."
    ),
    "not_acceptable": StatusCode(
        406,
        "The form that you accept is not to be had.",
        "Ask for `application/json`, or leave the header `Accept` out.",
    ),
    "conflict": StatusCode(
        409,
        "It contradicts what stands in the books.",
        "Somebody else was quicker, or the same name or external_id stands for something else. Read what "
        "stands there; where a void game was meant, `replaced_by` is the game in its place.",
    ),
    "underway": StatusCode(
        409,
        "The same request is being worked on.",
        "Wait as long as `Retry-After` says and send it again: the answer will be the one of the first.",
    ),
    "cancelled": StatusCode(
        409, "Somebody cancelled the job.", "Nothing was written. Send it again where it shall be done after all."
    ),
    "changed": StatusCode(
        412,
        "It has changed since you read it.",
        "`If-Match` names another state than the present one. Read it again, look whether your change still "
        "makes sense, and send it with the new ETag.",
    ),
    "too_large": StatusCode(
        413, "The body is too large.", "Send less at once; a file of games may be larger at `games/import/`."
    ),
    "unsupported_media_type": StatusCode(
        415,
        "This kind of body is not taken here.",
        "Send JSON with `Content-Type: application/json`, or what the operation names.",
    ),
    "refused": StatusCode(
        422,
        "The rules of the league refuse it.",
        "The request is well-formed, but what it says cannot be: each of `errors` has the seat or the field. "
        "Nothing was written.",
    ),
    "key_reused": StatusCode(
        422,
        "The key stands for another request.",
        "An `Idempotency-Key` names one request for 24 hours. Take a new key for a new request.",
    ),
    "too_many": StatusCode(429, "Too many requests in a minute.", "Wait as long as `Retry-After` says."),
    "error": StatusCode(
        500,
        "The server failed.",
        "Nothing was half-done. Try again in a moment; if it stays, tell the operator of the site.",
    ),
    "busy": StatusCode(503, "The database is busy.", "Nothing was written. Send it again after `Retry-After`."),
    "preparing": StatusCode(
        503,
        "The answer is being prepared.",
        "A worker is preparing it, such as the export of a long league. Ask again after `Retry-After`.",
    ),
    "crowded": StatusCode(
        503,
        "Too many long answers are being worked out.",
        "The site works out only a few answers that take long at once. Ask again after `Retry-After`, or with a token.",
    ),
    "unavailable": StatusCode(
        503, "The database does not answer.", "Nothing was written. Send it again after `Retry-After`."
    ),
    "clock_back": StatusCode(
        503,
        "The server's clock is wrong.",
        "Its clock is behind the last change of the league. Nothing was written. The operator of the site must set it; "
        "see `docs/operators/trouble.md`.",
    ),
    "full": StatusCode(
        507, "The server's disk is full.", "Nothing was written. The operator of the site must make room."
    ),
}
#: Codes of single faults, alike wherever they come from.
FAULTS: dict[str, str] = {
    "before_the_league": "The game was played before the league's first rule came into force.",
    "beyond": "A position lies beyond the end of the log.",
    "blank": "A text is empty.",
    "closed_period": "It would reach into a period that was published.",
    "columns": "A line of a file has another number of cells than the header.",
    "conflict": "It stands for something else already.",
    "contradiction": "Scores and places, or two other things, contradict each other.",
    "differs": "Lines of one game say different things of it.",
    "empty": "A list is empty.",
    "future": "A game is dated more than a day ahead, or an adjustment ahead of now.",
    "invalid": "It has another form, or another value, than it may have.",
    "invalid_choice": "It is none of the words that there are.",
    "itself": "A player cannot be merged into the same player.",
    "ladder": "A ladder cannot rank by the new system.",
    "last_owner": "A league keeps its last owner.",
    "max_length": "A text or list is too long.",
    "max_value": "A number is too large.",
    "merged": "The player was merged into another one.",
    "mid_period": "A ladder's rule must begin with a period.",
    "min_value": "A number is too small.",
    "missing": "Something that is needed is not there.",
    "never": "No moment or day like this exists.",
    "no_outcome": "Outcomes of this game cannot be listed: send scores or places.",
    "no_game": "The player has not played in this league yet.",
    "no_offset": "A time lacks its offset, such as Z.",
    "not_a_dict": "It must be an object.",
    "not_a_flag": "It must be true or false.",
    "not_a_list": "It must be a list.",
    "not_a_number": "It must be a number.",
    "not_a_text": "It must be a text.",
    "not_a_time": "It is neither a date nor a time with offset.",
    "not_alone": "It goes with something else only.",
    "not_an_object": "It must be an object.",
    "not_dated": "Only dated ladders have a last day.",
    "not_finite": "It must be a finite number.",
    "not_here": "The player is not of this league.",
    "not_json": "It is not JSON.",
    "not_there": "Whoever sends it does not sit at the table.",
    "not_together": "Two parameters exclude each other.",
    "not_utf_8": "It is not UTF-8 text.",
    "not_whole": "It must be a whole number.",
    "nul": "It holds a NUL character.",
    "null": "It must not be null.",
    "other_games": "The new system cannot rate or replay games as they were recorded.",
    "other_start": "A later rule cannot let newcomers start elsewhere.",
    "other_system": "The league has another system.",
    "out_of_bounds": "A number lies outside of its bounds.",
    "past": "It lies in the past.",
    "played": "The game has been played and recorded.",
    "players": "A game has another number of results than it may have.",
    "required": "It must be there.",
    "same": "It is what the league has already.",
    "same_game": "Both players sat at one game.",
    "same_system": "Ratings carry on under a rule of the same system.",
    "sides": "The system knows no sides, or everyone is on one.",
    "taken": "The name is taken.",
    "tie": "The system does not say how a tie is rated.",
    "too_long": "A text is too long.",
    "too_many": "There are more of them than there may be.",
    "too_old": "It lies too far back.",
    "total": "The scores of the game do not add up to what they must.",
    "twice": "It stands there twice.",
    "two_starts": "Both players have an initial rating.",
    "unjudgeable": "The games are too few, or too much alike, to judge a system by them.",
    "unknown": "There is nothing of this name.",
    "unknown_cadence": "There is no such cadence.",
    "unknown_field": "The system has no game field of this name.",
    "unknown_kind": "There is no such kind of game.",
    "unknown_method": "There is no such method.",
    "unknown_player": "There is no such player, and none can be added under this name.",
    "unknown_system": "There is no such rating system.",
    "unknown_time_zone": "There is no such time zone.",
    "unknown_user": "There is no such user.",
    "unrated": "Games of this kind are not rated.",
    "url": "It is not an address to which webhooks can be sent.",
    "weights": "The system counts every game alike.",
    "worksheet": "The score, or what was written on a player, is not what the worksheets make.",
    "wrong": "The password is not yours.",
}
