import type { Address, Hex } from "viem";
import type { ChainLog } from "../../../src/chains/chain-logs.ts";
import type { ChainFlows, UserRequestFlow } from "../../../src/db/queries/user-flow-queries.ts";
import { joinFlowSources } from "../../../src/flows/flow-sources.ts";
import { withForeign } from "../../../src/positions/position-flows.ts";
import { joinRequests, redemptionsQuery } from "../../../src/positions/position-redemptions.ts";
import { findShareBasis, type ShareBasis } from "../../../src/positions/position-share-reconciliation.ts";
import type { Vault } from "../../../src/vaults/vault.ts";
import { clientOn, startHonestNode } from "../chains/rpc-node.ts";
import { NOW, USER } from "../deposits/fixtures.ts";
import { answer } from "../vaults/answer.ts";

const BLOCK = 5;
const toChainLog = (log: { address: Address; topics: unknown; data: Hex }, logIndex: number): ChainLog => ({
  ...{
    address: log.address.toLowerCase() as Address,
    topics: log.topics as ChainLog["topics"],
    data: log.data,
  },
  ...{ blockNumber: BLOCK, blockHash: `0x${"b".repeat(64)}`, txHash: `0x${"1".repeat(64)}`, logIndex },
});

/** A user's position as the API would show it, in the asset's smallest unit; null if unknown. */
export interface PlayedPosition {
  current: bigint | null;
  deposited: bigint | null;
  /** Null also if the shares do not agree with the flows. */
  earned: bigint | null;
  basis: ShareBasis;
}

/**
 * Returns the user's position in a vault, from all logs of its contracts, the shares in the wallet, their value and the
 * answers of the vault's views by the names of the reads, as in `answer`, or by those in the query of its requests.
 * Everything is indexed.
 */
export async function playPosition(
  vault: Vault,
  of: {
    logs: readonly Parameters<typeof toChainLog>[0][];
    held: { shares: bigint; assets: bigint };
    views: Readonly<Record<string, unknown>>;
    now?: number;
  },
): Promise<PlayedPosition> {
  const { flows, requestFlows } = flowsIn(vault, of);
  const stored = withForeign([], requestFlows);
  const { vaultAddress, ...asked } = { vaultAddress: vault.address.toLowerCase(), now: of.now ?? NOW };
  const query = redemptionsQuery({
    ...{ ...asked, user: USER, vaults: [vault], open: stored, requestFlows, unlisted: new Set() },
    priced: new Set(),
  });
  const open = Object.entries(of.views).map(([name, view]) => [`${vault.vaultId}/requests/${name}`, view]);
  const redemptions = query === null ? [] : answer(query, { ...of.views, ...Object.fromEntries(open) });
  const held = of.held.shares === 0n ? [] : [{ vault, ...of.held }];
  const values = joinRequests(held, { redemptions, deposits: [] });
  const client = clientOn([await startHonestNode(() => ({ result: "0x" }))]).client;
  const known = { user: USER, values, vaults: [vault], flows, open: stored, requestFlows, pending: [] };
  const { basis } = await findShareBasis(client, { ...known, blockNumber: BLOCK });
  const [value] = values;
  const recorded = flows.sums[vaultAddress] ?? null;
  const correction = value === undefined ? 0n : value.correction;
  const deposited = recorded === null || correction === null ? null : BigInt(recorded) + correction;
  const current = value === undefined ? 0n : value.assets;
  const shown = basis.get(vault.vaultId) ?? "explained";
  const isKnown = shown === "explained" && current !== null && deposited !== null;
  return { current, deposited, earned: isKnown ? current - deposited : null, basis: shown };
}

/** Sums up the user's flows in logs as the database does. */
function flowsIn(
  vault: Vault,
  { logs, views }: Parameters<typeof playPosition>[1],
): { flows: ChainFlows; requestFlows: UserRequestFlow[] } {
  const sources = joinFlowSources(vault.chainId, [vault]);
  const rows = sources.toRows(logs.map(toChainLog), BLOCK);
  const own = rows
    .filter(({ userAddress }) => userAddress === USER.toLowerCase())
    .map((row) => {
      const query = row.assets === null ? sources.conversionOf(row) : null;
      return query === null ? row : { ...row, assets: answer(query, views)?.toString() ?? null };
    });
  const plain = own.filter(({ requestId }) => requestId === null);
  const key = vault.address.toLowerCase();
  const total = (amounts: readonly (string | null)[]): string =>
    amounts.reduce((sum, amount) => sum + BigInt(amount ?? 0n), 0n).toString();
  const isKnown = plain.every(({ assets }) => assets !== null);
  const shareless = plain.filter(({ shares }) => shares === null).map(({ assets }) => BigInt(assets ?? 0n));
  const sideOf = (side: readonly bigint[]) => (isKnown ? total(side.map((size) => `${size}`)) : null);
  return {
    flows: {
      ...{ chainId: vault.chainId, indexedFrom: 1, indexedTo: BLOCK, headTime: new Date(NOW), unindexed: [] },
      sums: { [key]: isKnown ? total(plain.map(({ assets }) => assets)) : null },
      shares: { [key]: total(plain.map(({ shares }) => shares)) },
      shareless:
        shareless.length === 0
          ? {}
          : {
              [key]: {
                in: sideOf(shareless.filter((size) => size > 0n)),
                out: sideOf(shareless.filter((size) => size < 0n).map((size) => -size)),
              },
            },
    },
    requestFlows: own.flatMap(({ requestId, kind, assets, shares }) =>
      requestId === null
        ? []
        : [
            {
              ...{ chainId: vault.chainId, vaultAddress: key, kind, requestId },
              ...{ assets: sizeOf(assets), shares: sizeOf(shares) },
            },
          ],
    ),
  };
}

const sizeOf = (amount: string | null): bigint | null =>
  amount === null ? null : BigInt(amount.replace(/^-/, ""));
