import { type Hex, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { vaultRow } from "../../scripts/bench/vault-row.ts";
import type { DepositRow } from "../../src/db/queries/deposit-queries.ts";
import { depositSides } from "../../src/status/status-transfer-sides.ts";
import { contractsClient } from "../support/chains/multicall.ts";
import { testChain } from "../support/chains/rpc-node.ts";
import { testContext } from "../support/context.ts";
import { OTHER, row, USDC, VAULT } from "../support/deposits/fixtures.ts";
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

async function receiving(change: Partial<DepositRow>) {
  const client = contractsClient(() => ({ ok: false, data: "0x" }));
  const stored = {
    ...vaultRow({ number: 1, chainId: testChain.chainId, address: VAULT }),
    assetAddress: USDC,
  };
  const ctx = testContext({ db: fixedDatabase(() => [stored]), clients: [client] });
  return (await depositSides(ctx, { ...refunded, ...change })).receiving;
}

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
