import { isAddressEqual, parseAbi, zeroAddress } from "viem";
import { createQuery, read, readThen, valueOrNull } from "../../chains/query.ts";
import { once } from "../../lib/once.ts";
import { familyErrors } from "../reverts.ts";
import type { Vault } from "../vault.ts";
import type { TermsInput } from "../vault-adapter.ts";
import type { FamilyViews } from "./erc4626/family-views.ts";
import { defineErc4626 } from "./erc4626/index.ts";

const vaultAbi = once(() => parseAbi(["function getAccessManagerAddress() view returns (address)"]));
const managerAbi = once(() =>
  parseAbi([
    "function canCall(address caller, address target, bytes4 selector) view returns (bool immediate, uint32 delay)",
    "function isTargetClosed(address target) view returns (bool)",
  ]),
);
/** deposit(uint256,address) */
const DEPOSIT_SELECTOR = "0x6e553f65";

/** What the vault's access manager says of it, and of whoever calls. Of the Router's clones only a simulation can tell. */
function accessViews(vault: Vault, asked: TermsInput | null) {
  const manager = read({ to: vault.entryPoint, abi: vaultAbi(), name: "getAccessManagerAddress" });
  return readThen({ manager }, ({ manager: told }) => {
    if (!told.ok || isAddressEqual(told.value, zeroAddress)) return createQuery({}, (): FamilyViews => ({}));
    const on = { to: told.value, abi: managerAbi() } as const;
    const caller = asked?.caller ?? vault.entryPoint;
    return createQuery(
      {
        closed: read({ ...on, name: "isTargetClosed", args: [vault.entryPoint] }),
        call: read({ ...on, name: "canCall", args: [caller, vault.entryPoint, DEPOSIT_SELECTOR] }),
      },
      ({ closed, call }): FamilyViews => {
        const shut = asked !== null && asked.caller !== null && valueOrNull(call)?.[0] === false;
        return { paused: valueOrNull(closed) === true, refusal: shut ? "not_allowed" : null };
      },
    );
  });
}

/**
 * IPOR Fusion's Plasma vaults: shares of two decimals more than the asset, callers with a role where the vault is
 * private, the receiver's shares locked for a while. `totalAssets` is before fees. Source: IPOR-Labs/ipor-fusion.
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
