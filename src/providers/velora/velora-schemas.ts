import * as z from "zod";
import { WireAddress, WireAmount, WireCalldata, WireGas } from "../provider-wire-values.ts";

// The shapes below are Velora's documented ones (API v6.2); they are not verified live.

const VeloraRoute = z.object({
  network: z.int(),
  srcToken: WireAddress,
  destToken: WireAddress,
  srcAmount: WireAmount,
  destAmount: WireAmount,
  /** Estimate of the units of gas, which is only displayed. */
  gasCost: WireGas,
  /** The router that the transaction calls, and its function. */
  contractAddress: WireAddress,
  contractMethod: z.string().max(64),
});
/**
 * A parsed price of Velora, with the router and function for it. Amounts are in the smallest unit of their token;
 * `gasCost` is in units of gas, or null if it is invalid or missing.
 */
export type VeloraRoute = z.output<typeof VeloraRoute>;

/** Schema of the used fields of a `GET /prices` response. Source: Velora Market API. */
export const VeloraPrices = z.object({ priceRoute: VeloraRoute });

/** Schema of the used fields of a `GET /swap` response. Source: Velora Market API. */
export const VeloraSwap = z.object({
  priceRoute: VeloraRoute,
  txParams: z.object({
    to: WireAddress,
    data: WireCalldata,
    /** Native amount to send, in wei. */
    value: WireAmount,
    chainId: z.int(),
  }),
});
/** A parsed `GET /swap` response: Velora's price and transaction for a swap. */
export type VeloraSwap = z.output<typeof VeloraSwap>;

/** Schema of an error response of Velora's API. */
export const VeloraErrorBody = z.object({ error: z.string().max(10_000) });
