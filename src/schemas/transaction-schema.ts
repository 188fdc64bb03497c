import * as z from "zod";
import { AddressText, AmountText, ChainIdNumber, HexText } from "./primitive-schemas.ts";

/** A transaction for the user to sign and send. */
export const TransactionRequest = z
  .object({
    to: AddressText.meta({
      description: "Contract that is called, checksummed.",
      example: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
    }),
    data: HexText.meta({ description: "Calldata." }),
    value: AmountText.meta({ description: "Native token to send along, in wei.", example: "0" }),
    chain_id: ChainIdNumber.meta({ description: "EIP-155 id of the chain to send the transaction on." }),
    gas_limit: AmountText.nullable().meta({
      description: "Gas limit from the simulation, with headroom; `null` to let the wallet estimate it.",
      example: "312000",
    }),
  })
  .meta({ id: "TransactionRequest", description: "A transaction for the user to sign and send." });
export type TransactionRequest = z.infer<typeof TransactionRequest>;

/** A token approval (`approve` of ERC-20) that a transaction needs first. */
export const Approval = z
  .object({
    token_address: AddressText.meta({ description: "Token to approve, checksummed." }),
    spender_address: AddressText.meta({
      description: "Spender: the contract that is allowed to transfer the token, checksummed.",
      example: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
    }),
    amount: AmountText.meta({ description: "Amount to approve, in the token's smallest unit." }),
  })
  .meta({ id: "Approval", description: "A token allowance that the transaction needs." });
export type Approval = z.infer<typeof Approval>;

/** One call of an EIP-5792 list: quantities are hexadecimal there. */
export const WalletCall = z
  .object({
    to: AddressText.meta({
      description: "Contract that is called, checksummed.",
      example: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
    }),
    data: HexText.meta({ description: "Calldata." }),
    value: HexText.meta({
      description: "Native token to send along, in wei, as a hexadecimal quantity.",
      example: "0x0",
    }),
    chain_id: HexText.meta({
      description: "EIP-155 id of the chain, as a hexadecimal quantity.",
      example: "0x2105",
    }),
  })
  .meta({ id: "WalletCall", description: "One call of an EIP-5792 call list." });
export type WalletCall = z.infer<typeof WalletCall>;
