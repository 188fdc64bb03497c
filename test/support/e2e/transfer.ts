import { type Address, type Hex, numberToHex, zeroAddress } from "viem";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { rpc } from "../../../scripts/stack/chains/json-rpc.ts";
import type { TokenSymbol } from "../../../scripts/stack/chains/plan.ts";
import type { StackVault } from "../../../scripts/stack/manifest.ts";
import { createWallet } from "../wallet.ts";
import type { BuildBody, SentDeposit } from "./api.ts";
import { balanceOf } from "./balances.ts";
import { addressOf, chainOf, give, mined, type TestChain, type TestUser, tokenOn } from "./chain.ts";
import { settled } from "./settled.ts";
import { type Style, signDeposit } from "./sign-deposit.ts";

/** Token that a user pays with. `ETH` is the native currency. */
export type Paid = Exclude<TokenSymbol, "FEE"> | "ETH";

/** Amounts worth a few hundred dollars by token, with nonzero digits down to the smallest unit. */
export const paidAmounts: Readonly<Record<Paid, bigint>> = {
  USDC: 123_456_789n,
  USDT: 98_765_432n,
  WBTC: 234_567n,
  WETH: 45_678_901_234_567_891n,
  ETH: 54_321_098_765_432_109n,
};

/** An account with a wallet and native currency on every chain. */
export interface MultiChainUser {
  address: Address;
  on(chain: TestChain): TestUser;
}

export async function newMultiChainUser(chains: readonly TestChain[]): Promise<MultiChainUser> {
  const privateKey = generatePrivateKey();
  const address = privateKeyToAddress(privateKey);
  for (const { rpcUrl } of chains) await rpc(rpcUrl, "anvil_setBalance", address, numberToHex(10n ** 22n));
  return {
    address,
    on: ({ rpcUrl, chainId }) => ({ address, wallet: createWallet({ privateKey, rpcUrl, chainId }) }),
  };
}

/** A deposit with a token of one chain into a vault. */
export interface Journey {
  from: TestChain;
  paid: Paid;
  vault: StackVault;
}

/** Gives an account the tokens that a deposit needs, and returns the body of its build request. */
export async function prepare(
  journey: Journey,
  traveller: MultiChainUser,
  amount = paidAmounts[journey.paid],
): Promise<BuildBody> {
  const { from, paid, vault } = journey;
  if (paid !== "ETH") await give(from, { user: traveller.on(from), symbol: paid, amount });
  return {
    from_chain_id: from.chainId,
    from_token: paid === "ETH" ? zeroAddress : tokenOn(from, paid),
    from_amount: String(amount),
    vault_id: vault.vault_id,
    user_address: traveller.address,
    slippage: 0.02,
  };
}

/** When a delivery that does not come is given up, and the polling interval, in milliseconds. */
export const DELIVERY_POLLING = { timeout: 240_000, interval: 100 };

export const sharesOf = (vault: StackVault, owner: Address): Promise<bigint> =>
  balanceOf(chainOf(vault.chain_id), { token: addressOf(vault), owner });

/**
 * Signs a built deposit with a plain wallet, waits for the delivery, and signs the second step if there is one. Returns
 * the hash of the first transaction, the delivered amount if there is a second step, and the user's final shares.
 */
export async function completeDeposit(
  trip: Journey & { traveller: MultiChainUser; built: SentDeposit; style: Style },
): Promise<{ hash: Hex; arrived: bigint | null; shares: bigint }> {
  const { from, vault, traveller, built, style } = trip;
  const to = chainOf(vault.chain_id);
  const held = () => arrivedOf(trip, to);
  const before = await held();
  let arrived: bigint | null = null;
  const hash = await signDeposit(from, { user: traveller.on(from), built, style });
  await mined(from, hash);
  if (built.deposit_tx !== null) {
    const least = depositedBy(built.deposit_tx);
    arrived = (await settled(held, { ...DELIVERY_POLLING, wanted: (now) => now - before >= least })) - before;
    await signSecond(to, { user: traveller.on(to), second: built.deposit_tx });
  }
  const least = BigInt(built.estimate.min_shares ?? "1");
  const wanted = (minted: bigint) => minted >= least;
  const shares = await settled(() => sharesOf(vault, traveller.address), { ...DELIVERY_POLLING, wanted });
  return { hash, arrived, shares };
}

/**
 * Returns the shares to expect if everything is signed as built. The estimate is for the expected delivery, but the
 * second transaction in the build deposits only the guaranteed amount; the user keeps the rest.
 */
export function sharesAsBuilt({ estimate, deposit_tx: second }: SentDeposit): bigint {
  const estimated = BigInt(estimate.estimated_shares);
  if (second === null) return estimated;
  return (estimated * depositedBy(second)) / BigInt(estimate.deposit_amount);
}

/** Returns the amount that the second step deposits, in the token's smallest unit. */
const depositedBy = ({ approval, transaction_request: request }: Second): bigint =>
  BigInt(approval?.amount ?? request.value);

/** Returns the user's balance of the token that the second step deposits. */
async function arrivedOf(
  { built, traveller }: { built: SentDeposit; traveller: MultiChainUser },
  to: TestChain,
) {
  if (built.deposit_tx === null) return 0n;
  const token = (built.deposit_tx.approval?.token_address ?? zeroAddress) as Address;
  if (token === zeroAddress) return to.client.getBalance({ address: traveller.address });
  return balanceOf(to, { token, owner: traveller.address });
}

type Second = NonNullable<SentDeposit["deposit_tx"]>;

/** Approves and sends the second step as the build returned it. */
export async function signSecond(
  chain: TestChain,
  { user, second }: { user: TestUser; second: Second },
): Promise<Hex> {
  const hash = await signDeposit(chain, { user, built: { ...second, calls: [] }, style: "approval" });
  await mined(chain, hash);
  return hash;
}
