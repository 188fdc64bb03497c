import { type Address, type Hex, parseAbiParameters } from "viem";
import { once } from "../../../lib/once.ts";
import { decodeCanonical } from "./lifi-canonical-decoding.ts";
import { BRIDGE_DATA, type BridgeData, SWAP_DATA, type SwapData } from "./lifi-structs.ts";

/**
 * Decoded calldata of LI.FI's RelayDepositoryFacet. Relay keeps the receiver, token, chain and amount of an order
 * (`orderId`) off chain, so the call can be decoded but never verified. `depositorAddress` is the account that Relay
 * records as the depositor. `swaps` is null for the function without swaps.
 */
export interface RelayCall {
  kind: "relay";
  bridge: BridgeData;
  swaps: readonly SwapData[] | null;
  facet: { orderId: Hex; depositorAddress: Address };
}

const RELAY = "struct RelayDepositoryData { bytes32 orderId; address depositorAddress; }";
const started = once(() =>
  parseAbiParameters(["BridgeData bridge, RelayDepositoryData facet", BRIDGE_DATA, RELAY]),
);
const swapped = once(() =>
  parseAbiParameters([
    "BridgeData bridge, SwapData[] swaps, RelayDepositoryData facet",
    BRIDGE_DATA,
    SWAP_DATA,
    RELAY,
  ]),
);

/**
 * Decodes the arguments, without the selector, of RelayDepositoryFacet 1.0.0 `startBridgeTokensViaRelayDepository`
 * (0x092e8fa4). Returns null if they are not canonically encoded. Source: lifinance/contracts ef00558f.
 */
export function decodeRelay(data: Hex): RelayCall | null {
  const values = decodeCanonical(started(), data);
  return values && { kind: "relay", bridge: values[0], swaps: null, facet: values[1] };
}

/**
 * Decodes the arguments, without the selector, of RelayDepositoryFacet 1.0.0
 * `swapAndStartBridgeTokensViaRelayDepository` (0xa3443faa). Returns null unless canonically encoded. Source:
 * lifinance/contracts ef00558f.
 */
export function decodeSwapRelay(data: Hex): RelayCall | null {
  const values = decodeCanonical(swapped(), data);
  return values && { kind: "relay", bridge: values[0], swaps: values[1], facet: values[2] };
}
