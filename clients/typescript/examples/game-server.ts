// A game server: people join by the ids that they have here, two even teams play, and the result is rated.
// LEAGUE=arena URL=https://rungs.example TOKEN=rungs_… node game-server.js 7 12 19 23
import { type Game, Rungs, RungsError } from "@rungs/client";

declare const process: { env: Record<string, string>; argv: string[]; exitCode?: number };
const { LEAGUE: league = "", URL: url = "", TOKEN: token = "" } = process.env;
const rungs = new Rungs(url, { token });

/** Shows what the league knows of the people; returns the position of its log. */
async function join(accounts: string[]): Promise<number> {
  const found = await rungs.lookup(league, accounts, ["rating", "games"]);
  for (const row of found.results) console.log(`${row.asked} is ${row.player}, who has played ${row.games}`);
  for (const account of found.unknown) console.log(`${account} is new`);
  return found.as_of;
}

/** Makes two even teams, lets the first one win, and records it: an `external_id` is recorded once. */
async function play(accounts: string[], match: string): Promise<void> {
  const answer = await rungs.balance(league, { players: accounts, count: 1 });
  const sides = answer.splits[0]?.sides.map((side) => side.players) ?? [];
  console.log(sides.map((side) => side.join(" and ")).join(" against "));
  const results = sides.flatMap((side, index) => side.map((player) => ({ player, side: index + 1, place: index + 1 })));
  const game: Game = { external_id: match, results, create_players: true };
  const recorded = await rungs.record(league, game);
  for (const { player, change } of recorded.results) {
    const shown = (change ?? 0).toFixed(2);
    console.log(`${player} ${shown.startsWith("-") ? "" : "+"}${shown}`);
  }
}

/** Follows the league until it has the match, as another of your servers would. */
async function follow(position: number, match: string): Promise<void> {
  for await (const entry of rungs.stream(league, position)) {
    console.log(`log ${entry.kind}`);
    if (entry.kind === "game.recorded" && entry.payload.external_id === match) return;
  }
}

async function main(numbers: string[]): Promise<void> {
  const accounts = numbers.map((number) => `arena:${number}`);
  const match = `arena/${numbers.join("-")}`;
  const position = await join(accounts);
  await Promise.all([follow(position, match), play(accounts, match)]);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof RungsError)) throw error;
  console.error([error.detail, ...error.errors.map((one) => one.detail)].join("\n"));
  process.exitCode = 1;
}
