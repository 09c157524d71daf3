"""Types of what is sent and answered, generated from the OpenAPI document of Rungs.

``CLIENTS=write script/test tests/openapi/test_client_sources.py`` writes them anew.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

CauseEnum = Literal["game", "pool", "system", "season", "adjustment"]

FieldsEnum = Literal["rating", "rank", "games", "deviation"]

GameKind = Literal["played", "forfeit", "full_bye", "half_bye", "zero_bye", "pairing_bye", "friendly"]

GameStatus = Literal["rated", "pending", "unrated", "void"]

RetiredEnum = Literal["allowed", "refused"]

StartEnum = Literal["replayed", "anew"]


class AdjustmentMadeEntry(TypedDict):
    """A part of an answer."""

    at: str
    by: str
    kind: Literal["adjustment.made"]
    payload: AdjustmentMadePayload
    position: int
    previous: str
    sha256: str
    sealed: NotRequired[dict[str, Any]]
    salts: NotRequired[dict[str, str]]
    left_out: NotRequired[list[str]]


class AdjustmentMadeEventData(TypedDict):
    """A part of an answer."""

    league: str
    position: int
    by: str
    payload: AdjustmentMadePayload
    sha256: str
    #: External ids of players, by handle.
    external_ids: NotRequired[dict[str, dict[str, str]]]


class AdjustmentMadeEvent(TypedDict):
    """A part of an answer."""

    type: Literal["adjustment.made"]
    timestamp: str
    data: AdjustmentMadeEventData


class AdjustmentMadePayload(TypedDict):
    """A part of an answer."""

    number: int
    player: str
    since: str
    amount: float
    reason: str


class AdjustmentVoidedEntry(TypedDict):
    """A part of an answer."""

    at: str
    by: str
    kind: Literal["adjustment.voided"]
    payload: AdjustmentVoidedPayload
    position: int
    previous: str
    sha256: str
    sealed: NotRequired[dict[str, Any]]
    salts: NotRequired[dict[str, str]]
    left_out: NotRequired[list[str]]


class AdjustmentVoidedEventData(TypedDict):
    """A part of an answer."""

    league: str
    position: int
    by: str
    payload: AdjustmentVoidedPayload
    sha256: str
    #: External ids of players, by handle.
    external_ids: NotRequired[dict[str, dict[str, str]]]


class AdjustmentVoidedEvent(TypedDict):
    """A part of an answer."""

    type: Literal["adjustment.voided"]
    timestamp: str
    data: AdjustmentVoidedEventData


class AdjustmentVoidedPayload(TypedDict):
    """A part of an answer."""

    number: int
    player: str
    since: str
    reason: str


class BalanceInputRequest(TypedDict):
    """People, and what is wanted of their sides."""

    #: External ids (`provider:id`), handles or names; whom nobody knows starts as a new player.
    players: list[str]
    #: 2 by default.
    sides: NotRequired[int | None]
    #: People on each side; as equal as possible by default.
    sizes: NotRequired[list[int] | None]
    #: Parties, always kept; parties that share a person are one.
    together: NotRequired[list[list[str]]]
    #: People who should be on different sides; as few pairs as possible are not.
    apart: NotRequired[list[list[str]]]
    #: Number of splits; 3 by default. Default: 3.
    count: NotRequired[int]


class BalanceShape(TypedDict):
    """The best splits, in order."""

    system: str
    players: list[BalancedPlayerShape]
    splits: list[SplitShape]
    #: Whether all splits were compared: always for two sides of up to 20 people.
    exact: bool
    #: No split that keeps as many wishes has a higher quality; 1 unless exact.
    bound: float


class BalancedPlayerShape(TypedDict):
    """A person, from the highest rating on."""

    player: str
    name: str
    #: Nobody has this name: the figures are those of a new player.
    new: bool
    games: int
    rating: float
    #: Every field of the system's state by its key, the rating first; GET systems/ describes them.
    state: dict[str, float]


class BalancedSideShape(TypedDict):
    """A side of a split."""

    #: From the highest rating on.
    players: list[str]
    #: As the system combines them: the mean, or the sum.
    rating: float
    #: Expected score against the other sides, on average; 0.5 if even.
    expected: float


class ChangePage(TypedDict):
    """A page; next is the address of the next one."""

    results: list[ChangeShape]
    next: str | None


class ChangeShape(TypedDict):
    """An entry of a player's rating history."""

    cause: CauseEnum
    #: The number of the game that changed it.
    game: int | None
    at: str
    before: float
    after: float
    change: float
    games: int
    #: Every field of the system's state by its key, the rating first; GET systems/ describes them.
    state: dict[str, float]
    #: Whether the rating is still provisional.
    provisional: bool
    #: The number of the adjustment that changed it.
    adjustment: int | None


class ClockAcceptedEntry(TypedDict):
    """A part of an answer."""

    at: str
    by: str
    kind: Literal["clock.accepted"]
    payload: ClockAcceptedPayload
    position: int
    previous: str
    sha256: str
    sealed: NotRequired[dict[str, Any]]
    salts: NotRequired[dict[str, str]]
    left_out: NotRequired[list[str]]


class ClockAcceptedEventData(TypedDict):
    """A part of an answer."""

    league: str
    position: int
    by: str
    payload: ClockAcceptedPayload
    sha256: str
    #: External ids of players, by handle.
    external_ids: NotRequired[dict[str, dict[str, str]]]


class ClockAcceptedEvent(TypedDict):
    """A part of an answer."""

    type: Literal["clock.accepted"]
    timestamp: str
    data: ClockAcceptedEventData


class ClockAcceptedPayload(TypedDict):
    """A part of an answer."""

    behind: str


class CompetitionNotedEntry(TypedDict):
    """A part of an answer."""

    at: str
    by: str
    kind: Literal[
        "competition.created",
        "competition.changed",
        "competition.started",
        "competition.finished",
        "competition.cancelled",
        "competition.revised",
        "entry.added",
        "entry.changed",
        "round.made",
        "round.published",
        "round.undone",
        "fixture.added",
        "fixture.changed",
        "fixture.played",
        "fixture.forfeited",
        "fixture.entered",
    ]
    payload: CompetitionNotedPayload
    position: int
    previous: str
    sha256: str
    sealed: NotRequired[dict[str, Any]]
    salts: NotRequired[dict[str, str]]
    left_out: NotRequired[list[str]]


class CompetitionNotedEventData(TypedDict):
    """A part of an answer."""

    league: str
    position: int
    by: str
    payload: CompetitionNotedPayload
    sha256: str
    #: External ids of players, by handle.
    external_ids: NotRequired[dict[str, dict[str, str]]]


class CompetitionNotedEvent(TypedDict):
    """A part of an answer."""

    type: Literal[
        "competition.created",
        "competition.changed",
        "competition.started",
        "competition.finished",
        "competition.cancelled",
        "competition.revised",
        "entry.added",
        "entry.changed",
        "round.made",
        "round.published",
        "round.undone",
        "fixture.added",
        "fixture.changed",
        "fixture.played",
        "fixture.forfeited",
        "fixture.entered",
    ]
    timestamp: str
    data: CompetitionNotedEventData


class CompetitionNotedPayload(TypedDict):
    """A change of a competition: the changed rows whole, and the numbers of removed rows by table."""

    competition: NotRequired[str]
    settings: NotRequired[dict[str, Any]]
    entries: NotRequired[list[dict[str, Any]]]
    rounds: NotRequired[list[dict[str, Any]]]
    fixtures: NotRequired[list[dict[str, Any]]]
    standings: NotRequired[dict[str, Any]]
    file: NotRequired[dict[str, Any]]
    removed: NotRequired[dict[str, Any]]
    reason: NotRequired[str]
    round: NotRequired[int]
    fixture: NotRequired[int]
    game: NotRequired[int]
    salt: NotRequired[str]


class ContextChangedEntry(TypedDict):
    """A part of an answer."""

    at: str
    by: str
    kind: Literal["context.created", "context.changed"]
    payload: ContextChangedPayload
    position: int
    previous: str
    sha256: str
    sealed: NotRequired[dict[str, Any]]
    salts: NotRequired[dict[str, str]]
    left_out: NotRequired[list[str]]


class ContextChangedEventData(TypedDict):
    """A part of an answer."""

    league: str
    position: int
    by: str
    payload: ContextChangedPayload
    sha256: str
    #: External ids of players, by handle.
    external_ids: NotRequired[dict[str, dict[str, str]]]


class ContextChangedEvent(TypedDict):
    """A part of an answer."""

    type: Literal["context.created", "context.changed"]
    timestamp: str
    data: ContextChangedEventData


class ContextChangedPayload(TypedDict):
    """A part of an answer."""

    context: str
    title: str
    filter: dict[str, Any]
    start: str
    system: str
    parameters: dict[str, Any]


class ContextLineShape(TypedDict):
    """One player's change in a context."""

    seat: int
    player: str
    rating_before: float
    rating_after: float
    change: float
    #: The game is the player's n-th in the context.
    games: int
    performance: float | None


class ContextRemovedEntry(TypedDict):
    """A part of an answer."""

    at: str
    by: str
    kind: Literal["context.removed"]
    payload: ContextRemovedPayload
    position: int
    previous: str
    sha256: str
    sealed: NotRequired[dict[str, Any]]
    salts: NotRequired[dict[str, str]]
    left_out: NotRequired[list[str]]


class ContextRemovedEventData(TypedDict):
    """A part of an answer."""

    league: str
    position: int
    by: str
    payload: ContextRemovedPayload
    sha256: str
    #: External ids of players, by handle.
    external_ids: NotRequired[dict[str, dict[str, str]]]


class ContextRemovedEvent(TypedDict):
    """A part of an answer."""

    type: Literal["context.removed"]
    timestamp: str
    data: ContextRemovedEventData


class ContextRemovedPayload(TypedDict):
    """A part of an answer."""

    context: str


class ContextResultsShape(TypedDict):
    """The changes of a game in a context."""

    #: The slug of the context.
    context: str
    results: list[ContextLineShape]


class DiscordNoticeEmbeds(TypedDict):
    """A part of an answer."""

    title: NotRequired[str]
    url: NotRequired[str]
    description: str


class DiscordNoticeAllowedMentions(TypedDict):
    """A part of an answer."""

    parse: list[str]


class DiscordNotice(TypedDict):
    """A part of an answer."""

    content: str
    embeds: list[DiscordNoticeEmbeds]
    allowed_mentions: DiscordNoticeAllowedMentions


class EditionPublishedEntry(TypedDict):
    """A part of an answer."""

    at: str
    by: str
    kind: Literal["edition.published"]
    payload: EditionPublishedPayload
    position: int
    previous: str
    sha256: str
    sealed: NotRequired[dict[str, Any]]
    salts: NotRequired[dict[str, str]]
    left_out: NotRequired[list[str]]


class EditionPublishedEventData(TypedDict):
    """A part of an answer."""

    league: str
    position: int
    by: str
    payload: EditionPublishedPayload
    sha256: str
    #: External ids of players, by handle.
    external_ids: NotRequired[dict[str, dict[str, str]]]


class EditionPublishedEvent(TypedDict):
    """A part of an answer."""

    type: Literal["edition.published"]
    timestamp: str
    data: EditionPublishedEventData


class EditionPublishedPayload(TypedDict):
    """A part of an answer."""

    ladder: str
    period: str
    edition: int
    reason: str
    sha256: str


class EditionRedactedEntry(TypedDict):
    """A part of an answer."""

    at: str
    by: str
    kind: Literal["edition.redacted"]
    payload: EditionRedactedPayload
    position: int
    previous: str
    sha256: str
    sealed: NotRequired[dict[str, Any]]
    salts: NotRequired[dict[str, str]]
    left_out: NotRequired[list[str]]


class EditionRedactedEventData(TypedDict):
    """A part of an answer."""

    league: str
    position: int
    by: str
    payload: EditionRedactedPayload
    sha256: str
    #: External ids of players, by handle.
    external_ids: NotRequired[dict[str, dict[str, str]]]


class EditionRedactedEvent(TypedDict):
    """A part of an answer."""

    type: Literal["edition.redacted"]
    timestamp: str
    data: EditionRedactedEventData


class EditionRedactedPayload(TypedDict):
    """A part of an answer."""

    ladder: str
    period: str
    edition: int
    sha256: str


class ErrorShape(TypedDict):
    """One error; ``line`` if the body is a file, ``column`` if the file has fixed columns."""

    pointer: str
    code: str
    detail: str
    line: NotRequired[int]
    column: NotRequired[int]
    #: The players that an ambiguous name may mean.
    candidates: NotRequired[list[PlayerNameShape]]
    #: Players with names like an unknown one.
    similar: NotRequired[list[PlayerNameShape]]


class FieldDeclaredEntry(TypedDict):
    """A part of an answer."""

    at: str
    by: str
    kind: Literal["field.declared", "field.changed"]
    payload: FieldDeclaredPayload
    position: int
    previous: str
    sha256: str
    sealed: NotRequired[dict[str, Any]]
    salts: NotRequired[dict[str, str]]
    left_out: NotRequired[list[str]]


class FieldDeclaredEventData(TypedDict):
    """A part of an answer."""

    league: str
    position: int
    by: str
    payload: FieldDeclaredPayload
    sha256: str
    #: External ids of players, by handle.
    external_ids: NotRequired[dict[str, dict[str, str]]]


class FieldDeclaredEvent(TypedDict):
    """A part of an answer."""

    type: Literal["field.declared", "field.changed"]
    timestamp: str
    data: FieldDeclaredEventData


FieldDeclaredPayload = TypedDict(
    "FieldDeclaredPayload",
    {
        "key": "str",
        "title": "str",
        "of": "str",
        "type": "str",
        "choices": "list[str]",
        "required": "bool",
        "visible": "str",
        "from": "str | None",
        "retired": "bool",
    },
)


class FoundPlayerShape(TypedDict):
    """A player who was looked up."""

    player: str
    name: str
    #: The text of the request.
    asked: str
    #: Null: has neither played nor a start.
    rating: NotRequired[float | None]
    #: Null: not on the leaderboard.
    rank: NotRequired[int | None]
    games: NotRequired[int]
    #: Null: the system has none, or the player has not played.
    deviation: NotRequired[float | None]


class FoundPlayersShape(TypedDict):
    """The players of a league whom texts name, in the order of the texts."""

    results: list[FoundPlayerShape]
    #: Texts that name nobody whom you may see.
    unknown: list[str]
    #: Texts that are the name of several players.
    ambiguous: list[str]
    #: The position in the league's log to which the figures belong; also the ETag.
    as_of: int


class GameCorrectedEntry(TypedDict):
    """A part of an answer."""

    at: str
    by: str
    kind: Literal["game.corrected"]
    payload: GameCorrectedPayload
    position: int
    previous: str
    sha256: str
    sealed: NotRequired[dict[str, Any]]
    salts: NotRequired[dict[str, str]]
    left_out: NotRequired[list[str]]


class GameCorrectedEventData(TypedDict):
    """A part of an answer."""

    league: str
    position: int
    by: str
    payload: GameCorrectedPayload
    sha256: str
    #: External ids of players, by handle.
    external_ids: NotRequired[dict[str, dict[str, str]]]


class GameCorrectedEvent(TypedDict):
    """A part of an answer."""

    type: Literal["game.corrected"]
    timestamp: str
    data: GameCorrectedEventData


class GameCorrectedPayload(TypedDict):
    """`game` replaces `number`."""

    number: int
    reason: str
    game: LoggedGame


class GameInputRequest(TypedDict):
    """A game to record."""

    external_id: NotRequired[str | None]
    #: Defaults to now.
    played_at: NotRequired[str | None]
    #: Default: "played".
    kind: NotRequired[GameKind]
    #: In seat order.
    results: list[ResultInputRequest]
    #: The system's game fields, such as bula.
    details: NotRequired[dict[str, Any]]
    #: Default: "".
    note: NotRequired[str]
    #: How much it counts, 0 to 10, if the system supports weights.
    weight: NotRequired[float | None]
    #: Strings of your program under keys of your choice; they are never rated or interpreted. If a correction omits it,
    #: it is unchanged.
    metadata: NotRequired[dict[str, str] | None]
    #: The id of the fixture of a competition that it is for; 0: of none; otherwise found by its players.
    fixture: NotRequired[int | None]
    #: The values of the league's declared fields, by key. If a correction has none here and in its results, they are
    #: unchanged.
    fields: NotRequired[dict[str, str | float | bool | None] | None]
    #: Add unknown players, under the name sent. Default: false.
    create_players: NotRequired[bool]
    #: With create_players: names of new players.
    players: NotRequired[list[NamedInputRequest]]


class GameRecordedEntry(TypedDict):
    """A part of an answer."""

    at: str
    by: str
    kind: Literal["game.recorded"]
    payload: LoggedGame
    position: int
    previous: str
    sha256: str
    sealed: NotRequired[dict[str, Any]]
    salts: NotRequired[dict[str, str]]
    left_out: NotRequired[list[str]]


class GameRecordedEventData(TypedDict):
    """A part of an answer."""

    league: str
    position: int
    by: str
    payload: LoggedGame
    sha256: str
    #: External ids of players, by handle.
    external_ids: NotRequired[dict[str, dict[str, str]]]


class GameRecordedEvent(TypedDict):
    """A part of an answer."""

    type: Literal["game.recorded"]
    timestamp: str
    data: GameRecordedEventData


class GameRestoredEntry(TypedDict):
    """A part of an answer."""

    at: str
    by: str
    kind: Literal["game.restored"]
    payload: GameRestoredPayload
    position: int
    previous: str
    sha256: str
    sealed: NotRequired[dict[str, Any]]
    salts: NotRequired[dict[str, str]]
    left_out: NotRequired[list[str]]


class GameRestoredEventData(TypedDict):
    """A part of an answer."""

    league: str
    position: int
    by: str
    payload: GameRestoredPayload
    sha256: str
    #: External ids of players, by handle.
    external_ids: NotRequired[dict[str, dict[str, str]]]


class GameRestoredEvent(TypedDict):
    """A part of an answer."""

    type: Literal["game.restored"]
    timestamp: str
    data: GameRestoredEventData


class GameRestoredPayload(TypedDict):
    """`game` is `number` again, in place of `voided`."""

    number: int
    reason: str
    voided: int | None
    game: LoggedGame


class GameShape(TypedDict):
    """A recorded game."""

    #: Its number in the league.
    number: int
    #: The number.
    id: int
    league: str
    url: str
    external_id: str | None
    played_at: str
    recorded_at: str
    recorded_by: str
    kind: GameKind
    status: GameStatus
    results: list[ResultShape]
    details: dict[str, Any]
    note: str
    #: How much it counts; normally 1.
    weight: float
    #: Strings of your program under keys of your choice; they are never rated or interpreted.
    metadata: dict[str, str]
    void_reason: str
    replaces: int | None
    replaced_by: int | None
    #: The id of the fixture of a competition that it was recorded for.
    fixture: int | None
    #: The values of the league's declared fields, by key. If the league has fields of games or seats.
    fields: NotRequired[dict[str, str | float | bool | None]]
    #: The changes in each context for which the game counts, if there are any.
    contexts: NotRequired[list[ContextResultsShape]]
    #: Only when a game is recorded without external_id and Idempotency-Key: the numbers of equal games recorded within
    #: the last hour. This one may have been sent twice.
    similar: NotRequired[list[int]]


class GameVoidedEntry(TypedDict):
    """A part of an answer."""

    at: str
    by: str
    kind: Literal["game.voided"]
    payload: GameVoidedPayload
    position: int
    previous: str
    sha256: str
    sealed: NotRequired[dict[str, Any]]
    salts: NotRequired[dict[str, str]]
    left_out: NotRequired[list[str]]


class GameVoidedEventData(TypedDict):
    """A part of an answer."""

    league: str
    position: int
    by: str
    payload: GameVoidedPayload
    sha256: str
    #: External ids of players, by handle.
    external_ids: NotRequired[dict[str, dict[str, str]]]


class GameVoidedEvent(TypedDict):
    """A part of an answer."""

    type: Literal["game.voided"]
    timestamp: str
    data: GameVoidedEventData


class GameVoidedPayload(TypedDict):
    """A part of an answer."""

    number: int
    reason: str


class GamesMovedEntry(TypedDict):
    """A part of an answer."""

    at: str
    by: str
    kind: Literal["games.moved"]
    payload: GamesMovedPayload
    position: int
    previous: str
    sha256: str
    sealed: NotRequired[dict[str, Any]]
    salts: NotRequired[dict[str, str]]
    left_out: NotRequired[list[str]]


class GamesMovedEventData(TypedDict):
    """A part of an answer."""

    league: str
    position: int
    by: str
    payload: GamesMovedPayload
    sha256: str
    #: External ids of players, by handle.
    external_ids: NotRequired[dict[str, dict[str, str]]]


class GamesMovedEvent(TypedDict):
    """A part of an answer."""

    type: Literal["games.moved"]
    timestamp: str
    data: GamesMovedEventData


class GamesMovedPayload(TypedDict):
    """A part of an answer."""

    games: list[int]


class HallNotedEntry(TypedDict):
    """A part of an answer."""

    at: str
    by: str
    kind: Literal["hall.created", "hall.changed", "hall.removed"]
    payload: HallNotedPayload
    position: int
    previous: str
    sha256: str
    sealed: NotRequired[dict[str, Any]]
    salts: NotRequired[dict[str, str]]
    left_out: NotRequired[list[str]]


class HallNotedEventData(TypedDict):
    """A part of an answer."""

    league: str
    position: int
    by: str
    payload: HallNotedPayload
    sha256: str
    #: External ids of players, by handle.
    external_ids: NotRequired[dict[str, dict[str, str]]]


class HallNotedEvent(TypedDict):
    """A part of an answer."""

    type: Literal["hall.created", "hall.changed", "hall.removed"]
    timestamp: str
    data: HallNotedEventData


class HallNotedPayload(TypedDict):
    """A change of a hall, whole, or its removal."""

    hall: NotRequired[str]
    hall_settings: NotRequired[dict[str, Any]]
    removed: NotRequired[dict[str, Any]]
    salt: NotRequired[str]


class HeadPublishedEntry(TypedDict):
    """A part of an answer."""

    at: str
    by: str
    kind: Literal["head.published"]
    payload: HeadPublishedPayload
    position: int
    previous: str
    sha256: str
    sealed: NotRequired[dict[str, Any]]
    salts: NotRequired[dict[str, str]]
    left_out: NotRequired[list[str]]


class HeadPublishedEventData(TypedDict):
    """A part of an answer."""

    league: str
    position: int
    by: str
    payload: HeadPublishedPayload
    sha256: str
    #: External ids of players, by handle.
    external_ids: NotRequired[dict[str, dict[str, str]]]


class HeadPublishedEvent(TypedDict):
    """A part of an answer."""

    type: Literal["head.published"]
    timestamp: str
    data: HeadPublishedEventData


class HeadPublishedPayload(TypedDict):
    """A part of an answer."""

    at: str
    position: int
    sha256: str
    key: str
    signature: str


class InitialRatingSetEntry(TypedDict):
    """A part of an answer."""

    at: str
    by: str
    kind: Literal["initial_rating.set"]
    payload: InitialRatingSetPayload
    position: int
    previous: str
    sha256: str
    sealed: NotRequired[dict[str, Any]]
    salts: NotRequired[dict[str, str]]
    left_out: NotRequired[list[str]]


class InitialRatingSetEventData(TypedDict):
    """A part of an answer."""

    league: str
    position: int
    by: str
    payload: InitialRatingSetPayload
    sha256: str
    #: External ids of players, by handle.
    external_ids: NotRequired[dict[str, dict[str, str]]]


class InitialRatingSetEvent(TypedDict):
    """A part of an answer."""

    type: Literal["initial_rating.set"]
    timestamp: str
    data: InitialRatingSetEventData


class InitialRatingSetPayload(TypedDict):
    """A part of an answer."""

    player: str
    rating: float


class KnownLine(TypedDict):
    """A part of an answer."""

    status: Literal[200]
    game: GameShape


class LadderChangedEntry(TypedDict):
    """A part of an answer."""

    at: str
    by: str
    kind: Literal["ladder.created", "ladder.changed"]
    payload: LadderChangedPayload
    position: int
    previous: str
    sha256: str
    sealed: NotRequired[dict[str, Any]]
    salts: NotRequired[dict[str, str]]
    left_out: NotRequired[list[str]]


class LadderChangedEventData(TypedDict):
    """A part of an answer."""

    league: str
    position: int
    by: str
    payload: LadderChangedPayload
    sha256: str
    #: External ids of players, by handle.
    external_ids: NotRequired[dict[str, dict[str, str]]]


class LadderChangedEvent(TypedDict):
    """A part of an answer."""

    type: Literal["ladder.created", "ladder.changed"]
    timestamp: str
    data: LadderChangedEventData


class LadderChangedPayload(TypedDict):
    """A part of an answer."""

    ladder: str
    title: str
    ended_on: str | None


class LadderRankedEntry(TypedDict):
    """A part of an answer."""

    at: str
    by: str
    kind: Literal["ladder.rule_adopted"]
    payload: LadderRankedPayload
    position: int
    previous: str
    sha256: str
    sealed: NotRequired[dict[str, Any]]
    salts: NotRequired[dict[str, str]]
    left_out: NotRequired[list[str]]


class LadderRankedEventData(TypedDict):
    """A part of an answer."""

    league: str
    position: int
    by: str
    payload: LadderRankedPayload
    sha256: str
    #: External ids of players, by handle.
    external_ids: NotRequired[dict[str, dict[str, str]]]


class LadderRankedEvent(TypedDict):
    """A part of an answer."""

    type: Literal["ladder.rule_adopted"]
    timestamp: str
    data: LadderRankedEventData


LadderRankedPayload = TypedDict(
    "LadderRankedPayload",
    {
        "ladder": "str",
        "from": "str",
        "to": "str | None",
        "method": "str",
        "cadence": "str",
        "parameters": "dict[str, Any]",
    },
)


class LeagueChangedEntry(TypedDict):
    """A part of an answer."""

    at: str
    by: str
    kind: Literal["league.changed"]
    payload: LeagueChangedPayload
    position: int
    previous: str
    sha256: str
    sealed: NotRequired[dict[str, Any]]
    salts: NotRequired[dict[str, str]]
    left_out: NotRequired[list[str]]


class LeagueChangedEventData(TypedDict):
    """A part of an answer."""

    league: str
    position: int
    by: str
    payload: LeagueChangedPayload
    sha256: str
    #: External ids of players, by handle.
    external_ids: NotRequired[dict[str, dict[str, str]]]


class LeagueChangedEvent(TypedDict):
    """A part of an answer."""

    type: Literal["league.changed"]
    timestamp: str
    data: LeagueChangedEventData


class LeagueChangedPayload(TypedDict):
    """What changed."""

    title: NotRequired[str]
    game: NotRequired[str]
    description: NotRequired[str]
    time_zone: NotRequired[str]
    visibility: NotRequired[str]
    min_games: NotRequired[int]
    inactive_after_days: NotRequired[int | None]
    close_after_hours: NotRequired[int]
    closing: NotRequired[str]
    language: NotRequired[str]
    reporting: NotRequired[str]
    report_hours: NotRequired[int]
    report_timeout: NotRequired[str]
    colour: NotRequired[str]
    division: NotRequired[str]
    charge: NotRequired[str]
    metadata: NotRequired[dict[str, str]]
    played_by: NotRequired[str]


class LeagueCreatedEntry(TypedDict):
    """A part of an answer."""

    at: str
    by: str
    kind: Literal["league.created"]
    payload: LeagueCreatedPayload
    position: int
    previous: str
    sha256: str
    sealed: NotRequired[dict[str, Any]]
    salts: NotRequired[dict[str, str]]
    left_out: NotRequired[list[str]]


class LeagueCreatedEventData(TypedDict):
    """A part of an answer."""

    league: str
    position: int
    by: str
    payload: LeagueCreatedPayload
    sha256: str
    #: External ids of players, by handle.
    external_ids: NotRequired[dict[str, dict[str, str]]]


class LeagueCreatedEvent(TypedDict):
    """A part of an answer."""

    type: Literal["league.created"]
    timestamp: str
    data: LeagueCreatedEventData


class LeagueCreatedPayload(TypedDict):
    """A part of an answer."""

    slug: str
    title: str
    game: str
    description: str
    time_zone: str
    visibility: str
    min_games: int
    inactive_after_days: int | None
    close_after_hours: int
    closing: str
    language: str
    reporting: str
    report_hours: int
    report_timeout: str
    colour: str
    division: str
    charge: str
    metadata: NotRequired[dict[str, str]]
    played_by: NotRequired[str]


class LeagueRestoredEntry(TypedDict):
    """A part of an answer."""

    at: str
    by: str
    kind: Literal["league.restored"]
    payload: LeagueRestoredPayload
    position: int
    previous: str
    sha256: str
    sealed: NotRequired[dict[str, Any]]
    salts: NotRequired[dict[str, str]]
    left_out: NotRequired[list[str]]


class LeagueRestoredEventData(TypedDict):
    """A part of an answer."""

    league: str
    position: int
    by: str
    payload: LeagueRestoredPayload
    sha256: str
    #: External ids of players, by handle.
    external_ids: NotRequired[dict[str, dict[str, str]]]


class LeagueRestoredEvent(TypedDict):
    """A part of an answer."""

    type: Literal["league.restored"]
    timestamp: str
    data: LeagueRestoredEventData


class LeagueRestoredPayload(TypedDict):
    """A part of an answer."""

    slug: str
    entries: int
    sha256: str
    public: NotRequired[bool]


class LinkMadeEntry(TypedDict):
    """A part of an answer."""

    at: str
    by: str
    kind: Literal["link.made", "link.reworded"]
    payload: LinkMadePayload
    position: int
    previous: str
    sha256: str
    sealed: NotRequired[dict[str, Any]]
    salts: NotRequired[dict[str, str]]
    left_out: NotRequired[list[str]]


class LinkMadeEventData(TypedDict):
    """A part of an answer."""

    league: str
    position: int
    by: str
    payload: LinkMadePayload
    sha256: str
    #: External ids of players, by handle.
    external_ids: NotRequired[dict[str, dict[str, str]]]


class LinkMadeEvent(TypedDict):
    """A part of an answer."""

    type: Literal["link.made", "link.reworded"]
    timestamp: str
    data: LinkMadeEventData


class LinkMadePayload(TypedDict):
    """A part of an answer."""

    link: str
    seal: str


class LinkRevokedEntry(TypedDict):
    """A part of an answer."""

    at: str
    by: str
    kind: Literal["link.revoked"]
    payload: LinkRevokedPayload
    position: int
    previous: str
    sha256: str
    sealed: NotRequired[dict[str, Any]]
    salts: NotRequired[dict[str, str]]
    left_out: NotRequired[list[str]]


class LinkRevokedEventData(TypedDict):
    """A part of an answer."""

    league: str
    position: int
    by: str
    payload: LinkRevokedPayload
    sha256: str
    #: External ids of players, by handle.
    external_ids: NotRequired[dict[str, dict[str, str]]]


class LinkRevokedEvent(TypedDict):
    """A part of an answer."""

    type: Literal["link.revoked"]
    timestamp: str
    data: LinkRevokedEventData


class LinkRevokedPayload(TypedDict):
    """A part of an answer."""

    link: str


class LogPage(TypedDict):
    """`next` is the URL for later entries; poll it again."""

    results: list[LogEntry]
    next: str


class LoggedGame(TypedDict):
    """A game in the log."""

    number: int
    played_at: str
    kind: str
    external_id: str | None
    details: dict[str, Any]
    note: str
    weight: NotRequired[float]
    metadata: NotRequired[dict[str, str]]
    withheld: NotRequired[dict[str, Any]]
    results: list[LoggedResult]


class LoggedResult(TypedDict):
    """A part of an answer."""

    player: str
    score: float | None
    place: int | None
    side: NotRequired[int | None]
    recorded_as: NotRequired[str]


class LookupInputRequest(TypedDict):
    """Whom to look up, and what of them."""

    #: External ids (`provider:id`), handles or names.
    players: list[str]
    #: What to answer of each player; all by default.
    fields: NotRequired[list[FieldsEnum]]


class MatrixNotice(TypedDict):
    """A part of an answer."""

    text: str
    html: str


class NamedInputRequest(TypedDict):
    """The name of a new player on the sheet."""

    #: As in the results: a handle, or an external id such as discord:42.
    handle: str
    #: The name shown on pages.
    name: str


class OutcomePlayerShape(TypedDict):
    """A player's change in one outcome; the values of ``parts``, added in order, give ``change``."""

    player: str
    seat: int
    score: float | None
    place: int | None
    change: float
    after: dict[str, float]
    rating_after: float
    performance: float | None
    figures: list[ValueShape]
    parts: list[ValueShape]
    words: str


class OutcomeShape(TypedDict):
    """One outcome; ``shift`` is added to every rating of the league."""

    players: list[OutcomePlayerShape]
    pairs: list[PairShape]
    shift: float


class PairShape(TypedDict):
    """The intermediate values of a pair of players."""

    seats: list[int]
    players: list[str]
    figures: list[ValueShape]


class PeriodDecidedEntry(TypedDict):
    """A part of an answer."""

    at: str
    by: str
    kind: Literal["period.reopened", "period.carried"]
    payload: PeriodDecidedPayload
    position: int
    previous: str
    sha256: str
    sealed: NotRequired[dict[str, Any]]
    salts: NotRequired[dict[str, str]]
    left_out: NotRequired[list[str]]


class PeriodDecidedEventData(TypedDict):
    """A part of an answer."""

    league: str
    position: int
    by: str
    payload: PeriodDecidedPayload
    sha256: str
    #: External ids of players, by handle.
    external_ids: NotRequired[dict[str, dict[str, str]]]


class PeriodDecidedEvent(TypedDict):
    """A part of an answer."""

    type: Literal["period.reopened", "period.carried"]
    timestamp: str
    data: PeriodDecidedEventData


class PeriodDecidedPayload(TypedDict):
    """A part of an answer."""

    ladder: str
    period: str
    edition: int
    reason: str
    digest: NotRequired[str]


class PlayerChangedEntry(TypedDict):
    """A part of an answer."""

    at: str
    by: str
    kind: Literal["player.changed"]
    payload: PlayerChangedPayload
    position: int
    previous: str
    sha256: str
    sealed: NotRequired[dict[str, Any]]
    salts: NotRequired[dict[str, str]]
    left_out: NotRequired[list[str]]


class PlayerChangedEventData(TypedDict):
    """A part of an answer."""

    league: str
    position: int
    by: str
    payload: PlayerChangedPayload
    sha256: str
    #: External ids of players, by handle.
    external_ids: NotRequired[dict[str, dict[str, str]]]


class PlayerChangedEvent(TypedDict):
    """A part of an answer."""

    type: Literal["player.changed"]
    timestamp: str
    data: PlayerChangedEventData


class PlayerChangedPayload(TypedDict):
    """Changed fields without values."""

    player: str
    given: list[str]
    active: NotRequired[bool]


class PlayerFieldsSetEntry(TypedDict):
    """A part of an answer."""

    at: str
    by: str
    kind: Literal["player.fields_set"]
    payload: PlayerFieldsSetPayload
    position: int
    previous: str
    sha256: str
    sealed: NotRequired[dict[str, Any]]
    salts: NotRequired[dict[str, str]]
    left_out: NotRequired[list[str]]


class PlayerFieldsSetEventData(TypedDict):
    """A part of an answer."""

    league: str
    position: int
    by: str
    payload: PlayerFieldsSetPayload
    sha256: str
    #: External ids of players, by handle.
    external_ids: NotRequired[dict[str, dict[str, str]]]


class PlayerFieldsSetEvent(TypedDict):
    """A part of an answer."""

    type: Literal["player.fields_set"]
    timestamp: str
    data: PlayerFieldsSetEventData


class PlayerFieldsSetPayload(TypedDict):
    """A part of an answer."""

    player: str
    shown: NotRequired[dict[str, Any]]
    withheld: NotRequired[dict[str, Any]]


class PlayerMergedEntry(TypedDict):
    """A part of an answer."""

    at: str
    by: str
    kind: Literal["player.merged", "player.unmerged"]
    payload: PlayerMergedPayload
    position: int
    previous: str
    sha256: str
    sealed: NotRequired[dict[str, Any]]
    salts: NotRequired[dict[str, str]]
    left_out: NotRequired[list[str]]


class PlayerMergedEventData(TypedDict):
    """A part of an answer."""

    league: str
    position: int
    by: str
    payload: PlayerMergedPayload
    sha256: str
    #: External ids of players, by handle.
    external_ids: NotRequired[dict[str, dict[str, str]]]


class PlayerMergedEvent(TypedDict):
    """A part of an answer."""

    type: Literal["player.merged", "player.unmerged"]
    timestamp: str
    data: PlayerMergedEventData


class PlayerMergedPayload(TypedDict):
    """A part of an answer."""

    player: str
    into: str


class PlayerNameShape(TypedDict):
    """A player whom a text may mean."""

    handle: str
    name: str


class PlayerNamedEntry(TypedDict):
    """A part of an answer."""

    at: str
    by: str
    kind: Literal["player.created", "player.erased"]
    payload: PlayerNamedPayload
    position: int
    previous: str
    sha256: str
    sealed: NotRequired[dict[str, Any]]
    salts: NotRequired[dict[str, str]]
    left_out: NotRequired[list[str]]


class PlayerNamedEventData(TypedDict):
    """A part of an answer."""

    league: str
    position: int
    by: str
    payload: PlayerNamedPayload
    sha256: str
    #: External ids of players, by handle.
    external_ids: NotRequired[dict[str, dict[str, str]]]


class PlayerNamedEvent(TypedDict):
    """A part of an answer."""

    type: Literal["player.created", "player.erased"]
    timestamp: str
    data: PlayerNamedEventData


class PlayerNamedPayload(TypedDict):
    """A part of an answer."""

    player: str


class ProblemShape(TypedDict):
    """A problem document (RFC 9457)."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    #: 409 of a void game: the game that replaced it.
    replaced_by: NotRequired[int]
    errors: list[ErrorShape]


class ProspectPlayerShape(TypedDict):
    """A player before the game; ``figures`` are the values common to all outcomes."""

    player: str
    name: str
    seat: int
    #: The number of the player's side; null without sides.
    side: int | None
    games: int
    before: dict[str, float]
    rating_before: float
    figures: list[ValueShape]


class ProspectShape(TypedDict):
    """A preview: the outcome that was sent, or all outcomes (without ties if there are more than two sides)."""

    played_at: str
    system: str
    rule: RuleShape
    formula: str
    #: How much it counts; normally 1.
    weight: float
    players: list[ProspectPlayerShape]
    pairs: list[PairShape]
    outcomes: list[OutcomeShape]


class RecordedLine(TypedDict):
    """A part of an answer."""

    status: Literal[201]
    game: GameShape


class RefusedLine(TypedDict):
    """A part of an answer."""

    status: Literal[400, 401, 403, 404, 409, 412, 413, 415, 422, 503, 507]
    problem: ProblemShape


class ReportNotedEntry(TypedDict):
    """A part of an answer."""

    at: str
    by: str
    kind: Literal[
        "report.entered",
        "report.answered",
        "report.disputed",
        "report.confirmed",
        "report.refused",
        "report.withdrawn",
        "report.overdue",
        "report.twin",
        "report.lapsed",
        "report.reopened",
        "report.reworded",
    ]
    payload: ReportNotedPayload
    position: int
    previous: str
    sha256: str
    sealed: NotRequired[dict[str, Any]]
    salts: NotRequired[dict[str, str]]
    left_out: NotRequired[list[str]]


class ReportNotedEventData(TypedDict):
    """A part of an answer."""

    league: str
    position: int
    by: str
    payload: ReportNotedPayload
    sha256: str
    #: External ids of players, by handle.
    external_ids: NotRequired[dict[str, dict[str, str]]]


class ReportNotedEvent(TypedDict):
    """A part of an answer."""

    type: Literal[
        "report.entered",
        "report.answered",
        "report.disputed",
        "report.confirmed",
        "report.refused",
        "report.withdrawn",
        "report.overdue",
        "report.twin",
        "report.lapsed",
        "report.reopened",
        "report.reworded",
    ]
    timestamp: str
    data: ReportNotedEventData


class ReportNotedPayload(TypedDict):
    """A player's report; `game` is the recorded game."""

    report: str
    seal: str
    game: NotRequired[int]


class ResultInputRequest(TypedDict):
    """One player's result."""

    #: Handle or alias.
    player: str
    score: NotRequired[float | None]
    #: 1 is first; equal places are a tie.
    place: NotRequired[int | None]
    #: Players of one team have the same number and share their result: 1, 1, 2, 2.
    side: NotRequired[int | None]
    #: The worksheet from which the score is computed, if the system has one: for every seat or for none.
    worksheet: NotRequired[dict[str, float | None] | None]
    #: The points of the player's side in each set, if the league's rule has sets: `[11, 9, 11]`. Score or place then
    #: follow and may be omitted. For one player of each side, or for all.
    sets: NotRequired[list[int] | None]
    #: Whether the player's side stopped before the end of the match; the other side wins. Default: false.
    retired: NotRequired[bool]
    #: The values of declared fields of the seat, by key.
    fields: NotRequired[dict[str, str | float | bool | None] | None]


class ResultShape(TypedDict):
    """One player's result in a game; the last five are null if the game is not rated."""

    seat: int
    player: str
    name: str
    score: float | None
    place: int | None
    side: int | None
    #: The worksheet from which the score was computed, if any.
    worksheet: NotRequired[dict[str, float]]
    #: The points of the player's side in each set, if any.
    sets: NotRequired[list[int]]
    #: Present and true if the player's side stopped before the end.
    retired: NotRequired[bool]
    rating_before: float | None
    rating_after: float | None
    change: float | None
    games: int | None
    performance: float | None
    #: The values of declared fields of the seat, if seats have fields.
    fields: NotRequired[dict[str, str | float | bool | None]]


class RowPage(TypedDict):
    """A page; next is the address of the next one."""

    results: list[RowShape]
    next: str | None


class RowShape(TypedDict):
    """A row of the leaderboard."""

    rank: int
    #: With a filter by a field: the rank among all; `rank` is that among these.
    rank_overall: NotRequired[int]
    player: str
    name: str
    score: float
    rating: float
    games: int
    change: float
    last_game: str
    #: Every field of the system's state by its key, the rating first; GET systems/ describes them.
    state: dict[str, float]
    #: Whether the rating is still provisional.
    provisional: bool


class RuleAdoptedEntry(TypedDict):
    """A part of an answer."""

    at: str
    by: str
    kind: Literal["rule.adopted"]
    payload: RuleAdoptedPayload
    position: int
    previous: str
    sha256: str
    sealed: NotRequired[dict[str, Any]]
    salts: NotRequired[dict[str, str]]
    left_out: NotRequired[list[str]]


class RuleAdoptedEventData(TypedDict):
    """A part of an answer."""

    league: str
    position: int
    by: str
    payload: RuleAdoptedPayload
    sha256: str
    #: External ids of players, by handle.
    external_ids: NotRequired[dict[str, dict[str, str]]]


class RuleAdoptedEvent(TypedDict):
    """A part of an answer."""

    type: Literal["rule.adopted"]
    timestamp: str
    data: RuleAdoptedEventData


RuleAdoptedPayload = TypedDict(
    "RuleAdoptedPayload",
    {
        "from": "str",
        "system": "str",
        "parameters": "dict[str, Any]",
        "season": "NotRequired[SeasonShape]",
        "start": "NotRequired[str]",
        "sets": "NotRequired[SetsShape]",
    },
)

RuleShape = TypedDict(
    "RuleShape",
    {
        "from": "str",
        "system": "str",
        "parameters": "dict[str, Any]",
        "start": "StartEnum",
        "season": "NotRequired[SeasonShape]",
        "sets": "NotRequired[SetsShape]",
    },
)


class RuleWithdrawnEntry(TypedDict):
    """A part of an answer."""

    at: str
    by: str
    kind: Literal["rule.withdrawn"]
    payload: RuleWithdrawnPayload
    position: int
    previous: str
    sha256: str
    sealed: NotRequired[dict[str, Any]]
    salts: NotRequired[dict[str, str]]
    left_out: NotRequired[list[str]]


class RuleWithdrawnEventData(TypedDict):
    """A part of an answer."""

    league: str
    position: int
    by: str
    payload: RuleWithdrawnPayload
    sha256: str
    #: External ids of players, by handle.
    external_ids: NotRequired[dict[str, dict[str, str]]]


class RuleWithdrawnEvent(TypedDict):
    """A part of an answer."""

    type: Literal["rule.withdrawn"]
    timestamp: str
    data: RuleWithdrawnEventData


RuleWithdrawnPayload = TypedDict("RuleWithdrawnPayload", {"from": "str"})


class SeasonNotedEntry(TypedDict):
    """A part of an answer."""

    at: str
    by: str
    kind: Literal[
        "season.created",
        "season.changed",
        "season.entered",
        "season.entry_changed",
        "season.moved",
        "season.linked",
        "season.drawn",
        "season.closed",
        "season.revised",
        "season.cancelled",
    ]
    payload: SeasonNotedPayload
    position: int
    previous: str
    sha256: str
    sealed: NotRequired[dict[str, Any]]
    salts: NotRequired[dict[str, str]]
    left_out: NotRequired[list[str]]


class SeasonNotedEventData(TypedDict):
    """A part of an answer."""

    league: str
    position: int
    by: str
    payload: SeasonNotedPayload
    sha256: str
    #: External ids of players, by handle.
    external_ids: NotRequired[dict[str, dict[str, str]]]


class SeasonNotedEvent(TypedDict):
    """A part of an answer."""

    type: Literal[
        "season.created",
        "season.changed",
        "season.entered",
        "season.entry_changed",
        "season.moved",
        "season.linked",
        "season.drawn",
        "season.closed",
        "season.revised",
        "season.cancelled",
    ]
    timestamp: str
    data: SeasonNotedEventData


class SeasonNotedPayload(TypedDict):
    """A change of a season: the changed rows whole, and the keys of removed rows by table."""

    season: NotRequired[str]
    season_settings: NotRequired[dict[str, Any]]
    season_entries: NotRequired[list[dict[str, Any]]]
    season_parts: NotRequired[list[dict[str, Any]]]
    season_edition: NotRequired[dict[str, Any]]
    removed: NotRequired[dict[str, Any]]
    reason: NotRequired[str]
    digest: NotRequired[str]
    salt: NotRequired[str]


class SeasonShape(TypedDict):
    """When seasons begin, and how far ratings then move towards the starting rating."""

    days: list[str]
    pull: float


class SetsShape(TypedDict):
    """How the sets of a match count."""

    #: The most sets of a match: 1, 3, 5, 7 or 9.
    best_of: int
    #: Games, in tennis.
    to: int
    clear_by: int
    #: The side that reaches it wins by one point, such as 30 in badminton. Empty: none.
    cap: int | None
    #: Such as 10 for a super tie-break. Empty: as the others.
    last_to: int | None
    #: At 6–6 in tennis a tie-break to 7 decides the set, which counts 7–6. Empty: none.
    tie_break: int | None
    retired: RetiredEnum


class SlackNotice(TypedDict):
    """A part of an answer."""

    text: str
    blocks: list[dict[str, Any]]
    unfurl_links: bool


class SplitShape(TypedDict):
    """A split into sides."""

    sides: list[BalancedSideShape]
    #: Twice the lowest expected score: 1 if even, 0 if a side cannot win.
    quality: float
    #: Null: every exchange would break a party or another wish.
    swap: SwapShape | None
    #: People on one side who should be apart, for each wish.
    broken: list[list[str]]
    #: Whether all splits were compared: none is better but those before it.
    exact: bool


class SwapShape(TypedDict):
    """Two players whose exchange changes the expected results most, and the figures after it."""

    players: list[str]
    #: Of each side, in order.
    expected: list[float]
    quality: float
    words: str


class TestEventData(TypedDict):
    """A part of an answer."""

    league: str
    webhook: str


class TestEvent(TypedDict):
    """A part of an answer."""

    type: Literal["webhook.test"]
    timestamp: str
    data: TestEventData


class TextErasedEntry(TypedDict):
    """A part of an answer."""

    at: str
    by: str
    kind: Literal["text.erased"]
    payload: TextErasedPayload
    position: int
    previous: str
    sha256: str
    sealed: NotRequired[dict[str, Any]]
    salts: NotRequired[dict[str, str]]
    left_out: NotRequired[list[str]]


class TextErasedEventData(TypedDict):
    """A part of an answer."""

    league: str
    position: int
    by: str
    payload: TextErasedPayload
    sha256: str
    #: External ids of players, by handle.
    external_ids: NotRequired[dict[str, dict[str, str]]]


class TextErasedEvent(TypedDict):
    """A part of an answer."""

    type: Literal["text.erased"]
    timestamp: str
    data: TextErasedEventData


class TextErasedPayload(TypedDict):
    """A part of an answer."""

    position: int


class ValueShape(TypedDict):
    """An intermediate value, with its symbol in the source."""

    key: str
    symbol: str
    value: float
    label: str


BatchLine = RecordedLine | KnownLine | RefusedLine

LogEntry = (
    LeagueCreatedEntry
    | LeagueChangedEntry
    | LeagueRestoredEntry
    | RuleAdoptedEntry
    | RuleWithdrawnEntry
    | InitialRatingSetEntry
    | PlayerNamedEntry
    | PlayerChangedEntry
    | PlayerMergedEntry
    | GameRecordedEntry
    | GameCorrectedEntry
    | GameVoidedEntry
    | GameRestoredEntry
    | GamesMovedEntry
    | AdjustmentMadeEntry
    | AdjustmentVoidedEntry
    | ContextChangedEntry
    | ContextRemovedEntry
    | FieldDeclaredEntry
    | PlayerFieldsSetEntry
    | LadderChangedEntry
    | LadderRankedEntry
    | EditionPublishedEntry
    | EditionRedactedEntry
    | PeriodDecidedEntry
    | HeadPublishedEntry
    | LinkMadeEntry
    | LinkRevokedEntry
    | ReportNotedEntry
    | SeasonNotedEntry
    | HallNotedEntry
    | CompetitionNotedEntry
    | TextErasedEntry
    | ClockAcceptedEntry
)

WebhookBody = (
    AdjustmentMadeEvent
    | AdjustmentVoidedEvent
    | ClockAcceptedEvent
    | CompetitionNotedEvent
    | ContextChangedEvent
    | ContextRemovedEvent
    | EditionPublishedEvent
    | EditionRedactedEvent
    | FieldDeclaredEvent
    | GameCorrectedEvent
    | GameRecordedEvent
    | GameRestoredEvent
    | GameVoidedEvent
    | GamesMovedEvent
    | HallNotedEvent
    | HeadPublishedEvent
    | InitialRatingSetEvent
    | LadderChangedEvent
    | LadderRankedEvent
    | LeagueChangedEvent
    | LeagueCreatedEvent
    | LeagueRestoredEvent
    | LinkMadeEvent
    | LinkRevokedEvent
    | PeriodDecidedEvent
    | PlayerChangedEvent
    | PlayerFieldsSetEvent
    | PlayerMergedEvent
    | PlayerNamedEvent
    | ReportNotedEvent
    | RuleAdoptedEvent
    | RuleWithdrawnEvent
    | SeasonNotedEvent
    | TestEvent
    | TextErasedEvent
)
