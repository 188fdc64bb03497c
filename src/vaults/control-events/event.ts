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

/** Which of a vault's contracts emits it. */
export type ControlContract = "address" | "entryPoint" | "pricer" | "shareToken";

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
type Terms = Pick<ControlEvent, "what" | "seenByView"> & { words?: Words; tier?: Tier };

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

/** The contract of a vault that emits an event, lower case. */
export const contractOf = (vault: Vault, on: ControlContract): string => vault[on].toLowerCase();
