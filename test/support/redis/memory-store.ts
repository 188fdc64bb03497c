import type { RedisStore } from "../../../src/redis/redis-client.ts";

interface Held {
  value: string;
  expiresAt: number | null;
}

/** In-memory Redis with the commands that the service uses: strings, expiry to the millisecond, and Redis' errors. */
export class MemoryStore implements RedisStore {
  readonly #now: () => number;
  readonly #held = new Map<string, Held>();
  /** True to reject every command, as if the endpoint were unreachable. */
  down = false;
  /** Executed commands with their keys, in order. */
  readonly commands: string[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  async get(key: string): Promise<string | null> {
    this.#receive("get", key);
    return this.#live(key)?.value ?? null;
  }

  async set(key: string, value: string, ttlMs: number | null): Promise<void> {
    this.#receive("set", key);
    this.#held.set(key, { value, expiresAt: this.#expiry(ttlMs) });
  }

  async setIfAbsent(key: string, value: string, ttlMs: number): Promise<boolean> {
    this.#receive("setnx", key);
    if (this.#live(key) !== undefined) return false;
    this.#held.set(key, { value, expiresAt: this.#expiry(ttlMs) });
    return true;
  }

  async extendIfEqual(key: string, value: string, ttlMs: number): Promise<boolean> {
    this.#receive("extend", key);
    const held = this.#live(key);
    if (held !== undefined && held.value !== value) return false;
    this.#held.set(key, { value, expiresAt: this.#expiry(ttlMs) });
    return true;
  }

  async deleteIfEqual(key: string, value: string): Promise<void> {
    this.#receive("cad", key);
    if (this.#live(key)?.value === value) this.#held.delete(key);
  }

  async delete(key: string): Promise<void> {
    this.#receive("del", key);
    this.#held.delete(key);
  }

  async ping(): Promise<void> {
    this.#receive("ping", "");
  }

  /** Returns a key's value and remaining lifetime for inspection. Null if there is none. */
  peek(key: string): { value: string; ttlMs: number | null } | null {
    const held = this.#live(key);
    if (held === undefined) return null;
    return { value: held.value, ttlMs: held.expiresAt === null ? null : held.expiresAt - this.#now() };
  }

  #receive(command: string, key: string): void {
    this.commands.push(`${command} ${key}`.trim());
    if (this.down) throw new Error("fetch failed: https://redis.example/token");
  }

  #live(key: string): Held | undefined {
    const held = this.#held.get(key);
    if (held?.expiresAt != null && held.expiresAt <= this.#now()) this.#held.delete(key);
    return this.#held.get(key);
  }

  #expiry(ttlMs: number | null): number | null {
    if (ttlMs === null) return null;
    if (!Number.isSafeInteger(ttlMs) || ttlMs <= 0)
      throw new Error("ERR invalid expire time in 'set' command");
    return this.#now() + ttlMs;
  }
}
