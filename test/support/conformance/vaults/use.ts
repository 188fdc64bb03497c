import { type Address, encodeFunctionData, erc20Abi, type Hex, maxUint256 } from "viem";
import { stackTokenAbi } from "#stand-ins/standard";
import type { ChainScript } from "../../../../scripts/stack/chains/script.ts";
import type { Token } from "../../../../src/vaults/vault.ts";

/** So many whole tokens in the smallest unit. */
export const whole = (token: Token, amount: bigint): bigint => amount * 10n ** BigInt(token.decimals);

/** Gives an account newly made tokens. */
export function mint(script: ChainScript, gift: { token: Token; to: Address; amount: bigint }): void {
  const args = [gift.to, gift.amount] as const;
  const data = encodeFunctionData({ abi: stackTokenAbi, functionName: "mint", args });
  script.send("mint", { to: gift.token.address, data });
}

/** Makes the deployer hold so much of a token, and lets a spender take any amount of it. */
export function fund(script: ChainScript, of: { token: Token; spender: Address; amount: bigint }): void {
  mint(script, { token: of.token, to: script.deployer, amount: of.amount });
  const args = [of.spender, maxUint256] as const;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args });
  script.send("approve", { to: of.token.address, data });
}

/** The first deposit of a vault, by `data`, and a yield of 7.31 % that reaches it as a donation. */
export function use(script: ChainScript, of: { token: Token; vault: Address; data: Hex }): void {
  const { token, vault, data } = of;
  fund(script, { token, spender: vault, amount: whole(token, 100_000n) });
  script.send("deposit", { to: vault, data });
  mint(script, { token, to: vault, amount: whole(token, 7_310n) });
}
