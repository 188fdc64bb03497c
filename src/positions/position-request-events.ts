import { type Address, pad } from "viem";
import { runQuery } from "../chains/aggregator/aggregate-reads.ts";
import type { ChainClient } from "../chains/chain-client.ts";
import { RpcError } from "../chains/json-rpc.ts";
import { searchLogs } from "../chains/log-reader.ts";
import type { OpenRequest, UserRequestFlow } from "../db/queries/user-flow-queries.ts";
import { failure } from "../errors.ts";
import { sameAddress } from "../lib/address.ts";
import type { BlockRange, BlockTime } from "../lib/block-ranges.ts";
import { SECOND_MS } from "../lib/durations.ts";
import { withDeadline } from "../lib/timers.ts";
import { adapterOf, explainExitRevert } from "../vaults/families/vault-families.ts";
import type { Vault } from "../vaults/vault.ts";
import type { VaultFlow } from "../vaults/vault-adapter.ts";
import type { PendingExit } from "../vaults/vault-exits.ts";
import { withForeign } from "./position-flows.ts";
import { openRedemptions } from "./position-redemptions.ts";

/** Maximum number of RPC requests for these events, rejected and failed ones included. */
const MAX_LOG_REQUESTS = 6;
/** Maximum number of requests that are taken from events. */
export const MAX_REQUESTS_FOUND = 50;
/** Timeout for reading them, in milliseconds. The answer waits for it. */
const DEADLINE_MS = 1_500;

/** Returns true if only a vault's events show the ids of its requests, and name the account that made one. */
export const showsRequestsByEvents = (vault: Vault): boolean =>
  adapterOf(vault).flows(vault).ownRequests !== undefined;

/**
 * Returns the flows by which a user's own redemption requests at vaults of one chain were made or cancelled in a range of
 * blocks, in on-chain order. Null if they cannot be read, or not within the bounds on requests and time. Never throws.
 */
export async function readRequestEvents(
  client: ChainClient,
  of: { user: Address; vaults: readonly Vault[]; range: BlockRange },
): Promise<UserRequestFlow[] | null> {
  const asked = of.vaults.filter(showsRequestsByEvents);
  if (asked.length === 0 || of.range.from > of.range.to) return [];
  const late = () => failure("upstream_timeout", "the events took too long");
  const work = readOwnEvents(client, { ...of, vaults: asked });
  return withDeadline(work, { ms: DEADLINE_MS, late }).catch(() => null);
}

/**
 * Adds to a user's requests that a vault shows (`shown`) those that were made after the index's last block, where only
 * events show them. Null if none is shown and the events, or the requests that they name, cannot be read; what is unknown
 * before (null), or without an index, stays. Never throws.
 */
export async function withUnindexedRequests(
  client: ChainClient,
  of: {
    vault: Vault;
    user: Address;
    shown: readonly PendingExit[] | null;
    open: readonly OpenRequest[];
    indexedTo: number | null;
    block: BlockTime;
  },
): Promise<readonly PendingExit[] | null> {
  const { vault, user, shown, indexedTo, block } = of;
  if (shown === null || indexedTo === null) return shown;
  const unread = shown.length > 0 ? shown : null;
  const range = { from: indexedTo + 1, to: block.number };
  const events = await readRequestEvents(client, { user, vaults: [vault], range });
  if (events === null) return unread;
  const open = withForeign(of.open, events);
  const query = openRedemptions(vault, { user, open, now: block.timestamp * SECOND_MS });
  if (open.length === of.open.length || query === null) return shown;
  return runQuery(client, query).then(
    ({ value }) => value ?? unread,
    () => unread,
  );
}

/** Number of cancellations that are tried per chain. Each takes one RPC request; the views decide about further ones. */
const MAX_TRIED = 8;

/**
 * Marks requests as not `cancellable` whose cancellation the vault refuses, where only the call itself shows this. What
 * cannot be tried stays as the views say. Never throws.
 */
export async function withoutRefusedCancellations<
  T extends { vault: Vault; requests: readonly PendingExit[] },
>(client: ChainClient, of: { user: Address; values: readonly T[] }): Promise<T[]> {
  const asked = of.values
    .filter(({ vault }) => adapterOf(vault).exits?.cancelsUntold === true)
    .flatMap(({ vault, requests }) => requests.map((request) => ({ vault, request })))
    .filter(({ request }) => request.cancellable);
  const tries = asked.slice(0, MAX_TRIED).map(async (one) => {
    return (await isRefused(client, { ...one, user: of.user })) ? one.request : null;
  });
  const refused = new Set(await Promise.all(tries));
  const tried = (request: PendingExit) =>
    refused.has(request) ? { ...request, cancellable: false } : request;
  return of.values.map((value) => ({ ...value, requests: value.requests.map(tried) }));
}

/** Returns true if the vault refuses the cancellation of a user's request; false also if that is unknown. */
async function isRefused(
  client: ChainClient,
  { vault, user, request }: { vault: Vault; user: Address; request: PendingExit },
): Promise<boolean> {
  const call = adapterOf(vault).exits?.cancel?.(vault, { user, request }) ?? null;
  if (call === null) return true;
  const params = [{ from: user, to: call.target, data: call.data }, "latest"];
  try {
    return await client.ask({ method: "eth_call", params, read: () => false });
  } catch (error) {
    const revert = error instanceof RpcError && error.kind === "revert" ? error.data : null;
    return revert !== null && explainExitRevert(vault, revert).code === "withdrawal_state";
  }
}

async function readOwnEvents(
  client: ChainClient,
  { user, vaults, range }: Parameters<typeof readRequestEvents>[1],
): Promise<UserRequestFlow[] | null> {
  const sources = vaults.map((vault) => ({ vault, source: adapterOf(vault).flows(vault) }));
  const listed = sources.flatMap(({ source }) => source.ownRequests ?? []);
  const unique = (texts: readonly string[]) => [...new Set(texts.map((text) => text.toLowerCase()))];
  const addresses = unique(listed.flatMap(({ contracts }) => contracts));
  const topics = unique(listed.flatMap((one) => one.topics));
  const filters = [{ addresses, topics: [topics, null, [pad(user).toLowerCase()]] }];
  const { logs, complete } = await searchLogs(client, { range, filters, maxRequests: MAX_LOG_REQUESTS });
  if (!complete || logs.length > MAX_REQUESTS_FOUND) return null;
  return logs.flatMap((log) =>
    sources.flatMap(({ vault, source }) => {
      const isEmitter = source.ownRequests?.contracts.some((one) => sameAddress(one, log.address));
      const flow = isEmitter === true ? source.decode(log) : null;
      return flow === null || !sameAddress(flow.user, user) ? [] : (toRequestFlow(vault, flow) ?? []);
    }),
  );
}

/** Converts a vault's flow to that of a redemption request; null for another, also for one of a deposit request. */
export function toRequestFlow(vault: Vault, flow: VaultFlow): UserRequestFlow | null {
  const { kind, requestId, shares } = flow;
  if (requestId === undefined) return null;
  return {
    ...{ chainId: vault.chainId, vaultAddress: vault.address.toLowerCase() },
    ...{ kind, requestId, shares, assets: null },
  };
}
