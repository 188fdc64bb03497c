import { expect, test } from "vitest";
import { Api, type BuildBody, type SentDeposit } from "../../support/e2e/api.ts";
import { chainIds, chainOf, mined, vaultNamed } from "../../support/e2e/chain.ts";
import { serviceAt } from "../../support/e2e/partner.ts";
import { settled } from "../../support/e2e/settled.ts";
import { signDeposit } from "../../support/e2e/sign-deposit.ts";
import { statusOf } from "../../support/e2e/track.ts";
import { DELIVERY_POLLING, newMultiChainUser, prepare, signSecond } from "../../support/e2e/transfer.ts";
import { asPair, asSession, call, makePartner, type NewPartner } from "../../support/partners/wallet.ts";

const api = new Api();
const service = serviceAt();
const from = chainOf(chainIds.two);
const to = chainOf(chainIds.one);
const vault = vaultNamed("Members USDC");

async function buildBy(partner: NewPartner, body: BuildBody): Promise<SentDeposit> {
  const answer = await api.send("/v1/quote/build", { body, headers: asPair(partner) });
  expect(answer.status, answer.text).toBe(200);
  return answer.json as SentDeposit;
}

/** Sums of a partner, as its dashboard shows them. */
async function totalsOf(partner: NewPartner) {
  const headers = asSession(partner.session_token);
  const { body } = await call(service, ["GET", "/v1/partners/dashboard"], { headers });
  const { deposits, volumes, users, success_rate, days } = body as {
    deposits: Record<"built" | "sent" | "pending" | "completed", number>;
    volumes: { chain_id: number; amount: string; deposits: number }[];
    users: number;
    success_rate: number | null;
    days: { deposits: number; completed: number }[];
  };
  const { built, sent, pending, completed } = deposits;
  return {
    ...{ built, sent, pending, completed, users, success_rate },
    volumes: volumes.map(({ chain_id, amount, deposits: count }) => ({ chain_id, amount, count })),
    days: days.map(({ deposits: count, completed: done }) => ({ count, done })),
  };
}

test("the money of a deposit that a continuation completes counts once for the partner that built both", async () => {
  const partner = await makePartner(service);
  const traveller = await newMultiChainUser([from, to]);
  const body = await prepare({ from, paid: "USDC", vault }, traveller);
  const built = await buildBy(partner, body);
  const hash = await signDeposit(from, { user: traveller.on(from), built, style: "approval" });
  await mined(from, hash);
  const nextOf = async () => (await statusOf(hash, from.chainId, to.chainId)).deposit?.next ?? null;
  const next = await settled(nextOf, { ...DELIVERY_POLLING, wanted: (one) => one !== null });
  const amount = next?.approval?.amount ?? "0";

  const second = await prepare({ from: to, paid: "USDC", vault }, traveller);
  const child = await buildBy(partner, {
    ...{ ...second, from_amount: amount, parent_tracking_id: built.tracking_id },
  });
  const sent = await signSecond(to, { user: traveller.on(to), second: child });
  expect((await statusOf(sent, to.chainId)).deposit?.tracking_id).toBe(child.tracking_id);
  for (const { tracking_id } of [built, child])
    expect(await api.deposit(tracking_id)).toMatchObject({ state: "completed" });

  expect(await totalsOf(partner)).toEqual({
    ...{ built: 1, sent: 1, pending: 0, completed: 1, users: 1, success_rate: 1 },
    volumes: [{ chain_id: from.chainId, amount: body.from_amount, count: 1 }],
    days: [{ count: 1, done: 1 }],
  });
  // The list of single transactions has both.
  const { body: listed } = await call(service, ["GET", "/v1/partners/transactions"], {
    headers: asSession(partner.session_token),
  });
  expect(listed["rows"]).toMatchObject([
    { tracking_id: child.tracking_id },
    { tracking_id: built.tracking_id },
  ]);
});

test("a deposit of another amount that names a parent counts as money of its own", async () => {
  const partner = await makePartner(service);
  const traveller = await newMultiChainUser([from, to]);
  const built = await buildBy(partner, await prepare({ from, paid: "USDC", vault }, traveller));
  const hash = await signDeposit(from, { user: traveller.on(from), built, style: "approval" });
  await mined(from, hash);
  const awaits = async () => (await api.deposit(built.tracking_id)).state;
  await statusOf(hash, from.chainId, to.chainId);
  await settled(awaits, { ...DELIVERY_POLLING, wanted: (state) => state === "awaiting_deposit" });

  const second = await prepare({ from: to, paid: "USDC", vault }, traveller);
  const part = { ...second, from_amount: "5000000", parent_tracking_id: built.tracking_id };
  const child = await buildBy(partner, part);
  const sent = await signSecond(to, { user: traveller.on(to), second: child });
  expect((await statusOf(sent, to.chainId)).deposit?.tracking_id).toBe(child.tracking_id);
  expect(await totalsOf(partner)).toMatchObject({
    ...{ built: 2, sent: 2, pending: 1, completed: 1, users: 1 },
    volumes: [{ chain_id: to.chainId, amount: "5000000", count: 1 }],
  });
});
