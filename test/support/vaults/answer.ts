import { type Address, encodeAbiParameters, encodeEventTopics, type Hex, parseAbi, parseAbiItem } from "viem";
import type { Query, ReadResult } from "../../../src/chains/chain-reads.ts";

/** A read that reverts with the given data. */
export class Revert {
  readonly data: Hex;
  constructor(data: Hex) {
    this.data = data;
  }
}

/** A read whose call no node made. */
export const UNMADE = Symbol("unmade");

const failed = (revert: Hex | null): ReadResult<unknown> => ({ ok: false, revert });

/**
 * Runs a query, in all its rounds, with the results in `table`, by the reads' names or the last part of them. Other
 * reads fail.
 */
export function answer<S>(query: Query<S>, table: Readonly<Record<string, unknown>>): S {
  const results = Object.fromEntries(
    Object.keys(query.reads).map((name) => {
      const value = table[name] ?? table[name.split("/").at(-1) ?? ""];
      if (value === UNMADE) return [name, { ok: false as const, revert: null, isUnmade: true as const }];
      if (value instanceof Revert) return [name, failed(value.data)];
      return [name, value === undefined ? failed(null) : { ok: true as const, value }];
    }),
  );
  const next = query.next?.(results) ?? null;
  return next === null ? query.interpret(results) : answer(next, table);
}

type Topics = [Hex, ...Hex[]];

/** Encodes a log of an event from its argument values. */
export function eventLog(address: Address, signature: string, values: Readonly<Record<string, unknown>>) {
  const event = parseAbiItem(signature as "event E(uint256 a)");
  const abi = [event];
  const topics = encodeEventTopics({ abi, eventName: event.name, args: values as never }) as Topics;
  const plain = event.inputs.filter((input) => !("indexed" in input && input.indexed));
  const data = encodeAbiParameters(plain, plain.map(({ name }) => values[name ?? ""]) as never);
  return { address, topics, data };
}

/** The revert data of `Error(string)`. */
export function reasonData(reason: string): Hex {
  const [item] = parseAbi(["error Error(string reason)"]);
  return `0x08c379a0${encodeAbiParameters(item.inputs, [reason]).slice(2)}`;
}
