import { decodeEventLog, isAddressEqual, parseAbi, toEventSelector } from "viem";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import type { FlowSource } from "../../vault-adapter.ts";

const flowsAbi = once(() =>
  parseAbi([
    "event Enter(address indexed from, address indexed asset, uint256 amount, address indexed to, uint256 shares)",
    "event Exit(address indexed to, address indexed asset, uint256 amount, address indexed from, uint256 shares)",
  ]),
);

/**
 * Returns the vault's `Enter` and `Exit` events, which deposits and withdrawals through any of its tellers cause. A
 * refunded deposit is an `Exit`. Deposits of another token, through a bridge or minted by a manager have no amount in
 * the vault's asset. Source: Veda-Labs/boring-vault.
 */
export function vedaFlows(vault: Vault): FlowSource {
  return {
    addresses: [vault.shareToken],
    namesCaller: true,
    topics: flowsAbi().map(toEventSelector),
    decode(log) {
      if (!isAddressEqual(log.address, vault.shareToken)) return null;
      try {
        const { eventName, args } = decodeEventLog({ abi: flowsAbi(), data: log.data, topics: log.topics });
        const own = isAddressEqual(args.asset, vault.asset.address);
        const amounts = { assets: own ? args.amount : null, shares: args.shares };
        return eventName === "Enter"
          ? { kind: "deposit", user: args.to, ...amounts }
          : { kind: "withdrawal", user: args.from, ...amounts };
      } catch {
        // The topic matches but the indexed arguments differ: another event.
        return null;
      }
    },
  };
}
