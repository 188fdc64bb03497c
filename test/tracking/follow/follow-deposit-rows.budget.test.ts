import { expect, test } from "vitest";
import { followRows } from "../../../src/tracking/follow/follow-deposit-rows.ts";
import { contractsClient } from "../../support/chains/multicall.ts";
import { testContext } from "../../support/context.ts";
import { row } from "../../support/deposits/fixtures.ts";
import { fixedDatabase } from "../../support/withdrawals/withdrawing.ts";

test("followRows() counts its own requests, and not those of the chains' rounds in the same run", async () => {
  const client = contractsClient(() => ({ ok: false, data: "0x" }));
  const ctx = testContext({ db: fixedDatabase(() => []), clients: [client] });
  const rounds = Array.from({ length: 300 }, () => ctx.timing.track("rpc", async () => undefined));
  await Promise.all(rounds);
  const { done } = await followRows(ctx, { rows: [row], leaseUntil: new Date(ctx.now() + 30_000) });
  expect(done).toMatchObject({ due: 1, followed: 1, left: 0 });
});
