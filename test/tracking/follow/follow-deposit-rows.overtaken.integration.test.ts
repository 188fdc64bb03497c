import { beforeEach, expect, test, vi } from "vitest";
import { randomOf } from "../../support/flows/random.ts";
import { AWAY, HOME } from "../../support/following/contracts.ts";
import { openForFile, stateOf } from "../../support/following/play.ts";
import { type Order, USERS, World } from "../../support/following/world.ts";

/** A message that tracks a reported transaction while the API answers a customer must not spoil the answer. */
const [USER = "0x"] = USERS;
const AMOUNT = 100_000_000;
/** More statements than any of these requests sends. */
const MOST_STATEMENTS = 40;

const database = openForFile();
let world: World;
/** What happens before one of the next statements. */
let due: { left: number; act(): Promise<unknown> } | null = null;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});

async function begin(): Promise<void> {
  const own = database();
  const fetch: typeof own.fetch = async (url, init) => {
    if (due !== null) {
      due.left -= 1;
      const { left, act } = due;
      if (left === 0) due = null;
      if (left === 0) await act();
    }
    return own.fetch(url, init);
  };
  const setTime = (now: number): unknown => vi.setSystemTime(now);
  world = new World(randomOf(1), { database: { ...own, fetch }, setTime, allJobs: false });
  await world.begin();
}

interface Detail {
  state: string;
  steps: { step_id: string; state: string }[];
}

const requiredIn = ({ steps }: Detail): string[] =>
  steps.filter(({ state }) => state === "required").map(({ step_id }) => step_id);

/** Builds a deposit, and sends and reports its source transaction. */
async function sendSource(kind: "router" | "two_step"): Promise<Order> {
  const order = await world.build(kind, { user: USER, amount: AMOUNT });
  await world.report(order, { hash: world.send(order) });
  return order;
}

/** Sends and reports both transactions of a deposit across chains; the first is over, and its delivery. */
async function sendSecond(): Promise<Order> {
  const order = await sendSource("two_step");
  await confirm();
  for (const transfer of world.openTransfers()) world.relay(transfer);
  confirmBlocks();
  await world.round();
  expect(await stateOf(world, order)).toBe("awaiting_deposit");
  const hash = await world.sendSecondStep(order);
  if (hash === null) throw new Error("there is no second step");
  await world.report(order, { hash, step: "deposit" });
  return order;
}

function confirmBlocks(): void {
  world.include();
  world.pass(3);
}

/** Lets the chains confirm what was sent, and a message track it. */
async function confirm(): Promise<void> {
  confirmBlocks();
  await world.causeway.deliverMessages();
}

const detailOf = async ({ trackingId }: Order): Promise<Detail> =>
  (await world.causeway.send(`/v1/deposits/${trackingId}`)).body as Detail;
const statusOf = async ({ hashes: [hash = "0x"], kind }: Order): Promise<Detail> => {
  const { body } = await world.status(hash, kind === "two_step" ? AWAY : HOME);
  // A transaction that is only reported has no steps.
  return (body as { deposit: Detail | null }).deposit ?? { state: "", steps: [] };
};

const sent: [string, () => Promise<Order>][] = [
  ["first", () => sendSource("router")],
  ["second", sendSecond],
];
const asked: [string, (order: Order) => Promise<Detail>][] = [
  ["GET /v1/deposits/{tracking_id}", detailOf],
  ["GET /v1/status", statusOf],
];
const cases = sent.flatMap(([name, send]) =>
  asked.flatMap(([path, ask]) =>
    ["before", "meanwhile"].map((confirmed) => ({ path, name, confirmed, send, ask })),
  ),
);

test.each(cases)(
  "$path: the $name transaction, confirmed $confirmed, is not asked for again while a message tracks it",
  async ({ send, ask, confirmed }) => {
    let overtaken = 0;
    for (let left = 1; left <= MOST_STATEMENTS; left += 1) {
      await begin();
      const order = await send();
      if (confirmed === "before") confirmBlocks();
      due = { left, act: confirmed === "before" ? () => world.causeway.deliverMessages() : confirm };
      const answer = await ask(order);
      expect([left, requiredIn(answer)]).toEqual([left, []]);
      if (due !== null) break;
      overtaken += 1;
    }
    due = null;
    expect(overtaken).toBeGreaterThan(2);
    expect(overtaken).toBeLessThan(MOST_STATEMENTS);
  },
);
