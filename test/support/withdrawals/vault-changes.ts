import { type Abi, type Address, encodeFunctionData, erc20Abi } from "viem";
import type { Placed } from "../conformance/vaults/family.ts";
import type { Deploy } from "../conformance/vaults/leaving.ts";
import { set } from "../conformance/vaults/standard.ts";
import { balanceOf } from "../e2e/balances.ts";

/** An account that takes assets out of vaults. */
export const STRANGER: Address = "0x00000000000000000000000000000000000a11ce";

/** A change of a vault by its operator. `user` holds shares. */
export type Change = (of: Placed, user: Address) => Promise<unknown>;

/** Calls a function of the vault, or of the part of it with this name. */
export const act =
  (abi: Abi, name: string, args: readonly unknown[] = [], part: string | null = null): Change =>
  (placed) => {
    const on = part === null ? placed.vault : placed.parts[part];
    if (on === undefined) throw new Error(`the vault has no part ${part}`);
    return set(placed, { abi, name, args, on });
  };

/** Takes all assets out of the vault, or out of the part of it with this name. */
export const drain =
  (part: string | null = null): Change =>
  async (placed) => {
    const owner = part === null ? placed.vault : (placed.parts[part] as Address);
    const amount = await balanceOf(placed.world, { token: placed.asset.address, owner });
    const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [STRANGER, amount] });
    await placed.world.send(owner, { to: placed.asset.address, data });
  };

/** Lends all assets of the vault out: the price stays, but nothing can be paid. */
export const lendAll =
  (abi: Abi, name = "lend"): Change =>
  async (placed) => {
    const { asset, vault, world } = placed;
    const held = await balanceOf(world, { token: asset.address, owner: vault });
    await set(placed, { abi, name, args: [held] });
  };

/** A vault, and what happens to it. */
export interface RefusingVault {
  adapter: string;
  deploy: Deploy;
  /** What happens to the vault, and the code of a withdrawal after it; null if it stays possible. */
  cases: readonly [string, Change, string | null][];
  type?: "custom" | "ipor" | "lido" | "midas" | "veda" | "accountable";
}
