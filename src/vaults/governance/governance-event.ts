import { sameAddress } from "../../lib/address.ts";
import type { Tier } from "../../schemas/signal-schema.ts";
import type { Vault } from "../vault.ts";

/** The part of a vault's governance that an event changes. Stored with each signal. */
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
 * How far a change has got. `done`: it is in effect. `announced`: it takes effect later, or needs another transaction.
 * `withdrawn`: an announced change was cancelled.
 */
export type GovernanceStage = "done" | "announced" | "withdrawn";

/** A contract that a vault's registry row names. */
export type VaultContract = "address" | "entryPoint" | "pricer" | "shareToken";
/** A contract that governs a vault and is found through a view, a proxy slot or a row parameter. */
export type LinkedContract = "authority" | "feeManager" | "redemptions" | "beacon";
/** The contract that emits a governance event. */
export type GovernanceContract = VaultContract | LinkedContract;

/** Addresses of a vault's linked contracts, lower case. A contract is absent when the vault has none or it could not be read. */
export type LinkedContracts = Readonly<Partial<Record<LinkedContract, string>>>;

/** The arguments of a decoded event by name. */
export type EventArgs = Readonly<Record<string, unknown>>;

/** An event by which a vault family reports a governance change that none of its views shows. */
export interface GovernanceEvent {
  /** The event as in Solidity, without the word `event`. */
  signature: string;
  contract: GovernanceContract;
  kind: GovernanceKind;
  stage: GovernanceStage;
  /** The setting that changes, as a noun phrase that fits "The … of the vault". */
  what: string;
  tier: Tier;
  /** The rest of that sentence, such as "is 2%". Empty when the event carries no value. */
  describe: (args: EventArgs) => string;
  /** Returns true when a view shows the same change, which then raises a signal of its own. */
  seenByView?: (args: EventArgs, vault: Vault) => boolean;
  /** Returns true for a change that the vault's operators make every day, which raises no signal. */
  routine?: (args: EventArgs) => boolean;
}

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

type DescribeChange = GovernanceEvent["describe"];
type EventTerms = Pick<GovernanceEvent, "what" | "seenByView" | "routine"> & {
  describe?: DescribeChange;
  tier?: Tier;
};

/** Defines an event of a change that is in effect. The tier follows from the kind unless `terms` names one. */
export const changeEvent = (
  about: readonly [contract: GovernanceContract, kind: GovernanceKind, signature: string],
  terms: EventTerms,
): GovernanceEvent => {
  const [contract, kind, signature] = about;
  return { contract, kind, signature, stage: "done", tier: TIERS[kind], describe: () => "", ...terms };
};

/** Defines an event that announces a change. Its tier is never `high`, because holders can still act. */
export const announcementEvent = (
  about: Parameters<typeof changeEvent>[0],
  terms: EventTerms,
): GovernanceEvent => {
  const change = changeEvent(about, terms);
  return { ...change, stage: "announced", tier: change.tier === "high" ? "medium" : change.tier };
};

/** Defines an event that cancels an announced change. */
export const cancellationEvent = (
  about: Parameters<typeof changeEvent>[0],
  terms: EventTerms,
): GovernanceEvent => ({
  ...changeEvent(about, terms),
  stage: "withdrawn",
  tier: "low",
});

type FormatValue = (value: unknown) => string;
const formatText: FormatValue = (value) =>
  typeof value === "boolean" ? (value ? "on" : "off") : String(value);
/** Formats basis points as a percentage. */
export const formatBps: FormatValue = (value) => `${Number(value) / 100}%`;
/** Formats millionths as a percentage. */
export const formatMillionths: FormatValue = (value) => `${Number(value) / 10_000}%`;
/** Formats a fraction with 18 decimals (10^18 = 100%) as a percentage. */
export const formatWadFraction: FormatValue = (value) => `${Number(value) / 1e16}%`;
/** Formats seconds as hours with two decimals. */
export const formatHours: FormatValue = (value) => {
  const hours = Math.round(Number(value) / 36) / 100;
  return `${hours} hour${hours === 1 ? "" : "s"}`;
};
/** Formats seconds since the epoch as a date and time in UTC, to the minute. */
export const formatUtcMinute: FormatValue = (value) =>
  `${new Date(Number(value) * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC`;
/** Formats an amount in smallest units of the share token, with the unit. */
export const formatShareUnits: FormatValue = (value) => `${value} (smallest unit of the share token)`;
/** Formats an amount in smallest units of the vault's asset, with the unit. */
export const formatAssetUnits: FormatValue = (value) => `${value} (smallest unit of the asset)`;
/** Formats an amount that always has 18 decimals, with that note. */
export const formatWadAmount: FormatValue = (value) => `${value} (18 decimals)`;

/** Describes a change from one argument's value to another's. */
export const oldToNewValue =
  (members: readonly [from: string, to: string], format: FormatValue = formatText): DescribeChange =>
  (args) =>
    `went from ${format(args[members[0]])} to ${format(args[members[1]])}`;
/** Describes a change by the new value, an argument of the event. */
export const newValue =
  (member: string, format: FormatValue = formatText): DescribeChange =>
  (args) =>
    `is ${format(args[member])}`;
/** Describes a change of one entry of a keyed setting, such as the fee of one token. */
export const newValueFor =
  (members: readonly [key: string, value: string], format: FormatValue = formatText): DescribeChange =>
  (args) =>
    `is ${format(args[members[1]])} for ${formatText(args[members[0]])}`;
/** Describes an addition to a set. */
export const addedMember =
  (member: string): DescribeChange =>
  (args) =>
    `now include ${formatText(args[member])}`;
/** Describes a removal from a set. */
export const removedMember =
  (member: string): DescribeChange =>
  (args) =>
    `no longer include ${formatText(args[member])}`;

const VAULT_CONTRACTS = ["address", "entryPoint", "pricer", "shareToken"] as const;

/** Returns true for a contract that registry rows do not name. */
export const isLinkedContract = (contract: GovernanceContract): boolean =>
  !VAULT_CONTRACTS.some((own) => own === contract);

/** Returns true when a vault's registry row names the address, which is lower case. */
export const isVaultContract = (vault: Vault, address: string): boolean =>
  VAULT_CONTRACTS.some((contract) => vault[contract].toLowerCase() === address);

/** Returns true when an event argument is the address of the vault's asset. */
export const isVaultAsset = (vault: Vault, address: unknown): boolean =>
  sameAddress(String(address), vault.asset.address);

/** Returns the addresses of a vault's own and linked contracts, lower case. */
export function governanceContractsOf(
  vault: Vault,
  links: LinkedContracts,
): Readonly<Partial<Record<GovernanceContract, string>>> {
  const redemptions = vault.params["redemption_vault"]?.toLowerCase();
  return {
    ...(redemptions === undefined ? {} : { redemptions }),
    ...links,
    ...Object.fromEntries(VAULT_CONTRACTS.map((contract) => [contract, vault[contract].toLowerCase()])),
  };
}
