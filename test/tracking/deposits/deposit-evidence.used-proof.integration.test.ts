import { type Hex, keccak256, zeroAddress } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestDeployment, type TestDeployment } from "../../../scripts/stack/test-deployment.ts";
import type { TransactionOnChain } from "../../../src/chains/chain-transaction.ts";
import { type DepositRow, selectDeposit } from "../../../src/db/queries/deposit-queries.ts";
import { deposits } from "../../../src/db/tables/deposit-tables.ts";
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
});
afterAll(() => causeway?.close());

test("restateFromChains() takes nothing from a transaction that already proves another deposit", async () => {
  const ctx = causeway.context();
  const definitions = new Map([[testChain.chainId, testChain]]);
  await causeway.db.insert(deposits).values([own, proven]);
  const stated = await restateFromChains(
    { ...ctx, now: () => NOW, chains: { ...ctx.chains, definitions } },
    { row: own, known: [], readTransaction: async () => seen },
  );
  const nothing = { shares: null, sourceTxHash: null, depositTxHash: null, depositProven: false };
  expect(stated).toMatchObject(nothing);
  expect(["built", "expired"]).toContain(stated?.state);
  expect(await selectDeposit(ctx.db, proven.trackingId)).toMatchObject({ ...proof, state: "completed" });
});
