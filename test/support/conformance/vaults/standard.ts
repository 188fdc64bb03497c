import { type Abi, type Address, encodeDeployData, encodeFunctionData, erc4626Abi, type Hex } from "viem";
import type { ChainScript } from "../../../../scripts/stack/chains/chain-script.ts";
import type { VaultDetail } from "../../../../src/schemas/vault-schema.ts";
import type { Token } from "../../../../src/vaults/vault.ts";
import type { Family, Placed, StandIn, State } from "./family.ts";
import { use, whole } from "./use.ts";
import type { Call, World } from "./world.ts";

/** Reads a view function of an ERC-4626 vault with viem's ABI. */
function ask(placed: Placed, functionName: "totalAssets" | "totalSupply"): Promise<bigint> {
  return placed.world.client.readContract({ address: placed.vault, abi: erc4626Abi, functionName });
}

/** Converts shares to the asset's smallest unit by the vault's `convertToAssets`. Source: EIP-4626. */
export function convertedBy(placed: Placed, shares: bigint): Promise<bigint> {
  return placed.world.client.readContract({
    address: placed.vault,
    abi: erc4626Abi,
    functionName: "convertToAssets",
    args: [shares],
  });
}

/**
 * Returns the share price (whole assets per whole share, times 10^18) from the value of a number of whole shares.
 * `assets` is in the smallest unit.
 */
export function priceOf({ asset }: Placed, sample: { assets: bigint; wholeShares: bigint }): string {
  return String((sample.assets * 10n ** 18n) / (sample.wholeShares * 10n ** BigInt(asset.decimals)));
}

/**
 * Returns the expected totals and share price of an ERC-4626 vault, from its own view functions. The share price has
 * all 18 decimals.
 */
export async function standardShown(placed: Placed): Promise<Partial<VaultDetail>> {
  const wholeShares = 10n ** BigInt(12 + Math.max(0, 6 - placed.asset.decimals));
  const [totalAssets, totalSupply, assets] = await Promise.all([
    ask(placed, "totalAssets"),
    ask(placed, "totalSupply"),
    convertedBy(placed, wholeShares * 10n ** BigInt(placed.row.shareDecimals)),
  ]);
  return {
    total_assets: String(totalAssets),
    total_supply: String(totalSupply),
    share_price: priceOf(placed, { assets, wholeShares }),
  };
}

/** Encodes `redeem` of all shares by their owner. */
export function redemption(placed: Placed, of: { user: Address; shares: bigint }): Call {
  const args = [of.shares, of.user, of.user] as const;
  return { to: placed.vault, data: encodeFunctionData({ abi: erc4626Abi, functionName: "redeem", args }) };
}

/** Expected values of the suite for an ERC-4626 vault. */
export const standard = {
  shown: standardShown,
  worth: convertedBy,
  withdrawal: redemption,
} satisfies Partial<Family>;

/** A compiled contract. */
export interface Contract {
  abi: Abi;
  code: Hex;
}

/** Deploys a contract whose constructor takes asset, name, symbol and the arguments `more`. */
export function deployOn(
  script: ChainScript,
  { contract, asset, more = [] }: { contract: Contract; asset: Token; more?: readonly unknown[] },
): Address {
  const args = [asset.address, "A vault", "V", ...more];
  const data = encodeDeployData({ abi: contract.abi, bytecode: contract.code, args });
  return script.deploy("vault", data);
}

/** Encodes the first deposit into an ERC-4626 vault, of 100,000 whole tokens. */
export function firstDeposit(script: ChainScript, asset: Token): Hex {
  const args = [whole(asset, 100_000n), script.deployer] as const;
  return encodeFunctionData({ abi: erc4626Abi, functionName: "deposit", args });
}

/** Deploys a vault whose constructor takes asset, name and symbol, and makes its first deposit. */
export function deployStandard(contract: Contract, shareDecimals = (asset: Token): number => asset.decimals) {
  return (world: World, asset: Token): Promise<StandIn> =>
    world.script((script) => {
      const vault = deployOn(script, { contract, asset });
      use(script, { token: asset, vault, data: firstDeposit(script, asset) });
      const row = { address: vault, shareDecimals: shareDecimals(asset) };
      return { row, owner: script.deployer, parts: {} };
    });
}

/** Changes a setting of a stand-in as its owner. */
export async function set(
  placed: Placed,
  change: { abi: Abi; name: string; args?: readonly unknown[]; on?: Address | undefined },
): Promise<void> {
  const { abi, name, args = [], on = placed.vault } = change;
  const data = encodeFunctionData({ abi, functionName: name, args: [...args] });
  await placed.world.send(placed.owner, { to: on, data });
}

/** Defines a state that one setting puts the vault into. The arguments may depend on the user's address. */
export function when(
  name: string,
  change: { abi: Abi; call: string; args?: readonly unknown[] | ((user: Address) => readonly unknown[]) },
): Pick<State, "name" | "enter"> {
  const { abi, call, args = [] } = change;
  return {
    name,
    enter: (placed, user) =>
      set(placed, { abi, name: call, args: typeof args === "function" ? args(user) : args }),
  };
}

/** Defines the state in which the vault was deployed. */
export const initialState = (name: string): Pick<State, "name" | "enter"> => ({
  name,
  enter: async () => undefined,
});
