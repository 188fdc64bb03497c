import { describe, expect, test } from "vitest";
import { Api } from "../../support/e2e/api.ts";
import { balanceOf } from "../../support/e2e/balances.ts";
import { addressOf, tokenOn, vaultNamed } from "../../support/e2e/chain.ts";
import {
  ends,
  type ProviderName,
  sendBridgeDeposit,
  unfollowed,
  withBridge,
} from "../../support/e2e/cross-chain.ts";
import { emulators, type FaultInput, HANG_MS, rpcEmulator, withFaults } from "../../support/e2e/faults.ts";
import { problemOf } from "../../support/e2e/http.ts";
import { statusOf, until } from "../../support/e2e/track.ts";

const api = new Api();
const vault = vaultNamed("Remote USDC");
const [from, to] = ends(vault);
const providers: readonly ProviderName[] = ["across", "lifi"];
const BRIDGING = { status: "PENDING", deposit: { state: "bridging" } };
const onStatus = (fault: FaultInput): FaultInput => ({ match: "/status", ...fault });

const faults: readonly [string, FaultInput][] = [
  ["refuse", { kind: "status", status: 500 }],
  ["limit", { kind: "status", status: 429 }],
  ["answer garbage", { kind: "malformed" }],
  ["break off", { kind: "truncate" }],
  ["answer a web page", { kind: "html" }],
  ["have renamed their fields", { kind: "drift" }],
  ["tell of a delivery that never was", { kind: "hostile" }],
];

describe.each(faults)("outage: both provider APIs %s", (_name, fault) => {
  const broken = [onStatus(fault)];

  test.each(providers)("a stuck transfer of %s stays PENDING", async (provider) => {
    await withBridge({ faults: broken, relayer: { mode: "stall" } }, async () => {
      const stuck = await sendBridgeDeposit({ provider, vault });
      for (let look = 0; look < 3; look += 1)
        expect(await statusOf(stuck.hash, from.chainId)).toMatchObject(BRIDGING);
    });
  });

  test.each(providers)("a delivery of %s is found on chain", async (provider) => {
    await withBridge({ faults: broken }, async () => {
      const departed = await sendBridgeDeposit({ provider, vault });
      expect(await until(departed, { status: "DONE" })).toMatchObject({ substatus: "COMPLETED" });
    });
  });

  test("a refund counts only when its transaction is known", async () => {
    const departed = await withBridge({ faults: broken, relayer: { mode: "refund" } }, async () => {
      const made = await sendBridgeDeposit({ provider: "lifi", vault });
      const held = () => balanceOf(from, { token: tokenOn(from, "USDC"), owner: made.user.address });
      await expect.poll(held).toBeGreaterThan(0n);
      expect(await statusOf(made.hash, from.chainId)).toMatchObject(BRIDGING);
      return made;
    });
    expect(await until(departed, { status: "DONE" })).toMatchObject({ substatus: "REFUNDED" });
  });

  test("a final status stays", async () => {
    const departed = await sendBridgeDeposit({ provider: "lifi", vault });
    const done = await until(departed, { status: "DONE" });
    const waiting = await sendBridgeDeposit({ provider: "lifi", vault, twoStep: true });
    await until(waiting, { substatus: "WAIT_DEPOSIT_TRANSACTION" });
    await withBridge({ faults: broken }, async () => {
      expect(await statusOf(departed.hash, from.chainId)).toEqual(done);
      expect(await statusOf(waiting.hash, from.chainId)).toMatchObject({
        substatus: "WAIT_DEPOSIT_TRANSACTION",
        deposit: { next: { kind: "deposit" } },
      });
    });
  });
});

test("timeout: hanging provider APIs do not delay a status", async () => {
  await withBridge({ faults: [onStatus({ kind: "timeout" })] }, async () => {
    const departed = await sendBridgeDeposit({ provider: "lifi", vault });
    const startedAt = Date.now();
    await statusOf(departed.hash, from.chainId);
    expect(Date.now() - startedAt).toBeLessThan(HANG_MS);
    expect(await until(departed, { status: "DONE" })).toMatchObject({ substatus: "COMPLETED" });
  });
});

describe("outage of the vault's chain", () => {
  const dark = { emulators: [rpcEmulator(to.chainId)], faults: [{ kind: "status", status: 503 } as const] };

  test("a delivery is proven only after the chain can be read", async () => {
    const departed = await withFaults(dark, async () => {
      const made = await sendBridgeDeposit({ provider: "lifi", vault });
      const shares = () => balanceOf(to, { token: addressOf(vault), owner: made.user.address });
      await expect.poll(shares).toBeGreaterThan(0n);
      expect(await statusOf(made.hash, from.chainId)).toMatchObject(BRIDGING);
      return made;
    });
    expect(await until(departed, { status: "DONE" })).toMatchObject({ substatus: "COMPLETED" });
  });

  test("a hash unknown to the source chain is NOT_FOUND", async () => {
    const unknown = `0x${"7".repeat(64)}`;
    await withFaults(dark, async () => {
      expect(await statusOf(unknown, from.chainId, to.chainId)).toMatchObject({ status: "NOT_FOUND" });
    });
  });

  test("shows the delivery and why no next step can be signed", async () => {
    const departed = await sendBridgeDeposit({ provider: "across", vault, twoStep: true });
    await until(departed, { substatus: "WAIT_DEPOSIT_TRANSACTION" });
    await withFaults(dark, async () => {
      expect(await api.deposit(departed.trackingId)).toMatchObject({
        state: "awaiting_deposit",
        next: null,
        next_refusal: { code: "upstream_unavailable" },
      });
    });
  });
});

describe("outage of the source chain", () => {
  const dark = { emulators: [rpcEmulator(from.chainId)], faults: [{ kind: "status", status: 503 } as const] };

  test("shows proven deposits and fails for unproven ones", async () => {
    const departed = await sendBridgeDeposit({ provider: "lifi", vault });
    const done = await until(departed, { status: "DONE" });
    const unseen = await sendBridgeDeposit({ provider: "lifi", vault });
    await withFaults(dark, async () => {
      expect(await statusOf(departed.hash, from.chainId)).toEqual(done);
      const answer = await api.send(`/v1/status?tx_hash=${unseen.hash}&from_chain_id=${from.chainId}`);
      expect(problemOf(answer)).toMatchObject({ status: 502, code: "upstream_unavailable" });
    });
    expect(await until(unseen, { status: "DONE" })).toMatchObject({ substatus: "COMPLETED" });
  });
});

describe("outage of a store", () => {
  /** Part of a statement that records a new state, as its JSON has it; jobs also lease and schedule rows. */
  const match = String.raw`\"history\" = `;
  test.each<[string, FaultInput]>([
    ["before a write", { match, kind: "status", status: 500, count: 1 }],
    ["after a write, its answer lost", { match, kind: "truncate", count: 1 }],
  ])("%s: the request fails and the next one finds the deposit unchanged", async (_name, fault) => {
    // A round that recorded the deposit's state first would meet the fault in place of the request.
    const departed = await unfollowed(async () => {
      const sent = await sendBridgeDeposit({ provider: "across", vault, unscheduled: true });
      await withFaults({ emulators: [emulators().neon], faults: [fault] }, async () => {
        const answer = await api.send(`/v1/status?tx_hash=${sent.hash}&from_chain_id=${from.chainId}`);
        expect(problemOf(answer)).toMatchObject({ status: 503, code: "store_unavailable" });
        expect(await until(sent, { status: "DONE" })).toMatchObject({ substatus: "COMPLETED" });
      });
      return sent;
    });
    const { history } = await api.deposit(departed.trackingId);
    const states = history.map(({ state }) => state);
    expect(new Set(states).size).toBe(states.length);
    expect([states.at(0), states.at(-1)]).toEqual(["built", "completed"]);
  });

  test("Redis is not needed", async () => {
    await withFaults(
      { emulators: [emulators().upstash], faults: [{ kind: "status", status: 500 }] },
      async () => {
        const departed = await sendBridgeDeposit({ provider: "lifi", vault });
        expect(await until(departed, { status: "DONE" })).toMatchObject({ substatus: "COMPLETED" });
      },
    );
  });
});
