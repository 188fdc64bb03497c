import { asc } from "drizzle-orm";
import type { Hex } from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startTestDeployment, type TestDeployment } from "../../scripts/stack/test-deployment.ts";
import type { DepositRow } from "../../src/db/queries/deposit-queries.ts";
import { deposits } from "../../src/db/tables/deposit-tables.ts";
import { depositHints } from "../../src/db/tables/deposit-tracking-tables.ts";
import { depositStates } from "../../src/schemas/deposit-schema.ts";
import { row, TRACKING_ID } from "../support/deposits/fixtures.ts";

const hashOf = (digit: string): Hex => `0x${digit.repeat(64)}`;
const [HASH, ELSE] = [hashOf("1"), hashOf("2")];
const bridged: Partial<DepositRow> = { provider: "across", fromChainId: 10 };
let causeway: TestDeployment;

beforeAll(async () => {
  causeway = await startTestDeployment();
});
afterAll(() => causeway?.close());
beforeEach(() => causeway.db.delete(deposits));

/** Stores a deposit like this and reports a hash for one of its steps. */
async function report(like: Partial<DepositRow>, body: unknown): Promise<{ status: number; json: unknown }> {
  await causeway.db.delete(deposits);
  await causeway.db.insert(deposits).values({ ...row, ...like });
  return send(body);
}

async function send(body: unknown): Promise<{ status: number; json: unknown }> {
  const answer = await causeway.send(`/v1/deposits/${TRACKING_ID}/tx`, {
    method: "PATCH",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: answer.status, json: await answer.json() };
}

const hints = async () =>
  (await causeway.db.select().from(depositHints).orderBy(asc(depositHints.chainId))).map(
    ({ chainId, txHash, origin }) => [chainId, txHash, origin],
  );
const stored = async () => (await causeway.db.select().from(deposits))[0];

describe("PATCH /v1/deposits/{tracking_id}/tx", () => {
  test.each<[string, number[]]>([
    ["source", [10]],
    ["deposit", [row.vaultChainId]],
    ["claim", [row.vaultChainId]],
    ["cancel", [10, row.vaultChainId]],
  ])("keeps a hash of the step %s as a hint on the chains where it may be", async (step, chains) => {
    expect((await report(bridged, { tx_hash: HASH, step })).status).toBe(200);
    expect(await hints()).toEqual(chains.map((chainId) => [chainId, HASH, "report"]));
  });

  test("changes neither the state nor a hash, whatever the deposit's state is", async () => {
    for (const state of depositStates) {
      const like = { state, sourceTxHash: ELSE, sourceProven: state !== "built" };
      const { status, json } = await report(like, { tx_hash: HASH });
      expect([status, json]).toMatchObject([200, { source_tx_hash: ELSE }]);
      expect(await stored()).toMatchObject({ ...like, history: row.history });
    }
  });

  test("accepts the owner's hash after any number of strangers' reports", async () => {
    await report({}, { tx_hash: hashOf("3") });
    for (let index = 0; index < 40; index += 1) {
      const stranger = `0x${index.toString(16).padStart(64, "a")}`;
      expect((await send({ tx_hash: stranger })).status).toBe(200);
    }
    expect((await send({ tx_hash: HASH })).status).toBe(200);
    const kept = await hints();
    expect(kept.map(([, hash]) => hash)).toContain(HASH);
    expect(kept.length).toBeLessThanOrEqual(16);
  });

  test("refuses an unknown step and an unknown deposit", async () => {
    expect((await report({}, { tx_hash: HASH, step: "third" })).status).toBe(422);
    await causeway.db.delete(deposits);
    expect(await send({ tx_hash: HASH })).toMatchObject({ status: 404, json: { code: "deposit_not_found" } });
  });
});
