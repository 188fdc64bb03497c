import { decodeEventLog, encodeEventTopics, erc20Abi, zeroAddress } from "viem";
import { sameAddress } from "../../../lib/address.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import type { FlowSource, VaultFlow } from "../../vault-adapter.ts";
import { addressParam } from "../../vault-params.ts";
import { erc4626Flows } from "../erc4626-base/erc4626-flow-events.ts";

const transferTopic = once(() => encodeEventTopics({ abi: erc20Abi, eventName: "Transfer" })[0]);

/**
 * Returns the events from which a vault's deposits and withdrawals are indexed: those of ERC-4626, and the shares that
 * its WithdrawManager takes as the fee of a request, which are a loss. So are those that are burned as the fee of a
 * withdrawal and that its event may leave out. Throws an Error if the registry entry's WithdrawManager is not an address.
 * Source: IPOR-Labs/ipor-fusion.
 */
export function iporFlows(vault: Vault): FlowSource {
  const standard = erc4626Flows(vault);
  const manager = addressParam(vault, "withdraw_manager");
  if (manager === null) return standard;
  return {
    ...standard,
    received: { token: vault.shareToken, receivers: [manager, zeroAddress] },
    decode: (log) => (log.topics[0] === transferTopic() ? feeIn(log) : standard.decode(log)),
  };

  function feeIn({ address, topics, data }: Parameters<FlowSource["decode"]>[0]): VaultFlow | null {
    if (!sameAddress(address, vault.shareToken)) return null;
    try {
      const { args } = decodeEventLog({ abi: erc20Abi, eventName: "Transfer", topics, data });
      const { from: user, to, value: shares } = args;
      const burned = sameAddress(to, zeroAddress);
      // Anyone may transfer nothing for the user, and a vault may mint a fee for its WithdrawManager, which burns it.
      if (shares === 0n || [zeroAddress, manager ?? ""].some((one) => sameAddress(user, one))) return null;
      if (!burned && !sameAddress(to, manager ?? "")) return null;
      const fee = { kind: "withdrawal", user, assets: 0n, shares, sharesOnly: true } as const;
      return burned ? { ...fee, request: "burned" } : fee;
    } catch {
      // The topic matches but the indexed arguments differ: another event.
      return null;
    }
  }
}
