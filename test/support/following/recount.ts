import type { Hex } from "viem";
import { relayHash } from "../../../src/providers/across/tracking/across-deposit-tracking.ts";
import { acrossDeposits, findFill, RELAYER, ROUTED_VAULT, USDC } from "./contracts.ts";
import { routerRecords } from "./router.ts";
import { type Included, perBlock, type SimulatedBlock, type SimulatedChain } from "./simulated-chain.ts";

/** Kind of a deposit: `swap` pays with another token of the vault's chain, through the Router. */
export type Kind = "router" | "own" | "swap" | "one_step" | "two_step";

/** A deposit that was built. */
export interface BuiltDeposit {
  trackingId: string;
  ref: Hex;
  kind: Kind;
  user: Hex;
  /** Time of the build, in unix milliseconds. */
  builtAt: number;
  /** Chain of the vault. */
  homeId: number;
  source: { chainId: number; to: Hex; data: Hex };
  minShares: bigint | null;
}

/** A deposit as the API returns it, with the fields that are compared. */
export interface ShownDeposit {
  tracking_id: string;
  state: string;
  shares: string | null;
  source_tx_hash: Hex | null;
  destination_tx_hash: Hex | null;
  deposit_tx_hash: Hex | null;
  parent_tracking_id: string | null;
  delivered_amount: string | null;
}

/** The true state of a source transaction and of its deposit, derived from the chains. */
export interface TrueState {
  state: "completed" | "partial" | "bridging" | "awaiting_deposit" | "refunded";
  sourceHash: Hex;
  minedAt: number;
  shares: bigint | null;
  /** Transactions of which any may be shown as the delivery. */
  deliveries: Hex[];
  delivered: bigint | null;
  /** Number of the delivery's block, or 0 if there is none. */
  deliveredIn: number;
}

export type Chains = Readonly<Record<number, SimulatedChain>>;
export type Place = { block: SimulatedBlock; included: Included };

const UNSEEN = new Set(["built", "expired", "abandoned"]);
/** Returns true for states in which a deposit is not listed. */
export const isUnseen = (state: string): boolean => UNSEEN.has(state);

/**
 * Derives the correct state of every deposit from the chains alone, and throws at the first deposit that differs.
 * Returns the deposits that may have had a second step.
 */
export function recount(
  chains: Chains,
  of: { built: readonly BuiltDeposit[]; shown: readonly ShownDeposit[] },
): Delivered[] {
  const groups = new Map<string, BuiltDeposit[]>();
  for (const deposit of of.built) {
    const { user, source } = deposit;
    const key = `${user} ${source.chainId} ${source.to} ${source.data}`;
    groups.set(key, [...(groups.get(key) ?? []), deposit]);
  }
  const known = new Map(of.shown.map((shown) => [shown.tracking_id, shown]));
  const delivered: Delivered[] = [];
  for (const group of groups.values()) {
    const rows = group.map((deposit) => {
      const shown = known.get(deposit.trackingId);
      if (shown === undefined) throw new Error(`${deposit.trackingId} is not known`);
      return { deposit, shown };
    });
    delivered.push(...checkGroup(chains, rows));
  }
  return delivered;
}

/** A two-step deposit whose token was delivered, with the true state of its source transaction. */
export type Delivered = Row & { truth: TrueState };

export type Row = { deposit: BuiltDeposit; shown: ShownDeposit };

/**
 * Checks deposits with the same calldata, each of which needs a transaction of its own. Returns those that may have had
 * a second step.
 */
function checkGroup(chains: Chains, rows: readonly Row[]): Delivered[] {
  const [first] = rows;
  if (first === undefined) return [];
  const delivered: Delivered[] = [];
  const sources = sourcesOf(chains, first.deposit);
  const truths = sources.succeeded.map((place) => truthOf(chains, first.deposit, place));
  const free = [...truths];
  let seen = 0;
  for (const { deposit, shown } of rows) {
    if (isUnseen(shown.state)) continue;
    const at = free.findIndex(({ sourceHash }) => sourceHash === shown.source_tx_hash);
    const [truth] = at === -1 ? [] : free.splice(at, 1);
    if (truth === undefined) checkWithoutSource(chains, { row: { deposit, shown }, sources, rows, truths });
    else {
      seen += 1;
      const shownTruth = asDelivered(chains, { row: { deposit, shown }, truth, truths });
      checkTruth({ deposit, shown }, shownTruth);
      // The second step may spend the delivery that is shown, which may be older than that of the source as it is now.
      if (truth.state === "awaiting_deposit") delivered.push({ deposit, shown, truth: shownTruth });
    }
  }
  const due = mostBindings(rows, truths);
  if (seen >= due) return delivered;
  const all = truths.map(({ sourceHash, state }) => `${sourceHash} ${state}`).join(", ");
  throw new Error(
    `${seen} of ${due} deposits are seen whose source is on chain: ${describe(rows)}; chain: ${all}`,
  );
}

/**
 * Returns the maximum number of deposits that can each be matched with a transaction mined after its build. A deposit
 * that was built in the minute after a transaction cannot be the one that its user signed.
 */
function mostBindings(rows: readonly Row[], truths: readonly TrueState[]): number {
  const times = truths.map(({ minedAt }) => minedAt).sort((a, b) => b - a);
  const built = rows.map(({ deposit }) => deposit.builtAt / 1000).sort((a, b) => b - a);
  let bound = 0;
  for (const time of times) {
    const at = built.findIndex((builtAt) => builtAt <= time);
    if (at === -1) continue;
    built.splice(at, 1);
    bound += 1;
  }
  return bound;
}

/**
 * Returns the true state by the delivery that is shown, if it is one too: after a reorg of the source, relayers may have
 * filled the transfers of both blocks, and the user has received both. The delivery of another source that still stands is
 * none.
 */
function asDelivered(
  chains: Chains,
  of: { row: Row; truth: TrueState; truths: readonly TrueState[] },
): TrueState {
  const { row, truth, truths } = of;
  const { deposit, shown } = row;
  const { destination_tx_hash: hash } = shown;
  if (deposit.kind === "two_step" && truth.delivered !== null && hash !== null) {
    if (truths.some((other) => other !== truth && other.deliveries.includes(hash))) return truth;
    const place = chains[deposit.homeId]?.find(hash);
    return place != null && isPayout(place.included, { deposit, amount: truth.delivered })
      ? { ...truth, deliveries: [hash], deliveredIn: place.block.number }
      : truth;
  }
  if (deposit.kind !== "one_step" || truth.state !== "completed") return truth;
  const other = routerEventsOf(chains, deposit).find((event) => event.hash === hash);
  return other === undefined ? truth : { ...truth, shares: other.shares, deliveries: [other.hash] };
}

/** Returns true if a transaction is a relayer's that pays exactly an amount of the bridged token to a deposit's user. */
const isPayout = (
  { sent, succeeded, logs }: Included,
  { deposit, amount }: { deposit: BuiltDeposit; amount: bigint },
): boolean =>
  succeeded &&
  sent.from === RELAYER &&
  logs.some(
    ({ address, topics, data }) =>
      address === USDC[deposit.homeId]?.toLowerCase() &&
      topics[0] === TRANSFER &&
      `0x${topics[2]?.slice(26)}` === deposit.user &&
      BigInt(data) === amount,
  );

function checkTruth({ deposit, shown }: Row, truth: TrueState): void {
  const wrong = (what: string, got: unknown, expected: unknown): never => {
    throw new Error(
      `${deposit.kind} ${deposit.trackingId}: ${what} is ${String(got)}, the chain says ${String(expected)} (state ${shown.state}, chain ${truth.state}, source ${truth.sourceHash})`,
    );
  };
  const stepped = truth.state === "awaiting_deposit" && shown.state === "completed";
  if (shown.state !== truth.state && !stepped) wrong("the state", shown.state, truth.state);
  if (!stepped && shown.shares !== (truth.shares?.toString() ?? null))
    wrong("shares", shown.shares, truth.shares);
  if (truth.deliveries.length > 0 && !truth.deliveries.includes(shown.destination_tx_hash as Hex))
    wrong("the delivery", shown.destination_tx_hash, truth.deliveries.join(" or "));
  if (truth.delivered !== null && shown.delivered_amount !== truth.delivered.toString())
    wrong("the delivered amount", shown.delivered_amount, truth.delivered);
}

/** Checks a deposit for which no successful source transaction is left. */
function checkWithoutSource(
  chains: Chains,
  of: { row: Row; sources: Sources; rows: readonly Row[]; truths: readonly TrueState[] },
): void {
  const { deposit, shown } = of.row;
  if (shown.state === "failed" && of.sources.reverted.length > 0) return;
  const records = routerEventsOf(chains, deposit);
  const own = of.truths.length > 0;
  if (shown.state === "completed" && !own && records.some(({ shares }) => shares.toString() === shown.shares))
    return;
  throw new Error(
    `${deposit.kind} ${deposit.trackingId} is ${shown.state} (source ${shown.source_tx_hash}, shares ${shown.shares}), the chain has no such source; it has ${of.truths.map(({ sourceHash, state }) => `${sourceHash} ${state}`).join(", ") || "none"}; deposits with the same calldata: ${describe(of.rows)}`,
  );
}

interface Sources {
  succeeded: Place[];
  reverted: Place[];
}

/** Finds the user's transactions on the current chain that are, or contain, the built transaction. */
function sourcesOf(chains: Chains, { user, source }: BuiltDeposit): Sources {
  const isOwn = ({ sent }: Included): boolean =>
    sent.from.toLowerCase() === user && sent.to.toLowerCase() === source.to && sent.input === source.data;
  // The target, too: a Router order's step may have the calldata of a deposit into another vault.
  const isBatched = ({ sent }: Included): boolean =>
    sent.to.toLowerCase() === user &&
    sent.input.includes(source.data.slice(2)) &&
    sent.input.toLowerCase().includes(source.to.slice(2));
  const places = placesOf(chains[source.chainId], user);
  return {
    succeeded: places.filter(
      ({ included }) => included.succeeded && (isOwn(included) || isBatched(included)),
    ),
    // Nothing says what a batch that reverted would have done.
    reverted: places.filter(({ included }) => !included.succeeded && isOwn(included)),
  };
}

/** Returns the transactions of each block by their sender and target, in lowercase. */
const byAccount = perBlock((block) => {
  const found = new Map<string, Place[]>();
  for (const included of block.included)
    for (const account of new Set([included.sent.from.toLowerCase(), included.sent.to.toLowerCase()]))
      found.set(account, [...(found.get(account) ?? []), { block, included }]);
  return found;
});

/** Returns the transactions on the current chain from or to an account, oldest first. */
export const placesOf = (chain: SimulatedChain | undefined, account: string): Place[] =>
  chain === undefined ? [] : byAccount(chain).flatMap((found) => found.get(account) ?? []);

/** Finds the Router's events that match a deposit as it was built. */
function routerEventsOf(chains: Chains, deposit: BuiltDeposit) {
  const all = (chains[deposit.homeId]?.blocks ?? []).flatMap(({ included }) =>
    included.flatMap(({ sent, logs }) =>
      routerRecords(logs).map((record) => ({ ...record, hash: sent.hash })),
    ),
  );
  return all.filter(
    ({ ref, receiver, shareToken, shares }) =>
      ref === deposit.ref &&
      receiver === deposit.user &&
      shareToken === ROUTED_VAULT.toLowerCase() &&
      shares >= (deposit.minShares ?? 1n),
  );
}

function truthOf(chains: Chains, deposit: BuiltDeposit, { block, included }: Place): TrueState {
  const base = {
    ...{ sourceHash: included.sent.hash, minedAt: block.timestamp, deliveries: [] as Hex[] },
    ...{ shares: null, delivered: null, deliveredIn: 0 },
  };
  if (deposit.source.chainId === deposit.homeId)
    return { ...base, state: "completed", shares: mintedIn(included, deposit) };
  const [home, away] = [chains[deposit.homeId], chains[deposit.source.chainId]];
  const [across] = acrossDeposits(deposit.source.chainId, included.logs);
  if (across === undefined) throw new Error("a source without its event");
  const hash = relayHash(across);
  const filled = home === undefined ? null : findFill(home, hash);
  if (filled === null) {
    const refunded = away?.storage.get(`refund ${hash}`);
    const refund = refunded === undefined ? undefined : away?.find(refunded);
    // After a reorg, another transfer may have the number of one that was refunded.
    const stands = refund != null && refund.block.number >= block.number;
    return { ...base, state: stands ? "refunded" : "bridging" };
  }
  const { at, one } = filled;
  const arrival = { deliveries: [one.sent.hash], delivered: across.outputAmount, deliveredIn: at.number };
  if (deposit.kind === "two_step") return { ...base, ...arrival, state: "awaiting_deposit" };
  const made = routerRecords(one.logs).find(({ ref }) => ref === deposit.ref);
  return made === undefined
    ? { ...base, ...arrival, state: "partial" }
    : { ...base, deliveries: arrival.deliveries, state: "completed", shares: made.shares };
}

const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const ZERO = `0x${"0".repeat(64)}`;

/** Returns the shares that a transaction minted to the user of a deposit. */
export function mintedIn({ logs }: Included, { user }: Pick<BuiltDeposit, "user">): bigint {
  const mints = logs.filter(
    ({ topics }) => topics[0] === TRANSFER && topics[1] === ZERO && `0x${topics[2]?.slice(26)}` === user,
  );
  return mints.reduce((sum, { data }) => sum + BigInt(data), 0n);
}

export const describe = (rows: readonly Row[]): string =>
  rows
    .map(
      ({ deposit, shown }) => `${deposit.kind} ${deposit.trackingId} ${shown.state} ${shown.source_tx_hash}`,
    )
    .join(", ");
