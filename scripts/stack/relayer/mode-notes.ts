import type { RelayerMode } from "../emulators/control.ts";

type Notes = Partial<Readonly<Record<RelayerMode, string>>>;

/** Modes that Across' contracts allow but Across does not use. */
const either: Notes = {
  refund:
    "the chains' clocks are moved past the fill deadline; the refund follows at once, Across' some hours later",
  expire: "the chains' clocks are moved past the fill deadline; Across waits for it",
  fail_destination: "what fails is a deposit by the DepositRouter; calls without one are made",
};

/** Notes that `/__control` of each service shows for a mode. */
export const relayerNotes: Readonly<Record<"lifi" | "across", Notes>> = {
  across: {
    ...either,
    underdeliver:
      "Across delivers exactly what it said, or less with the depositor's signature: this mode delivers",
  },
  lifi: {
    ...either,
    underdeliver: "the depositor's signature for the lesser amount is made up",
  },
};
