import type { Hex } from "viem";
import * as z from "zod";
import { boundedFetch, type Fetch, type FetchBounds, OutsideError } from "../lib/bounded-fetch.ts";

/** The kinds of JSON-RPC errors that callers distinguish; see `RpcError`. */
export type RpcErrorKind = "revert" | "unsupported" | "node";

/**
 * A JSON-RPC error. `revert`: the call failed in its execution; `unsupported`: the node does not support the method or
 * rejects its parameters; `node`: any other error, so another node may succeed.
 */
export class RpcError extends Error {
  readonly kind: RpcErrorKind;
  /** Revert data of the call; null if the node returned none, and for an error of another kind. */
  readonly data: Hex | null;
  /**
   * True if the `unsupported` error seems to concern only the values of these parameters, so that the method may work
   * with others.
   */
  readonly ofValues: boolean;

  constructor(kind: RpcErrorKind, message: string, more: { data?: Hex | null; ofValues?: boolean } = {}) {
    super(message);
    this.name = "RpcError";
    this.kind = kind;
    this.data = more.data ?? null;
    this.ofValues = more.ofValues ?? false;
  }
}

const Envelope = z.object({
  result: z.unknown().optional(),
  error: z
    .object({ code: z.number(), message: z.string(), data: z.unknown() })
    .partial({ data: true })
    .nullish(),
});

const HEX = /^0x[0-9a-fA-F]*$/;
/**
 * Matches error messages about an unsupported method. It does not match "missing trie node … is not available", which
 * is about a block or its state.
 */
const UNSUPPORTED =
  /(?:\bmethod\b|\b(?:eth|debug|trace)_\w+).*(?:not found|not supported|unsupported|does not exist|not available)|unknown method|unsupported method/i;
/** Matches error messages about the number of parameters; other parameter errors concern their values. */
const TOO_MANY =
  /too many (?:arguments|param)|(?:number of|expected \d+|extra|unexpected) (?:arguments?|param)|want at most|tuple of/i;
const REVERTED = /revert|invalid opcode|out of gas|stack underflow/i;

/** Limits of one JSON-RPC request: a timeout of five seconds and a response of at most 2 MiB. */
const BOUNDS = { timeoutMs: 5_000, maxBytes: 2 * 1024 * 1024 } as const;
/** Limits (one second, 64 KiB) of the trivial request that checks whether a node responds at all. */
export const checkBounds: FetchBounds = { timeoutMs: 1_000, maxBytes: 64 * 1024 };

/**
 * Sends one JSON-RPC request to one node, without retries, and returns its result, which may be null. Throws RpcError
 * for a JSON-RPC error, and OutsideError if the node gives no usable response within `bounds` (default: five seconds
 * and 2 MiB).
 */
export async function callNode(
  fetch: Fetch,
  request: { url: string; method: string; params: readonly unknown[]; bounds?: FetchBounds },
): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: request.method, params: request.params });
  const init = { method: "POST", headers: { "content-type": "application/json" }, body };
  const response = await boundedFetch(fetch, { url: request.url, init, bounds: request.bounds ?? BOUNDS });
  const envelope = parseEnvelope(response.text);
  if (envelope?.error != null) throw toRpcError(envelope.error);
  if (response.status !== 200) {
    throw new OutsideError("status", `the node answered ${response.status}`, { status: response.status });
  }
  if (envelope === null || envelope.result === undefined) {
    throw new OutsideError("malformed", "the node's answer is not JSON-RPC");
  }
  return envelope.result;
}

function parseEnvelope(text: string): z.infer<typeof Envelope> | null {
  try {
    const parsed = Envelope.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

function toRpcError(error: { code: number; message: string; data?: unknown }): RpcError {
  const data = revertData(error.data);
  if (error.code === 3 || data !== null || REVERTED.test(error.message))
    return new RpcError("revert", error.message, { data });
  const lacking = error.code === -32601 || UNSUPPORTED.test(error.message);
  if (lacking || error.code === -32602) {
    const ofValues = !lacking && !TOO_MANY.test(error.message);
    return new RpcError("unsupported", error.message, { ofValues });
  }
  return new RpcError("node", `${error.code}: ${error.message}`);
}

/** Returns the revert data of an error, which nodes put in `data` or in `data.data`, or null if there is none. */
function revertData(data: unknown): Hex | null {
  if (typeof data === "string" && HEX.test(data)) return data as Hex;
  if (typeof data === "object" && data !== null && "data" in data) return revertData(data.data);
  return null;
}
