import { type Hex, keccak256 } from "viem";
import { describe, expect, test } from "vitest";
import type { Receipt, Transaction, TransactionOnChain } from "../../../src/chains/chain-transaction.ts";
import type { Context } from "../../../src/context.ts";
import type { Database } from "../../../src/db/database-client.ts";
import type { DepositRow } from "../../../src/db/queries/deposit-queries.ts";
import { depositRouterAddress } from "../../../src/router/router-address.ts";
import type { Transition } from "../../../src/tracking/deposits/deposit-transitions.ts";
import { vaultTransitions } from "../../../src/tracking/deposits/track-deposit-destination.ts";
import { sourceTransitions } from "../../../src/tracking/deposits/track-deposit-source.ts";
import type { Vault } from "../../../src/vaults/vault.ts";
import { contractsClient } from "../../support/chains/multicall.ts";
import { testChain } from "../../support/chains/rpc-node.ts";
import { testContext } from "../../support/context.ts";
import { NOW, OTHER, row, USDC, USER, VAULT, vault } from "../../support/deposits/fixtures.ts";
import {
  depositClaimLog,
  depositRequestLog,
  executedLog,
  receiptOf,
  transferLog,
} from "../../support/deposits/logs.ts";
import { fixedDatabase, storedOf } from "../../support/withdrawals/withdrawing.ts";

const HASH: Hex = `0x${"11".repeat(32)}`;
const DEPTH = testChain.confirmations;
const input: Hex = "0x12345678";
const sent: Transaction = {
  ...{ hash: HASH, from: USER, to: depositRouterAddress, input },
  ...{ value: 0n, gas: 500_000n },
};
const direct: DepositRow = { ...row, sourceDataHash: keccak256(input) };
const routed: DepositRow = { ...direct, provider: "across", fromChainId: 10, sourceTo: OTHER.toLowerCase() };
const byUser: DepositRow = { ...direct, sourceTo: VAULT.toLowerCase() };

/**
 * A context of one chain, over a database in which another deposit has bound the transaction, or none, then the vault is
 * found, and then no other deposit of the transaction.
 */
function context(others: readonly DepositRow[] = [], of: Partial<Vault> = {}): Context {
  const holders = others.map(({ trackingId }) => ({ tracking_id: trackingId, proven: true }));
  let answers = 0;
  const stored = storedOf({ ...vault, ...of });
  const db: Database = {
    run: async (ask) => {
      answers += 1;
      return answers === 1
        ? (holders as never)
        : fixedDatabase(() => (answers === 2 ? [stored] : [])).run(ask);
    },
  };
  const ctx = testContext({ db, nowMs: NOW, clients: [contractsClient(() => ({ ok: false, data: "0x" }))] });
  const served = new Map([testChain.chainId, 10].map((chainId) => [chainId, { ...testChain, chainId }]));
  return { ...ctx, chains: { ...ctx.chains, definitions: served } };
}

const seen = (receipt: Receipt | null, change: Partial<TransactionOnChain> = {}): TransactionOnChain => ({
  ...{ transaction: sent, receipt, confirmations: DEPTH },
  ...change,
});
const asShown = (transitions: readonly Transition[]) =>
  transitions.map(({ event, change }) => ({
    ...("shows" in event ? { shows: event.shows, confirmed: event.confirmed } : event),
    proven: change.sourceProven ?? false,
    shares: change.shares ?? null,
  }));
const SHARES = "99900000000000000000";

describe("sourceTransitions()", () => {
  const look = async (of: DepositRow, at: TransactionOnChain, others: readonly DepositRow[] = []) =>
    asShown(await sourceTransitions(context(others), { row: of, hash: HASH, seen: at }));
  const away = { transaction: { ...sent, to: OTHER } };

  test("proves shares only after the chain's confirmations", async () => {
    const receipt = receiptOf(executedLog());
    const shows = { shows: "shares", confirmed: true, proven: true, shares: SHARES };
    expect(await look(direct, seen(receipt))).toEqual([shows]);
    const early = await sourceTransitions(context(), {
      ...{ row: direct, hash: HASH },
      seen: seen(receipt, { confirmations: DEPTH - 1 }),
    });
    expect(asShown(early)).toEqual([{ ...shows, confirmed: false, proven: false, shares: null }]);
    expect(early[0]?.change).toEqual({ sourceTxHash: HASH, substatus: null });
  });

  test("shows nothing of another account's repetition before the chain's confirmations", async () => {
    const receipt = receiptOf(executedLog({ payer: OTHER }));
    const repeated = { transaction: { ...sent, from: OTHER } };
    const shows = { shows: "shares", confirmed: true, proven: false, shares: SHARES };
    expect(await look(direct, seen(receipt, repeated))).toEqual([shows]);
    const early = seen(receipt, { ...repeated, confirmations: DEPTH - 1 });
    expect(await look(direct, early)).toEqual([]);
    // Its own status, as if it were the deposit's only transaction.
    const own = { row: { ...direct, sourceTxHash: HASH }, hash: HASH, seen: early };
    const replayed = await sourceTransitions(context(), own);
    expect(replayed.map(({ change }) => change)).toEqual([{}]);
    expect(asShown(replayed)).toMatchObject([{ shows: "shares", confirmed: false }]);
  });

  test("proves a source transaction only after the chain's confirmations", async () => {
    const left = { shows: "source_succeeded", shares: null };
    expect(await look(routed, seen(receiptOf(), away))).toEqual([{ ...left, confirmed: true, proven: true }]);
    const early = seen(receiptOf(), { ...away, confirmations: DEPTH - 1 });
    expect(await look(routed, early)).toEqual([{ ...left, confirmed: false, proven: false }]);
  });

  test("records a pending transaction as unproven", async () => {
    const waits = { kind: "source_pending", proven: false, shares: null };
    expect(await look(direct, seen(null, { confirmations: 0 }))).toEqual([waits]);
    expect(await look(direct, seen(null, { transaction: { ...sent, from: OTHER } }))).toEqual([]);
  });

  test("fails a deposit only after a confirmed revert", async () => {
    const reverted = { ...receiptOf(), succeeded: false };
    const ends = { shows: "source_reverted", confirmed: true, proven: true, shares: null };
    expect(await look(direct, seen(reverted))).toEqual([ends]);
    expect(await look(direct, seen(reverted, { confirmations: DEPTH - 1 }))).toEqual([]);
    expect(await look(direct, seen(reverted, { transaction: { ...sent, from: OTHER } }))).toEqual([]);
  });

  test("ignores a transaction that proves another deposit", async () => {
    const other = { ...routed, trackingId: `trk_${"2".repeat(32)}` };
    expect(await look(routed, seen(receiptOf(), away), [other])).toEqual([]);
  });

  test("ignores transfers of a different transaction", async () => {
    const receipt = receiptOf(transferLog());
    const own = { transaction: { ...sent, to: VAULT } };
    expect(await look(byUser, seen(receipt, own))).toMatchObject([{ shows: "shares", shares: SHARES }]);
    const somebody = { transaction: { ...sent, to: VAULT, from: OTHER } };
    expect(await look(byUser, seen(receipt, somebody))).toEqual([]);
  });
});

describe("a request that first claims an earlier one", () => {
  const lagoon: Partial<Vault> = { adapter: "lagoon", caller: "user" };
  const asked = 50_000_000n;
  const paid = transferLog({ token: USDC, from: USER, to: VAULT, value: asked });
  const claimed = [
    transferLog({ from: VAULT, value: 7n }),
    depositClaimLog({ assets: 100_000_000n, shares: 7n }),
  ];
  const requested = depositRequestLog({ requestId: 3n, assets: asked });
  const wants = {
    event: { kind: "chain", shows: "vault_requested", confirmed: true },
    change: { depositTxHash: HASH, requestId: "3", receivedAmount: String(asked) },
  };
  const of: DepositRow = { ...byUser, fromAmount: String(asked) };

  test.each([
    ["sent alone", [paid, ...claimed, requested]],
    ["sent beside another claim", [transferLog({ from: OTHER }), paid, ...claimed, requested]],
  ])("is a request, not a deposit that received the earlier one's shares (%s)", async (_what, logs) => {
    const at = seen(receiptOf(...logs), { transaction: { ...sent, to: VAULT } });
    const shown = await sourceTransitions(context([], lagoon), { row: of, hash: HASH, seen: at });
    expect(shown).toMatchObject([wants]);
    expect(shown[0]?.change.shares).toBeUndefined();
    // Without the request, these are a deposit's own shares.
    const instant = seen(receiptOf(...claimed), { transaction: { ...sent, to: VAULT } });
    expect(
      await sourceTransitions(context([], lagoon), { row: of, hash: HASH, seen: instant }),
    ).toMatchObject([{ event: { shows: "shares" }, change: { shares: "7" } }]);
  });

  test.each<[string, Partial<Transaction>]>([
    ["the user's own call", { from: USER, to: VAULT }],
    ["a smart account's batch", { from: OTHER, to: USER }],
  ])("is the request of a second step (%s)", async (_what, call) => {
    const second: DepositRow = {
      ...{ ...of, provider: "across", fromChainId: 10, twoStep: true, state: "awaiting_deposit" },
      ...{ moveToken: USDC.toLowerCase(), moveMin: String(asked), deliveredAmount: String(asked) },
      destinationTxHash: `0x${"22".repeat(32)}`,
    };
    const ctx = { ...context([], lagoon), db: fixedDatabase(() => [storedOf({ ...vault, ...lagoon })]) };
    const at = seen(receiptOf(paid, ...claimed, requested), { transaction: { ...sent, ...call } });
    const shown = await vaultTransitions(ctx, { row: second, hash: HASH, readTransaction: async () => at });
    expect(shown).toMatchObject([wants]);
  });
});

describe("vaultTransitions()", () => {
  const ELSE: Hex = `0x${"22".repeat(32)}`;
  const look = async (at: TransactionOnChain, of: Partial<DepositRow> = {}) =>
    asShown(
      await vaultTransitions(context(), {
        row: { ...routed, ...of },
        hash: HASH,
        readTransaction: async () => at,
      }),
    );

  test("completes by the Router's event after the chain's confirmations", async () => {
    const receipt = receiptOf(executedLog());
    expect(await look(seen(receipt))).toEqual([
      { shows: "shares", confirmed: true, proven: false, shares: SHARES },
    ]);
    expect(await look(seen(receipt, { confirmations: DEPTH - 1 }))).toEqual([]);
    expect(await look(seen(null))).toEqual([]);
  });

  test("records the bridge's call as delivery and the user's call as second step", async () => {
    const change = async (of: Partial<DepositRow>) => {
      const at = {
        row: { ...routed, ...of },
        hash: HASH,
        readTransaction: async () => seen(receiptOf(executedLog())),
      };
      return (await vaultTransitions(context(), at))[0]?.change;
    };
    const delivered = await change({});
    expect([delivered?.destinationTxHash, delivered?.depositTxHash]).toEqual([HASH, undefined]);
    const later = await change({ state: "partial", destinationTxHash: ELSE });
    expect([later?.destinationTxHash, later?.depositTxHash]).toEqual([undefined, HASH]);
  });

  test("records a revert without a change of state", async () => {
    const reverted = { ...receiptOf(executedLog()), succeeded: false };
    const shows = { shows: "deposit_reverted", confirmed: true, proven: false, shares: null };
    expect(await look(seen(reverted))).toEqual([shows]);
  });

  test.each<[string, Partial<DepositRow>]>([
    ["before the money was seen to arrive", { state: "awaiting_deposit", destinationTxHash: null }],
    ["while the bridge still has the money", { state: "bridging", destinationTxHash: ELSE }],
    ["when the deposit has its shares", { state: "partial", destinationTxHash: ELSE, shares: "1" }],
  ])("ignores a second step %s", async (_what, of) => {
    expect(await look(seen(receiptOf(transferLog())), { twoStep: true, ...of })).toEqual([]);
  });
});
