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

/** A running bridge: its relayer, and the request handlers of the services that use it. */
export interface Bridge {
  lifi: Answerer;
  across: Answerer;
  /** Request handler of KyberSwap, which only swaps. */
  swaps: Answerer;
  /** Velora, which only swaps. */
  velora: Answerer;
  close(): void;
}

/** Starts the relayer between the deployed chains; `controls` configure the services and the relayer. */
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
