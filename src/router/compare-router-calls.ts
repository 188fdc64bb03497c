import type { Hex } from "viem";
import { failure } from "../errors.ts";
import { decodeRouterCall, encodeRouterCall, type RouterCall } from "./router-codec.ts";

/**
 * Throws `upstream_rejected` unless the calldata is exactly the canonical encoding of the expected Router call. The
 * error names the first field that differs, or `data` if the calldata has another form.
 */
export function assertSameRouterCall(data: Hex, expected: RouterCall): void {
  const decoded = decodeOrNull(data);
  if (decoded === null) throw callMismatch("data");
  for (const [field, value] of Object.entries(expected.order)) {
    if (differs(decoded.order[field as keyof typeof decoded.order], value)) throw callMismatch(field);
  }
  if (decoded.steps.length !== expected.steps.length) throw callMismatch("steps");
  for (const [index, step] of expected.steps.entries()) {
    const actual = decoded.steps[index];
    for (const [field, value] of Object.entries(step)) {
      if (differs(actual?.[field as keyof typeof step], value)) throw callMismatch(`step ${field}`);
    }
  }
  if (differs(decoded.sweep.join(), expected.sweep.join())) throw callMismatch("sweep");
  // Rejects trailing bytes and any other encoding of the same values.
  if (encodeRouterCall(decoded) !== data) throw callMismatch("data");
}

/** Creates the `upstream_rejected` error for a call whose field `field` differs from the request. */
export const callMismatch = (field: string) =>
  failure("upstream_rejected", `the encoded call differs from the request in ${field}`);

const differs = (actual: unknown, expected: unknown): boolean => comparable(actual) !== comparable(expected);

/** Returns a field's value as text in lowercase, so that addresses and hex data compare regardless of case. */
function comparable(value: unknown): string {
  if (Array.isArray(value))
    return value
      .map((entry) => Object.values(entry).map(String))
      .join(";")
      .toLowerCase();
  return String(value).toLowerCase();
}

function decodeOrNull(data: Hex): RouterCall | null {
  try {
    return decodeRouterCall(data);
  } catch {
    return null;
  }
}
