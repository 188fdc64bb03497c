import type { Address } from "viem";
import { runQueryAtBlock } from "../chains/aggregator/aggregate-reads-at-block.ts";
import type { ChainClient } from "../chains/chain-client.ts";
import { guardQuery, type Query, queryAll } from "../chains/chain-reads.ts";
import type { ChainFlows, OpenRequest } from "../db/queries/user-flow-queries.ts";
import { adapterOf } from "../vaults/families/vault-families.ts";
import type { PendingExit } from "../vaults/vault-exits.ts";
import { isRedemptionOf, openRedemptions, type PositionValue } from "./position-redemptions.ts";

/** Largest difference of two values that counts as rounding, in the asset's smallest unit. */
const ROUNDING = 2n;

const none: Query<null> = { reads: {}, interpret: () => null };

/**
 * Returns the ids of the vaults whose requests have lost something since the index's last block, by payments that show
 * in no share balance: their events are not indexed yet. Vaults that tell their payments otherwise are left out. Reads
 * the requests at that block, if there are such vaults. One whose requests it cannot read there counts if they may have
 * been paid (`mayBePaid`). Never throws.
 */
export async function findUnindexedPayments(
  client: ChainClient,
  of: { user: Address; values: readonly PositionValue[]; flows: ChainFlows; open: readonly OpenRequest[] },
): Promise<ReadonlySet<string>> {
  const { user, values, flows, open } = of;
  const { indexedTo: block, headTime } = flows;
  if (block === null || headTime === null) return new Set();
  const now = headTime.getTime();
  const asked = values.filter(
    ({ vault }) =>
      vault.address.toLowerCase() in flows.sums && adapterOf(vault).flows(vault).paysUnseen === true,
  );
  if (asked.length === 0) return new Set();
  const queries = asked.map(({ vault }) => {
    const query = guardQuery(() => openRedemptions(vault, { user, open, now }) ?? none);
    return [vault.vaultId, query] as const;
  });
  const query = queryAll(Object.fromEntries(queries));
  const before = await client
    // If the session threw, it would be repeated on the next node.
    .onOneNode((node) => runQueryAtBlock(node, { query, block }).catch(() => null))
    .catch(() => null);
  const paid = asked.filter((value) => {
    const earlier = before?.[value.vault.vaultId] ?? null;
    return (earlier === null ? null : isLess(value.requests, earlier)) ?? mayBePaid(value, { flows, open });
  });
  return new Set(paid.map(({ vault }) => vault.vaultId));
}

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
 * Returns true if requests contain less than earlier ones, in shares or, if those are unknown, by their assets. Null if
 * that is unknown.
 */
function isLess(requests: readonly PendingExit[], earlier: readonly PendingExit[]): boolean | null {
  const [shares, sharesBefore] = [totalOf(requests, "shares"), totalOf(earlier, "shares")];
  if (shares !== null && sharesBefore !== null) return shares < sharesBefore;
  const [assets, assetsBefore] = [totalOf(requests, "assets"), totalOf(earlier, "assets")];
  return assets === null || assetsBefore === null ? null : assets + ROUNDING < assetsBefore;
}

/** Adds up the shares or assets of requests. Null if those of one are unknown. */
const totalOf = (requests: readonly PendingExit[], kind: "shares" | "assets"): bigint | null =>
  requests.reduce<bigint | null>((sum, request) => {
    const amount = request[kind];
    return sum === null || amount === null ? null : sum + amount;
  }, 0n);
