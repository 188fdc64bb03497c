/** Receives each finished step and its duration in milliseconds. */
export type ReportStep = (name: string, ms: number) => void;

/** Runs the steps of the start and reports the duration of each that succeeds; errors propagate. */
export class Stopwatch {
  readonly #report: ReportStep;
  constructor(report: ReportStep) {
    this.#report = report;
  }

  async step<T>(name: string, work: () => Promise<T>): Promise<T> {
    const started = performance.now();
    const result = await work();
    this.#report(name, performance.now() - started);
    return result;
  }
}
