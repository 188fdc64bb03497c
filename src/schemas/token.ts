import { z } from "@hono/zod-openapi";
import { AddressText, ChainIdNumber } from "./primitives.ts";

export const TokenSummary = z
  .object({
    chain_id: ChainIdNumber,
    address: AddressText.openapi({ description: "The zero address for the chain's native token" }),
    symbol: z.string(),
    name: z.string(),
    decimals: z.int().openapi({ description: "As the token itself says on chain" }),
  })
  .openapi("Token");
export type TokenSummary = z.infer<typeof TokenSummary>;
