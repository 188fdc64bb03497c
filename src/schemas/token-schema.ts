import * as z from "zod";
import { PriceSource } from "./price-schema.ts";
import { AddressText, ChainIdNumber, TimeText, UsdText } from "./primitive-schemas.ts";

/** A token that deposits can be paid with, on one chain. */
export const TokenSummary = z
  .object({
    chain_id: ChainIdNumber.meta({ description: "EIP-155 id of the token's chain." }),
    address: AddressText.meta({
      description: "Address of the token, checksummed; the zero address for the chain's native currency.",
    }),
    symbol: z.string().meta({ description: "Symbol of the token.", example: "USDC" }),
    name: z
      .string()
      .meta({ description: "Display name of the token, or empty if it is unknown.", example: "USD Coin" }),
    decimals: z.int().meta({ description: "Decimals of the token.", example: 6 }),
    price_usd: UsdText.nullable().meta({
      description: "US dollars per whole token, rounded down, or `null` if the price is unknown.",
      example: "0.999912",
    }),
    price_source: PriceSource,
    price_at: TimeText.nullable().meta({
      description: "Time at which the source observed the price, or `null` if the price is unknown.",
    }),
  })
  .meta({ id: "Token", description: "A token that deposits can be paid with." });
export type TokenSummary = z.infer<typeof TokenSummary>;

/** A token list for wallets. Source: @uniswap/token-lists 1.0.0-beta.35, tokenlist.schema.json. */
export const TokenList = z
  .object({
    name: z.string().meta({ description: "Name of the list.", example: "Causeway 8453" }),
    timestamp: TimeText.meta({ description: "Time of this version: the start of its hour." }),
    version: z
      .object({
        major: z.int().meta({ description: "Always 1.", example: 1 }),
        minor: z.int().meta({ description: "Always 0.", example: 0 }),
        patch: z.int().meta({ description: "Hours since 1970; it rises with time.", example: 498670 }),
      })
      .meta({ description: "Version of the list. It does not say what has changed." }),
    tokens: z
      .array(
        z.object({
          chainId: ChainIdNumber.meta({ description: "EIP-155 id of the token's chain." }),
          address: AddressText.meta({ description: "Address of the token, checksummed." }),
          symbol: z.string().meta({ description: "Symbol of the token.", example: "USDC" }),
          name: z.string().meta({
            description: "Display name of the token, or its symbol if the name is unknown.",
            example: "USD Coin",
          }),
          decimals: z.int().meta({ description: "Decimals of the token.", example: 6 }),
        }),
      )
      .meta({
        description:
          "The tokens, without the native currency, which has no contract, and those with symbols of over 20 characters.",
      }),
  })
  .meta({ id: "TokenList", description: "The tokens of a chain in the format of token lists." });
export type TokenList = z.infer<typeof TokenList>;
