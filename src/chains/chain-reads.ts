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

/**
 * An `eth_call` of a contract, normally of a view function, with the decoder of its return data. Creating a read does
 * no I/O.
 */
export interface Read<T> {
  to: Address;
  data: Hex;
  /** Decodes the return data, or throws if it cannot be decoded. */
  decode: (data: Hex) => T;
}

/**
 * The result of a read: the decoded value, or a failure with the revert data, `0x` if it is empty. `revert` is null if
 * the revert data is unknown, or if the call did not revert: because it was not made, or its return data was too long
 * or could not be decoded. `isUnmade` is true if `aggregate` had no gas or space left for the call, unless other calls
 * to the same contract took it.
 */
export type ReadResult<T> = { ok: true; value: T } | { ok: false; revert: Hex | null; isUnmade?: true };

/** The results of a record of reads, under the same names and with the decoded types. */
export type ReadResults<R extends Record<string, Read<unknown>>> = {
  [K in keyof R]: R[K] extends Read<infer T> ? ReadResult<T> : never;
};

type ViewName<A extends Abi> = ContractFunctionName<A, "view" | "pure">;

/**
 * Creates a read of a contract's view function from its ABI. Throws a viem error if the arguments do not match the ABI.
 */
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

/** Returns true if the result is `isUnmade` (see `ReadResult`), which says nothing about the contract. */
export const isUnmade = (result: ReadResult<unknown>): boolean => !result.ok && result.isUnmade === true;

/** Returns the value of a read, or null if the read failed. */
export function valueOrNull<T>(result: ReadResult<T>): T | null {
  return result.ok ? result.value : null;
}

/**
 * Contract reads, with the function that computes a result from their results; `next` describes a further batch of
 * reads. A query does no I/O itself, so several queries can be combined into the same requests.
 */
export interface Query<S> {
  reads: Record<string, Read<unknown>>;
  /** Computes the query's result from the results of `reads`, without a further batch. */
  interpret: (results: Record<string, ReadResult<unknown>>) => S;
  /**
   * Returns the query with the next batch of reads, for example of contracts whose addresses this batch returned, or
   * null if these results need none. Undefined for a query with only one batch.
   */
  next?: (results: Record<string, ReadResult<unknown>>) => Query<S> | null;
}

/** Returns a query with the result `unread` if a read of any batch is `isUnmade` (see `ReadResult`). */
export function unlessUnmade<S>({ reads, interpret, next }: Query<S>): Query<S | "unread"> {
  const isUnread = (results: Record<string, ReadResult<unknown>>) => Object.values(results).some(isUnmade);
  return {
    reads,
    interpret: (results) => (isUnread(results) ? "unread" : interpret(results)),
    next: (results) => {
      const further = isUnread(results) ? null : next?.(results);
      return further == null ? null : unlessUnmade(further);
    },
  };
}

const FAILED_READ: ReadResult<unknown> = { ok: false, revert: null };

/** Creates a query from reads and the function that interprets their results; each result has the type of its read. */
export function createQuery<R extends Record<string, Read<unknown>>, S>(
  reads: R,
  interpret: (results: ReadResults<R>) => S,
): Query<S> {
  return { reads, interpret: (results) => interpret(results as ReadResults<R>) };
}

/**
 * Creates a query with a second batch of reads that depends on the results of the first. If only the first batch is
 * run, the reads of the second count as failed.
 */
export function readThen<R extends Record<string, Read<unknown>>, S>(
  reads: R,
  follow: (results: ReadResults<R>) => Query<S>,
): Query<S> {
  const next = (results: Record<string, ReadResult<unknown>>) =>
    unlessKnown(follow(results as ReadResults<R>));
  const interpret = (results: Record<string, ReadResult<unknown>>): S => {
    const further = follow(results as ReadResults<R>);
    return further.interpret(
      Object.fromEntries(Object.keys(further.reads).map((name) => [name, FAILED_READ])),
    );
  };
  return { reads, interpret, next };
}

/** Returns the query, or null if its result is known without a request. */
const unlessKnown = <S>(query: Query<S>): Query<S> | null =>
  Object.keys(query.reads).length === 0 && query.next === undefined ? null : query;

/** Returns a query with the same reads whose result is converted with `map`. */
export function mapQuery<A, B>(described: Query<A>, map: (answer: A) => B): Query<B> {
  const { reads, interpret, next } = described;
  const mapped: Query<B> = { reads, interpret: (results) => map(interpret(results)) };
  if (next === undefined) return mapped;
  return {
    ...mapped,
    next: (results) => {
      const further = next(results);
      return further === null ? null : mapQuery(further, map);
    },
  };
}

/**
 * Returns a query that continues with another query, which `follow` creates from the result of the first. If only the
 * first query's batches are run, the reads of the second count as failed.
 */
export function andThen<S, T>(described: Query<S>, follow: (value: S) => Query<T>): Query<T> {
  const { reads, interpret, next } = described;
  const last = readThen(reads, (results) => follow(interpret(results)));
  if (next === undefined) return last;
  return {
    ...last,
    next: (results) => {
      const further = next(results);
      return further === null ? unlessKnown(follow(interpret(results))) : andThen(further, follow);
    },
  };
}

type QueryAnswers<D> = { [K in keyof D]: D[K] extends Query<infer S> ? S : never };

/**
 * Combines queries into one that makes their reads in the same batches and returns the results under the same names. It
 * takes as many batches as the query that needs the most.
 */
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
  const next = (results: Record<string, ReadResult<unknown>>) => {
    const further = entries.map(([name, part]) => {
      const own = ownOf(name, results);
      return { name, part, own, query: part.next?.(own) ?? null };
    });
    if (further.every(({ query }) => query === null)) return null;
    const rest = further.map(
      ({ name, part, own, query }) => [name, query ?? knownAnswer(part.interpret(own))] as const,
    );
    return queryAll(Object.fromEntries(rest)) as Query<QueryAnswers<D>>;
  };
  return { reads, interpret, next };
}

/**
 * Returns the query that `create` returns, with the result null if creating it, interpreting its results or creating a
 * further batch throws. It separates a vault, whose contracts may return anything, from others of one request.
 */
export function guardQuery<S>(create: () => Query<S>): Query<S | null> {
  const described = valueUnlessThrown(create);
  if (described === null) return knownAnswer(null);
  const { reads, interpret, next } = described;
  const guarded: Query<S | null> = {
    reads,
    interpret: (results) => valueUnlessThrown(() => interpret(results)),
  };
  if (next === undefined) return guarded;
  return {
    ...guarded,
    next: (results) => {
      const further = valueUnlessThrown(() => ({ query: next(results) }));
      if (further === null) return knownAnswer(null);
      const { query } = further;
      return query === null ? null : guardQuery(() => query);
    },
  };
}

function valueUnlessThrown<T>(create: () => T): T | null {
  try {
    return create();
  } catch {
    return null;
  }
}

/** Returns a query without reads for a result that is known. */
function knownAnswer<S>(answer: S): Query<S> {
  return { reads: {}, interpret: () => answer };
}
