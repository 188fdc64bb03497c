/**
 * Measures whether response times distinguish kinds of wrong credentials. Runs the real verb, drizzle and the driver
 * over a database that answers at once. The kinds take turns; each is compared with an unknown key by Welch's t-test.
 *
 *   node scripts/stress/credential-timing.ts
 *   node scripts/stress/credential-timing.ts --runs 100000
 */
import { bytesToHex } from "viem";
import { createContext, createRuntime } from "../../src/context.ts";
import { createDatabase, lazyDrizzle } from "../../src/db/database-client.ts";
import { Timing } from "../../src/lib/outside-call-timing.ts";
import { authenticateKey, type OfferedPair } from "../../src/partners/authenticate-partner.ts";
import { pepperedDigest } from "../../src/partners/credential-digest.ts";
import { generateCredential } from "../../src/partners/partner-credentials.ts";
import { readArguments } from "../command.ts";

const pepper = { version: 1, secret: "a-pepper-of-thirty-two-characters" };
const known = { key: generateCredential("live"), secret: generateCredential("secret") };
const hexOf = async (use: "key" | "secret", value: string) =>
  bytesToHex(await pepperedDigest(pepper, { use, value })).slice(2);
const [keyDigest, secretDigest] = [await hexOf("key", known.key), await hexOf("secret", known.secret)];

const columns: [name: string, type: number][] = [
  ["found", 16],
  ["address", 25],
  ["partnerId", 25],
  ["partnerType", 21],
  ["vaults", 3802],
  ["secretDigest", 25],
  ["pepperVersion", 23],
  ["keyVersion", 23],
  ["live", 16],
];
const fields = columns.map(([name, dataTypeID]) => ({ name, dataTypeID }));
const rowOf = (found: boolean) => [
  found ? "t" : "f",
  `0x${"1".repeat(40)}`,
  `ptr_${"1".repeat(32)}`,
  "2",
  null,
  found ? secretDigest : "0".repeat(64),
  found ? "1" : "0",
  found ? "1" : "0",
  found ? "t" : "f",
];
const answers = new Map(
  [true, false].map((found) => [
    found,
    JSON.stringify({ fields, rows: [rowOf(found)], command: "SELECT", rowCount: 1, rowAsArray: true }),
  ]),
);
const fetch = async (_url: string, init?: RequestInit): Promise<Response> =>
  new Response(answers.get(String(init?.body).includes(keyDigest)));
// Created before the database, because the context opened last decides where the driver's requests go.
const base = createContext(
  createRuntime({
    DATABASE_URL: "postgres://nobody:none@127.0.0.1:9/none",
    UPSTASH_REDIS_REST_URL: "http://127.0.0.1:9",
    UPSTASH_REDIS_REST_TOKEN: "none",
    PUBLIC_URL: "https://causeway.example",
  }),
  { requestId: () => "timing", clientAddress: "192.0.2.1", waitUntil: () => undefined },
);
const database = lazyDrizzle({
  databaseUrl: "postgresql://u:p@db.example/c",
  httpUrl: "http://db.example",
  fetch,
});
const context = {
  ...base,
  config: { ...base.config, partnerPeppers: [pepper] },
  db: createDatabase(database, new Timing(() => 0)),
};

const flip = (text: string): string => text.slice(0, -1) + (text.endsWith("A") ? "B" : "A");
const kinds: Record<string, OfferedPair> = {
  "unknown key": { key: generateCredential("live"), secret: generateCredential("secret") },
  "another unknown key": { key: generateCredential("live"), secret: generateCredential("secret") },
  "known key, wrong secret": { key: known.key, secret: generateCredential("secret") },
  "known key, secret of a wrong checksum": { key: known.key, secret: flip(known.secret) },
  "key in the secret's place": { key: known.key, secret: known.key },
  swapped: { key: known.secret, secret: known.key },
  "truncated key": { key: known.key.slice(0, -5), secret: known.secret },
  "key of a wrong checksum": { key: flip(known.key), secret: known.secret },
};

async function timeOf(offered: OfferedPair): Promise<number> {
  const startedAt = performance.now();
  const outcome = await authenticateKey(context, offered).then(
    () => "let in",
    (error: { code: string }) => error.code,
  );
  const took = performance.now() - startedAt;
  if (outcome !== "credentials_invalid") throw new Error(`expected a refusal, got: ${outcome}`);
  return took;
}

/** Returns the mean and the squared standard error, without the slowest tenth, which contains the machine's pauses. */
function summary(times: number[]): { mean: number; error: number } {
  const kept = times.sort((a, b) => a - b).slice(0, Math.floor(times.length * 0.9));
  const mean = kept.reduce((sum, time) => sum + time, 0) / kept.length;
  const variance = kept.reduce((sum, time) => sum + (time - mean) ** 2, 0) / (kept.length - 1);
  return { mean, error: variance / kept.length };
}

/** Shuffles the kinds, so that none is always first or always follows the same kind. */
function shuffled(list: readonly string[]): string[] {
  return list
    .map((name) => ({ name, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ name }) => name);
}

const { values: options } = readArguments({
  help: `Measures whether response times distinguish kinds of wrong credentials.

  node scripts/stress/credential-timing.ts [--runs 10000]

  --runs  measurements of each kind
  --help  show this text`,
  options: { runs: { type: "string", default: "10000" } },
});
const runs = Number(options.runs);
const names = Object.keys(kinds);
const times = new Map<string, number[]>(names.map((name) => [name, []]));
await authenticateKey(context, known);
for (let run = -runs / 10; run < runs; run += 1) {
  for (const name of shuffled(names)) {
    const offered = kinds[name];
    if (offered === undefined) continue;
    const took = await timeOf(offered);
    if (run >= 0) times.get(name)?.push(took);
  }
}
const reference = summary(times.get("unknown key") ?? []);
let worst = 0;
for (const [name, taken] of times) {
  const { mean, error } = summary(taken);
  const t = (mean - reference.mean) / Math.sqrt(error + reference.error);
  if (name !== "unknown key") worst = Math.max(worst, Math.abs(t));
  console.log(
    `${name.padEnd(40)} ${(mean * 1000).toFixed(1)} µs  t = ${t.toFixed(2)}  (${taken.length} runs)`,
  );
}
console.log(`worst |t| ${worst.toFixed(2)}, allowed 4.5`);
process.exitCode = worst < 4.5 ? 0 : 1;
