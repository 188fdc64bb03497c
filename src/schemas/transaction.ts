import { z } from "@hono/zod-openapi";
import { AddressText, AmountText, ChainIdNumber, HexText } from "./primitives.ts";

export const TransactionRequest = z
  .object({
    to: AddressText,
    data: HexText,
    value: AmountText,
    chain_id: ChainIdNumber,
    gas_limit: AmountText.nullable(),
  })
  .openapi("TransactionRequest");
export type TransactionRequest = z.infer<typeof TransactionRequest>;

export const Approval = z
  .object({ token_address: AddressText, spender_address: AddressText, amount: AmountText })
  .openapi("Approval");
export type Approval = z.infer<typeof Approval>;

/** One call of an EIP-5792 list: quantities are hexadecimal there. */
export const WalletCall = z
  .object({ to: AddressText, data: HexText, value: HexText, chain_id: HexText })
  .openapi("WalletCall");
export type WalletCall = z.infer<typeof WalletCall>;
