import { type Address, getAddress, type Hex } from "viem";
import * as z from "zod";
import { MAX_UINT256 } from "../../lib/amount.ts";

/** Maximum length of calldata as text, in characters: `0x` and two hex digits for each of 128 KiB. */
const MAX_DATA = 2 * 128 * 1024 + 2;

const Amount = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,77})$/)
  .transform(BigInt)
  .refine((amount) => amount <= MAX_UINT256);
const AddressText = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform((text): Address => getAddress(text));
const Data = z
  .string()
  .max(MAX_DATA)
  .regex(/^0x([0-9a-fA-F]{2})*$/)
  .transform((text) => text.toLowerCase() as Hex);
/** Schema of a swap's gas, which is only displayed, so an invalid value becomes null. */
const Gas = z
  .string()
  .regex(/^\d{1,12}$/)
  .transform(BigInt)
  .nullable()
  .catch(null);

/**
 * Schema of the fields in use of a `GET /{chain}/api/v1/routes` response. `amountIn` and `amountOut` are in the smallest
 * unit of their token. Source: KyberSwap Aggregator API.
 */
export const KyberRoutes = z.object({
  code: z.literal(0),
  data: z.object({
    routeSummary: z.object({
      tokenIn: AddressText,
      tokenOut: AddressText,
      amountIn: Amount,
      amountOut: Amount,
      gas: Gas,
    }),
    routerAddress: AddressText,
  }),
});

/** Schema of the fields in use of a `POST /{chain}/api/v1/route/build` response. Source: KyberSwap Aggregator API. */
export const KyberBuild = z.object({
  code: z.literal(0),
  data: z.object({
    amountIn: Amount,
    amountOut: Amount,
    gas: Gas,
    data: Data,
    routerAddress: AddressText,
    /** Native amount to send, in wei; absent in older versions of the API. */
    transactionValue: Amount.optional(),
  }),
});
/** A parsed `POST /{chain}/api/v1/route/build` response: KyberSwap's transaction for a swap. */
export type KyberBuild = z.output<typeof KyberBuild>;

/** Schema of an error body of KyberSwap's API, which may also have status 200. */
export const KyberErrorBody = z.object({ code: z.int() });
