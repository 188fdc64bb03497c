import { amountFields, recordFields } from "./api-types.generated.ts";
import { CausewayError } from "./causeway-client-error.ts";

/** Converts a name from the API's `snake_case` to `camelCase`. */
type CamelCase<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;

/**
 * An API value as the client returns it: its type with names in `camelCase`. In the generated types, amounts are
 * already `bigint` and addresses `0x${string}`. The value of a field `typed_data` is unchanged.
 */
export type Model<T> = T extends readonly (infer Item)[]
  ? Model<Item>[]
  : T extends object
    ? { [Key in keyof T as CamelCase<Key & string>]: Key extends "typed_data" ? T[Key] : Model<T[Key]> }
    : T;

const toCamelCase = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
const toSnakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * Converts a JSON value of the API: names to `camelCase`, integer strings in `amountFields` (`value` only beside
 * `data`) to `bigint`. The values of `recordFields`, such as messages to sign, are unchanged.
 */
export function decodeModel(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decodeModel);
  if (typeof value !== "object" || value === null) return value;
  const isAmount = (name: string): boolean =>
    // A metric of a signal has a `value` too, which stays text, because it may be a fraction.
    amountFields.has(name) && (name !== "value" || "data" in value);
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]: [string, unknown]) => {
      if (recordFields.has(name)) return [toCamelCase(name), inner];
      const amount = typeof inner === "string" && isAmount(name) && /^-?\d+$/.test(inner);
      return [toCamelCase(name), amount ? BigInt(inner) : decodeModel(inner)];
    }),
  );
}

/**
 * Converts the fields of a request to the API's format: names in `snake_case`, without undefined fields. Values are
 * unchanged, also objects and arrays.
 */
export function encodeModel(input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(input)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [toSnakeCase(name), value]),
  );
}

/**
 * Returns the body of a request as JSON: the top level as `encodeModel` converts it, bigints as decimal strings, NaN
 * and infinities as null. Throws CausewayError `invalid_input` if it cannot be written, for example a circular object.
 */
export function encodeBody(body: Readonly<Record<string, unknown>>): string {
  try {
    return JSON.stringify(encodeModel(body), (_name, value: unknown) =>
      typeof value === "bigint" ? value.toString() : value,
    );
  } catch (cause) {
    const msg = "cannot be written as JSON";
    const issues = [{ loc: ["body"], msg, type: "json_invalid" }];
    throw new CausewayError("invalid_input", `body: ${msg}`, { issues, cause });
  }
}

/** Returns a vault id as responses spell it: lowercase, with a colon, which requests may percent-encode. */
export const plainVaultId = (vaultId: string): string => vaultId.replace(/%3a/i, ":").toLowerCase();

/** Returns the chain id of a vault id in the form that `plainVaultId` returns; NaN or 0 if it has none. */
export const chainIdOf = (vaultId: string): number => Number(vaultId.split(":")[0]);
