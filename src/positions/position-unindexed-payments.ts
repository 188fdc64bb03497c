import type { Address } from "viem";
import { runQueryAtBlock } from "../chains/aggregator/aggregate-reads-at-block.ts";
import type { ChainClient } from "../chains/chain-client.ts";
import { guardQuery, queryAll } from "../chains/chain-reads.ts";
import type { ChainFlows, OpenRequest } from "../db/queries/user-flow-queries.ts";
import { adapterOf } from "../vaults/families/vault-families.ts";
import type { PendingExit } from "../vaults/vault-exits.ts";
import { openRedemptions, type PositionValue } from "./position-redemptions.ts";

/** Largest difference of two values that counts as rounding, in the asset's smallest unit. */
const ROUNDING = 2n;

/**
 * Returns the ids of the vaults whose requests have lost something since the index's last block, by payments that show
 * in no share balance: their events are not indexed yet. Vaults that tell their payments otherwise are left out. Reads
 * that block in one request, if there are such vaults; empty if the node lacks its state. Never throws.
 */
export async function findUnindexedPayments(
  client: ChainClient,
  of: { user: Address; values: readonly PositionValue[]; flows: ChainFlows; open: readonly OpenRequest[] },
): Promise<ReadonlySet<string>> {
  const { user, values, flows, open } = of;
  const { indexedTo: block, headTime } = flows;
  if (block === null || headTime === null) return new Set();
  const now = headTime.getTime();
  const queries = values.flatMap(({ vault }) => {
    const isAsked =
      vault.address.toLowerCase() in flows.sums && adapterOf(vault).flows(vault).paysUnseen === true;
    const query = isAsked ? openRedemptions(vault, { user, open, now }) : null;
    return query === null ? [] : [[vault.vaultId, guardQuery(() => query)] as const];
  });
  if (queries.length === 0) return new Set();
  const query = queryAll(Object.fromEntries(queries));
  const before = await client
    // If the session threw, it would be repeated on the next node.
    .onOneNode((node) => runQueryAtBlock(node, { query, block }).catch(() => null))
    .catch(() => null);
  const paid = values.filter(({ vault, requests }) => {
    const earlier = before?.[vault.vaultId] ?? null;
    return earlier !== null && isLess(requests, earlier);
  });
  return new Set(paid.map(({ vault }) => vault.vaultId));
}

/** Returns true if requests contain less than earlier ones, in shares or, if those are unknown, by their assets. */
function isLess(requests: readonly PendingExit[], earlier: readonly PendingExit[]): boolean {
  const [shares, sharesBefore] = [totalOf(requests, "shares"), totalOf(earlier, "shares")];
  if (shares !== null && sharesBefore !== null) return shares < sharesBefore;
  const [assets, assetsBefore] = [totalOf(requests, "assets"), totalOf(earlier, "assets")];
  return assets !== null && assetsBefore !== null && assets + ROUNDING < assetsBefore;
}

/** Adds up the shares or assets of requests. Null if those of one are unknown. */
const totalOf = (requests: readonly PendingExit[], kind: "shares" | "assets"): bigint | null =>
  requests.reduce<bigint | null>((sum, request) => {
    const amount = request[kind];
    return sum === null || amount === null ? null : sum + amount;
  }, 0n);
