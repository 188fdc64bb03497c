import { expect, test } from "vitest";
import { AppError } from "../../src/errors.ts";
import { MAX_UINT256 } from "../../src/lib/amount.ts";
import { decodeRouterCall } from "../../src/router/router-codec.ts";
import { encodeExit } from "../../src/withdrawals/exit-calldata.ts";
import { verifyWithdrawal } from "../../src/withdrawals/verify-withdrawal.ts";
import {
  exitOf,
  exitWayOf,
  expectedWithdrawalOf,
  familyVault,
  orderOf,
  PARAMETER_ADDRESS,
} from "../support/withdrawals/fixtures.ts";

const veda = familyVault("veda", {
  teller: "d",
  withdraw_queue: PARAMETER_ADDRESS,
  delayed_withdraw: PARAMETER_ADDRESS,
});

test.each([
  ["request", 2n ** 128n],
  ["cooldown", 2n ** 96n],
] as const)("encodeExit() refuses a %s of more shares than its parameter holds", (mode, shares) => {
  const order = orderOf({ vault: veda });
  const way = exitWayOf(order, { mode, via: "user" });
  const encode = (amount: bigint) => encodeExit(exitOf(order, { way, shares: amount, minAssets: 0n }));
  expect(encode(shares - 1n).data).toMatch(/^0x/);
  const refusal = expect.objectContaining({ code: "would_revert" });
  expect(() => encode(shares)).toThrow(AppError);
  expect(() => encode(shares)).toThrow(refusal);
});

test.each([
  ["18 decimals", 10n ** 18n, MAX_UINT256],
  ["27 decimals", 10n ** 27n, MAX_UINT256],
  ["28 decimals", 10n ** 28n, 10n ** 28n],
  ["36 decimals", 10n ** 36n, 10n ** 36n],
] as const)(
  "encodeExit() takes shares that arrive later only with a minimum for them (%s)",
  (_, shares, taken) => {
    // A share is worth a token with six decimals.
    const exit = exitOf(orderOf(), { shares, minAssets: 10n ** 6n });
    const call = encodeExit(exit);
    const { order } = decodeRouterCall(call.data);
    expect(order).toMatchObject({ amountIn: taken, minIn: shares });
    expect(() => verifyWithdrawal({ ...expectedWithdrawalOf(exit), held: shares }, call)).not.toThrow();
  },
);
