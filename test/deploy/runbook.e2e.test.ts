import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { z } from "zod";
import { Api } from "../support/e2e/api.ts";
import { chainOf, newUser, vaultNamed } from "../support/e2e/chain.ts";
import { query } from "../support/e2e/database.ts";
import { amounts, bodyFor, depositAndCheck } from "../support/e2e/deposit.ts";
import { serviceAt } from "../support/e2e/partner.ts";
import { type SecondWorker, startWorker } from "../support/e2e/worker.ts";
import { asPair, asSession, call, login, makePartner, newWallet } from "../support/partners/wallet.ts";

const [old, fresh] = ["the-old-pepper-of-thirty-two-characters", "the-fresh-pepper-of-thirty-two-characters"];
let worker: SecondWorker;
const service = () => serviceAt(worker.origin);
/** Acts like `wrangler secret put`: a version with the new value takes over. */
const put = (variables: Record<string, string>) => worker.restart({ redisPrefix: "runbook", variables });
const peppers = (versions: Record<string, string>) => ({ PARTNER_PEPPERS: JSON.stringify(versions) });
/** Returns 422 for valid credentials, because the body is empty, and 401 for others. */
const knock = async (pair: object): Promise<number> =>
  (await call(service(), ["POST", "/v1/quote/build"], { body: {}, headers: asPair(pair) })).status;
const statusOf = async (path: string, headers: Record<string, string> = {}): Promise<number> =>
  (await service().send(path, { headers })).status;

beforeAll(async () => {
  worker = await startWorker({ redisPrefix: "runbook", variables: peppers({ 1: old }) });
});
afterAll(() => worker?.close());

describe("runbook: rotating secrets", () => {
  test("the pepper keeps old API keys valid until it is removed; then their owners rotate them", async () => {
    const wallet = newWallet();
    const partner = await makePartner(service(), wallet);
    await put(peppers({ 1: old, 2: fresh }));
    expect(await knock(partner)).toBe(422);
    const other = await makePartner(service());
    const left = await query("select pepper_version, count(*) from api_keys group by 1");
    expect(left.map((row) => row["pepper_version"])).toEqual(expect.arrayContaining([1, 2]));
    await put(peppers({ 2: fresh }));
    expect([await knock(partner), await knock(other)]).toEqual([401, 422]);
    const headers = asSession((await login(service(), wallet)).body["session_token"]);
    const rotated = await call(service(), ["POST", "/v1/partners/api-keys/rotate"], { body: {}, headers });
    expect(await knock(rotated.body)).toBe(422);
  });

  test("the Redis token leaves reads and API keys working and sign-in unavailable in between", async () => {
    const partner = await makePartner(service());
    await put({ ...peppers({ 2: fresh }), UPSTASH_REDIS_REST_TOKEN: "of-yesterday" });
    expect([await statusOf("/v1/vaults"), await knock(partner)]).toEqual([200, 422]);
    const asked = await call(service(), ["POST", "/v1/partners/nonce"], {
      body: { address: partner.address, purpose: "login" },
    });
    expect([asked.status, asked.body["code"]]).toEqual([503, "store_unavailable"]);
    const Ready = z.object({ dependencies: z.array(z.object({ name: z.string(), ok: z.boolean() })) });
    const ready = Ready.parse(await (await service().send("/health/ready")).json());
    expect(ready.dependencies.filter(({ ok }) => !ok).map(({ name }) => name)).toEqual(["redis"]);
  });

  test("the administrator's token changes at once", async () => {
    const ADMIN_TOKEN = "a".repeat(40);
    await put({ ...peppers({ 2: fresh }), ADMIN_TOKEN });
    const asked = [inject("stack").admin_token, ADMIN_TOKEN].map((token) =>
      statusOf("/v1/admin/vaults", { authorization: `Bearer ${token}` }),
    );
    expect(await Promise.all(asked)).toEqual([401, 200]);
  });
});

test("runbook: a deposit missing after a restore is found by its transaction hash", async () => {
  const api = new Api();
  const vault = vaultNamed("Plain USDC");
  const user = await newUser(chainOf(vault.chain_id), { USDC: amounts.USDC });
  const body = bodyFor(vault, { user: user.address });
  const { built, hash } = await depositAndCheck(api, { vault, user, style: "calls", body });
  expect(
    await query("delete from deposits where tracking_id = $1 returning 1", [built.tracking_id]),
  ).toHaveLength(1);
  expect(await api.status(hash, vault.chain_id)).toMatchObject({ status: "DONE", substatus: "COMPLETED" });
});
