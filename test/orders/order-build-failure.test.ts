import { expect, test } from "vitest";
import { AppError, failure } from "../../src/errors.ts";
import { shareFailure, throwLocalFailure, throwSharedFailure } from "../../src/orders/order-build-failure.ts";
import { testContext } from "../support/context.ts";

test("a failure is shared through Redis with its fields", async () => {
  const ctx = testContext();
  await shareFailure(ctx, {
    work: "redis",
    error: failure("below_minimum", "too little", { min_deposit: "5" }),
  });
  await expect(throwSharedFailure(ctx, { work: "redis", since: ctx.now() - 1 })).rejects.toMatchObject({
    code: "below_minimum",
    members: { min_deposit: "5" },
  });
});

test("a failure whose fields are no JSON is shared within the isolate only, and hides no other error", async () => {
  const ctx = testContext();
  const error = new AppError("would_revert", "no", { members: { revert: 1n } });
  await expect(shareFailure(ctx, { work: "bigint", error })).resolves.toBeUndefined();
  const of = { work: "bigint", since: ctx.now() - 1 };
  await expect(throwSharedFailure(ctx, of)).resolves.toBeUndefined();
  expect(() => throwLocalFailure(of)).toThrow("no");
});
