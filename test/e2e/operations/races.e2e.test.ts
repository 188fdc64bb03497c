import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { z } from "zod";
import type { HttpAnswer } from "../../../scripts/smoke/http-request.ts";
import { credentialsOf } from "../../../scripts/stress/fuzz/credentials.ts";
import { Api } from "../../support/e2e/api.ts";
import { chainOf, newUser, tokenOn, vaultNamed } from "../../support/e2e/chain.ts";
import { amounts, bodyFor } from "../../support/e2e/deposit.ts";
import { signDeposit } from "../../support/e2e/sign-deposit.ts";
import { type SecondWorker, startWorker } from "../../support/e2e/worker.ts";

const vault = vaultNamed("Plain USDC");
const chain = chainOf(vault.chain_id);
/** PGlite is one session in one thread: a thousand only wait for it. */
const TWINS = (process.env["DATABASE_URL"] ?? "") === "" ? 60 : 1_000;
let other: SecondWorker;
/** Two isolates of one deployment: they share database and Redis, not their memory. */
let apis: readonly [Api, Api];

beforeAll(async () => {
  other = await startWorker({});
  apis = [new Api(), new Api(other.origin)];
});
afterAll(() => other?.close());

/** Does something `count` times at once, in both isolates by turns. */
function together<T>(count: number, work: (api: Api, index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => work(apis[index % 2 === 0 ? 0 : 1], index)));
}

const tally = (answers: readonly HttpAnswer[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

async function built() {
  const user = await newUser(chain, { USDC: amounts.USDC });
  return { user, deposit: await apis[0].build(bodyFor(vault, { user: user.address })) };
}

describe("races between two isolates", () => {
  test("create one deposit from forty requests with one idempotency key", async () => {
    const user = await newUser(chain);
    const body = bodyFor(vault, { user: user.address });
    const headers = { "idempotency-key": crypto.randomUUID() };
    const answers = await together(40, (api) => api.send("/v1/quote/build", { body, headers }));
    expect(tally(answers)).toEqual({ 200: 40 });
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await apis[0].deposits(user.address)).toHaveLength(1);
  });

  test(`create one bridged deposit from ${TWINS} requests with one idempotency key`, async () => {
    const far = vaultNamed("Remote Prime USDC");
    const user = await newUser(chain, { USDC: amounts.USDC });
    const asked = { from_chain_id: chain.chainId, from_token: tokenOn(chain, "USDC") };
    const body = { ...bodyFor(far, { user: user.address }), ...asked };
    const headers = { "idempotency-key": crypto.randomUUID() };
    const answers = await together(TWINS, (api) => api.send("/v1/quote/build", { body, headers }));
    expect(tally(answers)).toEqual({ 200: TWINS });
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]?.json).toMatchObject({ tracking: { bridge: "across" }, two_step: false });
    expect(await apis[0].deposits(user.address)).toHaveLength(1);
  });

  test("record a completed deposit once", async () => {
    const { user, deposit } = await built();
    const hash = await signDeposit(chain, { user, built: deposit, style: "calls" });
    const seen = await together(24, (api) => api.status(hash, chain.chainId));
    expect(new Set(seen.map((answer) => JSON.stringify(answer))).size).toBe(1);
    const { history } = await apis[1].deposit(deposit.tracking_id);
    expect(history.map(({ state }) => state)).toEqual(["built", "completed"]);
  });

  test("never abandon a deposit that the chain shows", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { user, deposit } = await built();
      const hash = await signDeposit(chain, { user, built: deposit, style: "calls" });
      await together(8, (api, index) =>
        index % 4 === 0
          ? api.abandon(deposit.tracking_id)
          : api.send(`/v1/status?tx_hash=${hash}&from_chain_id=31337`),
      );
      await apis[0].status(hash, chain.chainId);
      const { state, history } = await apis[0].deposit(deposit.tracking_id);
      expect(state).toBe("completed");
      expect(history.filter((entry) => entry.state === "completed")).toHaveLength(1);
    }
  });

  test("keep one of many reported hashes, and none that the chain contradicts", async () => {
    const { user, deposit } = await built();
    const hash = await signDeposit(chain, { user, built: deposit, style: "calls" });
    const claims = Array.from({ length: 12 }, (_, index) => `0x${index.toString(16).repeat(64)}`);
    await together(24, (api, index) => {
      const claim = claims[index] ?? claims[0];
      return index < 12
        ? api.report(deposit.tracking_id, { tx_hash: claim })
        : api.send(`/v1/status?tx_hash=${hash}&from_chain_id=31337`);
    });
    await apis[0].status(hash, chain.chainId);
    expect(await apis[1].deposit(deposit.tracking_id)).toMatchObject({
      state: "completed",
      source_tx_hash: hash,
    });
  });

  test("return one valid key pair for ten concurrent rotations", async () => {
    const { session = {} } = await credentialsOf(inject("stack"));
    const path = "/v1/partners/api-keys/rotate";
    const answers = await together(10, (api) => api.send(path, { method: "POST", headers: session }));
    const Keys = z.object({ api_key: z.string(), api_secret: z.string() });
    const pairs = answers.filter(({ status }) => status === 200).map(({ json }) => Keys.parse(json));
    expect(pairs.length).toBeGreaterThan(0);
    const tried = await Promise.all(
      pairs.map((pair) =>
        apis[0].send("/v1/vaults?limit=1", {
          headers: { "x-api-key": pair.api_key, "x-api-secret": pair.api_secret },
        }),
      ),
    );
    expect(tally(tried)["200"]).toBe(1);
  });
});
