import type { Address } from "viem";
import type { ChainClient } from "../chains/chain-client.ts";
import type { ChainFlows, OpenRequest, UserRequestFlow } from "../db/queries/user-flow-queries.ts";
import { sameAddress } from "../lib/address.ts";
import { mulDivDown } from "../lib/amount.ts";
import { adapterOf } from "../vaults/families/vault-families.ts";
import type { Vault } from "../vaults/vault.ts";
import { requestFlowsOf } from "./position-flows.ts";
import type { PendingPosition } from "./position-pending-deposits.ts";
import { isRedemptionOf, type PositionValue } from "./position-redemptions.ts";
import { readSharesAt } from "./position-shares.ts";
import { findUnindexedPayments } from "./position-unindexed-payments.ts";

/**
 * How a user's shares compare with the indexed flows. `explained`: they agree, or it cannot be told. `transferred`:
 * some seem to have come from or gone to another account. `unindexed`: a flow may not be indexed yet.
 */
export type ShareBasis = "explained" | "transferred" | "unindexed";

/**
 * A user's positions on one chain, the chain's vaults, the requests that are stored as open, the stored flows of
 * requests, and the block at which the shares were read.
 */
interface BasisInput {
  user: Address;
  values: readonly PositionValue[];
  /** Vaults in which the user has flows, but neither shares nor requests. Absent: none. */
  gone?: readonly PositionValue[];
  vaults: readonly Vault[];
  flows: ChainFlows | undefined;
  open: readonly OpenRequest[];
  requestFlows: readonly UserRequestFlow[];
  /** The user's pending deposits, hidden ones included. */
  pending: readonly PendingPosition[];
  blockNumber: number | null;
}

/** Largest value of missing or additional shares that counts as rounding, in the asset's smallest unit. */
const ROUNDING = 2n;
/**
 * Additional shares of at most one part in this many of the user's shares count as dust, which anyone can send and
 * which must not hide the yield. A yield may therefore be too high by this part of the value.
 */
const DUST_PARTS = 10_000n;
/** A position that is worth less than one part in this many of its cost counts as lost. */
const LOST_PARTS = 100n;

/** How a user's shares compare with the indexed flows, by vault id. */
interface ShareComparison {
  /** An absent vault counts as `explained`. */
  basis: ReadonlyMap<string, ShareBasis>;
  /** Shares by which balances have fallen since the index's last block, as far as that is known. */
  fallen: ReadonlyMap<string, bigint>;
}

/** A position whose shares the flows do not explain: by how many, or null if that is unknown. */
interface DifferingShares {
  value: PositionValue;
  unexplained: bigint | null;
}

const isCurrent = ({ flows, blockNumber }: Pick<BasisInput, "flows" | "blockNumber">): boolean =>
  blockNumber !== null && (flows?.indexedTo ?? -1) >= blockNumber;

/** Returns the positions whose shares the indexed flows do not explain, or may not explain. None without an index. Pure. */
export function findDifferingShares(input: BasisInput): DifferingShares[] {
  const { flows } = input;
  if (flows === undefined || flows.indexedTo === null) return [];
  const all = { ...input, values: [...input.values, ...(input.gone ?? [])] };
  return (
    all.values
      .filter(({ vault }) => hasFlows(flows, { ...input, vault }))
      .map((value) => ({ value, unexplained: unexplainedShares(value, { ...all, flows }) }))
      // Without an answer, only a balance that changes after the index's last block says something.
      .filter(({ unexplained }) => unexplained !== 0n && (unexplained !== null || !isCurrent(input)))
  );
}

/**
 * Compares a user's shares with those of the indexed flows. May read the balances and the requests at the index's last
 * block. Never throws.
 */
export async function findShareBasis(client: ChainClient, input: BasisInput): Promise<ShareComparison> {
  const { flows, user } = input;
  if (flows === undefined || flows.indexedTo === null) return { basis: new Map(), fallen: new Map() };
  const current = isCurrent(input);
  const compared = findDifferingShares(input);
  const lacking = compared.filter(({ unexplained }) => unexplained !== null && unexplained < 0n);
  const payable = lacking
    .filter(({ value }) => paysLater(value.vault))
    .map(({ value }) => value.vault.vaultId);
  const tokens = [...new Set(compared.map(({ value }) => value.vault.shareToken))];
  const [before, unpaid] = await Promise.all([
    current ? null : readSharesAt(client, { user, tokens, blockNumber: flows.indexedTo }),
    findUnindexedPayments(client, { ...input, flows, lacking: new Set(payable) }),
  ]);
  const basis = new Map([
    ...compared.map(({ value, unexplained }) => {
      const judged = judge(value, { unexplained, before, open: input.open });
      return [value.vault.vaultId, judged] as const;
    }),
    ...[...unpaid].map((vaultId) => [vaultId, "unindexed"] as const),
  ]);
  return { basis, fallen: new Map(compared.flatMap(({ value }) => fallOf(value, before))) };
}

/** Returns the vault id and the shares by which a balance has fallen, if it has. */
function fallOf(
  value: PositionValue,
  before: ReadonlyMap<string, bigint | null> | null,
): [vaultId: string, shares: bigint][] {
  const held = before?.get(value.vault.shareToken.toLowerCase()) ?? null;
  if (held === null || held <= value.shares || isNegligible(value.shares - held, value)) return [];
  return [[value.vault.vaultId, held - value.shares]];
}

function judge(
  value: PositionValue,
  of: {
    unexplained: bigint | null;
    before: ReadonlyMap<string, bigint | null> | null;
    open: readonly OpenRequest[];
  },
): ShareBasis {
  if (of.before === null) return "transferred";
  const held = of.before.get(value.vault.shareToken.toLowerCase()) ?? null;
  if (held !== null && !isNegligible(value.shares - held, value)) return "unindexed";
  if (of.unexplained === null) return "explained";
  if (of.unexplained > 0n) return "transferred";
  // A payment that is not indexed yet ends a request whose shares left the wallet long before.
  const ended = endedShares(value, of.open);
  if (ended === 0n) return "transferred";
  const rest = ended === null ? 0n : -of.unexplained - ended;
  return rest <= 0n || isNegligible(-rest, sampleOf(value)) ? "unindexed" : "transferred";
}

/**
 * Returns true if the flows count the shares of the vault's requests when these are paid. Otherwise their end changes the
 * balance, or the flows took the shares before.
 */
function paysLater(vault: Vault): boolean {
  const { exits, flows } = adapterOf(vault);
  if (exits?.pending === undefined || exits.keepsShares === true) return false;
  return flows(vault).takesRequested !== true;
}

/** Request id under which a vault holds all of an account's requests together, and may pay a part of them. */
const ALL_REQUESTS = "0";

/**
 * Returns the most shares of redemption requests that may have been paid although their end is not stored yet: those
 * stored as open that the vault no longer shows. Null if unknown.
 */
function endedShares({ vault, requests }: PositionValue, open: readonly OpenRequest[]): bigint | null {
  if (!paysLater(vault)) return 0n;
  const own = open.filter((one) => isRedemptionOf(vault, one));
  return sumOf([...new Set(own.map(({ requestId }) => requestId))], (id) => {
    const asked = sumOf(
      own.filter(({ requestId }) => requestId === id),
      (one) => one.shares,
    );
    const shown = requests.filter(({ requestId }) => requestId === id);
    if (shown.length === 0) return asked;
    if (id !== ALL_REQUESTS) return 0n;
    const left = sumOf(shown, (one) => one.shares);
    if (asked === null || left === null) return null;
    return asked > left ? asked - left : 0n;
  });
}

const sharing = ({ vault, vaults }: { vault: Vault; vaults: readonly Vault[] }): Vault[] =>
  vaults.filter((one) => sameAddress(one.shareToken, vault.shareToken));

const hasFlows = (flows: ChainFlows, of: { vault: Vault; vaults: readonly Vault[] }): boolean =>
  sharing(of).some(({ address }) => address.toLowerCase() in flows.sums);

/**
 * Returns the user's shares, those in open requests included, minus those of the flows of the vaults with one share
 * token; 0 if the difference is negligible, null if it is unknown. Of flows whose shares are unknown, it is what they
 * cannot explain.
 */
function unexplainedShares(value: PositionValue, of: BasisInput & { flows: ChainFlows }): bigint | null {
  const { vault } = value;
  const vaults = sharing({ vault, vaults: of.vaults });
  const together = of.values.filter((one) => sameAddress(one.vault.shareToken, vault.shareToken));
  const [flown, held] = [sumOf(vaults, (one) => flownShares(one, of)), sumOf(together, sharesOf)];
  if (flown === null || held === null) return null;
  const { sample, room } = { sample: sampleOf(value), room: roomOf(value, { ...of, vaults }) };
  if (room === null) return null;
  const difference = held - flown;
  const least = difference > room.in ? difference - room.in : 0n;
  const unexplained = difference < -room.out ? difference + room.out : least;
  const cost = costOf(value, { ...of, vaults });
  // Where the vault has lost nearly all, even many shares are worth nothing. Those that were sent away may have cost
  // much; those that strangers send there cost them nothing, and must not hide the loss.
  const isLost = unexplained < 0n && sample.assets !== null && sample.assets * LOST_PARTS < cost;
  if (!isNegligible(unexplained, isLost ? { shares: flown, assets: cost } : sample)) return unexplained;
  return room.in + room.out === 0n ? 0n : null;
}

/** Returns what a user has put into the vaults with one share token less what was paid; 0 if unknown or negative. */
function costOf(
  { correction }: PositionValue,
  { flows, vaults }: { flows: ChainFlows; vaults: readonly Vault[] },
): bigint {
  const sums = vaults.map(({ address }) => flows.sums[address.toLowerCase()]);
  const cost = sums.reduce<bigint>((all, sum) => all + BigInt(sum ?? 0n), correction ?? 0n);
  return cost > 0n ? cost : 0n;
}

/**
 * Returns the shares of a vault's flows, those of requests included, as far as they are known. Null if those of a
 * request are not.
 */
function flownShares(vault: Vault, of: BasisInput & { flows: ChainFlows }): bigint | null {
  const own = BigInt(of.flows.shares[vault.address.toLowerCase()] ?? 0n);
  const asked = requestFlowsOf(vault, of.requestFlows);
  if (asked.length === 0) return own;
  const exits = adapterOf(vault).exits;
  const taken = exits?.takenShares?.(vault, { user: of.user, flows: asked }) ?? null;
  const value = of.values.find((one) => one.vault.vaultId === vault.vaultId);
  const minted = exits?.mintedShares === undefined ? 0n : (value?.minted ?? null);
  return taken === null || minted === null ? null : own - taken + minted;
}

/** Factor by which the price of a share at the time of a flow may have differed from today's. */
const PRICE_CHANGE = 2n;

/**
 * Returns the most shares that the flows with unknown shares may have brought (`in`) and taken (`out`) by their assets
 * and twice today's shares for these. Null if assets or price are unknown.
 */
function roomOf(
  value: PositionValue,
  { flows, vaults }: { flows: ChainFlows; vaults: readonly Vault[] },
): { in: bigint; out: bigint } | null {
  const found = vaults.flatMap(({ address }) => flows.shareless[address.toLowerCase()] ?? []);
  if (found.length === 0) return { in: 0n, out: 0n };
  const amountOf = (side: "in" | "out") =>
    sumOf(found, (one) => (one[side] === null ? null : BigInt(one[side])));
  const [brought, taken] = [amountOf("in"), amountOf("out")];
  const { assets, shares } = sampleOf(value);
  if (brought === null || taken === null || assets === null || assets === 0n) return null;
  const most = (amount: bigint) => PRICE_CHANGE * (mulDivDown(amount, shares, assets) + 1n);
  return { in: most(brought), out: most(taken) };
}

/**
 * Returns a position's shares, those of all its requests included, and their value, which is null if one of them is
 * unknown.
 */
function sampleOf({ shares, assets, requests }: PositionValue): Pick<PositionValue, "shares" | "assets"> {
  const asked = sumOf(
    requests.filter(({ inWallet }) => !inWallet),
    (request) => request.shares,
  );
  return asked === null ? { shares, assets: null } : { shares: shares + asked, assets };
}

/** Returns true if a difference to a user's shares is rounding or, if positive, dust. `assets` is the shares' value. */
function isNegligible(
  difference: bigint,
  { shares, assets }: Pick<PositionValue, "shares" | "assets">,
): boolean {
  if (difference === 0n) return true;
  if (difference > 0n && difference * DUST_PARTS <= shares) return true;
  if (assets === null || shares === 0n) return false;
  const size = difference < 0n ? -difference : difference;
  // The value is rounded down: a remainder that is worth nothing does not show what more shares are worth.
  const most = size > shares ? assets + 1n : assets;
  return (size * most) / shares <= ROUNDING;
}

/**
 * Returns the shares that a user holds or has in requests whose shares or payment the flows do not count yet, or null
 * if those of a request are unknown.
 */
function sharesOf({ vault, shares, requests }: PositionValue): bigint | null {
  if (adapterOf(vault).flows(vault).takesRequested === true) return shares;
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
