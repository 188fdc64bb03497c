import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { z } from "zod";
import { Api } from "../../support/e2e/api.ts";

const Answer = z.object({
  approval: z.object({ token_address: z.string(), amount: z.string() }),
  estimate: z.object({ estimated_shares: z.string(), min_shares: z.string() }),
});

test("the README's example request gets the documented response", async () => {
  const readme = await readFile("README.md", "utf8");
  const request = /localhost:8787\/v1\/quote\/build .*? -d '(\{.*?\})'/s.exec(readme)?.[1] ?? "";
  const body = z.looseObject({ from_token: z.string(), vault_id: z.string() }).parse(JSON.parse(request));
  expect(readme.split(body.vault_id).length, "the vault of the demonstration too").toBeGreaterThan(2);

  const answer = await new Api().send("/v1/quote/build", { body });
  expect(answer.status).toBe(200);
  const { approval, estimate } = Answer.parse(answer.json);
  expect(approval).toEqual({ token_address: body.from_token, amount: "250000000" });
  expect(BigInt(estimate.min_shares)).toBeGreaterThan(0n);
  expect(BigInt(estimate.estimated_shares)).toBeGreaterThan(BigInt(estimate.min_shares));
});
