import { type Address, type Hex, parseAbi, zeroAddress } from "viem";
import { createQuery, type Query, read, readThen, valueOrNull } from "../../../chains/chain-reads.ts";
import { sameAddress } from "../../../lib/address.ts";
import { once } from "../../../lib/once.ts";

/** ABI of the views that say who may call a contract, and whose withdrawal contract it is. Source: Veda-Labs, solmate. */
export const authorityAbi = once(() =>
  parseAbi([
    "function authority() view returns (address)",
    "function canCall(address user, address target, bytes4 selector) view returns (bool)",
    "function boringVault() view returns (address)",
  ]),
);

/** Selector of the vault's `exit(address,address,uint256,address,uint256)`, which burns shares and pays. */
const EXIT_SELECTOR: Hex = "0x18457e61";

/**
 * Returns a query for whether a contract's authority lets an account call one of its functions: false if it has no
 * authority, null if that cannot be read.
 */
export function mayCall(account: Address, of: { target: Address; selector: Hex }): Query<boolean | null> {
  const { target, selector } = of;
  const authority = read({ to: target, abi: authorityAbi(), name: "authority" });
  return readThen({ authority }, ({ authority: named }): Query<boolean | null> => {
    if (named.ok && sameAddress(named.value, zeroAddress)) return createQuery({}, () => false);
    const args = [account, target, selector] as const;
    const to = valueOrNull(named) ?? zeroAddress;
    return createQuery({ call: read({ to, abi: authorityAbi(), name: "canCall", args }) }, ({ call }) =>
      valueOrNull(call),
    );
  });
}

/** Returns a query for whether a contract may burn a vault's shares and pay for them; null as in `mayCall`. */
export const mayBurn = (contract: Address, vault: Address): Query<boolean | null> =>
  mayCall(contract, { target: vault, selector: EXIT_SELECTOR });
