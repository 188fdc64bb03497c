import { z } from "zod";

/**
 * What an emulator can be told to do wrong.
 * `latency` answers after `ms`; `status` refuses with `status` (500) before the service does anything;
 * `timeout` never answers (with `ms`, the connection is reset after that long). The others let the service
 * do its work and spoil the answer: `malformed` is no JSON, `truncate` breaks the connection half way
 * through the body, `html` is a web page (with `status`, else 200), `drift` is the service after an
 * unannounced change of its fields (`change` says which; their names, when absent), `hostile` is the right shape with an attacker's values.
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
export type Change = (typeof changes)[number];

const Fault = z.strictObject({
  /** Text that the path or the body contains; empty matches every request. */
  match: z.string().default(""),
  kind: z.enum(faultKinds),
  /** What a `drift` changes. */
  change: z.enum(changes).optional(),
  status: z.int().min(200).max(599).optional(),
  /** Seconds after which a 429 or 503 says to come back; 1 when absent. */
  retry_after: z.int().min(1).max(7_200).optional(),
  /** Milliseconds to wait before acting. */
  ms: z.int().min(0).max(600_000).default(0),
  /** Requests to spoil; null until cleared. */
  count: z.int().min(1).nullable().default(null),
});
export type Fault = z.infer<typeof Fault>;

/**
 * `deliver`, after `delay_ms`; `underdeliver` lets `underdeliver` units and `underdeliver_bps` of the amount go
 * missing on the way to the recipient; `fail_destination` makes a deposit by the DepositRouter at the end fail;
 * `expire` gives the transfer up and holds the refund back; `refund` pays it back; `stall` does nothing.
 */
const relayerModes = ["deliver", "underdeliver", "fail_destination", "refund", "stall", "expire"] as const;
export type RelayerMode = (typeof relayerModes)[number];

/** How the bridge's relayer treats the transfers that were started through this service. */
const Relayer = z.strictObject({
  delay_ms: z.int().min(0).max(600_000).default(0),
  mode: z.enum(relayerModes).default("deliver"),
  /** Smallest units of the token that go missing. */
  underdeliver: z.string().regex(/^\d+$/, "a decimal amount").default("0"),
  underdeliver_bps: z.int().min(0).max(10_000).default(0),
});
export type Relayer = z.infer<typeof Relayer>;

/**
 * Ways of the real service that are not certain and may be switched on. LI.FI: `declare_delivered` makes calls
 * at the end declare all that is quoted to arrive instead of what was asked for; `relay_order` has every quote pay
 * for an order that Relay keeps off chain, whatever bridge was asked for.
 */
const quirks = ["declare_delivered", "relay_order"] as const;
export type Quirk = (typeof quirks)[number];

const ControlBody = z.strictObject({
  faults: z.array(Fault).optional(),
  relayer: Relayer.optional(),
  quirks: z.array(z.enum(quirks)).optional(),
});

/** One emulator's instructions, as `/__control` shows them. */
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

  /** Replaces the members that the body names. Returns what is wrong with it, or null. */
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

  /** The first fault that fits the request, counted; `body` is read only when a fault asks for it. */
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
