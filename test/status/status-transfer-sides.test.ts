import { type Hex, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { vaultRow } from "../../scripts/bench/vault-row.ts";
import type { DepositRow, WithdrawalRow } from "../../src/db/queries/deposit-queries.ts";
import { depositSides, withdrawalSides } from "../../src/status/status-transfer-sides.ts";
import { contractsClient } from "../support/chains/multicall.ts";
import { testChain } from "../support/chains/rpc-node.ts";
import { testContext } from "../support/context.ts";
import { OTHER, row, USDC, VAULT } from "../support/deposits/fixtures.ts";
import { withdrawalRow } from "../support/withdrawals/withdrawal-row.ts";
import { fixedDatabase } from "../support/withdrawals/withdrawing.ts";

const AWAY = 10;
const REFUND: Hex = `0x${"5e".repeat(32)}`;
/** A deposit that began with another token on another chain, and was refunded. */
const refunded: DepositRow = {
  ...row,
  ...{ state: "refunded", fromChainId: AWAY, fromToken: OTHER.toLowerCase(), moveToken: USDC.toLowerCase() },
  ...{ provider: "lifi", twoStep: true, refundTxHash: REFUND, receivedAmount: "99000000" },
  fromAmount: "99000000",
};

function context() {
  const client = contractsClient(() => ({ ok: false, data: "0x" }));
  const stored = {
    ...vaultRow({ number: 1, chainId: testChain.chainId, address: VAULT }),
    assetAddress: USDC,
  };
  return testContext({ db: fixedDatabase(() => [stored]), clients: [client] });
}

const receiving = async (change: Partial<DepositRow>) =>
  (await depositSides(context(), { ...refunded, ...change })).receiving;

describe("depositSides() of a refund", () => {
  test("names the payment on the source chain if a bridge returned it", async () => {
    expect(await receiving({})).toMatchObject({
      ...{ tx_hash: REFUND, chain_id: AWAY, amount: "99000000", token: { address: OTHER } },
    });
  });

  test("names no token of another amount, nor native currency, which the bridge did not take", async () => {
    const unnamed = { amount: "99000000", chain_id: AWAY, token: null };
    expect(await receiving({ fromAmount: "100000000" })).toMatchObject(unnamed);
    expect(await receiving({ fromToken: zeroAddress })).toMatchObject(unnamed);
  });

  test("names the deposited token on the vault's chain if the vault returned a request's assets", async () => {
    const history = [{ state: "requested" as const, at: "2026-01-02T03:04:05.678Z" }];
    expect(await receiving({ history })).toMatchObject({
      ...{ tx_hash: REFUND, chain_id: testChain.chainId, amount: "99000000", token: { address: USDC } },
    });
  });
});

describe("withdrawalSides() of a refund", () => {
  /** A Router order that sent 100 USDC into a bridge, which returned them. */
  const returned: WithdrawalRow = {
    ...{ ...withdrawalRow, state: "refunded", toChainId: AWAY, assets: "101000000" },
    ...{ provider: "lifi", refundTxHash: REFUND, receivedAmount: "100000000" },
  };
  const second = { twoStep: true, depositTxHash: REFUND, depositProven: true, receivedAmount: "101000000" };
  const receivingOf = async (change: Partial<WithdrawalRow>) =>
    (await withdrawalSides(context(), { ...returned, ...change })).receiving;

  test.each([
    ["of an order", {}],
    ["of a second step", second],
  ])("names the token that the vault paid, on its chain, if all %s came back", async (_, change) => {
    const { receivedAmount: amount } = { ...returned, ...change };
    const named = { tx_hash: REFUND, chain_id: testChain.chainId, amount, token: { address: USDC } };
    expect(await receivingOf(change)).toMatchObject(named);
  });

  test.each([
    ["another amount than an order sent", { receivedAmount: "101000000" }],
    ["another amount than a second step sent", { ...second, receivedAmount: "100000000" }],
    ["an amount where none is known to be sent", { ...second, assets: null }],
    ["native currency, of which the bridge took the wrapped token", { ...second, exitToken: zeroAddress }],
  ])("names no token of %s", async (_, change) => {
    expect(await receivingOf(change)).toMatchObject({ tx_hash: REFUND, token: null });
  });
});
