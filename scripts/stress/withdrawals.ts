/**
 * Runs random schedules of deposits, redemption requests, claims, cancellations, share transfers and changes of time and
 * price for every family. Compares the sum of shares, open requests and payments with the deposits.
 *
 *   node scripts/stress/withdrawals.ts
 *   node scripts/stress/withdrawals.ts --schedules 1000 --seed 1 --failures 5
 */
import { readArguments } from "../command.ts";
import { runVitest } from "../run-vitest.ts";

const { values: options } = readArguments({
  help: `Plays random schedules of withdrawals over every family, by the API alone.

  node scripts/stress/withdrawals.ts [--schedules 1000] [--seed 1] [--failures 5] [--vault <name>] [--cancels] [--moves] [--others]

  --schedules  number of schedules
  --seed       seed of the first; the others count on from it
  --failures   failing schedules after which it gives up; the events of each are printed
  --vault      the only kind of vault, by its name in test/support/withdrawals
  --cancels    play only kinds whose requests can be cancelled, and cancel most of them
  --moves      also move shares into a second vault and back
  --others     also deposit for another account, and have it paid
  --help       show this text`,
  options: {
    schedules: { type: "string", default: "1000" },
    seed: { type: "string", default: "1" },
    failures: { type: "string", default: "5" },
    vault: { type: "string" },
    cancels: { type: "boolean", default: false },
    moves: { type: "boolean", default: false },
    others: { type: "boolean", default: false },
  },
});
const { vault, cancels, moves, others } = options;
const code = await runVitest(["--project", "integration", "test/withdrawals.schedules"], {
  WITHDRAWAL_SCHEDULES: options.schedules,
  WITHDRAWAL_SEED: options.seed,
  WITHDRAWAL_FAILURES: options.failures,
  ...(vault !== undefined && { WITHDRAWAL_VAULT: vault }),
  ...(cancels && { WITHDRAWAL_CANCELS: "1" }),
  ...(moves && { WITHDRAWAL_MOVES: "1" }),
  ...(others && { WITHDRAWAL_OTHERS: "1" }),
});
process.exit(code);
