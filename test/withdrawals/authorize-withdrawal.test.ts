import { encodeErrorResult, type Hex, parseAbi } from "viem";
import { expect, test } from "vitest";
import { digestOf } from "../../src/orders/authorization/planned-authorization.ts";
import { StepPlan } from "../../src/orders/order-steps.ts";
import { decodeRouterCall } from "../../src/router/router-codec.ts";
import { authorizeWithdrawal } from "../../src/withdrawals/authorize-withdrawal.ts";
import { buildWithdrawalOnce } from "../../src/withdrawals/build-withdrawal.ts";
import { USDC, vault } from "../support/deposits/fixtures.ts";
import { balanceKey, type SimulatedEffects } from "../support/deposits/simulated-chain.ts";
import { plannedBy, routerRevert, signer } from "../support/orders/signed-chain.ts";
import { HELD, WORTH } from "../support/withdrawals/fixtures.ts";
import { createWithdrawalFixture, inputOf, measured, storedOf } from "../support/withdrawals/withdrawing.ts";

type ExitWorld = Partial<NonNullable<Parameters<typeof createWithdrawalFixture>[0]>>;

const paid: SimulatedEffects = {
  rises: { [balanceKey(USDC, signer.address)]: WORTH },
  returned: measured(WORTH),
};
const paused = encodeErrorResult({ abi: parseAbi(["error EnforcedPause()"]) });
const unheard: Hex = "0xdeadbeef";
const asked = { user_address: signer.address, shares: HELD.toString() };

/** Builds a withdrawal as if it was to be signed, signs it, and completes it in another world. */
async function authorized(then: ExitWorld) {
  const { ctx, db } = await createWithdrawalFixture({ effects: () => paid });
  const { built } = await buildWithdrawalOnce(ctx, { input: inputOf(asked), key: null });
  const [row, kept] = db.written;
  const plan = StepPlan.parse(kept?.["plan"]);
  const planned = plannedBy("permit2", decodeRouterCall(built.transaction_request?.data as Hex));
  const signature = await signer.sign({ hash: digestOf(planned) });
  const signed = { ...plan, source: { ...plan.source, authorization: planned }, answer: built };
  const later = await createWithdrawalFixture({ effects: () => paid, ...then });
  const answers = [[row], [{ plan: signed }], []];
  const run = async <T>() => (answers.shift() ?? [storedOf(vault)]) as T;
  return authorizeWithdrawal({ ...later.ctx, db: { run } }, { trackingId: built.tracking_id, signature });
}

/** Returns the code with which a withdrawal is refused, or `none`. */
const codeOf = (made: Promise<unknown>): Promise<string> =>
  made.then(
    () => "none",
    ({ code }: { code: string }) => code,
  );

test("a signed withdrawal is completed with what its simulation pays", async () => {
  const ready = await authorized({});
  expect(ready.simulation.received).toBe(WORTH.toString());
  expect(ready.transaction_request).not.toBeNull();
});

test.each<[string, string, Hex, ExitWorld]>([
  ["the vault is paused", "exits_paused", routerRevert("StepFailed", [0n, paused]), {}],
  [
    "the vault has no liquidity",
    "no_liquidity",
    routerRevert("StepFailed", [0n, unheard]),
    {
      answers: { maxRedeem: HELD / 2n },
      functions: parseAbi(["function maxRedeem(address) view returns (uint256)"]),
    },
  ],
  ["the vault pays less", "price_unsafe", routerRevert("OutputBelowMinimum", [1n, 2n]), {}],
  [
    "the shares are worth nothing",
    "below_minimum",
    routerRevert("StepFailed", [0n, unheard]),
    {
      answers: { previewRedeem: 0n, convertToAssets: 0n },
    },
  ],
  ["the vault gives no reason", "would_revert", routerRevert("StepFailed", [0n, unheard]), {}],
])(
  "a signed withdrawal is refused with the code of an unsigned one where %s",
  async (_what, code, revert, world) => {
    const then: ExitWorld = { ...world, effects: () => ({ revert }) };
    const { ctx } = await createWithdrawalFixture(then);
    const unsigned = buildWithdrawalOnce(ctx, { input: inputOf(asked), key: null });
    expect([await codeOf(unsigned), await codeOf(authorized(then))]).toEqual([code, code]);
  },
);
