import { afterAll, beforeAll, expect, test } from "vitest";
import { CHAIN_ID, vaultRow } from "../../scripts/bench/vault-row.ts";
import { startTestDeployment, type TestDeployment } from "../../scripts/stack/test-deployment.ts";
import { snapshots, vaultFigures } from "../../src/db/tables/snapshot-tables.ts";
import { vaults } from "../../src/db/tables/vault-tables.ts";
import { takeSnapshots } from "../../src/history/take-vault-snapshots.ts";
import { contractsClient } from "../support/chains/multicall.ts";

let causeway: TestDeployment;

beforeAll(async () => {
  causeway = await startTestDeployment();
  await causeway.db.insert(vaults).values({ ...vaultRow({ number: 3 }), createdAt: new Date(0) });
});
afterAll(() => causeway?.close());

test("takeSnapshots() keeps the snapshots of a chain whose Router cannot be read", async () => {
  const ctx = causeway.isolate({ REDIS_KEY_PREFIX: "unread" }).context();
  const definition = ctx.chains.definitions.get(CHAIN_ID);
  if (definition === undefined) throw new Error("the chain is not served");
  const block = { chainId: CHAIN_ID, number: 1_234, timestamp: Math.floor(ctx.now() / 1_000) };
  // Its node answers calls of contracts, but does not return code.
  const node = contractsClient(() => ({ ok: false, data: "0x" }), { definition, block });
  const served = { ...ctx, chains: { ...ctx.chains, client: () => node } };
  expect(await takeSnapshots(served)).toEqual({ vaults: 1, failed: 0 });
  expect(node.calls.map(({ method }) => method)).toContain("eth_getCode");
  expect(await causeway.db.select().from(snapshots)).toHaveLength(3);
  expect(await causeway.db.select().from(vaultFigures)).toEqual([]);
});
