import { type Address, erc20Abi, type Hex, parseAbi, sliceHex } from "viem";
import { accountCodeRead } from "../../chains/aggregator/aggregate-reads.ts";
import { createQuery, mapQuery, type Query, queryAll, read, valueOrNull } from "../../chains/chain-reads.ts";
import type { SigningToken } from "../../config/signing-token-setting.ts";
import type { Context } from "../../context.ts";
import { once } from "../../lib/once.ts";
import { hashPermit2Domain, permit2Address } from "../../router/router-signature-messages.ts";
import { sharePermitQuery } from "./share-token-domain.ts";
import { signingTokensOf } from "./signing-tokens.ts";

/**
 * Kind of account: `plain` has no code, `delegated` has an EIP-7702 delegation as its code, `contract` has any other
 * code.
 */
export type AccountKind = "plain" | "delegated" | "contract";

/** On-chain state at one block that determines which kinds of signature an owner can pay with. */
export interface AuthorizationFacts {
  /**
   * The token with its EIP-712 domain, from the tables or, for a vault's share token, from its own view functions. Null
   * if its domain is unknown, or if its `DOMAIN_SEPARATOR()` does not return that of the domain.
   */
  token: SigningToken | null;
  /** True if the token has the view function `authorizationState` (ERC-3009); false if the call failed. */
  hasAuthorizations: boolean;
  /** The owner's next permit nonce in the token (ERC-2612), or null if it could not be read. */
  permitNonce: bigint | null;
  /**
   * The owner's allowance to Permit2, in the token's smallest unit. Null if it could not be read, or if the chain has
   * no Permit2 with the expected domain separator.
   */
  permit2Allowance: bigint | null;
  /** Kind of the owner's account, or null if it could not be read. */
  account: AccountKind | null;
}

const tokenAbi = once(() =>
  parseAbi([
    "function DOMAIN_SEPARATOR() view returns (bytes32)",
    "function nonces(address owner) view returns (uint256)",
    "function authorizationState(address authorizer, bytes32 nonce) view returns (bool)",
  ]),
);

/**
 * Nonce that no order uses. `authorizationState` is called with it to determine whether the token has this function.
 */
const NO_ORDER: Hex = `0x${"0".repeat(64)}`;

/**
 * Returns a token's entry in the tables of tokens with signatures: those in code, or those in the settings for chains
 * that are not in code. Null if the token is not listed.
 */
function rowOf(ctx: Context, { chainId, token }: { chainId: number; token: Address }): SigningToken | null {
  const rows = signingTokensOf(chainId) ?? ctx.config.signingTokens.get(chainId);
  return rows?.get(token.toLowerCase()) ?? null;
}

/**
 * Returns the query for the state that decides which signatures an owner can pay with. A failed read counts as
 * unsupported. `share` is true for a vault's share token: if the tables lack it, its domain is read from the token.
 */
export function authorizationQuery(
  ctx: Context,
  of: { chainId: number; token: Address; owner: Address; share?: boolean },
): Query<AuthorizationFacts> {
  const listed = listedQuery(ctx, of);
  if (of.share !== true || rowOf(ctx, of) !== null) return listed;
  const parts = queryAll({ listed, share: sharePermitQuery(of) });
  return mapQuery(parts, ({ listed: facts, share }) => ({ ...facts, token: share }));
}

function listedQuery(
  ctx: Context,
  of: { chainId: number; token: Address; owner: Address },
): Query<AuthorizationFacts> {
  const { chainId, token, owner } = of;
  const row = rowOf(ctx, of);
  const onToken = { to: token, abi: tokenAbi() };
  const permit2 = { to: permit2Address, abi: tokenAbi() };
  return createQuery(
    {
      separator: read({ ...onToken, name: "DOMAIN_SEPARATOR" }),
      nonce: read({ ...onToken, name: "nonces", args: [owner] }),
      state: read({ ...onToken, name: "authorizationState", args: [owner, NO_ORDER] }),
      permit2: read({ ...permit2, name: "DOMAIN_SEPARATOR" }),
      allowance: read({ to: token, abi: erc20Abi, name: "allowance", args: [owner, permit2Address] }),
      code: accountCodeRead(owner),
    },
    (seen): AuthorizationFacts => {
      const separator = valueOrNull(seen.separator);
      const confirmed = row !== null && separator === row.separator;
      if (row !== null && !confirmed)
        ctx.log.warn("token_separator_unexpected", { chain_id: chainId, token, separator });
      const code = valueOrNull(seen.code);
      return {
        token: confirmed ? row : null,
        hasAuthorizations: valueOrNull(seen.state) !== null,
        permitNonce: valueOrNull(seen.nonce),
        permit2Allowance:
          valueOrNull(seen.permit2) === hashPermit2Domain(chainId) ? valueOrNull(seen.allowance) : null,
        account: code === null ? null : accountKindOf(code),
      };
    },
  );
}

/** Length of an EIP-7702 delegation in bytes, and the prefix before the delegate's address. Source: EIP-7702. */
const DELEGATION = { bytes: 23n, prefix: "0xef0100" } as const;

/**
 * Returns the kind of an account from the size of its code in bytes and the code's first bytes (at least three).
 * Source: EIP-7702 (delegation designator).
 */
export function accountKindOf({ size, head }: { size: bigint; head: Hex }): AccountKind {
  if (size === 0n) return "plain";
  return size === DELEGATION.bytes && sliceHex(head, 0, 3) === DELEGATION.prefix ? "delegated" : "contract";
}
