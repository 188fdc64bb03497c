import { zeroAddress } from "viem";
import { announced, bps, type ControlEvent, done, hours, of, to, withdrawn } from "./event.ts";

/** MetaMorpho and what was made of it; `market` is how they name one. Sources: metamorpho-v1.1, euler-earn, silo. */
const curated = (market: "bytes32" | "address"): readonly ControlEvent[] => [
  announced(["address", "timelock", "SubmitTimelock(uint256 newTimelock)"], {
    what: "timelock",
    words: to("newTimelock", hours),
  }),
  withdrawn(["address", "timelock", "RevokePendingTimelock(address indexed caller)"], { what: "timelock" }),
  announced(["address", "guardian", "SubmitGuardian(address indexed newGuardian)"], {
    what: "guardian",
    words: to("newGuardian"),
  }),
  withdrawn(["address", "guardian", "RevokePendingGuardian(address indexed caller)"], { what: "guardian" }),
  announced(["address", "cap", `SubmitCap(address indexed caller, ${market} indexed id, uint256 cap)`], {
    what: "cap of a market",
    words: of(["id", "cap"]),
  }),
  withdrawn(["address", "cap", `RevokePendingCap(address indexed caller, ${market} indexed id)`], {
    what: "cap of a market",
  }),
  done(["address", "cap", `SetCap(address indexed caller, ${market} indexed id, uint256 cap)`], {
    what: "cap of a market",
    words: of(["id", "cap"]),
  }),
  announced(["address", "strategy", `SubmitMarketRemoval(address indexed caller, ${market} indexed id)`], {
    what: "set of markets, one of which is to be given up with what lies in it,",
    tier: "medium",
  }),
  withdrawn(
    ["address", "strategy", `RevokePendingMarketRemoval(address indexed caller, ${market} indexed id)`],
    {
      what: "set of markets",
    },
  ),
];

export const metaMorphoEvents = curated("bytes32");
/** Their markets are vaults. */
export const metaMorphoForkEvents = curated("address");

/** The bits of withdrawals and redemptions among hooked operations. */
const OPS_OF_EXITS = 12;

/** Source: euler-vault-kit. The cap and the hook are what limits and a pause are read from, and may refuse others too. */
export const eulerEvents: readonly ControlEvent[] = [
  done(["address", "owner", "GovSetGovernorAdmin(address indexed newGovernorAdmin)"], {
    what: "governor",
    words: to("newGovernorAdmin"),
  }),
  done(["address", "fee", "GovSetInterestFee(uint16 newFee)"], {
    what: "interest fee",
    words: to("newFee", bps),
  }),
  done(["address", "cap", "GovSetCaps(uint16 newSupplyCap, uint16 newBorrowCap)"], {
    what: "supply and borrow caps",
  }),
  done(["address", "allow_list", "GovSetHookConfig(address indexed newHookTarget, uint32 newHookedOps)"], {
    what: "hook, which decides who may do what,",
    words: to("newHookTarget"),
    // Hooked to nobody, deposits are paused.
    seenByView: ({ newHookTarget, newHookedOps }) =>
      newHookTarget === zeroAddress && (Number(newHookedOps) & OPS_OF_EXITS) === 0,
  }),
  done(["address", "strategy", "GovSetInterestRateModel(address newInterestRateModel)"], {
    what: "interest rate model",
    words: to("newInterestRateModel"),
    tier: "medium",
  }),
];

/** Source: gearbox core-v3. */
export const gearboxEvents: readonly ControlEvent[] = [
  done(["address", "fee", "SetWithdrawFee(uint256 fee)"], { what: "withdrawal fee", words: to("fee", bps) }),
  done(["address", "cap", "SetTotalDebtLimit(uint256 limit)"], { what: "debt limit", words: to("limit") }),
  done(["address", "strategy", "SetInterestRateModel(address indexed newInterestRateModel)"], {
    what: "interest rate model",
    words: to("newInterestRateModel"),
    tier: "medium",
  }),
  done(["address", "strategy", "AddCreditManager(address indexed creditManager)"], {
    what: "set of borrowers",
    words: to("creditManager"),
    tier: "medium",
  }),
];

/** Source: fluid-contracts-public. What else governs an fToken is said at the protocol's own contracts. */
export const fluidEvents: readonly ControlEvent[] = [
  done(["address", "strategy", "LogUpdateRewards(address indexed rewardsRateModel)"], {
    what: "model of rewards",
    words: to("rewardsRateModel"),
  }),
];

/** Maker's kind of contract: whoever is relied on may do everything. Sources: sdai's interfaces, Sky's SUsds. */
export const makerEvents: readonly ControlEvent[] = [
  done(["address", "owner", "Rely(address indexed usr)"], {
    what: "list of those who may do everything",
    words: to("usr"),
  }),
  done(["address", "owner", "Deny(address indexed usr)"], {
    what: "list of those who may do everything, which somebody left,",
    tier: "medium",
  }),
];
