import { type Address, erc20Abi } from "viem";
import { expect } from "vitest";
import { depositRouterAddress } from "../../../src/router/address.ts";
import { balanceOf, type TokenSymbol } from "./bridge.ts";
import { depart, intoVault, requestIn, type World } from "./journey.ts";
import { USER } from "./stage.ts";

/** What the tests send, and what of it arrives. */
export const AMOUNT = 250_000_000n;
export const DELIVERED = 249_750_000n;

export function held(world: World, symbol: TokenSymbol, owner: Address = USER): Promise<bigint> {
  return balanceOf(world.target.chain, { token: world.target.tokens[symbol], owner });
}

/** The user's shares of the token's vault. */
export function shares({ target }: World, symbol: TokenSymbol): Promise<bigint> {
  return balanceOf(target.chain, { token: target.vaults[symbol], owner: USER });
}

/** What the Router may still take of the handler's tokens. */
export function allowanceOfHandler({ target }: World, symbol: TokenSymbol): Promise<bigint> {
  return target.chain.node.readContract({
    address: target.tokens[symbol],
    abi: erc20Abi,
    functionName: "allowance",
    args: [target.deployment.multicallHandler, depositRouterAddress],
  });
}

/** Fails when the bridge or the Router kept any of a token, or may still take any. */
export async function expectNothingLeft(world: World, symbol: TokenSymbol): Promise<void> {
  const { multicallHandler, spokePool } = world.target.deployment;
  for (const owner of [multicallHandler, spokePool, depositRouterAddress])
    expect(await held(world, symbol, owner)).toBe(0n);
  expect(await allowanceOfHandler(world, symbol)).toBe(0n);
}

/** The transfer of a token into its vault, up to before the delivery. */
export function departInto(world: World, into: { symbol: TokenSymbol; minShares?: bigint }) {
  const request = requestIn(world, { symbol: into.symbol, amount: AMOUNT, call: intoVault(world, into) });
  return depart(world, request);
}
