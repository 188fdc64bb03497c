import { type Address, type Hex, zeroAddress } from "viem";
import { expect } from "vitest";
import type { StackVault } from "../../../scripts/stack/manifest.ts";
import { executedOrders } from "../../../src/router/router-codec.ts";
import type { Api, SentWithdrawal, WithdrawBody } from "./api.ts";
import { allowanceOf, balanceOf, hasCode, leftIn, routerParts } from "./balances.ts";
import {
  addressOf,
  chainOf,
  type KeyedUser,
  mined,
  newUser,
  type TestChain,
  type TestUser,
  tokenOn,
} from "./chain.ts";
import { amounts, bodyFor } from "./deposit.ts";
import { type Style, signDeposit } from "./sign-deposit.ts";

/** Creates a user who holds shares of a vault, by depositing an ordinary amount. Returns the user and the shares. */
export async function holderOf(api: Api, vault: StackVault): Promise<{ user: KeyedUser; shares: bigint }> {
  const chain = chainOf(vault.chain_id);
  const user = await newUser(chain, { [vault.asset_symbol]: amounts[vault.asset_symbol] });
  const built = await api.build(bodyFor(vault, { user: user.address }));
  await mined(chain, await signDeposit(chain, { user, built, style: "calls" }));
  return { user, shares: await balanceOf(chain, { token: vault.share_token, owner: user.address }) };
}

/** A withdrawal that was sent, with its effects on-chain. */
export interface Withdrawn {
  built: SentWithdrawal;
  hash: Hex;
  /** Amount of the requested token that the user received. */
  received: bigint;
}

/**
 * Builds a withdrawal on the vault's chain, signs it and compares the result with the build: at least `to_amount_min`,
 * within 0.1 % of the estimate, exactly the shares spent, and nothing left in the Router or its executor.
 */
export async function withdrawAndCheck(
  api: Api,
  job: { vault: StackVault; user: TestUser; body: WithdrawBody; style?: Style },
): Promise<Withdrawn> {
  const { vault, user, body, style = "calls" } = job;
  const chain = chainOf(vault.chain_id);
  const token = (body.to_token ?? tokenOn(chain, vault.asset_symbol)) as Address;
  const share = vault.share_token;
  const parts = await routerParts(chain);
  const shares = await balanceOf(chain, { token: share, owner: user.address });
  const built = await api.withdraw(body);
  const before = await held(chain, { token, owner: user.address });
  const hash = await signDeposit(chain, { user, built, style });
  const receipt = await mined(chain, hash);
  const after = await held(chain, { token, owner: user.address });
  // Gas is paid from the same balance, so that the Router's measurement counts.
  const received =
    token === zeroAddress ? (executedOrders(receipt.logs)[0]?.args.amountOut ?? 0n) : after - before;
  const left = await balanceOf(chain, { token: share, owner: user.address });
  expect(shares - left).toBe(BigInt(built.estimate.shares));
  if (body.shares === "all") expect(left).toBe(0n);
  expectPaid(built, received);
  const asset = tokenOn(chain, vault.asset_symbol);
  const others = { user: user.address, vault: addressOf(vault) };
  expect(await leftIn(chain, { at: parts, tokens: { asset, share }, others })).toEqual({});
  const routed = built.transaction_request.to === parts.router;
  expect(await hasCode(chain, parts.clone)).toBe(routed);
  if (routed)
    expect(await allowanceOf(chain, { token: share, owner: user.address, spender: parts.router })).toBe(0n);
  return { built, hash, received };
}

/** Expects the received amount to match the estimate. */
export function expectPaid(built: Pick<SentWithdrawal, "estimate">, received: bigint): void {
  const { to_amount: expected, to_amount_min: least } = built.estimate;
  expect(received).toBeGreaterThanOrEqual(BigInt(least ?? "1"));
  const difference = received - BigInt(expected ?? "0");
  expect((difference < 0n ? -difference : difference) * 1_000n).toBeLessThanOrEqual(BigInt(expected ?? "0"));
}

function held(chain: TestChain, of: { token: Address; owner: Address }): Promise<bigint> {
  if (of.token === zeroAddress) return chain.client.getBalance({ address: of.owner });
  return balanceOf(chain, of);
}
