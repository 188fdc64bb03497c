import {
  announcementEvent,
  changeEvent,
  formatBps,
  formatHours,
  formatMillionths,
  type GovernanceEvent,
  newValue,
  newValueFor,
  oldToNewValue,
} from "../governance/governance-event.ts";
import type { Vault } from "../vault.ts";

const isVaultAsset = (vault: Vault, address: unknown): boolean =>
  String(address).toLowerCase() === vault.asset.address.toLowerCase();

/** BoringVault, its accountant (pricer) and teller (entry point). Sources: Veda-Labs and Se7en-Seas, boring-vault. */
export const vedaEvents: readonly GovernanceEvent[] = [
  changeEvent(["pricer", "fee", "PlatformFeeUpdated(uint16 oldFee, uint16 newFee)"], {
    what: "platform fee",
    words: oldToNewValue(["oldFee", "newFee"], formatBps),
  }),
  changeEvent(["pricer", "fee", "PerformanceFeeUpdated(uint16 oldFee, uint16 newFee)"], {
    what: "performance fee",
    words: oldToNewValue(["oldFee", "newFee"], formatBps),
  }),
  changeEvent(["pricer", "fee", "HighwaterMarkReset()"], {
    what: "mark above which the performance fee is due",
    words: () => "was set back to the price of that moment",
  }),
  changeEvent(["pricer", "price", "DelayInSecondsUpdated(uint24 oldDelay, uint24 newDelay)"], {
    what: "least time between two prices",
    words: oldToNewValue(["oldDelay", "newDelay"], formatHours),
  }),
  changeEvent(["pricer", "price", "UpperBoundUpdated(uint16 oldBound, uint16 newBound)"], {
    what: "most by which a price may rise at once",
    words: oldToNewValue(["oldBound", "newBound"], formatBps),
  }),
  changeEvent(["pricer", "price", "LowerBoundUpdated(uint16 oldBound, uint16 newBound)"], {
    what: "least that a price may fall to at once",
    words: oldToNewValue(["oldBound", "newBound"], formatBps),
  }),
  changeEvent(
    ["pricer", "price", "RateProviderUpdated(address asset, bool isPegged, address rateProvider)"],
    {
      what: "price source of an accepted asset",
      words: newValueFor(["asset", "rateProvider"]),
    },
  ),
  changeEvent(
    [
      "entryPoint",
      "allow_list",
      "AssetDataUpdated(address indexed asset, bool allowDeposits, bool allowWithdraws, uint16 sharePremium)",
    ],
    {
      what: "terms of an accepted asset",
      words: ({ asset, allowDeposits, allowWithdraws, sharePremium }) =>
        `say for ${asset}: deposits ${allowDeposits === true ? "on" : "off"}, withdrawals ` +
        `${allowWithdraws === true ? "on" : "off"}, premium ${formatBps(sharePremium)}`,
      // A vault whose own asset is not taken is paused.
      seenByView: ({ asset, allowDeposits }, vault) => allowDeposits === false && isVaultAsset(vault, asset),
    },
  ),
  changeEvent(["entryPoint", "cap", "DepositCapSet(uint112 cap)"], {
    what: "deposit cap, in shares,",
    words: newValue("cap"),
  }),
  changeEvent(["entryPoint", "allow_list", "PermissionedTransfersSet(bool permissionedTransfers)"], {
    what: "rule that shares move by permission only",
    words: newValue("permissionedTransfers"),
  }),
  ...(["address", "entryPoint", "pricer"] as const).map((on) =>
    changeEvent([on, "owner", "AuthorityUpdated(address indexed user, address indexed newAuthority)"], {
      what: "contract that decides who may do what",
      words: newValue("newAuthority"),
    }),
  ),
];

/** Fees have views. Roles are told by the access manager, see `linked.ts`. Source: ipor-fusion. */
export const iporEvents: readonly GovernanceEvent[] = [
  changeEvent(["address", "owner", "AuthorityUpdated(address authority)"], {
    what: "contract that decides who may do what",
    words: newValue("authority"),
  }),
  changeEvent(["address", "cap", "TotalSupplyCapChanged(uint256 newTotalSupplyCap)"], {
    what: "cap of the supply, in shares,",
    words: newValue("newTotalSupplyCap"),
  }),
  changeEvent(["address", "price", "PriceOracleMiddlewareChanged(address newPriceOracleMiddleware)"], {
    what: "price source",
    words: newValue("newPriceOracleMiddleware"),
  }),
  changeEvent(["address", "allow_list", "WithdrawManagerChanged(address newWithdrawManager)"], {
    what: "contract that releases withdrawals",
    words: newValue("newWithdrawManager"),
  }),
  changeEvent(["address", "cap", "MarketLimitUpdated(uint256 marketId, uint256 newLimit)"], {
    what: "limit of a market",
    words: newValueFor(["marketId", "newLimit"]),
  }),
];

/** Fees of management and performance have a view. Source: hopperlabsxyz/lagoon-v0. */
export const lagoonEvents: readonly GovernanceEvent[] = [
  changeEvent(["address", "pause", "StateUpdated(uint8 state)"], {
    what: "state",
    words: ({ state }) => `is ${["open", "closing", "closed"][Number(state)] ?? `number ${state}`}`,
    // Either is a pause, or the end of one; what was closing before is closed for good.
    seenByView: ({ state }) => state === 0 || state === 1,
  }),
  changeEvent(["address", "owner", "SafeUpdated(address oldSafe, address newSafe)"], {
    what: "safe that holds the money",
    words: oldToNewValue(["oldSafe", "newSafe"]),
  }),
  changeEvent(["address", "price", "ValuationManagerUpdated(address oldManager, address newManager)"], {
    what: "one who says what a share is worth",
    words: oldToNewValue(["oldManager", "newManager"]),
  }),
  changeEvent(["address", "price", "GuardrailsStatusUpdated(bool activated)"], {
    what: "guard against leaps of the price",
    words: newValue("activated"),
  }),
  changeEvent(
    ["address", "guardian", "SecurityCouncilUpdated(address oldSecurityCouncil, address newSecurityCouncil)"],
    {
      what: "security council",
      words: oldToNewValue(["oldSecurityCouncil", "newSecurityCouncil"]),
    },
  ),
  changeEvent(["address", "allow_list", "WhitelistDisabled()"], {
    what: "allow-list",
    words: () => "is off",
  }),
  changeEvent(["address", "allow_list", "AccessModeUpdated(uint8 newMode)"], {
    what: "way in which access is decided",
    words: ({ newMode }) =>
      `is ${["a list of the refused", "a list of the admitted"][Number(newMode)] ?? newMode}`,
  }),
  changeEvent(["address", "cap", "MaxCapUpdated(uint256 previousMaxCap, uint256 maxCap)"], {
    what: "cap",
    words: oldToNewValue(["previousMaxCap", "maxCap"]),
  }),
];

/** DepositVault (entry point) and mToken (vault). Source: midas-apps/contracts. */
export const midasEvents: readonly GovernanceEvent[] = [
  changeEvent(["entryPoint", "fee", "SetInstantFee(address indexed caller, uint256 newFee)"], {
    what: "fee of instant deposits",
    words: newValue("newFee", formatBps),
  }),
  changeEvent(
    ["entryPoint", "fee", "ChangeTokenFee(address indexed token, address indexed caller, uint256 fee)"],
    {
      what: "fee of an accepted token",
      words: newValueFor(["token", "fee"], formatBps),
    },
  ),
  changeEvent(
    ["entryPoint", "owner", "SetTokensReceiver(address indexed caller, address indexed reciever)"],
    {
      what: "receiver of what users pay in",
      words: newValue("reciever"),
    },
  ),
  changeEvent(
    ["entryPoint", "price", "SetVariationTolerance(address indexed caller, uint256 newTolerance)"],
    {
      what: "tolerance of prices of requests",
      words: newValue("newTolerance", formatBps),
    },
  ),
  changeEvent(["entryPoint", "allow_list", "SetGreenlistEnable(address indexed sender, bool enable)"], {
    what: "list of the admitted",
    words: newValue("enable"),
  }),
  changeEvent(
    ["entryPoint", "allow_list", "RemovePaymentToken(address indexed token, address indexed caller)"],
    {
      what: "set of accepted tokens, one of which was taken out,",
      words: newValue("token"),
      seenByView: ({ token }, vault) => isVaultAsset(vault, token),
    },
  ),
  changeEvent(
    [
      "entryPoint",
      "cap",
      "ChangeTokenAllowance(address indexed token, address indexed caller, uint256 allowance)",
    ],
    {
      what: "allowance of an accepted token, base 18,",
      words: newValueFor(["token", "allowance"]),
    },
  ),
  changeEvent(["entryPoint", "cap", "SetInstantDailyLimit(address indexed caller, uint256 newLimit)"], {
    what: "daily limit, base 18,",
    words: newValue("newLimit"),
  }),
  changeEvent(["entryPoint", "cap", "SetMaxSupplyCap(address indexed caller, uint256 newValue)"], {
    what: "cap of the supply, base 18,",
    words: newValue("newValue"),
  }),
  changeEvent(["entryPoint", "cap", "SetMinAmount(address indexed caller, uint256 newAmount)"], {
    what: "least deposit, base 18,",
    words: newValue("newAmount"),
  }),
];

const accessControlEvents = (on: "address"): readonly GovernanceEvent[] => [
  changeEvent(
    [on, "owner", "RoleGranted(bytes32 indexed role, address indexed account, address indexed sender)"],
    {
      what: "list of who may do what",
      words: ({ role, account }) => `has ${account} for the role ${String(role).slice(0, 10)}`,
      tier: "medium",
    },
  ),
];

/** Vault, queue (entry point), oracle (pricer), share manager. Source: flexible-vaults. */
export const mellowEvents: readonly GovernanceEvent[] = [
  ...accessControlEvents("address"),
  changeEvent(["entryPoint", "fee", "SyncDepositParamsSet(uint256 penaltyD6, uint32 maxAge)"], {
    what: "penalty of instant deposits",
    words: newValue("penaltyD6", formatMillionths),
  }),
  changeEvent(["address", "pause", "SetQueueStatus(address indexed queue, bool indexed isPaused)"], {
    what: "state of a queue",
    words: ({ queue, isPaused }) => `is ${isPaused === true ? "paused" : "open"} for ${queue}`,
    seenByView: ({ queue }, vault) => String(queue).toLowerCase() === vault.entryPoint.toLowerCase(),
  }),
  changeEvent(["address", "strategy", "QueueRemoved(address indexed queue, address indexed asset)"], {
    what: "set of queues, one of which was taken out,",
    words: newValue("queue"),
  }),
  changeEvent(
    [
      "pricer",
      "price",
      "SecurityParamsSet((uint224 maxAbsoluteDeviation, uint224 suspiciousAbsoluteDeviation, uint64 maxRelativeDeviationD18, uint64 suspiciousRelativeDeviationD18, uint32 timeout, uint32 depositInterval, uint32 redeemInterval) securityParams)",
    ],
    { what: "bounds of a price report" },
  ),
  changeEvent(["shareToken", "allow_list", "SetWhitelistMerkleRoot(bytes32 newWhitelistMerkleRoot)"], {
    what: "list of those whom shares may be sent to",
  }),
];

/** Deposits' pause has a view. Source: mellow-finance/simple-lrt. */
export const mellowLrtEvents: readonly GovernanceEvent[] = [
  ...accessControlEvents("address"),
  changeEvent(["address", "pause", "WithdrawalPauseSet(bool paused, uint256 timestamp, address sender)"], {
    what: "pause of withdrawals",
    words: newValue("paused"),
  }),
  changeEvent(
    ["address", "allow_list", "DepositWhitelistSet(bool status, uint256 timestamp, address sender)"],
    {
      what: "list of the admitted",
      words: newValue("status"),
    },
  ),
  changeEvent(["address", "cap", "LimitSet(uint256 limit, uint256 timestamp, address sender)"], {
    what: "cap",
    words: newValue("limit"),
  }),
];

/** Version 3 vaults and tokenized strategies. Sources: yearn-vaults-v3, tokenized-strategy. */
export const yearnEvents: readonly GovernanceEvent[] = [
  changeEvent(["address", "owner", "UpdateRoleManager(address indexed role_manager)"], {
    what: "role manager",
    words: newValue("role_manager"),
  }),
  announcementEvent(["address", "owner", "UpdateFutureRoleManager(address indexed future_role_manager)"], {
    what: "role manager",
    words: newValue("future_role_manager"),
  }),
  changeEvent(["address", "owner", "RoleSet(address indexed account, uint256 indexed role)"], {
    what: "list of who may do what",
    words: newValue("account"),
    tier: "medium",
  }),
  changeEvent(["address", "owner", "UpdateManagement(address indexed newManagement)"], {
    what: "management",
    words: newValue("newManagement"),
  }),
  announcementEvent(["address", "owner", "UpdatePendingManagement(address indexed newPendingManagement)"], {
    what: "management",
    words: newValue("newPendingManagement"),
  }),
  changeEvent(["address", "guardian", "UpdateEmergencyAdmin(address indexed newEmergencyAdmin)"], {
    what: "emergency admin",
    words: newValue("newEmergencyAdmin"),
  }),
  changeEvent(["address", "fee", "UpdateAccountant(address indexed accountant)"], {
    what: "contract that takes the fees",
    words: newValue("accountant"),
  }),
  changeEvent(["address", "fee", "UpdatePerformanceFee(uint16 newPerformanceFee)"], {
    what: "performance fee",
    words: newValue("newPerformanceFee", formatBps),
  }),
  changeEvent(["address", "pause", "Shutdown()"], { what: "state", words: () => "is shut down for good" }),
  changeEvent(["address", "pause", "StrategyShutdown()"], {
    what: "state",
    words: () => "is shut down for good",
  }),
  changeEvent(["address", "allow_list", "UpdateDepositLimitModule(address indexed deposit_limit_module)"], {
    what: "contract that says who may deposit",
    words: newValue("deposit_limit_module"),
  }),
  changeEvent(["address", "allow_list", "UpdateWithdrawLimitModule(address indexed withdraw_limit_module)"], {
    what: "contract that says who may withdraw",
    words: newValue("withdraw_limit_module"),
    tier: "high",
  }),
  changeEvent(["address", "cap", "UpdateDepositLimit(uint256 deposit_limit)"], {
    what: "deposit limit",
    words: newValue("deposit_limit"),
  }),
  changeEvent(
    ["address", "strategy", "StrategyChanged(address indexed strategy, uint256 indexed change_type)"],
    {
      what: "set of strategies",
      words: ({ strategy, change_type }) =>
        `${Number(change_type) === 1 ? "has" : "no longer has"} ${strategy}`,
      tier: "medium",
    },
  ),
];

/** Source: centrifuge/protocol. What governs a pool is said at its hub, perhaps on another chain. */
export const centrifugeEvents: readonly GovernanceEvent[] = (["address", "shareToken"] as const).flatMap(
  (on) => [
    changeEvent([on, "owner", "Rely(address indexed user)"], {
      what: "list of those who may do everything",
      words: newValue("user"),
    }),
    changeEvent([on, "owner", "Deny(address indexed user)"], {
      what: "list of those who may do everything, which somebody left,",
      tier: "medium",
    }),
    changeEvent([on, "strategy", "File(bytes32 indexed what, address data)"], {
      what: "contract behind the vault",
      words: newValue("data"),
      tier: "medium",
    }),
  ],
);
