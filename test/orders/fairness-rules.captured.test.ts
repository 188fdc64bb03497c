import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Address } from "viem";
import { describe, expect, test } from "vitest";
import { pricedValue } from "../../src/orders/fair-value.ts";
import { findUnfairness } from "../../src/orders/fairness-rules.ts";
import { splitSlippage } from "../../src/orders/order-floors.ts";
import { LifiQuote } from "../../src/providers/lifi/api/lifi-schemas.ts";
import type { TransferRequest } from "../../src/providers/provider.ts";
import { priceOfToken } from "../support/economics/trades.ts";
import { verifyAnswer } from "../support/lifi/harness.ts";

/** Answers captured from the real service by others; they stay outside the repository. */
const FOLDER = join(import.meta.dirname, "../../../shared/facts/fixtures/lifi");

interface Priced {
  priceUSD: string;
  decimals: number;
}

const token = ({ priceUSD, decimals }: Priced, unit: string) => {
  const usd = BigInt(Math.round(Number(priceUSD) * 1e9)) * 10n ** 9n;
  const price = priceOfToken({ chainId: 1, address: "0x", decimals, usd, unit });
  return { decimals, price };
};

/** The answer's own prices stand in for feeds of that day, which were not captured. */
describe.runIf(existsSync(FOLDER))("captured quotes are fair by the prices of their day:", () => {
  test.each([
    "quote.cross-chain.erc20.eth-base-usdc.across.real.json",
    "quote.cross-chain.native-source.eth-arb.real.json",
  ])("%s", (name) => {
    const { body, _meta } = JSON.parse(readFileSync(join(FOLDER, name), "utf8"));
    const { action, transactionRequest } = LifiQuote.parse(body);
    const slippage = 5_000_001n;
    const request: TransferRequest = {
      fromChainId: action.fromChainId,
      toChainId: action.toChainId,
      fromToken: action.fromToken.address as Address,
      toToken: action.toToken.address as Address,
      amount: action.fromAmount,
      user: transactionRequest.from,
      slippage,
      call: null,
      bridges: null,
    };
    const built = verifyAnswer(request, body, { now: Math.floor(Date.parse(_meta.capturedAt) / 1000) });
    const [from, to] = [token(body.action.fromToken, "paid"), token(body.action.toToken, "asked")];
    const fair = pricedValue({ amount: request.amount, nativeFee: built.nativeFee, from, to, native: from });
    const loss = splitSlippage(slippage);
    const offer = { relation: "swap" as const, fair, slippage, loss, option: built, simulated: null };
    const swapped = { ...built, swaps: true };
    expect(findUnfairness({ ...offer, built: swapped, minIn: null })).toBeNull();
  });
});
