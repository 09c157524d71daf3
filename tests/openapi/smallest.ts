// The smallest bodies that the API takes, as somebody writes them against types made by openapi-typescript's defaults.
import type { paths } from "./schema";

type Json<T> = T extends { content: { "application/json": infer Body } } ? Body : never;
type Body<Path extends keyof paths, Method extends keyof paths[Path]> =
  paths[Path][Method] extends { requestBody?: infer Sent } ? Json<NonNullable<Sent>> : never;
type League = "/api/v1/leagues/{league}/";

const results = [{ player: "a", score: 1 }, { player: "b", score: 0 }];
export const game: Body<`${League}games/`, "post"> = { results };
export const correction: Body<`${League}games/{number}/correct/`, "post"> = { results, reason: "misread" };
export const placed: Body<`${League}preview/`, "post"> = { results: [{ player: "a" }, { player: "b" }] };
export const reason: Body<`${League}games/{number}/void/`, "post"> = { reason: "a friendly" };
export const rule: Body<`${League}rules/`, "post"> = { system: "elo" };
export const league: Body<"/api/v1/leagues/", "post"> = { slug: "club", title: "Club", rule };
export const settings: Body<League, "patch"> = { min_games: 3 };
export const player: Body<"/api/v1/players/", "post"> = { handle: "a" };
export const merge: Body<"/api/v1/players/{player}/merge/", "post"> = { into: "b" };
export const ladder: Body<`${League}ladders/`, "post"> = { slug: "month", title: "Month", method: "points", cadence: "month" };
export const period: Body<`${League}ladders/{ladder}/periods/{period}/close/`, "post"> = {};
export const webhook: Body<`${League}webhooks/`, "post"> = { url: "https://club.example/hooks" };
export const token: Body<"/api/v1/tokens/", "post"> = { name: "server-7", scope: "record", leagues: ["club"] };

// What is answered is there without asking whether it is.
type Answer = paths[`${League}games/`]["post"]["responses"][201]["content"]["application/json"];
export const change = (answer: Answer): number | null => answer.results[0].change;

// @ts-expect-error A misspelt field is refused by the types, too.
export const misspelt: Body<`${League}games/`, "post"> = { results, extrenal_id: "1" };
