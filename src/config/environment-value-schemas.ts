import * as z from "zod";
import { en } from "zod/locales";
import { parseAddress } from "../lib/address.ts";

// The bundler drops the package's own call, without which every issue would only say "Invalid input".
z.config(en());

/** Schema of an absolute URL with the scheme http or https. */
export const Url = z.url({ protocol: /^https?$/ });
/**
 * Schema of a contract address, in lowercase, in uppercase or with a valid EIP-55 checksum; the parsed address is
 * checksummed. Accepts the zero address.
 */
export const ContractAddress = z.string().transform((text, context) => {
  const address = parseAddress(text);
  if (address !== null) return address;
  context.addIssue({ code: "custom", message: "not an address" });
  return z.NEVER;
});

/**
 * Creates the schema of an environment variable that holds JSON. A missing or empty variable gives undefined; text that
 * is not JSON is an issue.
 */
export function jsonVariable<T extends z.ZodType>(schema: T) {
  return z
    .string()
    .optional()
    .transform((text, context): unknown => {
      if (text === undefined || text === "") return undefined;
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue({ code: "custom", message: "not JSON" });
        return z.NEVER;
      }
    })
    .pipe(schema.optional());
}

/**
 * Creates the schema of an object with one row for each chain id. It is parsed to a list of pairs of chain id and row.
 * `makeRow` creates the schema of a row when the first row is parsed.
 */
export const byChain = <T extends z.ZodType>(makeRow: () => T) =>
  z
    .record(z.string().regex(/^[1-9][0-9]{0,15}$/), z.lazy(makeRow))
    .transform((rows) => Object.entries(rows).map(([chainId, row]) => [Number(chainId), row] as const));

/** Schema of a variable that holds a positive whole number of at most five digits. */
export const wholeNumber = z
  .string()
  .regex(/^[1-9][0-9]{0,4}$/)
  .transform(Number);
