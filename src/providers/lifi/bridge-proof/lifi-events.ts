import { getAbiItem, parseAbi, toEventSelector } from "viem";
import { once } from "../../../lib/once.ts";
import type { TransferEvent } from "../../provider.ts";
import type { LifiDeployment } from "../lifi-deployments.ts";
import { stargateAbi, transferStartedAbi } from "./lifi-source-events.ts";

const swapAbi = once(() =>
  parseAbi([
    "event LiFiGenericSwapCompleted(bytes32 indexed transactionId, string integrator, string referrer, address receiver, address fromAssetId, address toAssetId, uint256 fromAmount, uint256 toAmount)",
  ]),
);

/**
 * Returns the events by which a user's LI.FI transfers of native currency are found on a chain; none without a
 * deployment. Other transfers are found by the token's `Transfer` event. Sources: ILiFi.sol, IOFT.sol.
 */
export function lifiEvents(deployment: LifiDeployment | undefined): TransferEvent[] {
  if (deployment === undefined) return [];
  const { diamond, executor, stargate } = deployment;
  const started = toEventSelector(getAbiItem({ abi: transferStartedAbi(), name: "LiFiTransferStarted" }));
  const swapped = toEventSelector(getAbiItem({ abi: swapAbi(), name: "LiFiGenericSwapCompleted" }));
  const received = toEventSelector(getAbiItem({ abi: stargateAbi(), name: "OFTReceived" }));
  const pools = (stargate?.pools ?? []).map(({ pool }) => pool);
  const atDiamond = {
    side: "source",
    contracts: [diamond, executor],
    userTopic: null,
    nativeOnly: true,
  } as const;
  const arrival = { side: "destination", contracts: pools, userTopic: 2, nativeOnly: true } as const;
  return [
    { ...atDiamond, topic: started },
    { ...atDiamond, topic: swapped },
    ...(pools.length === 0 ? [] : [{ ...arrival, topic: received }]),
  ];
}
