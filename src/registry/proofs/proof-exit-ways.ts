import type { Address } from "viem";
import { createQuery, mapQuery, type Query, queryAll } from "../../chains/chain-reads.ts";
import { sameAddress } from "../../lib/address.ts";
import { adapterOf } from "../../vaults/families/vault-families.ts";
import type { Token, Vault } from "../../vaults/vault.ts";
import type { ExitMode, ExitTerms } from "../../vaults/vault-exits.ts";

/** Name of the generic ERC-4626 adapter. `resolveVault` replaces it by that of the recognized family, if any. */
export const GENERIC_ADAPTER = "erc4626";

/** A way out that a proof simulates: the mode, the paid token and `ExitTerms.variant`, which the call may depend on. */
export interface ProofExit {
  mode: ExitMode;
  token: Token;
  variant: string | null;
  /** What the vault's views state that one whole share pays, in the token's smallest unit; null if unread or unknown. */
  stated: bigint | null;
}

/** The ways out of a vault, the preferred first, and whether its views say that all of them are paused. */
export interface ExitWays {
  ways: readonly ProofExit[];
  paused: boolean;
}

const UNREAD = { variant: null, stated: null } as const;
/** Largest number of tokens per mode whose terms are read, and of those by which a proof tries to leave. */
const MAX_TOKENS = { read: 16, tried: 3 } as const;

/**
 * Returns the redemption modes that a registry proof simulates: every mode of a vault with the generic adapter, and
 * `instant` of a vault of a known family that has no other mode. Empty for all other vaults.
 */
export function judgedModes(vault: Vault): readonly ExitMode[] {
  const modes = adapterOf(vault).exits?.modes(vault) ?? [];
  // Where a known family makes some holders wait, leaving at once may cost a fee that says nothing against a deposit,
  // and requests have conditions that a proof's amount may not meet.
  return vault.adapter === GENERIC_ADAPTER || modes.join() === "instant" ? modes : [];
}

/** Returns true if a proof judges the redemption of a deposit: in a token that it can measure, or by request. */
export function isJudgedDeposit({ vault, token }: { vault: Vault; token: Token }): boolean {
  const modes = judgedModes(vault);
  const measured = sameAddress(token.address, vault.asset.address);
  return modes.length > 0 && (measured || modes.join() === "request");
}

/**
 * Returns a query for the ways out of a deposit. If its redemption is judged, they are one per mode and not paused,
 * without a read; otherwise up to three tokens per mode. `user` is any account, `now` in UNIX milliseconds.
 */
export function exitWaysQuery(of: {
  vault: Vault;
  token: Token;
  user: Address;
  now: number;
}): Query<ExitWays> {
  const { vault, user, now } = of;
  const { exits } = adapterOf(vault);
  const modes = exits?.modes(vault) ?? [];
  const usual = modes.map((mode) => ({ mode, token: exitTokens(vault, mode)[0], ...UNREAD }));
  if (exits === undefined || modes.length === 0 || isJudgedDeposit(of))
    return createQuery({}, () => ({ ways: usual, paused: false }));
  const shares = 10n ** BigInt(vault.shareDecimals);
  const asked = { shares, owner: user, caller: user, receiver: user, now };
  const read = modes.flatMap((mode) =>
    exitTokens(vault, mode).map((token) => ({
      mode,
      token,
      terms: exits.terms(vault, { ...asked, mode, token }),
    })),
  );
  const terms = queryAll(Object.fromEntries(read.map((way, index) => [index, way.terms])));
  return mapQuery(terms, (found) => {
    const seen = read.map(({ mode, token }, index) => ({ mode, token, terms: found[index] }));
    return {
      ways: modes.flatMap((mode) => triedOf(seen.filter((way) => way.mode === mode))),
      // A token that the vault does not pay says nothing about the others.
      paused:
        seen.some((way) => isPaused(way.terms)) &&
        seen.every((way) => isPaused(way.terms) || way.terms?.refusal === "token_unsupported"),
    };
  });
}

/** Returns the tokens that a mode may pay: the vault's asset first, if it is one of them or none is known. */
function exitTokens(vault: Vault, mode: ExitMode): [Token, ...Token[]] {
  const paid = (adapterOf(vault).exits?.tokens(vault, mode) ?? []).slice(0, MAX_TOKENS.read);
  const asset = paid.find(({ address }) => sameAddress(address, vault.asset.address));
  const [first = vault.asset, ...others] =
    asset === undefined ? paid : [asset, ...paid.filter((token) => token !== asset)];
  return [first, ...others];
}

type SeenWay = Pick<ProofExit, "mode" | "token"> & { terms: ExitTerms | undefined };

const isPaused = (terms: ExitTerms | undefined): boolean =>
  terms !== undefined && (terms.paused || terms.refusal === "exits_paused");

/** Returns the ways that a proof tries: those that the vault's views do not rule out first. */
function triedOf(ways: readonly SeenWay[]): ProofExit[] {
  const isOut = ({ terms }: SeenWay): boolean => isPaused(terms) || terms?.refusal === "token_unsupported";
  return [...ways.filter((way) => !isOut(way)), ...ways.filter(isOut)]
    .slice(0, MAX_TOKENS.tried)
    .map(({ mode, token, terms }) => ({
      ...{ mode, token, variant: terms?.variant ?? null },
      stated: terms?.previewAssets ?? null,
    }));
}
