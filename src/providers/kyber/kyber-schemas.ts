import * as z from "zod";

import { WireAddress, WireAmount, WireCalldata, WireGas } from "../provider-wire-values.ts";

/**
 * Schema of the used fields of a `GET /{chain}/api/v1/routes` response. Amounts are in the smallest unit of their
 * token; `gas` is in units of gas, or null if it is invalid or missing. Source: KyberSwap Aggregator API.
 */
export const KyberRoutes = z.object({
  code: z.literal(0),
  data: z.object({
    routeSummary: z.object({
      tokenIn: WireAddress,
      tokenOut: WireAddress,
      amountIn: WireAmount,
      amountOut: WireAmount,
      gas: WireGas,
    }),
    routerAddress: WireAddress,
  }),
});

/**
 * Schema of the used fields of a `POST /{chain}/api/v1/route/build` response; units as in `KyberRoutes`. Source:
 * KyberSwap Aggregator API.
 */
export const KyberBuild = z.object({
  code: z.literal(0),
  data: z.object({
    amountIn: WireAmount,
    amountOut: WireAmount,
    gas: WireGas,
    data: WireCalldata,
    routerAddress: WireAddress,
    /** Native amount to send, in wei; absent in older versions of the API. */
    transactionValue: WireAmount.optional(),
  }),
});
/** A parsed `POST /{chain}/api/v1/route/build` response: KyberSwap's transaction for a swap. */
export type KyberBuild = z.output<typeof KyberBuild>;

/**
 * Schema of an error body of KyberSwap's API, which may also arrive with status 200. An error code is never 0, but the
 * schema also accepts a success body, with `code` 0. Source: docs.kyberswap.com, error codes.
 */
export const KyberErrorBody = z.object({ code: z.int() });
