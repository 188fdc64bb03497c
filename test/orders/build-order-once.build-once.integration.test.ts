import { keccak256, stringToHex } from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startTestDeployment, type TestDeployment } from "../../scripts/stack/test-deployment.ts";
import type { Context } from "../../src/context.ts";
import { releaseKey, renewKey, storeKeyResponse, takeKey } from "../../src/db/queries/idempotency-queries.ts";
import { idempotency } from "../../src/db/tables/deposit-tables.ts";
import { stringifyWithBigints } from "../../src/lib/bigint-json.ts";
import { buildOnce } from "../../src/orders/build-order-once.ts";
import type { PartnerProof } from "../../src/partners/partner-actor.ts";
import { BuildInput } from "../../src/schemas/build-input-schema.ts";
import type { BuiltDeposit } from "../../src/schemas/quote-schema.ts";
import { OTHER, USDC, USER, VAULT } from "../support/deposits/fixtures.ts";

const NOW = Date.parse("2026-06-15T12:00:00Z");
const CLIENT = "192.0.2.1";
const KEY = "a key";
/** What is thrown where the request is built anew instead of answered. */
const ANEW = "built anew";
const scope = `client:${CLIENT}:${USER.toLowerCase()}`;
const answer = { tracking_id: "trk_of_the_first" } as BuiltDeposit;
const asked = (change: Record<string, unknown> = {}): BuildInput =>
  BuildInput.parse({
    ...{ from_chain_id: 31337, from_token: USDC, from_amount: "1000000" },
    ...{ vault_id: `31337:${VAULT}`, user_address: USER, ...change },
  });
let causeway: TestDeployment;

beforeAll(async () => {
  causeway = await startTestDeployment();
});
afterAll(() => causeway?.close());
beforeEach(() => causeway.db.delete(idempotency));

/** Claims the key for the request, so many milliseconds ago, and answers it where the answer's end is given. */
async function first(of: { scope: string; agoMs?: number; expiresMs?: number }): Promise<void> {
  const { db } = causeway.context();
  const id = { scope: of.scope, key: KEY, owner: "the first" };
  await takeKey(db, {
    ...{ ...id, bodyHash: keccak256(stringToHex(stringifyWithBigints(asked()))) },
    now: new Date(NOW - (of.agoMs ?? 1_000)),
    expiry: { forgottenBefore: new Date(0), deadBefore: new Date(0) },
  });
  if (of.expiresMs === undefined) return;
  await storeKeyResponse(db, { ...id, response: answer, expiresAt: new Date(of.expiresMs) });
}

async function again(input: BuildInput, change: Partial<Context> = {}): Promise<BuiltDeposit> {
  const charge = () => Promise.reject(new Error(ANEW));
  const ctx = { ...causeway.context(), now: () => NOW, clientAddress: CLIENT, charge, ...change };
  const build = () => Promise.reject(new Error(ANEW));
  const { built, replayed } = await buildOnce<BuiltDeposit>(ctx, {
    ...{ key: KEY, asked: input, user: input.user_address, build },
  });
  expect(replayed).toBe(true);
  return built;
}

describe("buildOnce() under an answered idempotency key", () => {
  test("returns the stored answer until its quote has expired", async () => {
    await first({ scope, expiresMs: NOW + 1 });
    expect(await again(asked())).toEqual(answer);
    const over = again(asked(), { now: () => NOW + 1 });
    await expect(over).rejects.toMatchObject({ code: "quote_expired" });
  });

  test.each([
    ["another amount", { from_amount: "1000001" }],
    ["another token", { from_token: VAULT }],
    ["another slippage", { slippage: 0.01 }],
    ["another referrer", { referrer: OTHER }],
  ])("refuses a request with %s as idempotency conflict", async (_what, change) => {
    await first({ scope, expiresMs: NOW + 1 });
    await expect(again(asked(change))).rejects.toMatchObject({ code: "idempotency_conflict" });
  });

  test("builds again when the key is a day old", async () => {
    await first({ scope, agoMs: 86_400_000, expiresMs: NOW + 1 });
    expect(await again(asked())).toEqual(answer);
    await expect(again(asked(), { now: () => NOW + 1 })).rejects.toThrow(ANEW);
  });
});

test("buildOnce() frees an idempotency key four seconds after the last renewal of a killed build", async () => {
  await first({ scope, agoMs: 4_000 });
  await expect(again(asked())).rejects.toThrow(ANEW);
});

test("buildOnce() keeps an idempotency key while its build goes on", async () => {
  let end: (error: Error) => void = () => undefined;
  let now = NOW;
  const charge = () => new Promise<void>((_, reject) => (end = reject));
  const ended = again(asked(), { now: () => now, charge }).catch((error: unknown) => error);
  const claimedAt = async () => Number((await causeway.db.select().from(idempotency))[0]?.claimedAt);
  await expect.poll(claimedAt).toBe(NOW);
  now += 2_000;
  await expect.poll(claimedAt).toBe(now);
  end(new Error("over"));
  expect(await ended).toMatchObject({ message: "over" });
  expect(await causeway.db.select().from(idempotency)).toEqual([]);
});

test("buildOnce() never gives a second response to a key that another request has taken", async () => {
  await first({ scope });
  const { db } = causeway.context();
  const id = { scope, key: KEY };
  const late = { ...id, response: { tracking_id: "trk_late" } as BuiltDeposit, expiresAt: new Date(NOW) };
  expect(await renewKey(db, { ...id, owner: "killed", now: new Date(NOW) })).toBe(false);
  expect(await storeKeyResponse(db, { ...late, owner: "killed" })).toBe(false);
  expect(await storeKeyResponse(db, { ...late, owner: "the first" })).toBe(true);
  expect(await storeKeyResponse(db, { ...late, owner: "the first" })).toBe(false);
});

test("a request that did not see its response stored leaves it under its idempotency key", async () => {
  await first({ scope, expiresMs: NOW + 1 });
  await releaseKey(causeway.context().db, { scope, key: KEY, owner: "the first" });
  expect(await again(asked())).toEqual(answer);
});

describe("the scope of an idempotency key", () => {
  test("separates clients, and users of one client", async () => {
    await first({ scope, expiresMs: NOW + 1 });
    await expect(again(asked(), { clientAddress: "192.0.2.2" })).rejects.toThrow(ANEW);
    await expect(again(asked({ user_address: OTHER }))).rejects.toThrow(ANEW);
  });

  test.each<[PartnerProof, boolean]>([
    ["key", false],
    ["pair", true],
    ["session", true],
  ])("an answer of the partner for a caller with a %s: %s", async (proof, given) => {
    await first({ scope: `partner:${OTHER.toLowerCase()}`, expiresMs: NOW + 1 });
    const partner = { address: OTHER, partnerId: "p", partnerType: 1, vaults: null };
    const actor = {
      kind: "partner",
      partner,
      proof,
      keyVersion: 1,
      keyId: null,
      session: null,
      rights: ["build"],
    } as const;
    const outcome = again(asked(), { actor });
    if (given) expect(await outcome).toEqual(answer);
    else await expect(outcome).rejects.toThrow(ANEW);
  });
});
