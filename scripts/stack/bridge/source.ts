import type { Quirk } from "../emulators/control.ts";
import type { Ledger } from "../relayer/ledger.ts";
import type { World } from "./world.ts";

/** What the emulated services answer from: the chains as deployed, and the transfers that were seen. */
export interface BridgeSource {
  world: World;
  ledger: Ledger;
  /** What `/__control` of LI.FI's emulator has switched on. */
  lifiQuirks(): readonly Quirk[];
}
