import type { Quirk, RelayerMode } from "../emulators/control.ts";
import type { Ledger } from "../relayer/ledger.ts";
import type { BridgeChains } from "./bridge-chains.ts";

/** Data behind the emulated services: the deployed chains and the observed transfers. */
export interface BridgeSource {
  bridgeChains: BridgeChains;
  ledger: Ledger;
  /** Returns the optional behaviours of LI.FI that are enabled by its emulator's `/__control`. */
  lifiQuirks(): readonly Quirk[];
  /** Returns the relayer's mode for the transfers of a service. */
  modeOf(service: "lifi" | "across"): RelayerMode;
}
