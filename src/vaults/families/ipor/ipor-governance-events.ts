import { AUTHORITY_ADVICE } from "../../governance/common-governance-events.ts";
import {
  addressTexts,
  announcementEvent,
  cancellationEvent,
  changeEvent,
  type EventArgs,
  formatDuration,
  formatShareUnits,
  formatUtcMinute,
  formatWadFraction,
  type GovernanceEvent,
  newValue,
  tookEffect,
} from "../../governance/governance-event.ts";

/**
 * Governance events of the Plasma vault itself. Fee changes are left out, because views return the fees. Source:
 * ipor-fusion.
 */
const vaultEvents: readonly GovernanceEvent[] = [
  changeEvent(["address", "owner", "AuthorityUpdated(address authority)"], {
    ...addressTexts("access-control authority (access manager)", {
      member: "authority",
      advice: AUTHORITY_ADVICE,
      removed:
        "Restricted functions can no longer be called: check whether deposits and withdrawals still work.",
    }),
  }),
  changeEvent(["address", "cap", "TotalSupplyCapChanged(uint256 newTotalSupplyCap)"], {
    what: "supply cap",
    describe: newValue("newTotalSupplyCap", formatShareUnits),
  }),
  changeEvent(["address", "price", "PriceOracleMiddlewareChanged(address newPriceOracleMiddleware)"], {
    ...addressTexts("price oracle middleware", {
      member: "newPriceOracleMiddleware",
      advice:
        "The share price depends on this contract: watch the next prices before you deposit or withdraw.",
      removed:
        "The vault may not be able to value its assets: check whether deposits and withdrawals still work.",
    }),
  }),
  changeEvent(["address", "allow_list", "WithdrawManagerChanged(address newWithdrawManager)"], {
    ...addressTexts("withdraw manager", {
      member: "newWithdrawManager",
      advice: "This contract processes withdrawal requests: check whether you can still withdraw.",
      removed: "Withdrawal requests are no longer processed by a manager: check how you can withdraw.",
    }),
  }),
  changeEvent(["address", "cap", "MarketLimitUpdated(uint256 marketId, uint256 newLimit)"], {
    what: "market limit",
    report: ({ marketId, newLimit }, context) =>
      `The market limit (allocation cap) for market ${marketId} of ${context.vault} is now ${formatWadFraction(newLimit)} of the vault's ` +
      `assets.${tookEffect(context)}`,
    advice: "While market limits are active, the vault may allocate at most this much to this market.",
  }),
  changeEvent(["address", "cap", "MarketsLimitsActivated()"], {
    what: "market limits",
    title: () => "market limits activated",
    describe: () => "are active",
    advice: "The vault may allocate to each market at most its limit.",
  }),
  changeEvent(["address", "cap", "MarketsLimitsDeactivated()"], {
    what: "market limits",
    title: () => "market limits deactivated",
    describe: () => "are inactive",
    advice: "The vault may allocate any amount to any market that it may use.",
    tier: "medium",
  }),
];

/** Names of the access manager's roles by role id. Source: ipor-fusion, Roles. */
const ROLES: Readonly<Record<string, string>> = {
  0: "admin",
  1: "owner",
  2: "guardian",
  3: "Plasma vault",
  4: "IPOR DAO",
  5: "context manager",
  6: "withdraw manager",
  7: "share transfers",
  100: "atomist",
  200: "alpha",
  300: "fuse manager",
  301: "pre-hooks manager",
  400: "performance fee manager",
  500: "management fee manager",
  600: "rewards claimer",
  601: "rewards claim manager",
  700: "rewards transferrer",
  800: "whitelist",
  900: "manager of instant withdrawals",
  901: "manager of the withdrawal request fee",
  902: "manager of the withdrawal fee",
  1000: "updater of market balances",
  1100: "updater of rewards balances",
  1200: "price oracle manager",
  18446744073709551615: "public",
};
/** What members of roles with unusual names may do, by role id. */
const POWERS: Readonly<Record<string, string>> = {
  100: "manages the vault's settings",
  200: "allocates the assets",
  300: "sets which protocols the vault may use",
  800: "may deposit",
};
/** Names of functions that holders call, by selector. Source: ipor-fusion, PlasmaVault. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  "0x6e553f65": "deposit",
  "0x94bf804d": "mint",
  "0x50921b23": "depositWithPermit",
  "0xb460af94": "withdraw",
  "0xba087652": "redeem",
  "0xa64099d2": "redeemFromRequest",
  "0xa9059cbb": "transfer",
  "0x23b872dd": "transferFrom",
};
const functionName = (selector: unknown): string | undefined => FUNCTIONS[String(selector).toLowerCase()];
/** Returns a selector after the function's name, if that is known. */
const nameWithSelector = (selector: unknown): string => {
  const name = functionName(selector);
  return name === undefined ? String(selector) : `${name} (${selector})`;
};
/**
 * Ids of the roles for rewards, the depositor whitelist and balance updates. They are granted and revoked so often that
 * no signal is raised.
 */
const ROUTINE_ROLES: ReadonlySet<string> = new Set(["600", "601", "700", "800", "1000", "1100"]);
/** Returns true for the role that every account has. */
const isPublic = (role: unknown): boolean => String(role) === "18446744073709551615";
const roleTitle = (role: unknown): string => {
  const name = ROLES[String(role)];
  return name === undefined ? `role ${role}` : `role "${name}"`;
};
const roleName = (role: unknown): string => {
  const powers = POWERS[String(role)];
  const title = `${ROLES[String(role)] === undefined ? "" : "the "}${roleTitle(role)}`;
  return powers === undefined ? title : `${title} (${powers})`;
};
const capitalized = (text: string): string => `${text[0]?.toUpperCase()}${text.slice(1)}`;
const isRoutine = ({ roleId }: EventArgs): boolean => ROUTINE_ROLES.has(String(roleId));
const first4Bytes = (data: unknown): string => String(data).slice(0, 10);
const functionOf = (data: unknown): string =>
  String(data).length < 10 ? "the fallback function" : `function ${first4Bytes(data)}`;

/** Governance events of a Plasma vault's access manager. Sources: OpenZeppelin, AccessManager; ipor-fusion. */
const accessManagerEvents: readonly GovernanceEvent[] = [
  changeEvent(
    [
      "authority",
      "owner",
      "RoleGranted(uint64 indexed roleId, address indexed account, uint32 delay, uint48 since, bool newMember)",
    ],
    {
      what: "role members",
      title: ({ roleId, newMember }) =>
        newMember === true ? `${roleTitle(roleId)} granted` : "execution delay of a role member changed",
      report: ({ roleId, account, delay, since, newMember }, { vault }) =>
        newMember === true
          ? `${capitalized(roleName(roleId))} of ${vault} was granted to ${account}, with effect from ${formatUtcMinute(since)}.`
          : `From ${formatUtcMinute(since)}, the execution delay of ${account} in ${roleName(roleId)} of ${vault} is ` +
            `${formatDuration(delay)}.`,
      advice: ({ newMember }) =>
        newMember === true
          ? "Members of this role may be able to change how the vault works: find out what they may do before you deposit or " +
            "leave funds in the vault."
          : "A shorter delay gives holders less time to withdraw before this account's operations take effect.",
      tier: "medium",
      routine: isRoutine,
    },
  ),
  changeEvent(["authority", "owner", "RoleRevoked(uint64 indexed roleId, address indexed account)"], {
    what: "role members",
    title: ({ roleId }) => `${roleTitle(roleId)} revoked`,
    report: ({ roleId, account }, { vault, time }) =>
      `${capitalized(roleName(roleId))} of ${vault} was revoked from ${account} at ${time}.`,
    advice: "Check who still holds this role.",
    tier: "medium",
    routine: isRoutine,
  }),
  changeEvent(["authority", "owner", "RoleAdminChanged(uint64 indexed roleId, uint64 indexed admin)"], {
    what: "admin of a role",
    report: ({ roleId, admin }, context) =>
      `The admin of ${roleName(roleId)} of ${context.vault} is now ${roleName(admin)}.${tookEffect(context)}`,
    advice: "Members of the new admin role can grant and revoke this role.",
    tier: "medium",
  }),
  changeEvent(
    ["authority", "guardian", "RoleGuardianChanged(uint64 indexed roleId, uint64 indexed guardian)"],
    {
      what: "guardian of a role",
      report: ({ roleId, guardian }, context) =>
        `The guardian of ${roleName(roleId)} of ${context.vault} is now ${roleName(guardian)}.${tookEffect(context)}`,
      advice:
        "Members of the new guardian role can cancel operations that members of this role have scheduled.",
    },
  ),
  changeEvent(["authority", "pause", "TargetClosed(address indexed target, bool closed)"], {
    what: "closed contracts",
    tierFor: ({ closed }) => (closed === true ? null : "medium"),
    title: ({ closed }) => (closed === true ? "contract closed" : "contract reopened"),
    report: ({ target, closed }, context) =>
      `The access manager of ${context.vault} ${closed === true ? "closed" : "reopened"} the contract ${target}: its ` +
      `restricted functions can ${closed === true ? "no longer be called" : "be called again"}.${tookEffect(context)}`,
    advice: ({ closed }) =>
      closed === true
        ? "Find out why, and whether deposits and withdrawals still work."
        : "Find out why the contract was closed.",
    seenByView: ({ target }, vault) => String(target).toLowerCase() === vault.entryPoint.toLowerCase(),
  }),
  changeEvent(
    [
      "authority",
      "allow_list",
      "TargetFunctionRoleUpdated(address indexed target, bytes4 selector, uint64 indexed roleId)",
    ],
    {
      what: "role required to call a function",
      report: ({ target, selector, roleId }, context) =>
        `${
          isPublic(roleId)
            ? `Function ${nameWithSelector(selector)} of contract ${target} of ${context.vault} now requires no role.`
            : `Function ${nameWithSelector(selector)} of contract ${target} of ${context.vault} now requires ${roleName(roleId)}.`
        }${tookEffect(context)}`,
      advice: ({ selector, roleId }) =>
        isPublic(roleId)
          ? `Any account can call this function now${functionName(selector) === undefined ? ": find out what it does" : ""}.`
          : `${functionName(selector) === undefined ? "If holders call this function, check" : "Check"} whether your account can still deposit, transfer and withdraw.`,
    },
  ),
  changeEvent(
    ["authority", "timelock", "TargetAdminDelayUpdated(address indexed target, uint32 delay, uint48 since)"],
    {
      what: "admin delay",
      report: ({ target, delay, since }, { vault }) =>
        `From ${formatUtcMinute(since)}, the admin delay of contract ${target} of ${vault} is ${formatDuration(delay)}.`,
      advice: "The shorter this delay, the sooner changes to who may call this contract's functions apply.",
    },
  ),
  announcementEvent(
    [
      "authority",
      "timelock",
      "OperationScheduled(bytes32 indexed operationId, uint32 indexed nonce, uint48 schedule, address caller, address target, bytes data)",
    ],
    {
      what: "configuration",
      title: () => "operation scheduled",
      report: ({ schedule, target, data }, { vault, time }) =>
        `An operation on ${vault} was scheduled at ${time}: a call to ${functionOf(data)} of contract ${target}, executable ` +
        `from ${formatUtcMinute(schedule)}.`,
      advice: "Find out what the operation changes, and decide whether to withdraw first.",
    },
  ),
  cancellationEvent(
    ["authority", "timelock", "OperationCanceled(bytes32 indexed operationId, uint32 indexed nonce)"],
    {
      what: "configuration",
      title: () => "scheduled operation cancelled",
      report: ({ operationId }, { vault, time }) =>
        `The scheduled operation ${operationId} on ${vault} was cancelled at ${time}.`,
      advice: "The current configuration remains in force.",
    },
  ),
];

/** Governance events of Plasma vaults and of their access managers. */
export const iporGovernanceEvents: readonly GovernanceEvent[] = [...vaultEvents, ...accessManagerEvents];
