import { expect, test } from "vitest";
import { AppError } from "../../src/errors.ts";
import { encodeExit } from "../../src/withdrawals/exit-calldata.ts";
import {
  exitOf,
  exitWayOf,
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
