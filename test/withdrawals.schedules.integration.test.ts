import { afterAll, beforeAll, expect, test } from "vitest";
import type { Placed } from "./support/conformance/vaults/family.ts";
import { place } from "./support/conformance/vaults/suite.ts";
import { startWorld, type World } from "./support/conformance/vaults/world.ts";
import { randomOf } from "./support/flows/random.ts";
import { extendDeadlines } from "./support/patient-deadlines.ts";
import { instantVaults } from "./support/withdrawals/instant-vaults.ts";
import { requestingVaults } from "./support/withdrawals/requesting-vaults.ts";
import { WithdrawalSchedule } from "./support/withdrawals/withdrawal-schedule.ts";

const setting = (name: string, absent: number): number => Number(process.env[name] ?? absent);
const leavingVaults = [...requestingVaults, ...instantVaults];
/** One for each kind of vault by default; many by `npm run stress -- --only withdrawals`. */
const schedules = setting("WITHDRAWAL_SCHEDULES", leavingVaults.length);
const seed = setting("WITHDRAWAL_SEED", 1);
const patience = setting("WITHDRAWAL_FAILURES", 3);
const only = process.env["WITHDRAWAL_VAULT"];
const kinds = leavingVaults.filter(({ name }) => only === undefined || name === only);
/** Schedules of one world: their time passes, and prices of the stand-ins are valid for some weeks. */
const OF_ONE_WORLD = 5 * kinds.length;
const DECIMALS = 6;

let world: World | null = null;
const vaults = new Map<string, Placed>();

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

async function play(index: number): Promise<string | null> {
  const at = world === null || index % OF_ONE_WORLD === 0 ? await renew() : world;
  const random = randomOf(seed + index);
  const kind = kinds[(seed + index) % kinds.length];
  if (kind === undefined) throw new Error("no vault");
  const placed = vaults.get(kind.name) ?? (await place(at, { family: kind, decimals: DECIMALS }));
  vaults.set(kind.name, placed);
  const schedule = new WithdrawalSchedule({ kind, placed, random });
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
    if ((played + 1) % 10 === 0) console.log(`${played + 1} schedules played`);
    if (failure === null) continue;
    // At once, because the runner prints what failed only after all other files.
    console.log(failure);
    failures.push(failure);
  }
  console.log(`${played} schedules of withdrawals from seed ${seed}, ${failures.length} failed`);
  expect(failures).toEqual([]);
});
