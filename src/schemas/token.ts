import { z } from "@hono/zod-openapi";
import { AddressText, ChainIdNumber } from "./primitives.ts";

export const Token = z
  .object({
    chain_id: ChainIdNumber,
    address: AddressText.openapi({ description: "The zero address for the chain's native token" }),
    symbol: z.string(),
    name: z.string(),
    decimals: z.int().openapi({ description: "As the token itself says on chain" }),
  })
  .openapi("Token");
export type Token = z.infer<typeof Token>;
