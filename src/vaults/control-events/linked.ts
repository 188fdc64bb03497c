import {
  announcementEvent,
  cancellationEvent,
  changeEvent,
  type EventArgs,
  formatBps,
  formatMillionths,
  type GovernanceEvent,
  newValue,
  newValueFor,
} from "../governance/governance-event.ts";

/** Views by which a vault names a contract about it that its row does not, by adapter. */
export const linkViews: Readonly<Record<string, { on: "authority" | "feeManager"; view: string }>> = {
  ipor: { on: "authority", view: "getAccessManagerAddress()" },
  mellow: { on: "feeManager", view: "feeManager()" },
};

/** Roles of IPOR's access manager. Source: ipor-fusion, Roles. */
const IPOR_ROLES: Readonly<Record<string, string>> = {
  0: "admin",
  1: "owner",
  2: "guardian",
  4: "IPOR DAO",
  100: "atomist",
  200: "alpha",
  300: "fuse manager",
  301: "pre-hooks manager",
  900: "manager of instant withdrawals",
  901: "manager of the fee of withdrawal requests",
  902: "manager of the withdrawal fee",
  1200: "manager of price sources",
};
/** Rewards, the list of the admitted, and the upkeep of balances: given and taken every day. */
const ROUTINE_ROLES: ReadonlySet<string> = new Set(["600", "601", "700", "800", "1000", "1100"]);
const roleName = (role: unknown): string => IPOR_ROLES[String(role)] ?? `role ${role}`;
const isRoutine = ({ roleId }: EventArgs): boolean => ROUTINE_ROLES.has(String(roleId));
const shortSelector = (data: unknown): string => String(data).slice(0, 10);

/** The access manager of a Plasma vault. Sources: OpenZeppelin, AccessManager; ipor-fusion. */
export const iporAuthorityEvents: readonly GovernanceEvent[] = [
  changeEvent(
    [
      "authority",
      "owner",
      "RoleGranted(uint64 indexed roleId, address indexed account, uint32 delay, uint48 since, bool newMember)",
    ],
    {
      what: "list of who may do what",
      words: ({ roleId, account }) => `has ${account} as ${roleName(roleId)}`,
      tier: "medium",
      everyday: isRoutine,
    },
  ),
  changeEvent(["authority", "owner", "RoleRevoked(uint64 indexed roleId, address indexed account)"], {
    what: "list of who may do what",
    words: ({ roleId, account }) => `no longer has ${account} as ${roleName(roleId)}`,
    tier: "medium",
    everyday: isRoutine,
  }),
  changeEvent(["authority", "owner", "RoleAdminChanged(uint64 indexed roleId, uint64 indexed admin)"], {
    what: "role that gives out another",
    words: ({ roleId, admin }) => `is ${roleName(admin)} for ${roleName(roleId)}`,
    tier: "medium",
  }),
  changeEvent(
    ["authority", "guardian", "RoleGuardianChanged(uint64 indexed roleId, uint64 indexed guardian)"],
    {
      what: "role that can cancel what another one scheduled",
      words: ({ roleId, guardian }) => `is ${roleName(guardian)} for ${roleName(roleId)}`,
    },
  ),
  changeEvent(["authority", "pause", "TargetClosed(address indexed target, bool closed)"], {
    what: "state of a contract",
    words: ({ target, closed }) => `is ${closed === true ? "closed" : "open"} for ${target}`,
    seenByView: ({ target }, vault) => String(target).toLowerCase() === vault.entryPoint.toLowerCase(),
  }),
  changeEvent(
    [
      "authority",
      "allow_list",
      "TargetFunctionRoleUpdated(address indexed target, bytes4 selector, uint64 indexed roleId)",
    ],
    {
      what: "role that may call a function",
      words: ({ target, selector, roleId }) => `is ${roleName(roleId)} for ${selector} of ${target}`,
    },
  ),
  changeEvent(
    ["authority", "timelock", "TargetAdminDelayUpdated(address indexed target, uint32 delay, uint48 since)"],
    {
      what: "delay of changes, in seconds,",
      words: newValueFor(["target", "delay"]),
    },
  ),
  announcementEvent(
    [
      "authority",
      "timelock",
      "OperationScheduled(bytes32 indexed operationId, uint32 indexed nonce, uint48 schedule, address caller, address target, bytes data)",
    ],
    {
      what: "vault's terms",
      words: ({ schedule, target, data }) =>
        `is the call ${shortSelector(data)} of ${target}, possible from ` +
        `${new Date(Number(schedule) * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC on`,
    },
  ),
  cancellationEvent(
    ["authority", "timelock", "OperationCanceled(bytes32 indexed operationId, uint32 indexed nonce)"],
    {
      what: "vault's terms",
      words: ({ operationId }) => `was the operation ${shortSelector(operationId)}…`,
    },
  ),
];

/** What a Mellow vault's fee manager tells. Source: flexible-vaults. */
export const mellowFeeEvents: readonly GovernanceEvent[] = [
  changeEvent(
    [
      "feeManager",
      "fee",
      "SetFees(uint24 depositFeeD6, uint24 redeemFeeD6, uint24 performanceFeeD6, uint24 protocolFeeD6)",
    ],
    {
      what: "set of fees",
      words: ({ depositFeeD6, redeemFeeD6, performanceFeeD6, protocolFeeD6 }) =>
        `is ${formatMillionths(depositFeeD6)} of deposits, ${formatMillionths(redeemFeeD6)} of redemptions, ` +
        `${formatMillionths(performanceFeeD6)} of gains and ${formatMillionths(protocolFeeD6)} a year`,
    },
  ),
  changeEvent(["feeManager", "fee", "SetFeeRecipient(address indexed feeRecipient)"], {
    what: "receiver of the fees",
    words: newValue("feeRecipient"),
    tier: "low",
  }),
  changeEvent(
    ["feeManager", "owner", "OwnershipTransferred(address indexed previousOwner, address indexed newOwner)"],
    {
      what: "owner of the contract that sets the fees",
      words: newValue("newOwner"),
      tier: "medium",
    },
  ),
];

/** Midas' RedemptionVault, where the row names it: who leaves, leaves through it. Source: midas-apps/contracts. */
export const midasRedemptionEvents: readonly GovernanceEvent[] = [
  changeEvent(["redemptions", "pause", "Paused(address account)"], {
    what: "pause of redemptions",
    words: () => "is on",
  }),
  changeEvent(["redemptions", "pause", "Unpaused(address account)"], {
    what: "pause of redemptions",
    words: () => "is off",
    tier: "medium",
  }),
  changeEvent(["redemptions", "pause", "PauseFn(address indexed caller, bytes4 fn)"], {
    what: "pause of a way to redeem",
    words: ({ fn }) => `is on for the function ${fn}`,
  }),
  changeEvent(["redemptions", "pause", "UnpauseFn(address indexed caller, bytes4 fn)"], {
    what: "pause of a way to redeem",
    words: ({ fn }) => `is off for the function ${fn}`,
    tier: "medium",
  }),
  changeEvent(["redemptions", "fee", "SetInstantFee(address indexed caller, uint256 newFee)"], {
    what: "fee of instant redemptions",
    words: newValue("newFee", formatBps),
  }),
  changeEvent(
    ["redemptions", "fee", "ChangeTokenFee(address indexed token, address indexed caller, uint256 fee)"],
    {
      what: "fee of redemptions into a token",
      words: newValueFor(["token", "fee"], formatBps),
    },
  ),
  changeEvent(["redemptions", "allow_list", "SetGreenlistEnable(address indexed sender, bool enable)"], {
    what: "list of those who may redeem",
    words: newValue("enable"),
    tier: "high",
  }),
  changeEvent(
    ["redemptions", "allow_list", "RemovePaymentToken(address indexed token, address indexed caller)"],
    {
      what: "set of tokens that are paid out, one of which was taken out,",
      words: newValue("token"),
    },
  ),
  changeEvent(["redemptions", "cap", "SetInstantDailyLimit(address indexed caller, uint256 newLimit)"], {
    what: "daily limit of instant redemptions, base 18,",
    words: newValue("newLimit"),
    tier: "medium",
  }),
  changeEvent(["redemptions", "cap", "SetMinAmount(address indexed caller, uint256 newAmount)"], {
    what: "least redemption, base 18,",
    words: newValue("newAmount"),
  }),
  changeEvent(
    ["redemptions", "price", "SetVariationTolerance(address indexed caller, uint256 newTolerance)"],
    {
      what: "tolerance of prices of redemption requests",
      words: newValue("newTolerance", formatBps),
    },
  ),
  changeEvent(["redemptions", "curator", "SetRequestRedeemer(address indexed caller, address redeemer)"], {
    what: "one who pays redemption requests",
    words: newValue("redeemer"),
  }),
];

/**
 * Where the code of a vault behind a beacon is looked up: another code there is another vault, and the vault itself
 * says nothing. Sources: ERC-1967; OpenZeppelin, UpgradeableBeacon; euler-vault-kit, GenericFactory.
 */
export const beaconEvents: readonly GovernanceEvent[] = [
  changeEvent(["beacon", "code", "Upgraded(address indexed implementation)"], {
    what: "code, looked up at a beacon,",
    words: newValue("implementation"),
  }),
  changeEvent(["beacon", "code", "SetImplementation(address indexed newImplementation)"], {
    what: "code, looked up at a beacon,",
    words: newValue("newImplementation"),
  }),
  changeEvent(["beacon", "owner", "SetUpgradeAdmin(address indexed newUpgradeAdmin)"], {
    what: "one who may change the code",
    words: newValue("newUpgradeAdmin"),
  }),
  changeEvent(
    ["beacon", "owner", "OwnershipTransferred(address indexed previousOwner, address indexed newOwner)"],
    {
      what: "one who may change the code",
      words: newValue("newOwner"),
    },
  ),
];
