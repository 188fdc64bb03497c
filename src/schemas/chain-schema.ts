import * as z from "zod";
import { AddressText, ChainIdNumber, HashText } from "./primitive-schemas.ts";

/** A chain that this deployment serves, with its explorer and its DepositRouter. */
export const Chain = z
  .object({
    chain_id: ChainIdNumber,
    name: z.string().meta({ description: "Display name of the chain.", example: "Base" }),
    key: z.string().meta({ description: "Short name of the chain.", example: "bas" }),
    explorer: z.string().meta({
      description: "URL of the chain's block explorer, or empty if it has none.",
      example: "https://basescan.org",
    }),
    native_symbol: z.string().meta({
      description: "Symbol of the native currency, in which gas is paid.",
      example: "ETH",
    }),
    deposit_router: AddressText.nullable().meta({
      description:
        "Address of the DepositRouter (the contract that users approve) on the chain, or `null` if it is not deployed there or the chain could not be read.",
      example: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
    }),
    router_code_hash: HashText.nullable().meta({
      description:
        "Keccak256 hash of the DepositRouter's runtime bytecode, for verification, or `null` like `deposit_router`.",
    }),
  })
  .meta({ id: "Chain", description: "A chain that this deployment serves." });
export type Chain = z.infer<typeof Chain>;
