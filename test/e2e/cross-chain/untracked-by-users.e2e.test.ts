import type { Hex } from "viem";
import { describe, expect, inject, test } from "vitest";
import { scheduledUrl } from "../../../scripts/stack/worker/scheduled.ts";
import { orderRef } from "../../../src/orders/order-attribution.ts";
import { findRouterDeposits } from "../../../src/tracking/deposits/find-deposit-logs.ts";
import { followDeposits } from "../../../src/tracking/follow/follow-deposits.ts";
import { Api } from "../../support/e2e/api.ts";
import { newUser, vaultNamed } from "../../support/e2e/chain.ts";
import {
  ends,
  programContext,
  type SentBridgeDeposit,
  sendBridgeDeposit,
  unfollowed,
  withBridge,
} from "../../support/e2e/cross-chain.ts";
import { query } from "../../support/e2e/database.ts";
import { amounts, bodyFor } from "../../support/e2e/deposit.ts";
import { emulators, type FaultInput, rpcEmulator, withFaults } from "../../support/e2e/faults.ts";
import { settled } from "../../support/e2e/settled.ts";
import { signDeposit } from "../../support/e2e/sign-deposit.ts";
import { DELIVERY_POLLING } from "../../support/e2e/transfer.ts";

const api = new Api();
const vault = vaultNamed("Remote USDC");
const [from, to] = ends(vault);
const here = vaultNamed("Plain USDC");

/** Fires the trigger once, as the platform does. */
async function fire(): Promise<number> {
  const response = await fetch(scheduledUrl(inject("stack").api, "* * * * *"));
  await response.arrayBuffer();
  return response.status;
}

/** What is written down of a deposit; asking the API for one would follow it. */
async function recorded(trackingId: string) {
  const [row] = await query(
    "select state, shares, source_tx_hash, next_check_at, history from deposits where tracking_id = $1",
    [trackingId],
  );
  return row ?? {};
}

/** Fires the trigger until a deposit is as wanted. What waits for its next check is due now: nobody waits an hour here. */
async function finish(trackingId: string, wanted: object): Promise<void> {
  const look = async () => {
    await query(
      "update deposits set next_check_at = now() where tracking_id = $1 and next_check_at > now() + interval '30 s'",
      [trackingId],
    );
    await fire();
    return recorded(trackingId);
  };
  await expect.poll(look, { interval: 300 }).toMatchObject(wanted);
}

/** The transaction in which the Router made a deposit. */
async function deliveryOf({ trackingId }: SentBridgeDeposit): Promise<Hex> {
  const refs = [orderRef(trackingId)];
  const client = (await programContext()).chains.client(to.chainId);
  if (client === null) throw new Error("the vault's chain is not served");
  const find = async () =>
    (await findRouterDeposits(client, { refs, blocks: 1_000 })).get(orderRef(trackingId));
  const hash = await settled(find, { ...DELIVERY_POLLING, wanted: (found) => found !== undefined });
  if (hash === undefined) throw new Error("the Router made no such deposit");
  return hash;
}

const report = ({ trackingId, hash }: SentBridgeDeposit) =>
  api.report(trackingId, { tx_hash: hash, step: "source" });

describe("following without status requests", () => {
  test.each(["lifi", "across"] as const)(
    "completes a deposit over %s and finds its source",
    async (provider) => {
      const departed = await sendBridgeDeposit({ provider, vault });
      await finish(departed.trackingId, { state: "completed", source_tx_hash: departed.hash });
      expect(await api.status(departed.hash, from.chainId)).toMatchObject({ status: "DONE" });
    },
  );

  test.each([
    ["the one that carries it is what was sent", (departed: SentBridgeDeposit) => departed.hash],
    [
      "one that does not is nothing that was sent",
      (_: SentBridgeDeposit, other: SentBridgeDeposit) => other.hash,
    ],
  ])("reported source of a deposit found by its delivery: %s", async (_what, reported) => {
    await unfollowed(async () => {
      const [departed, other] = [
        await sendBridgeDeposit({ provider: "lifi", vault }),
        await sendBridgeDeposit({ provider: "lifi", vault }),
      ];
      const hash = reported(departed, other);
      // Until its delivery is there nobody looks, as when the source's chain could not be read.
      await query("update deposits set source_tx_hash = $2, next_check_at = null where tracking_id = $1", [
        departed.trackingId,
        hash,
      ]);
      const delivered = await deliveryOf(departed);
      const told = await api.send(`/v1/status?tx_hash=${delivered}&from_chain_id=${to.chainId}`);
      expect(told.json).toMatchObject({
        status: "DONE",
        sending: hash === departed.hash ? { tx_hash: hash, chain_id: from.chainId } : null,
        receiving: { tx_hash: delivered },
      });
    });
  });

  test("completes a direct deposit by the Router's reference", async () => {
    const chain = ends(here)[1];
    const user = await newUser(chain, { USDC: amounts.USDC });
    const built = await api.build(bodyFor(here, { user: user.address }));
    expect(await recorded(built.tracking_id)).toMatchObject({ state: "built", next_check_at: null });
    const hash = await signDeposit(chain, { user, built, style: "calls" });
    await finish(built.tracking_id, { state: "completed", source_tx_hash: hash });
  });

  test.each([
    ["refund", "refunded"],
    ["fail_destination", "partial"],
  ] as const)("a deposit with a bridge outcome %s is %s", async (mode, state) => {
    await withBridge({ relayer: { mode } }, async () => {
      const departed = await sendBridgeDeposit({ provider: "across", vault });
      await finish(departed.trackingId, { state });
    });
  });

  test("tracks a reported two-step deposit to its second step", async () => {
    const departed = await sendBridgeDeposit({ provider: "across", vault, twoStep: true });
    await report(departed);
    await finish(departed.trackingId, { state: "awaiting_deposit" });
    const [shown] = await api.deposits(departed.user.address);
    expect(shown).toMatchObject({ status: "PENDING", substatus: "WAIT_DEPOSIT_TRANSACTION", next: null });
  });
});

test("concurrent runs share the work and change nothing twice", async () => {
  const departed: SentBridgeDeposit[] = [];
  for (let index = 0; index < 6; index += 1)
    departed.push(await sendBridgeDeposit({ provider: "across", vault }));
  await expect
    .poll(
      async () => {
        // Beside the trigger, runs that no lock keeps out: as when Redis is down.
        const beside = [1, 2, 3].map(async () => followDeposits(await programContext()));
        await Promise.all([fire(), fire(), ...beside]);
        return Promise.all(departed.map(async ({ trackingId }) => (await recorded(trackingId))["state"]));
      },
      { interval: 300 },
    )
    .toEqual(departed.map(() => "completed"));
  for (const { trackingId } of departed) {
    const { history } = (await recorded(trackingId)) as { history: { state: string }[] };
    const states = history.map(({ state }) => state);
    expect(new Set(states).size).toBe(states.length);
  }
});

describe("following run", () => {
  const DOWN: FaultInput = { kind: "status", status: 503 };

  test("continues during a chain outage and retries later", async () => {
    const stuck = await sendBridgeDeposit({ provider: "across", vault });
    await report(stuck);
    const chain = ends(here)[1];
    const user = await newUser(chain, { USDC: amounts.USDC });
    const built = await api.build(bodyFor(here, { user: user.address }));
    await signDeposit(chain, { user, built, style: "calls" });
    await withFaults({ emulators: [rpcEmulator(to.chainId)], faults: [DOWN] }, async () => {
      await finish(built.tracking_id, { state: "completed" });
      expect(await fire()).toBe(200);
    });
    await finish(stuck.trackingId, { state: "completed" });
  });

  test("needs no Redis", async () => {
    const departed = await sendBridgeDeposit({ provider: "lifi", vault });
    await withFaults({ emulators: [emulators().upstash], faults: [DOWN] }, () =>
      finish(departed.trackingId, { state: "completed" }),
    );
  });

  test("goes on after a database outage", async () => {
    const departed = await sendBridgeDeposit({ provider: "lifi", vault });
    const faults: FaultInput[] = [{ match: "history", kind: "status", status: 500, count: 1 }];
    await withFaults({ emulators: [emulators().neon], faults }, fire);
    await finish(departed.trackingId, { state: "completed" });
  });
});

test("cron: an unknown trigger does nothing", async () => {
  const response = await fetch(scheduledUrl(inject("stack").api, "0 0 29 2 *"));
  expect(response.status).toBe(200);
});
