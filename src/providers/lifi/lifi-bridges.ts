/** How a bridge's calldata is laid out: one facet of the Diamond each. */
export type BridgeFacet = "across" | "stargate" | "celer" | "polymer";

export interface LifiBridge {
  /** Key of `GET /v1/bridges`. */
  key: string;
  name: string;
  /** LI.FI's tool keys that carry it, each with the facet its calldata must be of. */
  tools: Readonly<Record<string, BridgeFacet>>;
  /** Whether it can call a contract with what it delivers. */
  destinationCall: boolean;
}

/**
 * The bridges whose calldata names receiver, token, chain and least amount, so that it can be compared with
 * the request. Relay, Mayan, LayerSwap and the like deliver by an order kept off chain and are not asked for.
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

/** The bridge that a tool key belongs to, and the facet its calldata must be of; null for any other tool. */
export function bridgeOfTool(tool: string): { bridge: LifiBridge; facet: BridgeFacet } | null {
  for (const bridge of lifiBridges) {
    const facet = Object.hasOwn(bridge.tools, tool) ? bridge.tools[tool] : undefined;
    if (facet !== undefined) return { bridge, facet };
  }
  return null;
}
