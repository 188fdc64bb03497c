import { describe, expect, test } from "vitest";
import { Api } from "../../support/e2e/api.ts";
import { chainIds, chainOf, mined, vaultNamed } from "../../support/e2e/chain.ts";
import { withBridge } from "../../support/e2e/cross-chain.ts";
import { signDeposit } from "../../support/e2e/sign-deposit.ts";
import { statusOf } from "../../support/e2e/track.ts";
import {
  DELIVERY_POLLING,
  type Journey,
  type MultiChainUser,
  newMultiChainUser,
  prepare,
  sharesOf,
} from "../../support/e2e/transfer.ts";

const api = new Api();
const one = chainOf(chainIds.one);
const two = chainOf(chainIds.two);

/** Builds a journey, signs its first transaction and waits for the status that is wanted. */
async function start(journey: Journey, wanted: object) {
  const traveller = await newMultiChainUser([one, two]);
  const built = await api.build(await prepare(journey, traveller));
  const user = traveller.on(journey.from);
  const hash = await signDeposit(journey.from, { user, built, style: "calls" });
  await mined(journey.from, hash);
  const ask = () => statusOf(hash, journey.from.chainId, journey.vault.chain_id);
  await expect.poll(ask, DELIVERY_POLLING).toMatchObject(wanted);
  return { traveller, built, hash, ask, status: await ask() };
}

/** Signs what the API offers next, and tells the API. */
async function goOn(
  journey: Journey,
  deposit: { traveller: MultiChainUser; trackingId: string },
): Promise<string> {
  const { next } = await api.deposit(deposit.trackingId);
  if (next === null) throw new Error("nothing to sign");
  const to = chainOf(journey.vault.chain_id);
  const hash = await signDeposit(to, { user: deposit.traveller.on(to), built: next, style: "calls" });
  await mined(to, hash);
  await api.report(deposit.trackingId, { tx_hash: hash, step: "deposit" });
  return hash;
}

const oneSignature: readonly [string, Journey][] = [
  ["a token of another chain", { from: one, paid: "USDC", vault: vaultNamed("Remote USDC") }],
  ["native money of another chain", { from: two, paid: "ETH", vault: vaultNamed("Local Prime WETH") }],
  ["another token of another chain", { from: one, paid: "WBTC", vault: vaultNamed("Remote Prime USDC") }],
  ["another token of the same chain", { from: one, paid: "USDT", vault: vaultNamed("Plain USDC") }],
];
const twoSignatures: readonly [string, Journey][] = [
  ["a token of another chain", { from: two, paid: "USDC", vault: vaultNamed("Members USDC") }],
  ["another token of the same chain", { from: one, paid: "USDT", vault: vaultNamed("Members USDC") }],
];

describe("status of one-step deposits", () => {
  test.each(oneSignature)("tracks %s into the vault", async (_, journey) => {
    const { traveller, built, hash, status } = await start(journey, { status: "DONE" });
    expect(built.two_step).toBe(false);
    const shares = await sharesOf(journey.vault, traveller.address);
    expect(shares).toBeGreaterThanOrEqual(BigInt(built.estimate.min_shares ?? "1"));
    expect(status).toMatchObject({
      substatus: "COMPLETED",
      sending: { tx_hash: hash, chain_id: journey.from.chainId },
      receiving: { amount: String(shares), chain_id: journey.vault.chain_id },
      bridge: built.tracking.bridge,
      deposit: { tracking_id: built.tracking_id, state: "completed", shares: String(shares), next: null },
    });
  });

  test("failed destination call is PARTIAL and the next step deposits the delivery", async () => {
    const journey = { from: one, paid: "USDC", vault: vaultNamed("Remote Prime USDC") } as const;
    await withBridge({ relayer: { mode: "fail_destination" } }, async () => {
      const { traveller, built, ask } = await start(journey, { status: "DONE", substatus: "PARTIAL" });
      expect(await sharesOf(journey.vault, traveller.address)).toBe(0n);
      await goOn(journey, { traveller, trackingId: built.tracking_id });
      const shares = await sharesOf(journey.vault, traveller.address);
      expect(shares).toBeGreaterThan(0n);
      expect(await ask()).toMatchObject({
        substatus: "PARTIAL",
        deposit: { state: "partial", shares: String(shares), next: null, next_refusal: null },
      });
    });
  });

  test("refund is REFUNDED", async () => {
    const journey = { from: two, paid: "WETH", vault: vaultNamed("Local Prime WETH") } as const;
    await withBridge({ relayer: { mode: "refund" } }, async () => {
      const { status } = await start(journey, { status: "DONE" });
      expect(status).toMatchObject({ substatus: "REFUNDED", receiving: { chain_id: two.chainId } });
    });
  });
});

describe("status of two-step deposits", () => {
  test.each(twoSignatures)(
    "%s waits for the second step and is tracked into the vault",
    async (_, journey) => {
      const waiting = { status: "PENDING", substatus: "WAIT_DEPOSIT_TRANSACTION" };
      const { traveller, built, ask } = await start(journey, waiting);
      expect(built.two_step).toBe(true);
      const hash = await goOn(journey, { traveller, trackingId: built.tracking_id });
      const shares = await sharesOf(journey.vault, traveller.address);
      expect(await ask()).toMatchObject({
        status: "DONE",
        substatus: "COMPLETED",
        receiving: { tx_hash: hash, amount: String(shares), chain_id: journey.vault.chain_id },
        deposit: { state: "completed", shares: String(shares), next: null },
      });
    },
  );
});
