import { type Hex, keccak256 } from "viem";
import { describe, expect, test } from "vitest";
import type { Database } from "../../src/db/database-client.ts";
import type { DepositRow } from "../../src/db/queries/deposit-queries.ts";
import { failure } from "../../src/errors.ts";
import { getDepositStatus } from "../../src/status/get-deposit-status.ts";
import type { MatchKind } from "../../src/status/status-transaction-match.ts";
import type { TransactionReader } from "../../src/tracking/deposits/deposit-transaction-reader.ts";
import { contractsClient } from "../support/chains/multicall.ts";
import { testChain } from "../support/chains/rpc-node.ts";
import { testContext } from "../support/context.ts";
import { row as built, NOW, OTHER, USER, vault } from "../support/deposits/fixtures.ts";
import { receiptOf } from "../support/deposits/logs.ts";
import { storedOf } from "../support/withdrawals/withdrawing.ts";

const [REQUEST, CLAIM]: [Hex, Hex] = [`0x${"11".repeat(32)}`, `0x${"22".repeat(32)}`];
/** A deposit whose request waits for the vault. */
const row: DepositRow = {
  ...built,
  ...{ state: "requested", sourceTxHash: REQUEST, sourceProven: true, sourceDataHash: keccak256("0x12") },
  ...{ depositTxHash: REQUEST, depositProven: true, requestId: "0" },
};
const seen = {
  transaction: { hash: CLAIM, from: USER, to: OTHER, input: "0x34" as Hex, value: 0n, gas: 500_000n },
  receipt: receiptOf(),
  confirmations: testChain.confirmations,
};
const unreadable: TransactionReader = async () => {
  throw failure("upstream_unavailable", "the node does not answer");
};

/** The status of a transaction, or the code of its error, while no node says what became of the request. */
async function answerOf(kind: MatchKind, from = USER): Promise<unknown> {
  const params = { deposit: "request", recipient: "argument", asset_rate: "stable" };
  const midas = storedOf({ ...vault, adapter: "midas", type: "midas", caller: "user", params });
  const answers: object[][] = [[], [midas]];
  const db = { run: async () => answers.shift() ?? [] } as unknown as Database;
  const unread = async (): Promise<never> => {
    throw failure("upstream_unavailable", "the node does not answer");
  };
  const client = { ...contractsClient(() => ({ ok: false, data: "0x" })), request: unread };
  const ctx = testContext({ db, nowMs: NOW, clients: [client] });
  const found = { hash: CLAIM, chainId: row.vaultChainId };
  const at = { ...found, seen: { ...seen, transaction: { ...seen.transaction, from } } };
  const status = getDepositStatus(ctx, { row, kind, found: at, readTransaction: unreadable });
  return status.catch(({ code }: { code: string }) => code);
}

describe("the status of a transaction that may belong to a deposit, while a chain cannot be read", () => {
  test("is unknown if the user reported an own transaction", async () => {
    expect(await answerOf("only_reported")).toBe("upstream_unavailable");
  });

  test("is not the deposit's if somebody else's transaction was reported", async () => {
    expect(await answerOf("only_reported", OTHER)).toBe(null);
  });
});

test("a reverted transaction waits for confirmations before it counts as the deposit's failure", async () => {
  const db = { run: async () => [] } as unknown as Database;
  const ctx = testContext({ db, nowMs: NOW });
  const reverted = { ...seen, receipt: { ...receiptOf(), succeeded: false }, confirmations: 0 };
  const found = { hash: CLAIM, chainId: built.fromChainId, seen: reverted };
  const readTransaction: TransactionReader = async () => reverted;
  const statusOf = (kind: MatchKind) => getDepositStatus(ctx, { row: built, kind, found, readTransaction });
  expect(await statusOf("matched")).toMatchObject({
    ...{ status: "PENDING", substatus: "WAIT_SOURCE_CONFIRMATIONS" },
    deposit: { tracking_id: built.trackingId, next: null, steps: [] },
  });
  expect(await statusOf("only_reported")).toBe(null);
});
