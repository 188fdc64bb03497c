import { createHash } from "node:crypto";
import { type Reply, RespError } from "./resp.ts";

/** A command to send to Redis, or a reply that needs no Redis. */
export type Prepared = { argv: readonly string[] } | { reply: Reply };

/** Commands that Upstash's REST API rejects: they need a connection of their own or administer the server. */
const UNAVAILABLE = new Set(
  `ACL AUTH BGREWRITEAOF BGSAVE BLMOVE BLMPOP BLPOP BRPOP BRPOPLPUSH BZMPOP BZPOPMAX BZPOPMIN CLIENT CLUSTER
  CONFIG DEBUG DISCARD EXEC FAILOVER HELLO LATENCY MIGRATE MODULE MONITOR MOVE MULTI PSUBSCRIBE PSYNC QUIT
  READONLY READWRITE REPLICAOF RESET SAVE SELECT SHUTDOWN SLAVEOF SLOWLOG SSUBSCRIBE SUBSCRIBE SWAPDB SYNC
  UNWATCH WAIT WAITAOF WATCH`.split(/\s+/),
);

/**
 * Lua scripts by the SHA-1 of their text. Upstash's own begin with `#!lua flags=allow-key-locking`, which other Redis
 * servers reject; they run without that line under the SHA-1 of the original.
 */
export class Scripts {
  readonly #bodies = new Map<string, string>();

  /** Prepares one command from its JSON values, the command's name first. */
  prepare(command: readonly unknown[]): Prepared {
    const argv = command.map(toArgument);
    const [first = "", ...rest] = argv;
    const name = first.toUpperCase();
    if (name === "") return { reply: new RespError("ERR empty command") };
    if (UNAVAILABLE.has(name)) return { reply: unavailable(first) };
    if (name === "SCRIPT") return this.#script(rest);
    const [script = "", ...others] = rest;
    if (name === "EVAL" || name === "EVAL_RO") return { argv: [name, this.#keep(script), ...others] };
    if (name !== "EVALSHA" && name !== "EVALSHA_RO") return { argv };
    const body = this.#bodies.get(script.toLowerCase());
    if (body === undefined) return { reply: new RespError("NOSCRIPT No matching script. Please use EVAL.") };
    return { argv: [name.replace("SHA", ""), body, ...others] };
  }

  #script([subcommand = "", ...rest]: string[]): Prepared {
    switch (subcommand.toUpperCase()) {
      case "LOAD": {
        const [script = ""] = rest;
        this.#keep(script);
        return { reply: Buffer.from(sha1(script)) };
      }
      case "EXISTS":
        return { reply: rest.map((sha) => (this.#bodies.has(sha.toLowerCase()) ? 1 : 0)) };
      case "FLUSH":
        this.#bodies.clear();
        return { reply: Buffer.from("OK") };
      default:
        return { reply: unavailable(`SCRIPT ${subcommand}`) };
    }
  }

  #keep(script: string): string {
    const body = script.replace(/^#!lua[^\n]*/, "");
    this.#bodies.set(sha1(script), body);
    return body;
  }
}

const sha1 = (text: string): string => createHash("sha1").update(text).digest("hex");

const unavailable = (command: string): RespError =>
  new RespError(
    `ERR Command is not available: '${command}'. See https://upstash.com/docs/redis/overall/rediscompatibility for details`,
  );

function toArgument(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}
