import { type Address, type Hex, zeroAddress } from "viem";
import { expect } from "vitest";
import type { TokenSymbol } from "../../../scripts/stack/chains/plan.ts";
import type { StackVault } from "../../../scripts/stack/manifest.ts";
import type { Api, BuildBody, SentDeposit } from "./api.ts";
import { balanceOf, hasCode, leftIn, routerParts } from "./balances.ts";
import { addressOf, chainOf, mined, type TestChain, type TestUser, tokenOn } from "./chain.ts";
import { nativePaid, type Style, signDeposit } from "./sign-deposit.ts";

/** Ordinary deposit amounts by token, with nonzero digits down to the smallest unit. */
export const amounts: Readonly<Record<TokenSymbol, bigint>> = {
  USDC: 1_234_567_891n,
  WBTC: 12_345_679n,
  WETH: 1_234_567_890_123_456_789n,
  USDT: 987_654_321n,
  FEE: 1_234_567_890_123_456_789_012n,
};

/** Returns the body of a build request for a deposit in the vault's asset. */
export function bodyFor(vault: StackVault, job: { user: Address; amount?: bigint }): BuildBody {
  return {
    from_chain_id: vault.chain_id,
    from_token: tokenOn(chainOf(vault.chain_id), vault.asset_symbol),
    from_amount: String(job.amount ?? amounts[vault.asset_symbol]),
    vault_id: vault.vault_id,
    user_address: job.user,
  };
}

export interface Deposited {
  built: SentDeposit;
  hash: Hex;
  minted: bigint;
}

/**
 * Builds a deposit, signs it with a plain wallet and compares the result with the build: at least `min_shares`, within
 * 0.1 % of the estimate, exactly the amount spent, and nothing left in the Router's contracts.
 */
export async function depositAndCheck(
  api: Api,
  job: { vault: StackVault; user: TestUser; style: Style; body: BuildBody },
): Promise<Deposited> {
  const { vault, user, style, body } = job;
  const chain = chainOf(vault.chain_id);
  const share = vault.share_token;
  const asset = tokenOn(chain, vault.asset_symbol);
  const native = body.from_token === zeroAddress || /^0xe{40}$/i.test(body.from_token);
  const parts = await routerParts(chain);
  const before = await holdings(chain, { user: user.address, share, asset });
  const built = await api.build(body);
  const hash = await signDeposit(chain, { user, built, style });
  await mined(chain, hash);
  const after = await holdings(chain, { user: user.address, share, asset });
  const minted = after.shares - before.shares;
  expectMintedAsQuoted(built, minted);
  const amount = BigInt(body.from_amount);
  expect(before.assets - after.assets).toBe(native ? 0n : amount);
  if (style === "calls") expect(nativePaid(built)).toBe(native ? amount : 0n);
  const others = { user: user.address, vault: addressOf(vault) };
  expect(await leftIn(chain, { at: parts, tokens: { asset, share }, others })).toEqual({});
  const throughRouter = built.transaction_request.to === parts.router;
  expect(await hasCode(chain, parts.clone)).toBe(throughRouter);
  return { built, hash, minted };
}

export function expectMintedAsQuoted(built: SentDeposit, minted: bigint): void {
  const { estimated_shares: estimated, min_shares: minimum } = built.estimate;
  expect(minted).toBeGreaterThanOrEqual(BigInt(minimum ?? "1"));
  const difference = minted - BigInt(estimated);
  expect((difference < 0n ? -difference : difference) * 1_000n).toBeLessThanOrEqual(BigInt(estimated));
}

async function holdings(chain: TestChain, of: { user: Address; share: Address; asset: Address }) {
  const [shares, assets] = await Promise.all([
    balanceOf(chain, { token: of.share, owner: of.user }),
    balanceOf(chain, { token: of.asset, owner: of.user }),
  ]);
  return { shares, assets };
}
