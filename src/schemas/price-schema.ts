import * as z from "zod";
import { isNativeAlias, parseAddress } from "../lib/address.ts";
import { AddressText, ChainIdNumber, TimeText, UsdText } from "./primitive-schemas.ts";

/** Sources of prices. */
const priceSources = ["feed", "market"] as const;

/** Source of a price: on-chain price feeds or the public price API. Null if the price is unknown. */
export const PriceSource = z
  .enum(priceSources)
  .nullable()
  .meta({
    description:
      "Source of the price: `feed`, price feeds on chain; `market`, a public price API; `null` if the price is unknown. " +
      "A provider's own figure is never a price.",
    example: "feed",
  });

/** Price of a token with its source and age. */
export const TokenPriceText = z
  .object({
    chain_id: ChainIdNumber.meta({ description: "EIP-155 id of the token's chain." }),
    address: AddressText.meta({
      description: "Address of the token, checksummed; the zero address for the chain's native currency.",
    }),
    usd: UsdText.nullable().meta({
      description: "US dollars per whole token, rounded down, or `null` if the price is unknown.",
      example: "0.999912",
    }),
    source: PriceSource,
    at: TimeText.nullable().meta({
      description: "Time at which the source observed the price, or `null` if the price is unknown.",
    }),
    confidence: z.number().nullable().meta({
      description: "Confidence that the source states, from 0 to 1, or `null` if it states none.",
      example: null,
    }),
  })
  .meta({ id: "TokenPrice", description: "A token's price in US dollars." });
export type TokenPriceText = z.infer<typeof TokenPriceText>;

/** Maximum number of tokens in one request for prices. */
const MAX_IDS = 100;
const ZERO = "0x0000000000000000000000000000000000000000";

/**
 * Query parameter with a list of at most 100 tokens, `<chain_id>:<address>` separated by commas. Both addresses that
 * stand for the native currency are parsed to the zero address.
 */
export const PriceIdsParam = z
  .string()
  .transform((text, context) => {
    const ids = text.split(",").map((id) => parseId(id.trim()));
    const known = ids.flatMap((id) => id ?? []);
    if (known.length === ids.length && ids.length <= MAX_IDS) return known;
    const message =
      ids.length > MAX_IDS
        ? `must be at most ${MAX_IDS} tokens`
        : "must be <chain_id>:<address>, separated by commas";
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  })
  .meta({
    type: "string",
    description:
      "Tokens as `<chain_id>:<address>`, separated by commas, at most 100; the zero address stands for the native currency.",
    example: "1:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48,8453:0x0000000000000000000000000000000000000000",
  });

function parseId(id: string): { chainId: number; address: `0x${string}` } | null {
  const [, chain = "", text = ""] = /^([1-9][0-9]{0,15}):(0x[0-9a-fA-F]{40})$/.exec(id) ?? [];
  const address = parseAddress(text);
  if (address === null) return null;
  return { chainId: Number(chain), address: isNativeAlias(address) ? ZERO : address };
}
