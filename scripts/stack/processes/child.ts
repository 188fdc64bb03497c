import { type ChildProcess, fork } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import type { ChildAnswer } from "./serve.ts";

/** Time in milliseconds that a child has to end its own children before it is killed with them. */
const PATIENCE_MS = 4_000;

/** A process of the stack, seen from the parent. */
export class Child {
  readonly name: string;
  readonly #process: ChildProcess;
  readonly #logFile: string;
  readonly #ended: Promise<void>;
  readonly #waiting = new Map<number, { resolve: (output: unknown) => void; reject: (e: Error) => void }>();
  #closing = false;
  /** How the process ended: its exit code, or the signal that ended it. */
  #end = "";
  #asked = 0;

  /**
   * Starts the module `entry`; its output goes to `logFile`. It has a process group of its own, so that Ctrl-C
   * reaches only the parent, and ends when the parent ends.
   */
  constructor({ name, entry, logFile }: { name: string; entry: string; logFile: string }) {
    this.name = name;
    this.#logFile = logFile;
    mkdirSync(dirname(logFile), { recursive: true });
    const log = openSync(logFile, "w");
    this.#process = fork(entry, [], {
      execArgv: [],
      serialization: "advanced",
      stdio: ["ignore", log, log, "ipc"],
      detached: true,
      env: { ...process.env, NODE_OPTIONS: "", WRANGLER_SEND_METRICS: "false" },
    });
    closeSync(log);
    this.#process.on("message", (answer: ChildAnswer) => this.#settle(answer));
    this.#ended = new Promise((resolve) => {
      this.#process.once("exit", (code, signal) => {
        this.#end = signal === null ? `with code ${code}` : `by ${signal}`;
        const problem = new Error(this.#unexpectedEnd());
        for (const { reject } of this.#waiting.values()) reject(problem);
        this.#waiting.clear();
        resolve();
      });
    });
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** Sends a request to the child and returns its result. Throws the child's error message. */
  ask<T>(name: string, input: unknown = null): Promise<T> {
    const id = ++this.#asked;
    return new Promise<T>((resolve, reject) => {
      if (!this.#process.connected)
        return reject(new Error(`the ${this.name} process is gone${this.#lastWords()}`));
      this.#waiting.set(id, { resolve: (output) => resolve(output as T), reject });
      this.#process.send({ id, name, input });
    });
  }

  /** Calls `listener` when the child ends without having been closed. */
  onCrash(listener: (message: string) => void): void {
    void this.#ended.then(() => {
      if (!this.#closing) listener(this.#unexpectedEnd());
    });
  }

  async close(): Promise<void> {
    this.#closing = true;
    if (this.#process.connected) this.#process.disconnect();
    const impatient = setTimeout(() => this.#kill(), PATIENCE_MS);
    await this.#ended;
    clearTimeout(impatient);
  }

  /** Kills the process with those that it has started, which would go on without it. */
  #kill(): void {
    try {
      if (this.pid > 0) process.kill(-this.pid, "SIGKILL");
    } catch {
      // The platform has no process groups.
      this.#process.kill("SIGKILL");
    }
  }

  #settle(answer: ChildAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if ("problem" in answer) waiting?.reject(new Error(answer.problem));
    else waiting?.resolve(answer.output);
  }

  #unexpectedEnd(): string {
    return `the ${this.name} process ended unexpectedly ${this.#end}${this.#lastWords()}`;
  }

  #lastWords(): string {
    try {
      const text = readFileSync(this.#logFile, "utf8").trim();
      return text === "" ? "" : `; its last words: ${text.slice(-600)}`;
    } catch {
      return "";
    }
  }
}
