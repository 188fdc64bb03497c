import { formatUnits, zeroAddress } from "viem";
import { parseAddress, sameAddress } from "../../lib/address.ts";
import { formatUnixTime } from "../../lib/unix-time.ts";
import type { Tier } from "../../schemas/signal-schema.ts";
import type { Vault } from "../vault.ts";

/**
 * The aspect of a vault's governance that an event changes. `allow_list`: who may deposit, hold shares or withdraw, and
 * how; `price`: how shares or accepted tokens are priced; `strategy`: allocation, yield, or a contract that is used.
 */
export type GovernanceKind =
  | "owner"
  | "curator"
  | "guardian"
  | "fee"
  | "timelock"
  | "cap"
  | "pause"
  | "allow_list"
  | "price"
  | "strategy"
  | "code";

/**
 * The stage that an event of a governance change usually reports. `done`: the change was made. `announced`: it needs
 * another transaction. `withdrawn`: an announced change was cancelled.
 */
export type GovernanceStage = "done" | "announced" | "withdrawn";

/** A contract of a vault, by the column of its address in the registry entry. `address` is the vault itself. */
export type VaultContract = "address" | "entryPoint" | "pricer" | "shareToken";
/**
 * A contract that affects a vault and whose address is read from a view function, a proxy slot or a registry parameter.
 */
export type LinkedContract = "authority" | "feeManager" | "redemptions" | "beacon";
/** The contract that emits a governance event: one of the vault's own contracts or a linked contract. */
export type GovernanceContract = VaultContract | LinkedContract;

/**
 * Lowercase addresses of a vault's linked contracts. A contract is absent if the vault has none, or if its address
 * could not be read or is a registry parameter.
 */
export type LinkedContracts = Readonly<Partial<Record<LinkedContract, string>>>;

/** The decoded arguments of an event, by name. */
export type EventArgs = Readonly<Record<string, unknown>>;

/** Data about a governance event's vault and block, from which the event's texts are made. */
export interface EventContext {
  /** The vault's name. */
  vault: string;
  /** Block timestamp of the event, in UTC to the minute. */
  time: string;
  /** Block timestamp of the event, in seconds since the epoch. */
  seconds: number;
  /** Formats an amount of the vault's asset, in its smallest unit, as "1.5 USDC" (whole tokens) or "unlimited". */
  formatAssets: (units: unknown) => string;
  /** Formats an amount of the vault's shares, in their smallest unit, as "1.5 shares" (whole shares) or "unlimited". */
  formatShares: (units: unknown) => string;
  /** Returns true for the address of the vault's asset. */
  isAsset: (address: unknown) => boolean;
}

/** Creates a text about an event from its decoded arguments and its context. */
export type EventText = (args: EventArgs, context: EventContext) => string;

/**
 * Definition of an event with which a contract reports a change to a vault's governance, such as a new owner or fee.
 */
export interface GovernanceEvent {
  /** The event's Solidity declaration without the word `event`. */
  signature: string;
  contract: GovernanceContract;
  kind: GovernanceKind;
  stage: GovernanceStage;
  /** The setting that changes, as a noun phrase that fits "The … of the vault". */
  what: string;
  /** Severity of the change, unless `tierFor` returns another one. */
  tier: Tier;
  /** Returns the severity by the arguments and the block time (`EventContext.seconds`), or null if `tier` applies. */
  tierFor?: (args: EventArgs, seconds: number) => Tier | null;
  /** The rest of the sentence that begins with `what`, such as "is 2%"; may be empty. */
  describe: EventText;
  /** The title after the vault's name, by arguments and block time; by default, it is made of `what` and `stage`. */
  title?: (args: EventArgs, seconds: number) => string;
  /** Full sentences that replace the sentence made of `what` and `describe`. */
  report?: EventText;
  /** The consequence for a depositor; by default, it follows from `kind`, `stage` and, for a cap, `describe`. */
  advice?: string | EventText;
  /** Returns true if a view function shows the same change, so that this event need not be reported. */
  seenByView?: (args: EventArgs, vault: Vault) => boolean;
  /** Returns true for an event that need not be reported: a routine change by the operators, or no change at all. */
  routine?: (args: EventArgs) => boolean;
}

/** Default severity of a governance change, by the aspect that changes. */
const TIERS: Readonly<Record<GovernanceKind, Tier>> = {
  owner: "high",
  code: "high",
  pause: "high",
  curator: "medium",
  guardian: "medium",
  fee: "medium",
  timelock: "medium",
  allow_list: "medium",
  price: "medium",
  strategy: "low",
  cap: "low",
};

/**
 * Texts and conditions of a governance event. Without `tier` and `tierFor`, its severity follows from kind and stage;
 * `announcementEvent` reduces the tier `high` to `medium`, and `cancellationEvent` ignores `tier`.
 */
export type EventTerms = Pick<
  GovernanceEvent,
  "what" | "tierFor" | "title" | "report" | "advice" | "seenByView" | "routine"
> & { describe?: EventText; tier?: Tier };

/**
 * Defines a governance event for a change that was made. Its tier is that of its kind unless `terms` has one; without
 * `terms.describe`, the description is empty.
 */
export const changeEvent = (
  about: readonly [contract: GovernanceContract, kind: GovernanceKind, signature: string],
  terms: EventTerms,
): GovernanceEvent => {
  const [contract, kind, signature] = about;
  return { contract, kind, signature, stage: "done", tier: TIERS[kind], describe: () => "", ...terms };
};

/**
 * Defines a governance event that announces a change. Its severity is that of `changeEvent`, but at most `medium`,
 * because nothing has changed yet; `terms.tierFor` is not limited.
 */
export const announcementEvent = (
  about: Parameters<typeof changeEvent>[0],
  terms: EventTerms,
): GovernanceEvent => {
  const change = changeEvent(about, terms);
  return { ...change, stage: "announced", tier: change.tier === "high" ? "medium" : change.tier };
};

/** Defines a governance event that cancels an announced change. Its tier is `low`, unless `terms.tierFor` differs. */
export const cancellationEvent = (
  about: Parameters<typeof changeEvent>[0],
  terms: EventTerms,
): GovernanceEvent => ({
  ...changeEvent(about, terms),
  stage: "withdrawn",
  tier: "low",
});

type FormatValue = (value: unknown, context: EventContext) => string;

/** Returns true if an event argument is the zero address, which contracts use for "none". */
export const isNone = (value: unknown): boolean => value === zeroAddress;
/** Formats an address from an event; the zero address becomes "none (the zero address)". */
export const formatAddress = (value: unknown): string =>
  isNone(value) ? "none (the zero address)" : String(value);

/** Formats a number with at most `decimals` decimals and without trailing zeros, never in exponent notation. */
function formatDecimal(value: number, decimals: number): string {
  return value.toLocaleString("en-US", {
    ...{ useGrouping: false, maximumFractionDigits: decimals },
    signDisplay: "negative",
  });
}
const formatPercent = (value: number): string =>
  value > 0 && value < 0.0001 ? "less than 0.0001%" : `${formatDecimal(value, 4)}%`;
/**
 * Formats basis points (10,000 = 100%) as a percentage with at most four decimals. A positive value below 0.0001%
 * becomes "less than 0.0001%".
 */
export const formatBps = (value: unknown): string => formatPercent(Number(value) / 100);
/** Formats millionths (1,000,000 = 100%) as a percentage like `formatBps`. */
export const formatMillionths = (value: unknown): string => formatPercent(Number(value) / 10_000);
/** Formats a fraction with 18 decimals (10^18 = 100%) as a percentage like `formatBps`. */
export const formatWadFraction = (value: unknown): string => formatPercent(Number(value) / 1e16);

const DURATIONS = [
  { unit: "day", seconds: 86_400, least: 172_800 },
  { unit: "hour", seconds: 3_600, least: 3_600 },
  { unit: "minute", seconds: 60, least: 60 },
] as const;
/**
 * Formats a duration in seconds in the largest unit of day, hour, minute and second that divides it: "2 days", "36
 * hours", "90 seconds". One day becomes "24 hours"; a timelock without end, "more than 3,000 years".
 */
export function formatDuration(value: unknown): string {
  const duration = Number(value);
  if (duration > 1e11) return "more than 3,000 years";
  const fit = DURATIONS.find(({ seconds, least }) => duration >= least && duration % seconds === 0);
  const { unit, seconds } = fit ?? { unit: "second", seconds: 1 };
  return `${duration / seconds} ${unit}${duration === seconds ? "" : "s"}`;
}
/** Formats a time in UNIX seconds as "2026-01-31 09:30 UTC" (seconds cut off), or "a time after the year 9999". */
export function formatUtcMinute(value: unknown): string {
  const text = formatUnixTime(Number(value));
  return text === null ? "a time after the year 9999" : `${text.slice(0, 16).replace("T", " ")} UTC`;
}
/** Formats an amount of the vault's shares, given in their smallest unit, as the context's `formatShares` does. */
export const formatShareUnits: FormatValue = (value, { formatShares }) => formatShares(value);
/** Formats an amount of the vault's asset, given in its smallest unit, as the context's `formatAssets` does. */
export const formatAssetUnits: FormatValue = (value, { formatAssets }) => formatAssets(value);

/**
 * Returns true for 2^n − 1 with n of at least 96, such as the largest uint96 or uint256. Contracts use such values for
 * "no limit".
 */
export const isUnlimited = (amount: bigint): boolean =>
  amount >= 2n ** 95n && (amount & (amount + 1n)) === 0n;
/**
 * Formats an amount with 18 decimals in whole units, with at most four decimals and with thousands separators. An
 * amount for which `isUnlimited` is true becomes "unlimited".
 */
export const formatWadAmount = (value: unknown): string => {
  const amount = BigInt(String(value));
  if (isUnlimited(amount)) return "unlimited";
  return Number(formatUnits(amount, 18)).toLocaleString("en-US", { maximumFractionDigits: 4 });
};

/** Creates the description "changed from … to …" from two arguments of an event, formatted as addresses by default. */
export const oldToNewValue =
  (members: readonly [from: string, to: string], format: FormatValue = formatAddress): EventText =>
  (args, context) =>
    `changed from ${format(args[members[0]], context)} to ${format(args[members[1]], context)}`;
/** Creates the description "is …" from the event argument named by `member`, formatted as an address by default. */
export const newValue =
  (member: string, format: FormatValue = formatAddress): EventText =>
  (args, context) =>
    `is ${format(args[member], context)}`;

/** Returns the sentence that states when a change took effect, with a leading space. */
export const tookEffect = ({ time }: EventContext): string => ` The change took effect at ${time}.`;

/** Creates the texts for an event that pauses `flows`, such as "withdrawals", or resumes them (tier `medium`). */
export const pauseTexts = (flows: string, isPaused: (args: EventArgs) => boolean): EventTerms => {
  const verb = (args: EventArgs): string => (isPaused(args) ? "paused" : "resumed");
  return {
    ...{ what: `pause of ${flows}`, tierFor: (args) => (isPaused(args) ? null : "medium") },
    title: (args) => `${flows} ${verb(args)}`,
    report: (args, { vault, time }) =>
      `${flows[0]?.toUpperCase()}${flows.slice(1)} from ${vault} were ${verb(args)} at ${time}.`,
    advice: (args) =>
      isPaused(args) ? `Find out why, and when ${flows} will resume.` : "Find out what caused the pause.",
  };
};

/** Advice to depositors after a depositor whitelist was switched on (first text) or off (second text). */
export const DEPOSITOR_WHITELIST_ADVICE = [
  "Only listed accounts can deposit now: check whether your account is listed.",
  "Accounts no longer need to be listed to deposit.",
] as const;

/** Creates the texts for an event that switches `what` on (its argument named by `member` is true) or off. */
export const switchTexts = (
  what: string,
  of: { member: string; advice: readonly [on: string, off: string] },
): EventTerms => {
  const isOn = (args: EventArgs): boolean => args[of.member] === true;
  const verb = (args: EventArgs): string => (isOn(args) ? "enabled" : "disabled");
  return {
    what,
    title: (args) => `${what} ${verb(args)}`,
    report: (args, { vault, time }) => `The ${what} of ${vault} was ${verb(args)} at ${time}.`,
    advice: (args) => of.advice[isOn(args) ? 0 : 1],
  };
};

/**
 * Creates the texts for an event that sets an account or contract, or removes it (zero address). `member` and `from`
 * name the arguments with the new and the old address; a removal has the advice `removed`, and `removedTier` if given.
 */
export const addressTexts = (
  what: string,
  of: { member: string; from?: string; advice: string; removed: string; removedTier?: Tier },
): EventTerms => {
  const { member, from, removedTier = null } = of;
  return {
    what,
    describe: newValue(member),
    tierFor: (args) => (isNone(args[member]) ? removedTier : null),
    title: (args) => `${what} ${isNone(args[member]) ? "removed" : "changed"}`,
    report: (args, context) => {
      const setting = `The ${what} of ${context.vault}`;
      if (isNone(args[member])) return `${setting} was removed at ${context.time}.`;
      const change =
        from === undefined
          ? `is now ${args[member]}`
          : `changed from ${formatAddress(args[from])} to ${args[member]}`;
      return `${setting} ${change}.${tookEffect(context)}`;
    },
    advice: (args) => (isNone(args[member]) ? of.removed : of.advice),
  };
};

/**
 * Creates the texts for an event that adds an account or contract to a group or removes one. `one` is the noun for a
 * member in the singular; `what` is its plural, formed with "s". `of.member` names the argument with its address.
 */
export const memberTexts = (
  one: string,
  of: {
    member: string;
    added: (args: EventArgs) => boolean;
    advice: readonly [added: string, removed: string];
  },
): EventTerms => ({
  what: `${one}s`,
  title: (args) => `${one} ${of.added(args) ? "added" : "removed"}`,
  report: (args, { vault, time }) =>
    `${one[0]?.toUpperCase()}${one.slice(1)} ${args[of.member]} was ` +
    `${of.added(args) ? "added to" : "removed from"} ${vault} at ${time}.`,
  advice: (args) => of.advice[of.added(args) ? 0 : 1],
});

const VAULT_CONTRACTS = ["address", "entryPoint", "pricer", "shareToken"] as const;

/**
 * Returns true for a linked contract: one other than the vault itself, its entry point, its pricer and its share token.
 */
export const isLinkedContract = (contract: GovernanceContract): boolean =>
  !VAULT_CONTRACTS.some((own) => own === contract);

/**
 * Returns true if the lowercase address is that of the vault itself, its entry point, its pricer or its share token.
 */
export const isVaultContract = (vault: Vault, address: string): boolean =>
  VAULT_CONTRACTS.some((contract) => vault[contract].toLowerCase() === address);

/** Returns true if an event argument is the address of the vault's asset, in any letter case. */
export const isVaultAsset = (vault: Vault, address: unknown): boolean =>
  sameAddress(String(address), vault.asset.address);

/**
 * Returns the known contracts that emit a vault's governance events, as lowercase addresses by role: its own, the
 * `redemption_vault` of its parameters if set, and those in `links`.
 */
export function governanceContractsOf(
  vault: Vault,
  links: LinkedContracts,
): Readonly<Partial<Record<GovernanceContract, string>>> {
  const redemptions = parseAddress(vault.params["redemption_vault"] ?? "")?.toLowerCase();
  return {
    ...(redemptions === undefined ? {} : { redemptions }),
    ...links,
    ...Object.fromEntries(VAULT_CONTRACTS.map((contract) => [contract, vault[contract].toLowerCase()])),
  };
}
