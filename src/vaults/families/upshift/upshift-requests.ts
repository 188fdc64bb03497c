import { type Address, parseAbi } from "viem";
import {
  createQuery,
  mapQuery,
  type Query,
  queryAll,
  read,
  valueOrNull,
} from "../../../chains/chain-reads.ts";
import { mulDivDown } from "../../../lib/amount.ts";
import { DAY_MS } from "../../../lib/durations.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import { type PendingExit, unknownPendingExit } from "../../vault-exits.ts";

const requestsAbi = once(() =>
  parseAbi([
    "function getSharePrice() view returns (uint256)",
    "function liquidationHour() view returns (uint256)",
    "function getBurnableAmountByReceiver(uint256 year, uint256 month, uint256 day, address receiver) view returns (uint256)",
    "function getClaimableAmountByReceiver(uint256 year, uint256 month, uint256 day, address receiver) view returns (uint256)",
    "function previewRedemption(uint256 shares, bool isInstant) view returns (uint256 gross, uint256 net)",
  ]),
);
/**
 * Days before today whose requests are read even if no receipt names them. One read for each day of each vault still
 * fits into the request that reads the user's positions.
 */
const DAYS_BEFORE = 13;
/** Id of requests that others have made for an account and whose dates their events do not tell. */
export const UNDATED = "undated";
/** Days before today that are read if there are such requests: the vault may pay late, and what is not found looks lost. */
const DAYS_BEFORE_UNDATED = 60;
/**
 * Fewest and most days after today whose requests are read even if no receipt names them: as many as the vault's wait,
 * which its registry entry states, and the day on which it ends.
 */
const [DAYS_AFTER, MAX_DAYS_AFTER] = [8, 45];
const DAY_S = DAY_MS / 1_000;
/**
 * Length in days of the beginning of this window, whose requests may remain unread. The window is chosen by this
 * machine's clock and examined by the chain's time, which may be behind.
 */
const OPTIONAL_DAYS = 4;
const DATE_PATTERN = /^(\d{4})-(\d{2})-(\d{2})$/;

const onVault = (vault: Vault) => ({ to: vault.entryPoint, abi: requestsAbi() }) as const;

/**
 * UTC date on which requests become claimable, which identifies them in the vault: `id` is `YYYY-MM-DD`, `args` are
 * year, month and day. `midnight` is its beginning, in unix seconds.
 */
interface RequestDate {
  id: string;
  args: readonly [bigint, bigint, bigint];
  midnight: number;
}

/**
 * Parses a request id of the form `YYYY-MM-DD`, the date on which the request becomes claimable, or returns null for
 * any other form. In `midnight`, an impossible date rolls over, and years below 100 count from 1900.
 */
export function parseRequestDate(id: string): RequestDate | null {
  const [, year, month, day] = DATE_PATTERN.exec(id) ?? [];
  if (year === undefined || month === undefined || day === undefined) return null;
  const midnight = Date.UTC(Number(year), Number(month) - 1, Number(day)) / 1_000;
  return { id, args: [BigInt(year), BigInt(month), BigInt(day)], midnight };
}

/**
 * Returns the id of the requests that become claimable on a date, or null if there is no such date from the year 100 to
 * 9999: a contract may name any numbers.
 */
export function requestIdOf(named: { year: bigint; month: bigint; day: bigint }): string | null {
  const [month, day] = [named.month, named.day].map((part) => part.toString().padStart(2, "0"));
  const date = parseRequestDate(`${named.year.toString().padStart(4, "0")}-${month}-${day}`);
  return date !== null && requestDateOf(date.midnight * 1_000) === date.id ? date.id : null;
}

/**
 * Returns the UTC date of a time in milliseconds since the epoch as `YYYY-MM-DD`: the id of the requests that become
 * claimable on that date.
 */
export const requestDateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/**
 * Returns the dates whose requests are read: those of known requests (ids that are not dates are ignored) and the days
 * around today.
 */
function datesFor(
  vault: Vault,
  { requestIds, now }: { requestIds: readonly string[]; now: number },
): RequestDate[] {
  const waited = Math.ceil(Number(vault.params["withdraw_seconds"] ?? "0") / DAY_S) + 1;
  const after = waited > DAYS_AFTER ? Math.min(waited, MAX_DAYS_AFTER) : DAYS_AFTER;
  const before = requestIds.includes(UNDATED) ? DAYS_BEFORE_UNDATED : DAYS_BEFORE;
  const days = Array.from({ length: before + 1 + after }, (_, index) =>
    requestDateOf(now + (index - before) * DAY_MS),
  );
  return [...new Set([...requestIds, ...days])].flatMap((id) => parseRequestDate(id) ?? []);
}

/** A date with shares that the vault has not paid yet. */
type DatedShares = { date: RequestDate; shares: bigint };

/**
 * Returns a query for a user's open requests, merged by the date on which they become claimable: the dates in
 * `requestIds`, and those from 13 days before (60 with undated ones) to 8 days after today, or to the end of a longer wait.
 * Null if a date cannot be read, unless it began more than nine days ago and is not in `requestIds`. Assets not known to
 * be fixed are estimated at the current price, after the vault's fee for requests if it is known, rounded down.
 */
export function datedRequests(
  vault: Vault,
  of: { user: Address; requestIds: readonly string[]; now: number },
): Query<readonly PendingExit[] | null> {
  const first = datedShares(vault, of);
  const pendingWith = (seen: DatedRequests, payments: Readonly<Record<string, DatedPayment>>) =>
    seen.open?.map((one) =>
      toPending(vault, { ...seen, ...one, payment: payments[one.date.id] ?? null, now: of.now }),
    ) ?? null;
  return {
    reads: first.reads,
    interpret: (results) => pendingWith(first.interpret(results), {}),
    next: (results) => {
      const seen = first.interpret(results);
      if (seen.open === null || seen.open.length === 0) return null;
      const assets = seen.open.map((one) => datedPayment(vault, { ...one, user: of.user }));
      return mapQuery(queryAll(Object.fromEntries(assets)), (payments) => pendingWith(seen, payments));
    },
  };
}

interface DatedRequests {
  /** Hour of the day, in UTC, at which requests become claimable; 0 also if it could not be read. */
  hour: number;
  /** Current price of one whole share in the asset's smallest unit, or null if unknown. */
  price: bigint | null;
  /** Dates with open requests, or null if one of them could not be read. */
  open: readonly DatedShares[] | null;
}

function datedShares(
  vault: Vault,
  of: { user: Address; requestIds: readonly string[]; now: number },
): Query<DatedRequests> {
  const on = onVault(vault);
  const each = datesFor(vault, of).map((date) => {
    const args = [...date.args, of.user] as const;
    const shares = read({ ...on, name: "getBurnableAmountByReceiver", args });
    return [
      date.id,
      createQuery({ shares }, (results) => ({ date, shares: valueOrNull(results.shares) })),
    ] as const;
  });
  const reads = {
    hour: read({ ...on, name: "liquidationHour" }),
    price: read({ ...on, name: "getSharePrice" }),
  };
  const dates = queryAll(Object.fromEntries(each));
  return mapQuery(queryAll({ common: createQuery(reads, (results) => results), dates }), (found) => ({
    hour: Number(valueOrNull(found.common.hour) ?? 0n),
    price: valueOrNull(found.common.price),
    open: openDates(Object.values(found.dates), of),
  }));
}

/**
 * Returns the dates with shares. Null if a date could not be read, except for dates in the window's beginning that no
 * known request has.
 */
function openDates(
  dates: readonly { date: RequestDate; shares: bigint | null }[],
  { requestIds, now }: { requestIds: readonly string[]; now: number },
): DatedShares[] | null {
  const read = dates.flatMap(({ date, shares }) => (shares === null ? [] : { date, shares }));
  const from = now - (DAYS_BEFORE - OPTIONAL_DAYS) * DAY_MS;
  const unread = dates.some(
    ({ date, shares }) => shares === null && (date.midnight * 1_000 >= from || requestIds.includes(date.id)),
  );
  return unread ? null : read.filter(({ shares }) => shares > 0n);
}

/** What a date's requests pay, in the asset's smallest unit; null if unknown. */
interface DatedPayment {
  /** Assets that were fixed when the requests were made; 0 if their price is not fixed. */
  fixed: bigint | null;
  /** Payment at the current price, after the fee for requests; unknown in legacy vaults. */
  net: bigint | null;
}

/** Returns, by the date's id, the query for what a date's requests pay. */
function datedPayment(
  vault: Vault,
  { date, shares, user }: DatedShares & { user: Address },
): [string, Query<DatedPayment>] {
  const on = onVault(vault);
  const fixed = read({ ...on, name: "getClaimableAmountByReceiver", args: [...date.args, user] });
  const preview = read({ ...on, name: "previewRedemption", args: [shares, false] });
  const payment = createQuery(
    { fixed, preview },
    (results): DatedPayment => ({
      fixed: valueOrNull(results.fixed),
      net: valueOrNull(results.preview)?.[1] ?? null,
    }),
  );
  return [date.id, payment];
}

function toPending(
  vault: Vault,
  of: DatedShares & Omit<DatedRequests, "open"> & { payment: DatedPayment | null; now: number },
): PendingExit {
  const { date, shares, price } = of;
  const { fixed, net } = of.payment ?? { fixed: null, net: null };
  const gross = price === null ? null : mulDivDown(shares, price, 10n ** BigInt(vault.shareDecimals));
  const earliest = date.midnight + of.hour * 3_600;
  const ready = of.now >= earliest * 1_000;
  const assets = fixed === null || fixed === 0n ? (net ?? gross) : fixed;
  return {
    ...unknownPendingExit,
    ...{ requestId: date.id, shares, assets, token: vault.asset.address, earliest },
    ...{ priced: fixed !== null && fixed > 0n, state: ready ? "claimable" : "pending" },
    ...{ claimableAssets: ready ? assets : 0n, claimableShares: ready ? shares : 0n },
  };
}
