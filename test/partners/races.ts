/**
 * Races on a real Postgres, where statements truly run at once: `node test/partners/races.ts <DATABASE_URL>`.
 * PGlite is one session and proves nothing here. The database must be empty, and is left filled.
 */
import { startDeployment } from "./support/deployment.ts";
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
} from "./support/wallet.ts";

const [databaseUrl, rounds = "40"] = process.argv.slice(2);
if (databaseUrl === undefined) throw new Error("name an empty database");
const causeway = await startDeployment({ databaseUrl });
const isolates = [causeway, causeway.isolate(), causeway.isolate()];
const at = (i: number) => isolates[i % isolates.length] ?? causeway;
const build = async (headers: Record<string, string>) =>
  (await call(causeway, ["POST", "/v1/quote/build"], { headers, body: {} })).status;
const rotate = (i: number, headers: Record<string, string>) =>
  call(at(i), ["POST", "/v1/partners/api-keys/rotate"], { headers });
const successes = (answers: readonly Answer[]) => answers.filter(({ status }) => status < 300);
const many = <T>(count: number, work: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)));
const tally: Record<string, number> = {};
const count = (name: string, ok: boolean) => {
  const key = `${name}: ${ok ? "held" : "BROKEN"}`;
  tally[key] = (tally[key] ?? 0) + 1;
};

for (let round = 0; round < Number(rounds); round += 1) {
  const partner = await makePartner(causeway);
  const rotated = await many(20, (i) => rotate(i, asPair(partner)));
  const [winner] = successes(rotated);
  const losersTold = rotated.every(({ status }) => status === 200 || status === 401);
  count("20 rotations by one pair, one winner, losers told", successes(rotated).length === 1 && losersTold);
  count(
    "old pair dead, new pair works",
    (await build(asPair(partner))) === 401 && (await build(asPair(winner?.body ?? {}))) === 422,
  );

  const bySession = await many(20, (i) => rotate(i, asSession(i % 2 === 0 ? partner.session_token : "")));
  count("rotation by pair ended the session", successes(bySession).length === 0);
  const session = asSession((await login(causeway, partner.wallet)).body["session_token"]);
  const several = successes(await many(20, (i) => rotate(i, session)));
  let working = 0;
  for (const { body } of several) if ((await build(asPair(body))) === 422) working += 1;
  count("20 rotations by one session, one working pair", several.length > 0 && working === 1);

  const wallet = newWallet();
  const applied = await many(10, () => apply(causeway, wallet));
  count("10 applications of one address, one filed", successes(applied).length === 1);
  const id = successes(applied)[0]?.body["application_id"];
  const decided = await many(10, (i) => decide(at(i), i % 2 === 0 ? "approve" : "reject", id));
  count("10 decisions, one made", successes(decided).length === 1);
  if (successes(decided)[0]?.body["status"] === "rejected") {
    await decide(causeway, "reopen", id);
    await decide(causeway, "approve", id);
  }
  const registered = await many(10, () => register(causeway, wallet));
  count("10 registrations, one made", successes(registered).length === 1);

  const victim = await makePartner(causeway);
  const [revoked, ...raced] = await Promise.all([
    decide(causeway, "revoke", victim.applicationId),
    ...Array.from({ length: 6 }, () => login(causeway, victim.wallet)),
    ...Array.from({ length: 6 }, (_, i) => rotate(i, asPair(victim))),
  ]);
  await decide(causeway, "reopen", victim.applicationId);
  await decide(causeway, "approve", victim.applicationId);
  let alive = 0;
  for (const { body } of raced) {
    if (body["api_key"] !== undefined && (await build(asPair(body))) !== 401) alive += 1;
    if (body["session_token"] === undefined) continue;
    const me = await call(causeway, ["GET", "/v1/partners/me"], {
      headers: asSession(body["session_token"]),
    });
    if (me.status !== 401) alive += 1;
  }
  count("revocation against logins and rotations, nothing survives", revoked.status === 200 && alive === 0);
}
for (const line of Object.entries(tally).sort()) console.log(line.join(" "));
await causeway.close();
process.exitCode = Object.keys(tally).some((name) => name.endsWith("BROKEN")) ? 1 : 0;
