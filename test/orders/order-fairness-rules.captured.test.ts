import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { PARTS_PER_BILLION } from "../../src/lib/amount.ts";
import { type FairValue, pricedValue, sameAssetValue } from "../../src/orders/order-fair-value.ts";
import { findUnfairness, type TokenRelation } from "../../src/orders/order-fairness-rules.ts";
import { splitSlippage } from "../../src/orders/order-floors.ts";
import type { VerifiedTransfer } from "../../src/providers/provider.ts";
import { priceOfToken } from "../support/economics/trades.ts";
import { type Json, requestFor, wholeAnswer } from "../support/lifi/captured.ts";
import { verifyAnswer } from "../support/lifi/harness.ts";

/** Answers captured from the real service by others; they stay outside the repository. */
const FOLDER = join(import.meta.dirname, "../../../shared/facts/fixtures/lifi");
const present = existsSync(FOLDER);
const load = (name: string) => JSON.parse(readFileSync(join(FOLDER, name), "utf8"));

interface Priced {
  priceUSD: string;
  decimals: number;
}

const token = ({ priceUSD, decimals }: Priced, unit: string) => {
  const usd = BigInt(Math.round(Number(priceUSD) * 1e9)) * 10n ** 9n;
  const price = priceOfToken({ chainId: 1, address: "0x", decimals, usd, unit });
  return { decimals, price };
};

/** The first rule that a captured transaction breaks, chosen as it was built. */
function breachOf(
  built: VerifiedTransfer,
  { fair, relation, slippage }: { fair: FairValue | null; relation: TokenRelation; slippage: bigint },
) {
  const offer = { relation, fair, slippage, loss: splitSlippage(slippage), option: built, simulated: null };
  return findUnfairness({ ...offer, built, minIn: null });
}

test(
  present
    ? "five captures of LI.FI's API are judged"
    : "captures of LI.FI's API are absent, so none is judged",
  () => expect(existsSync(FOLDER)).toBe(present),
);

/** The answer's own prices stand in for feeds of that day, which were not captured. */
describe.runIf(present)("captured quotes are fair by the prices of their day:", () => {
  test.each([
    "quote.cross-chain.erc20.eth-base-usdc.across.real.json",
    "quote.cross-chain.native-source.eth-arb.real.json",
  ])("%s", (name) => {
    const { body, _meta } = load(name);
    const request = requestFor(body);
    const built = verifyAnswer(request, body, { now: Math.floor(Date.parse(_meta.capturedAt) / 1000) });
    const [from, to] = [token(body.action.fromToken, "paid"), token(body.action.toToken, "asked")];
    const fair = pricedValue({ amount: request.amount, nativeFee: built.nativeFee, from, to, native: from });
    const swapped = { ...built, swaps: true };
    expect(breachOf(swapped, { fair, relation: "swap", slippage: request.slippage })).toBeNull();
  });
});

describe.runIf(present)("captured transfers of one asset are fair without any price:", () => {
  const captured: readonly Json[] = present
    ? load("contractCalls.cross-chain.empty-calls.base.real-trimmed.json").body
    : [];
  test.each(captured.map((entry) => [String(entry["name"]), entry] as const))("%s", (_, entry) => {
    const { body, now, quoted } = wholeAnswer(entry);
    const request = requestFor(body);
    // LI.FI declares its own fee and the relayer's; the capture was trimmed to the transaction.
    const declaredFee = ((request.amount - quoted) * PARTS_PER_BILLION) / request.amount;
    const built = { ...verifyAnswer(request, body, { now }), declaredFee };
    const unpriced = { decimals: 6, price: null };
    const payment = { amount: request.amount, nativeFee: built.nativeFee };
    const fair = sameAssetValue({ ...payment, from: unpriced, to: unpriced, native: unpriced });
    const judged = { fair, relation: "same_asset" as const, slippage: request.slippage };
    expect(breachOf(built, judged)).toBeNull();
    // A fiftieth less than was captured is refused, so that the rules were at work.
    const taken = (amount: bigint): bigint => (amount * 98n) / 100n;
    const less = { ...built, toAmount: taken(built.toAmount), toAmountMin: taken(built.toAmountMin) };
    expect(breachOf(less, judged)).not.toBeNull();
  });
  test("there are three", () => expect(captured).toHaveLength(3));
});
