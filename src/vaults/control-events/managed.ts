import type { Vault } from "../vault.ts";
import { announced, bps, type ControlEvent, done, fromTo, hours, millionths, of, to } from "./event.ts";

const isAsset = (vault: Vault, address: unknown): boolean =>
  String(address).toLowerCase() === vault.asset.address.toLowerCase();

/** BoringVault, its accountant (pricer) and teller (entry point). Sources: Veda-Labs and Se7en-Seas, boring-vault. */
export const vedaEvents: readonly ControlEvent[] = [
  done(["pricer", "fee", "PlatformFeeUpdated(uint16 oldFee, uint16 newFee)"], {
    what: "platform fee",
    words: fromTo(["oldFee", "newFee"], bps),
  }),
  done(["pricer", "fee", "PerformanceFeeUpdated(uint16 oldFee, uint16 newFee)"], {
    what: "performance fee",
    words: fromTo(["oldFee", "newFee"], bps),
  }),
  done(["pricer", "fee", "HighwaterMarkReset()"], {
    what: "mark above which the performance fee is due",
    words: () => "was set back to the price of that moment",
  }),
  done(["pricer", "price", "DelayInSecondsUpdated(uint24 oldDelay, uint24 newDelay)"], {
    what: "least time between two prices",
    words: fromTo(["oldDelay", "newDelay"], hours),
  }),
  done(["pricer", "price", "UpperBoundUpdated(uint16 oldBound, uint16 newBound)"], {
    what: "most by which a price may rise at once",
    words: fromTo(["oldBound", "newBound"], bps),
  }),
  done(["pricer", "price", "LowerBoundUpdated(uint16 oldBound, uint16 newBound)"], {
    what: "least that a price may fall to at once",
    words: fromTo(["oldBound", "newBound"], bps),
  }),
  done(["pricer", "price", "RateProviderUpdated(address asset, bool isPegged, address rateProvider)"], {
    what: "price source of an accepted asset",
    words: of(["asset", "rateProvider"]),
  }),
  done(
    [
      "entryPoint",
      "allow_list",
      "AssetDataUpdated(address indexed asset, bool allowDeposits, bool allowWithdraws, uint16 sharePremium)",
    ],
    {
      what: "terms of an accepted asset",
      words: ({ asset, allowDeposits, allowWithdraws, sharePremium }) =>
        `say for ${asset}: deposits ${allowDeposits === true ? "on" : "off"}, withdrawals ` +
        `${allowWithdraws === true ? "on" : "off"}, premium ${bps(sharePremium)}`,
      // A vault whose own asset is not taken is paused.
      seenByView: ({ asset, allowDeposits }, vault) => allowDeposits === false && isAsset(vault, asset),
    },
  ),
  done(["entryPoint", "cap", "DepositCapSet(uint112 cap)"], {
    what: "deposit cap, in shares,",
    words: to("cap"),
  }),
  done(["entryPoint", "allow_list", "PermissionedTransfersSet(bool permissionedTransfers)"], {
    what: "rule that shares move by permission only",
    words: to("permissionedTransfers"),
  }),
  ...(["address", "entryPoint", "pricer"] as const).map((on) =>
    done([on, "owner", "AuthorityUpdated(address indexed user, address indexed newAuthority)"], {
      what: "contract that decides who may do what",
      words: to("newAuthority"),
    }),
  ),
];

/** Fees have views. Roles are told by the access manager, see `linked.ts`. Source: ipor-fusion. */
export const iporEvents: readonly ControlEvent[] = [
  done(["address", "owner", "AuthorityUpdated(address authority)"], {
    what: "contract that decides who may do what",
    words: to("authority"),
  }),
  done(["address", "cap", "TotalSupplyCapChanged(uint256 newTotalSupplyCap)"], {
    what: "cap of the supply, in shares,",
    words: to("newTotalSupplyCap"),
  }),
  done(["address", "price", "PriceOracleMiddlewareChanged(address newPriceOracleMiddleware)"], {
    what: "price source",
    words: to("newPriceOracleMiddleware"),
  }),
  done(["address", "allow_list", "WithdrawManagerChanged(address newWithdrawManager)"], {
    what: "contract that releases withdrawals",
    words: to("newWithdrawManager"),
  }),
  done(["address", "cap", "MarketLimitUpdated(uint256 marketId, uint256 newLimit)"], {
    what: "limit of a market",
    words: of(["marketId", "newLimit"]),
  }),
];

/** Fees of management and performance have a view. Source: hopperlabsxyz/lagoon-v0. */
export const lagoonEvents: readonly ControlEvent[] = [
  done(["address", "pause", "StateUpdated(uint8 state)"], {
    what: "state",
    words: ({ state }) => `is ${["open", "closing", "closed"][Number(state)] ?? `number ${state}`}`,
    // Either is a pause, or the end of one; what was closing before is closed for good.
    seenByView: ({ state }) => state === 0 || state === 1,
  }),
  done(["address", "owner", "SafeUpdated(address oldSafe, address newSafe)"], {
    what: "safe that holds the money",
    words: fromTo(["oldSafe", "newSafe"]),
  }),
  done(["address", "price", "ValuationManagerUpdated(address oldManager, address newManager)"], {
    what: "one who says what a share is worth",
    words: fromTo(["oldManager", "newManager"]),
  }),
  done(["address", "price", "GuardrailsStatusUpdated(bool activated)"], {
    what: "guard against leaps of the price",
    words: to("activated"),
  }),
  done(
    ["address", "guardian", "SecurityCouncilUpdated(address oldSecurityCouncil, address newSecurityCouncil)"],
    {
      what: "security council",
      words: fromTo(["oldSecurityCouncil", "newSecurityCouncil"]),
    },
  ),
  done(["address", "allow_list", "WhitelistDisabled()"], { what: "allow-list", words: () => "is off" }),
  done(["address", "allow_list", "AccessModeUpdated(uint8 newMode)"], {
    what: "way in which access is decided",
    words: ({ newMode }) =>
      `is ${["a list of the refused", "a list of the admitted"][Number(newMode)] ?? newMode}`,
  }),
  done(["address", "cap", "MaxCapUpdated(uint256 previousMaxCap, uint256 maxCap)"], {
    what: "cap",
    words: fromTo(["previousMaxCap", "maxCap"]),
  }),
];

/** DepositVault (entry point) and mToken (vault). Source: midas-apps/contracts. */
export const midasEvents: readonly ControlEvent[] = [
  done(["entryPoint", "fee", "SetInstantFee(address indexed caller, uint256 newFee)"], {
    what: "fee of instant deposits",
    words: to("newFee", bps),
  }),
  done(["entryPoint", "fee", "ChangeTokenFee(address indexed token, address indexed caller, uint256 fee)"], {
    what: "fee of an accepted token",
    words: of(["token", "fee"], bps),
  }),
  done(["entryPoint", "owner", "SetTokensReceiver(address indexed caller, address indexed reciever)"], {
    what: "receiver of what users pay in",
    words: to("reciever"),
  }),
  done(["entryPoint", "price", "SetVariationTolerance(address indexed caller, uint256 newTolerance)"], {
    what: "tolerance of prices of requests",
    words: to("newTolerance", bps),
  }),
  done(["entryPoint", "allow_list", "SetGreenlistEnable(address indexed sender, bool enable)"], {
    what: "list of the admitted",
    words: to("enable"),
  }),
  done(["entryPoint", "allow_list", "RemovePaymentToken(address indexed token, address indexed caller)"], {
    what: "set of accepted tokens, one of which was taken out,",
    words: to("token"),
    seenByView: ({ token }, vault) => isAsset(vault, token),
  }),
  done(
    [
      "entryPoint",
      "cap",
      "ChangeTokenAllowance(address indexed token, address indexed caller, uint256 allowance)",
    ],
    {
      what: "allowance of an accepted token, base 18,",
      words: of(["token", "allowance"]),
    },
  ),
  done(["entryPoint", "cap", "SetInstantDailyLimit(address indexed caller, uint256 newLimit)"], {
    what: "daily limit, base 18,",
    words: to("newLimit"),
  }),
  done(["entryPoint", "cap", "SetMaxSupplyCap(address indexed caller, uint256 newValue)"], {
    what: "cap of the supply, base 18,",
    words: to("newValue"),
  }),
  done(["entryPoint", "cap", "SetMinAmount(address indexed caller, uint256 newAmount)"], {
    what: "least deposit, base 18,",
    words: to("newAmount"),
  }),
];

const roles = (on: "address"): readonly ControlEvent[] => [
  done([on, "owner", "RoleGranted(bytes32 indexed role, address indexed account, address indexed sender)"], {
    what: "list of who may do what",
    words: ({ role, account }) => `has ${account} for the role ${String(role).slice(0, 10)}`,
    tier: "medium",
  }),
];

/** Vault, queue (entry point), oracle (pricer), share manager. Source: flexible-vaults. */
export const mellowEvents: readonly ControlEvent[] = [
  ...roles("address"),
  done(["entryPoint", "fee", "SyncDepositParamsSet(uint256 penaltyD6, uint32 maxAge)"], {
    what: "penalty of instant deposits",
    words: to("penaltyD6", millionths),
  }),
  done(["address", "pause", "SetQueueStatus(address indexed queue, bool indexed isPaused)"], {
    what: "state of a queue",
    words: ({ queue, isPaused }) => `is ${isPaused === true ? "paused" : "open"} for ${queue}`,
    seenByView: ({ queue }, vault) => String(queue).toLowerCase() === vault.entryPoint.toLowerCase(),
  }),
  done(["address", "strategy", "QueueRemoved(address indexed queue, address indexed asset)"], {
    what: "set of queues, one of which was taken out,",
    words: to("queue"),
  }),
  done(
    [
      "pricer",
      "price",
      "SecurityParamsSet((uint224 maxAbsoluteDeviation, uint224 suspiciousAbsoluteDeviation, uint64 maxRelativeDeviationD18, uint64 suspiciousRelativeDeviationD18, uint32 timeout, uint32 depositInterval, uint32 redeemInterval) securityParams)",
    ],
    { what: "bounds of a price report" },
  ),
  done(["shareToken", "allow_list", "SetWhitelistMerkleRoot(bytes32 newWhitelistMerkleRoot)"], {
    what: "list of those whom shares may be sent to",
  }),
];

/** Deposits' pause has a view. Source: mellow-finance/simple-lrt. */
export const mellowLrtEvents: readonly ControlEvent[] = [
  ...roles("address"),
  done(["address", "pause", "WithdrawalPauseSet(bool paused, uint256 timestamp, address sender)"], {
    what: "pause of withdrawals",
    words: to("paused"),
  }),
  done(["address", "allow_list", "DepositWhitelistSet(bool status, uint256 timestamp, address sender)"], {
    what: "list of the admitted",
    words: to("status"),
  }),
  done(["address", "cap", "LimitSet(uint256 limit, uint256 timestamp, address sender)"], {
    what: "cap",
    words: to("limit"),
  }),
];

/** Version 3 vaults and tokenized strategies. Sources: yearn-vaults-v3, tokenized-strategy. */
export const yearnEvents: readonly ControlEvent[] = [
  done(["address", "owner", "UpdateRoleManager(address indexed role_manager)"], {
    what: "role manager",
    words: to("role_manager"),
  }),
  announced(["address", "owner", "UpdateFutureRoleManager(address indexed future_role_manager)"], {
    what: "role manager",
    words: to("future_role_manager"),
  }),
  done(["address", "owner", "RoleSet(address indexed account, uint256 indexed role)"], {
    what: "list of who may do what",
    words: to("account"),
    tier: "medium",
  }),
  done(["address", "owner", "UpdateManagement(address indexed newManagement)"], {
    what: "management",
    words: to("newManagement"),
  }),
  announced(["address", "owner", "UpdatePendingManagement(address indexed newPendingManagement)"], {
    what: "management",
    words: to("newPendingManagement"),
  }),
  done(["address", "guardian", "UpdateEmergencyAdmin(address indexed newEmergencyAdmin)"], {
    what: "emergency admin",
    words: to("newEmergencyAdmin"),
  }),
  done(["address", "fee", "UpdateAccountant(address indexed accountant)"], {
    what: "contract that takes the fees",
    words: to("accountant"),
  }),
  done(["address", "fee", "UpdatePerformanceFee(uint16 newPerformanceFee)"], {
    what: "performance fee",
    words: to("newPerformanceFee", bps),
  }),
  done(["address", "pause", "Shutdown()"], { what: "state", words: () => "is shut down for good" }),
  done(["address", "pause", "StrategyShutdown()"], { what: "state", words: () => "is shut down for good" }),
  done(["address", "allow_list", "UpdateDepositLimitModule(address indexed deposit_limit_module)"], {
    what: "contract that says who may deposit",
    words: to("deposit_limit_module"),
  }),
  done(["address", "allow_list", "UpdateWithdrawLimitModule(address indexed withdraw_limit_module)"], {
    what: "contract that says who may withdraw",
    words: to("withdraw_limit_module"),
    tier: "high",
  }),
  done(["address", "cap", "UpdateDepositLimit(uint256 deposit_limit)"], {
    what: "deposit limit",
    words: to("deposit_limit"),
  }),
  done(["address", "strategy", "StrategyChanged(address indexed strategy, uint256 indexed change_type)"], {
    what: "set of strategies",
    words: ({ strategy, change_type }) =>
      `${Number(change_type) === 1 ? "has" : "no longer has"} ${strategy}`,
    tier: "medium",
  }),
];

/** Source: centrifuge/protocol. What governs a pool is said at its hub, perhaps on another chain. */
export const centrifugeEvents: readonly ControlEvent[] = (["address", "shareToken"] as const).flatMap(
  (on) => [
    done([on, "owner", "Rely(address indexed user)"], {
      what: "list of those who may do everything",
      words: to("user"),
    }),
    done([on, "owner", "Deny(address indexed user)"], {
      what: "list of those who may do everything, which somebody left,",
      tier: "medium",
    }),
    done([on, "strategy", "File(bytes32 indexed what, address data)"], {
      what: "contract behind the vault",
      words: to("data"),
      tier: "medium",
    }),
  ],
);
