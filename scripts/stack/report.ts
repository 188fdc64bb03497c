/** Receives each finished step and its duration in milliseconds. */
export type Report = (name: string, ms: number) => void;

/** Times the steps of the start. */
export class Stopwatch {
  readonly #report: Report;
  constructor(report: Report) {
    this.#report = report;
  }

  async step<T>(name: string, work: () => Promise<T>): Promise<T> {
    const started = performance.now();
    const result = await work();
    this.#report(name, performance.now() - started);
    return result;
  }
}
