import { type Address, encodeFunctionData, erc20Abi, type Hex, maxUint256 } from "viem";
import { stackTokenAbi } from "#stand-ins/standard";
import type { ChainScript } from "../../../../scripts/stack/chains/chain-script.ts";
import type { Token } from "../../../../src/vaults/vault.ts";

/** Converts whole tokens to smallest units. */
export const whole = (token: Token, amount: bigint): bigint => amount * 10n ** BigInt(token.decimals);

/** Mints tokens to an account. */
export function mint(script: ChainScript, gift: { token: Token; to: Address; amount: bigint }): void {
  const args = [gift.to, gift.amount] as const;
  const data = encodeFunctionData({ abi: stackTokenAbi, functionName: "mint", args });
  script.send("mint", { to: gift.token.address, data });
}

/** Mints tokens to the deployer and approves a spender without limit. */
export function fund(script: ChainScript, of: { token: Token; spender: Address; amount: bigint }): void {
  mint(script, { token: of.token, to: script.deployer, amount: of.amount });
  const args = [of.spender, maxUint256] as const;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args });
  script.send("approve", { to: of.token.address, data });
}

/** Makes the first deposit of a vault with `data`, and donates a yield of 7.31 %. */
export function use(script: ChainScript, of: { token: Token; vault: Address; data: Hex }): void {
  const { token, vault, data } = of;
  fund(script, { token, spender: vault, amount: whole(token, 100_000n) });
  script.send("deposit", { to: vault, data });
  mint(script, { token, to: vault, amount: whole(token, 7_310n) });
}
