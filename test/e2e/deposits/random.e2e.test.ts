import fc from "fast-check";
import { encodeFunctionData, erc20Abi, erc4626Abi, zeroAddress } from "viem";
import { expect, test } from "vitest";
import type { StackVault } from "../../../scripts/stack/manifest.ts";
import { Api, SentDeposit } from "../../support/e2e/api.ts";
import { balanceOf } from "../../support/e2e/balances.ts";
import {
  addressOf,
  chainOf,
  give,
  mined,
  newUser,
  sendCall,
  type TestUser,
  tokenOn,
  vaultsFor,
  withChainRestored,
} from "../../support/e2e/chain.ts";
import { bodyOf, problemOf } from "../../support/e2e/http.ts";
import { signDeposit } from "../../support/e2e/sign-deposit.ts";

/** `npm run stress` asks for more. */
const RUNS = Number(process.env["RANDOM_DEPOSITS"] ?? "40");
const api = new Api();
const vaults = vaultsFor(
  "honest",
  "empty",
  "limited",
  "minimum",
  "fee_on_transfer",
  "caller",
  "inflated",
  "dust",
);

const aDeposit = fc.record({
  vault: fc.constantFrom(...vaults),
  /** From one smallest unit to far more than the vault holds. */
  amount: fc
    .tuple(fc.bigInt({ min: 1n, max: 9_999n }), fc.nat(20))
    .map(([digits, zeros]) => digits * 10n ** BigInt(zeros)),
  slippage: fc.constantFrom(0.005, 0.01, 0.03, 0.5),
  style: fc.constantFrom("calls", "approval"),
  native: fc.boolean(),
  /** Percent of the amount that the Router may already take. */
  standing: fc.constantFrom(0n, 0n, 1n, 50n, 100n, 300n),
  /** Yield that the vault earns between build and signature, in hundredths of a per cent. */
  driftBps: fc.constantFrom(0n, 0n, 0n, 20n),
});
type RandomDeposit = typeof aDeposit extends fc.Arbitrary<infer T> ? T : never;

/** Why a vault of these may refuse an amount. */
const REFUSALS = ["zero_shares", "price_unsafe", "above_maximum", "below_minimum", "would_revert"];

test(`${RUNS} deposits of any size, paid in any way, keep their promise or are refused beforehand`, {
  timeout: 600_000,
}, async () => {
  const outcomes: Record<string, number> = {};
  // Vaults that hold more than all money there is are no use to other tests. Each deposit is undone by itself: a job may
  // read the chain meanwhile, and takes blocks for final that are 64 below the head.
  const property = fc.asyncProperty(aDeposit, async (wanted) => {
    const outcome = await withChainRestored(chainOf(wanted.vault.chain_id), () => attempt(wanted));
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  });
  await fc.assert(property, { numRuns: RUNS });
  expect(outcomes["minted"]).toBeGreaterThan(RUNS / 5);
  if (RUNS > 100) console.log(outcomes);
});

async function attempt(wanted: RandomDeposit): Promise<string> {
  const { vault, amount, slippage, style } = wanted;
  const chain = chainOf(vault.chain_id);
  const native = wanted.native && vault.asset_symbol === "WETH";
  const user = await newUser(chain);
  // A new user has 10,000 of native money, half of which may be wrapped.
  const means = (native ? 9_999n : 5_000n) * 10n ** 18n;
  const affordable = vault.asset_symbol !== "WETH" || amount <= means;
  const asset = tokenOn(chain, vault.asset_symbol);
  if (affordable && !native) await give(chain, { user, symbol: vault.asset_symbol, amount });
  const body = {
    from_chain_id: vault.chain_id,
    from_token: native ? zeroAddress : asset,
    from_amount: String(amount),
    vault_id: vault.vault_id,
    user_address: user.address,
    slippage,
  };
  if (!native && wanted.standing > 0n)
    await approve(vault, { user, amount: (amount * wanted.standing) / 100n });
  const answer = await api.send("/v1/quote/build", { body });
  if (answer.status !== 200) {
    const { code } = problemOf(answer);
    expect(REFUSALS, answer.text).toContain(code);
    return code;
  }
  const built = bodyOf(answer, { schema: SentDeposit });
  expect(built.simulation.balance_sufficient).toBe(affordable);
  if (!affordable) return "without the money";
  if (style === "approval" && wanted.standing > 0n && vault.asset_symbol === "USDT") return "needs the calls";
  await drift(vault, wanted.driftBps);
  await mined(chain, await signDeposit(chain, { user, built, style }));
  await expectMinted(vault, { user, built, drifted: wanted.driftBps > 0n });
  return "minted";
}

async function expectMinted(
  vault: StackVault,
  job: { user: TestUser; built: SentDeposit; drifted: boolean },
) {
  const chain = chainOf(vault.chain_id);
  const minted = await balanceOf(chain, { token: addressOf(vault), owner: job.user.address });
  const { estimated_shares: estimated, min_shares: minimum } = job.built.estimate;
  expect(minted).toBeGreaterThanOrEqual(BigInt(minimum ?? "1"));
  if (job.drifted) return;
  const difference = minted - BigInt(estimated);
  expect((difference < 0n ? -difference : difference) * 1_000n).toBeLessThanOrEqual(BigInt(estimated));
}

async function approve(
  vault: StackVault,
  { user, amount }: { user: TestUser; amount: bigint },
): Promise<void> {
  const chain = chainOf(vault.chain_id);
  const spender = vault.scenario === "caller" ? addressOf(vault) : chain.info.contracts.deposit_router;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [spender, amount] });
  await mined(chain, await sendCall(user, { to: tokenOn(chain, vault.asset_symbol), data }));
}

/** Gives a vault that counts its own balance some yield. */
async function drift(vault: StackVault, bps: bigint): Promise<void> {
  if (bps === 0n || vault.adapter === "metamorpho" || vault.scenario === "empty") return;
  const chain = chainOf(vault.chain_id);
  const address = addressOf(vault);
  const held = await chain.client.readContract({ address, abi: erc4626Abi, functionName: "totalAssets" });
  const amount = (held * bps) / 10_000n;
  if (amount === 0n || amount > 5_000n * 10n ** 18n) return;
  const donor = await newUser(chain);
  await give(chain, { user: donor, symbol: vault.asset_symbol, amount });
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [address, amount] });
  await mined(chain, await sendCall(donor, { to: tokenOn(chain, vault.asset_symbol), data }));
}
