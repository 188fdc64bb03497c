import { encodeErrorResult, type Hex, parseAbi } from "viem";
import { describe, expect, test } from "vitest";
import { prepareDirect } from "../../src/deposits/direct-deposit.ts";
import { depositRouterAddress } from "../../src/router/router-address.ts";
import { decodeRouterCall } from "../../src/router/router-codec.ts";
import { testContext } from "../support/context.ts";
import { directIntent, intentOf, USER, VAULT } from "../support/deposits/fixtures.ts";
import {
  balanceKey,
  type SentCall,
  type SimulatedEffects,
  sharesFor,
  simulatedChain,
} from "../support/deposits/simulated-chain.ts";

const ALL = intentOf().amount;
const routerErrors = parseAbi([
  "error InputBelowMinimum(uint256 received, uint256 minimum)",
  "error OutputBelowMinimum(uint256 received, uint256 minimum)",
]);
const fewer = (received: bigint): Hex =>
  encodeErrorResult({ abi: routerErrors, errorName: "OutputBelowMinimum", args: [received, 1n] });
const less = (received: bigint): Hex =>
  encodeErrorResult({ abi: routerErrors, errorName: "InputBelowMinimum", args: [received, ALL] });
const mints = (shares: bigint): SimulatedEffects => ({ rises: { [balanceKey(VAULT, USER)]: shares } });

/** Prepares a deposit on a chain that does this to it; gives what was simulated, too. */
async function prepare(effects: (call: SentCall) => SimulatedEffects, intent = intentOf()) {
  const { client, sent } = simulatedChain({ effects });
  const prepared = await prepareDirect(testContext({ clients: [client] }), { ...intent, client });
  return { prepared, sent };
}
const refusal = (effects: SimulatedEffects, intent = intentOf()) => prepare(() => effects, intent);

describe("prepareDirect() through the Router", () => {
  const previewed = sharesFor(ALL);

  test("expects the simulated shares and enforces the previewed shares less 0.5 % slippage", async () => {
    const { prepared, sent } = await prepare(() => mints(previewed - 7n));
    const minShares = (previewed * 995n) / 1000n;
    expect(prepared).toMatchObject({ depositAmount: ALL, expectedShares: previewed - 7n });
    expect(prepared.floors).toMatchObject({ minIn: ALL, minShares });
    expect(sent).toHaveLength(1);
    expect(decodeRouterCall(prepared.deposit.data).order).toMatchObject({ minIn: ALL, minOut: minShares });
  });

  test("sets the deadline ten minutes after the quote's expiry by the chain's clock", async () => {
    const { prepared } = await prepare(() => mints(previewed));
    const { timestamp } = prepared.checked.block;
    const deadline = BigInt(timestamp + 5 * 60 + 10 * 60);
    expect(decodeRouterCall(prepared.deposit.data).order.deadline).toBe(deadline);
  });

  test("sets the floors for the amount that arrives of a token with a fee on transfers", async () => {
    const arrives = 98_000_000n;
    const taxed = ({ data }: SentCall): SimulatedEffects =>
      decodeRouterCall(data).order.minIn > arrives ? { revert: less(arrives) } : mints(sharesFor(arrives));
    const { prepared, sent } = await prepare(taxed);
    expect(prepared).toMatchObject({ depositAmount: arrives, expectedShares: sharesFor(arrives) });
    expect(prepared.floors).toMatchObject({ minIn: arrives, minShares: (sharesFor(arrives) * 995n) / 1000n });
    expect(decodeRouterCall(prepared.deposit.data).order.amountIn).toBe(ALL);
    expect(sent).toHaveLength(2);
  });

  test.each([0n, ALL, ALL + 1n])("rejects a transfer fee that leaves %d of the amount", async (received) => {
    const { client, sent } = simulatedChain({ effects: () => ({ revert: less(received) }) });
    const prepared = prepareDirect(testContext({ clients: [client] }), intentOf({ client }));
    await expect(prepared).rejects.toMatchObject({
      code: "would_revert",
      members: { revert: "InputBelowMinimum" },
    });
    expect(sent).toHaveLength(1);
  });

  test("refuses fewer shares than the Router's minimum", async () => {
    await expect(refusal({ revert: fewer(1n) })).rejects.toMatchObject({ code: "price_unsafe" });
    await expect(refusal({ revert: fewer(0n) })).rejects.toMatchObject({ code: "zero_shares" });
  });
});

describe("prepareDirect() by the user", () => {
  const promised = (sharesFor(ALL) * 995n) / 1000n;

  test("returns no minimum shares when nothing on chain enforces them", async () => {
    const { prepared, sent } = await prepare(() => mints(promised), directIntent);
    expect(prepared).toMatchObject({ expectedShares: promised, floors: { minShares: null } });
    expect(sent[0]?.at(-1)).toMatchObject({ from: USER, to: VAULT });
    expect(prepared.deposit.target).not.toBe(depositRouterAddress);
  });

  test("refuses fewer simulated shares than the preview promises", async () => {
    await expect(refusal(mints(promised - 1n), directIntent)).rejects.toMatchObject({ code: "price_unsafe" });
    await expect(refusal(mints(0n), directIntent)).rejects.toMatchObject({ code: "zero_shares" });
  });
});
