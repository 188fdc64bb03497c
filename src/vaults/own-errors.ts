import { decodeErrorResult, type Hex, parseAbi } from "viem";
import type { ErrorCode } from "../errors.ts";
import { once } from "../lib/once.ts";
import { toLabel } from "./derivation.ts";
import { type ExplainedRevert, MAX_TEXT } from "./reverts.ts";

/** What a family reverts with, and the refusal each stands for; null: a refusal that has no code of its own. */
export interface OwnErrors {
  /** By signature, `error Name(types)`. */
  errors?: Readonly<Record<string, ErrorCode | null>>;
  /** Of `Error(string)`. */
  reasons?: readonly { reason: RegExp; code: ErrorCode }[];
}

/** Makes a family's `explain` of its table of errors. Its answer is null for revert data that is not in it. */
export function ownErrors({ errors = {}, reasons = [] }: OwnErrors): (revert: Hex) => ExplainedRevert | null {
  const signatures: readonly string[] = ["error Error(string reason)", ...Object.keys(errors)];
  const abiOf = once(() => parseAbi(signatures));
  const codes = new Map(
    Object.entries(errors).map(([signature, code]) => [/^error (\w+)/.exec(signature)?.[1], code]),
  );
  return (revert) => {
    if (revert.length < 10) return null;
    const abi = abiOf();
    try {
      const { errorName, args } = decodeErrorResult({ abi, data: revert });
      if (errorName !== "Error") {
        const code = codes.get(errorName);
        // The language's own Panic is decoded too, and is nobody's.
        return code === undefined ? null : { code, text: errorName };
      }
      const text = String(args?.[0]);
      const known = reasons.find(({ reason }) => reason.test(text));
      return known === undefined ? null : { code: known.code, text: toLabel(text, MAX_TEXT) };
    } catch {
      return null;
    }
  };
}
