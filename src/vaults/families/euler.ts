import { isAddressEqual, parseAbi, zeroAddress } from "viem";
import { createQuery, read } from "../../chains/query.ts";
import { once } from "../../lib/once.ts";
import { familyErrors } from "../reverts.ts";
import type { Vault } from "../vault.ts";
import type { FamilyViews } from "./erc4626/family-views.ts";
import { defineErc4626 } from "./erc4626/index.ts";

const hookAbi = once(() =>
  parseAbi(["function hookConfig() view returns (address hookTarget, uint32 hookedOps)"]),
);
/** The bit of deposits among the hooked operations. */
const OP_DEPOSIT = 1;

/** An operation that is hooked to nobody is switched off; what a hook to somebody says shows in a simulation. */
function hookViews(vault: Vault) {
  return createQuery(
    { hook: read({ to: vault.entryPoint, abi: hookAbi(), name: "hookConfig" }) },
    ({ hook: told }): FamilyViews => {
      if (!told.ok) return {};
      const [target, operations] = told.value;
      return { paused: isAddressEqual(target, zeroAddress) && (operations & OP_DEPOSIT) !== 0 };
    },
  );
}

/** Euler's EVK vaults. Limits do not reflect a hook that admits some accounts only. Source: euler-vault-kit. */
export const euler = defineErc4626({ name: "euler", ratio: true, views: hookViews });

/**
 * EulerEarn, a fork of MetaMorpho: `maxDeposit` may burn more gas than a batch of reads has, and is not asked.
 * Source: euler-earn.
 */
export const eulerEarn = defineErc4626({
  name: "euler_earn",
  limited: false,
  explain: familyErrors({ errors: { "error ZeroShares()": "zero_shares" } }),
});
