import { decodeEventLog, isAddressEqual, parseAbi, toEventSelector } from "viem";
import { once } from "../../lib/once.ts";
import type { FlowSource } from "../adapter.ts";
import type { Vault } from "../vault.ts";
import { erc4626Flows } from "./erc4626-flows.ts";

/** The last member is there since the pools' third version. */
const paidAbi = once(() =>
  parseAbi([
    "event WithdrawalProcessed(uint256 assetsAmount, uint256 processedOn, address receiverAddr, uint256 requestedOn)",
    "event WithdrawalProcessed(uint256 assetsAmount, uint256 processedOn, address receiverAddr, uint256 requestedOn, bool wasBlacklisted)",
  ]),
);

/**
 * As ERC-4626, whose own withdrawals always revert: its event is that of shares redeemed at once. What was asked for
 * first is told when it is paid, by whoever receives it and without the shares.
 * Source: the published ABIs of August Digital, and TimelockedERC4626.
 */
export function upshiftLegacyFlows(vault: Vault): FlowSource {
  const standard = erc4626Flows(vault);
  const paid: readonly string[] = paidAbi().map(toEventSelector);
  return {
    ...standard,
    topics: [...standard.topics, ...paidAbi().map(toEventSelector)],
    decode(log) {
      if (!paid.includes(log.topics[0] ?? "")) return standard.decode(log);
      if (!isAddressEqual(log.address, vault.entryPoint)) return null;
      try {
        const { args } = decodeEventLog({ abi: paidAbi(), data: log.data, topics: log.topics });
        return { kind: "withdrawal", user: args.receiverAddr, assets: args.assetsAmount, shares: null };
      } catch {
        // The same topics with other arguments indexed: an event of something else.
        return null;
      }
    },
  };
}
