/**
 * The facets of LI.FI's Diamond (an EIP-2535 proxy) for bridges whose calldata can be verified. A facet determines the
 * layout of a bridge's calldata; `celer` and `polymer` both send CCTP transfers.
 */
export type BridgeFacet = "across" | "stargate" | "celer" | "polymer";

/** A bridge that LI.FI offers and whose calldata can be verified. */
export interface LifiBridge {
  /** Key of the bridge in `GET /v1/bridges`. */
  key: string;
  /** Display name of the bridge. */
  name: string;
  /** LI.FI's tool keys for this bridge, each mapped to the facet that its calldata must use. */
  tools: Readonly<Record<string, BridgeFacet>>;
  /** True if the bridge can make a destination call with the delivered tokens. */
  destinationCall: boolean;
}

/**
 * The LI.FI bridges that may be used, because their calldata can be compared with the request. Relay, Mayan, LayerSwap
 * and similar bridges keep receiver, token or amount in an off-chain order and are never requested.
 */
export const lifiBridges: readonly LifiBridge[] = [
  { key: "across", name: "Across", tools: { across: "across" }, destinationCall: true },
  { key: "stargate", name: "Stargate", tools: { stargateV2: "stargate" }, destinationCall: true },
  {
    key: "stargate_bus",
    name: "Stargate (bus)",
    tools: { stargateV2Bus: "stargate" },
    destinationCall: false,
  },
  {
    key: "cctp",
    name: "CCTP",
    tools: { celercircle: "celer", polymerStandard: "polymer" },
    destinationCall: false,
  },
  {
    key: "cctp_fast",
    name: "CCTP (fast)",
    tools: { celercirclefast: "celer", polymer: "polymer" },
    destinationCall: false,
  },
];

/**
 * Returns the bridge of a LI.FI tool key and the facet that its calldata must use, or null for exchanges and for
 * bridges that cannot be verified.
 */
export function bridgeOfTool(tool: string): { bridge: LifiBridge; facet: BridgeFacet } | null {
  for (const bridge of lifiBridges) {
    const facet = Object.hasOwn(bridge.tools, tool) ? bridge.tools[tool] : undefined;
    if (facet !== undefined) return { bridge, facet };
  }
  return null;
}
