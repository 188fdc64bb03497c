/** Compiles the stand-ins for others' contracts before the first test, as far as their sources changed. */
import { buildStandIns } from "../../scripts/contracts/stand-ins.ts";

export default async function setup(): Promise<void> {
  await buildStandIns();
}
