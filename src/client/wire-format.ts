import { amountFields } from "./api-types.generated.ts";

/** A name in the API's `snake_case`, as the client writes it. */
type CamelCase<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;

/**
 * A value of the API as the client shows it: names in `camelCase`. Amounts are `bigint` and addresses `0x${string}` in the
 * generated types already. The contents of `typed_data` stay as they are, because they are signed.
 */
export type Model<T> = T extends readonly (infer Item)[]
  ? Model<Item>[]
  : T extends object
    ? { [Key in keyof T as CamelCase<Key & string>]: Key extends "typed_data" ? T[Key] : Model<T[Key]> }
    : T;

const toCamelCase = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
const toSnakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Converts a JSON value of the API to what the client shows. */
export function decodeModel(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decodeModel);
  if (typeof value !== "object" || value === null) return value;
  const isAmount = (name: string): boolean =>
    // A metric of a signal has a `value` too, which is text for display.
    amountFields.has(name) && (name !== "value" || "data" in value);
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]: [string, unknown]) => {
      if (name === "typed_data") return ["typedData", inner];
      const amount = typeof inner === "string" && isAmount(name) && /^-?\d+$/.test(inner);
      return [toCamelCase(name), amount ? BigInt(inner) : decodeModel(inner)];
    }),
  );
}

/** Converts an input of the client to the API's JSON: names in `snake_case`, amounts as decimal strings. */
export function encodeModel(input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(input)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [toSnakeCase(name), typeof value === "bigint" ? value.toString() : value]),
  );
}
