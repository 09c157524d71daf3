/** What the client does with requests, without sending them: retries, addresses, and the lines of a stream. */

import type { Schemas } from "./errors.js";

/** How often, and after which pauses, a request is sent again. */
export interface Retries {
  /** How often a request is sent at most; 1 never sends it again. */
  attempts: number;
  /** Seconds of the first pause; each later one is twice as long. Up to half of a pause is left to chance. */
  first: number;
  /** The longest pause. If the site asks for a longer one, the request ends with the site's refusal. */
  longest: number;
}

/** The most texts that the site looks up in one request, and the most games that it records in one. */
export const MAX_TEXTS = 1000;
export const MAX_GAMES = 1000;
/** A stream says something after 15 silent seconds; one that says nothing for so many milliseconds is dead. */
export const SILENCE = 40_000;
/** The longest pause before a stream is opened again, in seconds. */
const LONGEST_PAUSE = 60;

/** Returns the seconds to wait after an attempt; undefined if it was the last one. */
export function pauseAfter(retries: Retries, attempt: number, retryAfter?: number): number | undefined {
  if (attempt >= retries.attempts) return undefined;
  if (retryAfter !== undefined) return retryAfter <= retries.longest ? retryAfter : undefined;
  return Math.min(retries.first * 2 ** (attempt - 1), retries.longest) * (0.5 + Math.random() / 2);
}

export const sleep = (seconds: number): Promise<void> => new Promise((done) => setTimeout(done, seconds * 1000));

/** Returns a site's address without a slash at its end; throws if it is none. */
export function checkSite(url: string): string {
  const parts = URL.canParse(url) ? new URL(url) : undefined;
  if (!parts || !["http:", "https:"].includes(parts.protocol) || parts.search || parts.hash)
    throw new TypeError("The address of a site is like https://rungs.example.");
  return url.replace(/\/+$/, "");
}

/** Returns the headers of every request; throws an error that does not show the token if it cannot be one. */
export function buildHeaders(token?: string): Record<string, string> {
  if (token === undefined) return { Accept: "application/json" };
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new TypeError("A token is one word without spaces or line ends; copy it again.");
  return { Accept: "application/json", Authorization: `Bearer ${token}` };
}

/** Returns the path of an address below `leagues/`. */
export const buildPath = (...parts: string[]): string =>
  `/api/v1/leagues/${parts.map((part) => `${encodeURIComponent(part)}/`).join("")}`;

/** Yields arrays of so many items; the last one may be shorter. */
export function* cutInto<Item>(items: Iterable<Item>, size: number): Generator<Item[]> {
  let piece: Item[] = [];
  for (const item of items) {
    piece.push(item);
    if (piece.length === size) {
      yield piece;
      piece = [];
    }
  }
  if (piece.length) yield piece;
}

type Found = Schemas["FoundPlayersShape"];

/** Returns the answers of several lookups as one, with the earliest position: nothing after it is missed. */
export function joinFound(answers: Found[]): Found {
  return {
    results: answers.flatMap((answer) => answer.results),
    unknown: answers.flatMap((answer) => answer.unknown),
    ambiguous: answers.flatMap((answer) => answer.ambiguous),
    as_of: Math.min(...answers.map((answer) => answer.as_of)),
  };
}

/** The entries in a stream of server-sent events, and the position after which it goes on. */
export class Events {
  /** Seconds after which a stream that ended is opened again. */
  private pause = 3;
  private rest = "";
  private data: string[] = [];
  private id = "";
  private decoder = new TextDecoder();

  constructor(public position: number) {}

  /** Forgets half an event: the stream begins anew. */
  restart(): void {
    this.rest = this.id = "";
    this.data = [];
    this.decoder = new TextDecoder();
  }

  /** Yields the entries that end within a piece. */
  *read(piece: Uint8Array): Generator<Schemas["LogEntry"]> {
    const lines = (this.rest + this.decoder.decode(piece, { stream: true })).split("\n");
    this.rest = lines.pop() ?? "";
    for (const line of lines.map((one) => one.replace(/\r$/, ""))) {
      if (line) this.readField(line);
      else if (this.data.length) {
        const entry: Schemas["LogEntry"] = JSON.parse(this.data.join("\n"));
        if (this.id) this.position = Number(this.id);
        this.data = [];
        this.id = "";
        yield entry;
      }
    }
  }

  /** Returns the seconds before the stream is opened again, after so many failures in a row; the site may ask. */
  pauseAfter(failures: number, asked: number): number {
    return Math.max(asked, Math.min(this.pause * 2 ** Math.max(failures - 1, 0), LONGEST_PAUSE));
  }

  /** Notes what a line says; a line that begins with a colon is a comment. */
  private readField(line: string): void {
    const [, name = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/su.exec(line) ?? [];
    if (name === "data") this.data.push(value);
    else if (name === "id") this.id = value;
    else if (name === "retry" && /^\d+$/.test(value)) this.pause = Number(value) / 1000;
  }
}
