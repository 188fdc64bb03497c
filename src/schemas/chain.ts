import { z } from "@hono/zod-openapi";
import { AddressText, ChainIdNumber, HexText } from "./primitives.ts";

export const Chain = z
  .object({
    chain_id: ChainIdNumber,
    name: z.string(),
    key: z.string(),
    explorer: z.string(),
    native_symbol: z.string(),
    deposit_router: AddressText.nullable(),
    router_code_hash: HexText.nullable(),
  })
  .openapi("Chain");
export type Chain = z.infer<typeof Chain>;
