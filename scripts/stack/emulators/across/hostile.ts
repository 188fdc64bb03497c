import { ATTACKER, replaceAddresses } from "../faults.ts";

const FALSE_HASH = `0x${"ba".repeat(32)}`;

/** Falsifies a response as an attacker would: contracts of the attacker, or a delivery that never happened. */
export function falsifyAcross(json: unknown): unknown {
  if (json === null || typeof json !== "object" || Array.isArray(json)) return json;
  if ("depositTxHash" in json)
    return { ...json, status: "filled", fillTx: FALSE_HASH, fillTxnRef: FALSE_HASH, actionsSucceeded: true };
  if (!("outputAmount" in json)) return replaceAddresses(json);
  // Tokens stay correct, so that only a comparison of the contracts detects it.
  return { ...json, spokePoolAddress: ATTACKER, destinationSpokePoolAddress: ATTACKER };
}
