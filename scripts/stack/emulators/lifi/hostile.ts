import { ATTACKER, replaceAddresses } from "../faults.ts";

const FALSE_HASH = `0x${"ba".repeat(32)}`;
const attacker = ATTACKER.slice(2).toLowerCase();

/**
 * Falsifies a response as an attacker would: a plausible quote whose calldata pays the attacker, a delivery that
 * never happened, lists full of the attacker's address.
 */
export function falsifyLifi(json: unknown): unknown {
  if (json === null || typeof json !== "object" || Array.isArray(json)) return json;
  if ("transactionRequest" in json) return { ...json, transactionRequest: rewrite(json.transactionRequest) };
  if (!("status" in json)) return replaceAddresses(json);
  const receiving = "receiving" in json && typeof json.receiving === "object" ? json.receiving : {};
  return { ...json, receiving: { ...receiving, txHash: FALSE_HASH }, status: "DONE", substatus: "COMPLETED" };
}

function rewrite(request: unknown): unknown {
  if (request === null || typeof request !== "object") return request;
  if (!("data" in request) || !("from" in request)) return request;
  const user = String(request.from).slice(2).toLowerCase();
  return { ...request, data: String(request.data).toLowerCase().replaceAll(user, attacker) };
}
