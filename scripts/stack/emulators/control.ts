import { z } from "zod";

/**
 * Kinds of faults.
 * `latency` responds after `ms`.
 * `status` responds with `status` (default 500) before the service does anything.
 * `timeout` never responds; with `ms`, the connection is reset after that time.
 * The others let the service do its work and change the response: `malformed` is not JSON, `truncate` closes the
 * connection half-way through the body, `html` is a web page (status 200 unless `status` is given), `drift` is an
 * unannounced change of fields (see `change`), `hostile` is well-formed with an attacker's values.
 */
export const faultKinds = [
  "latency",
  "status",
  "timeout",
  "malformed",
  "truncate",
  "html",
  "drift",
  "hostile",
] as const;

const changes = ["names", "missing", "null", "number_for_string", "string_for_number", "extra"] as const;
/** An unannounced change of an API, applied by a `drift` fault. */
export type Change = (typeof changes)[number];

const Fault = z.strictObject({
  /** Text that the path or the body must contain; empty matches every request. */
  match: z.string().default(""),
  kind: z.enum(faultKinds),
  /** The change of a `drift`; renamed fields when absent. */
  change: z.enum(changes).optional(),
  status: z.int().min(200).max(599).optional(),
  /** Seconds in `retry-after` of a 429 or 503; 1 when absent. */
  retry_after: z.int().min(1).max(7_200).optional(),
  /** Delay in milliseconds. */
  ms: z.int().min(0).max(600_000).default(0),
  /** Number of requests to affect; null until cleared. */
  count: z.int().min(1).nullable().default(null),
});
/** A fault to apply to matching requests. */
export type Fault = z.infer<typeof Fault>;

/**
 * Modes of the relayer. `deliver` fills after `delay_ms`. `underdeliver` delivers less by `underdeliver` units and
 * `underdeliver_bps` of the amount. `fail_destination` makes the DepositRouter's deposit on the destination chain
 * fail. `expire` lets the fill deadline pass, by the chains' clocks, and withholds the refund. `refund` pays it.
 * `stall` does nothing.
 */
const relayerModes = ["deliver", "underdeliver", "fail_destination", "refund", "stall", "expire"] as const;
/** A mode of the relayer. */
export type RelayerMode = (typeof relayerModes)[number];

/** Settings of the relayer for the transfers that were started through this service. */
const Relayer = z.strictObject({
  delay_ms: z.int().min(0).max(600_000).default(0),
  mode: z.enum(relayerModes).default("deliver"),
  /** Smallest units of the token that are not delivered. */
  underdeliver: z.string().regex(/^\d+$/, "a decimal amount").default("0"),
  underdeliver_bps: z.int().min(0).max(10_000).default(0),
});
/** Settings of the relayer for the transfers of one service; amounts in the token's smallest unit. */
export type Relayer = z.infer<typeof Relayer>;

/**
 * Optional behaviours of the real service. LI.FI: with `declare_delivered`, calls on the destination declare the
 * whole quoted output instead of the requested amount; with `relay_order`, every quote pays for an order that Relay
 * keeps off chain, whatever bridge was requested.
 */
const quirks = ["declare_delivered", "relay_order"] as const;
/** An optional behaviour of an emulated service. */
export type Quirk = (typeof quirks)[number];

const ControlBody = z.strictObject({
  faults: z.array(Fault).optional(),
  relayer: Relayer.optional(),
  quirks: z.array(z.enum(quirks)).optional(),
});

/** Settings of one emulator, as `/__control` shows them. */
export class Control {
  #faults: Fault[] = [];
  #relayer: Relayer = Relayer.parse({});
  #quirks: readonly Quirk[] = [];

  get quirks(): readonly Quirk[] {
    return this.#quirks;
  }

  get relayer(): Relayer {
    return this.#relayer;
  }

  /** Replaces the settings that the body names. Returns the problem of an invalid body, or null. */
  set(text: string): string | null {
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      return "the body is not JSON";
    }
    const parsed = ControlBody.safeParse(body);
    if (!parsed.success) return parsed.error.issues.map(describeIssue).join("; ");
    this.#faults = parsed.data.faults ?? this.#faults;
    this.#relayer = parsed.data.relayer ?? this.#relayer;
    this.#quirks = parsed.data.quirks ?? this.#quirks;
    return null;
  }

  clear(): void {
    this.#faults = [];
    this.#relayer = Relayer.parse({});
    this.#quirks = [];
  }

  show(): { faults: readonly Fault[]; relayer: Relayer; quirks?: readonly Quirk[] } {
    const shown = { faults: this.#faults, relayer: this.#relayer };
    return this.#quirks.length === 0 ? shown : { ...shown, quirks: this.#quirks };
  }

  /** Returns the first fault that matches the request and counts it; reads `body` only when a fault needs it. */
  take(path: string, body: () => string): Fault | null {
    const fault = this.#faults.find(({ match }) => path.includes(match) || body().includes(match));
    if (fault === undefined) return null;
    if (fault.count !== null) {
      fault.count -= 1;
      if (fault.count === 0) this.#faults = this.#faults.filter((other) => other !== fault);
    }
    return fault;
  }
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const place = issue.path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("");
  return place === "" ? issue.message : `${place.replace(/^\./, "")}: ${issue.message}`;
}
