import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestDeployment, type TestDeployment } from "../../scripts/stack/test-deployment.ts";
import type { Context } from "../../src/context.ts";
import { decideApplication, submitApplication } from "../../src/partners/partner-applications.ts";
import { apply, decide, newWallet, signNonce } from "../support/partners/wallet.ts";

let causeway: TestDeployment;
beforeAll(async () => {
  causeway = await startTestDeployment();
});
afterAll(() => causeway?.close());

/** Returns a context in which something happens after each statement of the request; `times` counts them from 1. */
function interrupted(happens: (times: number) => Promise<unknown>): Context {
  const ctx = causeway.context();
  let times = 0;
  const run: typeof ctx.db.run = async (statement) => {
    const result = await ctx.db.run(statement);
    times += 1;
    await happens(times);
    return result;
  };
  return { ...ctx, db: { run } };
}

test("an application that is rejected while it is sent again is filed", async () => {
  const wallet = newWallet();
  const { body } = await apply(causeway, wallet);
  const { message: _, ...signed } = await signNonce(causeway, { wallet, purpose: "apply" });
  const form = { company: "Again", email: "again@wallet.example" };
  const ctx = interrupted((times) =>
    times === 1 ? decide(causeway, "reject", body["application_id"]) : Promise.resolve(),
  );
  expect(await submitApplication(ctx, { ...signed, form })).toEqual({
    application_id: body["application_id"],
    status: "pending",
  });
});

test("a decision that another one makes possible at the same time is made", async () => {
  const { body } = await apply(causeway, newWallet());
  const applicationId = String(body["application_id"]);
  await decide(causeway, "reject", applicationId);
  const ctx = interrupted((times) =>
    times === 1 ? decide(causeway, "reopen", applicationId) : Promise.resolve(),
  );
  const decided = await decideApplication(ctx, { applicationId, decision: "approve", note: "" });
  expect(decided).toMatchObject({ status: "approved" });
});

test("a decision that others overtake each time changes nothing", async () => {
  const { body } = await apply(causeway, newWallet());
  const applicationId = String(body["application_id"]);
  await decide(causeway, "reject", applicationId);
  const ctx = interrupted((times) => decide(causeway, times % 2 === 1 ? "reopen" : "reject", applicationId));
  const late = decideApplication(ctx, { applicationId, decision: "approve", note: "" });
  await expect(late).rejects.toMatchObject({ code: "store_unavailable" });
});
