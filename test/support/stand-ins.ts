/** Compiles changed stand-ins for third-party contracts before the first test. */
import { buildStandIns } from "../../scripts/contracts/stand-ins.ts";

/** Global setup of vitest. */
export default async function setup(): Promise<void> {
  await buildStandIns();
}
