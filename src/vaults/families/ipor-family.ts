import { isAddressEqual, parseAbi, zeroAddress } from "viem";
import { createQuery, type Query, read, readThen, valueOrNull } from "../../chains/chain-query.ts";
import { once } from "../../lib/once.ts";
import { type FeeRates, feeRate } from "../fee-rates.ts";
import {
  announcementEvent,
  cancellationEvent,
  changeEvent,
  type EventArgs,
  formatShareUnits,
  formatUtcMinute,
  formatWadFraction,
  type GovernanceEvent,
  newValue,
} from "../governance/governance-event.ts";
import type { Vault } from "../vault.ts";
import type { TermsInput, VaultFamily } from "../vault-adapter.ts";
import type { DerivationSubject } from "../vault-derivation.ts";
import { familyErrors } from "../vault-reverts.ts";
import { defineErc4626 } from "./erc4626/erc4626-adapter.ts";
import {
  erc4626Deriver,
  type Identification,
  notIdentified,
  ORDINARY_ACCOUNT,
} from "./erc4626/erc4626-derivation.ts";
import type { FamilyViews } from "./erc4626/erc4626-variant-views.ts";

const vaultAbi = once(() => parseAbi(["function getAccessManagerAddress() view returns (address)"]));
const managerAbi = once(() =>
  parseAbi([
    "function canCall(address caller, address target, bytes4 selector) view returns (bool immediate, uint32 delay)",
    "function isTargetClosed(address target) view returns (bool)",
  ]),
);
/** Selector of `deposit(uint256,address)`, for asking the access manager whether an account may call it. */
const DEPOSIT_SELECTOR = "0x6e553f65";

/**
 * Returns a query that asks the vault's access manager whether the vault is closed and whether the caller may deposit.
 * A caller that is the clone that the Router creates per deposit is not checked: its address is not known in advance,
 * so only a simulation shows the result.
 */
function accessViews(vault: Vault, request: TermsInput | null) {
  const manager = read({ to: vault.entryPoint, abi: vaultAbi(), name: "getAccessManagerAddress" });
  return readThen({ manager }, ({ manager: named }) => {
    if (!named.ok || isAddressEqual(named.value, zeroAddress))
      return createQuery({}, (): FamilyViews => ({}));
    const on = { to: named.value, abi: managerAbi() } as const;
    const caller = request?.caller ?? vault.entryPoint;
    return createQuery(
      {
        closed: read({ ...on, name: "isTargetClosed", args: [vault.entryPoint] }),
        call: read({ ...on, name: "canCall", args: [caller, vault.entryPoint, DEPOSIT_SELECTOR] }),
      },
      ({ closed, call }): FamilyViews => {
        const refused = request !== null && request.caller !== null && valueOrNull(call)?.[0] === false;
        return { paused: valueOrNull(closed) === true, refusal: refused ? "not_allowed" : null };
      },
    );
  });
}

/**
 * Adapter of IPOR Fusion's Plasma vaults. Shares have two decimals more than the asset, a private vault accepts only
 * callers with a role, and the receiver's shares stay locked for a while after a deposit. `totalAssets` is before fees.
 * Source: IPOR-Labs/ipor-fusion.
 */
export const ipor = defineErc4626({
  name: "ipor",
  views: accessViews,
  explain: familyErrors({
    errors: {
      "error AccountIsLocked(uint256 unlockTime)": "share_locked",
      "error NoAssetsToDeposit()": "zero_shares",
      "error NoSharesToDeposit()": "zero_shares",
    },
  }),
});

/**
 * Returns a query that identifies a Plasma vault by its access manager, which also shows whether any account may
 * deposit. If not, the user must call the vault.
 */
function identifyIpor({ address }: DerivationSubject): Query<Identification> {
  const manager = read({ to: address, abi: vaultAbi(), name: "getAccessManagerAddress" });
  return readThen({ manager }, ({ manager: named }) => {
    if (!named.ok || isAddressEqual(named.value, zeroAddress)) {
      return createQuery({}, () => notIdentified("IPOR Fusion", "it names no access manager"));
    }
    const args = [ORDINARY_ACCOUNT, address, DEPOSIT_SELECTOR] as const;
    const call = read({ to: named.value, abi: managerAbi(), name: "canCall", args });
    return createQuery({ call }, ({ call: allowed }): Identification => {
      if (!allowed.ok) return notIdentified("IPOR Fusion", "its access manager does not answer");
      return { ok: true, caller: allowed.value[0] ? "router" : "user" };
    });
  });
}

/**
 * Governance events of the Plasma vault itself. Fees are not listed, because view functions return them. Source:
 * ipor-fusion.
 */
const vaultEvents: readonly GovernanceEvent[] = [
  changeEvent(["address", "owner", "AuthorityUpdated(address authority)"], {
    what: "access-control authority",
    describe: newValue("authority"),
  }),
  changeEvent(["address", "cap", "TotalSupplyCapChanged(uint256 newTotalSupplyCap)"], {
    what: "supply cap",
    describe: newValue("newTotalSupplyCap", formatShareUnits),
  }),
  changeEvent(["address", "price", "PriceOracleMiddlewareChanged(address newPriceOracleMiddleware)"], {
    what: "price oracle",
    describe: newValue("newPriceOracleMiddleware"),
  }),
  changeEvent(["address", "allow_list", "WithdrawManagerChanged(address newWithdrawManager)"], {
    what: "withdrawal manager",
    describe: newValue("newWithdrawManager"),
  }),
  changeEvent(["address", "cap", "MarketLimitUpdated(uint256 marketId, uint256 newLimit)"], {
    what: "limit of a market",
    describe: ({ marketId, newLimit }) =>
      `is ${formatWadFraction(newLimit)} of the vault's assets for market ${marketId}`,
  }),
];

/** Names of the access manager's roles by role id. Source: ipor-fusion, Roles. */
const ROLES: Readonly<Record<string, string>> = {
  0: "admin",
  1: "owner",
  2: "guardian",
  4: "IPOR DAO",
  100: "atomist",
  200: "alpha",
  300: "fuse manager",
  301: "pre-hooks manager",
  900: "manager of instant withdrawals",
  901: "manager of the withdrawal request fee",
  902: "manager of the withdrawal fee",
  1200: "price oracle manager",
};
/**
 * Ids of the roles for rewards, the depositor whitelist and balance updates, which are granted and revoked so often
 * that no signal is raised.
 */
const ROUTINE_ROLES: ReadonlySet<string> = new Set(["600", "601", "700", "800", "1000", "1100"]);
const roleName = (role: unknown): string => ROLES[String(role)] ?? `role ${role}`;
const isRoutine = ({ roleId }: EventArgs): boolean => ROUTINE_ROLES.has(String(roleId));
const first4Bytes = (data: unknown): string => String(data).slice(0, 10);

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
      describe: ({ roleId, account }) => `now include ${account} as ${roleName(roleId)}`,
      tier: "medium",
      routine: isRoutine,
    },
  ),
  changeEvent(["authority", "owner", "RoleRevoked(uint64 indexed roleId, address indexed account)"], {
    what: "role members",
    describe: ({ roleId, account }) => `no longer include ${account} as ${roleName(roleId)}`,
    tier: "medium",
    routine: isRoutine,
  }),
  changeEvent(["authority", "owner", "RoleAdminChanged(uint64 indexed roleId, uint64 indexed admin)"], {
    what: "admin of a role",
    describe: ({ roleId, admin }) => `is ${roleName(admin)} for ${roleName(roleId)}`,
    tier: "medium",
  }),
  changeEvent(
    ["authority", "guardian", "RoleGuardianChanged(uint64 indexed roleId, uint64 indexed guardian)"],
    {
      what: "guardian of a role",
      describe: ({ roleId, guardian }) => `is ${roleName(guardian)} for ${roleName(roleId)}`,
    },
  ),
  changeEvent(["authority", "pause", "TargetClosed(address indexed target, bool closed)"], {
    what: "closed contracts",
    describe: ({ target, closed }) => `${closed === true ? "now include" : "no longer include"} ${target}`,
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
      describe: ({ target, selector, roleId }) =>
        `is ${roleName(roleId)} for the function ${selector} of ${target}`,
    },
  ),
  changeEvent(
    ["authority", "timelock", "TargetAdminDelayUpdated(address indexed target, uint32 delay, uint48 since)"],
    {
      what: "timelock of admin changes",
      describe: ({ target, delay }) => `is ${delay} seconds for ${target}`,
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
      describe: ({ schedule, target, data }) =>
        `results from the call ${first4Bytes(data)} to ${target}, executable from ${formatUtcMinute(schedule)}`,
    },
  ),
  cancellationEvent(
    ["authority", "timelock", "OperationCanceled(bytes32 indexed operationId, uint32 indexed nonce)"],
    {
      what: "configuration",
      describe: ({ operationId }) => `was operation ${first4Bytes(operationId)}…`,
    },
  ),
];

const feesAbi = once(() =>
  parseAbi([
    "function getPerformanceFeeData() view returns (address account, uint16 fee)",
    "function getManagementFeeData() view returns (address account, uint16 fee, uint32 updatedAt)",
  ]),
);

/** Returns a query for the vault's performance fee and management fee, in basis points. */
function iporFeeRatesQuery({ address }: Vault): Query<FeeRates> {
  const on = { to: address, abi: feesAbi() } as const;
  return createQuery(
    {
      performance: read({ ...on, name: "getPerformanceFeeData" }),
      management: read({ ...on, name: "getManagementFeeData" }),
    },
    ({ performance, management }) => ({
      ...feeRate("performance_fee", { result: performance, feeOf: ([, fee]) => fee }),
      ...feeRate("management_fee", { result: management, feeOf: ([, fee]) => fee }),
    }),
  );
}

/** Vault family of IPOR Fusion's Plasma vaults, which are governed through their access manager. */
export const iporFamily: VaultFamily = {
  adapter: ipor,
  type: "ipor",
  deriver: erc4626Deriver({ identify: identifyIpor }),
  governanceEvents: [...vaultEvents, ...accessManagerEvents],
  governanceLink: { contract: "authority", view: "getAccessManagerAddress()" },
  feeRatesQuery: iporFeeRatesQuery,
};
