import type { Address } from "viem";
import type { Context } from "../context.ts";
import type { ControlEventRow } from "../db/queries/governance-event-queries.ts";
import type { StatusChange } from "../db/queries/signal-queries.ts";
import { snapshotSteps } from "../db/queries/snapshot-queries.ts";
import {
  type FlowRecord,
  type PointRecord,
  selectFlowFacts,
  selectPoints,
} from "../db/queries/vault-fact-queries.ts";
import { bridgedAssets } from "../providers/provider-bridged-assets.ts";
import { asyncDepositsOf } from "../vaults/families/vault-families.ts";
import { decodeEventArgs, findGovernanceEvent } from "../vaults/governance/find-governance-event.ts";
import type { Vault } from "../vaults/vault.ts";
import { settlementOf } from "../vaults/vault-settlement.ts";
import {
  currentPoints,
  type DayFlows,
  earlierDays,
  type FlowDay,
  type GovernanceChange,
  pointDayAgo,
  type VaultFacts,
} from "./signal-facts.ts";

/**
 * A vault to which the signal rules are applied, with the time of its addition to the registry, in seconds since the
 * epoch.
 */
export interface SignalVault {
  vault: Vault;
  addedAt: number;
}

const keyOf = ({ chainId, vaultAddress }: { chainId: number; vaultAddress: string }): string =>
  `${chainId}:${vaultAddress}`;

/** Groups rows by `<chainId>:<vaultAddress>`, which is the vault's id if the address is lowercase. */
export function groupByVault<T extends { chainId: number; vaultAddress: string }>(
  records: readonly T[],
): ReadonlyMap<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const record of records) {
    const group = groups.get(keyOf(record));
    if (group === undefined) groups.set(keyOf(record), [record]);
    else group.push(record);
  }
  return groups;
}

/**
 * Reads the stored facts of vaults that the signal rules need, and returns them by vault id. They include the vaults'
 * own ones of `changes` (of the registry) and of `events` (by vault id), except events that no longer match the vault's
 * registry entry. Throws `store_unavailable`.
 */
export async function readFacts(
  ctx: Context,
  input: {
    vaults: readonly SignalVault[];
    changes: readonly StatusChange[];
    events: ReadonlyMap<string, readonly ControlEventRow[]>;
  },
): Promise<ReadonlyMap<string, VaultFacts>> {
  const keys = input.vaults.map(({ vault }) => ({
    chainId: vault.chainId,
    vaultAddress: vault.address.toLowerCase(),
  }));
  const points = groupByVault(await selectPoints(ctx.db, { now: new Date(ctx.now()), vaults: keys }));
  const facts = new Map(
    input.vaults.map((one) => {
      const { vaultId } = one.vault;
      const changes = input.changes.filter(({ subject }) => subject === vaultId);
      const events = input.events.get(vaultId) ?? [];
      return [vaultId, toFacts(one, { points: points.get(vaultId) ?? [], events, changes })] as const;
    }),
  );
  return withFlows(ctx, { facts, counted: input.vaults.filter(countsWhenSettled) });
}

/**
 * Returns true if a vault's flows are counted when its total assets change. Deposits by request enter total assets at
 * their settlement, but are counted when they are claimed, days later. Those of Mellow Core vaults are counted when they
 * are made, at any queue: also if the registry entry's own queue takes none.
 */
const countsWhenSettled = ({ vault }: SignalVault): boolean =>
  vault.adapter !== "mellow" && asyncDepositsOf(vault) === null;

/**
 * Returns true if flows explain a change in total assets. Of withdrawals by request, shares or assets leave the vault
 * before they are counted, if they ever are.
 */
const isExplainedByFlows = ({ vault }: SignalVault): boolean => settlementOf(vault).withdraw !== "request";

/** Adds the flows of the last day and the sums of the earlier days to the facts of `counted` vaults, with one batch. */
async function withFlows(
  ctx: Context,
  { facts, counted }: { facts: ReadonlyMap<string, VaultFacts>; counted: readonly SignalVault[] },
): Promise<ReadonlyMap<string, VaultFacts>> {
  const flowing = counted.flatMap(({ vault: { vaultId } }) => {
    const own = facts.get(vaultId);
    return own === undefined ? [] : [[vaultId, own] as const];
  });
  const today = flowing.flatMap(([vaultId, own]) => {
    const before = pointDayAgo(own);
    return before === null ? [] : [{ vaultId, before, ends: currentPoints(own), ...parseKey(vaultId) }];
  });
  const current = today.flatMap(({ ends, ...span }) => ends.map((after) => ({ ...span, after })));
  const days = flowing.flatMap(([vaultId, own]) =>
    earlierDays(own).map(([before, after]) => ({ vaultId, before, after, ...parseKey(vaultId) })),
  );
  const spans = [...current, ...days];
  const { largest, sums } = await selectFlowFacts(ctx.db, {
    vaults: today.map(({ chainId, vaultAddress, before }) => ({
      ...{ chainId, vaultAddress, afterBlock: before.blockNumber },
    })),
    spans: spans.map(({ chainId, vaultAddress, before, after }) => ({
      ...{ chainId, vaultAddress, afterBlock: before.blockNumber, toBlock: after.blockNumber },
    })),
  });
  const flows = groupByVault(largest);
  const explained = new Set(counted.filter(isExplainedByFlows).map(({ vault }) => vault.vaultId));
  const added = new Map(facts);
  const add = (vaultId: string, change: (own: VaultFacts) => Partial<VaultFacts>): void => {
    const own = added.get(vaultId);
    if (own !== undefined) added.set(vaultId, { ...own, ...change(own) });
  };
  for (const { vaultId } of today) add(vaultId, () => ({ dayFlows: toDayFlows(flows.get(vaultId) ?? []) }));
  for (const { index, ...flowed } of sums) {
    const span = spans[index];
    if (span === undefined) continue;
    const day: FlowDay = { before: span.before, after: span.after, ...flowed };
    // The sums are in the order of the spans: of two ends, the newer one remains.
    add(span.vaultId, ({ flowDays }) =>
      index < current.length
        ? { indexedDay: explained.has(span.vaultId) ? day : null }
        : { flowDays: [...flowDays, day] },
    );
  }
  return added;
}

const parseKey = (vaultId: string): { chainId: number; vaultAddress: string } => {
  const [chainId = "", vaultAddress = ""] = vaultId.split(":");
  return { chainId: Number(chainId), vaultAddress };
};

function toFacts(
  { vault, addedAt }: SignalVault,
  stored: {
    points: readonly PointRecord[];
    events: readonly ControlEventRow[];
    changes: readonly StatusChange[];
  },
): VaultFacts {
  const ofStep = (step: number) => stored.points.filter((point) => point.step === step);
  return {
    vaultName: vault.name,
    adapter: vault.adapter,
    assetSymbol: assetUnit(vault),
    assetDecimals: vault.asset.decimals,
    assetAddress: vault.asset.address,
    shareDecimals: vault.shareDecimals,
    recent: ofStep(snapshotSteps.fine),
    hours: ofStep(snapshotSteps.hour),
    days: ofStep(snapshotSteps.day),
    dayFlows: null,
    indexedDay: null,
    flowDays: [],
    addedAt,
    registryChanges: stored.changes.map(({ id, seconds, before, after, reason, action }) => ({
      id,
      seconds,
      from: before,
      to: after,
      reason,
      byOperator: action !== "vault.prove",
    })),
    governanceChanges: stored.events.flatMap((row) => toGovernanceChange(vault, row) ?? []),
  };
}

/**
 * Converts a stored event to a governance change, or null if the vault's current registry entry no longer matches the
 * event.
 */
function toGovernanceChange(vault: Vault, row: ControlEventRow): GovernanceChange | null {
  const { txHash, blockNumber } = row;
  const event = findGovernanceEvent(vault, { address: row.emitter, topic: row.topics[0] ?? "", links: null });
  if (event === undefined) return null;
  const seconds = row.blockTime.getTime() / 1000;
  const key = `${txHash}:${row.logIndex}`;
  return { key, txHash, blockNumber, seconds, event, args: decodeEventArgs(event, row) };
}

/** Returns the sums and largest flows of the last day, or null if flows are missing or an amount is unknown. */
function toDayFlows(records: readonly FlowRecord[]): DayFlows | null {
  const [first] = records;
  if (first === undefined || first.unknown > 0) return null;
  const largest = records.flatMap(({ txHash, logIndex, assets, user, blockNumber }) =>
    txHash === null || user === null || blockNumber === null
      ? []
      : [{ key: `${txHash}:${logIndex}`, txHash, assets, user, blockNumber }],
  );
  return { inflow: first.inflow, outflow: first.outflow, largest };
}

/**
 * Assets of reviewed vaults that are missing from the list of bridged assets, by chain id, so that texts name them by
 * their symbol alone. Addresses are lowercase.
 */
const REVIEWED_ASSETS: Readonly<Record<number, readonly string[]>> = {
  1: [
    "0x00000000efe302beaa2b3e6e1b18d08d69a9012a",
    "0x5f7827fdeb7c20b443265fc2f40845b715385ff2",
    "0x6c3ea9036406852006290770bedfcaba0e23a0e8",
    "0xa1290d69c65a6fe4df752f95823fae25cb99e5a7",
    "0xae78736cd615f374d3085123a210448e74fc6393",
    "0xc139190f447e929f090edeb554d95abb8b18ac1c",
    "0xcbb7c0000ab88b473b1f5afd9ef808440eed33bf",
    "0xdc035d45d973e3ec169d2276ddab16f1e407384f",
    "0xe556aba6fe6036275ec1f87eda296be72c811bce",
  ],
  100: ["0xe91d153e0b41518a2ce8dd3d7944fa863463a97d"],
  999: [
    "0x5555555555555555555555555555555555555555",
    "0x9fdbda0a5e284c32744d2f17ee5c74b284993463",
    "0xb88339cb7199b77e23db6e890353e22632ba630f",
    "0xb8ce59fc3717ada4c02eadf9682a9e934f625ebb",
    "0xd8fc8f0b03eba61f64d08b0bef69d80916e5dda9",
  ],
  8453: ["0x60a3e35cc302bfa44cb288bc5a4f316fdb1adb42"],
};
/** Maximum length of a symbol in texts, because a token contract can return any text. */
const MAX_UNIT_LENGTH = 20;

/**
 * Returns the unit in which texts show amounts of an asset: the symbol, in at most 20 printable ASCII characters. It is
 * followed by the shortened contract address if this service does not know the token, and is that address alone without
 * a symbol.
 */
export function assetUnit(of: { chainId: number; asset: { address: Address; symbol: string } }): string {
  const address = of.asset.address.toLowerCase();
  const bridged = bridgedAssets[of.chainId] ?? [];
  const known =
    REVIEWED_ASSETS[of.chainId]?.includes(address) === true ||
    bridged.some((token) => token.address.toLowerCase() === address);
  const symbol = of.asset.symbol.replace(/[^\x21-\x7e]/g, "?").slice(0, MAX_UNIT_LENGTH);
  if (known && symbol !== "") return symbol;
  const contract = `${of.asset.address.slice(0, 6)}…${of.asset.address.slice(-4)}`;
  return symbol === "" ? contract : `${symbol} (${contract})`;
}
