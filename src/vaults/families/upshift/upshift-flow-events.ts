import { decodeEventLog, isAddressEqual, parseAbi, toEventSelector } from "viem";
import { createQuery, read } from "../../../chains/chain-reads.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import type { FlowSource } from "../../vault-adapter.ts";
import { erc4626Flows } from "../erc4626-base/erc4626-flow-events.ts";

const flowsAbi = once(() =>
  parseAbi([
    "event Deposit(address assetIn, uint256 amountIn, uint256 shares, address indexed senderAddr, address indexed receiverAddr)",
    "event WithdrawalProcessed(uint256 assetsAmount, address indexed receiverAddr)",
    "event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
  ]),
);

const previewAbi = once(() =>
  parseAbi([
    "function previewDeposit(address assetIn, uint256 amountIn) view returns (uint256 shares, uint256 amountInReferenceTokens)",
  ]),
);

/**
 * Returns the events from which a multi-asset vault's deposits and withdrawals are indexed. Deposits and paid requests
 * count for the receiver, instant redemptions for the owner. Sources: TokenizedVaultV2's ABI, August Digital's SDK.
 */
export function upshiftFlows(vault: Vault): FlowSource {
  return {
    addresses: [vault.entryPoint],
    topics: flowsAbi().map(toEventSelector),
    decode(log) {
      if (!isAddressEqual(log.address, vault.entryPoint)) return null;
      try {
        const event = decodeEventLog({ abi: flowsAbi(), data: log.data, topics: log.topics });
        if (event.eventName === "Withdraw") {
          const { owner: user, assets, shares } = event.args;
          return { kind: "withdrawal", user, assets, shares };
        }
        if (event.eventName === "WithdrawalProcessed") {
          const { receiverAddr: user, assetsAmount: assets } = event.args;
          return { kind: "withdrawal", user, assets, shares: null };
        }
        const { receiverAddr: user, assetIn, amountIn, shares } = event.args;
        if (isAddressEqual(assetIn, vault.asset.address))
          return { kind: "deposit", user, assets: amountIn, shares };
        const preview = read({
          ...{ to: vault.entryPoint, abi: previewAbi(), name: "previewDeposit" },
          args: [assetIn, amountIn],
        });
        const conversion = createQuery({ preview }, ({ preview: seen }) => (seen.ok ? seen.value[1] : null));
        return { kind: "deposit", user, assets: null, shares, conversion };
      } catch {
        // The topic matches but the indexed arguments differ: another event.
        return null;
      }
    },
  };
}

/**
 * ABI of the two versions of `WithdrawalProcessed` in legacy vaults. The third version of the pools added
 * `wasBlacklisted`.
 */
export const legacyPaidAbi = once(() =>
  parseAbi([
    "event WithdrawalProcessed(uint256 assetsAmount, uint256 processedOn, address receiverAddr, uint256 requestedOn)",
    "event WithdrawalProcessed(uint256 assetsAmount, uint256 processedOn, address receiverAddr, uint256 requestedOn, bool wasBlacklisted)",
  ]),
);

/**
 * Returns the events from which a legacy vault's deposits and withdrawals are indexed: those of ERC-4626, and
 * `WithdrawalProcessed` for the receiver of a paid request. Sources: August Digital's ABIs, TimelockedERC4626.
 */
export function upshiftLegacyFlows(vault: Vault): FlowSource {
  const standard = erc4626Flows(vault);
  const paid: readonly string[] = legacyPaidAbi().map(toEventSelector);
  return {
    ...standard,
    topics: [...standard.topics, ...legacyPaidAbi().map(toEventSelector)],
    decode(log) {
      if (!paid.includes(log.topics[0] ?? "")) return standard.decode(log);
      if (!isAddressEqual(log.address, vault.entryPoint)) return null;
      try {
        const { args } = decodeEventLog({ abi: legacyPaidAbi(), data: log.data, topics: log.topics });
        return { kind: "withdrawal", user: args.receiverAddr, assets: args.assetsAmount, shares: null };
      } catch {
        // The topic matches but the indexed arguments differ: another event.
        return null;
      }
    },
  };
}
