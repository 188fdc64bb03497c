import { type Hex, keccak256 } from "viem";
import { describe, expect, test } from "vitest";
import type { Transaction, TransactionOnChain } from "../../src/chains/chain-transaction.ts";
import type { Database } from "../../src/db/database-client.ts";
import type { WithdrawalRow } from "../../src/db/queries/deposit-queries.ts";
import { failure } from "../../src/errors.ts";
import type { Provider, ProviderStatus } from "../../src/providers/provider.ts";
import { depositRouterAddress } from "../../src/router/router-address.ts";
import { routerBridgeOutput } from "../../src/router/router-codec.ts";
import { getWithdrawalStatus } from "../../src/status/get-withdrawal-status.ts";
import { type MatchKind, matchDeposit } from "../../src/status/status-transaction-match.ts";
import type { TransactionReader } from "../../src/tracking/deposits/deposit-transaction-reader.ts";
import { testContext } from "../support/context.ts";
import { NOW, OTHER, USDC, USER, VAULT, vault } from "../support/deposits/fixtures.ts";
import { executedLog, receiptOf, transferLog } from "../support/deposits/logs.ts";
import { away, clientOf, home } from "../support/withdrawals/fixtures.ts";
import { withdrawalRow } from "../support/withdrawals/withdrawal-row.ts";

const hash = (byte: string): Hex => `0x${byte.repeat(32)}`;
const [FIRST, SECOND, DELIVERY, DELIVERY_OF_FIRST] = [hash("11"), hash("22"), hash("33"), hash("44")];
const input: Hex = "0x12345678";
const SHARES = 100_000_000_000_000_000_000n;
const SENT = 100_500_000n;
const router = depositRouterAddress;

const sent: Transaction = {
  ...{ hash: SECOND, from: USER, to: router, input, value: 0n, gas: 500_000n },
};
const mined = { confirmations: 1_000 };
/** The Router's order of a withdrawal whose payment goes into a bridge. */
const bridged = executedLog({
  ...{ tokenIn: VAULT, tokenOut: routerBridgeOutput, amountIn: SHARES, amountOut: SENT },
});
const toUser = transferLog({ token: USDC, from: OTHER, to: USER, value: SENT });
const again: TransactionOnChain = { ...mined, transaction: sent, receipt: receiptOf(bridged) };

/** A withdrawal to another chain that its first transaction has completed. */
const completed: WithdrawalRow = {
  ...withdrawalRow,
  ...{ state: "completed", toChainId: away.chainId, provider: "across", bridge: "across", tool: "across" },
  ...{ sourceTo: router.toLowerCase(), sourceDataHash: keccak256(input) },
  ...{ sourceTxHash: FIRST, sourceProven: true, destinationTxHash: DELIVERY_OF_FIRST, deliveredAmount: "7" },
};
const building: WithdrawalRow = { ...completed, state: "built", sourceTxHash: null, sourceProven: false };

/** A database that knows the vault of the withdrawals, and nothing else. */
function databaseOf(): Database {
  const { asset } = vault;
  const stored = {
    ...{ ...vault, assetAddress: asset.address, assetSymbol: asset.symbol, assetDecimals: asset.decimals },
    wasActive: true,
  };
  const answers: unknown[][] = [[stored]];
  return { run: async () => answers.shift() ?? [] } as unknown as Database;
}

function contextOf(destinationTxHash: Hex, db: Database) {
  const said: ProviderStatus = {
    ...{ phase: "delivered", substatus: null, destinationTxHash, refundTxHash: null },
    ...{ amountReceived: SENT, explorerLink: null, unread: false },
    proof: { delivery: { amount: SENT, logs: { first: 0, last: 9 }, matchedBy: "id" }, taken: null },
  };
  const provider = { name: "across", status: async () => said } as Partial<Provider> as Provider;
  const ctx = testContext({ clients: [clientOf(home), clientOf(away)], db, nowMs: NOW });
  return { ...ctx, providers: { ...ctx.providers, all: async () => [provider] } };
}

const arrives: TransactionReader = async () => ({ ...mined, transaction: null, receipt: receiptOf(toUser) });
const unreadable: TransactionReader = async () => {
  throw failure("upstream_unavailable", "the node does not answer");
};

interface Asked {
  row?: WithdrawalRow;
  kind?: MatchKind;
  seen?: TransactionOnChain;
  delivery?: Hex;
  readTransaction?: TransactionReader;
  db?: Database;
}

const show = ({ row = completed, kind = "replayed", seen = again, ...of }: Asked = {}) =>
  getWithdrawalStatus(contextOf(of.delivery ?? DELIVERY, of.db ?? databaseOf()), {
    ...{ row, kind, found: { hash: SECOND, chainId: home.chainId, seen } },
    readTransaction: of.readTransaction ?? arrives,
  });

describe("the status of a withdrawal through a bridge that was sent twice", () => {
  const underWay = { status: "PENDING", substatus: "WAIT_DESTINATION_TRANSACTION", receiving: null };

  test("is the second's own, with its own delivery and nothing to sign", async () => {
    expect(await show()).toMatchObject({
      ...{ status: "DONE", substatus: "COMPLETED" },
      sending: { tx_hash: SECOND, amount: String(SHARES), kind: "shares" },
      receiving: { tx_hash: DELIVERY, amount: String(SENT), chain_id: away.chainId },
      withdrawal: { tracking_id: completed.trackingId, state: "completed", next: null, steps: [] },
    });
  });

  test("is not completed by the first one's delivery, nor while the other chain cannot be read", async () => {
    expect(await show({ delivery: DELIVERY_OF_FIRST })).toMatchObject(underWay);
    expect(await show({ readTransaction: unreadable })).toMatchObject(underWay);
  });

  test("waits for the confirmations of the vault's chain", async () => {
    expect(await show({ seen: { ...again, confirmations: 0 } })).toMatchObject({
      ...{ status: "PENDING", substatus: "WAIT_SOURCE_CONFIRMATIONS" },
    });
  });

  test("is left to the receipt where it proves another account's order", async () => {
    const foreign = executedLog({
      ...{ tokenIn: VAULT, tokenOut: routerBridgeOutput, amountIn: SHARES, amountOut: SENT },
      ...{ payer: OTHER, receiver: OTHER },
    });
    const transaction = { ...sent, from: OTHER };
    const seen = { ...again, transaction, receipt: receiptOf(foreign) };
    expect(await show({ seen })).toBe(null);
  });
});

test("a second step that was sent twice is the second's own, with what it took and its own delivery", async () => {
  const [redemption, transfer] = [hash("55"), hash("66")];
  const row: WithdrawalRow = {
    ...{ ...completed, twoStep: true, sourceTxHash: redemption, sourceTo: VAULT.toLowerCase() },
    ...{ sourceDataHash: redemption, depositTxHash: transfer, depositProven: true },
  };
  const built = {
    ...{ target: OTHER.toLowerCase(), dataHash: keccak256(input), amount: "100", least: "1" },
    ...{ provider: "across", bridge: "across", tool: "across" },
  };
  const answers: unknown[][] = [[], [], [built]];
  const db = { run: async () => answers.shift() ?? [] } as unknown as Database;
  const seen = { ...mined, transaction: { ...sent, to: OTHER }, receipt: receiptOf() };
  expect(await show({ row, kind: "only_reported", seen, db })).toMatchObject({
    ...{ status: "DONE", substatus: "COMPLETED" },
    sending: { tx_hash: SECOND, amount: "100", chain_id: home.chainId, kind: "asset" },
    receiving: { tx_hash: DELIVERY, amount: String(SENT), chain_id: away.chainId },
    withdrawal: { tracking_id: row.trackingId, state: "completed", next: null, steps: [] },
  });
});

test("a reverted transaction waits for confirmations before it counts as the withdrawal's failure", async () => {
  const db = { run: async () => [] } as unknown as Database;
  const reverted = { ...again, confirmations: 0, receipt: { ...receiptOf(), succeeded: false } };
  const asked = { row: building, seen: reverted, readTransaction: async () => reverted };
  expect(await show({ ...asked, kind: "matched", db })).toMatchObject({
    ...{ status: "PENDING", substatus: "WAIT_SOURCE_CONFIRMATIONS" },
    withdrawal: { tracking_id: building.trackingId, next: null, steps: [] },
  });
  expect(await show({ ...asked, kind: "only_reported", db })).toBe(null);
});

test("only a repetition through a bridge is matched as a replay", async () => {
  const kindOf = async (row: WithdrawalRow, seen = again) => {
    const db = { run: async () => [row] } as unknown as Database;
    const found = { hash: SECOND, chainId: home.chainId, seen };
    return (await matchDeposit(testContext({ db }), found))?.kind ?? null;
  };
  expect(await kindOf(building)).toBe("matched");
  expect(await kindOf(completed)).toBe("replayed");
  const batched = { ...again, transaction: { ...sent, to: OTHER, from: OTHER } };
  expect(await kindOf(completed, batched)).toBe("replayed");
  expect(await kindOf({ ...completed, twoStep: true })).toBe(null);
  expect(await kindOf({ ...completed, toChainId: home.chainId })).toBe(null);
});

describe("a transaction of a withdrawal while a chain cannot be read", () => {
  const unknown = { row: building, readTransaction: unreadable };
  const answerOf = (asked: Asked) =>
    show({ ...unknown, ...asked, db: { run: async () => [] } as unknown as Database }).then(
      (status) => status,
      (error: { code?: string }) => error.code,
    );

  test.each(["matched", "reported", "named"] as const)("is unknown if it is %s", async (kind) => {
    expect(await answerOf({ kind })).toBe("upstream_unavailable");
  });

  test("is unknown if the user reported an own transaction, and not the withdrawal's if it is a stranger's", async () => {
    expect(await answerOf({ kind: "only_reported" })).toBe("upstream_unavailable");
    const seen = { ...again, transaction: { ...sent, from: OTHER } };
    expect(await answerOf({ kind: "only_reported", seen })).toBe(null);
  });
});
