import { isAddressEqual, parseAbi, zeroAddress } from "viem";
import {
  createQuery,
  mapQuery,
  type Query,
  queryAll,
  read,
  readThen,
  valueOrNull,
} from "../../../chains/chain-reads.ts";
import { parseAddress } from "../../../lib/address.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import type { TermsInput, VaultFamily } from "../../vault-adapter.ts";
import type { DerivationSubject } from "../../vault-deriver.ts";
import { FEE_UNITS, type FeeRates, feeRate, rateFraction } from "../../vault-fee-rates.ts";
import { addressParam } from "../../vault-params.ts";
import { familyErrors } from "../../vault-reverts.ts";
import { defineErc4626 } from "../erc4626-base/erc4626-adapter.ts";
import {
  erc4626Deriver,
  type Identification,
  notIdentified,
  ORDINARY_ACCOUNT,
} from "../erc4626-base/erc4626-derivation.ts";
import type { FamilyViews } from "../erc4626-base/erc4626-variant-views.ts";
import { iporExitParams, iporExits } from "./ipor-exits.ts";
import { iporFlows } from "./ipor-flow-events.ts";
import { iporGovernanceEvents } from "./ipor-governance-events.ts";

const vaultAbi = once(() => parseAbi(["function getAccessManagerAddress() view returns (address)"]));
const managerAbi = once(() =>
  parseAbi([
    "function canCall(address caller, address target, bytes4 selector) view returns (bool immediate, uint32 delay)",
    "function isTargetClosed(address target) view returns (bool)",
  ]),
);
/** Selector of `deposit(uint256,address)`, to check with the access manager whether an account may call it. */
const DEPOSIT_SELECTOR = "0x6e553f65";

/**
 * Returns a query for whether the vault's access manager has closed the vault, and lets the caller deposit. The Router's
 * executor, which is a new account, counts as an account without rights.
 */
function accessViews(vault: Vault, request: TermsInput | null) {
  const manager = read({ to: vault.entryPoint, abi: vaultAbi(), name: "getAccessManagerAddress" });
  return readThen({ manager }, ({ manager: named }) => {
    if (!named.ok || isAddressEqual(named.value, zeroAddress))
      return createQuery({}, (): FamilyViews => ({ pauseUnknown: !named.ok }));
    const on = { to: named.value, abi: managerAbi() } as const;
    const caller = request?.caller ?? ORDINARY_ACCOUNT;
    return createQuery(
      {
        closed: read({ ...on, name: "isTargetClosed", args: [vault.entryPoint] }),
        call: read({ ...on, name: "canCall", args: [caller, vault.entryPoint, DEPOSIT_SELECTOR] }),
      },
      ({ closed, call }): FamilyViews => {
        const refused = request !== null && valueOrNull(call)?.[0] === false;
        const pause = { paused: valueOrNull(closed) === true, pauseUnknown: !closed.ok };
        return { ...pause, refusal: refused ? "not_allowed" : null };
      },
    );
  });
}

/**
 * Adapter of IPOR Fusion's Plasma vaults. A private vault accepts only callers with a role, and new shares may be
 * locked for a while. `totalAssets` is the amount before fees. Source: IPOR-Labs/ipor-fusion.
 */
export const ipor = defineErc4626({
  name: "ipor",
  checkParams: (vault) => void addressParam(vault, "withdraw_manager"),
  views: accessViews,
  exits: iporExits,
  flows: iporFlows,
  explain: familyErrors({
    errors: {
      "error AccountIsLocked(uint256 unlockTime)": "share_locked",
      // Hooks that the vault's managers put before its functions.
      "error FunctionPaused(bytes4 selector)": "vault_paused",
      "error RWAPreHookPaused()": "vault_paused",
      "error RWAPreHookStale(uint256 oldestUpdate, uint256 now, uint256 stalenessMax)": "price_stale",
      "error NoAssetsToDeposit()": "zero_shares",
      "error NoSharesToDeposit()": "zero_shares",
    },
  }),
});

/**
 * Returns a query that identifies a Plasma vault by its access manager, which also shows whether any account may
 * deposit. If not, the user must call the vault.
 */
function identifyIpor({ address, params }: DerivationSubject): Query<Identification> {
  const manager = read({ to: address, abi: vaultAbi(), name: "getAccessManagerAddress" });
  return readThen({ manager }, ({ manager: named }) => {
    if (!named.ok || isAddressEqual(named.value, zeroAddress)) {
      return createQuery({}, () => notIdentified("IPOR Fusion", "it names no access manager"));
    }
    const args = [ORDINARY_ACCOUNT, address, DEPOSIT_SELECTOR] as const;
    const call = read({ to: named.value, abi: managerAbi(), name: "canCall", args });
    const reviewed = parseAddress(params["withdraw_manager"] ?? "");
    const parts = queryAll({
      call: createQuery({ call }, (results) => results.call),
      exits: iporExitParams({ vault: address, accessManager: named.value, reviewed }),
    });
    return mapQuery(parts, ({ call: allowed, exits }): Identification => {
      if (!allowed.ok) return notIdentified("IPOR Fusion", "its access manager does not answer");
      return { ok: true, caller: allowed.value[0] ? "router" : "user", params: { ...params, ...exits } };
    });
  });
}

const feesAbi = once(() =>
  parseAbi([
    "function getPerformanceFeeData() view returns (address account, uint16 fee)",
    "function getManagementFeeData() view returns (address account, uint16 fee, uint32 updatedAt)",
  ]),
);

/** Returns a query for the performance fee and the yearly management fee in basis points, each absent if unknown. */
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

/** Storage slots of a vault's WithdrawManager: the present one, and that of earlier vaults. Source: ipor-fusion. */
const MANAGER_SLOTS = [
  "0x465d2ff0062318fe6f4c7e9ac78cfcd70bc86a1d992722875ef83a9770513100",
  "0xb37e8684757599da669b8aea811ee2b3693b2582d2c730fab3f4965fa2ec3e11",
] as const;

/** Vault family of IPOR Fusion's Plasma vaults, each of which is governed through an access manager. */
export const iporFamily: VaultFamily = {
  adapter: ipor,
  type: "ipor",
  deriver: {
    ...erc4626Deriver({ identify: identifyIpor }),
    stored: { param: "withdraw_manager", slots: MANAGER_SLOTS },
  },
  governanceEvents: iporGovernanceEvents,
  governanceLink: { contract: "authority", view: "getAccessManagerAddress()" },
  feeRatesQuery: iporFeeRatesQuery,
  profitFeeQuery: (vault) =>
    mapQuery(iporFeeRatesQuery(vault), ({ performance_fee: fee }) => rateFraction(fee, FEE_UNITS.bps)),
  yearlyFeeQuery: (vault) =>
    mapQuery(iporFeeRatesQuery(vault), ({ management_fee: fee }) => rateFraction(fee, FEE_UNITS.bps)),
};
