import { encodeFunctionResult, type Hex, parseAbi } from "viem";
import { expect, test } from "vitest";
import { settlementTransitions } from "../../../src/tracking/deposits/deposit-request-settlement.ts";
import type { TransactionReader } from "../../../src/tracking/deposits/deposit-transaction-reader.ts";
import { completeClient } from "../../support/chains/complete-client.ts";
import { contractsClient, head } from "../../support/chains/multicall.ts";
import { testContext } from "../../support/context.ts";
import { row as built, USDC, USER, vault } from "../../support/deposits/fixtures.ts";
import { receiptOf } from "../../support/deposits/logs.ts";
import { fixedDatabase, storedOf } from "../../support/withdrawals/withdrawing.ts";

const REQUEST: Hex = `0x${"11".repeat(32)}`;
const abi = parseAbi([
  "function mintRequests(uint256) view returns (address sender, address tokenIn, uint8 status, uint256 depositedUsdAmount, uint256 usdAmountWithoutFees, uint256 tokenOutRate)",
]);
/** A request that the vault reports as rejected. */
const rejected: Hex = encodeFunctionResult({
  abi,
  functionName: "mintRequests",
  result: [USER, USDC, 2, 0n, 0n, 0n],
});
const params = { deposit: "request", recipient: "argument", asset_rate: "stable" };
const midas = storedOf({ ...vault, adapter: "midas", type: "midas", caller: "user", params });
const row = { ...built, state: "requested" as const, requestId: "7", depositTxHash: REQUEST };

/** The transitions of a request of a vault that rejected it, on a node that knows this receipt and no transfers. */
async function eventsOf(receipt: ReturnType<typeof receiptOf> | null): Promise<unknown[]> {
  const reading = contractsClient(() => ({ ok: true, data: rejected }));
  const client = completeClient({
    ...reading,
    request: async (method: string, params: readonly unknown[]) =>
      method === "eth_getLogs" ? [] : reading.request(method, params),
  });
  let answers = 0;
  const db = fixedDatabase(() => (answers++ === 0 ? [midas] : []));
  const readTransaction: TransactionReader = async () => ({ transaction: null, receipt, confirmations: 9 });
  const ctx = testContext({ clients: [client], db });
  const transitions = await settlementTransitions(ctx, { row, readTransaction });
  return transitions.map(({ event }) => event);
}

test("settlementTransitions() fails a rejected request only once a refund was searched for", async () => {
  const shows = [{ kind: "chain", shows: "vault_rejected", confirmed: true }];
  expect(await eventsOf({ ...receiptOf(), blockNumber: BigInt(head.number - 10) })).toEqual(shows);
  // Without the receipt, nobody knows from where to search.
  expect(await eventsOf(null)).toEqual([]);
});
