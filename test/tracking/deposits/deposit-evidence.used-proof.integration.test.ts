import { type Hex, keccak256, zeroAddress } from "viem";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { vaultRow } from "../../../scripts/bench/vault-row.ts";
import { startTestDeployment, type TestDeployment } from "../../../scripts/stack/test-deployment.ts";
import type { TransactionOnChain } from "../../../src/chains/chain-transaction.ts";
import { type DepositRow, selectDeposit } from "../../../src/db/queries/deposit-queries.ts";
import { deposits } from "../../../src/db/tables/deposit-tables.ts";
import { vaults } from "../../../src/db/tables/vault-tables.ts";
import { restateFromChains } from "../../../src/tracking/deposits/deposit-evidence.ts";
import { testChain } from "../../support/chains/rpc-node.ts";
import { NOW, OTHER, row, USER, VAULT } from "../../support/deposits/fixtures.ts";
import { receiptOf, transferLog } from "../../support/deposits/logs.ts";

const HASH: Hex = `0x${"11".repeat(32)}`;
const input: Hex = "0x12345678";
const proof = { sourceTxHash: HASH, sourceProven: true, depositTxHash: HASH, depositProven: true } as const;
/** A deposit by the user's own call, which counted as completed before a reorg. */
const own: DepositRow = {
  ...{ ...row, sourceTo: VAULT.toLowerCase(), sourceDataHash: keccak256(input) },
  ...{ state: "completed", shares: "7", sourceTxHash: HASH, sourceProven: true },
};
/** The deposit into another vault with the same share token that the transaction proves. */
const proven: DepositRow = {
  ...{ ...row, ...proof, trackingId: `trk_${"2".repeat(32)}`, ref: HASH, state: "completed" },
  sourceTo: OTHER.toLowerCase(),
};

const shares = transferLog({ token: VAULT, from: zeroAddress, to: USER, value: 7n });
const sent = { hash: HASH, from: USER, to: VAULT, input, value: 0n, gas: 500_000n };
const seen: TransactionOnChain = {
  ...{ transaction: sent, receipt: receiptOf(shares), confirmations: testChain.confirmations },
};

let causeway: TestDeployment;
beforeAll(async () => {
  causeway = await startTestDeployment();
  await causeway.db
    .insert(vaults)
    .values(vaultRow({ number: 1, chainId: testChain.chainId, address: VAULT }));
});
afterAll(() => causeway?.close());
beforeEach(() => causeway.db.delete(deposits));

/** States the row again. `onRequest` runs before each request to the database, with its number. */
async function stateAgain(onRequest: (number: number) => Promise<unknown> = async () => undefined) {
  const ctx = causeway.context();
  let requests = 0;
  const run: typeof ctx.db.run = async (statement) => {
    requests += 1;
    await onRequest(requests);
    return ctx.db.run(statement);
  };
  const definitions = new Map([[testChain.chainId, testChain]]);
  const stated = await restateFromChains(
    { ...ctx, db: { run }, now: () => NOW, chains: { ...ctx.chains, definitions } },
    { row: own, known: [], readTransaction: async () => seen },
  );
  return { stated, requests };
}

test("restateFromChains() says that a transaction came to prove another deposit while it was read", async () => {
  await causeway.db.insert(deposits).values(own);
  const { stated, requests } = await stateAgain();
  expect(stated).toMatchObject({ ...proof, state: "completed" });
  await causeway.db.delete(deposits);
  await causeway.db.insert(deposits).values(own);
  const late = await stateAgain(async (number) => {
    if (number === requests) await causeway.db.insert(deposits).values(proven);
  });
  expect(late.stated).toBe("overtaken");
  expect(await selectDeposit(causeway.context().db, own.trackingId)).toMatchObject({ depositProven: false });
});

test("restateFromChains() says so too if the transaction has proven others before", async () => {
  await causeway.db.insert(deposits).values(own);
  const { requests } = await stateAgain();
  await causeway.db.delete(deposits);
  await causeway.db.insert(deposits).values(own);
  const late = await stateAgain(async (number) => {
    if (number === requests) await causeway.db.insert(deposits).values({ ...proven, depositProven: false });
  });
  expect(late.stated).toBe("overtaken");
  expect(await selectDeposit(causeway.context().db, own.trackingId)).toMatchObject({ depositTxHash: null });
});

test("restateFromChains() takes nothing from a transaction that already proves another deposit", async () => {
  await causeway.db.insert(deposits).values([own, proven]);
  const { stated } = await stateAgain();
  const nothing = { shares: null, sourceTxHash: null, depositTxHash: null, depositProven: false };
  expect(stated).toMatchObject(nothing);
  expect(["built", "expired"]).toContain(typeof stated === "string" ? stated : stated.state);
  expect(await selectDeposit(causeway.context().db, proven.trackingId)).toMatchObject({
    ...proof,
    state: "completed",
  });
});

test("restateFromChains() takes the shares of a transaction that also holds the second step of a withdrawal", async () => {
  await causeway.db.insert(deposits).values([own, { ...proven, direction: "withdrawal" }]);
  const { stated } = await stateAgain();
  expect(stated).toMatchObject({ ...proof, shares: "7", state: "completed" });
});
