import { accessControlEvents } from "../../governance/common-governance-events.ts";
import {
  changeEvent,
  formatMillionths,
  type GovernanceEvent,
  newValue,
  removedMember,
} from "../../governance/governance-event.ts";

/** Governance events of a Core vault, its queue (entry point), oracle (pricer) and share manager. */
const vaultEvents: readonly GovernanceEvent[] = [
  ...accessControlEvents,
  changeEvent(["entryPoint", "fee", "SyncDepositParamsSet(uint256 penaltyD6, uint32 maxAge)"], {
    what: "penalty of instant deposits",
    describe: newValue("penaltyD6", formatMillionths),
  }),
  changeEvent(["address", "pause", "SetQueueStatus(address indexed queue, bool indexed isPaused)"], {
    what: "queue status",
    describe: ({ queue, isPaused }) => `is ${isPaused === true ? "paused" : "open"} for ${queue}`,
    seenByView: ({ queue }, vault) => String(queue).toLowerCase() === vault.entryPoint.toLowerCase(),
  }),
  changeEvent(["address", "strategy", "QueueRemoved(address indexed queue, address indexed asset)"], {
    what: "deposit and redemption queues",
    describe: removedMember("queue"),
  }),
  changeEvent(
    [
      "pricer",
      "price",
      "SecurityParamsSet((uint224 maxAbsoluteDeviation, uint224 suspiciousAbsoluteDeviation, uint64 maxRelativeDeviationD18, uint64 suspiciousRelativeDeviationD18, uint32 timeout, uint32 depositInterval, uint32 redeemInterval) securityParams)",
    ],
    { what: "price report bounds" },
  ),
  changeEvent(["shareToken", "allow_list", "SetWhitelistMerkleRoot(bytes32 newWhitelistMerkleRoot)"], {
    what: "whitelist",
  }),
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
        `a performance fee of ${formatMillionths(performanceFeeD6)} and a protocol fee of ` +
        `${formatMillionths(protocolFeeD6)} a year`,
    },
  ),
  changeEvent(["feeManager", "fee", "SetFeeRecipient(address indexed feeRecipient)"], {
    what: "fee recipient",
    describe: newValue("feeRecipient"),
    tier: "low",
  }),
  changeEvent(
    ["feeManager", "owner", "OwnershipTransferred(address indexed previousOwner, address indexed newOwner)"],
    { what: "owner of the fee manager", describe: newValue("newOwner"), tier: "medium" },
  ),
];

/** Governance events of Mellow's Core vaults and their fee managers. Source: mellow-finance/flexible-vaults. */
export const mellowEvents: readonly GovernanceEvent[] = [...vaultEvents, ...feeManagerEvents];
