import { type Abi, type Address, encodeFunctionData, erc4626Abi } from "viem";
import type { VaultDetail } from "../../../src/schemas/vault.ts";
import type { Family, Placed } from "./family.ts";
import type { Call } from "./world.ts";

/** One view of an ERC-4626 vault, asked of the chain by viem's own ABI. */
function ask(placed: Placed, functionName: "totalAssets" | "totalSupply"): Promise<bigint> {
  return placed.world.client.readContract({ address: placed.vault, abi: erc4626Abi, functionName });
}

/** What shares convert to, smallest unit of the asset. Source: EIP-4626. */
export function convertedBy(placed: Placed, shares: bigint): Promise<bigint> {
  return placed.world.client.readContract({
    address: placed.vault,
    abi: erc4626Abi,
    functionName: "convertToAssets",
    args: [shares],
  });
}

/** Whole assets per whole share times 10^18, when whole shares convert to so much of the smallest unit. */
export const priceOf = ({ asset }: Placed, assetsPerShare: bigint): string =>
  String((assetsPerShare * 10n ** 18n) / 10n ** BigInt(asset.decimals));

/** Totals and price as an ERC-4626 vault's own views give them. */
export async function standardShown(placed: Placed): Promise<Partial<VaultDetail>> {
  const [totalAssets, totalSupply, price] = await Promise.all([
    ask(placed, "totalAssets"),
    ask(placed, "totalSupply"),
    convertedBy(placed, 10n ** BigInt(placed.row.shareDecimals)),
  ]);
  return {
    total_assets: String(totalAssets),
    total_supply: String(totalSupply),
    share_price: priceOf(placed, price),
  };
}

/** `redeem` of all shares by their owner. */
export function redemption(placed: Placed, of: { user: Address; shares: bigint }): Call {
  const args = [of.shares, of.user, of.user] as const;
  return { to: placed.vault, data: encodeFunctionData({ abi: erc4626Abi, functionName: "redeem", args }) };
}

/** What the suite asks of a vault that keeps to ERC-4626. */
export const standard = {
  shown: standardShown,
  worth: convertedBy,
  withdrawal: redemption,
} satisfies Partial<Family>;

/** Lets a stand-in's owner change one of its settings. */
export async function set(
  placed: Placed,
  change: { abi: Abi; name: string; args?: readonly unknown[]; on?: Address },
): Promise<void> {
  const { abi, name, args = [], on = placed.vault } = change;
  const data = encodeFunctionData({ abi, functionName: name, args: [...args] });
  await placed.world.send(placed.owner, { to: on, data });
}
