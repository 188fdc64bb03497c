import { type Address, type Hex, isAddressEqual, zeroAddress } from "viem";
import { AppError } from "../../../src/errors.ts";
import { depositRouterAddress } from "../../../src/router/router-address.ts";
import { decodeRouterCall, routerBridgeOutput } from "../../../src/router/router-codec.ts";
import type { WalletCall } from "../../../src/schemas/transaction-schema.ts";
import type { Vault } from "../../../src/vaults/vault.ts";
import { onwardAmount, prepareTransfer } from "../../../src/withdrawals/find-exit-transfer-route.ts";
import { prepareOnward } from "../../../src/withdrawals/prepare-routed-exit.ts";
import { vault as testVault, VAULT } from "../deposits/fixtures.ts";
import { balanceKey, type SentCall, type SimulatedEffects } from "../deposits/simulated-chain.ts";
import { USER } from "../lifi/parts.ts";
import { exitWayOf, factsOf, HELD, orderOf, paying } from "../withdrawals/fixtures.ts";
import type { Trade } from "./trades.ts";
import {
  createTradeWorld,
  type Providers,
  type TradeOptions,
  type TradeStage,
  type TradeWorld,
  type Verdict,
} from "./world.ts";

/** How a vault's payment is moved: by the user in a second step, or in the Router order that redeems the shares. */
export type ExitWay = "second_step" | "one_order";

/** A withdrawal's swap or bridge as it was built. */
export interface BuiltExit {
  provider: string;
  /** The provider's contract and its calldata. */
  target: Address;
  data: Hex;
  value: bigint;
  /** What the user's wallet signs, approvals first. */
  calls: readonly Pick<WalletCall, "to" | "data">[];
  /** Expected amount in the response. */
  shown: bigint;
  /** Minimum output that the Router enforces, or null if only the provider's contract does. */
  floor: bigint | null;
}

/** Result of a withdrawal: what was built, or the error code. */
export interface ExitVerdict extends Pick<Verdict, "code" | "distrusted" | "refusals"> {
  built: BuiltExit | null;
}

/** Requests the swap or bridge of a vault's payment, with the service's own providers over the emulated markets. */
export async function exitWith(
  trade: Trade,
  providers: Providers,
  { way, ...options }: TradeOptions & { way: ExitWay },
): Promise<ExitVerdict> {
  const world = await createTradeWorld(trade, providers, { ...options, effectsOf: effectsOfExit });
  try {
    const built = await (way === "second_step" ? secondStep(trade, world) : oneOrder(trade, world));
    return { built, code: null, ...world.told() };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { built: null, code: error.code, ...world.told() };
  }
}

async function secondStep({ from, to, amount, slippage }: Trade, { ctx }: TradeWorld): Promise<BuiltExit> {
  const made = await prepareTransfer(ctx, {
    ...{ user: USER, slippage, preferredBridge: null },
    from: { chainId: from.chainId, token: from.address, amount },
    to: { chainId: to.chainId, token: to.address },
  });
  const { to: target, data, value } = made.transaction_request;
  const shown = made.toAmount;
  const sent = { target: target as Address, data: data as Hex, value: BigInt(value), calls: made.calls };
  return { provider: made.provider, ...sent, shown, floor: null };
}

async function oneOrder(trade: Trade, { ctx, chains }: TradeWorld): Promise<BuiltExit> {
  const { from, to, slippage } = trade;
  const asset = { address: from.address, symbol: "TKN", decimals: from.decimals };
  const vault: Vault = {
    ...{ ...testVault, vaultId: `${from.chainId}:${VAULT.toLowerCase()}` },
    ...{ chainId: from.chainId, asset },
  };
  const order = orderOf({
    ...{ client: chains.source.client, vault, user: USER, slippage },
    to: { client: chains.destination.client, chainId: to.chainId, token: to.address },
  });
  const paid = paidFor(trade.amount);
  const terms = { ...paying, asset: from.address, previewAssets: paid, grossAssets: paid };
  const facts = factsOf(order, [exitWayOf(order, { token: asset, pays: false, terms })]);
  const made = await prepareOnward(ctx, { order, facts, mode: "instant" });
  if (made.kind === "direct" || (made.kind === "two_step" && made.transfer === null))
    throw new Error(made.kind);
  if (made.kind === "two_step") {
    const { route } = made.transfer ?? { route: null };
    if (route === null) throw new Error("no route");
    const { to: target, data, value } = route.transaction;
    return { provider: route.provider, target, data, value, calls: [], shown: route.toAmount, floor: null };
  }
  const { exit } = made;
  const { order: built, steps, sweep } = decodeRouterCall(exit.call.data);
  const onward = steps.at(-1);
  const kept = sweep.length === 0 && isAddressEqual(built.receiver, USER) && steps.length === 2;
  if (onward === undefined || !kept) throw new Error("an order of another shape");
  const bridged = isAddressEqual(built.tokenOut, routerBridgeOutput);
  return {
    ...{ provider: exit.route.provider, target: onward.target, data: onward.data, value: onward.value },
    calls: exit.simulated.calls.map(({ target, data }) => ({ to: target, data })),
    ...{ shown: exit.toAmount, floor: bridged ? null : built.minOut },
  };
}

/** Returns the vault's payment of which the service moves on an amount. */
function paidFor(amount: bigint): bigint {
  let paid = amount + amount / 10_000n;
  for (let left = onwardAmount(paid); left < amount; left = onwardAmount(paid)) paid += amount - left;
  if (onwardAmount(paid) !== amount) throw new Error(`no payment leaves ${amount}`);
  return paid;
}

const REVERTED: SimulatedEffects = { revert: "0x" };

/** Returns the effects of a withdrawal's simulated call. The Router and the swap contracts enforce their floors. */
function effectsOfExit(stage: TradeStage, { call }: { call: SentCall }): SimulatedEffects {
  const { from, to, amount } = stage.trade;
  const shares = { [balanceKey(VAULT, USER)]: -HELD };
  if (!isAddressEqual(call.to, depositRouterAddress)) {
    const paid = from.address === zeroAddress ? {} : { [balanceKey(from.address, USER)]: -amount };
    if (from.chainId !== to.chainId) return { rises: paid };
    const delivered = deliveredBy(stage);
    return delivered === null ? REVERTED : { rises: { ...paid, [balanceKey(to.address, USER)]: delivered } };
  }
  const { order, steps } = decodeRouterCall(call.data);
  const swaps = isAddressEqual(order.tokenIn, from.address) && from.chainId === to.chainId;
  if (steps.length === 1 && !swaps)
    return { rises: { ...shares, [balanceKey(from.address, USER)]: paidFor(amount) } };
  if (from.chainId !== to.chainId) return { rises: shares };
  const delivered = deliveredBy(stage);
  if (delivered === null || delivered < order.minOut) return REVERTED;
  const paid = swaps ? { [balanceKey(from.address, USER)]: -amount } : shares;
  return { rises: { ...paid, [balanceKey(to.address, USER)]: delivered } };
}

/** Returns what the last built swap delivers, or null if its own minimum makes it revert. */
function deliveredBy({ lifi, lie, exchange }: TradeStage): bigint | null {
  const built = exchange?.market.built ?? lifi?.built ?? null;
  const told = exchange?.lie ?? lie;
  if (built === null || told === null) return null;
  const delivered = (built.expected * BigInt(told.simulated)) / 10_000n;
  return delivered < built.least ? null : delivered;
}
