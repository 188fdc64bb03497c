import { asc } from "drizzle-orm";
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

/** Returns a context whose node answers calls of contracts by failures, and returns no code. */
function unreadContext(secondsLater = 0) {
  const own = causeway.isolate({ REDIS_KEY_PREFIX: `unread-${secondsLater}` }).context();
  const ctx = { ...own, now: () => own.now() + secondsLater * 1_000 };
  const definition = ctx.chains.definitions.get(CHAIN_ID);
  if (definition === undefined) throw new Error("the chain is not served");
  const block = { chainId: CHAIN_ID, number: 1_234 + secondsLater, timestamp: Math.floor(ctx.now() / 1_000) };
  const node = contractsClient(() => ({ ok: false, data: "0x" }), { definition, block });
  return { ctx: { ...ctx, chains: { ...ctx.chains, client: () => node } }, node };
}

test("takeSnapshots() keeps the snapshots of a chain whose Router cannot be read", async () => {
  const { ctx, node } = unreadContext();
  expect(await takeSnapshots(ctx)).toEqual({ vaults: 1, failed: 0 });
  expect(node.calls.map(({ method }) => method)).toContain("eth_getCode");
  expect(await causeway.db.select().from(snapshots)).toHaveLength(3);
  expect(await causeway.db.select().from(vaultFigures)).toEqual([]);
});

test.each([
  [true, 600],
  [false, 1_200],
])("takeSnapshots() stores a pause that cannot be read as the last known one, %s", async (paused, later) => {
  await causeway.db.update(snapshots).set({ paused });
  expect(await takeSnapshots(unreadContext(later).ctx)).toEqual({ vaults: 1, failed: 0 });
  const stored = await causeway.db.select().from(snapshots).orderBy(asc(snapshots.blockNumber));
  expect(stored.at(-1)).toMatchObject({ blockNumber: 1_234 + later, paused });
});
