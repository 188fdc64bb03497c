import { expect, test } from "vitest";
import { vaultNamed, vaultsFor } from "../../support/e2e/chain.ts";
import { MoveSchedule } from "../../support/e2e/move-schedule.ts";
import { randomOf } from "../../support/flows/random.ts";

const setting = (name: string, absent: number): number => Number(process.env[name] ?? absent);
/** Two by default; more by the environment. */
const schedules = setting("MOVE_SCHEDULES", 2);
const seed = setting("MOVE_SEED", 1);

test("moves across chains: what is held, what bridges kept and what came out is what went in and its yield", {
  timeout: 36_000_000,
}, async () => {
  const home = vaultNamed("Plain USDC");
  const away = vaultsFor("honest").find(
    ({ chain_id: id, asset_symbol: symbol }) => id !== home.chain_id && symbol === "USDC",
  );
  if (away === undefined) throw new Error("no vault of USDC on the other chain");
  const failures: string[] = [];
  for (let index = 0; index < schedules; index += 1) {
    const schedule = new MoveSchedule({ vaults: [home, away], random: randomOf(seed + index) });
    const failure = await schedule.play().then(
      () => null,
      (error: unknown) => `seed ${seed + index}: ${String(error)}\n  ${schedule.events.join("\n  ")}`,
    );
    if (failure === null) continue;
    console.log(failure);
    failures.push(failure);
  }
  console.log(`${schedules} schedules of moves from seed ${seed}, ${failures.length} failed`);
  expect(failures).toEqual([]);
});
