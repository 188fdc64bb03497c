import { type Abi, zeroAddress } from "viem";
import { expect, test } from "vitest";
import { depositRouterAddress } from "../../src/router/router-address.ts";
import { readExitFacts } from "../../src/withdrawals/exit-preflight.ts";
import { testContext } from "../support/context.ts";
import { OTHER, VAULT, vault, WETH, wethVault } from "../support/deposits/fixtures.ts";
import { simulatedChain } from "../support/deposits/simulated-chain.ts";
import { familyVault, HELD, home, orderOf, WORTH } from "../support/withdrawals/fixtures.ts";
import { vedaQueue } from "../support/withdrawals/veda-exit-answers.ts";

/** Reads the state of a withdrawal on a chain that answers so; gives the requests too. */
async function read(
  answers: Readonly<Record<string, unknown>> = {},
  change: Parameters<typeof orderOf>[0] = {},
  functions: Abi = [],
) {
  const { client } = simulatedChain({
    ...{ definition: home, functions },
    answers: { balanceOf: HELD, allowance: 7n, previewRedeem: WORTH, convertToAssets: WORTH, ...answers },
  });
  const order = orderOf({ ...change, client });
  const facts = await readExitFacts(testContext({ clients: [client] }), order);
  return { facts, requests: client.calls.length };
}

test("readExitFacts() reads balance, allowances and the terms of each path at one block", async () => {
  const { facts, requests } = await read({}, { shares: 5n });
  expect(requests).toBe(1);
  expect(facts).toMatchObject({ shares: 5n, balance: HELD, nativeBalance: 10n ** 18n, authorization: null });
  expect(facts.block).toEqual({ number: 1_234, timestamp: 1_700_000_000 });
  expect(facts.allowances).toEqual(new Map([[depositRouterAddress.toLowerCase(), 7n]]));
  expect(facts.ways.map(({ via, mode, spender }) => [via, mode, spender])).toEqual([
    ["router", "instant", depositRouterAddress],
    ["user", "instant", null],
  ]);
  expect(facts.ways[0]?.terms).toMatchObject({ asset: vault.asset.address, previewAssets: WORTH });
});

test("readExitFacts() redeems the balance for all shares, which it reads first", async () => {
  const { facts, requests } = await read();
  expect(facts.shares).toBe(HELD);
  expect(requests).toBe(2);
});

test("readExitFacts() refuses an account without shares, whatever number it names", async () => {
  const empty = { balanceOf: 0n };
  await expect(read(empty)).rejects.toMatchObject({ code: "nothing_to_withdraw" });
  await expect(read(empty, { shares: 5n })).rejects.toMatchObject({ code: "nothing_to_withdraw" });
});

test("readExitFacts() states nothing that it could not read", async () => {
  const { facts } = await read({ balanceOf: undefined, allowance: undefined }, { shares: 5n });
  expect(facts.balance).toBeNull();
  expect([...facts.allowances.values()]).toEqual([null]);
});

test("readExitFacts() redeems no guessed number where all shares are meant and cannot be read", async () => {
  await expect(read({ balanceOf: undefined })).rejects.toMatchObject({ code: "upstream_unavailable" });
});

test("readExitFacts() offers the owner's own call alone without the Router, and only the modes asked for", async () => {
  const { facts } = await read({}, { routed: false, shares: 5n });
  expect(facts.ways.map(({ via }) => via)).toEqual(["user"]);
  const lagoon = familyVault("lagoon");
  const asked = await read({}, { vault: lagoon, mode: "request", shares: 5n });
  expect(asked.facts.ways.map(({ via, mode }) => `${mode} ${via}`)).toEqual(["request user"]);
  expect(asked.facts.ways[0]?.spender ?? VAULT).toBe(VAULT);
});

test("readExitFacts() says that only the Router brings native currency for its wrapped form", async () => {
  const change = { vault: wethVault, to: { ...orderOf().to, token: zeroAddress }, shares: 5n };
  const paying = async (routed: boolean) =>
    (await read({}, { ...change, routed })).facts.ways.map(({ via, pays }) => [via, pays]);
  expect(await paying(true)).toEqual([
    ["router", true],
    ["user", false],
  ]);
  expect(await paying(false)).toEqual([["user", false]]);
});

test("readExitFacts() names the first token that the vault pays, the requested one before all others", async () => {
  const paidIn = async (pays: readonly string[], token: string = WETH) => {
    const { vault: queued, answers, functions } = vedaQueue({ pays });
    const to = { ...orderOf().to, token: token as never };
    const { facts, requests } = await read(answers, { vault: queued, to, shares: 5n }, functions);
    const found = facts.ways.map((way) => [way.token.address, way.pays, way.terms.refusal, way.terms.asset]);
    return { found, requests };
  };
  expect(await paidIn([WETH, OTHER])).toEqual({ found: [[WETH, true, null, WETH]], requests: 1 });
  expect(await paidIn([OTHER])).toEqual({ found: [[OTHER, false, null, OTHER]], requests: 3 });
  expect(await paidIn([OTHER], OTHER)).toEqual({ found: [[OTHER, true, null, OTHER]], requests: 1 });
  // Neither token of the vault: a swap follows, of what the queue pays.
  expect((await paidIn([OTHER], VAULT)).found).toEqual([[OTHER, false, null, OTHER]]);
  expect((await paidIn([])).found).toEqual([[WETH, true, "token_unsupported", WETH]]);
});

test("readExitFacts() reads the share price in the vault's asset, whichever token is paid", async () => {
  const worthIn = async (pays: readonly string[], token: string) => {
    const { vault: queued, answers, functions } = vedaQueue({ pays });
    const to = { ...orderOf().to, token: token as never };
    const getRateInQuoteSafe = (_accountant: string, quote: string) =>
      (quote === WETH ? 2n : 3n) * 10n ** 18n;
    const shares = 10n ** 18n;
    const priced = { ...answers, getRateInQuoteSafe };
    const { facts, requests } = await read(priced, { vault: queued, to, shares }, functions);
    const [way] = facts.ways;
    return [way?.token.address, way?.terms.grossAssets, facts.price, requests];
  };
  const [two, three] = [2n * 10n ** 18n, 3n * 10n ** 18n];
  const price = { assets: two, shares: 10n ** 18n };
  expect(await worthIn([WETH, OTHER], WETH)).toEqual([WETH, two, null, 1]);
  expect(await worthIn([WETH, OTHER], OTHER)).toEqual([OTHER, three, price, 1]);
  // Only if the vault refuses its asset is the price of it needed.
  expect(await worthIn([OTHER], WETH)).toEqual([OTHER, three, price, 3]);
  // A vault that pays nothing else needs no such price.
  expect((await read({}, { shares: 5n })).facts.price).toBeNull();
});
