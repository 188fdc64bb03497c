import type { Tier } from "../../schemas/signal.ts";
import type { Vault } from "../vault.ts";

/** What of a vault an event is about. */
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

/** `announcementEvent`: takes effect later, or needs another step; `cancellationEvent`: what was announced will not be. */
export type GovernanceStage = "done" | "announced" | "withdrawn";

/** A vault's own contracts, as its row names them. */
export type VaultContract = "address" | "entryPoint" | "pricer" | "shareToken";
/** Contracts about a vault that are found on chain, or in its parameters. */
export type LinkedContract = "authority" | "feeManager" | "redemptions" | "beacon";
/** Which contract of a vault or about it emits it. */
export type GovernanceContract = VaultContract | LinkedContract;

/** Where the linked contracts of a vault are, lower case; absent: it has none, or nobody can tell. */
export type LinkedContracts = Readonly<Partial<Record<LinkedContract, string>>>;

/** An event's members by name, as viem decodes them. */
export type EventArgs = Readonly<Record<string, unknown>>;

/** An event by which a family tells of a change that none of its views shows, and what it means to a holder. */
export interface GovernanceEvent {
  /** As in Solidity, without `event`. */
  signature: string;
  on: GovernanceContract;
  kind: GovernanceKind;
  stage: GovernanceStage;
  /** What changes, as in "the … changed". */
  what: string;
  tier: Tier;
  /** What it is now, or is to be, after "it"; empty: the event does not tell. */
  words: (members: EventArgs) => string;
  /** Whether a view shows the same, so that a signal of it is raised already; absent: none does. */
  seenByView?: (members: EventArgs, vault: Vault) => boolean;
  /** Whether this is what the vault's people do every day; absent: it never is. */
  everyday?: (members: EventArgs) => boolean;
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

type DescribeChange = GovernanceEvent["words"];
type EventTerms = Pick<GovernanceEvent, "what" | "seenByView" | "everyday"> & {
  words?: DescribeChange;
  tier?: Tier;
};

/** An event of a contract about a kind of thing, which is done by then. */
export const changeEvent = (
  about: readonly [on: GovernanceContract, kind: GovernanceKind, signature: string],
  terms: EventTerms,
): GovernanceEvent => {
  const [on, kind, signature] = about;
  return { on, kind, signature, stage: "done", tier: TIERS[kind], words: () => "", ...terms };
};

/** Tells of what is to come: nobody is hurt by it yet, so it is never `high`. */
export const announcementEvent = (
  about: Parameters<typeof changeEvent>[0],
  terms: EventTerms,
): GovernanceEvent => {
  const told = changeEvent(about, terms);
  return { ...told, stage: "announced", tier: told.tier === "high" ? "medium" : told.tier };
};

/** Tells that what was announced will not come. */
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
export const formatBps: FormatValue = (value) => `${Number(value) / 100} %`;
export const formatMillionths: FormatValue = (value) => `${Number(value) / 10_000} %`;
export const formatHours: FormatValue = (value) => `${Math.round(Number(value) / 36) / 100} hours`;

/** From the value of one member to that of another. */
export const oldToNewValue =
  (members: readonly [from: string, to: string], show: FormatValue = formatText): DescribeChange =>
  (told) =>
    `went from ${show(told[members[0]])} to ${show(told[members[1]])}`;
/** To the value of a member. */
export const newValue =
  (member: string, show: FormatValue = formatText): DescribeChange =>
  (told) =>
    `is ${show(told[member])}`;
/** For what, or to what, a setting of several is. */
export const newValueFor =
  (members: readonly [key: string, value: string], show: FormatValue = formatText): DescribeChange =>
  (told) =>
    `is ${show(told[members[1]])} for ${formatText(told[members[0]])}`;

const VAULT_CONTRACTS = ["address", "entryPoint", "pricer", "shareToken"] as const;

/** Whether a row does not name the contract. */
export const isLinkedContract = (on: GovernanceContract): boolean =>
  !VAULT_CONTRACTS.some((own) => own === on);

/** Whether an address, lower case, is that of one of the contracts that a vault's row names. */
export const isVaultContract = (vault: Vault, address: string): boolean =>
  VAULT_CONTRACTS.some((on) => vault[on].toLowerCase() === address);

/** The contracts of a vault and about it, lower case. */
export function governanceContractsOf(
  vault: Vault,
  links: LinkedContracts,
): Readonly<Partial<Record<GovernanceContract, string>>> {
  const redemptions = vault.params["redemption_vault"]?.toLowerCase();
  return {
    ...(redemptions === undefined ? {} : { redemptions }),
    ...links,
    ...Object.fromEntries(VAULT_CONTRACTS.map((on) => [on, vault[on].toLowerCase()])),
  };
}
