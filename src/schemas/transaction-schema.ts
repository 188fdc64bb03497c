import * as z from "zod";
import { AddressText, AmountText, ChainIdNumber, HexText } from "./primitive-schemas.ts";

/** An unsigned transaction that the user signs and sends. */
export const TransactionRequest = z
  .object({
    to: AddressText.meta({
      description: "Contract that is called, checksummed.",
      example: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
    }),
    data: HexText.meta({ description: "Calldata of the call." }),
    value: AmountText.meta({
      description: "Amount of native currency to send with the call, in wei.",
      example: "0",
    }),
    chain_id: ChainIdNumber.meta({ description: "EIP-155 id of the chain to send the transaction on." }),
    gas_limit: AmountText.nullable().meta({
      description: "Gas limit from the simulation, with a margin, or `null` to let the wallet estimate it.",
      example: "312000",
    }),
  })
  .meta({ id: "TransactionRequest", description: "An unsigned transaction that the user signs and sends." });
export type TransactionRequest = z.infer<typeof TransactionRequest>;

/** An ERC-20 approval that a wallet without batching sends before a transaction. */
export const Approval = z
  .object({
    token_address: AddressText.meta({ description: "Token to approve, checksummed." }),
    spender_address: AddressText.meta({
      description: "Spender: the contract that is allowed to transfer the token, checksummed.",
      example: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
    }),
    amount: AmountText.meta({ description: "Amount to approve, in the token's smallest unit." }),
  })
  .meta({ id: "Approval", description: "An ERC-20 approval that the transaction needs first." });
export type Approval = z.infer<typeof Approval>;

/** One call in a list of calls for EIP-5792 wallets (`wallet_sendCalls`), which take quantities as hex. */
export const WalletCall = z
  .object({
    to: AddressText.meta({
      description: "Contract that is called, checksummed.",
      example: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
    }),
    data: HexText.meta({ description: "Calldata of the call." }),
    value: HexText.meta({
      description: "Amount of native currency to send with the call, in wei, as a hex quantity.",
      example: "0x0",
    }),
    chain_id: HexText.meta({
      description: "EIP-155 id of the chain, as a hex quantity.",
      example: "0x2105",
    }),
  })
  .meta({ id: "WalletCall", description: "One call in a list of calls for EIP-5792 wallets." });
export type WalletCall = z.infer<typeof WalletCall>;
