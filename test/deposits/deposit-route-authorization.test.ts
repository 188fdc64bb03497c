import { describe, expect, test } from "vitest";
import { signRoute } from "../../src/deposits/deposit-route-authorization.ts";
import { toPayment } from "../../src/deposits/prepared-deposit.ts";
import { buildTwoStep } from "../../src/deposits/two-step-deposit.ts";
import type { AuthorizationFacts } from "../../src/orders/authorization/authorization-facts.ts";
import type { AuthorizationWish } from "../../src/orders/authorization/choose-authorization.ts";
import type { RouterStepUse } from "../../src/providers/provider.ts";
import { depositRouterAddress } from "../../src/router/router-address.ts";
import { decodeRouterCall, routerBridgeOutput, routerSelf } from "../../src/router/router-codec.ts";
import { OTHER, USDC, USER, VAULT } from "../support/deposits/fixtures.ts";
import {
  createRoutedOrder,
  DIAMOND,
  option,
  PAID,
  PAID_AMOUNT,
  SPENDER,
  sourceChain,
} from "../support/deposits/routed-fixtures.ts";
import { balanceKey, type SimulatedEffects, sharesFor } from "../support/deposits/simulated-chain.ts";
import { rememberRouter } from "../support/withdrawals/withdrawing.ts";

const { toAmountMin } = option;
const facts: AuthorizationFacts = {
  token: {
    domain: { name: "Dai", version: "2", chainId: 1, verifyingContract: PAID },
    ...{ separator: "0x", permit: true, erc3009: true, checks: "code" },
  },
  ...{ hasAuthorizations: true, permitNonce: 0n, permit2Allowance: null, account: "plain" },
};
const delivered: SimulatedEffects = {
  rises: { [balanceKey(PAID, USER)]: -PAID_AMOUNT, [balanceKey(USDC, USER)]: toAmountMin },
};
const deposited: SimulatedEffects = { rises: { [balanceKey(VAULT, USER)]: sharesFor(toAmountMin) } };

/** Builds a route in two steps and lets a signature pay for it. `order` is what its order does in the simulation. */
async function signed(of: {
  oneChain: boolean;
  asStep: RouterStepUse;
  authorize?: AuthorizationWish;
  order?: SimulatedEffects;
}) {
  const { oneChain, asStep, order = {}, authorize = { way: "erc3009", submitter: OTHER } } = of;
  const world = {
    oneChain,
    ends: "two_step",
    caller: "user",
    made: { asStep },
    atSource: delivered,
  } as const;
  const first = await createRoutedOrder({ ...world, atVault: deposited });
  const built = await buildTwoStep(first.ctx, first.attempt);
  const { ctx, attempt, source } = await createRoutedOrder({ ...world, atSource: order, atVault: order });
  await rememberRouter(ctx, true, attempt.order.from.chainId);
  attempt.funds.authorization = facts;
  attempt.order.authorize = authorize;
  const payment = toPayment(attempt, built.route);
  const route = await signRoute(ctx, { attempt, built: { ...built, payment } });
  return { route, simulated: source.sent.at(-1)?.at(-1) };
}

const swaps: RouterStepUse = { receiverOffset: 100, leftovers: [OTHER] };

describe("signRoute()", () => {
  test("lets the Router's executor receive a swap's output, and returns what the swaps leave", async () => {
    const { route, simulated } = await signed({ oneChain: true, asStep: swaps });
    expect(simulated?.to.toLowerCase()).toBe(depositRouterAddress.toLowerCase());
    expect(route.authorization).toMatchObject({ kind: "erc3009", data: simulated?.data });
    const { order, steps, sweep } = decodeRouterCall(simulated?.data ?? "0x");
    expect(order).toMatchObject({
      ...{ tokenIn: PAID, amountIn: PAID_AMOUNT, tokenOut: USDC, minOut: toAmountMin },
      ...{ receiver: USER, refundTo: USER, direct: false },
    });
    expect(steps).toMatchObject([
      {
        ...{
          target: DIAMOND,
          approveToken: PAID,
          spender: SPENDER,
          needToken: PAID,
          needAmount: PAID_AMOUNT,
        },
        patches: [{ offset: 100n, token: routerSelf }],
      },
    ]);
    expect(sweep).toEqual([OTHER]);
  });

  test("leaves a bridge's calldata as it is", async () => {
    const asStep = { receiverOffset: null, leftovers: [OTHER] };
    const { route, simulated } = await signed({ oneChain: false, asStep });
    expect(route.authorization?.chainId).toBe(sourceChain.chainId);
    const { order, steps, sweep } = decodeRouterCall(simulated?.data ?? "0x");
    expect(order).toMatchObject({ tokenOut: routerBridgeOutput, minOut: 0n, direct: false });
    expect(steps).toMatchObject([{ patches: [], data: "0x12345678" }]);
    expect(sweep).toEqual([OTHER]);
  });
});

describe("signRoute() of a swap that pays only the user", () => {
  const refused = { oneChain: true, asStep: swaps, order: { revert: "0x" } } as const;

  test.each<AuthorizationWish>([
    { way: "erc3009", submitter: USER },
    { way: "auto", submitter: OTHER },
  ])("refuses a signature by $way", async (authorize) => {
    await expect(signed({ ...refused, authorize })).rejects.toMatchObject({
      code: "no_route",
      members: { reasons: [{ code: "authorization_unsupported" }] },
    });
  });

  test("takes an approval where the caller leaves the choice and the user sends it", async () => {
    const { route } = await signed({ ...refused, authorize: { way: "auto", submitter: USER } });
    expect(route).toMatchObject({ authorization: null, route: { transaction: { to: DIAMOND } } });
  });
});
