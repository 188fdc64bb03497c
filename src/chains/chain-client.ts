import { AppError, failureFrom } from "../errors.ts";
import { type Fetch, OutsideError } from "../lib/bounded-fetch.ts";
import { type Breaker, type BreakerPolicy, Breakers } from "../lib/circuit-breaker.ts";
import { outcomeOfOutsideError, throughBreaker } from "../lib/circuit-breaker-call.ts";
import type { Timing } from "../lib/outside-call-timing.ts";
import type { ChainDefinition } from "./chain-definitions.ts";
import { callNode, checkBounds, RpcError } from "./json-rpc.ts";
import type { LogLimits } from "./log-search-width.ts";

/** Maximum number of nodes that one request is tried on. */
export const NODE_ATTEMPTS = 3;
/**
 * How long a node is not sent a method that it does not support, in milliseconds. It expires because nodes are upgraded
 * and error messages can be misread.
 */
const LACKING_MS = 10 * 60_000;
/** How long the log limits of a node are kept at most, in milliseconds, for the same reasons. */
const LOG_LIMITS_MS = 10 * 60_000;
/** How long a failing node is tried last, in milliseconds. */
const AVOID_MS = 30_000;
/** Number of blocks by which a load-balanced node's head may be behind a head that it returned earlier. */
const HEAD_TOLERANCE = 8;
/**
 * Circuit breaker of a node. After one timeout, each request first asks the node for its chain id. The breaker opens if
 * the node does not respond within a second, or after five timeouts without another response, so that one caller's slow
 * simulation does not open it.
 */
const NODE_POLICY: BreakerPolicy = { hangs: 5, hangMs: 4_500, firstPauseMs: 1_000, longestPauseMs: 4_000 };

/**
 * Client that reads one chain on behalf of one API request or job run. It sends no transactions, so every call may be
 * retried on another node.
 */
export interface ChainClient {
  readonly definition: ChainDefinition;
  /**
   * Sends a JSON-RPC request to at most three of the chain's nodes in turn and returns the first result, which may be
   * null. Throws an RpcError `revert` or `unsupported`, `upstream_timeout` or `upstream_unavailable`.
   */
  request(method: string, params: readonly unknown[]): Promise<unknown>;
  /**
   * Sends a JSON-RPC request like `request` and parses its result with `read`; if `read` throws, the next node is
   * tried. Throws the errors of `request`.
   */
  ask<T>(question: NodeQuestion<T>): Promise<T>;
  /**
   * Calls `work` with a session whose requests all go to one node and, if it throws, again with the next of at most
   * three nodes, from index `turn` on, recently failing ones last. It ends early if `work` throws an AppError, which
   * propagates, or the same error object twice. Throws the last error if it is an RpcError, otherwise
   * `upstream_timeout` or `upstream_unavailable`.
   */
  onOneNode<T>(work: (node: NodeSession) => Promise<T>, turn?: number): Promise<T>;
  /**
   * Reports the chain id and head that the last result of `request` or `ask` contained; with requests in parallel, the
   * node that was asked last is meant. Throws OutsideError `malformed` for a wrong chain id or, with several nodes, a
   * head more than 8 blocks below an earlier one of that node.
   */
  observe(report: { chainId: number; blockNumber: number | null }): void;
}

/**
 * A session with one node whose chain id has been verified. RpcError and OutsideError of `request` propagate unchanged.
 */
export interface NodeSession {
  /**
   * Sends one JSON-RPC request to the node, with a timeout of five seconds and without retries, and returns its result.
   * Throws OutsideError `timeout` without sending it if the node's circuit breaker refuses it.
   */
  request(method: string, params: readonly unknown[]): Promise<unknown>;
  /** Limits of the node's `eth_getLogs`, as searches have learnt them, kept in memory for ten minutes. */
  readonly logLimits?: LogLimits;
}

/** Chain id and head that the result of a request contains; `blockNumber` is null if it does not contain the head. */
export interface NodeReport {
  chainId: number;
  blockNumber: number | null;
}

/**
 * A JSON-RPC request with the parser of its result. `read` throws if the result is unusable, and passes the chain id
 * and head that it contains, if any, to `seen`.
 */
export interface NodeQuestion<T> {
  method: string;
  params: readonly unknown[];
  read: (answer: unknown, seen: (report: NodeReport) => void) => T;
}

/**
 * Dependencies of a chain client: the chain's definition, the Worker isolate's knowledge of nodes and its fetch, and
 * the timing and clock (milliseconds since the epoch) of one API request or job run.
 */
export interface ChainClientOptions {
  definition: ChainDefinition;
  health: NodeHealth;
  fetch: Fetch;
  timing: Timing;
  now: () => number;
}

/**
 * Creates the chain client of one API request or job run, without I/O. Clients are not shared, because in workerd no
 * I/O may outlive the request that started it.
 */
export function createChainClient(options: ChainClientOptions): ChainClient {
  const { definition, health, fetch, timing, now } = options;
  let lastUrl = definition.rpcUrls[0] ?? "";

  const send = (url: string, method: string, params: readonly unknown[]): Promise<unknown> =>
    throughBreaker(health.breakerOf(definition, url), {
      work: () => timing.track("rpc", () => callNode(fetch, { url, method, params })),
      check: () => callNode(fetch, { url, method: "eth_chainId", params: [], bounds: checkBounds }),
      outcomeOf: outcomeOfOutsideError,
    });

  const verify = async (url: string): Promise<void> => {
    if (health.isVerified(url)) return;
    const chainId = Number(await send(url, "eth_chainId", []));
    if (chainId !== definition.chainId)
      throw new OutsideError("malformed", `the node serves chain ${chainId}`);
    health.markVerified(url);
  };

  const seenAt = (url: string, { chainId, blockNumber }: NodeReport): void => {
    if (chainId !== definition.chainId)
      throw new OutsideError("malformed", `the node serves chain ${chainId}`);
    health.markVerified(url);
    if (blockNumber === null || health.acceptHead(url, { blockNumber, tolerance: HEAD_TOLERANCE })) return;
    health.avoid(url, now() + AVOID_MS);
    if (definition.rpcUrls.length > 1) throw new OutsideError("malformed", "the node fell behind itself");
  };

  return {
    definition,
    observe: (report) => seenAt(lastUrl, report),
    request: (method, params) => ask({ method, params, read: (answer) => answer }),
    ask,
    onOneNode,
  };

  async function onOneNode<T>(work: (node: NodeSession) => Promise<T>, turn = 0): Promise<T> {
    const urls = startingAt(definition.rpcUrls, turn);
    let last: unknown = new OutsideError("network", `${definition.name} has no nodes`);
    for (const url of health.order(urls, now()).slice(0, NODE_ATTEMPTS)) {
      try {
        await verify(url);
        return await work({ request: send.bind(null, url), logLimits: health.logLimits(url, now()) });
      } catch (error) {
        if (error instanceof AppError) throw error;
        if (error === last) break;
        last = error;
        // A node that returns a JSON-RPC error is healthy; a node that returns nothing, or something wrong, is not.
        if (!(error instanceof RpcError)) health.avoid(url, now() + AVOID_MS);
      }
    }
    if (last instanceof RpcError) throw last;
    throw toFailure(definition, last);
  }

  async function ask<T>({ method, params, read }: NodeQuestion<T>): Promise<T> {
    const urls = health.order(definition.rpcUrls, now()).slice(0, NODE_ATTEMPTS);
    // A node may support `eth_call` but not its third parameter, the state overrides.
    const feature = `${method}/${params.length}`;
    let last: unknown = new RpcError("unsupported", `no node of ${definition.name} knows ${method}`);
    for (const url of urls) {
      if (health.lacks(url, { name: feature, now: now() })) continue;
      try {
        lastUrl = url;
        // The aggregator and the simulator, which run in an `eth_call`, return the chain id themselves.
        const verified = method === "eth_call" ? null : verify(url);
        const [answer] = await Promise.all([send(url, method, params), verified]);
        return read(answer, (report) => seenAt(url, report));
      } catch (error) {
        if (error instanceof RpcError && error.kind === "revert") throw error;
        last = error;
        if (!(error instanceof RpcError && error.kind === "unsupported")) health.avoid(url, now() + AVOID_MS);
        // An error about one caller's parameter values must not disable the method for other callers.
        else if (!error.ofValues) health.markLacking(url, { name: feature, until: now() + LACKING_MS });
      }
    }
    if (last instanceof RpcError && last.kind === "unsupported") throw last;
    throw toFailure(definition, last);
  }
}

/** Returns the nodes in a circle that starts at index `turn`. */
function startingAt(urls: readonly string[], turn: number): string[] {
  const at = turn % Math.max(1, urls.length);
  return [...urls.slice(at), ...urls.slice(0, at)];
}

function toFailure(chain: ChainDefinition, error: unknown): Error {
  const timedOut = error instanceof OutsideError && error.kind === "timeout";
  return failureFrom(
    timedOut ? "upstream_timeout" : "upstream_unavailable",
    `no node of ${chain.name} gave a usable answer`,
    error,
  );
}

/**
 * What a Worker isolate has learnt about the nodes it uses: verified chain ids, heads, failures, missing methods and
 * log limits. It is lost with the isolate.
 */
export class NodeHealth {
  readonly #avoidUntil = new Map<string, number>();
  readonly #heads = new Map<string, number>();
  readonly #verified = new Set<string>();
  readonly #lackingUntil = new Map<string, number>();
  readonly #logLimits = new Map<string, { limits: LogLimits; until: number }>();
  readonly #breakers: Breakers;

  /** Creates the state with the circuit breakers of the isolate, by default with breakers of its own. */
  constructor(breakers: Breakers = new Breakers(() => Date.now())) {
    this.#breakers = breakers;
  }

  /** Returns the breaker of a node, named by the node's position among the chain's nodes, never by its URL. */
  breakerOf(chain: ChainDefinition, url: string): Breaker {
    return this.#breakers.of(`chain:${chain.chainId}:node:${chain.rpcUrls.indexOf(url) + 1}`, NODE_POLICY);
  }

  /** Returns all nodes in the given order, those that `avoid` puts last at `now` (milliseconds) after the others. */
  order(urls: readonly string[], now: number): string[] {
    const avoided = (url: string): boolean => (this.#avoidUntil.get(url) ?? 0) > now;
    return [...urls.filter((url) => !avoided(url)), ...urls.filter(avoided)];
  }

  /** Makes `order` put a node last until the given time, in milliseconds since the epoch. */
  avoid(url: string, until: number): void {
    this.#avoidUntil.set(url, until);
  }

  /**
   * Returns true if `markLacking` was called for the node and `name` (`<method>/<number of parameters>`), until a time
   * after `now` (milliseconds since the epoch).
   */
  lacks(url: string, feature: { name: string; now: number }): boolean {
    return (this.#lackingUntil.get(`${url} ${feature.name}`) ?? 0) > feature.now;
  }

  /**
   * Records that the node does not support a method with a number of parameters (`name`, as for `lacks`), until the
   * given time in milliseconds since the epoch.
   */
  markLacking(url: string, feature: { name: string; until: number }): void {
    this.#lackingUntil.set(`${url} ${feature.name}`, feature.until);
  }

  /**
   * Returns the learnt limits of a node's `eth_getLogs` at the given time, in milliseconds since the epoch. The object
   * is shared: callers that learn a limit write it into the object. A new, empty one replaces it after ten minutes.
   */
  logLimits(url: string, now: number): LogLimits {
    const known = this.#logLimits.get(url);
    if (known !== undefined && known.until > now) return known.limits;
    const limits = {};
    this.#logLimits.set(url, { limits, until: now + LOG_LIMITS_MS });
    return limits;
  }

  /** Returns true if the node has reported the chain that it is configured for. */
  isVerified(url: string): boolean {
    return this.#verified.has(url);
  }

  /** Records that the node has reported the chain that it is configured for. */
  markVerified(url: string): void {
    this.#verified.add(url);
  }

  /**
   * Records a head that the node returned. Returns false if it is more than `tolerance` blocks below an earlier head of
   * this node, otherwise true.
   */
  acceptHead(url: string, report: { blockNumber: number; tolerance: number }): boolean {
    const highest = this.#heads.get(url) ?? 0;
    this.#heads.set(url, Math.max(highest, report.blockNumber));
    return report.blockNumber + report.tolerance >= highest;
  }
}
