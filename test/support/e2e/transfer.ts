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

/** What a user pays with; `ETH` is native. */
export type Paid = Exclude<TokenSymbol, "FEE"> | "ETH";

/** Some hundred dollars of each, with digits down to the smallest unit. */
export const paidAmounts: Readonly<Record<Paid, bigint>> = {
  USDC: 123_456_789n,
  USDT: 98_765_432n,
  WBTC: 234_567n,
  WETH: 45_678_901_234_567_891n,
  ETH: 54_321_098_765_432_109n,
};

/** An account with a wallet on every chain and native money for gas. */
export interface Traveller {
  address: Address;
  on(chain: TestChain): TestUser;
}

export async function newTraveller(chains: readonly TestChain[]): Promise<Traveller> {
  const privateKey = generatePrivateKey();
  const address = privateKeyToAddress(privateKey);
  for (const { rpcUrl } of chains) await rpc(rpcUrl, "anvil_setBalance", address, numberToHex(10n ** 22n));
  return {
    address,
    on: ({ rpcUrl, chainId }) => ({ address, wallet: createWallet({ privateKey, rpcUrl, chainId }) }),
  };
}

/** A way from a token on one chain into a vault. */
export interface Journey {
  from: TestChain;
  paid: Paid;
  vault: StackVault;
}

/** Gives a traveller what a journey costs, and writes the body that asks for it. */
export async function prepare(
  journey: Journey,
  traveller: Traveller,
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

/** How long a delivery may take on a busy machine. */
export const PATIENCE = { timeout: 30_000, interval: 100 };

export const sharesOf = (vault: StackVault, owner: Address): Promise<bigint> =>
  balanceOf(chainOf(vault.chain_id), { token: addressOf(vault), owner });

/**
 * Signs what was built with a plain wallet, waits for what arrives, and signs the second step where there is one.
 * Gives the hash of the first transaction, what arrived for the second, and the shares that the user has at the end.
 */
export async function travel(
  trip: Journey & { traveller: Traveller; built: SentDeposit; style: Style },
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
    arrived = (await settled(held, { ...PATIENCE, wanted: (now) => now - before >= least })) - before;
    await signSecond(to, { user: traveller.on(to), second: built.deposit_tx });
  }
  const least = BigInt(built.estimate.min_shares ?? "1");
  const wanted = (minted: bigint) => minted >= least;
  const shares = await settled(() => sharesOf(vault, traveller.address), { ...PATIENCE, wanted });
  return { hash, arrived, shares };
}

/**
 * The shares to expect when all is signed as built. The estimate is for the amount expected to arrive; the second
 * transaction of the answer deposits the guaranteed amount and leaves the rest with the user.
 */
export function sharesAsBuilt({ estimate, deposit_tx: second }: SentDeposit): bigint {
  const estimated = BigInt(estimate.estimated_shares);
  if (second === null) return estimated;
  return (estimated * depositedBy(second)) / BigInt(estimate.deposit_amount);
}

/** What the second step takes from the user, in the deposited token's smallest unit. */
const depositedBy = ({ approval, transaction_request: request }: Second): bigint =>
  BigInt(approval?.amount ?? request.value);

/** What the user holds of the token that the second step takes. */
async function arrivedOf({ built, traveller }: { built: SentDeposit; traveller: Traveller }, to: TestChain) {
  if (built.deposit_tx === null) return 0n;
  const token = (built.deposit_tx.approval?.token_address ?? zeroAddress) as Address;
  if (token === zeroAddress) return to.client.getBalance({ address: traveller.address });
  return balanceOf(to, { token, owner: traveller.address });
}

type Second = NonNullable<SentDeposit["deposit_tx"]>;

/** Approves and sends the second step as the answer has it. */
export async function signSecond(
  chain: TestChain,
  { user, second }: { user: TestUser; second: Second },
): Promise<Hex> {
  const hash = await signDeposit(chain, { user, built: { ...second, calls: [] }, style: "approval" });
  await mined(chain, hash);
  return hash;
}
