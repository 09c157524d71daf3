/** A client of a Rungs site. */

import { type RungsError, type Schemas, listAmbiguous, readError, readName, replaceNames } from "./errors.js";
import {
  Events,
  MAX_GAMES,
  MAX_TEXTS,
  type Retries,
  SILENCE,
  buildHeaders,
  buildPath,
  checkSite,
  cutInto,
  joinFound,
  pauseAfter,
  sleep,
} from "./requests.js";

export type Game = Schemas["GameInputRequest"];
export type Query = Record<string, string | number | undefined>;
type Line = Schemas["BatchLine"];
type Candidates = Schemas["PlayerNameShape"][];
type Chosen = string | null | undefined;

/** How a client behaves. */
export interface Options {
  /** A token of the site; without it, only public things are seen, and nothing is recorded. */
  token?: string;
  /** Chooses whom an ambiguous name means. Without it, or without a choice, `RungsError.ambiguous` lists the players. */
  choose?: (name: string, candidates: Candidates) => Chosen | Promise<Chosen>;
  retries?: Partial<Retries>;
  /** Milliseconds after which a request without an answer is sent again. */
  timeout?: number;
}

/** A request without an answer that can be read: the network failed, or it took too long. */
export class Unanswered extends Error {
  override readonly name = "Unanswered";
}

interface Sent {
  method: "GET" | "POST";
  path: string;
  body?: unknown;
  key?: string;
  query?: Record<string, string>;
}

/** A site, as a program sees it. */
export class Rungs {
  readonly #site: string;
  readonly #headers: Record<string, string>;
  readonly #choose: Options["choose"];
  readonly #retries: Retries;
  readonly #timeout: number;

  constructor(url: string, { token, choose, retries, timeout = 30_000 }: Options = {}) {
    this.#site = checkSite(url);
    this.#headers = buildHeaders(token);
    this.#choose = choose;
    this.#retries = { attempts: 5, first: 0.5, longest: 60, ...retries };
    this.#timeout = timeout;
  }

  /**
   * Records a game, and returns it with each player's rating before and after.
   *
   * A request that is sent again takes effect once. With a `key`, or an `external_id` of the game, so does a repeated
   * call, also after your program was restarted.
   */
  async record(league: string, game: Game, { key = makeKey() }: { key?: string } = {}): Promise<Schemas["GameShape"]> {
    return this.#askByName(buildPath(league, "games"), game, key);
  }

  /**
   * Records games, and returns one line for each: its `game`, or the `problem` for which it was refused.
   *
   * They are sent in batches of `size`, at most 1,000. If a batch fails, those before it are recorded: call again with
   * the same `key` and the same games within a day, or with games that have an `external_id`.
   */
  async recordMany(
    league: string,
    games: Iterable<Game>,
    { key = makeKey(), size = 500 }: { key?: string; size?: number } = {},
  ): Promise<Line[]> {
    if (!(size >= 1 && size <= MAX_GAMES)) throw new RangeError(`A batch has 1 to ${MAX_GAMES} games.`);
    const lines: Line[] = [];
    let number = 0;
    for (const part of cutInto(games, size))
      lines.push(...(await this.#recordBatch(league, part, `${key}/${number++}`)));
    return lines;
  }

  /**
   * Looks up players by external ids, handles or names, a thousand in each request.
   *
   * `as_of` is the position in the log to which the figures belong: `stream` from there misses nothing.
   */
  async lookup(
    league: string,
    players: Iterable<string>,
    fields?: Schemas["LookupInputRequest"]["fields"],
  ): Promise<Schemas["FoundPlayersShape"]> {
    const path = buildPath(league, "players", "lookup");
    const parts = [...cutInto(players, MAX_TEXTS)];
    const answers: Schemas["FoundPlayersShape"][] = [];
    for (const part of parts.length ? parts : [[]])
      answers.push(await this.#ask({ method: "POST", path, body: { players: part, fields } }));
    return joinFound(answers);
  }

  /** Returns what a game would change, by the result that it has or by every possible one; nothing is written. */
  async preview(league: string, game: Game): Promise<Schemas["ProspectShape"]> {
    return this.#askByName(buildPath(league, "preview"), game, makeKey());
  }

  /** Returns the fairest splits of up to 24 people into sides; nothing is written. */
  async balance(league: string, people: Schemas["BalanceInputRequest"]): Promise<Schemas["BalanceShape"]> {
    return this.#askByName(buildPath(league, "balance"), people, makeKey());
  }

  /** Yields the rows of the board from the first place on, page by page; `limit` is the size of a page. */
  board(league: string, query: Query = {}): AsyncGenerator<Schemas["RowShape"]> {
    return this.#readPages(buildPath(league, "leaderboard"), query);
  }

  /** Yields the changes of a player's rating, page by page; `from` and `to` are days. */
  history(league: string, player: string, query: Query = {}): AsyncGenerator<Schemas["ChangeShape"]> {
    return this.#readPages(buildPath(league, "players", player, "history"), query);
  }

  /**
   * Yields each entry of the league's log after a position, and then each new one as it is made, without an end.
   *
   * A stream that breaks is opened again where it was; `attempts` is how often in a row that may fail (as often as it
   * takes). A refusal, such as 400 of a position beyond the end of the log, is thrown. `signal` ends the stream.
   */
  async *stream(
    league: string,
    after = 0,
    { attempts, signal }: { attempts?: number; signal?: AbortSignal } = {},
  ): AsyncGenerator<Schemas["LogEntry"]> {
    const events = new Events(after);
    for (let failures = 0; !signal?.aborted;) {
      events.restart();
      let asked = 0;
      try {
        for await (const piece of this.#openStream(league, events.position, signal)) {
          failures = 0;
          yield* events.read(piece);
        }
      } catch (error) {
        if (signal?.aborted) return;
        failures += 1;
        if (failures === attempts || !mayBeRepeated(error)) throw error;
        asked = isRefusal(error) ? (error.retryAfter ?? 0) : 0;
      }
      await sleep(events.pauseAfter(failures, asked));
    }
  }

  /** Yields the pieces of a stream, as long as it says something. */
  async *#openStream(league: string, position: number, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    const silent = new AbortController();
    const end = (): void => silent.abort();
    let timer = setTimeout(end, SILENCE);
    signal?.addEventListener("abort", end);
    try {
      const headers = { ...this.#headers, Accept: "text/event-stream", "Last-Event-ID": `${position}` };
      const address = this.#site + buildPath(league, "changes");
      const answer = await answered(fetch(address, { headers, signal: silent.signal }));
      if (!answer.ok) throw readError(answer, await answered(answer.text()));
      const reader = answer.body?.getReader();
      for (let piece; reader && !(piece = await answered(reader.read())).done;) {
        clearTimeout(timer);
        timer = setTimeout(end, SILENCE);
        yield piece.value;
      }
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      silent.abort();
    }
  }

  /** Records a batch; games with names that were ambiguous are sent again with the handles that were chosen. */
  async #recordBatch(league: string, games: Game[], key: string): Promise<Line[]> {
    const batch = { method: "POST", path: buildPath(league, "games", "batch"), query: { format: "json" } } as const;
    const lines: Line[] = await this.#ask({ ...batch, body: games, key });
    const again = new Map<number, Game>();
    for (const [number, line] of lines.entries()) {
      const game = games[number];
      const handles = game && "problem" in line ? await this.#chooseHandles(game, line.problem) : undefined;
      if (game && handles) again.set(number, replaceNames(game, handles));
    }
    if (!again.size) return lines;
    const answers: Line[] = await this.#ask({ ...batch, body: [...again.values()], key: `${key}/chosen` });
    const places = [...again.keys()];
    return lines.map((line, number) => answers[places.indexOf(number)] ?? line);
  }

  /** Sends a body that names players; once more if an ambiguous name was chosen. */
  async #askByName<Answer>(path: string, body: unknown, key: string): Promise<Answer> {
    try {
      return await this.#ask({ method: "POST", path, body, key });
    } catch (error) {
      const handles = isRefusal(error) ? await this.#chooseHandles(body, error.problem) : undefined;
      if (!handles) throw error;
      return await this.#ask({ method: "POST", path, body: replaceNames(body, handles), key: `${key}/chosen` });
    }
  }

  /** Returns pointer -> handle for the ambiguous names of a body; undefined if one of them was not chosen. */
  async #chooseHandles(body: unknown, problem: Schemas["ProblemShape"]): Promise<Record<string, string> | undefined> {
    const ambiguous = this.#choose ? listAmbiguous(problem) : [];
    const chosen = new Map<string, Chosen>();
    const handles: Record<string, string> = {};
    for (const { pointer, candidates } of ambiguous) {
      const name = readName(body, pointer);
      if (!chosen.has(name)) chosen.set(name, await this.#choose?.(name, candidates));
      const handle = chosen.get(name);
      if (!handle) return undefined;
      handles[pointer] = handle;
    }
    return ambiguous.length ? handles : undefined;
  }

  /** Yields the rows of a list, page by page; of the next page's address the query is used, never the site. */
  async *#readPages<Row>(path: string, given: Query): AsyncGenerator<Row> {
    const used = Object.entries(given).filter(([, value]) => value !== undefined);
    let query: Record<string, string> = Object.fromEntries(used.map(([name, value]) => [name, String(value)]));
    while (true) {
      const page: { results: Row[]; next: string | null } = await this.#ask({ method: "GET", path, query });
      yield* page.results;
      if (page.next === null) return;
      query = Object.fromEntries(new URL(page.next).searchParams);
    }
  }

  /** Sends a request, again if need be, and returns the answer; a POST has a key, so that it takes effect once. */
  async #ask<Answer>(sent: Sent): Promise<Answer> {
    const key = sent.key ?? makeKey();
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#send<Answer>(sent, key);
      } catch (error) {
        const asked = isRefusal(error) ? error.retryAfter : undefined;
        const pause = mayBeRepeated(error) ? pauseAfter(this.#retries, attempt, asked) : undefined;
        if (pause === undefined) throw error;
        await sleep(pause);
      }
    }
  }

  async #send<Answer>({ method, path, body, query }: Sent, key: string): Promise<Answer> {
    const address = `${this.#site}${path}${query ? `?${new URLSearchParams(query)}` : ""}`;
    const headers: Record<string, string> = { ...this.#headers };
    if (method === "POST") Object.assign(headers, { "Content-Type": "application/json", "Idempotency-Key": key });
    const request: RequestInit = { method, headers, redirect: "manual", signal: AbortSignal.timeout(this.#timeout) };
    if (method === "POST") request.body = JSON.stringify(body);
    const answer = await answered(fetch(address, request));
    const text = await answered(answer.text());
    if (!answer.ok) throw readError(answer, text);
    return JSON.parse(text) as Answer;
  }
}

/** Returns an `Idempotency-Key` that was never used. */
const makeKey = (): string => crypto.randomUUID();

const isRefusal = (error: unknown): error is RungsError => error instanceof Error && error.name === "RungsError";
const mayBeRepeated = (error: unknown): boolean =>
  error instanceof Unanswered || (isRefusal(error) && error.isTemporary);

/** Returns what a part of a request gives, or throws that it was not answered. */
async function answered<Value>(part: Promise<Value>): Promise<Value> {
  try {
    return await part;
  } catch (cause) {
    throw new Unanswered("The site did not answer.", { cause });
  }
}
