import { type Address, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { decodeRouterCall, executedOrders, routerBridgeOutput } from "../../../src/router/router-codec.ts";
import { Api } from "../../support/e2e/api.ts";
import { allowanceOf, balanceOf, leftIn, routerParts } from "../../support/e2e/balances.ts";
import {
  addressOf,
  chainIds,
  chainOf,
  mined,
  tokenOn,
  vaultNamed,
  vaultsFor,
} from "../../support/e2e/chain.ts";
import { settled } from "../../support/e2e/settled.ts";
import { signDeposit } from "../../support/e2e/sign-deposit.ts";
import { DELIVERY_POLLING } from "../../support/e2e/transfer.ts";
import { expectPaid, holderOf, withdrawAndCheck } from "../../support/e2e/withdrawal.ts";

const api = new Api();
const vault = vaultNamed("Plain USDC");
const home = chainOf(vault.chain_id);
const away = chainOf(home.chainId === chainIds.one ? chainIds.two : chainIds.one);

describe("a withdrawal in another token of the vault's chain", () => {
  test.each([
    ["WETH", tokenOn(home, "WETH")],
    ["native money", zeroAddress],
  ])("swaps into %s in the transaction that redeems", async (_name, token) => {
    const { user } = await holderOf(api, vault);
    const body = { vault_id: vault.vault_id, user_address: user.address, shares: "all", to_token: token };
    const quote = await api.withdrawQuote(body);
    expect(quote.options[0]).toMatchObject({ mode: "instant" });
    const { built } = await withdrawAndCheck(api, { vault, user, body });
    expect(built).toMatchObject({ two_step: false, mode: "instant", tracking: { bridge: null } });
    const { order, steps } = decodeRouterCall(built.transaction_request.data as `0x${string}`);
    expect(steps).toHaveLength(2);
    expect(order.direct).toBe(false);
    expect(order.minOut).toBe(BigInt(built.estimate.to_amount_min ?? "0"));
  });
});

describe("a withdrawal to another chain", () => {
  test("redeems and bridges in one transaction, with the user as depositor", async () => {
    const { user } = await holderOf(api, vault);
    const token: Address = tokenOn(away, "USDC");
    const body = {
      ...{ vault_id: vault.vault_id, user_address: user.address, shares: "all" },
      ...{ to_chain_id: away.chainId, to_token: token, preferred_bridge: "across" as const },
    };
    const parts = await routerParts(home);
    const built = await api.withdraw(body);
    expect(built).toMatchObject({
      two_step: false,
      tracking: { bridge: "across", to_chain_id: away.chainId },
    });
    const { order } = decodeRouterCall(built.transaction_request.data as `0x${string}`);
    expect(order.tokenOut).toBe(routerBridgeOutput);
    const before = await balanceOf(away, { token, owner: user.address });
    const receipt = await mined(home, await signDeposit(home, { user, built, style: "calls" }));
    expect(executedOrders(receipt.logs)).toHaveLength(1);
    expect(await balanceOf(home, { token: vault.share_token, owner: user.address })).toBe(0n);
    const asset = tokenOn(home, vault.asset_symbol);
    const others = { user: user.address, vault: addressOf(vault) };
    expect(await leftIn(home, { at: parts, tokens: { asset, share: vault.share_token }, others })).toEqual(
      {},
    );
    expect(
      await allowanceOf(home, { token: vault.share_token, owner: user.address, spender: parts.router }),
    ).toBe(0n);
    const arrived = await settled(() => balanceOf(away, { token, owner: user.address }), {
      ...DELIVERY_POLLING,
      wanted: (now) => now > before,
    });
    expectPaid(built, arrived - before);
  });
});

test("a bridge that takes a fee in native money is paid it in the transaction that redeems, also for native money", async () => {
  const solid = vaultNamed("Solid WETH");
  const { user } = await holderOf(api, solid);
  const built = await api.withdraw({
    ...{ vault_id: solid.vault_id, user_address: user.address, shares: "all", slippage: 0.03 },
    ...{ to_chain_id: away.chainId, to_token: zeroAddress, preferred_bridge: "stargate" },
  });
  expect(built).toMatchObject({ two_step: false, tracking: { bridge: "stargate" } });
  const { order } = decodeRouterCall(built.transaction_request.data as `0x${string}`);
  expect([order.tokenOut, order.nativeFee > 0n]).toEqual([routerBridgeOutput, true]);
  expect(built.transaction_request.value).toBe(String(order.nativeFee));
  const before = await away.client.getBalance(user);
  await mined(home, await signDeposit(home, { user, built, style: "calls" }));
  expect(await balanceOf(home, { token: solid.share_token, owner: user.address })).toBe(0n);
  const arrived = await settled(() => away.client.getBalance(user), {
    ...DELIVERY_POLLING,
    wanted: (now) => now > before,
  });
  expectPaid(built, arrived - before);
});

test("a vault that only its owner may leave pays first, and the swap is the user's second transaction", async () => {
  const plasma = vaultNamed("Plasma USDC");
  const { user } = await holderOf(api, plasma);
  const token = tokenOn(chainOf(plasma.chain_id), "WETH");
  const body = { vault_id: plasma.vault_id, user_address: user.address, shares: "all", to_token: token };
  const built = await api.withdraw(body);
  expect(built).toMatchObject({
    two_step: true,
    approval: null,
    estimate: { min_assets: null, to_amount_min: null },
  });
  expect(built.warnings.map(({ code }) => code)).toContain("no_minimum");
  expect(built.steps.map(({ step_id, state }) => [step_id, state])).toEqual([
    ["source.redeem", "required"],
    ["destination.approve", "waiting"],
    ["destination.transfer", "waiting"],
  ]);
  expect(BigInt(built.estimate.to_amount ?? "0")).toBeGreaterThan(0n);
  const chain = chainOf(plasma.chain_id);
  await mined(chain, await signDeposit(chain, { user, built, style: "calls" }));
  expect(await balanceOf(chain, { token: plasma.share_token, owner: user.address })).toBe(0n);
  const asset = await balanceOf(chain, { token: tokenOn(chain, "USDC"), owner: user.address });
  expect(asset).toBe(BigInt(built.estimate.assets ?? "0"));
});

describe("a request whose payment goes to another chain", () => {
  test.each(vaultsFor("queue"))("at $name is built only if a route takes it today", async (queue) => {
    const { user } = await holderOf(api, queue);
    const elsewhere = chainOf(queue.chain_id === chainIds.one ? chainIds.two : chainIds.one);
    const body = {
      ...{ vault_id: queue.vault_id, user_address: user.address, shares: "all", mode: "request" as const },
      to_chain_id: elsewhere.chainId,
    };
    const built = await api.withdraw({ ...body, to_token: tokenOn(elsewhere, "USDC") });
    expect(built).toMatchObject({ mode: "request", two_step: true });
    expect(built.warnings.map(({ code }) => code)).not.toContain("route_unknown");
    const share = vaultsFor("honest").find(({ chain_id: id }) => id === elsewhere.chainId)?.share_token;
    const refusal = await api.withdrawRefusal({ ...body, to_token: share });
    expect(refusal.code).toBe("no_route");
    expect(refusal.detail).toMatch(/withdraw to \w+ on the vault's chain, and swap or bridge that/);
  });
});
