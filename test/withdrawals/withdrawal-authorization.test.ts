import { encodeErrorResult, parseAbi } from "viem";
import { expect, test } from "vitest";
import type { AuthorizationFacts } from "../../src/orders/authorization/authorization-facts.ts";
import type { AuthorizationWish } from "../../src/orders/authorization/choose-authorization.ts";
import type { VerifiedTransfer } from "../../src/providers/provider.ts";
import { encodeExit } from "../../src/withdrawals/exit-calldata.ts";
import type { ExitWay } from "../../src/withdrawals/exit-preflight.ts";
import { toRoutedOrder } from "../../src/withdrawals/prepare-routed-exit.ts";
import {
  chooseExitSignature,
  explainSignedExit,
  planExitSignature,
  toSignableExit,
} from "../../src/withdrawals/withdrawal-authorization.ts";
import { OTHER, USER, VAULT, vault, WETH } from "../support/deposits/fixtures.ts";
import { plannedBy, routerRevert } from "../support/orders/signed-chain.ts";
import { exitOf, exitWayOf, factsOf, HELD, MIN_ASSETS, orderOf } from "../support/withdrawals/fixtures.ts";
import { createWithdrawalFixture, EXCHANGE } from "../support/withdrawals/withdrawing.ts";

const permits: AuthorizationFacts = {
  token: {
    domain: { chainId: vault.chainId, verifyingContract: VAULT },
    ...{ separator: "0x", permit: true, erc3009: false, checks: "code" },
  },
  ...{ hasAuthorizations: false, permitNonce: 3n, permit2Allowance: HELD, account: "plain" },
};
const wishOf = (way: AuthorizationWish["way"], submitter = USER): AuthorizationWish => ({ way, submitter });

/** What is chosen for a redemption at once, or the code of the refusal. */
function chosen(
  authorize: AuthorizationWish,
  change: { facts?: AuthorizationFacts | null; via?: ExitWay["via"] } = {},
) {
  const order = orderOf({ authorize });
  const { facts: authorization = permits, via = "router" } = change;
  const facts = {
    ...factsOf(order, [exitWayOf(order, { via }), exitWayOf(order, { via: "user" })]),
    authorization,
  };
  try {
    return chooseExitSignature({ order, facts, mode: "instant" });
  } catch (error) {
    return (error as { code: string }).code;
  }
}

test("the signature is the one asked for, and none without the Router", () => {
  const no = "authorization_unsupported";
  expect(chosen(wishOf("approve"))).toBeNull();
  expect(chosen(wishOf("auto"))).toBe("permit");
  expect(chosen(wishOf("auto", OTHER))).toBe("permit2");
  expect(chosen(wishOf("permit2"))).toBe("permit2");
  expect(chosen(wishOf("erc3009"))).toBe(no);
  expect(chosen(wishOf("permit"), { via: "user" })).toBe(no);
  expect(chosen(wishOf("auto"), { via: "user" })).toBeNull();
  expect(chosen(wishOf("auto", OTHER), { via: "user" })).toBe(no);
  expect(chosen(wishOf("permit"), { facts: null })).toBe(no);
  expect(chosen(wishOf("permit2"), { facts: { ...permits, permit2Allowance: HELD - 1n } })).toBe(no);
});

test("`auto` takes no signature where the owner's own call is preferred, but what is asked for or needed is", () => {
  const kindFor = (authorize: AuthorizationWish) => {
    const order = orderOf({ authorize });
    const ways = [exitWayOf(order, { via: "user" }), exitWayOf(order)];
    const facts = { ...factsOf(order, ways), authorization: permits };
    return chooseExitSignature({ order, facts, mode: "instant" });
  };
  expect(kindFor(wishOf("auto"))).toBeNull();
  expect(kindFor(wishOf("permit"))).toBe("permit");
  expect(kindFor(wishOf("auto", OTHER))).toBe("permit2");
});

test("a signed order goes through the Router and names exactly what the user holds", () => {
  const order = orderOf({ shares: "all", authorize: wishOf("permit") });
  const ways = [
    exitWayOf(order),
    exitWayOf(order, { via: "user" }),
    exitWayOf(order, { via: "user", mode: "request" }),
  ];
  const facts = { ...factsOf(order, ways), authorization: permits };
  const signable = toSignableExit({ order, facts, mode: "instant" });
  expect(signable.order).toMatchObject({ shares: HELD, signed: true });
  expect(signable.facts.ways.map(({ mode, via }) => `${mode} ${via}`)).toEqual([
    "instant router",
    "request user",
  ]);
  const { data } = encodeExit(exitOf(signable.order));
  expect(planExitSignature("permit", { order: signable.order, facts, data })).toEqual({
    ...{ kind: "permit", chainId: vault.chainId, owner: USER, submitter: USER, data },
    ...{ domain: permits.token?.domain, permitNonce: "3" },
  });
});

test("a paused vault explains a signed order that swaps its payment, whatever the order returns besides", async () => {
  const { ctx } = await createWithdrawalFixture();
  const order = orderOf({ to: { ...orderOf().to, token: WETH } });
  const asStep = { receiverOffset: 100, leftovers: [OTHER] };
  const route = { transaction: { to: EXCHANGE, data: "0x1234", value: 0n }, spender: EXCHANGE } as const;
  const plan = { route: route as unknown as VerifiedTransfer, asStep, amount: MIN_ASSETS };
  const planned = plannedBy("permit2", toRoutedOrder(exitOf(order), { plan, minOut: 1n }));
  const paused = encodeErrorResult({ abi: parseAbi(["error EnforcedPause()"]) });
  const revert = routerRevert("StepFailed", [0n, paused]);
  const error = await explainSignedExit(ctx, { vault, planned, slippage: 0.03 }, revert);
  expect(error?.code).toBe("exits_paused");
});
