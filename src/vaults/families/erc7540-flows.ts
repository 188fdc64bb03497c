import { decodeEventLog, isAddressEqual, parseAbi, toEventSelector } from "viem";
import { once } from "../../lib/once.ts";
import type { FlowSource } from "../adapter.ts";
import type { Vault } from "../vault.ts";

const flowsAbi = once(() =>
  parseAbi([
    "event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)",
    "event DepositSync(address indexed sender, address indexed owner, uint256 assets, uint256 shares)",
    "event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
    "event WithdrawSync(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
  ]),
);

/**
 * Deposits that mint at once and claims of requests; a request by itself moves no shares and is not counted,
 * or its claim would count twice. `swapped`: a vault whose Deposit names the owner of the shares first, where
 * the standard has the sender. Source: EIP-7540, hopperlabsxyz/lagoon-v0, centrifuge/protocol.
 */
export function erc7540Flows(vault: Vault, { swapped }: { swapped: boolean }): FlowSource {
  return {
    addresses: [vault.entryPoint],
    topics: flowsAbi().map(toEventSelector),
    decode(log) {
      if (!isAddressEqual(log.address, vault.entryPoint)) return null;
      try {
        const { eventName, args } = decodeEventLog({ abi: flowsAbi(), data: log.data, topics: log.topics });
        const kind = eventName.startsWith("Deposit") ? "deposit" : "withdrawal";
        const user = swapped && eventName === "Deposit" ? args.sender : args.owner;
        return { kind, user, assets: args.assets, shares: args.shares };
      } catch {
        // The same topics with other arguments indexed: an event of something else.
        return null;
      }
    },
  };
}
