/**
 * Races between partners' requests on a real Postgres, where statements truly run at once, over several isolates:
 * PGlite is one session and proves nothing here.
 *
 *   node scripts/stress/partner-races.ts
 *   node scripts/stress/partner-races.ts --rounds 200
 */
import { type Isolate, startDeployment } from "../../test/support/partners/deployment.ts";
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
} from "../../test/support/partners/wallet.ts";
import { readArguments } from "../command.ts";
import { withRealPostgres } from "../db/real-postgres.ts";

const { values: options } = readArguments({
  help: `Races partners' requests on a real Postgres, over several isolates.

  node scripts/stress/partner-races.ts [--rounds 40]

  --rounds  how many
  --help    show this text`,
  options: { rounds: { type: "string", default: "40" } },
});

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
  const losersTold = rotated.every(({ status }) => status === 200 || status === 401);
  const one = successes(rotated).length === 1 && losersTold;
  claim(contest, ["20 rotations by one pair: one winner, losers told", one]);
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

/** One nonce, a thousand requests at once over all isolates, then a thousand one after the other. */
async function raceNonce(contest: Contest): Promise<void> {
  const [isolate] = contest.isolates;
  const { wallet } = await makePartner(isolate);
  const { message: _, ...body } = await signNonce(isolate, { wallet, purpose: "login" });
  const send = (i: number) => call(at(contest, i), ["POST", "/v1/partners/login"], { body });
  claim(contest, [
    "1,000 uses of one nonce at once: one success",
    successes(await many(1_000, send)).length === 1,
  ]);
  let replayed = 0;
  for (let i = 0; i < 1_000; i += 1) if ((await send(i)).status !== 401) replayed += 1;
  claim(contest, ["1,000 replays: none", replayed === 0]);
}

async function run(databaseUrl: string): Promise<boolean> {
  const causeway = await startDeployment({ databaseUrl });
  const isolates = [causeway, causeway.isolate(), causeway.isolate()] as const;
  const contest: Contest = { isolates, tally: new Map() };
  try {
    await raceNonce(contest);
    for (let round = 0; round < Number(options.rounds); round += 1) {
      await raceRotations(contest);
      await raceApplications(contest);
      await raceRevocation(contest);
    }
  } finally {
    await causeway.close();
  }
  for (const [name, { held, broken }] of contest.tally)
    console.log(`${name}: held ${held}, broken ${broken}`);
  const broken = [...contest.tally.values()].reduce((sum, one) => sum + one.broken, 0);
  console.log(`partner races: ${options.rounds} rounds, ${broken} claims broken`);
  return broken === 0;
}

process.exit((await withRealPostgres(run)) ? 0 : 1);
