import { expect, test } from "vitest";
import { type Isolate, startTestDeployment } from "../../scripts/stack/test-deployment.ts";
import {
  type Answer,
  apply,
  asPair,
  asSession,
  call,
  decide,
  login,
  makePartner,
  newWallet,
  register,
  signNonce,
} from "../support/partners/wallet.ts";

/** More rounds, and a real Postgres, under `npm run stress`. */
const ROUNDS = Number(process.env["PARTNER_RACE_ROUNDS"] ?? "1");
const NONCE_USES = ROUNDS > 1 ? 1_000 : 100;
const DATABASE_URL = process.env["TEST_DATABASE_URL"];

/** The isolates of one deployment, and how often each claim held or broke. */
interface Contest {
  isolates: readonly [Isolate, ...Isolate[]];
  tally: Map<string, { held: number; broken: number }>;
}

type Headers = Record<string, string>;

const at = ({ isolates }: Contest, i: number): Isolate => isolates[i % isolates.length] ?? isolates[0];
const successes = (answers: readonly Answer[]): Answer[] => answers.filter(({ status }) => status < 300);
const many = <T>(count: number, work: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)));
/** 422 says that the caller was let in, 401 that not. */
const build = async ({ isolates }: Contest, headers: Headers): Promise<number> =>
  (await call(isolates[0], ["POST", "/v1/quote/build"], { headers, body: {} })).status;
const rotate = (isolate: Isolate, headers: Headers): Promise<Answer> =>
  call(isolate, ["POST", "/v1/partners/api-keys/rotate"], { headers });

function claim({ tally }: Contest, [name, holds]: readonly [string, boolean]): void {
  const { held, broken } = tally.get(name) ?? { held: 0, broken: 0 };
  tally.set(name, holds ? { held: held + 1, broken } : { held, broken: broken + 1 });
}

async function raceRotations(contest: Contest): Promise<void> {
  const [isolate] = contest.isolates;
  const partner = await makePartner(isolate);
  const rotated = await many(20, (i) => rotate(at(contest, i), asPair(partner)));
  const [winner] = successes(rotated);
  const losersRefused = rotated.every(({ status }) => status === 200 || status === 401);
  const one = successes(rotated).length === 1 && losersRefused;
  claim(contest, ["20 rotations by one pair: one winner, losers refused", one]);
  const [old, fresh] = [
    await build(contest, asPair(partner)),
    await build(contest, asPair(winner?.body ?? {})),
  ];
  claim(contest, ["the old pair is dead, the new one works", old === 401 && fresh === 422]);
  const bySession = await many(20, (i) => rotate(at(contest, i), asSession(partner.session_token)));
  claim(contest, ["a rotation by pair ended the session", successes(bySession).length === 0]);
  const session = asSession((await login(isolate, partner.wallet)).body["session_token"]);
  const several = successes(await many(20, (i) => rotate(at(contest, i), session)));
  let working = 0;
  for (const { body } of several) if ((await build(contest, asPair(body))) === 422) working += 1;
  claim(contest, ["20 rotations by one session: one working pair", several.length > 0 && working === 1]);
}

async function raceApplications(contest: Contest): Promise<void> {
  const [isolate] = contest.isolates;
  const wallet = newWallet();
  const applied = await many(10, (i) => apply(at(contest, i), wallet));
  claim(contest, ["10 applications of one address: one filed", successes(applied).length === 1]);
  const id = successes(applied)[0]?.body["application_id"];
  const decided = await many(10, (i) => decide(at(contest, i), i % 2 === 0 ? "approve" : "reject", id));
  claim(contest, ["10 decisions: one made", successes(decided).length === 1]);
  if (successes(decided)[0]?.body["status"] === "rejected") {
    await decide(isolate, "reopen", id);
    await decide(isolate, "approve", id);
  }
  const registered = await many(10, (i) => register(at(contest, i), wallet));
  claim(contest, ["10 registrations: one made", successes(registered).length === 1]);
}

async function raceRevocation(contest: Contest): Promise<void> {
  const [isolate] = contest.isolates;
  const victim = await makePartner(isolate);
  const [revoked, ...raced] = await Promise.all([
    decide(isolate, "revoke", victim.applicationId),
    ...Array.from({ length: 6 }, (_, i) => login(at(contest, i), victim.wallet)),
    ...Array.from({ length: 6 }, (_, i) => rotate(at(contest, i), asPair(victim))),
  ]);
  await decide(isolate, "reopen", victim.applicationId);
  await decide(isolate, "approve", victim.applicationId);
  let alive = 0;
  for (const { body } of raced) {
    if (body["api_key"] !== undefined && (await build(contest, asPair(body))) !== 401) alive += 1;
    if (body["session_token"] === undefined) continue;
    const headers = asSession(body["session_token"]);
    if ((await call(isolate, ["GET", "/v1/partners/me"], { headers })).status !== 401) alive += 1;
  }
  const dead = revoked.status === 200 && alive === 0;
  claim(contest, ["a revocation against logins and rotations: nothing survives it", dead]);
}

/** One nonce, used by many requests at once over all isolates, then replayed one after the other. */
async function raceNonce(contest: Contest): Promise<void> {
  const [isolate] = contest.isolates;
  const { wallet } = await makePartner(isolate);
  const { message: _, ...body } = await signNonce(isolate, { wallet, purpose: "login" });
  const send = (i: number) => call(at(contest, i), ["POST", "/v1/partners/login"], { body });
  claim(contest, [
    "concurrent uses of one nonce: one success",
    successes(await many(NONCE_USES, send)).length === 1,
  ]);
  let replayed = 0;
  for (let i = 0; i < NONCE_USES; i += 1) if ((await send(i)).status !== 401) replayed += 1;
  claim(contest, ["replays of a spent nonce: none", replayed === 0]);
}

test(`${ROUNDS} rounds of concurrent rotations, applications, revocations and nonce uses have one winner each`, {
  timeout: 3_600_000,
}, async () => {
  const causeway = await startTestDeployment(DATABASE_URL === undefined ? {} : { databaseUrl: DATABASE_URL });
  const isolates = [causeway, causeway.isolate(), causeway.isolate()] as const;
  const contest: Contest = { isolates, tally: new Map() };
  try {
    await raceNonce(contest);
    for (let round = 0; round < ROUNDS; round += 1) {
      await raceRotations(contest);
      await raceApplications(contest);
      await raceRevocation(contest);
    }
  } finally {
    await causeway.close();
  }
  const broken = [...contest.tally].filter(([, tally]) => tally.broken > 0).map(([name]) => name);
  expect(broken).toEqual([]);
  expect(contest.tally.size).toBe(10);
});
