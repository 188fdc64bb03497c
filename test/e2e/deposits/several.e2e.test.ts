import { type Address, encodeFunctionData, type Hex, maxUint256 } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import { midasDepositVaultAbi } from "#stand-ins/midas";
import { vedaAccountantAbi, vedaTellerDAbi, vedaVaultAbi } from "#stand-ins/veda";
import type { TokenSymbol } from "../../../scripts/stack/chains/plan.ts";
import { sendAsDeployer } from "../../../scripts/stack/chains/settle-requests.ts";
import { Api, type BuildBody, type SentDeposit } from "../../support/e2e/api.ts";
import { balanceOf } from "../../support/e2e/balances.ts";
import {
  addressOf,
  chainIds,
  chainOf,
  mined,
  type TestChain,
  tokenOn,
  vaultNamed,
} from "../../support/e2e/chain.ts";
import { emulators, withFaults } from "../../support/e2e/faults.ts";
import {
  completeDeposit,
  type Journey,
  newMultiChainUser,
  type Paid,
  prepare,
  sharesAsBuilt,
} from "../../support/e2e/transfer.ts";

const api = new Api();
const one = chainOf(chainIds.one);
const two = chainOf(chainIds.two);
/** Its asset is WETH, and it takes WBTC and USDT as they are, and native money; it holds what it takes. */
const basket = vaultNamed("Boring Basket");
/** Its asset is USDC, and it takes USDT, to a limit of its own; each user must call it. */
const dollars = vaultNamed("Midas Dollars");
const basketTokens = ["WETH", "WBTC", "USDT"] as const;
let teller: Address;
let accountant: Address;
let queue: Address;

beforeAll(async () => {
  teller = await one.client.readContract({
    address: addressOf(basket),
    abi: vedaVaultAbi,
    functionName: "hook",
  });
  accountant = await one.client.readContract({
    address: teller,
    abi: vedaTellerDAbi,
    functionName: "accountant",
  });
  queue = (await api.vault(dollars.vault_id)).deposit_router as Address;
});

/** Does something while one of the contracts is told otherwise, and tells it back. */
async function told<T>(
  target: Address,
  { now, later }: { now: Hex; later: Hex },
  work: () => Promise<T>,
): Promise<T> {
  const tell = async (data: Hex) => {
    await mined(one, await sendAsDeployer({ chainId: one.chainId, rpcUrl: one.rpcUrl, target }, data));
  };
  await tell(now);
  try {
    return await work();
  } finally {
    await tell(later);
  }
}

/** The basket's switch of one token. */
function withoutToken<T>(symbol: TokenSymbol, work: () => Promise<T>): Promise<T> {
  const abi = vedaTellerDAbi;
  const set = (taken: boolean) => {
    const args = [tokenOn(one, symbol), taken, true, 0] as const;
    return encodeFunctionData({ abi, functionName: "updateAssetData", args });
  };
  return told(teller, { now: set(false), later: set(true) }, work);
}

/** What the basket's accountant says that a whole token is worth, as a part of what it says now. */
async function withWorth<T>(
  symbol: TokenSymbol,
  part: { times: bigint; of: bigint },
  work: () => Promise<T>,
) {
  const [token, abi] = [tokenOn(one, symbol), vedaAccountantAbi];
  const args = [token] as const;
  const worth = await one.client.readContract({ address: accountant, abi, functionName: "quotes", args });
  const set = (value: bigint) =>
    encodeFunctionData({ abi, functionName: "setQuote", args: [token, value] as const });
  return told(accountant, { now: set((worth * part.times) / part.of), later: set(worth) }, work);
}

/** The dollars' limit on what may still come in one token, by 18 decimals. */
function withRoom<T>(symbol: TokenSymbol, whole: bigint, work: () => Promise<T>): Promise<T> {
  const set = async (allowance: bigint) => {
    const [feed, fee] = await one.client.readContract({
      address: queue,
      abi: midasDepositVaultAbi,
      functionName: "tokensConfig",
      args: [tokenOn(one, symbol)],
    });
    const args = [tokenOn(one, symbol), feed, fee, allowance, true] as const;
    return encodeFunctionData({ abi: midasDepositVaultAbi, functionName: "addPaymentToken", args });
  };
  return Promise.all([set(whole * 10n ** 18n), set(maxUint256)]).then(([now, later]) =>
    told(queue, { now, later }, work),
  );
}

interface Trip {
  from: TestChain;
  paid: Paid;
  vault: Journey["vault"];
  more?: Partial<BuildBody>;
}

async function build({ from, paid, vault, more = {} }: Trip) {
  const journey: Journey = { from, paid, vault };
  const traveller = await newMultiChainUser([one, two]);
  const body = { ...(await prepare(journey, traveller)), ...more };
  return { journey, traveller, body, built: await api.build(body) };
}

const heldBy = async (owner: Address): Promise<Record<string, bigint>> =>
  Object.fromEntries(
    await Promise.all(
      basketTokens.map(
        async (symbol) => [symbol, await balanceOf(one, { token: tokenOn(one, symbol), owner })] as const,
      ),
    ),
  );

/** Builds and signs all; gives what was built and which of the basket's tokens reached it. */
async function intoBasket(trip: Omit<Trip, "vault">): Promise<{ built: SentDeposit; tokens: string[] }> {
  const before = await heldBy(addressOf(basket));
  const { journey, traveller, built } = await build({ ...trip, vault: basket });
  const { shares } = await completeDeposit({ ...journey, traveller, built, style: "calls" });
  const estimated = sharesAsBuilt(built);
  const difference = shares > estimated ? shares - estimated : estimated - shares;
  expect(difference * 1_000n).toBeLessThanOrEqual(estimated);
  const after = await heldBy(addressOf(basket));
  return { built, tokens: basketTokens.filter((symbol) => after[symbol] !== before[symbol]) };
}

/** The token of the second step. */
const secondOf = ({ deposit_tx: second }: SentDeposit) => second?.approval?.token_address ?? null;

test("accepted tokens: a vault lists every token accepted without a swap", async () => {
  const symbols = async ({ vault_id }: Journey["vault"]) =>
    (await api.vault(vault_id)).accepted_assets.map(({ symbol }) => symbol);
  expect(await symbols(basket)).toEqual(["WETH", "WBTC", "USDT", "ETH"]);
  expect(await symbols(dollars)).toEqual(["USDC", "USDT"]);
});

describe("target token of a route", () => {
  test("is the same token on the vault's chain, without a swap", async () => {
    const { built, tokens } = await intoBasket({ from: one, paid: "USDT" });
    expect([built.tracking.bridge, tokens]).toEqual([null, ["USDT"]]);
    expect(built.transaction_request.to).toBe(one.info.contracts.deposit_router);
  });

  test.each(["USDT", "WBTC"] as const)(
    "is the token of the same symbol, bridged without a swap: %s",
    async (paid) => {
      const { built, tokens } = await intoBasket({ from: two, paid });
      expect([built.two_step, tokens]).toEqual([false, [paid]]);
    },
  );

  test.each(["USDC", "ETH"] as const)("is otherwise the vault's asset: %s", async (paid) => {
    const { tokens } = await intoBasket({ from: two, paid });
    expect(tokens).toEqual(["WETH"]);
    const here = await intoBasket({ from: one, paid: "USDC" });
    expect(here.tokens).toEqual(["WETH"]);
  });
});

describe("refused target token falls back to the next", () => {
  test("when the token is switched off, across chains and on the vault's chain", async () => {
    await withoutToken("USDT", async () => {
      expect((await intoBasket({ from: two, paid: "USDT" })).tokens).toEqual(["WETH"]);
      const { built, tokens } = await intoBasket({ from: one, paid: "USDT" });
      expect([built.transaction_request.to, tokens]).toEqual([one.info.contracts.lifi_executor, ["WETH"]]);
    });
    expect((await intoBasket({ from: two, paid: "USDT" })).tokens).toEqual(["USDT"]);
  });

  test("when its limit is below the amount", async () => {
    const within = (whole: bigint, trip: Omit<Trip, "vault">) =>
      withRoom("USDT", whole, async () => secondOf((await build({ ...trip, vault: dollars })).built));
    const [usdc, usdt] = [tokenOn(one, "USDC"), tokenOn(one, "USDT")];
    expect(await within(50n, { from: two, paid: "USDT" })).toBe(usdc);
    expect(await within(200n, { from: two, paid: "USDT" })).toBe(usdt);
    expect(await within(50n, { from: one, paid: "USDT" })).toBe(usdc);
  });

  test("when the vault counts it far below its price", async () => {
    await withWorth("USDT", { times: 9n, of: 10n }, async () => {
      const { built, tokens } = await intoBasket({ from: one, paid: "USDT" });
      expect([built.transaction_request.to, tokens]).toEqual([one.info.contracts.lifi_executor, ["WETH"]]);
      expect((await intoBasket({ from: two, paid: "USDT" })).tokens).toEqual(["WETH"]);
      // Without another way in, the reason is that rate.
      const { lifi, swaps } = emulators();
      const faults = [{ kind: "status", status: 503 }] as const;
      await withFaults({ emulators: [lifi, swaps], faults: [...faults] }, async () => {
        const journey: Journey = { from: one, paid: "USDT", vault: basket };
        const body = await prepare(journey, await newMultiChainUser([one, two]));
        const refusal = await api.refusal(body);
        expect(refusal).toMatchObject({ status: 400, code: "price_unsafe", subject: "vault" });
      });
    });
    await withWorth("USDT", { times: 99n, of: 100n }, async () => {
      const { built, tokens } = await intoBasket({ from: one, paid: "USDT" });
      expect([built.warnings, tokens]).toEqual([[], ["USDT"]]);
    });
  });

  test("returns the refusal of the vault's asset when all are refused", async () => {
    await withoutToken("USDT", () =>
      withoutToken("WETH", async () => {
        const journey: Journey = { from: two, paid: "USDT", vault: basket };
        const body = await prepare(journey, await newMultiChainUser([one, two]));
        expect(await api.refusal(body)).toMatchObject({ status: 409, code: "vault_paused" });
      }),
    );
    const { lifi, swaps } = emulators();
    await withoutToken("USDT", () =>
      withFaults({ emulators: [lifi, swaps], faults: [{ kind: "status", status: 503 }] }, async () => {
        const journey: Journey = { from: one, paid: "USDT", vault: basket };
        const body = await prepare(journey, await newMultiChainUser([one, two]));
        expect(await api.refusal(body)).toMatchObject({ status: 409, code: "vault_paused" });
      }),
    );
  });
});

describe("preferred bridge ranks before the order of target tokens", () => {
  test("selects the second token when the bridge carries only that", async () => {
    const more = { preferred_bridge: "cctp" } as const;
    const { built } = await build({ from: two, paid: "USDT", vault: dollars, more });
    expect([built.tracking.bridge, secondOf(built)]).toEqual(["cctp", tokenOn(one, "USDC")]);
    const any = await build({ from: two, paid: "USDT", vault: dollars });
    expect(secondOf(any.built)).toBe(tokenOn(one, "USDT"));
  });

  test("selects native money when the bridge carries only that", async () => {
    const more = { preferred_bridge: "stargate" } as const;
    const { built, tokens } = await intoBasket({ from: two, paid: "WBTC", more });
    expect([built.tracking.bridge, built.two_step, tokens]).toEqual(["stargate", true, ["WETH"]]);
    expect(built.deposit_tx?.approval).toBe(null);
    expect(BigInt(built.deposit_tx?.transaction_request.value ?? "0")).toBeGreaterThan(0n);
  });

  test("keeps the first token when the bridge carries it", async () => {
    const more = { preferred_bridge: "stargate" } as const;
    const { built, tokens } = await intoBasket({ from: two, paid: "USDT", more });
    expect([built.tracking.bridge, built.two_step, tokens]).toEqual(["stargate", false, ["USDT"]]);
  });

  test("falls back to another bridge for the first token", async () => {
    const more = { preferred_bridge: "cctp" } as const;
    const { built, tokens } = await intoBasket({ from: two, paid: "WBTC", more });
    expect([built.tracking.bridge, tokens]).toEqual(["across", ["WBTC"]]);
  });
});
