import { ATTACKER, replaceAddresses } from "../faults.ts";

const FALSE_HASH = `0x${"ba".repeat(32)}`;

/** What an attacker in Across' place would say: a price that pays the attacker, or a delivery that never was. */
export function lie(json: unknown): unknown {
  if (json === null || typeof json !== "object" || Array.isArray(json)) return json;
  if ("depositTxHash" in json)
    return { ...json, status: "filled", fillTx: FALSE_HASH, fillTxnRef: FALSE_HASH, actionsSucceeded: true };
  if (!("outputAmount" in json)) return replaceAddresses(json);
  // Tokens stay, so that only whoever compares the contracts notices.
  return { ...json, spokePoolAddress: ATTACKER, destinationSpokePoolAddress: ATTACKER };
}
