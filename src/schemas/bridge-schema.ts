import * as z from "zod";
import { ChainIdNumber } from "./primitive-schemas.ts";

/** A bridge that cross-chain deposits and withdrawals can use, with its providers and chains. */
export const BridgeSummary = z
  .object({
    key: z
      .string()
      .meta({ description: "Key of the bridge, as `preferred_bridge` takes it.", example: "across" }),
    name: z.string().meta({ description: "Display name of the bridge.", example: "Across" }),
    providers: z.array(z.string()).meta({
      description: "Providers that build transactions for this bridge.",
      example: ["across", "lifi"],
    }),
    chains: z.array(ChainIdNumber).meta({
      description: "EIP-155 ids of the chains of this deployment that the bridge connects.",
      example: [1, 8453],
    }),
  })
  .meta({ id: "Bridge", description: "A bridge that cross-chain deposits and withdrawals can use." });
export type BridgeSummary = z.infer<typeof BridgeSummary>;
