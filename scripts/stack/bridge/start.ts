import type { Deployment } from "../chains/deploy.ts";
import { answerAcross } from "../emulators/across/answer.ts";
import type { Control } from "../emulators/control.ts";
import { answerLifi } from "../emulators/lifi/answer.ts";
import type { Answerer } from "../emulators/server.ts";
import { BridgeRelayer } from "../relayer/relayer.ts";
import { worldOf } from "./world.ts";

/** A running bridge: its relayer, and the answers of the services that use it. */
export interface Bridge {
  lifi: Answerer;
  across: Answerer;
  close(): void;
}

/** Starts the relayer between the deployed chains; `controls` configure the services and the relayer. */
export function startBridge(
  deployments: readonly Deployment[],
  controls: Record<"lifi" | "across", Control>,
): Bridge {
  const world = worldOf(deployments);
  const relayer = new BridgeRelayer(world, (service) => controls[service].relayer);
  relayer.start();
  const source = { world, ledger: relayer.ledger, lifiQuirks: () => controls.lifi.quirks };
  return { lifi: answerLifi(source), across: answerAcross(source), close: () => relayer.close() };
}
