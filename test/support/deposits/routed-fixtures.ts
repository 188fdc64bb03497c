import { type Address, type Hex, zeroAddress, zeroHash } from "viem";
import { z } from "zod";
import type { ChainDefinition } from "../../../src/chains/chain-definitions.ts";
import type { DepositOrder } from "../../../src/deposits/deposit-intent.ts";
import type { DepositAttempt } from "../../../src/deposits/prepared-deposit.ts";
import { splitSlippage } from "../../../src/orders/order-floors.ts";
import type { RouteEnd } from "../../../src/orders/order-route-fairness.ts";
import type {
  Provider,
  TransferQuote,
  TransferRequest,
  VerifiedTransfer,
} from "../../../src/providers/provider.ts";
import { depositRouterAddress } from "../../../src/router/router-address.ts";
import { testChain } from "../chains/rpc-node.ts";
import { type TestContext, testContext } from "../context.ts";
import { NOW, REF, TRACKING_ID, USDC, USER, vault } from "./fixtures.ts";
import { type SimulatedChain, type SimulatedEffects, simulatedChain } from "./simulated-chain.ts";

/** Token that the user pays with. */
export const PAID: Address = "0x6B175474E89094C44Da98b954EedeAC495271d0F";
export const PAID_AMOUNT = 10n ** 20n;
/**
 * Addresses of the provider's contract, of the contract that it approves, and of the executor that makes the
 * destination call.
 */
export const DIAMOND: Address = "0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE";
export const SPENDER: Address = "0x5c7BCd6E7De5423a257D81B442095A1a6ced35C5";
export const EXECUTOR: Address = "0x0f7Ae28dE1C8532170AD4ee566B5801485c13a0E";
export const sourceChain: ChainDefinition = { ...testChain, chainId: 31338, name: "Elsewhere", key: "els" };

export const option: TransferQuote = {
  provider: "fake",
  bridge: "bridge",
  bridgeName: "Bridge",
  bridgeLogo: null,
  toAmount: 100_000_000n,
  toAmountMin: 99_000_000n,
  declaredFee: 0n,
  nativeFee: 0n,
  estimatedSeconds: 60,
  gas: null,
  supportsCall: true,
  supportsPlain: true,
};
const move: VerifiedTransfer = {
  ...option,
  transaction: { to: DIAMOND, data: "0x12345678", value: 0n },
  spender: SPENDER,
  executor: EXECUTOR,
  tool: "tool",
  validSeconds: 60,
  swaps: true,
};

export interface RoutedOrderFixture {
  ctx: TestContext;
  attempt: DepositAttempt;
  /** Build requests that the provider received. */
  asked: TransferRequest[];
  source: SimulatedChain;
  destination: SimulatedChain;
}

/**
 * Creates an order for a deposit from another chain, or with a swap on the vault's chain, and a provider that can
 * execute it.
 */
export async function createRoutedOrder(world: {
  oneChain?: boolean;
  made?: Partial<VerifiedTransfer>;
  atSource?: SimulatedEffects;
  atVault?: SimulatedEffects;
  /** Effects of calls of the Router that differ from those at the vault. */
  atRouter?: SimulatedEffects;
  /** Results of the vault's view functions that differ from the fixture's. */
  answers?: Readonly<Record<string, unknown>>;
  caller?: "router" | "user";
  /** Fair output for the payment, in the target token's smallest unit. Defaults to the amount that the quote offers. */
  fairOutput?: bigint;
  ends?: RouteEnd;
  /** True if the provider's calldata contains the destination call, as that of real providers does. */
  embeds?: boolean;
}): Promise<RoutedOrderFixture> {
  const destination = simulatedChain({
    ...(world.answers !== undefined && { answers: world.answers }),
    effects: ({ to, data }) => ({
      ...(data.startsWith(move.transaction.data) ? world.atSource : world.atVault),
      ...(to.toLowerCase() === depositRouterAddress.toLowerCase() ? world.atRouter : {}),
    }),
  });
  const source = world.oneChain
    ? destination
    : simulatedChain({ definition: sourceChain, effects: () => world.atSource ?? {} });
  const clients = [...new Set([source.client, destination.client])];
  const ctx = testContext({ clients, nowMs: NOW });
  await cacheStorageLayout(ctx, USDC);
  const asked: TransferRequest[] = [];
  const build: Provider["build"] = async (_scope, request) => {
    asked.push(request);
    const { data } = move.transaction;
    const whole: Hex = world.embeds ? `${data}${request.call?.data.slice(2)}${data.slice(2)}` : data;
    return { ...move, transaction: { ...move.transaction, data: whole }, ...world.made };
  };
  const order = orderOf({ source, destination, caller: world.caller ?? "router" });
  const funds: DepositAttempt["funds"] = {
    balance: PAID_AMOUNT,
    decimals: 18,
    nativeBalance: null,
    allowances: new Map([[SPENDER.toLowerCase(), 0n]]),
    authorization: null,
    account: null,
    block: { number: 1_234, timestamp: 1_700_000_000 },
  };
  const provider: Provider = { ...unasked, build };
  const ends = world.ends ?? "one_step";
  const slippage = 30_000_000n;
  const exact = world.oneChain && ends === "one_step";
  const loss = exact ? { transfer: slippage, vault: 0n } : splitSlippage(slippage);
  const fair = {
    basis: "price" as const,
    output: world.fairOutput ?? option.toAmount,
    feeOnTop: 0n,
    threeDollars: 3_000_000n,
    band: slippage,
    excess: slippage,
  };
  const offer: DepositAttempt["offer"] = async () => ({ relation: "swap", fair, slippage, loss, option });
  const deadline = NOW + 1_000;
  const attempt = { order, token: vault.asset, option, provider, funds, deadline, ends, offer };
  return { ctx, attempt, asked, source, destination };
}

const unexpected = (): never => {
  throw new Error("nobody asks for this");
};
const unasked: Omit<Provider, "build"> = {
  name: "fake",
  capabilities: unexpected,
  quote: unexpected,
  spenders: unexpected,
  status: unexpected,
  assets: () => [],
};

function orderOf(of: {
  source: SimulatedChain;
  destination: SimulatedChain;
  caller: "router" | "user";
}): DepositOrder {
  const { source, destination, caller } = of;
  return {
    from: {
      client: source.client,
      chainId: source.client.definition.chainId,
      token: PAID,
      amount: PAID_AMOUNT,
    },
    client: destination.client,
    vault: { ...vault, caller },
    entry:
      caller === "router"
        ? { via: "router", address: depositRouterAddress }
        : { via: "user", address: vault.entryPoint },
    user: USER,
    slippage: 0.03,
    preferredBridge: null,
    trackingId: TRACKING_ID,
    ref: REF,
    referrer: zeroAddress,
    referrerHandle: "",
    parentTrackingId: null,
    partnerId: "",
    partnerHash: zeroHash as Hex,
    partnerType: 0,
    partnerAddress: null,
    partnerVerified: false,
    authorize: { way: "approve", submitter: USER },
  };
}

/** Stores the token's storage layout in the cache, so that simulations can override balances. */
export async function cacheStorageLayout(ctx: TestContext, token: Address): Promise<void> {
  const day = 86_400_000;
  await ctx.cache.cached({
    key: `layout:${testChain.chainId}:${token.toLowerCase()}`,
    schema: z.object({ order: z.literal("solidity"), base: z.bigint() }),
    freshMs: day,
    staleMs: day,
    keepMs: day,
    load: async () => ({ order: "solidity" as const, base: 9n }),
  });
}
