import { expect, test } from "vitest";
import { failure } from "../../src/errors.ts";
import { BUILD_DEADLINE_MS } from "../../src/lib/durations.ts";
import { Timing } from "../../src/lib/outside-call-timing.ts";
import type { AuthorizationFacts } from "../../src/orders/authorization/authorization-facts.ts";
import { decodeRouterCall } from "../../src/router/router-codec.ts";
import type { AuthorizeWay } from "../../src/schemas/signing-schema.ts";
import { onwardAmount } from "../../src/withdrawals/find-exit-transfer-route.ts";
import { prepareInOneTransaction } from "../../src/withdrawals/prepare-withdrawal.ts";
import { OTHER, USDC, USER, VAULT, vault, WETH } from "../support/deposits/fixtures.ts";
import { balanceKey } from "../support/deposits/simulated-chain.ts";
import { exitWayOf, factsOf, HELD, home, orderOf, WORTH } from "../support/withdrawals/fixtures.ts";
import { createWithdrawalFixture, fairWeth, swapDesk } from "../support/withdrawals/withdrawing.ts";

const swapped = fairWeth(onwardAmount(WORTH));
const permits: AuthorizationFacts = {
  token: {
    domain: { chainId: vault.chainId, verifyingContract: VAULT },
    ...{ separator: "0x", permit: true, erc3009: false, checks: "code" },
  },
  ...{ hasAuthorizations: false, permitNonce: 3n, permit2Allowance: HELD, account: "plain" },
};

/** Prepares a swap of what a vault pays, at a provider that refuses the first so many requests for quotes. */
async function prepare(of: {
  refusals: number;
  way?: AuthorizeWay;
  submitter?: typeof USER;
  elapsedMs?: number;
}) {
  const { refusals, way = "auto", submitter = USER, elapsedMs = 0 } = of;
  const { ctx, chain } = await createWithdrawalFixture({
    effects: () => ({ rises: { [balanceKey(USDC, USER)]: WORTH, [balanceKey(WETH, USER)]: swapped } }),
  });
  let asked = 0;
  const desk = swapDesk(ctx, {
    price: (usdc) => {
      asked += 1;
      if (asked > refusals) return fairWeth(usdc);
      throw failure("no_route", "no quote", { reasons: [] });
    },
  });
  const to = { client: chain.client, chainId: home.chainId, token: WETH };
  const authorize = { way, submitter };
  const order = orderOf({ client: chain.client, to, slippage: 0.03, shares: HELD, authorize });
  const facts = { ...factsOf(order, [exitWayOf(order, { pays: false })]), authorization: permits };
  const timing = Object.assign(new Timing(() => 0), { elapsedMs: () => elapsedMs });
  const timed = { ...desk.ctx, timing };
  const made = prepareInOneTransaction(timed, { order, facts });
  return { made, asked: () => asked };
}

test("prepareInOneTransaction() pays by a signature where that works", async () => {
  const { kind, prepared } = await (await prepare({ refusals: 0 })).made;
  expect([kind, prepared.kind, prepared.order.signed]).toEqual(["permit", "routed", true]);
});

test("prepareInOneTransaction() pays by an approval where no route takes a signed order", async () => {
  const { kind, prepared } = await (await prepare({ refusals: 1 })).made;
  expect([kind, prepared.kind, prepared.order.signed]).toEqual([null, "routed", false]);
  expect(prepared.exit.simulated.calls).toHaveLength(2);
  expect(decodeRouterCall(prepared.exit.call.data).order).toMatchObject({ tokenIn: VAULT, tokenOut: WETH });
});

test.each<[string, Omit<Parameters<typeof prepare>[0], "refusals">]>([
  ["the caller wants a signature", { way: "permit" }],
  ["another account submits the order", { submitter: OTHER }],
  ["half of the time is over", { elapsedMs: BUILD_DEADLINE_MS / 2 + 1 }],
  ["an approval was wanted at once", { way: "approve" }],
])("prepareInOneTransaction() searches no second time where %s", async (_name, of) => {
  const { made, asked } = await prepare({ refusals: 1, ...of });
  await expect(made).rejects.toMatchObject({ code: "no_route" });
  expect(asked()).toBe(1);
});

test("prepareInOneTransaction() gives the reason of the second search if both fail", async () => {
  const { made, asked } = await prepare({ refusals: 2 });
  await expect(made).rejects.toMatchObject({ code: "no_route" });
  expect(asked()).toBe(2);
});
