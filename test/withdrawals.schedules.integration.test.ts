import { writeSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Placed } from "./support/conformance/vaults/family.ts";
import { place } from "./support/conformance/vaults/suite.ts";
import { startWorld, type World } from "./support/conformance/vaults/world.ts";
import { randomOf } from "./support/flows/random.ts";
import { extendDeadlines } from "./support/patient-deadlines.ts";
import { instantVaults, vaultBeside } from "./support/withdrawals/instant-vaults.ts";
import { requestingVaults } from "./support/withdrawals/requesting-vaults.ts";
import { WithdrawalSchedule } from "./support/withdrawals/withdrawal-schedule.ts";

const setting = (name: string, absent: number): number => Number(process.env[name] ?? absent);
const leavingVaults = [...requestingVaults, ...instantVaults];
/** One for each kind of vault by default; many by `npm run stress -- --only withdrawals`. */
const schedules = setting("WITHDRAWAL_SCHEDULES", leavingVaults.length);
const seed = setting("WITHDRAWAL_SEED", 1);
const patience = setting("WITHDRAWAL_FAILURES", 3);
const only = process.env["WITHDRAWAL_VAULT"];
/** 1 to play only kinds of vaults whose requests can be cancelled, and to cancel most of them. */
const cancelling = setting("WITHDRAWAL_CANCELS", 0) === 1;
/** 1 to move shares into a second vault and back, too. */
const moves = setting("WITHDRAWAL_MOVES", 0) === 1;
/** 1 to deposit for another account and to have it paid, too. */
const others = setting("WITHDRAWAL_OTHERS", 0) === 1;
const kinds = leavingVaults.filter(
  ({ name, cancels }) => (only === undefined || name === only) && (!cancelling || cancels !== null),
);
/** Schedules of one world: their time passes, and prices of the stand-ins are valid for some weeks. */
const OF_ONE_WORLD = 5 * kinds.length;
const DECIMALS = 6;

/** Prints at once, past the test runner: a long run may be ended before it gives up. */
const say = (text: string): unknown => writeSync(2, `${text}\n`);

let world: World | null = null;
/** The vaults of the world by kind, each with one of the same asset beside it if shares are moved. */
const vaults = new Map<string, Both>();
interface Both {
  placed: Placed;
  beside: Placed | null;
}

async function renew(): Promise<World> {
  await world?.close();
  vaults.clear();
  world = await startWorld();
  return world;
}

let restoreDeadlines = (): void => undefined;
beforeAll(() => {
  restoreDeadlines = extendDeadlines();
});
afterAll(async () => {
  await world?.close();
  restoreDeadlines();
});

async function placeBoth(at: World, kind: (typeof kinds)[number]): Promise<Both> {
  const placed = await place(at, { family: kind, decimals: DECIMALS });
  if (!moves) return { placed, beside: null };
  const beside = await place(at, { family: vaultBeside, decimals: DECIMALS, asset: placed.asset });
  return { placed, beside };
}

async function play(index: number): Promise<string | null> {
  const at = world === null || index % OF_ONE_WORLD === 0 ? await renew() : world;
  const random = randomOf(seed + index);
  const kind = kinds[(seed + index) % kinds.length];
  if (kind === undefined) throw new Error("no vault");
  const both = vaults.get(kind.name) ?? (await placeBoth(at, kind));
  vaults.set(kind.name, both);
  const schedule = new WithdrawalSchedule({ kind, ...both, random, cancels: cancelling, others });
  try {
    await schedule.play();
    return null;
  } catch (error) {
    return `seed ${seed + index}, ${kind.name}: ${String(error)}\n  ${schedule.events.join("\n  ")}`;
  }
}

test("what is held, on the way out and out stays what went in and its yield", {
  timeout: 36_000_000,
}, async () => {
  const failures: string[] = [];
  let played = 0;
  for (; played < schedules && failures.length < patience; played += 1) {
    const failure = await play(played);
    if ((played + 1) % 50 === 0) say(`${played + 1} schedules played, ${failures.length} failed`);
    if (failure === null) continue;
    say(failure);
    failures.push(failure);
  }
  console.log(`${played} schedules of withdrawals from seed ${seed}, ${failures.length} failed`);
  expect(failures).toEqual([]);
});
