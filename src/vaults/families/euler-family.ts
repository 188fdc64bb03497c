import { isAddressEqual, parseAbi, zeroAddress } from "viem";
import { createQuery, read } from "../../chains/chain-query.ts";
import { once } from "../../lib/once.ts";
import { curationEvents } from "../governance/common-governance-events.ts";
import { changeEvent, formatBps, type GovernanceEvent, newValue } from "../governance/governance-event.ts";
import type { Vault } from "../vault.ts";
import type { VaultFamily } from "../vault-adapter.ts";
import { familyErrors } from "../vault-reverts.ts";
import { defineErc4626 } from "./erc4626/erc4626-adapter.ts";
import { erc4626Deriver, identifyByViews } from "./erc4626/erc4626-derivation.ts";
import type { FamilyViews } from "./erc4626/erc4626-variant-views.ts";

const hookAbi = once(() =>
  parseAbi(["function hookConfig() view returns (address hookTarget, uint32 hookedOps)"]),
);
const identificationAbi = once(() => parseAbi(["function MODULE_VAULT() view returns (address)"]));
/** The bit of deposits among the hooked operations. */
const OP_DEPOSIT = 1;
/** The bits of withdrawals and redemptions among the hooked operations. */
const EXIT_OPS = 12;

/** Reads the hook: a hooked operation without a hook target is disabled. The refusals of a hook target show in a simulation only. */
function hookViews(vault: Vault) {
  return createQuery(
    { hook: read({ to: vault.entryPoint, abi: hookAbi(), name: "hookConfig" }) },
    ({ hook }): FamilyViews => {
      if (!hook.ok) return {};
      const [target, operations] = hook.value;
      return { paused: isAddressEqual(target, zeroAddress) && (operations & OP_DEPOSIT) !== 0 };
    },
  );
}

/** Euler's EVK vaults. `maxDeposit` does not reflect a hook that admits certain accounts only. Source: euler-vault-kit. */
export const euler = defineErc4626({ name: "euler", ratio: true, views: hookViews });

/** Governance events of EVK vaults. Caps and hook have views, but a hook may refuse more than deposits. Source: euler-vault-kit. */
const eulerEvents: readonly GovernanceEvent[] = [
  changeEvent(["address", "owner", "GovSetGovernorAdmin(address indexed newGovernorAdmin)"], {
    what: "governor",
    describe: newValue("newGovernorAdmin"),
  }),
  changeEvent(["address", "fee", "GovSetInterestFee(uint16 newFee)"], {
    what: "interest fee",
    describe: newValue("newFee", formatBps),
  }),
  changeEvent(["address", "cap", "GovSetCaps(uint16 newSupplyCap, uint16 newBorrowCap)"], {
    what: "supply and borrow caps",
  }),
  changeEvent(
    ["address", "allow_list", "GovSetHookConfig(address indexed newHookTarget, uint32 newHookedOps)"],
    {
      what: "hook",
      describe: newValue("newHookTarget"),
      // Hooked to no target, deposits are paused, which has a view.
      seenByView: ({ newHookTarget, newHookedOps }) =>
        newHookTarget === zeroAddress && (Number(newHookedOps) & EXIT_OPS) === 0,
    },
  ),
  changeEvent(["address", "strategy", "GovSetInterestRateModel(address newInterestRateModel)"], {
    what: "interest rate model",
    describe: newValue("newInterestRateModel"),
    tier: "medium",
  }),
];

/** Euler's EVK vaults. */
export const eulerFamily: VaultFamily = {
  adapter: euler,
  type: "custom",
  deriver: erc4626Deriver({
    identify: ({ address }) =>
      identifyByViews("Euler", {
        MODULE_VAULT: read({ to: address, abi: identificationAbi(), name: "MODULE_VAULT" }),
      }),
  }),
  governanceEvents: eulerEvents,
};

/**
 * EulerEarn, a fork of MetaMorpho. `maxDeposit` is not read: it may use more gas than a batch of reads has.
 * Source: euler-earn.
 */
export const eulerEarn = defineErc4626({
  name: "euler_earn",
  limited: false,
  explain: familyErrors({ errors: { "error ZeroShares()": "zero_shares" } }),
});

/** EulerEarn vaults, governed like MetaMorpho vaults. */
export const eulerEarnFamily: VaultFamily = {
  adapter: eulerEarn,
  type: "custom",
  deriver: erc4626Deriver(),
  governanceEvents: curationEvents("address"),
};
