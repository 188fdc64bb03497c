import { encodeFunctionData, erc20Abi, type Hex } from "viem";
import { describe, expect, test } from "vitest";
import type { NextStep } from "../../../src/schemas/deposit-schema.ts";
import { Api } from "../../support/e2e/api.ts";
import { chainIds, chainOf, give, mined, sendCall, tokenOn, vaultNamed } from "../../support/e2e/chain.ts";
import { settled } from "../../support/e2e/settled.ts";
import { signDeposit } from "../../support/e2e/sign-deposit.ts";
import { statusOf } from "../../support/e2e/track.ts";
import {
  DELIVERY_POLLING,
  type MultiChainUser,
  newMultiChainUser,
  prepare,
  sharesOf,
  signSecond,
} from "../../support/e2e/transfer.ts";

const api = new Api();
const from = chainOf(chainIds.two);
const to = chainOf(chainIds.one);
const members = vaultNamed("Members USDC");

interface Arrived {
  traveller: MultiChainUser;
  trackingId: string;
  hash: Hex;
  next: NextStep;
}

/** Sends the first of two steps and waits until the money is there. */
async function arrive(traveller: MultiChainUser, vault = members): Promise<Arrived> {
  const built = await api.build(await prepare({ from, paid: "USDC", vault }, traveller));
  const hash = await signDeposit(from, { user: traveller.on(from), built, style: "approval" });
  await mined(from, hash);
  const nextOf = async () => (await statusOf(hash, from.chainId, to.chainId)).deposit?.next ?? null;
  const next = await settled(nextOf, { ...DELIVERY_POLLING, wanted: (one) => one !== null });
  if (next === null) throw new Error("nothing is to be signed");
  return { traveller, trackingId: built.tracking_id, hash, next };
}

const shown = ({ hash }: Arrived) => statusOf(hash, from.chainId, to.chainId);
const COMPLETED = { status: "DONE", substatus: "COMPLETED" };
const AWAITING = { status: "PENDING", substatus: "WAIT_DEPOSIT_TRANSACTION" };

describe("unreported second step of a user-called vault", () => {
  test("is found by its payment and completes the deposit", async () => {
    const arrived = await arrive(await newMultiChainUser([from, to]));
    const { traveller } = arrived;
    const second = await signSecond(to, { user: traveller.on(to), second: arrived.next });
    const status = await shown(arrived);
    expect(status).toMatchObject(COMPLETED);
    expect(status.deposit?.shares).toBe(String(await sharesOf(members, traveller.address)));
    expect((await api.deposit(arrived.trackingId)).deposit_tx_hash).toBe(second);
    expect((await statusOf(second, to.chainId)).deposit?.tracking_id).toBe(arrived.trackingId);
  });

  test("completes only one of two equal deposits", async () => {
    const traveller = await newMultiChainUser([from, to]);
    const both = [await arrive(traveller), await arrive(traveller)] as const;
    await signSecond(to, { user: traveller.on(to), second: both[0].next });
    const states = [await shown(both[0]), await shown(both[1])].map(({ substatus }) => substatus);
    expect(states.sort()).toEqual(["COMPLETED", "WAIT_DEPOSIT_TRANSACTION"]);
    await signSecond(to, { user: traveller.on(to), second: both[1].next });
    for (const arrived of both) expect(await shown(arrived)).toMatchObject(COMPLETED);
  });

  test("is not matched by the same amount paid elsewhere", async () => {
    const arrived = await arrive(await newMultiChainUser([from, to]));
    const stranger = await newMultiChainUser([]);
    const amount = BigInt(arrived.next.approval?.amount ?? "0");
    const args = [stranger.address, amount] as const;
    const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args });
    await mined(to, await sendCall(arrived.traveller.on(to), { to: tokenOn(to, "USDC"), data }));
    expect(await shown(arrived)).toMatchObject(AWAITING);
  });

  test("is not matched by a deposit of a different amount", async () => {
    const arrived = await arrive(await newMultiChainUser([from, to]));
    const { traveller } = arrived;
    await give(to, { user: traveller.on(to), symbol: "USDC", amount: 5_000_000n });
    const body = await prepare({ from: to, paid: "USDC", vault: members }, traveller);
    const own = await api.build({ ...body, from_amount: "5000000" });
    await signSecond(to, { user: traveller.on(to), second: own });
    expect(await shown(arrived)).toMatchObject(AWAITING);
  });
});

describe("second step that is built as a deposit of its own, with its parent", () => {
  /** Builds the deposit of what arrived, as a client does that names the parent, and signs it. */
  const continued = async ({ traveller, trackingId, next }: Arrived, vault = members) => {
    const body = await prepare({ from: to, paid: "USDC", vault }, traveller);
    const from_amount = next.approval?.amount ?? "0";
    const built = await api.build({ ...body, from_amount, parent_tracking_id: trackingId });
    return { built, hash: await signSecond(to, { user: traveller.on(to), second: built }) };
  };

  test("completes the parent with the shares of the continuation, whichever is asked first", async () => {
    for (const parentFirst of [true, false]) {
      const arrived = await arrive(await newMultiChainUser([from, to]));
      const { built, hash } = await continued(arrived);
      const shares = String(await sharesOf(members, arrived.traveller.address));
      const parent = () => api.deposit(arrived.trackingId);
      const child = () => api.deposit(built.tracking_id);
      await (parentFirst ? parent() : statusOf(hash, to.chainId));
      expect(await child()).toMatchObject({ state: "completed", shares, source_tx_hash: hash });
      expect(await parent()).toMatchObject({ state: "completed", shares, deposit_tx_hash: hash, next: null });
      expect(await shown(arrived)).toMatchObject(COMPLETED);
      expect((await statusOf(hash, to.chainId)).deposit?.tracking_id).toBe(built.tracking_id);
    }
  });

  test("completes the parent of a deposit through the Router, too", async () => {
    const midas = vaultNamed("Midas USDC");
    const arrived = await arrive(await newMultiChainUser([from, to]), midas);
    const { built, hash } = await continued(arrived, midas);
    await statusOf(hash, to.chainId);
    expect(await api.deposit(built.tracking_id)).toMatchObject({ state: "completed" });
    expect(await shown(arrived)).toMatchObject(COMPLETED);
  });

  test("offers nothing to sign while the vault settles the request of the continuation", async () => {
    const later = vaultNamed("Lagoon Later USDC");
    const arrived = await arrive(await newMultiChainUser([from, to]), later);
    const { built, hash } = await continued(arrived, later);
    await statusOf(hash, to.chainId);
    expect(await api.deposit(built.tracking_id)).toMatchObject({ state: "requested" });
    const parent = await api.deposit(arrived.trackingId);
    expect(parent).toMatchObject({ state: "awaiting_deposit", next: null });
    expect(parent.next_refusal).toMatchObject({ code: "continued" });
    expect(parent.next_refusal?.detail).toContain(built.tracking_id);
  });

  test("does not complete a parent of which it pays only a part", async () => {
    const arrived = await arrive(await newMultiChainUser([from, to]));
    const { traveller, trackingId } = arrived;
    const body = await prepare({ from: to, paid: "USDC", vault: members }, traveller);
    const built = await api.build({ ...body, from_amount: "5000000", parent_tracking_id: trackingId });
    await statusOf(await signSecond(to, { user: traveller.on(to), second: built }), to.chainId);
    expect(await api.deposit(built.tracking_id)).toMatchObject({ state: "completed" });
    expect(await shown(arrived)).toMatchObject(AWAITING);
  });
});
