import { setTimeout as sleep } from "node:timers/promises";
import type { Fault } from "./control.ts";
import { driftTransform } from "./drift.ts";

/** Response of an emulated service; JSON unless its headers say otherwise. */
export interface EmulatorAnswer {
  status: number;
  headers?: Record<string, string>;
  body: string;
}

/**
 * How a response is sent. `send`: whole. `cut`: half of the body, then the connection is closed. `hang`: nothing; the
 * connection is closed after `resetAfterMs` milliseconds, or never if that is 0.
 */
export type Delivery =
  | { kind: "send"; answer: EmulatorAnswer }
  | { kind: "cut"; answer: EmulatorAnswer }
  | { kind: "hang"; resetAfterMs: number };

/** Transforms a parsed JSON response for `drift` or `hostile`. */
export type TransformAnswer = (json: unknown) => unknown;

const WEB_PAGE = `<!doctype html><html><head><title>Just a moment...</title></head>
<body><h1>Checking your browser before you proceed</h1></body></html>`;

/** Builds a service's error response in its own shape. */
export type FaultAnswer = (status: number, retryAfterSeconds: number) => EmulatorAnswer;

/** Applies one fault and returns how to respond. `produce` runs the service; a `timeout` and a `status` skip it. */
export async function applyFault(
  fault: Fault,
  service: {
    produce: () => Promise<EmulatorAnswer>;
    drift: TransformAnswer;
    hostile: TransformAnswer;
    refuse: FaultAnswer;
  },
): Promise<Delivery> {
  if (fault.kind === "timeout") return { kind: "hang", resetAfterMs: fault.ms };
  if (fault.ms > 0) await sleep(fault.ms);
  if (fault.kind === "status") return refused(fault, service.refuse);
  const answer = await service.produce();
  switch (fault.kind) {
    case "latency":
      return { kind: "send", answer };
    case "truncate":
      return { kind: "cut", answer };
    case "malformed":
      return { kind: "send", answer: { ...answer, status: 200, body: `${half(answer.body)}}{` } };
    case "html": {
      const headers = { "content-type": "text/html; charset=utf-8" };
      return { kind: "send", answer: { status: fault.status ?? 200, headers, body: WEB_PAGE } };
    }
    case "drift":
      return {
        kind: "send",
        answer: spoil(answer, driftTransform(fault.change ?? "names") ?? service.drift),
      };
    case "hostile":
      return { kind: "send", answer: spoil(answer, service.hostile) };
  }
}

const half = (text: string): string => text.slice(0, Math.ceil(text.length / 2));

function refused({ status = 500, retry_after: retryAfter = 1 }: Fault, refuse: FaultAnswer): Delivery {
  return { kind: "send", answer: refuse(status, retryAfter) };
}

/** The default error response, with `retry-after` for 429 and 503. */
export function refuseStatus(status: number, retryAfterSeconds: number): EmulatorAnswer {
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (status === 429 || status === 503) headers["retry-after"] = `${retryAfterSeconds}`;
  const message = `injected fault: status ${status}`;
  return { status, headers, body: JSON.stringify({ error: message, message }) };
}

function spoil(answer: EmulatorAnswer, change: TransformAnswer): EmulatorAnswer {
  try {
    const json: unknown = JSON.parse(answer.body);
    const changed = change(json);
    // Text that is not changed keeps the digits of its numbers.
    return changed === json ? answer : { ...answer, body: JSON.stringify(changed) };
  } catch {
    return answer;
  }
}

/**
 * The default drift, as after a new version of the service: appends `_v2` to the names of an object's own fields, not of
 * nested ones. An array is changed element by element; any other value becomes `{ value }`.
 */
export function renameFields(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(renameFields);
  if (json === null || typeof json !== "object") return { value: json };
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [`${key}_v2`, value]));
}

/** Address of the attacker in falsified responses. */
export const ATTACKER = "0xBaDBaDBaDbADbAdbAdBADbADBaDbaDbaDBadbaD0";

/** The default falsification: every address becomes the attacker's. */
export function replaceAddresses(json: unknown): unknown {
  if (typeof json === "string") return json.replace(/\b0x[0-9a-fA-F]{40}\b/g, ATTACKER);
  if (Array.isArray(json)) return json.map(replaceAddresses);
  if (json === null || typeof json !== "object") return json;
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, replaceAddresses(value)]));
}
