import {
  type AbiEvent,
  type AbiParameter,
  encodeAbiParameters,
  encodeEventTopics,
  type Hex,
  parseAbiItem,
} from "viem";
import type { GovernanceEvent } from "../../../src/vaults/governance/governance-event.ts";

const ACCOUNT = "0x00000000000000000000000000000000000c0de5";

/** Returns a sample value of an ABI type that varies with `salt`. */
function sample(of: AbiParameter, salt: number): unknown {
  if (of.type.endsWith("[]")) return [sample({ ...of, type: of.type.slice(0, -2) } as AbiParameter, salt)];
  if ("components" in of && of.type === "tuple")
    return Object.fromEntries(of.components.map((part) => [part.name, sample(part, salt)]));
  if (of.type === "address") return ACCOUNT;
  if (of.type === "bool") return true;
  if (of.type === "bytes") return "0x";
  if (of.type === "uint8") return 2;
  const bytes = /^bytes(\d+)$/.exec(of.type);
  if (bytes !== null) return `0x${"ab".repeat(Number(bytes[1]))}`;
  const bits = Number(/^uint(\d+)$/.exec(of.type)?.[1]);
  return bits <= 48 ? 100 + salt : 1_800_000_000n + BigInt(salt);
}

/** Encodes a log of an event with the given arguments and sample values for the others. */
export function logOf(
  event: GovernanceEvent,
  given: Readonly<Record<string, unknown>> = {},
): { topics: [Hex, ...Hex[]]; data: Hex } {
  const item = parseAbiItem(`event ${event.signature}` as "event Known(address)") as AbiEvent;
  const members = item.inputs.map((input, index) => given[input.name ?? ""] ?? sample(input, index));
  const indexed = Object.fromEntries(
    item.inputs.flatMap((input, index) => (input.indexed === true ? [[input.name, members[index]]] : [])),
  );
  const topics = encodeEventTopics({ abi: [item], eventName: item.name, args: indexed });
  const rest = item.inputs.flatMap((input, index) =>
    input.indexed === true ? [] : [{ input, value: members[index] }],
  );
  const data = encodeAbiParameters(
    rest.map(({ input }) => input),
    rest.map(({ value }) => value),
  );
  return { topics: topics as [Hex, ...Hex[]], data };
}
