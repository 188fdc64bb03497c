import { type Address, type Hex, isAddress, isAddressEqual } from "viem";
import { z } from "zod";
import {
  type BridgeChain,
  type BridgeChains,
  type BridgeToken,
  tokenAt,
} from "../../bridge/bridge-chains.ts";
import { invalidRequest, notFound } from "./errors.ts";
import type { ContractCall, QuoteRequest, ToolFilter } from "./quote-request.ts";

const PPM = 1_000_000;

/** An address parameter. */
export const AddressText = z
  .string()
  .refine((text) => isAddress(text, { strict: false }), 'must match format "address"')
  .transform((text) => text as Address);
/** An amount parameter: decimal digits. */
export const AmountText = z
  .string()
  .regex(/^[0-9]{1,78}$/, 'must match pattern "^[0-9]+$"')
  .transform(BigInt);
/** A hex parameter. */
export const HexText = z
  .string()
  .regex(/^0x([0-9a-fA-F]{2})*$/, 'must match format "hex"')
  .transform((text) => text as Hex);
/** A chain parameter: id or key. */
export const ChainRef = z.union([z.string(), z.number()]);
/** An integrator parameter. */
export const Integrator = z
  .string()
  .regex(/^[A-Za-z0-9._-]{0,23}$/, 'must match pattern "^[a-zA-Z0-9-._]{0,23}$"');
/** A slippage parameter: a fraction from 0 to 1. */
export const Slippage = z.number().min(0, "must be >= 0").max(1, "must be <= 1");
/** LI.FI's default slippage. */
export const DEFAULT_SLIPPAGE = 0.005;

/** Parses a request. Throws `1011 ValidationError` naming the first invalid field. */
export function parse<T extends z.ZodType>(schema: T, input: unknown): z.output<T> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw invalidRequest(`/${issue?.path.join("/") ?? ""} ${issue?.message ?? "is invalid"}`);
}

/** Converts a fraction to parts per million. */
export const toPpm = (slippage: number): bigint => BigInt(Math.round(slippage * PPM));

/** Returns a chain by id or key. Throws `1011`. */
export function chainNamed(bridgeChains: BridgeChains, reference: string | number): BridgeChain {
  const text = String(reference);
  const chain = [...bridgeChains.values()].find(({ chainId, key }) => text === `${chainId}` || text === key);
  if (chain === undefined) throw invalidRequest(`Invalid chain: ${text}`);
  return chain;
}

/**
 * Returns a chain's token by its address (in any letter case) or its symbol (case-sensitive). Throws
 * `1003 NotFoundError` if the chain has no such token.
 */
export function tokenNamed(chain: BridgeChain, reference: string): BridgeToken {
  const token = isAddress(reference, { strict: false })
    ? tokenAt(chain, reference)
    : (chain.tokens.find(({ symbol }) => symbol === reference) ?? null);
  if (token === null) throw notFound(`Could not find token ${reference} on chain ${chain.chainId}`);
  return token;
}

/** The common fields of quote requests. `toAddress` is the sender and `slippage` LI.FI's default if absent. */
export interface QuoteFields {
  fromChain: string | number;
  toChain: string | number;
  fromToken: string;
  toToken: string;
  fromAmount: bigint;
  fromAddress: Address;
  toAddress?: Address | undefined;
  slippage?: number | undefined;
  integrator?: string | undefined;
  bridges: ToolFilter;
  exchanges: ToolFilter;
  calls: readonly ContractCall[];
  /** Integrator to write on chain when the caller names none. */
  defaultIntegrator: string;
}

/** Resolves a request's chains and tokens. Throws `1003` and `1011`. */
export function toQuoteRequest(bridgeChains: BridgeChains, fields: QuoteFields): QuoteRequest {
  const fromChain = chainNamed(bridgeChains, fields.fromChain);
  const toChain = chainNamed(bridgeChains, fields.toChain);
  const from = tokenNamed(fromChain, fields.fromToken);
  const to = tokenNamed(toChain, fields.toToken);
  if (fields.fromAmount === 0n) throw invalidRequest("/fromAmount must be greater than 0");
  const moves = fromChain !== toChain || !isAddressEqual(from.address, to.address);
  if (!moves && fields.calls.length === 0) throw invalidRequest("/toToken must differ from /fromToken");
  const { fromAddress, bridges, exchanges, calls } = fields;
  return {
    fromChain,
    toChain,
    from,
    to,
    amount: fields.fromAmount,
    fromAddress,
    toAddress: fields.toAddress ?? fromAddress,
    slippage: toPpm(fields.slippage ?? DEFAULT_SLIPPAGE),
    integrator: fields.integrator ?? fields.defaultIntegrator,
    bridges,
    exchanges,
    calls,
  };
}
