import { type Address, decodeEventLog, isAddressEqual, parseAbi, toEventSelector } from "viem";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import type { FlowSource, VaultFlow } from "../../vault-adapter.ts";

const flowsAbi = once(() =>
  parseAbi([
    "event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)",
    "event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
  ]),
);

const requestsAbi = once(() =>
  parseAbi([
    "event RedeemRequest(address indexed controller, address indexed owner, uint256 indexed requestId, address sender, uint256 shares)",
    "event RedeemRequested(address indexed controller, address indexed owner, uint256 requestId, address sender, uint256 shares)",
  ]),
);

/**
 * Returns the events from which an ERC-4626 vault's deposits and withdrawals are indexed. They count for the owner of
 * the shares; withdrawals of shares that the vault itself or `keeper` owns, for the receiver. Source: EIP-4626.
 */
export function erc4626Flows(vault: Vault, keeper: Address | null = null): FlowSource {
  return {
    // Another keeper changes whom withdrawals count for, so the history must be read again. It emits no such event.
    addresses: [vault.entryPoint, ...(keeper === null ? [] : [keeper])],
    topics: flowsAbi().map(toEventSelector),
    decode(log) {
      if (!isAddressEqual(log.address, vault.entryPoint)) return null;
      try {
        const { eventName, args } = decodeEventLog({ abi: flowsAbi(), data: log.data, topics: log.topics });
        const { assets, shares } = args;
        if (eventName === "Deposit") return { kind: "deposit", user: args.owner, assets, shares };
        // Who keeps the shares of requests and redeems them pays a request of the receiver.
        const ofRequest = [vault.entryPoint, keeper ?? vault.entryPoint].some((one) =>
          isAddressEqual(args.owner, one),
        );
        return { kind: "withdrawal", user: ofRequest ? args.receiver : args.owner, assets, shares };
      } catch {
        // The topic matches but the indexed arguments differ: another event.
        return null;
      }
    },
  };
}

/**
 * Returns the events of a generic ERC-4626 vault with ERC-7540 redemptions: those of `erc4626Flows`, and its requests,
 * which pay nothing. The vault's views show numbered ones only by their numbers. Source: EIP-7540.
 */
export function requestingFlows(vault: Vault): FlowSource {
  const standard = erc4626Flows(vault);
  const ofRequests = requestsAbi().map(toEventSelector);
  return {
    ...standard,
    namesRequests: true,
    // Its third topic is the shares' owner, which seldom is not the controller.
    ownRequests: { contracts: [vault.entryPoint], topics: ofRequests },
    topics: [...standard.topics, ...ofRequests],
    decode: (log) => standard.decode(log) ?? numberedRequest(vault, log),
  };
}

function numberedRequest(vault: Vault, log: Parameters<FlowSource["decode"]>[0]): VaultFlow | null {
  if (!isAddressEqual(log.address, vault.entryPoint)) return null;
  try {
    const { args } = decodeEventLog({ abi: requestsAbi(), data: log.data, topics: log.topics });
    const { controller: user, requestId, shares } = args;
    // The views show without a number what has none.
    if (requestId === 0n) return null;
    return {
      ...{ kind: "withdrawal", user, assets: 0n, shares, sharesOnly: true },
      requestId: requestId.toString(),
    };
  } catch {
    return null;
  }
}
