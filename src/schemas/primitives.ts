import { z } from "@hono/zod-openapi";
import type { Address, Hex } from "viem";
import { parseAddress } from "../lib/address.ts";
import { MAX_UINT256 } from "../lib/amount.ts";
import { parseVaultId } from "../lib/vault-id.ts";

/** Answer shapes. */
export const AddressText = z.string().openapi({ example: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913" });
export const AmountText = z.string().openapi({ example: "1000000" });
export const VaultIdText = z.string().openapi({ example: "8453:0xbeef010f9cb27031ad51e3333f9af9c6b1228183" });
export const TimeText = z.string().openapi({ example: "2026-01-02T03:04:05.678Z", format: "date-time" });
export const HexText = z.string().openapi({ example: "0x" });
export const ChainIdNumber = z.int().openapi({ example: 8453 });

/** An address of the request: any valid case in, checksummed out. */
export const AddressInput = z
  .string()
  .transform((text, context): Address => {
    const address = parseAddress(text);
    if (address !== null) return address;
    context.addIssue({ code: "custom", message: "not an address, or its EIP-55 checksum is wrong" });
    return z.NEVER;
  })
  .openapi({
    type: "string",
    pattern: "^0x[0-9a-fA-F]{40}$",
    example: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
  });

/** An amount of the request: a positive decimal integer string that fits uint256. */
export const AmountInput = z
  .string()
  .regex(/^[1-9][0-9]{0,77}$/, "must be a positive integer in the smallest unit, as a decimal string")
  .transform((text, context): bigint => {
    const amount = /^[1-9][0-9]{0,77}$/.test(text) ? BigInt(text) : 0n;
    if (amount <= MAX_UINT256) return amount;
    context.addIssue({ code: "custom", message: "does not fit uint256" });
    return z.NEVER;
  })
  .openapi({ type: "string", pattern: "^[1-9][0-9]{0,77}$", example: "1000000" });

/** A vault id of the request: any case, plain or with %3A. */
export const VaultIdInput = z
  .string()
  .transform((text, context) => {
    const key = parseVaultId(text);
    if (key !== null) return key;
    context.addIssue({ code: "custom", message: "must be <chain_id>:<vault address>" });
    return z.NEVER;
  })
  .openapi({ type: "string", example: "8453:0xbeef010f9cb27031ad51e3333f9af9c6b1228183" });

/** A chain id in a JSON body. */
export const ChainIdInput = z.int().positive().openapi({ example: 8453 });

/** An integer in a query string or path: digits only, so that an empty text is not zero. */
export function integerParam(bounds: { minimum: number; maximum: number }) {
  return z
    .string()
    .regex(/^(0|[1-9][0-9]{0,15})$/, "must be an integer")
    .transform(Number)
    .pipe(z.int().min(bounds.minimum).max(bounds.maximum))
    .openapi({ type: "integer", minimum: bounds.minimum, maximum: bounds.maximum });
}

/** A chain id in a query string. */
export const ChainIdParam = integerParam({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

/** A boolean in a query string: `true` or `false`. */
export const BooleanParam = z
  .enum(["true", "false"])
  .transform((text) => text === "true")
  .openapi({ type: "boolean" });

/** A transaction hash of the request, lower-cased. */
export const TxHashInput = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, "must be 0x and 64 hexadecimal digits")
  .transform((text) => text.toLowerCase() as Hex)
  .openapi({ type: "string", pattern: "^0x[0-9a-fA-F]{64}$" });

/** The id of a tracked deposit, as build returned it. */
export const TrackingIdInput = z
  .string()
  .regex(/^trk_[0-9a-f]{32}$/, "must be a tracking id")
  .openapi({
    type: "string",
    pattern: "^trk_[0-9a-f]{32}$",
    example: "trk_0123456789abcdef0123456789abcdef",
  });

/** A page's length in a query string. */
export function limitParam(maximum: number, fallback: number) {
  return integerParam({ minimum: 1, maximum })
    .optional()
    .transform((limit) => limit ?? fallback)
    .openapi({ type: "integer", minimum: 1, maximum, default: fallback });
}
