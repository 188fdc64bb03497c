import { failureFrom } from "../errors.ts";
import { type Fetch, OutsideError } from "../lib/bounded-fetch.ts";
import type { Timing } from "../lib/request-timing.ts";
import type { ChainDefinition } from "./chain-definitions.ts";
import { callNode, RpcError } from "./json-rpc.ts";
import type { LogQuerySize } from "./log-range.ts";

/** Nodes that one request is tried on. */
const ATTEMPTS = 3;
/** How long a node is not asked for a method that it lacks: nodes are upgraded, and error messages misread. */
const LACKING_MS = 10 * 60_000;
/** How long a failing node is tried last. */
const AVOID_MS = 30_000;
/** Blocks by which a load-balanced node's head may be behind its own earlier answer. */
const HEAD_TOLERANCE = 8;

/** Reads one chain on behalf of one request. There are no writes, so every call may be retried on another node. */
export interface ChainClient {
  readonly definition: ChainDefinition;
  /**
   * Sends a JSON-RPC request to the first node that answers. Throws RpcError `revert` or `unsupported`
   * as the node said it, otherwise `upstream_timeout` or `upstream_unavailable` when no node answered.
   */
  request(method: string, params: readonly unknown[]): Promise<unknown>;
  /**
   * Sends a request and parses its answer with `read`; when `read` throws, the next node is tried. `read` reports the
   * chain id and head that the answer contains through `seen`. Throws as `request`.
   */
  ask<T>(question: NodeQuestion<T>): Promise<T>;
  /**
   * Does work on one node from its first request to its last; when `work` throws, it is done again on the next node.
   * `turn` selects the healthy node to start with, the first by default. Throws as `ask`, or the last node's RpcError
   * unchanged.
   */
  onOneNode<T>(work: (node: NodeSession) => Promise<T>, turn?: number): Promise<T>;
  /** Reports the chain id and head of the last answer; throws OutsideError when they cannot be right. */
  observe(report: { chainId: number; blockNumber: number | null }): void;
}

/** A session with one node whose chain id was checked. Throws RpcError and OutsideError unchanged. */
export interface NodeSession {
  request(method: string, params: readonly unknown[]): Promise<unknown>;
  /** Learnt limits of the node's `eth_getLogs`, kept by the isolate. */
  readonly logLimits?: LogLimits;
}

/** Chain id and head as a node's answer contains them; `blockNumber` is null when it does not. */
export interface NodeReport {
  chainId: number;
  blockNumber: number | null;
}

/** A JSON-RPC request and the parser of its answer. */
export interface NodeQuestion<T> {
  method: string;
  params: readonly unknown[];
  read: (answer: unknown, seen: (report: NodeReport) => void) => T;
}

/** What a chain client needs of its isolate and request. */
export interface ChainClientOptions {
  definition: ChainDefinition;
  health: NodeHealth;
  fetch: Fetch;
  timing: Timing;
  now: () => number;
}

/** Creates the chain client of one request; in workerd no request's I/O may outlive it. */
export function createChainClient(options: ChainClientOptions): ChainClient {
  const { definition, health, fetch, timing, now } = options;
  let lastUrl = definition.rpcUrls[0] ?? "";

  const send = (url: string, method: string, params: readonly unknown[]): Promise<unknown> =>
    timing.track("rpc", () => callNode(fetch, { url, method, params }));

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
    const at = turn % Math.max(1, definition.rpcUrls.length);
    const urls = [...definition.rpcUrls.slice(at), ...definition.rpcUrls.slice(0, at)];
    let last: unknown = new OutsideError("network", `${definition.name} has no nodes`);
    for (const url of health.order(urls, now()).slice(0, ATTEMPTS)) {
      try {
        await verify(url);
        const request: NodeSession["request"] = (method, params) => send(url, method, params);
        return await work({ request, logLimits: health.logLimits(url) });
      } catch (error) {
        last = error;
        // A node that refuses a request is healthy; one without an answer, or with a wrong one, is not.
        if (!(error instanceof RpcError)) health.avoid(url, now() + AVOID_MS);
      }
    }
    if (last instanceof RpcError) throw last;
    throw toFailure(definition, last);
  }

  async function ask<T>({ method, params, read }: NodeQuestion<T>): Promise<T> {
    const urls = health.order(definition.rpcUrls, now()).slice(0, ATTEMPTS);
    // A node may support eth_call but not its third parameter.
    const feature = `${method}/${params.length}`;
    let last: unknown = new RpcError("unsupported", `no node of ${definition.name} knows ${method}`);
    for (const url of urls) {
      if (health.lacks(url, { name: feature, now: now() })) continue;
      try {
        lastUrl = url;
        // Our programs in an eth_call return the chain id themselves.
        const verified = method === "eth_call" ? null : verify(url);
        const [answer] = await Promise.all([send(url, method, params), verified]);
        return read(answer, (report) => seenAt(url, report));
      } catch (error) {
        if (error instanceof RpcError && error.kind === "revert") throw error;
        last = error;
        if (!(error instanceof RpcError && error.kind === "unsupported")) health.avoid(url, now() + AVOID_MS);
        // A refusal of one caller's values must not disable the method for the others.
        else if (!error.ofValues) health.markLacking(url, { name: feature, until: now() + LACKING_MS });
      }
    }
    if (last instanceof RpcError && last.kind === "unsupported") throw last;
    throw toFailure(definition, last);
  }
}

function toFailure(chain: ChainDefinition, error: unknown): Error {
  const timedOut = error instanceof OutsideError && error.kind === "timeout";
  return failureFrom(
    timedOut ? "upstream_timeout" : "upstream_unavailable",
    `no node of ${chain.name} gave a usable answer`,
    error,
  );
}

/** Sizes of `eth_getLogs` requests that a node accepts, learnt from its refusals. */
type LogLimits = Partial<LogQuerySize>;

/** What an isolate has learnt about its nodes; advisory, and gone with the isolate. */
export class NodeHealth {
  readonly #avoidUntil = new Map<string, number>();
  readonly #heads = new Map<string, number>();
  readonly #verified = new Set<string>();
  readonly #lackingUntil = new Map<string, number>();
  readonly #logLimits = new Map<string, LogLimits>();

  /** Returns all nodes, those to avoid last. */
  order(urls: readonly string[], now: number): string[] {
    const avoided = (url: string): boolean => (this.#avoidUntil.get(url) ?? 0) > now;
    return [...urls.filter((url) => !avoided(url)), ...urls.filter(avoided)];
  }

  /** Tries a node last until a time, milliseconds since the epoch. */
  avoid(url: string, until: number): void {
    this.#avoidUntil.set(url, until);
  }

  /** Returns true when the node said recently that it lacks a method with this number of parameters. */
  lacks(url: string, feature: { name: string; now: number }): boolean {
    return (this.#lackingUntil.get(`${url} ${feature.name}`) ?? 0) > feature.now;
  }

  /** Records that the node lacks a method with this number of parameters, until a time. */
  markLacking(url: string, feature: { name: string; until: number }): void {
    this.#lackingUntil.set(`${url} ${feature.name}`, feature.until);
  }

  /** Returns the learnt limits of a node's `eth_getLogs`; who learns more writes into them. */
  logLimits(url: string): LogLimits {
    const known = this.#logLimits.get(url) ?? {};
    this.#logLimits.set(url, known);
    return known;
  }

  /** Returns true when the node is known to serve the chain it is configured for. */
  isVerified(url: string): boolean {
    return this.#verified.has(url);
  }

  /** Records that the node serves the chain it is configured for. */
  markVerified(url: string): void {
    this.#verified.add(url);
  }

  /** Records a head that the node reported; false when it is more than `tolerance` blocks below an earlier one. */
  acceptHead(url: string, report: { blockNumber: number; tolerance: number }): boolean {
    const highest = this.#heads.get(url) ?? 0;
    this.#heads.set(url, Math.max(highest, report.blockNumber));
    return report.blockNumber + report.tolerance >= highest;
  }
}
