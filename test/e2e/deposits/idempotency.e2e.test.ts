import { describe, expect, test } from "vitest";
import { Api, type BuildBody } from "../../support/e2e/api.ts";
import { chainOf, newUser, vaultNamed } from "../../support/e2e/chain.ts";
import { amounts, bodyFor } from "../../support/e2e/deposit.ts";
import { problemOf } from "../../support/e2e/http.ts";

const api = new Api();
const vault = vaultNamed("Plain USDC");

async function someBody(): Promise<BuildBody> {
  const user = await newUser(chainOf(vault.chain_id), { USDC: amounts.USDC });
  return bodyFor(vault, { user: user.address });
}

const under = (key: string, body: BuildBody) =>
  api.send("/v1/quote/build", { body, headers: { "idempotency-key": key } });

describe("Idempotency-Key", () => {
  test("returns the same answer for the same request", async () => {
    const body = await someBody();
    const key = crypto.randomUUID();
    const [first, again] = [await under(key, body), await under(key, body)];
    expect(first.status).toBe(200);
    expect(again.text).toBe(first.text);
    expect(await api.deposits(body.user_address)).toHaveLength(1);
  });

  test("makes 40 concurrent requests wait for the first", async () => {
    const body = await someBody();
    const key = crypto.randomUUID();
    const answers = await Promise.all(Array.from({ length: 40 }, () => under(key, body)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await api.deposits(body.user_address)).toHaveLength(1);
  });

  test("refuses a different request under the same key", async () => {
    const body = await someBody();
    const key = crypto.randomUUID();
    await under(key, body);
    const other = problemOf(await under(key, { ...body, from_amount: "2000000" }));
    expect(other).toMatchObject({ status: 409, code: "idempotency_conflict" });
  });

  test("separates users", async () => {
    const key = crypto.randomUUID();
    const [one, two] = [await under(key, await someBody()), await under(key, await someBody())];
    expect([one.status, two.status]).toEqual([200, 200]);
  });

  test("does not store failures", async () => {
    const body = await someBody();
    const key = crypto.randomUUID();
    const paused = { ...body, vault_id: vaultNamed("Paused USDC").vault_id };
    expect(problemOf(await under(key, paused)).code).toBe("vault_paused");
    expect((await under(key, body)).status).toBe(200);
  });

  test("builds a new deposit for every request without a key", async () => {
    const body = await someBody();
    const [one, two] = [await api.build(body), await api.build(body)];
    expect(one.tracking_id).not.toBe(two.tracking_id);
  });

  test("refuses a key that is too long", async () => {
    const answer = await under("k".repeat(256), await someBody());
    expect(answer.status).toBe(422);
    expect(answer.json).toMatchObject({ detail: [{ loc: ["header", "idempotency-key"] }] });
  });
});
