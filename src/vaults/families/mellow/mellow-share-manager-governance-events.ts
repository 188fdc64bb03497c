import {
  changeEvent,
  type EventArgs,
  formatUtcMinute,
  type GovernanceEvent,
} from "../../governance/governance-event.ts";

/** Flags of a share manager: what it pauses, whom it lists, and until when it locks all shares, in unix seconds. */
const FLAGS =
  "(bool hasMintPause, bool hasBurnPause, bool hasTransferPause, bool hasWhitelist, bool hasTransferWhitelist, uint32 globalLockup)";

const flagsOf = ({ flags }: EventArgs) => ({ ...(flags as Readonly<Record<string, unknown>>) });

/** Returns what the flags stop at a time in unix seconds, other than deposits, as short nouns; empty for nothing. */
function stopped(args: EventArgs, seconds: number): string[] {
  const { hasBurnPause, hasTransferPause, globalLockup } = flagsOf(args);
  return [
    ...(hasBurnPause === true ? ["redemptions paused"] : []),
    ...(Number(globalLockup) > seconds ? ["shares locked"] : []),
    ...(hasTransferPause === true ? ["share transfers paused"] : []),
  ];
}

/** Returns clauses about what the flags stop and about the accounts to which they limit the vault. */
function flagSentences(args: EventArgs, seconds: number): string[] {
  const flags = flagsOf(args);
  return [
    `redemptions are ${flags["hasBurnPause"] === true ? "" : "not "}paused`,
    `share transfers are ${flags["hasTransferPause"] === true ? "" : "not "}paused`,
    Number(flags["globalLockup"]) > seconds
      ? `all shares are locked until ${formatUtcMinute(flags["globalLockup"])}`
      : "no lock-up of all shares applies",
    ...(flags["hasMintPause"] === true
      ? [
          "minting of shares is paused, so price reports that charge a fee fail, and redemptions may fail or stay unsettled",
        ]
      : []),
    ...(flags["hasWhitelist"] === true ? ["only listed accounts can deposit"] : []),
    ...(flags["hasTransferWhitelist"] === true ? ["only listed accounts can transfer shares"] : []),
  ];
}

/** Returns true if the event switched the Merkle whitelist off. */
const isOff = ({ newWhitelistMerkleRoot }: EventArgs): boolean =>
  /^0x0+$/.test(String(newWhitelistMerkleRoot));

/**
 * Governance events of a Core vault's share manager. `SetFlags` contains all flags and does not show which of them
 * changed; a lock-up stops redemptions and transfers. Source: mellow-finance/flexible-vaults, ShareManager.
 */
export const shareManagerEvents: readonly GovernanceEvent[] = [
  changeEvent(["shareToken", "pause", `SetFlags(${FLAGS} flags)`], {
    what: "flags of the share manager",
    tierFor: (args, seconds) => (stopped(args, seconds).length > 0 ? null : "medium"),
    title: (args, seconds) =>
      stopped(args, seconds).join(", ") ||
      (flagsOf(args)["hasMintPause"] === true
        ? "minting of shares paused"
        : "settings of the share manager changed"),
    report: (args, { vault, time, seconds }) =>
      `The share manager of ${vault} reported at ${time}: ${flagSentences(args, seconds).join("; ")}. The event does ` +
      "not show which of these settings changed.",
    advice: (args, { seconds }) =>
      stopped(args, seconds).length > 0
        ? `Find out why, and when you can ${stopped(args, seconds).join() === "share transfers paused" ? "transfer shares" : "withdraw"} again.`
        : "If anything is or was paused, find out why. If only listed accounts are admitted, check whether yours is listed.",
  }),
  changeEvent(["shareToken", "allow_list", "SetWhitelistMerkleRoot(bytes32 newWhitelistMerkleRoot)"], {
    what: "depositor whitelist (Merkle root)",
    title: (args) => `depositor whitelist (Merkle root) ${isOff(args) ? "removed" : "changed"}`,
    report: (args, { vault, time }) =>
      `The depositor whitelist (Merkle root) of ${vault} was ${isOff(args) ? "removed" : "changed"} at ${time}.`,
    advice: (args) =>
      isOff(args)
        ? "Depositors need no Merkle proof now; another whitelist of the share manager may still apply."
        : "Check whether your account is still listed.",
  }),
];
