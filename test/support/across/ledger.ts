import { type Address, erc20Abi } from "viem";
import { expect } from "vitest";
import { depositRouterAddress } from "../../../src/router/router-address.ts";
import { balanceOf, type TokenSymbol } from "./bridge.ts";
import { intoVault, requestIn, sendTransfer, type World } from "./journey.ts";
import { USER } from "./stage.ts";

/** Amount that the tests send, and amount that is delivered, in the token's smallest unit. */
export const AMOUNT = 250_000_000n;
export const DELIVERED = 249_750_000n;

export function held(world: World, symbol: TokenSymbol, owner: Address = USER): Promise<bigint> {
  return balanceOf(world.target.chain, { token: world.target.tokens[symbol], owner });
}

/** Returns the user's shares in the token's vault. */
export function shares({ target }: World, symbol: TokenSymbol): Promise<bigint> {
  return balanceOf(target.chain, { token: target.vaults[symbol], owner: USER });
}

/** Returns the allowance of the Router over the message handler's tokens. */
export function allowanceOfHandler({ target }: World, symbol: TokenSymbol): Promise<bigint> {
  return target.chain.node.readContract({
    address: target.tokens[symbol],
    abi: erc20Abi,
    functionName: "allowance",
    args: [target.deployment.multicallHandler, depositRouterAddress],
  });
}

/** Fails the test if the bridge or the Router still holds a token or has an allowance of it. */
export async function expectNothingLeft(world: World, symbol: TokenSymbol): Promise<void> {
  const { multicallHandler, spokePool } = world.target.deployment;
  for (const owner of [multicallHandler, spokePool, depositRouterAddress])
    expect(await held(world, symbol, owner)).toBe(0n);
  expect(await allowanceOfHandler(world, symbol)).toBe(0n);
}

/** Sends the transfer of a token into its vault, without the delivery. */
export function sendTransferInto(world: World, into: { symbol: TokenSymbol; minShares?: bigint }) {
  const request = requestIn(world, { symbol: into.symbol, amount: AMOUNT, call: intoVault(world, into) });
  return sendTransfer(world, request);
}
