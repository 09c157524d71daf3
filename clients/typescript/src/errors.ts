/** What a site refuses, and names that mean several players. */

import type { components } from "./schema.js";

export type Schemas = components["schemas"];
type Problem = Schemas["ProblemShape"];

/** A name in a request that means several players. */
export interface Ambiguity {
  /** Where the name stands in the request, such as `/results/0/player`. */
  pointer: string;
  candidates: Schemas["PlayerNameShape"][];
}

/** Responses after which the same request may succeed: too many requests, and a site that is away for a moment. */
const TEMPORARY = new Set([429, 502, 503, 504]);

/** A refusal of the site, which means that nothing was written. */
export class RungsError extends Error {
  override readonly name = "RungsError";
  /** The status of the response. */
  readonly status: number;
  /** A word that stays the same in v1; the page `/docs/problems/{code}/` of the site explains it. */
  readonly code: string;
  /** A sentence that says what to do. */
  readonly detail: string;
  /** Each error of the request, with a pointer into its body. */
  readonly errors: Schemas["ErrorShape"][];

  constructor(
    readonly problem: Problem,
    /** The seconds of `Retry-After`, if the response has them. */
    readonly retryAfter?: number,
  ) {
    super(`${problem.status} ${problem.code}: ${problem.detail}`);
    this.status = problem.status;
    this.code = problem.code;
    this.detail = problem.detail;
    this.errors = problem.errors;
  }

  /** Whether the same request may succeed a little later. */
  get isTemporary(): boolean {
    return TEMPORARY.has(this.status) || this.code === "underway";
  }

  /** The names that mean several players, each with those whom it may mean. */
  get ambiguous(): Ambiguity[] {
    return listAmbiguous(this.problem);
  }
}

/** Returns the names of a request that mean several players. */
export function listAmbiguous(problem: Problem): Ambiguity[] {
  const found = problem.errors.filter((one) => one.code === "ambiguous_player");
  return found.map((one) => ({ pointer: one.pointer, candidates: one.candidates ?? [] }));
}

/** Returns the error of a response; that of a proxy is no problem document, and has the code `unknown`. */
export function readError(answer: Response, text: string): RungsError {
  const asked = answer.headers.get("Retry-After")?.trim() ?? "";
  const retryAfter = /^\d+$/.test(asked) ? Number(asked) : undefined;
  const problem = readProblem(text);
  if (problem) return new RungsError({ ...problem, errors: problem.errors ?? [] }, retryAfter);
  const detail = `The server answered ${answer.status}, and not as Rungs does. Check the address of the site.`;
  const unknown = { type: "about:blank", title: answer.statusText, code: "unknown", detail, errors: [] };
  return new RungsError({ ...unknown, status: answer.status }, retryAfter);
}

function readProblem(text: string): Problem | undefined {
  try {
    const told: unknown = JSON.parse(text);
    const isProblem = typeof told === "object" && told !== null && "code" in told && typeof told.code === "string";
    return isProblem ? (told as unknown as Problem) : undefined;
  } catch {
    return undefined;
  }
}

type Place = Record<string, unknown>;
const readSteps = (pointer: string): string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));

/** Returns a copy of a request with other texts in some places: pointer -> handle. */
export function replaceNames<Body>(body: Body, handles: Record<string, string>): Body {
  const changed = structuredClone(body);
  for (const [pointer, handle] of Object.entries(handles)) {
    const steps = readSteps(pointer);
    const last = steps.pop() ?? "";
    const place = steps.reduce((at, step) => at[step] as Place, changed as Place);
    place[last] = handle;
  }
  return changed;
}

/** Returns the text of a request to which a pointer leads. */
export function readName(body: unknown, pointer: string): string {
  return String(readSteps(pointer).reduce((at, step) => (at as Place)[step], body));
}
