import { isAddressEqual, parseAbi, zeroAddress } from "viem";
import { describe, read } from "../../chains/read.ts";
import { once } from "../../lib/once.ts";
import { ownErrors } from "../own-errors.ts";
import type { Vault } from "../vault.ts";
import { defineErc4626 } from "./erc4626.ts";
import type { OwnViews } from "./own-views.ts";

const hookAbi = once(() =>
  parseAbi(["function hookConfig() view returns (address hookTarget, uint32 hookedOps)"]),
);
/** The bit of deposits among the hooked operations. */
const OP_DEPOSIT = 1;

/** An operation that is hooked to nobody is switched off; what a hook to somebody says shows in a simulation. */
function hook(vault: Vault) {
  return describe(
    { hook: read({ to: vault.entryPoint, abi: hookAbi(), name: "hookConfig" }) },
    ({ hook: told }): OwnViews => {
      if (!told.ok) return {};
      const [target, operations] = told.value;
      return { paused: isAddressEqual(target, zeroAddress) && (operations & OP_DEPOSIT) !== 0 };
    },
  );
}

/** Euler's EVK vaults. Limits do not reflect a hook that admits some accounts only. Source: euler-vault-kit. */
export const euler = defineErc4626({ name: "euler", ratio: true, views: hook });

/**
 * EulerEarn, a fork of MetaMorpho: `maxDeposit` may burn more gas than a batch of reads has, and is not asked.
 * Source: euler-earn.
 */
export const eulerEarn = defineErc4626({
  name: "euler_earn",
  limited: false,
  explain: ownErrors({ errors: { "error ZeroShares()": "zero_shares" } }),
});
