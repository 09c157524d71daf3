// What the client for TypeScript does with a site that fails (tests.helpers.faulty_site); faults.py does the same.
import { Rungs, RungsError, Unanswered } from "@rungs/client";

declare const process: { env: Record<string, string> };
const { URL: url = "", TOKEN: token = "" } = process.env;
const rungs = new Rungs(url, { token, retries: { attempts: 4, first: 0.01 } });

for (const league of ["passing", "long", "proxy", "refusing", "dead"])
  try {
    const game = await rungs.record(league, { results: [{ player: "anna", score: 1 }] }, { key: `key-${league}` });
    console.log(league, game.number);
  } catch (error) {
    if (error instanceof RungsError) console.log(league, error.status, error.code, error.detail);
    else if (error instanceof Unanswered) console.log(league, "no answer");
    else throw error;
  }

const escape = (text: string): string =>
  text.replace(/[^ -~]/gu, (one) => `\\u${(one.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`);
for await (const entry of rungs.stream("breaking", 0)) {
  console.log("entry", entry.position, escape(entry.by));
  if (entry.position === 4) break;
}
for (const wrong of [`${token}\n`, `${token} `, ""])
  try {
    new Rungs(url, { token: wrong });
  } catch (error) {
    console.log(error instanceof TypeError ? error.message : error);
  }
