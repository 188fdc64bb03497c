import { type Address, getAddress, type Hex, numberToHex } from "viem";
import { describe, expect, test } from "vitest";
import type { TransactionOnChain } from "../../../src/chains/chain-transaction.ts";
import type { WithdrawalRow } from "../../../src/db/queries/deposit-queries.ts";
import type {
  BridgeProof,
  Provider,
  ProviderStatus,
  TransferReference,
} from "../../../src/providers/provider.ts";
import { exitDeliveryTransitions } from "../../../src/tracking/withdrawals/track-withdrawal-transfer.ts";
import { completeClient } from "../../support/chains/complete-client.ts";
import { testContext } from "../../support/context.ts";
import { OTHER, USDC, USER } from "../../support/deposits/fixtures.ts";
import { receiptOf, transferLog } from "../../support/deposits/logs.ts";
import { away, clientOf, home } from "../../support/withdrawals/fixtures.ts";
import { withdrawalRow } from "../../support/withdrawals/withdrawal-row.ts";
import { fixedDatabase } from "../../support/withdrawals/withdrawing.ts";

/** What a bridge's provider says of a withdrawal on its way proves neither a delivery nor a refund. */
const hash = (byte: string): Hex => `0x${byte.repeat(32)}`;
const [SOURCE, GIFT, REVERTED, UNKNOWN] = [hash("11"), hash("22"), hash("33"), hash("44")];
const [PENDING, REFUND, TWICE, LESS] = [hash("55"), hash("66"), hash("77"), hash("88")];
const POOL: Address = getAddress(`0x${"9a".repeat(20)}`);
const SENT = 100_000_000n;
const BLOCK_TIME = 1_767_323_000;

const row: WithdrawalRow = {
  ...withdrawalRow,
  ...{ state: "bridging", sourceTxHash: SOURCE, sourceProven: true, toChainId: away.chainId },
  ...{ provider: "lifi", bridge: "across", tool: "across" },
};
const toUser = (value: bigint, from: Address = POOL) => transferLog({ token: USDC, from, to: USER, value });
const mined = { transaction: null, confirmations: 1_000 };
const known: Readonly<Record<Hex, TransactionOnChain>> = {
  [SOURCE]: { ...mined, receipt: receiptOf(transferLog({ token: USDC, from: USER, to: POOL, value: SENT })) },
  [GIFT]: { ...mined, receipt: receiptOf(toUser(SENT, OTHER)) },
  [REVERTED]: { ...mined, receipt: { ...receiptOf(), succeeded: false } },
  [PENDING]: { ...mined, confirmations: 0, receipt: receiptOf(toUser(SENT)) },
  [REFUND]: { ...mined, receipt: receiptOf(toUser(SENT)) },
  [TWICE]: { ...mined, receipt: receiptOf(toUser(SENT), toUser(SENT)) },
  [LESS]: { ...mined, receipt: receiptOf(toUser(SENT - 1n)) },
};
const readTransaction = async (_chainId: number, of: Hex): Promise<TransactionOnChain> =>
  known[of] ?? { transaction: null, receipt: null, confirmations: 0 };

const silent: ProviderStatus = {
  ...{ phase: "bridging", substatus: null, destinationTxHash: null, refundTxHash: null },
  ...{ amountReceived: null, explorerLink: null, proof: null, unread: false },
};
type Word = Partial<ProviderStatus>;
const done = (destinationTxHash: Hex | null, more: Word = {}): Word => ({
  ...{ phase: "delivered", destinationTxHash, amountReceived: SENT, ...more },
});
const delivery = (matchedBy: "id" | "content" = "id", amount = SENT): BridgeProof => ({
  ...{ delivery: { amount, logs: { first: 0, last: 9 }, matchedBy }, taken: null },
});
const took = (change: Partial<NonNullable<BridgeProof["taken"]>> = {}): BridgeProof => ({
  delivery: null,
  taken: {
    ...{ token: USDC, amount: SENT, by: POOL, deadline: BLOCK_TIME - 1, refundable: true },
    ...change,
  },
});
const refunded = (refundTxHash: Hex | null, proof: BridgeProof | null): Word => ({
  ...{ phase: "refunded", refundTxHash, proof },
});

/** The vault's chain, whose nodes also know the block of every receipt. */
const source = completeClient({
  ...clientOf(home),
  request: async () => ({
    ...{ number: "0x64", hash: hash("ab"), parentHash: hash("ac"), timestamp: numberToHex(BLOCK_TIME) },
  }),
});

/** Returns what a withdrawal on its way becomes after a provider's word. `taken`: another withdrawal has the payment. */
async function stateAfter(word: Word | Error, { taken = false } = {}): Promise<string> {
  const provider = {
    name: "across",
    status: async () => {
      if (word instanceof Error) throw word;
      return { ...silent, ...word };
    },
  } as Partial<Provider> as Provider;
  const db = fixedDatabase(() => (taken ? [{ ...row, trackingId: "trk_other" }] : []));
  const ctx = testContext({ clients: [source, clientOf(away)], db });
  const providers = { ...ctx.providers, all: async () => [provider] };
  const transitions = await exitDeliveryTransitions(
    { ...ctx, providers },
    { row, readTransaction, hints: [] },
  );
  const events = transitions.map(({ event }) => (event.kind === "chain" ? event.shows : event.kind));
  return events.join() || "nothing";
}

/** Returns the reference by which a withdrawal's transfer is asked for. */
async function askedFor(of: WithdrawalRow): Promise<TransferReference | null> {
  let asked: TransferReference | null = null;
  const provider = {
    name: "across",
    status: async (_scope, transfer) => {
      asked = transfer;
      return silent;
    },
  } as Partial<Provider> as Provider;
  const ctx = testContext({ clients: [source, clientOf(away)], db: fixedDatabase(() => []) });
  const providers = { ...ctx.providers, all: async () => [provider] };
  await exitDeliveryTransitions({ ...ctx, providers }, { row: of, readTransaction, hints: [] });
  return asked;
}

describe("a withdrawal on its way is not paid by", () => {
  test.each<[string, Word]>([
    ["no transaction", done(null)],
    ["no transaction, with evidence", done(null, { proof: delivery() })],
    ["a transaction that nobody knows", done(UNKNOWN)],
    ["a transaction that nobody knows, with evidence", done(UNKNOWN, { proof: delivery() })],
    ["its own source", done(SOURCE)],
    ["a gift of the same amount", done(GIFT)],
    ["the word alone, with an amount", done(GIFT, { amountReceived: SENT * 2n, substatus: "COMPLETED" })],
    ["a transaction that reverted", done(REVERTED, { proof: delivery() })],
    ["a transaction without confirmations", done(PENDING, { proof: delivery() })],
    ["a payout of nothing", done(GIFT, { proof: delivery("id", 0n) })],
    ["evidence of what was taken", done(GIFT, { proof: took() })],
  ])("%s", async (_name, word) => {
    expect(await stateAfter(word)).toMatch(/^(provider|nothing)$/);
  });

  test("another withdrawal's payout of the same amount", async () => {
    const word = done(GIFT, { proof: delivery("content") });
    expect(await stateAfter(word, { taken: true })).toBe("provider");
    expect(await stateAfter(word)).toBe("token_paid");
  });

  test("a provider that fails", async () => {
    await expect(stateAfter(new Error("no answer"))).resolves.toBe("nothing");
  });

  test("it is paid by its own payout", async () => {
    expect(await stateAfter(done(REFUND, { proof: delivery() }))).toBe("token_paid");
  });
});

describe("a withdrawal on its way is not refunded by", () => {
  test.each<[string, Word]>([
    ["no transaction", refunded(null, took())],
    ["the word alone", refunded(REFUND, null)],
    [
      "a refund before the deadline has passed without a payout",
      refunded(REFUND, took({ refundable: false })),
    ],
    ["a payment before the deadline", refunded(REFUND, took({ deadline: BLOCK_TIME }))],
    ["its own source", refunded(SOURCE, took())],
    ["a stranger's gift of the same amount", refunded(GIFT, took())],
    ["two refunds at once", refunded(TWICE, took())],
    ["less than was taken", refunded(LESS, took())],
    ["a transaction that reverted", refunded(REVERTED, took())],
    ["a transaction without confirmations", refunded(PENDING, took())],
    ["a transaction that nobody knows", refunded(UNKNOWN, took())],
  ])("%s", async (_name, word) => {
    expect(await stateAfter(word)).toBe("provider");
  });

  test("another withdrawal's refund of the same amount", async () => {
    expect(await stateAfter(refunded(REFUND, took()), { taken: true })).toBe("provider");
  });

  test("it is refunded by its own refund", async () => {
    expect(await stateAfter(refunded(REFUND, took()))).toBe("refund");
  });
});

test("a provider is asked for the transfer that was built, and told the amount of a second step alone", async () => {
  const routed = { ...row, provider: "across", moveMin: "99", assets: "101" };
  const tokens = { fromToken: row.exitToken, toToken: row.moveToken, swaps: false };
  const built = { ref: row.ref, ...tokens, least: 99n, call: false };
  expect(await askedFor(routed)).toMatchObject({ sender: { amount: null }, built });
  const second = { ...routed, depositTxHash: REFUND, depositProven: true };
  expect(await askedFor(second)).toMatchObject({
    sender: { amount: 101n },
    built: { ...built, least: null },
  });
  expect(await askedFor(row)).toMatchObject({ built: { fromToken: row.exitToken, swaps: true } });
});
