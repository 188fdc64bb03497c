import {
  type Abi,
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type ContractFunctionReturnType,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
} from "viem";

/** A view call and how its answer is read; describing it does no I/O. */
export interface Read<T> {
  to: Address;
  data: Hex;
  /** Throws on returndata of another shape. */
  decode: (data: Hex) => T;
}

/** What a read gave: its value, or that this one call failed. */
export type ReadResult<T> = { ok: true; value: T } | { ok: false; revert: Hex | null };

/** The results of a record of reads, name by name. */
export type ReadResults<R extends Record<string, Read<unknown>>> = {
  [K in keyof R]: R[K] extends Read<infer T> ? ReadResult<T> : never;
};

type ViewName<A extends Abi> = ContractFunctionName<A, "view" | "pure">;

/** Describes a view call on a contract. */
export function read<const A extends Abi, N extends ViewName<A>>(call: {
  to: Address;
  abi: A;
  name: N;
  args?: ContractFunctionArgs<A, "view" | "pure", N>;
}): Read<ContractFunctionReturnType<A, "view" | "pure", N>> {
  const parameters = { abi: call.abi, functionName: call.name, args: call.args ?? [] };
  return {
    to: call.to,
    data: encodeFunctionData(parameters as Parameters<typeof encodeFunctionData>[0]),
    decode: (data) => {
      const decoding = { abi: call.abi, functionName: call.name, data };
      return decodeFunctionResult(
        decoding as Parameters<typeof decodeFunctionResult>[0],
      ) as ContractFunctionReturnType<A, "view" | "pure", N>;
    },
  };
}

/** The value of a read, or null when it failed. */
export function valueOrNull<T>(result: ReadResult<T>): T | null {
  return result.ok ? result.value : null;
}

/** Reads together with what they mean: the caller makes them, among others, and hands the results back. */
export interface Described<S> {
  reads: Record<string, Read<unknown>>;
  interpret: (results: Record<string, ReadResult<unknown>>) => S;
}

/** Ties reads to their interpretation; each result is typed by its read. */
export function describe<R extends Record<string, Read<unknown>>, S>(
  reads: R,
  interpret: (results: ReadResults<R>) => S,
): Described<S> {
  return { reads, interpret: (results) => interpret(results as ReadResults<R>) };
}
