import type { Address } from "viem";
import { runQueryAtBlock } from "../chains/aggregator/aggregate-reads-at-block.ts";
import type { ChainClient } from "../chains/chain-client.ts";
import { guardQuery, type Query, queryAll } from "../chains/chain-reads.ts";
import type { ChainFlows, OpenRequest } from "../db/queries/user-flow-queries.ts";
import { adapterOf } from "../vaults/families/vault-families.ts";
import type { Vault } from "../vaults/vault.ts";
import type { PendingExit } from "../vaults/vault-exits.ts";
import type { PendingPosition } from "./position-pending-deposits.ts";
import { isRedemptionOf, openRedemptions, type PositionValue } from "./position-redemptions.ts";

/** Largest difference of two values that counts as rounding, in the asset's smallest unit. */
const ROUNDING = 2n;

const none: Query<null> = { reads: {}, interpret: () => null };

/**
 * Returns the ids of the vaults whose positions do not match their flows, because something that changes no share
 * balance happened between the blocks of both: a payment of a request, a request that another account made for the user
 * or a cancelled deposit. Only some vaults have such flows (`paysUnseen`), for which the requests at the index's last
 * block are read; one whose requests cannot be read there counts if they may have been paid (`mayBePaid`). If the index
 * is ahead of the positions, all vaults with such flows or with deposit requests count. Of other vaults, those in
 * `lacking` count whose requests had more shares at that block. Never throws.
 */
export async function findUnindexedPayments(
  client: ChainClient,
  of: {
    user: Address;
    values: readonly PositionValue[];
    flows: ChainFlows;
    open: readonly OpenRequest[];
    pending: readonly PendingPosition[];
    blockNumber: number | null;
    /** Ids of the vaults whose flows count more shares than the user has, which a request may have paid. */
    lacking: ReadonlySet<string>;
  },
): Promise<ReadonlySet<string>> {
  const { user, flows, open, blockNumber } = of;
  const { indexedTo: block, headTime } = flows;
  if (block === null || headTime === null || block === blockNumber) return new Set();
  const now = headTime.getTime();
  const values = of.values.filter(({ vault }) => vault.address.toLowerCase() in flows.sums);
  const paysUnseen = ({ vault }: PositionValue) => adapterOf(vault).flows(vault).paysUnseen === true;
  if (blockNumber !== null && blockNumber < block) {
    // A node that is behind still shows requests whose payments are indexed, and not those that are.
    const ahead = values.filter((value) => paysUnseen(value) || depositsOf(value.vault) !== null);
    return new Set(ahead.map(({ vault }) => vault.vaultId));
  }
  const asked = values.filter((value) => paysUnseen(value) || of.lacking.has(value.vault.vaultId));
  if (asked.length === 0) return new Set();
  const queries = asked.map(({ vault }) => {
    const requests = guardQuery(() => openRedemptions(vault, { user, open, now }) ?? none);
    const deposits = guardQuery(() => depositsOf(vault)?.pending(vault, { user, requestIds: [] }) ?? none);
    return [vault.vaultId, queryAll({ requests, deposits })] as const;
  });
  const query = queryAll(Object.fromEntries(queries));
  const before = await client
    // If the session threw, it would be repeated on the next node.
    .onOneNode((node) => runQueryAtBlock(node, { query, block }).catch(() => null))
    .catch(() => null);
  const changed = asked.filter((value) => {
    const { requests = null, deposits = null } = before?.[value.vault.vaultId] ?? {};
    if (!paysUnseen(value)) return requests !== null && hasLost(value.requests, requests);
    const shown = of.pending.find(({ vault }) => vault.vaultId === value.vault.vaultId);
    if (deposits?.booked !== undefined && isOtherDeposit(shown?.booked, deposits.booked)) return true;
    return (
      (requests === null ? null : isOther(value.requests, requests)) ?? mayBePaid(value, { flows, open })
    );
  });
  return new Set(changed.map(({ vault }) => vault.vaultId));
}

const depositsOf = (vault: Vault) => adapterOf(vault).asyncDeposits?.(vault, "anywhere") ?? null;

/**
 * Returns true if a payment that cannot be ruled out may explain a position: a request of the user is stored or shown, or
 * the position is worth less than the flows. Others keep their yield: some nodes never have the state of that block.
 */
function mayBePaid(
  { vault, assets, correction, requests }: PositionValue,
  { flows, open }: { flows: ChainFlows; open: readonly OpenRequest[] },
): boolean {
  if (requests.length > 0 || open.some((one) => isRedemptionOf(vault, one))) return true;
  const sum = flows.sums[vault.address.toLowerCase()] ?? null;
  if (sum === null || assets === null || correction === null) return false;
  return assets + ROUNDING < BigInt(sum) + correction;
}

/**
 * Returns true if requests contain other shares than earlier ones or, if those are unknown, less assets. Null if that is
 * unknown.
 */
function isOther(requests: readonly PendingExit[], earlier: readonly PendingExit[]): boolean | null {
  const [shares, sharesBefore] = [totalOf(requests, "shares"), totalOf(earlier, "shares")];
  // More shares than the wallet lost are those of requests that others made.
  if (shares !== null && sharesBefore !== null) return shares !== sharesBefore;
  const [assets, assetsBefore] = [totalOf(requests, "assets"), totalOf(earlier, "assets")];
  return assets === null || assetsBefore === null ? null : assets + ROUNDING < assetsBefore;
}

/** Returns true if requests contain fewer shares than earlier ones; false also if that is unknown. */
function hasLost(requests: readonly PendingExit[], earlier: readonly PendingExit[]): boolean {
  const [shares, before] = [totalOf(requests, "shares"), totalOf(earlier, "shares")];
  return shares !== null && before !== null && shares < before;
}

const NOT_BOOKED: Booked = { assets: 0n, at: 0 };
type Booked = NonNullable<PendingPosition["booked"]>;

/** Returns true if deposits that flows count before their shares are claimed differ from earlier ones. */
const isOtherDeposit = ({ assets, at } = NOT_BOOKED, earlier: Booked): boolean =>
  at !== earlier.at || (assets !== null && earlier.assets !== null && assets !== earlier.assets);

/** Adds up the shares or assets of requests. Null if those of one are unknown. */
const totalOf = (requests: readonly PendingExit[], kind: "shares" | "assets"): bigint | null =>
  requests.reduce<bigint | null>((sum, request) => {
    const amount = request[kind];
    return sum === null || amount === null ? null : sum + amount;
  }, 0n);
