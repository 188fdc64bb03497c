import { sameAddress } from "../../lib/address.ts";
import type { Tier } from "../../schemas/signal-schema.ts";
import type { Vault } from "../vault.ts";

/** The aspect of a vault's governance that an event changes, such as its owner or a fee. Stored with each signal. */
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
 * The stage of a governance change. `done`: the change is in effect. `announced`: it is scheduled for later or needs
 * another transaction. `withdrawn`: an announced change was cancelled.
 */
export type GovernanceStage = "done" | "announced" | "withdrawn";

/** A contract of a vault whose address is in the vault's registry entry. `address` is the vault itself. */
export type VaultContract = "address" | "entryPoint" | "pricer" | "shareToken";
/**
 * A contract that governs a vault and whose address is read from a view function, a proxy slot or a registry parameter.
 */
export type LinkedContract = "authority" | "feeManager" | "redemptions" | "beacon";
/** The contract that emits a governance event: one of the vault's own contracts or a linked contract. */
export type GovernanceContract = VaultContract | LinkedContract;

/**
 * Lowercase addresses of a vault's linked contracts. A contract is absent if the vault has none or its address could
 * not be read.
 */
export type LinkedContracts = Readonly<Partial<Record<LinkedContract, string>>>;

/** The decoded arguments of an event, by name. */
export type EventArgs = Readonly<Record<string, unknown>>;

/**
 * Definition of an event by which a contract reports a change to a vault's governance, such as a new owner or fee.
 * Changes that view functions fully show need no event.
 */
export interface GovernanceEvent {
  /** The event's Solidity declaration without the word `event`. */
  signature: string;
  contract: GovernanceContract;
  kind: GovernanceKind;
  stage: GovernanceStage;
  /** The setting that changes, as a noun phrase that fits "The … of the vault". */
  what: string;
  tier: Tier;
  /** The rest of that sentence, such as "is 2%". Empty if the event contains no value. */
  describe: (args: EventArgs) => string;
  /** Returns true if a view function shows the same change, for which a signal of its own is then raised. */
  seenByView?: (args: EventArgs, vault: Vault) => boolean;
  /** Returns true for a change that the vault's operators make every day, for which no signal is raised. */
  routine?: (args: EventArgs) => boolean;
}

/** Default severity of a governance change, by the aspect that it changes. */
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
/**
 * Properties of a governance event besides contract, kind and signature; `tier` overrides the kind's default severity.
 */
type EventTerms = Pick<GovernanceEvent, "what" | "seenByView" | "routine"> & {
  describe?: DescribeChange;
  tier?: Tier;
};

/**
 * Defines a governance event for a change that is in effect. Its severity follows from its kind unless `terms` contains
 * a tier.
 */
export const changeEvent = (
  about: readonly [contract: GovernanceContract, kind: GovernanceKind, signature: string],
  terms: EventTerms,
): GovernanceEvent => {
  const [contract, kind, signature] = about;
  return { contract, kind, signature, stage: "done", tier: TIERS[kind], describe: () => "", ...terms };
};

/**
 * Defines a governance event that announces a change. Its severity is at most `medium`, because the change is not in
 * effect yet.
 */
export const announcementEvent = (
  about: Parameters<typeof changeEvent>[0],
  terms: EventTerms,
): GovernanceEvent => {
  const change = changeEvent(about, terms);
  return { ...change, stage: "announced", tier: change.tier === "high" ? "medium" : change.tier };
};

/** Defines a governance event that cancels an announced change. Its severity is `low`. */
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
/** Formats a duration in seconds as hours, with up to two decimals. */
export const formatHours: FormatValue = (value) => {
  const hours = Math.round(Number(value) / 36) / 100;
  return `${hours} hour${hours === 1 ? "" : "s"}`;
};
/** Formats a timestamp in seconds since the epoch as date and time in UTC, to the minute. */
export const formatUtcMinute: FormatValue = (value) =>
  `${new Date(Number(value) * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC`;
/** Formats an amount of the share token, given in its smallest unit, and appends the unit. */
export const formatShareUnits: FormatValue = (value) => `${value} (smallest unit of the share token)`;
/** Formats an amount of the vault's asset, given in its smallest unit, and appends the unit. */
export const formatAssetUnits: FormatValue = (value) => `${value} (smallest unit of the asset)`;
/** Formats an amount with 18 decimals and appends a note of these decimals. */
export const formatWadAmount: FormatValue = (value) => `${value} (18 decimals)`;

/** Creates the description of a change that names the old and the new value, both arguments of the event. */
export const oldToNewValue =
  (members: readonly [from: string, to: string], format: FormatValue = formatText): DescribeChange =>
  (args) =>
    `went from ${format(args[members[0]])} to ${format(args[members[1]])}`;
/** Creates the description of a change that names the new value, an argument of the event. */
export const newValue =
  (member: string, format: FormatValue = formatText): DescribeChange =>
  (args) =>
    `is ${format(args[member])}`;
/** Creates the description of a change to one entry of a keyed setting, such as the fee for one token. */
export const newValueFor =
  (members: readonly [key: string, value: string], format: FormatValue = formatText): DescribeChange =>
  (args) =>
    `is ${format(args[members[1]])} for ${formatText(args[members[0]])}`;
/** Creates the description of an addition to a set, such as the adapters of a vault. */
export const addedMember =
  (member: string): DescribeChange =>
  (args) =>
    `now include ${formatText(args[member])}`;
/** Creates the description of a removal from a set, such as the adapters of a vault. */
export const removedMember =
  (member: string): DescribeChange =>
  (args) =>
    `no longer include ${formatText(args[member])}`;

const VAULT_CONTRACTS = ["address", "entryPoint", "pricer", "shareToken"] as const;

/** Returns true for a linked contract: one whose address is not in the vault's registry entry. */
export const isLinkedContract = (contract: GovernanceContract): boolean =>
  !VAULT_CONTRACTS.some((own) => own === contract);

/** Returns true if the lowercase address is one of the contracts in the vault's registry entry. */
export const isVaultContract = (vault: Vault, address: string): boolean =>
  VAULT_CONTRACTS.some((contract) => vault[contract].toLowerCase() === address);

/** Returns true if an event argument is the address of the vault's asset. */
export const isVaultAsset = (vault: Vault, address: unknown): boolean =>
  sameAddress(String(address), vault.asset.address);

/**
 * Returns the lowercase addresses of all contracts that emit a vault's governance events: its own and the linked ones.
 */
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
