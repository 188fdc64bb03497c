import { zeroAddress } from "viem";
import {
  announcementEvent,
  cancellationEvent,
  changeEvent,
  formatBps,
  formatHours,
  type GovernanceEvent,
  newValue,
  newValueFor,
} from "../governance/governance-event.ts";

/** MetaMorpho and what was made of it; `market` is how they name one. Sources: metamorpho-v1.1, euler-earn, silo. */
const curationEvents = (market: "bytes32" | "address"): readonly GovernanceEvent[] => [
  announcementEvent(["address", "timelock", "SubmitTimelock(uint256 newTimelock)"], {
    what: "timelock",
    words: newValue("newTimelock", formatHours),
  }),
  cancellationEvent(["address", "timelock", "RevokePendingTimelock(address indexed caller)"], {
    what: "timelock",
  }),
  announcementEvent(["address", "guardian", "SubmitGuardian(address indexed newGuardian)"], {
    what: "guardian",
    words: newValue("newGuardian"),
  }),
  cancellationEvent(["address", "guardian", "RevokePendingGuardian(address indexed caller)"], {
    what: "guardian",
  }),
  announcementEvent(
    ["address", "cap", `SubmitCap(address indexed caller, ${market} indexed id, uint256 cap)`],
    {
      what: "cap of a market",
      words: newValueFor(["id", "cap"]),
    },
  ),
  cancellationEvent(["address", "cap", `RevokePendingCap(address indexed caller, ${market} indexed id)`], {
    what: "cap of a market",
  }),
  changeEvent(["address", "cap", `SetCap(address indexed caller, ${market} indexed id, uint256 cap)`], {
    what: "cap of a market",
    words: newValueFor(["id", "cap"]),
  }),
  announcementEvent(
    ["address", "strategy", `SubmitMarketRemoval(address indexed caller, ${market} indexed id)`],
    {
      what: "set of markets, one of which is to be given up with what lies in it,",
      tier: "medium",
    },
  ),
  cancellationEvent(
    ["address", "strategy", `RevokePendingMarketRemoval(address indexed caller, ${market} indexed id)`],
    {
      what: "set of markets",
    },
  ),
];

export const metaMorphoEvents = curationEvents("bytes32");
/** Their markets are vaults. */
export const metaMorphoForkEvents = curationEvents("address");

/** The bits of withdrawals and redemptions among hooked operations. */
const EXIT_OPS = 12;

/** Source: euler-vault-kit. The cap and the hook are what limits and a pause are read from, and may refuse others too. */
export const eulerEvents: readonly GovernanceEvent[] = [
  changeEvent(["address", "owner", "GovSetGovernorAdmin(address indexed newGovernorAdmin)"], {
    what: "governor",
    words: newValue("newGovernorAdmin"),
  }),
  changeEvent(["address", "fee", "GovSetInterestFee(uint16 newFee)"], {
    what: "interest fee",
    words: newValue("newFee", formatBps),
  }),
  changeEvent(["address", "cap", "GovSetCaps(uint16 newSupplyCap, uint16 newBorrowCap)"], {
    what: "supply and borrow caps",
  }),
  changeEvent(
    ["address", "allow_list", "GovSetHookConfig(address indexed newHookTarget, uint32 newHookedOps)"],
    {
      what: "hook, which decides who may do what,",
      words: newValue("newHookTarget"),
      // Hooked to nobody, deposits are paused.
      seenByView: ({ newHookTarget, newHookedOps }) =>
        newHookTarget === zeroAddress && (Number(newHookedOps) & EXIT_OPS) === 0,
    },
  ),
  changeEvent(["address", "strategy", "GovSetInterestRateModel(address newInterestRateModel)"], {
    what: "interest rate model",
    words: newValue("newInterestRateModel"),
    tier: "medium",
  }),
];

/** Source: gearbox core-v3. */
export const gearboxEvents: readonly GovernanceEvent[] = [
  changeEvent(["address", "fee", "SetWithdrawFee(uint256 fee)"], {
    what: "withdrawal fee",
    words: newValue("fee", formatBps),
  }),
  changeEvent(["address", "cap", "SetTotalDebtLimit(uint256 limit)"], {
    what: "debt limit",
    words: newValue("limit"),
  }),
  changeEvent(["address", "strategy", "SetInterestRateModel(address indexed newInterestRateModel)"], {
    what: "interest rate model",
    words: newValue("newInterestRateModel"),
    tier: "medium",
  }),
  changeEvent(["address", "strategy", "AddCreditManager(address indexed creditManager)"], {
    what: "set of borrowers",
    words: newValue("creditManager"),
    tier: "medium",
  }),
];

/** Source: fluid-contracts-public. What else governs an fToken is said at the protocol's own contracts. */
export const fluidEvents: readonly GovernanceEvent[] = [
  changeEvent(["address", "strategy", "LogUpdateRewards(address indexed rewardsRateModel)"], {
    what: "model of rewards",
    words: newValue("rewardsRateModel"),
  }),
];

/** Maker's kind of contract: whoever is relied on may do everything. Sources: sdai's interfaces, Sky's SUsds. */
export const sparkEvents: readonly GovernanceEvent[] = [
  changeEvent(["address", "owner", "Rely(address indexed usr)"], {
    what: "list of those who may do everything",
    words: newValue("usr"),
  }),
  changeEvent(["address", "owner", "Deny(address indexed usr)"], {
    what: "list of those who may do everything, which somebody left,",
    tier: "medium",
  }),
];
