// The ten calls of the client for TypeScript; calls.py does the same.
import { type Game, InvalidWebhook, Rungs, RungsError, replaceNames, verifyWebhook } from "@rungs/client";

declare const process: { env: Record<string, string> };
const { LEAGUE = "", URL: url = "", TOKEN: token = "", BODY = "", SECRET = "" } = process.env;
const { ID, TIMESTAMP = "", SIGNATURE } = process.env;
const show = (...words: unknown[]): void => console.log(words.join(" "));
const buildGame = (winner: string, loser: string): Game => ({
  results: [
    { player: winner, score: 1 },
    { player: loser, score: 0 },
  ],
});
const rungs = new Rungs(url, { token });
const chooses = new Rungs(`${url}/`, {
  token,
  choose: (name, candidates) => {
    show("choose", name, ...candidates.map((one) => one.handle));
    return candidates.at(-1)?.handle;
  },
});

async function record(): Promise<void> {
  const first = await rungs.record(LEAGUE, buildGame("arena:1", "ben2"));
  show("record", first.number, ...first.results.map((line) => line.change));
  const game = buildGame("Ben", "anna");
  try {
    await rungs.record(LEAGUE, game);
  } catch (error) {
    if (!(error instanceof RungsError)) throw error;
    for (const { pointer, candidates } of error.ambiguous) {
      show("refused", error.status, error.code, pointer, ...candidates.map((one) => one.handle));
      const again = await rungs.record(LEAGUE, replaceNames(game, { [pointer]: candidates[0]?.handle ?? "" }));
      show("resolved", ...again.results.map((line) => line.player), game.results[0]?.player);
    }
  }
  for (let time = 0; time < 2; time++) {
    const same = await chooses.record(LEAGUE, game, { key: `evening/${LEAGUE}` });
    show("chosen", same.number, ...same.results.map((line) => line.player));
  }
}

async function recordMany(): Promise<void> {
  const games = [buildGame("Ben", "anna"), buildGame("cleo", "anna"), buildGame("nobody", "anna")];
  for (let time = 0; time < 2; time++)
    for (const line of await chooses.recordMany(LEAGUE, games, { key: `night/${LEAGUE}`, size: 2 }))
      if (line.status === 201) show("many", line.status, line.game.number, line.game.results[0]?.player);
      else if (line.status !== 200) show("many", line.status, line.problem.errors[0]?.code);
}

async function read(): Promise<void> {
  const nobody = Array.from({ length: 999 }, (_, number) => `nobody-${number}`);
  const found = await rungs.lookup(LEAGUE, ["arena:3", ...nobody, "Ben", "cleo"], ["games"]);
  show("lookup", ...found.results.map((row) => `${row.asked}=${row.player}:${row.games}`));
  show("lookup", found.unknown.length, ...found.ambiguous, found.as_of);
  const prospect = await rungs.preview(LEAGUE, { results: [{ player: "arena:3" }, { player: "cleo" }] });
  show("preview", prospect.outcomes.length);
  const answer = await rungs.balance(LEAGUE, { players: ["anna", "arena:1", "ben2", "cleo"], count: 1 });
  show("balance", ...(answer.splits[0]?.sides ?? []).map((side) => [...side.players].sort().join(",")));
  const board: string[] = [];
  for await (const row of rungs.board(LEAGUE, { limit: 1 })) board.push(row.player);
  show("board", ...board);
  const games: (number | null)[] = [];
  for await (const change of rungs.history(LEAGUE, "anna", { limit: 2, from: "2020-01-01" })) games.push(change.game);
  show("history", ...games);
  const kinds: string[] = [];
  for await (const entry of rungs.stream(LEAGUE, found.as_of - 4)) if (kinds.push(entry.kind) === 4) break;
  show("stream", ...kinds);
}

async function refuse(): Promise<void> {
  const beyond = async (): Promise<void> => {
    for await (const _ of rungs.stream(LEAGUE, 1_000_000));
  };
  for (const refused of [beyond, () => rungs.preview("no-league", buildGame("anna", "cleo"))])
    try {
      await refused();
    } catch (error) {
      if (!(error instanceof RungsError)) throw error;
      show("refused", error.status, error.code);
    }
}

async function verify(): Promise<void> {
  const headers = { "Webhook-Id": ID, "Webhook-Timestamp": TIMESTAMP, "Webhook-Signature": SIGNATURE };
  const at = Number(TIMESTAMP);
  for (const [body, now] of [
    [BODY, at + 299],
    [BODY.replaceAll("1", "2"), at],
    [BODY, at + 301],
  ] as const)
    try {
      const told = await verifyWebhook(SECRET, headers, new TextEncoder().encode(body), { now });
      show("webhook", told.type, "position" in told.data ? told.data.position : undefined);
    } catch (error) {
      if (!(error instanceof InvalidWebhook)) throw error;
      show("webhook", error.message);
    }
}

for (const step of [record, recordMany, read, refuse, verify]) await step();
