import type { LogQuerySize } from "./log-range.ts";

/** Sizes of `eth_getLogs` requests that a node accepts, learnt from its refusals. */
export type LogLimits = Partial<LogQuerySize>;

/** What an isolate has learnt of the nodes it talks to: advisory, forgotten with the isolate. */
export class NodeHealth {
  readonly #avoidUntil = new Map<string, number>();
  readonly #heads = new Map<string, number>();
  readonly #verified = new Set<string>();
  readonly #lackingUntil = new Map<string, number>();
  readonly #logLimits = new Map<string, LogLimits>();

  /** The nodes worth asking first; those to avoid come last, never nobody. */
  order(urls: readonly string[], now: number): string[] {
    const avoided = (url: string): boolean => (this.#avoidUntil.get(url) ?? 0) > now;
    return [...urls.filter((url) => !avoided(url)), ...urls.filter(avoided)];
  }

  /** Puts a node last for a while. */
  avoid(url: string, until: number): void {
    this.#avoidUntil.set(url, until);
  }

  /** Whether the node said lately that it does not know this method with this many parameters. */
  lacks(url: string, feature: { name: string; now: number }): boolean {
    return (this.#lackingUntil.get(`${url} ${feature.name}`) ?? 0) > feature.now;
  }

  markLacking(url: string, feature: { name: string; until: number }): void {
    this.#lackingUntil.set(`${url} ${feature.name}`, feature.until);
  }

  /** Returns the learnt limits of a node's `eth_getLogs`; who learns more writes into them. */
  logLimits(url: string): LogLimits {
    const known = this.#logLimits.get(url) ?? {};
    this.#logLimits.set(url, known);
    return known;
  }

  isVerified(url: string): boolean {
    return this.#verified.has(url);
  }

  /** Remembers that the node serves the chain it is configured for. */
  markVerified(url: string): void {
    this.#verified.add(url);
  }

  /** Records a head the node reported; false when it lies more than `tolerance` blocks behind an earlier one. */
  acceptHead(url: string, report: { blockNumber: number; tolerance: number }): boolean {
    const highest = this.#heads.get(url) ?? 0;
    this.#heads.set(url, Math.max(highest, report.blockNumber));
    return report.blockNumber + report.tolerance >= highest;
  }
}
