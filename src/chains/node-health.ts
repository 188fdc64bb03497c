import type { LogQuerySize } from "./log-range.ts";

/** Sizes of `eth_getLogs` requests that a node accepts, learnt from its refusals. */
export type LogLimits = Partial<LogQuerySize>;

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
