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
export interface Query<S> {
  reads: Record<string, Read<unknown>>;
  /** What the results of `reads` mean by themselves. */
  interpret: (results: Record<string, ReadResult<unknown>>) => S;
  /** Where the results lead to further reads (of a contract they name): those, and what all mean together. */
  next?: (results: Record<string, ReadResult<unknown>>) => Query<S>;
}

const FAILED_READ: ReadResult<unknown> = { ok: false, revert: null };

/** Ties reads to their interpretation; each result is typed by its read. */
export function createQuery<R extends Record<string, Read<unknown>>, S>(
  reads: R,
  interpret: (results: ReadResults<R>) => S,
): Query<S> {
  return { reads, interpret: (results) => interpret(results as ReadResults<R>) };
}

/** Ties reads to further ones that need their results. Whoever makes only the first is told as if those had failed. */
export function readThen<R extends Record<string, Read<unknown>>, S>(
  reads: R,
  follow: (results: ReadResults<R>) => Query<S>,
): Query<S> {
  const next = (results: Record<string, ReadResult<unknown>>) => follow(results as ReadResults<R>);
  const interpret = (results: Record<string, ReadResult<unknown>>): S => {
    const further = next(results);
    return further.interpret(
      Object.fromEntries(Object.keys(further.reads).map((name) => [name, FAILED_READ])),
    );
  };
  return { reads, interpret, next };
}

/** Asks the same and makes something else of the answer. */
export function mapQuery<A, B>(described: Query<A>, map: (answer: A) => B): Query<B> {
  const { reads, interpret, next } = described;
  const mapped: Query<B> = { reads, interpret: (results) => map(interpret(results)) };
  return next === undefined ? mapped : { ...mapped, next: (results) => mapQuery(next(results), map) };
}

/** Ties a question, however many rounds it takes, to a further one that needs its answer. */
export function andThen<S, T>(described: Query<S>, follow: (value: S) => Query<T>): Query<T> {
  const { reads, interpret, next } = described;
  const last = readThen(reads, (results) => follow(interpret(results)));
  return next === undefined ? last : { ...last, next: (results) => andThen(next(results), follow) };
}

type QueryAnswers<D> = { [K in keyof D]: D[K] extends Query<infer S> ? S : never };

/** Asks several questions at once, and answers each by its name. */
export function queryAll<const D extends Record<string, Query<unknown>>>(parts: D): Query<QueryAnswers<D>> {
  const entries = Object.entries(parts);
  const ownOf = (name: string, results: Record<string, ReadResult<unknown>>) =>
    Object.fromEntries(
      Object.keys(parts[name]?.reads ?? {}).map((own) => [own, results[`${name}/${own}`] ?? FAILED_READ]),
    );
  const reads = Object.fromEntries(
    entries.flatMap(([name, part]) =>
      Object.entries(part.reads).map(([own, read]) => [`${name}/${own}`, read]),
    ),
  );
  const interpret = (results: Record<string, ReadResult<unknown>>) =>
    Object.fromEntries(
      entries.map(([name, part]) => [name, part.interpret(ownOf(name, results))]),
    ) as QueryAnswers<D>;
  if (entries.every(([, part]) => part.next === undefined)) return { reads, interpret };
  const next = (results: Record<string, ReadResult<unknown>>) =>
    queryAll(
      Object.fromEntries(entries.map(([name, part]) => [name, nextQuery(part, ownOf(name, results))])),
    ) as Query<QueryAnswers<D>>;
  return { reads, interpret, next };
}

/** A question after its first reads: the next ones, or none and the answer. */
function nextQuery(part: Query<unknown>, results: Record<string, ReadResult<unknown>>): Query<unknown> {
  if (part.next !== undefined) return part.next(results);
  const answer = part.interpret(results);
  return { reads: {}, interpret: () => answer };
}
