import {
  type Address,
  encodeErrorResult,
  type Hex,
  hexToBigInt,
  parseAbi,
  sliceHex,
  toFunctionSelector,
  zeroAddress,
} from "viem";
import { expect, test } from "vitest";
import type { DepositFacts } from "../../src/actions/deposit-action.ts";
import { findAvailableDeposit } from "../../src/actions/find-available-deposit.ts";
import type { ChainClient } from "../../src/chains/chain-client.ts";
import { failure } from "../../src/errors.ts";
import type { Vault } from "../../src/vaults/vault.ts";
import { testContext } from "../support/context.ts";
import { USDC, USER, VAULT, vault } from "../support/deposits/fixtures.ts";
import {
  balanceKey,
  type SimulatedEffects,
  sharesFor,
  simulatedChain,
} from "../support/deposits/simulated-chain.ts";

/** A vault that its users call, so that the simulated calls show the amount. */
const own: Vault = { ...vault, caller: "user" };
/** What the views say of a deposit of one USDC. */
const open: DepositFacts["deposit"] = {
  ...{ amount: 1_000_000n, previewShares: sharesFor(1_000_000n), previewRevert: null, asset: USDC },
  ...{ price: { assets: 1_250_000n, shares: 10n ** 18n }, paused: false, maxDeposit: null, minDeposit: null },
};
const mints = (shares: bigint): SimulatedEffects => ({ rises: { [balanceKey(VAULT, USER)]: shares } });
const reverts = (error: string): SimulatedEffects => ({ revert: toFunctionSelector(error) });
const exceeds: SimulatedEffects = {
  revert: encodeErrorResult({
    abi: parseAbi(["error ERC4626ExceededMaxDeposit(address receiver, uint256 assets, uint256 max)"]),
    args: [USER, 2n, 1n],
  }),
};

/** The deposit of an account at a vault that treats each amount so, and the amounts that were simulated. */
async function depositOf(of: {
  effects: (amount: bigint) => SimulatedEffects;
  terms?: Partial<DepositFacts["deposit"]>;
  at?: Vault;
  user?: Address;
  client?: (client: ChainClient) => ChainClient;
}) {
  const tried: bigint[] = [];
  const effects = ({ data }: { data: Hex }): SimulatedEffects => {
    const amount = hexToBigInt(sliceHex(data, 4, 36));
    tried.push(amount);
    return of.effects(amount);
  };
  const { client } = simulatedChain({ effects });
  const ctx = testContext({ clients: [of.client?.(client) ?? client] });
  const facts = { deposit: { ...open, ...of.terms }, deposits: [] };
  const asked = { vault: of.at ?? own, user: of.user ?? USER, facts };
  return { action: await findAvailableDeposit(ctx, asked), tried };
}

const honest = (amount: bigint): SimulatedEffects => mints(sharesFor(amount));
const possible = { allowed: true, code: null, mode: "instant" };

test("a deposit that works is offered after one simulation, with the views' maximum", async () => {
  const { action, tried } = await depositOf({ effects: honest, terms: { maxDeposit: 10n ** 9n } });
  expect(action).toMatchObject({ ...possible, max: "1000000000" });
  expect(tried).toEqual([1_000_000n]);
});

test("a refusal that no amount avoids has the code of a build, after one simulation", async () => {
  const { action, tried } = await depositOf({ effects: () => reverts("EnforcedPause()") });
  expect(action).toMatchObject({ allowed: false, code: "vault_paused", mode: "instant", until: null });
  expect(action.reason).toMatch(/does not accept deposits now/);
  expect(tried).toEqual([1_000_000n]);
});

test("a larger amount may be accepted where a small one mints no shares", async () => {
  const effects = (amount: bigint) => (amount > 1_000_000n ? honest(amount) : mints(0n));
  const { action, tried } = await depositOf({ effects });
  expect(action).toMatchObject({ ...possible, max: null });
  expect(new Set(tried)).toEqual(new Set([1_000_000n, 1_000_000_000n, 1_000n]));
});

test("a smaller amount may be accepted where a cap that no view shows is nearly reached", async () => {
  const effects = (amount: bigint) => (amount < 1_000_000n ? honest(amount) : exceeds);
  const { action } = await depositOf({ effects, terms: { maxDeposit: 10n ** 9n } });
  expect(action).toMatchObject({ ...possible, max: null });
});

test.each([
  ["zero_shares", mints(0n)],
  ["price_unsafe", mints(1n)],
  ["would_revert", reverts("RefusedByHook()")],
  ["above_maximum", exceeds],
] as const)("a deposit of which no amount works is refused with %s", async (code, effect) => {
  const { action, tried } = await depositOf({ effects: () => effect });
  expect(action).toMatchObject({ allowed: false, code, max: null });
  expect(tried).toHaveLength(3);
});

test("the amount respects the vault's limits", async () => {
  const pausing = () => reverts("EnforcedPause()");
  const little = await depositOf({ effects: pausing, terms: { maxDeposit: 400_000n } });
  const much = await depositOf({ effects: pausing, terms: { minDeposit: 3_000_000n } });
  const registered = { ...own, minDeposit: 5_000_000n };
  const more = await depositOf({ effects: pausing, terms: { minDeposit: 3_000_000n }, at: registered });
  expect([little, much, more].map(({ tried }) => tried)).toEqual([[400_000n], [3_000_000n], [5_000_000n]]);
  const least = await depositOf({ effects: () => mints(0n), at: registered });
  expect(least.tried).toEqual([5_000_000n, 5_000_000_000n]);
});

test("what no simulation shows leaves the views' answer", async () => {
  const unread = await depositOf({ effects: (amount) => ({ ...honest(amount), hides: VAULT }) });
  expect(unread.action).toMatchObject(possible);
  const down = (client: ChainClient): ChainClient => ({
    ...client,
    request: async (method, ...rest) => {
      if (method === "eth_simulateV1" || method === "eth_call")
        throw failure("upstream_unavailable", "the nodes do not answer");
      return client.request(method, ...rest);
    },
  });
  const failing = await depositOf({ effects: honest, client: down });
  expect(failing.action).toMatchObject(possible);
  expect(failing.tried).toEqual([]);
});

test("a maximum that is only what the account holds of the asset does not make a vault full", async () => {
  const none = await depositOf({ effects: honest, terms: { maxDeposit: 0n } });
  expect(none).toMatchObject({ action: { ...possible, max: null, reason: "" }, tried: [1_000_000n] });
  const little = { maxDeposit: 400_000n, minDeposit: 3_000_000n };
  const some = await depositOf({ effects: honest, terms: little });
  expect(some).toMatchObject({ action: { ...possible, max: null }, tried: [3_000_000n] });
});

test("a vault that its views call full is full if no simulation shows that it is not", async () => {
  const full = { allowed: false, code: "above_maximum", max: "0", mode: "instant", until: null };
  const terms = { maxDeposit: 0n };
  for (const effect of [exceeds, reverts("RefusedByHook()"), { ...mints(1n), hides: VAULT }]) {
    const { action, tried } = await depositOf({ effects: () => effect, terms });
    expect(action).toMatchObject(full);
    expect(tried).toEqual([1_000_000n]);
  }
});

test("nothing is simulated that the views or the address rule out", async () => {
  const paused = await depositOf({ effects: honest, terms: { paused: true } });
  expect(paused).toMatchObject({ action: { allowed: false, code: "vault_paused" }, tried: [] });
  for (const user of [zeroAddress, VAULT, USDC] as const) {
    const nobody = await depositOf({ effects: honest, user });
    expect(nobody).toMatchObject({ action: { allowed: false, code: "not_allowed" }, tried: [] });
  }
});
