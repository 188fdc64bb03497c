import type { Address, Hex } from "viem";
import * as z from "zod";
import { once } from "../lib/once.ts";
import { ContractAddress } from "./environment-value-schemas.ts";

/**
 * A token that accepts signed authorizations: its EIP-712 domain, the expected domain separator, and the kinds of
 * signatures that it supports.
 */
export interface SigningToken {
  domain: { name?: string; version?: string; chainId: number; verifyingContract: Address };
  /** The expected value of `DOMAIN_SEPARATOR()`. */
  separator: Hex;
  /** True if the token supports ERC-2612 permits. */
  permit: boolean;
  /** True if the token supports ERC-3009 authorizations, with the signature as `v, r, s` and as bytes. */
  erc3009: boolean;
  /**
   * How the token verifies the signature of an account with code. `code`: by calling the account (ERC-1271), or
   * in an unknown way; `ecrecover`: only by recovering the signer's key.
   */
  checks: "code" | "ecrecover";
}

/** The tokens of a chain that accept signed authorizations, by lowercase address. */
export type SigningTokens = ReadonlyMap<string, SigningToken>;

/** Schema of the variable, created on first use because most isolates start without the variable. */
const schema = once(() =>
  z.record(
    z.string().regex(/^[1-9][0-9]{0,15}$/),
    z.array(
      z.strictObject({
        token: ContractAddress,
        name: z.string().min(1),
        version: z.string().min(1),
        separator: z.templateLiteral(["0x", z.string().regex(/^[0-9a-f]{64}$/)]),
        permit: z.boolean(),
        erc3009: z.boolean(),
        checks: z.enum(["code", "ecrecover"]),
      }),
    ),
  ),
);

/**
 * Parses the environment variable `AUTHORIZATIONS`: tokens that accept signed authorizations, by chain id. Returns an
 * empty map if it is not set; for an invalid setting, adds a Zod issue and returns an empty map.
 */
export function parseSigningTokens(
  value: unknown,
  context: { addIssue(issue: { code: "custom"; message: string }): void },
): ReadonlyMap<number, SigningTokens> {
  if (value === undefined) return new Map();
  const parsed = schema().safeParse(value);
  if (!parsed.success) context.addIssue({ code: "custom", message: "not tokens that take signatures" });
  return new Map(
    Object.entries(parsed.data ?? {}).map(([chainId, tokens]) => [
      Number(chainId),
      new Map(
        tokens.map(({ token, name, version, ...takes }) => [
          token.toLowerCase(),
          { ...takes, domain: { name, version, chainId: Number(chainId), verifyingContract: token } },
        ]),
      ),
    ]),
  );
}
