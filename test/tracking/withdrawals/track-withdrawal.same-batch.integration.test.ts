import { type Address, concatHex, type Hex, keccak256, pad, size, toHex } from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startTestDeployment, type TestDeployment } from "../../../scripts/stack/test-deployment.ts";
import type { TransactionOnChain } from "../../../src/chains/chain-transaction.ts";
import type { WithdrawalRow } from "../../../src/db/queries/deposit-queries.ts";
import { addBuiltTransfer, selectWithdrawal } from "../../../src/db/queries/withdrawal-queries.ts";
import { deposits } from "../../../src/db/tables/deposit-tables.ts";
import { findAcrossDeposit } from "../../../src/providers/across/tracking/across-deposit-tracking.ts";
import { type Provider, unknownStatus } from "../../../src/providers/provider.ts";
import { provingTransactions } from "../../../src/tracking/deposits/track-deposit-evidence.ts";
import { trackWithdrawal } from "../../../src/tracking/withdrawals/track-withdrawal.ts";
import { deposited, type Emitted, fundsDeposited, receiptOf } from "../../support/across/logs.ts";
import { deployments, hash, SPOKE_1, USDC_1, USDC_42161, USER } from "../../support/across/stage.ts";
import { completeClient } from "../../support/chains/complete-client.ts";
import { testContext } from "../../support/context.ts";
import { transferLog } from "../../support/deposits/logs.ts";
import { away, clientOf, home } from "../../support/withdrawals/fixtures.ts";
import { withdrawalRow } from "../../support/withdrawals/withdrawal-row.ts";

/** Second steps of several withdrawals in one batch of the user's wallet: one transaction sends the parts of all. */
const [CLAIM, BATCH, REFUND] = [hash("c"), hash("b"), hash("d")];
const [from, to] = [deployments.get(1), deployments.get(42161)];
if (from === undefined || to === undefined) throw new Error("no deployment");
const user = USER.toLowerCase();
const word = (address: Address): Hex => pad(address).toLowerCase() as Hex;

let causeway: TestDeployment;
beforeAll(async () => {
  causeway = await startTestDeployment();
});
afterAll(() => causeway?.close());
beforeEach(async () => {
  await causeway.db.delete(deposits);
});

/** One withdrawal of the test: what its second step takes, in which call, and the number of its transfer. */
interface Part {
  letter: string;
  amount: bigint;
  call?: string;
  /** What is known to be its own of the payment. */
  assets?: string | null;
  vault?: Address;
  /** Letter of the transaction that redeemed it, by default its own. */
  source?: string;
}

const callOf = ({ letter, call = letter }: Part): Hex => concatHex(["0xabcdef12", pad(toHex(call))]);
const idOf = ({ letter }: Part): string => `trk_${letter.repeat(32)}`;

/** Stores withdrawals that their vault has paid together, each with the transaction of its second step. */
async function store(parts: readonly Part[]): Promise<void> {
  const { db } = causeway.context();
  for (const part of parts) {
    const trackingId = idOf(part);
    const vault = (part.vault ?? withdrawalRow.vaultAddress).toLowerCase();
    await causeway.db.insert(deposits).values({
      ...withdrawalRow,
      ...{ trackingId, ref: `0x${part.letter.repeat(64)}`, state: "awaiting_transfer", mode: "request" },
      ...{ userAddress: user, vaultAddress: vault, shareToken: vault, fromToken: vault, twoStep: true },
      ...{ vaultChainId: 1, fromChainId: 1, toChainId: 42161, exitToken: USDC_1.toLowerCase() },
      ...{ moveToken: USDC_42161.toLowerCase(), assets: part.assets ?? null, shares: "5" },
      ...{ sourceTxHash: hash(part.source ?? part.letter), sourceProven: true, claimTxHash: CLAIM },
    });
    await addBuiltTransfer(db, {
      ...{ trackingId, dataHash: keccak256(callOf(part)), target: SPOKE_1.toLowerCase(), provider: "across" },
      ...{ bridge: "across", tool: "across", amount: part.amount.toString(), least: "1" },
      builtAt: new Date(),
    });
  }
}

const pay = (value: bigint): Emitted => transferLog({ token: USDC_1, from: USER, to: SPOKE_1, value });
const send = (amount: bigint, depositId: bigint): Emitted[] => [
  pay(amount),
  fundsDeposited({
    ...{ depositor: word(USER), recipient: word(USER), message: "0x", depositId },
    ...{ inputAmount: amount, outputAmount: amount - 1n },
  }),
];

/** Returns a batch of the user's account with these calls, whose receipt has these events. */
function batchOf(calls: readonly Part[], events: readonly Emitted[]): TransactionOnChain {
  const packed = calls.map(callOf).flatMap((data) => [toHex(size(data), { size: 32 }), data]);
  const input = concatHex(["0x34fcd5be", ...packed]);
  const transaction = { hash: BATCH, from: USER, to: USER, input, value: 0n, gas: 1n };
  return { transaction, receipt: { ...receiptOf(events), blockNumber: 100n }, confirmations: 1_000 };
}

/**
 * Tracks the withdrawals after a batch was reported for each, twice, and returns which transfer each has. `refund`: what
 * the bridge pays back for all of them in one payment, instead of delivering. `together`: all are tracked at once.
 */
async function track(
  parts: readonly Part[],
  batch: TransactionOnChain,
  { refund = null, together = false }: { refund?: bigint | null; together?: boolean } = {},
): Promise<string[]> {
  const { db } = causeway.context();
  const provider: Partial<Provider> = {
    name: "across",
    status: async (_scope, { toChainId, sender, built }) => {
      if (batch.receipt === null || from === undefined) return unknownStatus;
      const of = { origin: from, destination: to, toChainId, sender, built };
      const found = findAcrossDeposit(batch.receipt, of);
      if (found === null) return unknownStatus;
      const { outputAmount: amount, depositId } = found;
      const taken = { token: USDC_1, amount: found.inputAmount, by: SPOKE_1, deadline: 1, refundable: true };
      if (refund !== null)
        return {
          ...unknownStatus,
          phase: "refunded",
          refundTxHash: REFUND,
          proof: { delivery: null, taken },
        };
      const delivery = { amount, logs: { first: 0, last: 9 }, matchedBy: "id" } as const;
      const destinationTxHash = pad(toHex(depositId));
      return { ...unknownStatus, phase: "delivered", destinationTxHash, proof: { delivery, taken: null } };
    },
  };
  const clients = [
    // Its logs show nothing: what is looked at was reported.
    completeClient({
      ...clientOf({ ...home, chainId: 1 }),
      request: async (method) =>
        method === "eth_getLogs" ? [] : { number: "0x64", hash: BATCH, parentHash: CLAIM, timestamp: "0x2" },
    }),
    clientOf({ ...away, chainId: deposited.destinationChainId }),
  ];
  const ctx = testContext({ db, clients });
  const providers = { ...ctx.providers, all: async () => [provider as Provider] };
  const paid: TransactionOnChain = {
    ...batch,
    receipt: { ...receiptOf([]), blockNumber: 90n },
  };
  const readTransaction = async (chainId: number, of: Hex): Promise<TransactionOnChain> => {
    const back = transferLog({ token: USDC_1, from: SPOKE_1, to: USER, value: refund ?? 0n });
    if (of === REFUND) return { ...paid, receipt: { ...receiptOf([back]), blockNumber: 100n } };
    if (chainId === 1) return of === BATCH ? batch : paid;
    const value = batch.receipt === null ? 0n : sentIn(batch, BigInt(of)) - 1n;
    const arrival = transferLog({ token: USDC_42161, from: SPOKE_1, to: USER, value });
    return { ...paid, receipt: receiptOf([arrival]) };
  };
  const trackOne = async (part: Part): Promise<void> => {
    const row = await selectWithdrawal(db, idOf(part));
    if (row === null) throw new Error("no row");
    const { trackingId } = row;
    const hint = { trackingId, chainId: 1, txHash: BATCH, origin: "report", droppedAt: null } as const;
    const hints = [{ ...hint, notedAt: new Date(ctx.now()) }];
    await trackWithdrawal({ ...ctx, providers }, { row, readTransaction, hints });
  };
  for (let round = 0; round < 2; round += 1) {
    if (together) await Promise.all(parts.map(trackOne));
    else for (const part of parts) await trackOne(part);
  }
  const rows = await Promise.all(parts.map((part) => selectWithdrawal(db, idOf(part))));
  return rows.map((row) => {
    const arrived = row?.destinationTxHash == null ? "" : ` by ${BigInt(row.destinationTxHash)}`;
    return `${row?.state}${arrived}${row?.deliveredAmount == null ? "" : ` of ${row.deliveredAmount}`}`;
  });
}

/** Returns the amount of a transfer by its number: the payment is the event before it. */
function sentIn({ receipt }: TransactionOnChain, depositId: bigint): bigint {
  const logs = receipt?.logs ?? [];
  const at = logs.findIndex(({ topics }) => topics[2] === toHex(depositId, { size: 32 }));
  return BigInt(logs[at - 1]?.data ?? 0);
}

const [first, second]: readonly [Part, Part] = [
  { letter: "1", amount: 60_000n },
  { letter: "2", amount: 40_000n },
];

describe("of two second steps in one batch", () => {
  test("each has its own transfer, whichever is tracked first", async () => {
    const batch = batchOf([first, second], [...send(60_000n, 7n), ...send(40_000n, 8n)]);
    await store([first, second]);
    expect(await track([second, first], batch)).toEqual([
      "completed by 8 of 39999",
      "completed by 7 of 59999",
    ]);
    // A reorg may replace the batch for each.
    const rows = await causeway.db.select().from(deposits);
    const proving = rows.map((row) => provingTransactions(row as WithdrawalRow).map(({ txHash }) => txHash));
    expect(proving).toEqual([expect.arrayContaining([BATCH]), expect.arrayContaining([BATCH])]);
  });

  test("each has its own transfer if both are tracked at once", async () => {
    const batch = batchOf([first, second], [...send(60_000n, 7n), ...send(40_000n, 8n)]);
    await store([first, second]);
    await track([first, second], batch, { together: true });
    // The later one is proven by its second check, and followed by the next.
    expect(await track([first, second], batch)).toEqual([
      "completed by 7 of 59999",
      "completed by 8 of 39999",
    ]);
  });

  test("each has one of two equal transfers", async () => {
    const [one, other] = [first, { ...second, amount: first.amount }];
    await store([one, other]);
    const batch = batchOf([one, other], [...send(60_000n, 7n), ...send(60_000n, 8n)]);
    expect(await track([one, other], batch)).toEqual(["completed by 7 of 59999", "completed by 8 of 59999"]);
  });

  test("each has one of two equal calls", async () => {
    const [one, other] = [first, { ...first, letter: "2", call: "1" }];
    await store([one, other]);
    const batch = batchOf([one, other], [...send(60_000n, 7n), ...send(60_000n, 8n)]);
    expect(await track([one, other], batch)).toEqual(["completed by 7 of 59999", "completed by 8 of 59999"]);
  });
});

test("of many second steps in one batch, each has its own transfer", async () => {
  const many = [..."1234567890efghijklmnopq"].map(
    (letter, index): Part => ({ letter, amount: BigInt(100 + index) }),
  );
  const events = many.flatMap(({ amount }) => send(amount, amount));
  await store(many);
  expect(await track(many, batchOf(many, events))).toEqual(
    many.map(({ amount }) => `completed by ${amount} of ${amount - 1n}`),
  );
});

describe("one payment that refunds two second steps of one batch", () => {
  const batch = batchOf([first, second], [...send(60_000n, 7n), ...send(40_000n, 8n)]);

  test("ends both, also if their parts of the vault's payment are unknown", async () => {
    await store([first, second]);
    expect(await track([first, second], batch, { refund: 100_000n })).toEqual(["refunded", "refunded"]);
  });

  test("ends both, also if one batch has redeemed them by equal calls", async () => {
    const parts = [first, { ...second, source: first.letter }];
    await store(parts);
    expect(await track(parts, batch, { refund: 100_000n })).toEqual(["refunded", "refunded"]);
  });

  test("ends both, also if a rebasing token credited less than the vault paid", async () => {
    const parts = [
      { ...first, assets: "60001" },
      { ...second, assets: "40002" },
    ];
    await store(parts);
    expect(await track(parts, batch, { refund: 100_000n })).toEqual(["refunded", "refunded"]);
  });

  test("ends none if it is of another sum", async () => {
    await store([first, second]);
    expect(await track([first, second], batch, { refund: 100_001n })).toEqual(["bridging", "bridging"]);
  });
});

describe("a batch with one call and one payment", () => {
  const equal: Part = { ...first, letter: "2", call: "1" };

  test.each<[string, Part, Emitted[]]>([
    ["of one vault", equal, []],
    ["of two vaults", { ...equal, vault: USDC_1, assets: "60000" }, []],
    ["that makes another equal payment", equal, [pay(60_000n)]],
  ])("proves only one of two withdrawals %s", async (_which, other, more) => {
    await store([{ ...first, assets: other.assets ?? null }, other]);
    const batch = batchOf([first], [...more, ...send(60_000n, 7n)]);
    expect(await track([first, other], batch)).toEqual(["completed by 7 of 59999", "awaiting_transfer"]);
  });

  test.each<[string, Part]>([
    ["of one vault", equal],
    ["of two vaults", { ...equal, vault: USDC_1 }],
  ])("proves only one of two withdrawals %s that are tracked at once", async (_which, other) => {
    await store([first, other]);
    const batch = batchOf([first], send(60_000n, 7n));
    const made = await track([first, other], batch, { together: true });
    expect(made.sort()).toEqual(["awaiting_transfer", "completed by 7 of 59999"]);
  });

  test("gives the first its transfer if both were proven at the same moment", async () => {
    const parts = [first, { ...equal, vault: USDC_1 }].map((part) => ({ ...part, assets: "60000" }));
    await store(parts);
    const proven = { state: "bridging", depositTxHash: BATCH, depositProven: true } as const;
    await causeway.db
      .update(deposits)
      .set({ ...proven, provider: "across", bridge: "across", tool: "across" });
    const batch = batchOf([first], send(60_000n, 7n));
    expect(await track(parts, batch)).toEqual(["completed by 7 of 59999", "bridging"]);
  });
});
