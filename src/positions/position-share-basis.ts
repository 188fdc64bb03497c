import type { Address } from "viem";
import type { ChainClient } from "../chains/chain-client.ts";
import type { ChainFlows } from "../db/queries/user-flow-queries.ts";
import { sameAddress } from "../lib/address.ts";
import { adapterOf, asyncDepositsOf } from "../vaults/families/vault-families.ts";
import type { Vault } from "../vaults/vault.ts";
import type { PositionValue } from "./position-redemptions.ts";
import { readSharesAt } from "./position-shares.ts";

/**
 * How a user's shares compare with the indexed deposits and withdrawals.
 * - `explained`: the flows explain all shares, or the family's events do not name enough shares to tell.
 * - `transferred`: all flows are indexed and do not explain the shares, so that some came from or went to another
 *   account. The sum of the flows is known, what the shares cost is not.
 * - `unindexed`: the shares may have changed in a deposit or withdrawal that is not indexed yet, so that the sum of the
 *   flows is not known either.
 */
export type ShareBasis = "explained" | "transferred" | "unindexed";

/** A user's positions on one chain, the chain's vaults, and the block at which the shares were read. */
interface BasisInput {
  user: Address;
  values: readonly PositionValue[];
  vaults: readonly Vault[];
  flows: ChainFlows | undefined;
  blockNumber: number | null;
}

/**
 * Largest value of shares that the flows do not explain and that count as rounding, in the asset's smallest unit. Anyone
 * can send such an amount to anyone.
 */
const ROUNDING = 2n;

/**
 * Compares a user's shares with the shares of the indexed flows, by vault id. Vaults whose flows explain the shares are
 * absent. If the index is behind the block of the shares, reads the balances at the index's last block, in one request,
 * for the vaults where a deposit or withdrawal in between may matter. Never throws.
 */
export async function findShareBasis(
  client: ChainClient,
  input: BasisInput,
): Promise<ReadonlyMap<string, ShareBasis>> {
  const { flows, blockNumber, user } = input;
  if (flows === undefined || flows.indexedTo === null) return new Map();
  const current = blockNumber !== null && flows.indexedTo >= blockNumber;
  const compared = input.values
    .filter(({ vault }) => hasFlows(flows, { ...input, vault }))
    .map((value) => ({ value, explained: isExplained(value, { ...input, flows }) }))
    // Without an answer, only a balance that changes after the index's last block says something.
    .filter(({ explained }) => explained === false || (explained === null && !current));
  const before = current
    ? null
    : await readSharesAt(client, {
        ...{ user, blockNumber: flows.indexedTo },
        tokens: [...new Set(compared.map(({ value }) => value.vault.shareToken))],
      });
  return new Map(
    compared.map(({ value, explained }) => [value.vault.vaultId, judge(value, { explained, before })]),
  );
}

function judge(
  { vault, shares }: PositionValue,
  of: { explained: boolean | null; before: ReadonlyMap<string, bigint | null> | null },
): ShareBasis {
  if (of.before === null) return "transferred";
  const held = of.before.get(vault.shareToken.toLowerCase()) ?? null;
  if (of.explained === null) return held === null || held === shares ? "explained" : "unindexed";
  // A claim that is not indexed yet pays a request whose shares left the wallet long before.
  const atOnce = adapterOf(vault).exits?.modes(vault).join() === "instant" && asyncDepositsOf(vault) === null;
  return held === shares && atOnce ? "transferred" : "unindexed";
}

const sharing = ({ vault, vaults }: { vault: Vault; vaults: readonly Vault[] }): Vault[] =>
  vaults.filter((one) => sameAddress(one.shareToken, vault.shareToken));

const hasFlows = (flows: ChainFlows, of: { vault: Vault; vaults: readonly Vault[] }): boolean =>
  sharing(of).some(({ address }) => address.toLowerCase() in flows.sums);

/**
 * Returns true if the flows of the vaults with one share token explain the user's shares, those in open requests
 * included, and false if they do not. Null if the shares of a flow or of a request are unknown.
 */
function isExplained(value: PositionValue, of: BasisInput & { flows: ChainFlows }): boolean | null {
  const { vault } = value;
  const flown = sumOf(sharing({ vault, vaults: of.vaults }), ({ address }) => {
    const shares = of.flows.shares[address.toLowerCase()];
    return shares === undefined ? 0n : shares === null ? null : BigInt(shares);
  });
  const together = of.values.filter((one) => sameAddress(one.vault.shareToken, vault.shareToken));
  const held = sumOf(together, sharesOf);
  if (flown === null || held === null) return null;
  const missed = held > flown ? held - flown : flown - held;
  if (missed === 0n) return true;
  return value.assets !== null && held > 0n && (missed * value.assets) / held <= ROUNDING;
}

/**
 * Returns the shares that a user holds or has in requests whose payment the flows do not count yet, or null if those of
 * a request are unknown.
 */
function sharesOf({ shares, requests }: PositionValue): bigint | null {
  const away = requests.filter(({ inWallet, bookedOut }) => !inWallet && !bookedOut);
  const asked = sumOf(away, (request) => request.shares);
  return asked === null ? null : shares + asked;
}

/** Adds up amounts. Null if one of them is. */
function sumOf<T>(all: readonly T[], amountOf: (one: T) => bigint | null): bigint | null {
  return all.reduce<bigint | null>((sum, one) => {
    const amount = amountOf(one);
    return sum === null || amount === null ? null : sum + amount;
  }, 0n);
}
