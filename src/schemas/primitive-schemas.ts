import type { Address, Hex } from "viem";
import * as z from "zod";
import { type AddressOwner, explainAddress, isNative, isNativeAlias, parseAddress } from "../lib/address.ts";
import { explainAmount, MAX_UINT256 } from "../lib/amount.ts";
import { explainVaultId, formatVaultId, parseVaultId } from "../lib/vault-id.ts";

/** An address in a response, checksummed (EIP-55). */
export const AddressText = z
  .string()
  .meta({ pattern: "^0x[0-9a-fA-F]{40}$", example: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913" });

/** An amount in a response: a non-negative decimal integer as a string, usually in a token's smallest unit. */
export const AmountText = z.string().meta({ pattern: "^(0|[1-9][0-9]*)$", example: "1000000" });

/**
 * A value or price in US dollars in a response: a decimal string with at least two decimals. Values are rounded down to
 * six decimals; prices have up to 18.
 */
export const UsdText = z.string().meta({ example: "1.00" });

/** A vault id in a response, in lowercase. */
export const VaultIdText = z.string().meta({
  description: "Vault id: `<chain_id>:<vault address>`, lowercase.",
  example: "8453:0xbeef010f9cb27031ad51e3333f9af9c6b1228183",
});

/** A time in a response: RFC 3339 in UTC, with milliseconds. */
export const TimeText = z.string().meta({ example: "2026-01-02T03:04:05.678Z", format: "date-time" });

/** Bytes or a quantity in a response, as hex with `0x`. */
export const HexText = z.string().meta({
  pattern: "^0x[0-9a-fA-F]*$",
  example:
    "0x6e553f6500000000000000000000000000000000000000000000000000000000000f4240000000000000000000000000f39fd6e51aad88f6f4ce6ab8827279cfffb92266",
});

/** A 32-byte hash in a response, as hex with `0x`. */
export const HashText = z.string().meta({
  pattern: "^0x[0-9a-fA-F]{64}$",
  example: "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060",
});

/** An EIP-155 chain id in a response. */
export const ChainIdNumber = z.int().meta({ description: "EIP-155 chain id.", example: 8453 });

/** One schema for all addresses, because each schema adds to the start of every isolate. */
const text = z.string();
/** Returns the schema of an address in a request. `owner` decides what the message about an invalid one suggests. */
const addressOf = (owner: AddressOwner) =>
  text
    .transform((input, context): Address => {
      const address = parseAddress(input);
      if (address !== null) return address;
      context.addIssue({ code: "custom", message: explainAddress(input, owner) });
      return z.NEVER;
    })
    .meta({
      type: "string",
      pattern: "^0x[0-9a-fA-F]{40}$",
      example: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
    });

/** An address in a request. Letters may be lowercase, uppercase or checksummed; the parsed address is checksummed. */
export const AddressInput = addressOf("account");

/** The address of a token in a request, as `AddressInput`. */
export const TokenInput = addressOf("token");

/**
 * The wallet of an order in a request. Refuses the two addresses that stand for the native currency, because what is
 * sent to them is lost.
 */
export const UserInput = AddressInput.superRefine((address, context) => {
  if (!isNativeAlias(address)) return;
  const which = isNative(address) ? "the zero address" : "the address that stands for the native currency";
  context.addIssue({ code: "custom", message: `must not be ${which}` });
});

/** A wallet address in a path or query string. */
export const WalletParam = AddressInput.meta({
  description: "Wallet address of the user.",
  example: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
});

/**
 * A token in a query string: its symbol or its address, 1 to 64 characters, returned as given. Text that starts with
 * `0x` must be a valid address, because a mistyped one would match no token and give an empty list, not an error.
 */
export const TokenNameInput = z
  .string()
  .max(64)
  .transform((text, context): string => {
    if (!/^(?:0x|$)/i.test(text) || parseAddress(text) !== null) return text;
    context.addIssue({
      code: "custom",
      message: text === "" ? "must not be empty" : explainAddress(text, "token"),
    });
    return z.NEVER;
  })
  .meta({ type: "string", minLength: 1, maxLength: 64, example: "USDC" });

/** An amount in a request: a positive decimal integer that fits into a uint256, as a string. */
export const AmountInput = z
  .string({ error: ({ input }) => (input === undefined ? undefined : explainAmount(input)) })
  .regex(/^[1-9][0-9]{0,77}$/, { error: ({ input }) => explainAmount(input) })
  .transform((text, context): bigint => {
    const amount = /^[1-9][0-9]{0,77}$/.test(text) ? BigInt(text) : 0n;
    if (amount <= MAX_UINT256) return amount;
    context.addIssue({ code: "custom", message: "does not fit uint256: must be less than 2^256" });
    return z.NEVER;
  })
  .meta({ type: "string", pattern: "^[1-9][0-9]{0,77}$", example: "1000000" });

/** A vault id in a request, in any letter case, with the colon plain or encoded as `%3A`. */
export const VaultIdInput = z
  .string()
  .transform((text, context) => {
    const key = parseVaultId(text);
    if (key !== null) return key;
    context.addIssue({ code: "custom", message: explainVaultId(text) });
    return z.NEVER;
  })
  .meta({
    type: "string",
    description:
      "Vault id: `<chain_id>:<vault address>`, in any letter case; `%3A` is accepted for the colon.",
    example: "8453:0xbeef010f9cb27031ad51e3333f9af9c6b1228183",
  });

/** Maximum number of vault ids in a query string. */
const MAX_IDS = 100;

/**
 * Up to 100 vault ids in a query string, separated by commas, in any letter case. Parsed to lowercase ids without
 * duplicates.
 */
export const VaultIdsInput = z
  .string()
  .transform((text, context): string[] => {
    const keys = text.split(",").map((id) => parseVaultId(id.trim()));
    const ids = keys.flatMap((key) => (key === null ? [] : [formatVaultId(key)]));
    const tooMany = keys.length > MAX_IDS;
    if (!tooMany && ids.length === keys.length) return [...new Set(ids)];
    const message = tooMany
      ? `must be at most ${MAX_IDS} ids`
      : "must be vault ids (<chain_id>:<vault address>), separated by commas";
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  })
  .meta({
    type: "string",
    description: `Return only these vaults: up to ${MAX_IDS} vault ids, separated by commas. Unknown ids are ignored.`,
    example: "8453:0xbeef010f9cb27031ad51e3333f9af9c6b1228183",
  });

/** An amount of US dollars in a query string, not negative: at most 18 digits on each side of the decimal point. */
export const UsdInput = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,17})(\.[0-9]{1,18})?$/, "must be an amount of US dollars in decimal digits")
  .meta({ type: "string", pattern: "^(0|[1-9][0-9]{0,17})(\\.[0-9]{1,18})?$" });

/** End of a message about a chain id. */
const WHERE_CHAINS = "GET /v1/chains lists the chains";

/** Returns why a chain id in a JSON body is invalid. */
const explainChainId = (input: unknown): string => {
  if (typeof input === "string" && /^\d+$/.test(input)) return "must be a JSON integer, without quotes";
  if (Number.isInteger(input) && Number(input) > 0) return `is too large for a chain id: ${WHERE_CHAINS}`;
  const kind = typeof input === "number" ? "a positive integer" : "a chain id, a JSON integer such as 8453";
  return `must be ${kind}: ${WHERE_CHAINS}`;
};

/** An EIP-155 chain id in a JSON body. */
export const ChainIdInput = z
  .int({ error: ({ input }) => (input === undefined ? undefined : explainChainId(input)) })
  .positive({ error: ({ input }) => explainChainId(input) })
  .meta({ description: "EIP-155 chain id.", example: 8453 });

/** Limits of an integer in a query string or path, and where its values are listed, for messages. */
interface IntegerBounds {
  minimum: number;
  maximum: number;
  where?: string;
}

/** Returns why a text is not an integer within its bounds. */
function explainInteger(text: string, { minimum, maximum, where }: IntegerBounds): string {
  if (/^-\d+$/.test(text)) return `must be at least ${minimum}`;
  if (/^[1-9]\d*$/.test(text)) return `must be at most ${maximum}`;
  const rule = `must be an integer in decimal digits${/^0\d+$/.test(text) ? ", without leading zeros" : ""}`;
  return where === undefined ? rule : `${rule}: ${where}`;
}

/**
 * Returns the schema of an integer in a query string or path, from `minimum` to `maximum`, both included. It accepts
 * only decimal digits, so that an empty string does not become zero.
 */
export function integerParam(bounds: IntegerBounds) {
  return z
    .string()
    .regex(/^(0|[1-9][0-9]{0,15})$/, { error: ({ input }) => explainInteger(String(input), bounds) })
    .transform(Number)
    .pipe(
      z
        .int()
        .min(bounds.minimum, `must be at least ${bounds.minimum}`)
        .max(bounds.maximum, `must be at most ${bounds.maximum}`),
    )
    .meta({ type: "integer", minimum: bounds.minimum, maximum: bounds.maximum });
}

/** Error message for a website in a request that is not a web address. */
export const WEBSITE_RULE = "must be a web address, such as https://wallet.example";

/**
 * A website in a request, at most 300 characters, or an empty text; it may lack its scheme. Schemes other than
 * `http://` and `https://` are refused, because a page that shows the website as a link could run them (`javascript:`),
 * and so are control characters. A name with a port counts as a host, except `javascript`, `vbscript` and `data`.
 */
export const WebsiteInput = z
  .string()
  .trim()
  .max(300)
  .refine(
    (text) =>
      (/^https?:\/\//i.test(text) ||
        !/^(?:[a-z][a-z0-9+.-]*:(?!\d{1,5}(?:[/?#]|$))|(?:javascript|vbscript|data):)/i.test(text)) &&
      !/\p{Cc}/u.test(text),
    WEBSITE_RULE,
  )
  .meta({ example: "https://wallet.example" });

/** An EIP-155 chain id in a query string. */
export const ChainIdParam = integerParam({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  where: WHERE_CHAINS,
}).meta({
  description: "EIP-155 chain id.",
  example: 8453,
});

/** A boolean in a query string, written as `true` or `false`. */
export const BooleanParam = z
  .enum(["true", "false"])
  .transform((text) => text === "true")
  .meta({ type: "boolean" });

/** Returns why a transaction hash is invalid, and what to send instead. */
function explainTxHash(text: string): string {
  if (/^trk_/.test(text))
    return "is a tracking id, not a transaction hash: GET /v1/deposits/{tracking_id} takes it";
  if (/^[0-9a-f]{64}$/i.test(text)) return "must be 0x and 64 hexadecimal digits: the 0x in front is missing";
  if (/^0x[0-9a-f]{40}$/i.test(text)) return "must be 0x and 64 hexadecimal digits: this is an address";
  return "must be 0x and 64 hexadecimal digits";
}

/** A transaction hash in a request; the parsed hash is lowercase. */
export const TxHashInput = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, {
    error: ({ input }) => explainTxHash(String(input)),
  })
  .transform((text) => text.toLowerCase() as Hex)
  .meta({
    type: "string",
    pattern: "^0x[0-9a-fA-F]{64}$",
    description: "Transaction hash.",
    example: "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060",
  });

/** The tracking id of a deposit or withdrawal in a response. */
export const TrackingIdText = z.string().meta({
  description: "Tracking id of the deposit or withdrawal.",
  example: "trk_0123456789abcdef0123456789abcdef",
});

/** The tracking id of a deposit or withdrawal in a response, or null. */
export const NullableTrackingId = TrackingIdText.nullable();

/** The tracking id of a deposit or withdrawal in a request, as its build returned it. */
export const TrackingIdInput = z
  .string()
  .regex(/^trk_[0-9a-f]{32}$/, {
    error: ({ input }) => {
      const isHash = /^0x[0-9a-fA-F]{64}$/.test(String(input));
      const hint = isHash ? "; this is a transaction hash, which GET /v1/status takes" : "";
      return `must be a tracking id: trk_ and 32 hexadecimal digits${hint}`;
    },
  })
  .meta({
    type: "string",
    pattern: "^trk_[0-9a-f]{32}$",
    description: "Tracking id of the deposit or withdrawal, as returned by its build.",
    example: "trk_0123456789abcdef0123456789abcdef",
  });

/**
 * Returns the schema of the `limit` parameter: the number of items on a page, from 1 to `maximum`, or `fallback` if it
 * is absent.
 */
export function limitParam(maximum: number, fallback: number) {
  return integerParam({ minimum: 1, maximum })
    .optional()
    .transform((limit) => limit ?? fallback)
    .meta({
      type: "integer",
      minimum: 1,
      maximum,
      default: fallback,
      description: "Maximum number of items on a page.",
    });
}

/**
 * Returns the schema of a query parameter that lists states, separated by commas. `noun` and `example` go into its
 * description.
 */
export function statesParam<const State extends string>(
  states: readonly State[],
  shown: { noun: string; example: string },
) {
  return z
    .string()
    .max(200)
    .transform((text, context): State[] => {
      const parsed = z.array(z.enum(states)).safeParse(text.split(","));
      if (parsed.success) return parsed.data as State[];
      context.addIssue({
        code: "custom",
        message: `must be one or more of ${states.join(", ")}, separated by commas`,
      });
      return z.NEVER;
    })
    .meta({
      type: "string",
      maxLength: 200,
      description:
        `Return only ${shown.noun} in this state, or in one of several states separated by commas. ` +
        "Default: every state except `built`, `expired` and `abandoned`.",
      example: shown.example,
    });
}
