import { accessControlEvents, FIND_OUT } from "../../governance/common-governance-events.ts";
import {
  addressTexts,
  changeEvent,
  type EventArgs,
  type EventContext,
  formatDuration,
  formatMillionths,
  formatWadFraction,
  type GovernanceEvent,
  newValue,
  tookEffect,
} from "../../governance/governance-event.ts";
import { shareManagerEvents } from "./mellow-share-manager-governance-events.ts";

const reportPriceBounds = ({ securityParams }: EventArgs, context: EventContext): string => {
  const bounds = { ...(securityParams as Readonly<Record<string, unknown>>) };
  return (
    `${context.vault} now rejects price reports that deviate from the previous price by more than ` +
    `${formatWadFraction(bounds["maxRelativeDeviationD18"])}. One that deviates by more than ` +
    `${formatWadFraction(bounds["suspiciousRelativeDeviationD18"])} is suspicious and takes effect only after it is accepted (limits on ` +
    `the absolute deviation apply too; raw values: ${bounds["maxAbsoluteDeviation"]} and ${bounds["suspiciousAbsoluteDeviation"]}). After a report that is not ` +
    `suspicious, the next must wait ${formatDuration(bounds["timeout"])}. A report prices only deposit requests at least ` +
    `${formatDuration(bounds["depositInterval"])} old and redemption requests at least ${formatDuration(bounds["redeemInterval"])} ` +
    `old.${tookEffect(context)}`
  );
};

/** Governance events of a Core vault, its deposit queue (entry point) and its oracle (pricer). */
const vaultEvents: readonly GovernanceEvent[] = [
  ...accessControlEvents,
  changeEvent(["entryPoint", "fee", "SyncDepositParamsSet(uint256 penaltyD6, uint32 maxAge)"], {
    what: "terms of instant deposits",
    report: ({ penaltyD6, maxAge }, context) =>
      `Instant deposits into ${context.vault} now incur ` +
      `${Number(penaltyD6) === 0 ? "no penalty" : `a penalty of ${formatMillionths(penaltyD6)}`} and fail if the price ` +
      `is older than ${formatDuration(maxAge)}.${tookEffect(context)}`,
    advice: ({ penaltyD6 }) =>
      Number(penaltyD6) === 0 ? "" : "The penalty reduces the shares of each instant deposit.",
  }),
  changeEvent(["address", "pause", "SetQueueStatus(address indexed queue, bool indexed isPaused)"], {
    what: "state of a queue",
    tierFor: ({ isPaused }) => (isPaused === true ? null : "medium"),
    title: ({ isPaused }) => (isPaused === true ? "queue paused" : "queue resumed"),
    report: ({ queue, isPaused }, { vault, time }) =>
      `The queue ${queue} of ${vault} was ${isPaused === true ? "paused" : "resumed"} at ${time}.`,
    advice: ({ isPaused }) =>
      isPaused === true
        ? "New deposits or redemptions through this queue are not possible: find out why, and when it will resume."
        : "Find out what caused the pause.",
    seenByView: ({ queue }, vault) => String(queue).toLowerCase() === vault.entryPoint.toLowerCase(),
  }),
  changeEvent(["address", "strategy", "QueueRemoved(address indexed queue, address indexed asset)"], {
    what: "deposit and redemption queues",
    title: () => "queue removed",
    report: ({ queue, asset }, { vault, time }) =>
      `The queue ${queue} for the asset ${asset} was removed from ${vault} at ${time}.`,
    advice: "Deposits or redemptions through this queue are no longer possible: check which queues remain.",
    tier: "medium",
  }),
  changeEvent(
    [
      "pricer",
      "price",
      "SecurityParamsSet((uint224 maxAbsoluteDeviation, uint224 suspiciousAbsoluteDeviation, uint64 maxRelativeDeviationD18, uint64 suspiciousRelativeDeviationD18, uint32 timeout, uint32 depositInterval, uint32 redeemInterval) securityParams)",
    ],
    {
      what: "oracle security parameters",
      report: reportPriceBounds,
      advice:
        "Security parameters affect share price updates and how long requests wait: the event does not show which of them changed.",
    },
  ),
];

/** Governance events of a Core vault's fee manager. */
const feeManagerEvents: readonly GovernanceEvent[] = [
  changeEvent(
    [
      "feeManager",
      "fee",
      "SetFees(uint24 depositFeeD6, uint24 redeemFeeD6, uint24 performanceFeeD6, uint24 protocolFeeD6)",
    ],
    {
      what: "fees",
      describe: ({ depositFeeD6, redeemFeeD6, performanceFeeD6, protocolFeeD6 }) =>
        `are ${formatMillionths(depositFeeD6)} on deposits, ${formatMillionths(redeemFeeD6)} on redemptions, ` +
        `a performance fee of ${formatMillionths(performanceFeeD6)} and a management (protocol) fee of ` +
        `${formatMillionths(protocolFeeD6)} a year`,
    },
  ),
  changeEvent(["feeManager", "fee", "SetFeeRecipient(address indexed feeRecipient)"], {
    what: "fee recipient",
    describe: newValue("feeRecipient"),
    advice: "The amount of the fees does not change.",
    tier: "low",
  }),
  changeEvent(
    ["feeManager", "owner", "OwnershipTransferred(address indexed previousOwner, address indexed newOwner)"],
    {
      ...addressTexts("owner of the fee manager", {
        member: "newOwner",
        advice: `This owner can change the fees: ${FIND_OUT}`,
        removed: "Without an owner, the fees and their recipient can no longer be changed.",
      }),
      tier: "medium",
    },
  ),
];

/** Governance events of Mellow's Core vaults and their managers. Source: mellow-finance/flexible-vaults. */
export const mellowEvents: readonly GovernanceEvent[] = [
  ...vaultEvents,
  ...shareManagerEvents,
  ...feeManagerEvents,
];
