import { setTimeout as sleep } from "node:timers/promises";
import { encodeFunctionData, erc20Abi, erc4626Abi, type Hex, keccak256, zeroAddress, zeroHash } from "viem";
import { awaitReceipt } from "../../../scripts/stack/chains/await-receipt.ts";
import type { TokenSymbol } from "../../../scripts/stack/chains/plan.ts";
import type { Relayer } from "../../../scripts/stack/emulators/control.ts";
import type { StackVault } from "../../../scripts/stack/manifest.ts";
import { type Context, createContext, createRuntime } from "../../../src/context.ts";
import type { NewDeposit } from "../../../src/db/queries/deposit-queries.ts";
import { deposits } from "../../../src/db/tables/deposit-tables.ts";
import { orderRef } from "../../../src/orders/order-attribution.ts";
import type { DestinationCall, VerifiedTransfer } from "../../../src/providers/provider.ts";
import { encodeRouterCall, spendingStep } from "../../../src/router/router-codec.ts";
import { addressOf, chainIds, chainOf, type KeyedUser, mined, newUser, sendCall, tokenOn } from "./chain.ts";
import { emulators, type FaultInput } from "./faults.ts";
import { variablesFor } from "./worker.ts";

export type ProviderName = "across" | "lifi";

/** A cross-chain deposit whose source transaction was sent. */
export interface SentBridgeDeposit {
  trackingId: string;
  user: KeyedUser;
  vault: StackVault;
  hash: Hex;
  /** Guaranteed amount of the delivery, in the smallest unit. */
  promised: bigint;
}

export interface BridgeDepositInput {
  provider: ProviderName;
  vault: StackVault;
  amount?: bigint;
  /** True if the bridge only delivers and the user deposits in a second transaction. */
  twoStep?: boolean;
  /** Minimum shares of the destination call. A very large number makes only that call fail. */
  minShares?: bigint;
  user?: KeyedUser;
  /** True if no job tracks the deposit before it is asked for. */
  unscheduled?: true;
}

const AMOUNT = 250_000_000n;
const MAX = 2n ** 256n - 1n;
const SLIPPAGE = 20_000_000n;

/**
 * Creates a context of the service on the stack, as the first request of a new isolate gets it: without cached data.
 */
export async function programContext(): Promise<Context> {
  return createContext(createRuntime(await variablesFor("http://127.0.0.1:9", {})), {
    requestId: () => "test",
    clientAddress: "unknown",
    waitUntil: () => undefined,
  });
}

/** Builds a cross-chain deposit with the service's own providers, records it like a build, and sends it. */
export async function sendBridgeDeposit(departure: BridgeDepositInput): Promise<SentBridgeDeposit> {
  const built = await prepareMove(departure);
  return { ...built, hash: await sendMove(built) };
}

type Prepared = Omit<SentBridgeDeposit, "hash"> & {
  move: VerifiedTransfer;
  amount: bigint;
  symbol: TokenSymbol;
};

/** Builds and records a cross-chain deposit like `depart`, but does not send it. */
export async function prepareMove(departure: BridgeDepositInput): Promise<Prepared> {
  const { vault, provider: name, twoStep = false, amount = AMOUNT } = departure;
  const ctx = await programContext();
  const [from, to] = ends(vault);
  const symbol = vault.asset_symbol;
  const user = departure.user ?? (await newUser(from, { [symbol]: amount }));
  const trackingId = `trk_${ctx.randomId()}`;
  const provider = (await ctx.providers.all()).find((one) => one.name === name);
  if (provider === undefined) throw new Error(`no provider ${name}`);
  const call = twoStep ? null : callInto({ departure, trackingId, user: user.address });
  const move = await provider.build(ctx.providers.scope, {
    fromChainId: from.chainId,
    toChainId: to.chainId,
    fromToken: tokenOn(from, symbol),
    toToken: tokenOn(to, symbol),
    amount,
    user: user.address,
    slippage: SLIPPAGE,
    call,
    bridges: ["across"],
  });
  await writeDown(ctx, { departure, trackingId, user, move, amount });
  return { trackingId, user, vault, move, amount, symbol, promised: move.toAmount };
}

/** Approves and sends a prepared cross-chain deposit with the user's wallet. */
export async function sendMove({ user, vault, move, amount, symbol }: Prepared): Promise<Hex> {
  const [from] = ends(vault);
  if (move.spender !== null) {
    const args = [move.spender, amount] as const;
    const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args });
    await mined(from, await sendCall(user, { to: tokenOn(from, symbol), data }));
  }
  const { to, data, value } = move.transaction;
  const hash = await sendCall(user, { to, data, value });
  await awaitReceipt(from.client, hash);
  return hash;
}

/** Returns the source chain of a cross-chain deposit into a vault, and the vault's chain. */
export function ends(vault: StackVault) {
  const other = vault.chain_id === chainIds.one ? chainIds.two : chainIds.one;
  return [chainOf(other), chainOf(vault.chain_id)] as const;
}

/** Returns the destination call by which the Router deposits the delivered amount. */
function callInto(into: { departure: BridgeDepositInput; trackingId: string; user: Hex }): DestinationCall {
  const { user, trackingId } = into;
  const { vault, minShares = 1n, amount = AMOUNT } = into.departure;
  const [, chain] = ends(vault);
  const asset = tokenOn(chain, vault.asset_symbol);
  const target = addressOf(vault);
  const minIn = (amount * 9n) / 10n;
  const order = {
    tokenIn: asset,
    nativeFee: 0n,
    minOutPerIn: 0n,
    direct: true,
    amountIn: MAX,
    minIn,
    tokenOut: target,
    receiver: user,
    minOut: minShares,
    deadline: BigInt(Math.floor(Date.now() / 1000) + 86_400),
    refundTo: user,
    ref: orderRef(trackingId),
    partnerId: zeroHash,
    partnerType: 0,
  };
  const data = encodeFunctionData({ abi: erc4626Abi, functionName: "deposit", args: [0n, user] });
  const steps = [spendingStep({ target, spender: target, token: asset, offset: 4n, data })];
  const router = chain.info.contracts.deposit_router;
  return {
    target: router,
    data: encodeRouterCall({ order, steps, sweep: [] }),
    minIn,
    gasLimit: 900_000n,
  };
}

async function writeDown(
  ctx: Context,
  made: {
    departure: BridgeDepositInput;
    trackingId: string;
    user: KeyedUser;
    move: VerifiedTransfer;
    amount: bigint;
  },
): Promise<void> {
  const { departure, trackingId, user, move, amount } = made;
  const { vault, twoStep = false } = departure;
  const [from, to] = ends(vault);
  const now = new Date();
  const row: NewDeposit = {
    trackingId,
    ref: orderRef(trackingId),
    state: "built",
    userAddress: user.address.toLowerCase(),
    vaultChainId: to.chainId,
    vaultAddress: addressOf(vault),
    shareToken: addressOf(vault),
    fromChainId: from.chainId,
    fromToken: tokenOn(from, vault.asset_symbol).toLowerCase(),
    fromAmount: amount.toString(),
    slippage: 0.02,
    estimatedShares: "1",
    minShares: twoStep ? null : String(departure.minShares ?? 1n),
    provider: move.provider,
    bridge: move.bridge,
    tool: move.tool,
    moveToken: tokenOn(to, vault.asset_symbol).toLowerCase(),
    moveExpected: move.toAmount.toString(),
    moveMin: move.toAmountMin.toString(),
    destinationCall: !twoStep,
    twoStep,
    sourceTo: move.transaction.to.toLowerCase(),
    sourceDataHash: keccak256(move.transaction.data),
    referrer: zeroAddress,
    history: [{ state: "built", at: now.toISOString() }],
    createdAt: now,
    updatedAt: now,
    expiresAt: new Date(now.getTime() + 300_000),
    nextCheckAt: departure.unscheduled ? null : now,
  };
  await ctx.db.run((sql) => sql.insert(deposits).values(row));
}

/**
 * Runs work while no round reads the local chains: rounds that earlier cron runs queued go on for a minute. A deposit that
 * is due is tracked all the same, so the work needs one that is `unscheduled`.
 */
export async function unfollowed<T>(work: () => Promise<T>): Promise<T> {
  const ctx = await programContext();
  const hold = <R>(chainId: number, inner: () => Promise<R>) =>
    ctx.withLock({ key: `follow:${chainId}`, work: inner });
  for (;;) {
    const ended = await hold(chainIds.one, () => hold(chainIds.two, async () => ({ result: await work() })));
    if (ended !== null) return ended.result;
    // A round holds one of the locks.
    await sleep(100);
  }
}

/** Runs work while both bridge services have the given faults and their relayer the given settings. */
export async function withBridge<T>(
  told: { faults?: readonly FaultInput[]; relayer?: Partial<Relayer> },
  work: () => Promise<T>,
): Promise<T> {
  const urls = [emulators().lifi, emulators().across];
  const all = (init: RequestInit) => Promise.all(urls.map((url) => fetch(`${url}/__control`, init)));
  const set = await all({ method: "POST", body: JSON.stringify(told) });
  if (set.some(({ ok }) => !ok)) throw new Error("the bridge's settings were refused");
  try {
    return await work();
  } finally {
    await all({ method: "DELETE" });
  }
}
