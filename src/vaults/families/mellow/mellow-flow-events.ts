import { type Address, decodeEventLog, isAddressEqual, parseAbi, toEventSelector, zeroAddress } from "viem";
import { parseAddress } from "../../../lib/address.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import type { FlowSource, VaultFlow } from "../../vault-adapter.ts";

const depositsAbi = once(() =>
  parseAbi([
    "event Deposited(address indexed account, address indexed referral, uint224 assets, uint256 shares, uint256 feeShares)",
    "event DepositRequested(address indexed account, address indexed referral, uint224 assets, uint32 timestamp)",
    "event DepositRequestCanceled(address indexed account, uint256 assets, uint32 timestamp)",
  ]),
);
const redemptionsAbi = once(() =>
  parseAbi([
    "event Redeemed(address indexed account, uint256 shares, uint256 assets, uint256 feeShares)",
    "event RedeemRequestClaimed(address indexed account, address indexed receiver, uint256 assets, uint32 timestamp)",
  ]),
);
const sharesAbi = once(() =>
  parseAbi(["event Transfer(address indexed from, address indexed to, uint256 value)"]),
);
const flowsAbi = once(() => [...depositsAbi(), ...redemptionsAbi(), ...sharesAbi()] as const);

type FlowEvent = ReturnType<typeof decodeEventLog<ReturnType<typeof flowsAbi>>>;

/**
 * Reads a registry parameter that lists queue addresses, separated by commas. Empty if the parameter is missing or
 * empty. Throws an Error for an invalid address.
 */
export function queuesParam(vault: Vault, name: "redeem_queues" | "deposit_queues"): Address[] {
  const entries = (vault.params[name] ?? "").split(",").filter((text) => text !== "");
  return entries.map((text) => {
    const queue = parseAddress(text.trim());
    if (queue === null) throw new Error(`${vault.vaultId}: ${name} has no address in "${text}"`);
    return queue;
  });
}

/**
 * Returns the events from which a Core vault's deposits and withdrawals are indexed. A deposit request counts when it
 * is made, and its cancellation as a withdrawal. A redemption request counts when it is claimed. Without known
 * redemption queues, each burn of shares counts as a withdrawal. Throws an Error for an invalid queue address.
 */
export function mellowFlows(vault: Vault): FlowSource {
  const queues = queuesParam(vault, "redeem_queues");
  const depositQueues = [vault.entryPoint, ...queuesParam(vault, "deposit_queues")];
  // Without redemption queues in the registry entry, burned shares count as withdrawals.
  const out = queues.length > 0 ? queues : [vault.shareToken];
  const abi = [...depositsAbi(), ...(queues.length > 0 ? redemptionsAbi() : sharesAbi())];
  return {
    addresses: [...depositQueues, ...out],
    namesCaller: true,
    topics: abi.map(toEventSelector),
    decode(log) {
      try {
        const event = decodeEventLog({ abi: flowsAbi(), data: log.data, topics: log.topics });
        const emitters = event.eventName.startsWith("Deposit") ? depositQueues : out;
        if (!emitters.some((emitter) => isAddressEqual(log.address, emitter))) return null;
        if (event.eventName === "Transfer" && queues.length > 0) return null;
        return flowOf(event);
      } catch {
        // The topic matches but the indexed arguments differ: another event.
        return null;
      }
    },
  };
}

function flowOf(event: FlowEvent): VaultFlow | null {
  switch (event.eventName) {
    case "Deposited": {
      const { account: user, assets, shares } = event.args;
      return { kind: "deposit", user, assets, shares };
    }
    case "DepositRequested":
      return { kind: "deposit", user: event.args.account, assets: event.args.assets, shares: null };
    case "DepositRequestCanceled":
      return { kind: "withdrawal", user: event.args.account, assets: event.args.assets, shares: null };
    case "Redeemed": {
      const { account: user, assets, shares } = event.args;
      return { kind: "withdrawal", user, assets, shares };
    }
    case "RedeemRequestClaimed":
      return { kind: "withdrawal", user: event.args.account, assets: event.args.assets, shares: null };
    case "Transfer": {
      const { from, to, value } = event.args;
      const burned = isAddressEqual(to, zeroAddress);
      return burned ? { kind: "withdrawal", user: from, assets: null, shares: value } : null;
    }
  }
}
