import type { Tier } from "../../schemas/signal.ts";
import type { Vault } from "../vault.ts";

/** What of a vault an event is about. */
export type ControlKind =
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

/** `announced`: takes effect later, or needs another step; `withdrawn`: what was announced will not be. */
export type ControlStage = "done" | "announced" | "withdrawn";

/** A vault's own contracts, as its row names them. */
export type OwnContract = "address" | "entryPoint" | "pricer" | "shareToken";
/** Contracts about a vault that are found on chain, or in its parameters. */
export type LinkedContract = "authority" | "feeManager" | "redemptions" | "beacon";
/** Which contract of a vault or about it emits it. */
export type ControlContract = OwnContract | LinkedContract;

/** Where the linked contracts of a vault are, lower case; absent: it has none, or nobody can tell. */
export type Links = Readonly<Partial<Record<LinkedContract, string>>>;

/** An event's members by name, as viem decodes them. */
export type EventMembers = Readonly<Record<string, unknown>>;

/** An event by which a family tells of a change that none of its views shows, and what it means to a holder. */
export interface ControlEvent {
  /** As in Solidity, without `event`. */
  signature: string;
  on: ControlContract;
  kind: ControlKind;
  stage: ControlStage;
  /** What changes, as in "the … changed". */
  what: string;
  tier: Tier;
  /** What it is now, or is to be, after "it"; empty: the event does not tell. */
  words: (members: EventMembers) => string;
  /** Whether a view shows the same, so that a signal of it is raised already; absent: none does. */
  seenByView?: (members: EventMembers, vault: Vault) => boolean;
  /** Whether this is what the vault's people do every day; absent: it never is. */
  everyday?: (members: EventMembers) => boolean;
}

const TIERS: Readonly<Record<ControlKind, Tier>> = {
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

type Words = ControlEvent["words"];
type Terms = Pick<ControlEvent, "what" | "seenByView" | "everyday"> & { words?: Words; tier?: Tier };

/** An event of a contract about a kind of thing, which is done by then. */
export const done = (
  about: readonly [on: ControlContract, kind: ControlKind, signature: string],
  terms: Terms,
): ControlEvent => {
  const [on, kind, signature] = about;
  return { on, kind, signature, stage: "done", tier: TIERS[kind], words: () => "", ...terms };
};

/** Tells of what is to come: nobody is hurt by it yet, so it is never `high`. */
export const announced = (about: Parameters<typeof done>[0], terms: Terms): ControlEvent => {
  const told = done(about, terms);
  return { ...told, stage: "announced", tier: told.tier === "high" ? "medium" : told.tier };
};

/** Tells that what was announced will not come. */
export const withdrawn = (about: Parameters<typeof done>[0], terms: Terms): ControlEvent => ({
  ...done(about, terms),
  stage: "withdrawn",
  tier: "low",
});

type Show = (value: unknown) => string;
const text: Show = (value) => (typeof value === "boolean" ? (value ? "on" : "off") : String(value));
export const bps: Show = (value) => `${Number(value) / 100} %`;
export const millionths: Show = (value) => `${Number(value) / 10_000} %`;
export const hours: Show = (value) => `${Math.round(Number(value) / 36) / 100} hours`;

/** From the value of one member to that of another. */
export const fromTo =
  (members: readonly [from: string, to: string], show: Show = text): Words =>
  (told) =>
    `went from ${show(told[members[0]])} to ${show(told[members[1]])}`;
/** To the value of a member. */
export const to =
  (member: string, show: Show = text): Words =>
  (told) =>
    `is ${show(told[member])}`;
/** For what, or to what, a setting of several is. */
export const of =
  (members: readonly [key: string, value: string], show: Show = text): Words =>
  (told) =>
    `is ${show(told[members[1]])} for ${text(told[members[0]])}`;

const OWN_CONTRACTS = ["address", "entryPoint", "pricer", "shareToken"] as const;

/** Whether a row does not name the contract. */
export const isLinked = (on: ControlContract): boolean => !OWN_CONTRACTS.some((own) => own === on);

/** Whether an address, lower case, is that of one of the contracts that a vault's row names. */
export const isOwn = (vault: Vault, address: string): boolean =>
  OWN_CONTRACTS.some((on) => vault[on].toLowerCase() === address);

/** The contracts of a vault and about it, lower case. */
export function contractsOf(vault: Vault, links: Links): Readonly<Partial<Record<ControlContract, string>>> {
  const redemptions = vault.params["redemption_vault"]?.toLowerCase();
  return {
    ...(redemptions === undefined ? {} : { redemptions }),
    ...links,
    ...Object.fromEntries(OWN_CONTRACTS.map((on) => [on, vault[on].toLowerCase()])),
  };
}
