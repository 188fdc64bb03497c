import { z } from "@hono/zod-openapi";
import { ChainIdNumber } from "./primitives.ts";

export const BridgeSummary = z
  .object({
    key: z.string().openapi({ description: "For `preferred_bridge`", example: "across" }),
    name: z.string(),
    providers: z.array(z.string()).openapi({ description: "Who builds transactions over it" }),
    chains: z.array(ChainIdNumber).openapi({ description: "Served chains that it joins" }),
  })
  .openapi("Bridge");
export type BridgeSummary = z.infer<typeof BridgeSummary>;
