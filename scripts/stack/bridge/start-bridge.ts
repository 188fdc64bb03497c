import type { DeployedChain } from "../chains/deploy-chain.ts";
import { answerAcross } from "../emulators/across/answer.ts";
import type { Control } from "../emulators/control.ts";
import { answerLifi } from "../emulators/lifi/answer.ts";
import type { Answerer } from "../emulators/server.ts";
import { answerSwaps } from "../emulators/swaps/answer.ts";
import { answerVelora } from "../emulators/velora/answer.ts";
import { BridgeRelayer } from "../relayer/relayer.ts";
import { bridgeChainsOf } from "./bridge-chains.ts";
import type { BridgeSource } from "./bridge-source.ts";

/**
 * Request handlers of the emulated bridge and swap services. `lifi` and `across` bridge over one relayer; `swaps`
 * (KyberSwap) and `velora` only swap. `close` stops the relayer.
 */
export interface Bridge {
  lifi: Answerer;
  across: Answerer;
  swaps: Answerer;
  velora: Answerer;
  close(): void;
}

/** Starts the relayer between the deployed chains. `controls` are read at each request, so they may change later. */
export function startBridge(
  deployments: readonly DeployedChain[],
  controls: Record<"lifi" | "across", Control>,
): Bridge {
  const bridgeChains = bridgeChainsOf(deployments);
  const relayer = new BridgeRelayer(bridgeChains, (service) => controls[service].relayer);
  relayer.start();
  const source: BridgeSource = {
    bridgeChains,
    ledger: relayer.ledger,
    lifiQuirks: () => controls.lifi.quirks,
    modeOf: (service) => controls[service].relayer.mode,
  };
  return {
    lifi: answerLifi(source),
    across: answerAcross(source),
    swaps: answerSwaps(bridgeChains),
    velora: answerVelora(bridgeChains),
    close: () => relayer.close(),
  };
}
