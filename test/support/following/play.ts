import { type Address, getAddress, type Hex } from "viem";
import { afterAll, beforeAll, beforeEach, vi } from "vitest";
import { randomOf } from "../flows/random.ts";
import { execute, HOME, USDC } from "./contracts.ts";
import { type EmbeddedDatabase, openEmbeddedDatabase } from "./embedded-database.ts";
import { type Order, World } from "./world.ts";

/** A user to whom no deposit belongs. */
export const STRANGER: Address = getAddress(`0x${"bd".repeat(19)}01`);

/** What a test plays with: a world that has begun, and the database of its service. */
export interface Play {
  world: World;
  database: EmbeddedDatabase;
}

/**
 * Registers hooks that open one database for the file and begin a new world on it before each test, which `take`
 * receives. Only the world moves the clock. `allJobs` is false where the jobs that do not track deposits are left out.
 */
export function playEachTest(take: (play: Play) => void, { allJobs = true } = {}): void {
  const database = openForFile();
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const setTime = (now: number): unknown => vi.setSystemTime(now);
    const world = new World(randomOf(1), { database: database(), setTime, allJobs });
    await world.begin();
    take({ world, database: database() });
  });
}

/** Registers hooks that open a database before the file's tests, and close it and restore the clock after them. */
export function openForFile(): () => EmbeddedDatabase {
  let opened: EmbeddedDatabase | null = null;
  beforeAll(async () => {
    opened = await openEmbeddedDatabase();
  });
  afterAll(async () => {
    vi.useRealTimers();
    await opened?.close();
  });
  return () => {
    if (opened === null) throw new Error("the database is open only within tests");
    return opened;
  };
}

/** Lets minutes pass, with blocks, in which the jobs run. */
export async function playMinutes(world: World, count: number): Promise<void> {
  for (let minute = 0; minute < count; minute += 1) {
    world.pass(10);
    await world.round();
  }
}

/** Returns a deposit's state as the API shows it. */
export async function stateOf(world: World, { trackingId }: Order): Promise<string | undefined> {
  return (await world.readAll()).find(({ tracking_id }) => tracking_id === trackingId)?.state;
}

/**
 * Builds a deposit of an amount of the token that arrived for `order`, with a parent or none. Null while nothing has
 * arrived. Default amount: what arrived.
 */
export async function buildDirect(
  world: World,
  of: { order: Order; parent: Order | null; amount?: number },
): Promise<Order | null> {
  const { order, parent } = of;
  const detail = `/v1/deposits/${order.trackingId}`;
  const { body } = await world.whileWell(() => world.causeway.send(detail));
  const { delivered_amount: delivered } = body as { delivered_amount: string | null };
  if (delivered === null) return null;
  const amount = of.amount ?? Number(delivered);
  const direct = { from_chain_id: HOME, from_token: USDC[HOME], from_amount: String(amount) };
  const like = {
    ...order,
    body: { ...order.body, ...direct, parent_tracking_id: parent?.trackingId ?? null },
  };
  return world.build("own", { user: order.user, amount, like });
}

/** Sends the calldata of a deposit from a stranger's account, at his own cost: the deposit names its user. */
export function sendByStranger(world: World, { source: { chainId, to, data } }: Order): Hex {
  const call = { from: STRANGER, to: getAddress(to), data };
  const run: Parameters<typeof world.home.send>[0]["run"] = (chain) => execute(chain, call);
  return world.chain(chainId).send({ from: call.from, to: call.to, input: data, value: 0n, run });
}

/** A deposit as the lists show it. */
export interface Shown {
  state: string;
  shares: string | null;
  source_tx_hash: Hex | null;
  history: { state: string }[];
}

/** A deposit as the list shows it, which moves nothing; undefined while it shows none. */
export async function listed(world: World, { trackingId, user }: Order): Promise<Shown | undefined> {
  const { body } = await world.causeway.send(`/v1/deposits?user_address=${user}&limit=100`);
  return (body as (Shown & { tracking_id: string })[]).find(({ tracking_id: id }) => id === trackingId);
}

/** Sends a deposit, lets a relayer pay it out and the user sign its second step, and says nothing to anybody. */
export async function sendSilently(world: World, order: Order): Promise<Hex> {
  const hash = world.send(order);
  world.include();
  world.pass(3);
  for (const transfer of world.openTransfers()) world.relay(transfer);
  world.include();
  world.pass(3);
  return hash;
}
