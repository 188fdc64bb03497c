import type { Address } from "viem";
import type { ChainDefinition } from "../chains/definition.ts";
import type { Context } from "../context.ts";
import type { AppError, ErrorCode } from "../errors.ts";
import { isNative, sameAddress } from "../lib/address.ts";
import type { Token } from "../vaults/vault.ts";
import type { Order } from "./order.ts";
import { readTokenFacts } from "./token-facts.ts";
import { acceptedTokens } from "./vault-wire.ts";

/** What a vault may say of one of its tokens and not of another: each has a switch, a limit and a price of its own. */
const OF_TOKENS: ReadonlySet<ErrorCode> = new Set([
  "vault_paused",
  "token_unsupported",
  "below_minimum",
  "above_maximum",
  "price_stale",
  "price_unsafe",
  "zero_shares",
]);

/** Whether a refusal of the vault's may hold for one token only, so that another may do. */
export function isOfToken(error: AppError): boolean {
  return OF_TOKENS.has(error.code);
}

/**
 * In which of the vault's tokens a transfer may arrive, best first: that of the same symbol, or of another name that
 * bridges know as the same asset (USD₮0 and USDT), which is bridged without a swap, then the vault's own asset, then
 * native where the vault's asset is its wrapped form. Throws `token_unsupported`, and what reading the chain throws.
 */
export async function findTargets(ctx: Context, order: Order): Promise<Token[]> {
  const accepted = acceptedTokens(order.vault, { chain: order.client.definition, entry: order.entry });
  const tokens = accepted.filter(({ address }) => !isNative(address));
  const primary = order.vault.asset;
  // What is paid with is looked at only where there is a choice.
  if (tokens.length < 2) return orderTargets({ accepted, primary, symbol: "", same: () => false });
  // Providers' tables are left to the first who needs them.
  const { sameAssetAs } = await import("../providers/lifi/bridged-assets.ts");
  const same = sameAssetAs(order.from, order.vault.chainId);
  return orderTargets({ accepted, primary, symbol: await symbolOf(ctx, order), same });
}

/**
 * Puts accepted tokens in the order of `findTargets`; `symbol` of what the user pays with, empty when not known, and
 * `same`: whether bridges know a token as the same asset.
 */
export function orderTargets(choice: {
  accepted: readonly Token[];
  primary: Token;
  symbol: string;
  same: (address: Address) => boolean;
}): Token[] {
  const { accepted, primary, symbol, same } = choice;
  const native = accepted.filter(({ address }) => isNative(address));
  const named = accepted.filter((token) => symbol !== "" && sameSymbol(token.symbol, symbol));
  const alike = [...named, ...accepted.filter(({ address }) => same(address))];
  const ordered = [...alike.filter((token) => !native.includes(token)), primary, ...native];
  return ordered.filter(
    ({ address }, index) => ordered.findIndex((other) => sameAddress(other.address, address)) === index,
  );
}

const sameSymbol = (a: string, b: string): boolean => a.toUpperCase() === b.toUpperCase();

/** Native counts as its wrapped form, which is how it travels. */
async function symbolOf(ctx: Context, { from }: Order): Promise<string> {
  if (!isNative(from.token)) {
    return (await readTokenFacts(ctx, { chainId: from.chainId, address: from.token })).symbol;
  }
  return wrappedSymbol(from.client.definition);
}

const wrappedSymbol = ({ native }: ChainDefinition): string => `W${native.symbol}`;
