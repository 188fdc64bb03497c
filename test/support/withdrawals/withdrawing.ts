import { type Abi, type Address, numberToHex, parseAbi } from "viem";
import { z } from "zod";
import type { Database } from "../../../src/db/database-client.ts";
import type { Drizzle } from "../../../src/db/open-drizzle.ts";
import { priceKey } from "../../../src/prices/price.ts";
import { decodeKyberSwap, kyberReceiverOffset } from "../../../src/providers/kyber/kyber-calldata.ts";
import type {
  Provider,
  TransferQuote,
  TransferRequest,
  VerifiedTransfer,
} from "../../../src/providers/provider.ts";
import { depositRouterCodeHash } from "../../../src/router/router-address.ts";
import { WithdrawInput } from "../../../src/schemas/withdraw-build-schema.ts";
import type { StoredVault, Vault } from "../../../src/vaults/vault.ts";
import { type TestContext, testContext } from "../context.ts";
import { NOW, USDC, USER, vault, WETH } from "../deposits/fixtures.ts";
import { cacheStorageLayout } from "../deposits/routed-fixtures.ts";
import { type SimulatedChain, type SimulatedEffects, simulatedChain } from "../deposits/simulated-chain.ts";
import { priceOfToken } from "../economics/trades.ts";
import { encodeFields, honestFields } from "../kyber/stage.ts";
import { HELD, home, WORTH } from "./fixtures.ts";

/** Returns the database row of a vault. */
export const storedOf = (of: Vault, change: Partial<StoredVault> = {}): StoredVault => ({
  ...{ chainId: of.chainId, address: of.address, type: of.type, adapter: of.adapter, params: of.params },
  ...{ name: of.name, assetAddress: of.asset.address, assetSymbol: of.asset.symbol },
  ...{ assetDecimals: of.asset.decimals, acceptedAssets: [], shareToken: of.shareToken },
  ...{ shareDecimals: of.shareDecimals, entryPoint: of.entryPoint, spender: of.spender, pricer: of.pricer },
  ...{ caller: of.caller, curator: "", status: "active", statusReason: "", minDeposit: null },
  ...{ noMinimum: false, startBlock: null },
  ...change,
});

/** A database in which every query returns the same rows, with the values that were written to it. */
export interface FixedDatabase extends Database {
  /** Values of all inserts and updates, in order. */
  readonly written: Record<string, unknown>[];
}

/** Creates a database that answers every statement with `rows()` and executes none. */
export function fixedDatabase(rows: () => readonly object[]): FixedDatabase {
  const written: Record<string, unknown>[] = [];
  const statement: unknown = new Proxy(() => undefined, {
    get: (_target, name) => {
      if (name === "then") return (resolve: (found: unknown) => void) => resolve(rows());
      if (name === "values" || name === "set")
        return (value: Record<string, unknown>) => {
          written.push(value);
          return statement;
        };
      return () => statement;
    },
  });
  return { written, run: async (ask) => ask(statement as Drizzle) };
}

/** A chain on which a user can withdraw, with the context of a request. */
export interface WithdrawalFixture {
  ctx: TestContext;
  chain: SimulatedChain;
  db: FixedDatabase;
}

const tokens = {
  decimals: (token: Address) => (token === USDC ? 6 : 18),
  symbol: (token: Address) => (token === USDC ? "USDC" : "WETH"),
};

/** Creates a chain on which the user holds `HELD` shares worth `WORTH`, and on which the Router is deployed. */
export async function createWithdrawalFixture(
  world: {
    effects?: (call: { to: string; data: string }) => SimulatedEffects;
    answers?: Readonly<Record<string, unknown>>;
    functions?: Abi;
    vaults?: readonly StoredVault[];
    routed?: boolean;
    nowMs?: number;
  } = {},
): Promise<WithdrawalFixture> {
  const chain = simulatedChain({
    definition: home,
    effects: world.effects ?? (() => ({})),
    ...(world.functions === undefined ? {} : { functions: world.functions }),
    answers: {
      balanceOf: HELD,
      allowance: 0n,
      convertToAssets: WORTH,
      previewRedeem: WORTH,
      ...tokens,
      ...world.answers,
    },
  });
  const stored = world.vaults ?? [storedOf(vault)];
  const db = fixedDatabase(() => stored);
  const ctx = testContext({ clients: [chain.client], db, nowMs: world.nowMs ?? NOW });
  await rememberRouter(ctx, world.routed ?? true);
  await cacheStorageLayout(ctx, USDC);
  return { ctx, chain, db };
}

/** Stores in the cache whether the Router is deployed on a chain. */
export async function rememberRouter(
  ctx: TestContext,
  deployed: boolean,
  chainId = home.chainId,
): Promise<void> {
  const forever = { freshMs: 1e12, staleMs: 1e12, keepMs: 1e12 };
  await ctx.cache.cached({
    key: `router:${chainId}:${depositRouterCodeHash}`,
    schema: z.object({ deployed: z.boolean(), at: z.number() }),
    ...forever,
    load: async () => ({ deployed, at: NOW }),
  });
}

/** Returns a parsed withdrawal request: of all shares, in the vault's asset by default. */
export const inputOf = (change: Record<string, unknown> = {}): WithdrawInput =>
  WithdrawInput.parse({ vault_id: vault.vaultId, user_address: USER, shares: "all", ...change });

/** Unit of WETH, which has 18 decimals. One WETH costs 2,500 USDC. */
export const ETHER = 10n ** 18n;
export const fairWeth = (usdc: bigint): bigint => (usdc * ETHER) / 2_500_000_000n;
/** The swap provider's contract. */
export const EXCHANGE: Address = "0x6131B5fae19EA4f9D964eAc0408E4408b66337b5";

/** A provider of swaps on one chain: a context that uses it, and the requests that it received. */
export interface SwapDesk {
  ctx: TestContext;
  asked: TransferRequest[];
}

/** Creates a provider that swaps USDC to WETH at a fair price, and lists both prices as feeds. */
export function swapDesk(
  ctx: TestContext,
  change: {
    asStep?: boolean;
    price?: (amount: bigint) => bigint;
    made?: Partial<VerifiedTransfer>;
    /** Fields of the swap that differ from the request. */
    fields?: Parameters<typeof honestFields>[1];
  } = {},
): SwapDesk {
  const asked: TransferRequest[] = [];
  const price = change.price ?? fairWeth;
  const offer = ({ amount }: TransferRequest): TransferQuote => ({
    ...{ provider: "desk", bridge: null, bridgeName: null, bridgeLogo: null },
    ...{ toAmount: price(amount), toAmountMin: (price(amount) * 99n) / 100n, declaredFee: 0n, nativeFee: 0n },
    ...{ estimatedSeconds: null, gas: null, supportsCall: false, supportsPlain: true },
  });
  const provider: Provider = {
    name: "desk",
    capabilities: () => ({ bridges: [], swaps: true, destinationCall: false }),
    quote: async (_scope, request) => [offer(request)],
    async build(_scope, request) {
      asked.push(request);
      const quote = offer(request);
      const data = encodeFields(
        honestFields(request, { minReturnAmount: quote.toAmountMin, ...change.fields }),
      );
      const swap = decodeKyberSwap(data);
      if (swap === null) throw new Error("no swap");
      return {
        ...quote,
        transaction: { to: EXCHANGE, data, value: 0n },
        ...{ spender: EXCHANGE, executor: null, tool: "desk", validSeconds: 60, swaps: true },
        ...(change.asStep === false
          ? {}
          : { asStep: { receiverOffset: kyberReceiverOffset(swap), leftovers: [] } }),
        ...change.made,
      };
    },
    spenders: () => [EXCHANGE],
    assets: () => [],
    status: () => {
      throw new Error("nobody asks for this");
    },
  };
  for (const [token, usd, decimals] of [
    [WETH, 2_500n * ETHER, 18],
    [USDC, ETHER, 6],
  ] as const) {
    const { chainId } = home;
    ctx.prices.book.feeds.set(
      priceKey({ chainId, token }),
      priceOfToken({ chainId, address: token, decimals, usd, unit: String(decimals) }),
    );
  }
  return { ctx: { ...ctx, providers: { ...ctx.providers, all: async () => [provider] } }, asked };
}

/** Returns the return data of a Router order: the measured output. */
export const measured = (output: bigint) => numberToHex(output, { size: 32 });

/**
 * Two vaults: one with a cooldown (like sUSDe), and one whose delegate processes requests that their owners then
 * withdraw (like Maple).
 */
export const cooling: Vault = { ...vault, params: { exit: "cooldown" } };
export const pooled: Vault = { ...vault, params: { exit: "maple" } };
export const waitingFunctions = parseAbi([
  "function cooldownDuration() view returns (uint24)",
  "function cooldowns(address) view returns (uint104 cooldownEnd, uint152 underlyingAmount)",
  "function maxRedeem(address) view returns (uint256)",
  "function convertToExitAssets(uint256) view returns (uint256)",
  "function manager() view returns (address)",
  "function withdrawalManager() view returns (address)",
  "function lockedShares(address) view returns (uint256)",
  "function exitCycleId(address) view returns (uint256)",
  "function getWindowAtId(uint256) view returns (uint256, uint256)",
]);
