import * as z from "zod";
import { AddressText, ChainIdNumber, HashText } from "./primitive-schemas.ts";

/** A chain that this deployment serves. */
export const Chain = z
  .object({
    chain_id: ChainIdNumber,
    name: z.string().meta({ description: "Display name of the chain.", example: "Base" }),
    key: z.string().meta({ description: "Short name of the chain.", example: "base" }),
    explorer: z.string().meta({
      description: "URL of the chain's block explorer; empty when it has none.",
      example: "https://basescan.org",
    }),
    native_symbol: z.string().meta({
      description: "Symbol of the native token, in which gas is paid.",
      example: "ETH",
    }),
    deposit_router: AddressText.nullable().meta({
      description:
        "Address of the chain's DepositRouter, the contract that users approve; `null` when it is not deployed there " +
        "and deposits go to the vaults directly.",
      example: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
    }),
    router_code_hash: HashText.nullable().meta({
      description:
        "Hash (keccak256) of the DepositRouter's runtime bytecode, to verify it with; `null` when it is not deployed there.",
    }),
  })
  .meta({ id: "Chain", description: "A chain that this deployment serves." });
export type Chain = z.infer<typeof Chain>;
