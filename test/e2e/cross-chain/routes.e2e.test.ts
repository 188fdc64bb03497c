import { describe, expect, test } from "vitest";
import { rpc } from "../../../scripts/stack/chains/json-rpc.ts";
import { Api } from "../../support/e2e/api.ts";
import { balanceOf } from "../../support/e2e/balances.ts";
import { addressOf, mined, tokenOn, userOn, vaultNamed } from "../../support/e2e/chain.ts";
import {
  ends,
  type ProviderName,
  type SentBridgeDeposit,
  sendBridgeDeposit,
  withBridge,
} from "../../support/e2e/cross-chain.ts";
import { type Signable, signDeposit } from "../../support/e2e/sign-deposit.ts";
import { statusOf, until } from "../../support/e2e/track.ts";

const api = new Api();
const providers: readonly ProviderName[] = ["across", "lifi"];
const vault = vaultNamed("Remote USDC");
const [from, to] = ends(vault);
const asset = tokenOn(to, "USDC");
const share = addressOf(vault);

const sharesOf = ({ user }: SentBridgeDeposit) => balanceOf(to, { token: share, owner: user.address });
const heldBy = ({ user }: SentBridgeDeposit) => balanceOf(to, { token: asset, owner: user.address });
const BRIDGING = { status: "PENDING", deposit: { state: "bridging" } };

/** The step the API offers next, signed on the vault's chain. */
async function takeNext(departed: SentBridgeDeposit): Promise<string> {
  const { next } = await api.deposit(departed.trackingId);
  if (next === null) throw new Error("nothing to sign");
  const user = await userOn(to, departed.user);
  const hash = await signDeposit(to, { user, built: next as Signable, style: "calls" });
  await mined(to, hash);
  return hash;
}

describe.each(providers)("one-step deposit over %s", (provider) => {
  test("mints shares from the delivery and returns the same status for every hash", async () => {
    const departed = await sendBridgeDeposit({ provider, vault });
    const done = await until(departed, { status: "DONE" });
    const shares = await sharesOf(departed);
    expect(shares).toBeGreaterThan(0n);
    expect(done).toMatchObject({
      substatus: "COMPLETED",
      sending: { tx_hash: departed.hash, amount: "250000000", chain_id: from.chainId },
      receiving: { amount: shares.toString(), chain_id: to.chainId },
      bridge: "across",
      deposit: {
        tracking_id: departed.trackingId,
        state: "completed",
        shares: shares.toString(),
        next: null,
      },
    });
    const delivery = done.receiving?.tx_hash ?? "";
    expect(delivery).not.toBe(departed.hash);
    // The delivery's own hash, asked for under either chain.
    for (const pair of [
      [to.chainId, to.chainId],
      [from.chainId, to.chainId],
      [from.chainId, from.chainId],
    ] as const)
      expect(await statusOf(delivery, pair[0], pair[1])).toEqual(done);
    const { history, state, destination_tx_hash } = await api.deposit(departed.trackingId);
    expect({ state, destination_tx_hash }).toEqual({ state: "completed", destination_tx_hash: delivery });
    const states = history.map((entry) => entry.state);
    expect(states[0]).toBe("built");
    expect(states.at(-1)).toBe("completed");
    expect(new Set(states).size).toBe(states.length);
  });

  test.each([
    ["one unit less", { underdeliver: "1" }],
    ["a hundredth less", { underdeliver_bps: 100 }],
  ])("mints shares from %s than promised", async (_name, less) => {
    await withBridge({ relayer: { mode: "underdeliver", ...less } }, async () => {
      const departed = await sendBridgeDeposit({ provider, vault });
      const done = await until(departed, { status: "DONE" });
      expect(done).toMatchObject({ substatus: "COMPLETED" });
      expect(done.deposit?.shares).toBe((await sharesOf(departed)).toString());
    });
  });

  test("failed destination call leaves the token: PARTIAL with a next step", async () => {
    const departed = await withBridge({ relayer: { mode: "fail_destination" } }, async () => {
      const made = await sendBridgeDeposit({ provider, vault });
      await until(made, { status: "DONE" });
      return made;
    });
    const held = await heldBy(departed);
    const status = await until(departed, { status: "DONE" });
    expect(status).toMatchObject({
      substatus: "PARTIAL",
      receiving: { amount: held.toString(), chain_id: to.chainId },
      deposit: {
        state: "partial",
        shares: null,
        next: { kind: "deposit", approval: { amount: held.toString() } },
      },
    });
    expect(await api.deposit(departed.trackingId)).toMatchObject({ delivered_amount: held.toString() });

    const hash = await takeNext(departed);
    expect([await heldBy(departed), (await sharesOf(departed)) > 0n]).toEqual([0n, true]);
    // Nobody has to report it: what was paid is found, and nothing is offered twice.
    expect(await api.deposit(departed.trackingId)).toMatchObject({
      deposit_tx_hash: hash,
      next: null,
      next_refusal: null,
    });
    const told = await statusOf(hash, to.chainId);
    expect(told).toMatchObject({
      status: "DONE",
      substatus: "PARTIAL",
      deposit: { next: null, next_refusal: null },
    });
    expect(await api.deposit(departed.trackingId)).toMatchObject({
      state: "partial",
      deposit_tx_hash: hash,
      shares: (await sharesOf(departed)).toString(),
      next: null,
      next_refusal: null,
    });
  });

  test("refund counts when the money is back", async () => {
    await withBridge({ relayer: { mode: "refund" } }, async () => {
      const departed = await sendBridgeDeposit({ provider, vault });
      const done = await until(departed, { status: "DONE" });
      const back = await balanceOf(from, { token: tokenOn(from, "USDC"), owner: departed.user.address });
      expect(done).toMatchObject({
        substatus: "REFUNDED",
        receiving: { amount: back.toString(), chain_id: from.chainId },
        deposit: { state: "refunded", shares: null, next: null },
      });
      expect(back).toBeGreaterThan(249_000_000n);
      const { refund_tx_hash: refund } = await api.deposit(departed.trackingId);
      expect(done.receiving?.tx_hash).toBe(refund);
      expect(await statusOf(refund ?? "", from.chainId)).toEqual(done);
    });
  });

  test("stuck transfer is PENDING until the bridge continues", async () => {
    const departed = await withBridge({ relayer: { mode: "stall" } }, async () => {
      const made = await sendBridgeDeposit({ provider, vault });
      for (let look = 0; look < 5; look += 1)
        expect(await statusOf(made.hash, from.chainId)).toMatchObject(BRIDGING);
      return made;
    });
    expect(await until(departed, { status: "DONE" })).toMatchObject({ substatus: "COMPLETED" });
  });

  test("expired transfer is PENDING until its refund", async () => {
    const departed = await withBridge({ relayer: { mode: "expire" } }, async () => {
      const made = await sendBridgeDeposit({ provider, vault });
      await until(made, {
        status: "PENDING",
        substatus: "REFUND_IN_PROGRESS",
        deposit: { state: "bridging" },
      });
      return made;
    });
    expect(await until(departed, { status: "DONE" })).toMatchObject({ substatus: "REFUNDED" });
    expect(await sharesOf(departed)).toBe(0n);
  });
});

describe.each(providers)("two-step deposit over %s", (provider) => {
  test.each([
    ["all", {}],
    ["a hundredth less than said", { mode: "underdeliver", underdeliver_bps: 100 } as const],
  ])("the user deposits %s that arrived", async (_name, relayer) => {
    const departed = await withBridge({ relayer }, async () => {
      const made = await sendBridgeDeposit({ provider, vault, twoStep: true });
      await until(made, { status: "PENDING", substatus: "WAIT_DEPOSIT_TRANSACTION" });
      return made;
    });
    const held = await heldBy(departed);
    expect(await api.deposit(departed.trackingId)).toMatchObject({
      state: "awaiting_deposit",
      delivered_amount: held.toString(),
      next: { kind: "deposit", approval: { token_address: asset, amount: held.toString() } },
    });
    const hash = await takeNext(departed);
    const report = await api.report(departed.trackingId, { tx_hash: hash, step: "deposit" });
    expect(report.status).toBe(200);
    const done = await until(departed, { status: "DONE" });
    expect(done).toMatchObject({
      substatus: "COMPLETED",
      receiving: { tx_hash: hash, amount: (await sharesOf(departed)).toString() },
    });
    expect(await statusOf(hash, to.chainId)).toEqual(done);
    expect(await heldBy(departed)).toBe(0n);
  });

  test("a reverted second step can be sent again", async () => {
    const departed = await sendBridgeDeposit({ provider, vault, twoStep: true });
    await until(departed, { substatus: "WAIT_DEPOSIT_TRANSACTION" });
    const { next } = await api.deposit(departed.trackingId);
    if (next === null) throw new Error("nothing to sign");
    const user = await userOn(to, departed.user);
    const gas = "0x186a0";
    // Without the approval it cannot succeed.
    const call = {
      from: user.address,
      to: next.transaction_request.to,
      data: next.transaction_request.data,
      gas,
    };
    const reverted = (await user.wallet.request({ method: "eth_sendTransaction", params: [call] })) as string;
    await rpc(to.rpcUrl, "evm_mine");
    await api.report(departed.trackingId, { tx_hash: reverted, step: "deposit" });
    expect(await api.deposit(departed.trackingId)).toMatchObject({
      state: "awaiting_deposit",
      next: { kind: "deposit" },
    });
    const hash = await takeNext(departed);
    await api.report(departed.trackingId, { tx_hash: hash, step: "deposit" });
    expect(await until(departed, { status: "DONE" })).toMatchObject({ substatus: "COMPLETED" });
  });
});
