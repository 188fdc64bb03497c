import type { CausewayClient } from "../causeway-client.ts";
import { CausewayError } from "../causeway-client-error.ts";
import type { Step } from "../operations/read-operations.ts";
import type { ExecutionOptions, ExecutionProgress, Order, OrderReading } from "./execution-options.ts";
import { openHandedSteps } from "./execution-storage.ts";
import { pause } from "./execution-waits.ts";
import { StepWalk } from "./execution-walk.ts";

/** Returns an order that reports its transactions, except approvals, to the API and submits the user's signatures. */
export function trackedOrder<Reading extends OrderReading>(
  client: CausewayClient,
  of: Pick<Order<Reading>, "userAddress" | "first" | "read"> & {
    kind: "deposits" | "withdrawals";
    options: ExecutionOptions;
  },
): Order<Reading> {
  const { kind, options, ...order } = of;
  const { signal, storage } = options;
  const path = `/v1/${kind}/${order.first.trackingId}`;
  return {
    ...order,
    handed: openHandedSteps(order.first.trackingId, storage),
    async submit(signature) {
      const request = { method: "POST", path: `${path}/authorize`, body: { signature }, signal } as const;
      return (await client.request(request)) as OrderReading;
    },
    async report({ stepId, purpose }, txHash) {
      if (purpose === "approve" || purpose === "approve_reset") return;
      const body = { tx_hash: txHash, step: reportedAs(kind, { stepId, purpose }) };
      await client.request({ method: "PATCH", path: `${path}/tx`, body });
    },
  };
}

/**
 * Executes steps that the API does not track, such as a claim, and returns them with their last states. They must pay
 * nothing, because a second execution can send them again. No step may be `waiting` unless the response to a signature
 * (`submit`) replaces it: otherwise this never ends. Throws CausewayError; errors of a wallet function propagate.
 */
export async function walkBuiltSteps(
  of: Pick<Order<OrderReading>, "userAddress" | "first"> & Partial<Pick<Order<OrderReading>, "submit">>,
  options: ExecutionOptions,
): Promise<OrderReading> {
  const done = new Set<string>();
  let current = of.first;
  const onProgress = (progress: ExecutionProgress) => {
    if (progress.phase === "included") for (const { stepId } of progress.batch) done.add(stepId);
    options.onProgress?.(progress);
  };
  const read = async () => ({
    ...current,
    steps: current.steps.map((step): Step => (done.has(step.stepId) ? { ...step, state: "done" } : step)),
  });
  const submit = async (signature: string) => {
    if (of.submit === undefined) throw new CausewayError("wallet_failed", "these steps need no signature");
    current = await of.submit(signature);
    return current;
  };
  const order = { ...of, handed: null, read, submit, report: async () => undefined };
  return walkSteps(order, { ...options, onProgress });
}

/**
 * Cancels a signed order before it is submitted, by a transaction (for ERC-3009 after a signature). Returns when that
 * is in a block. Throws CausewayError; errors of a wallet function propagate.
 */
export async function cancelSignedOrder(
  client: CausewayClient,
  of: {
    kind: "deposits" | "withdrawals";
    trackingId: string;
    userAddress: string;
    options: ExecutionOptions;
  },
): Promise<void> {
  const { kind, trackingId, userAddress, options } = of;
  const { signal } = options;
  const path = `/v1/${kind}/${encodeURIComponent(trackingId)}/cancel`;
  const submit = async (signature?: string) =>
    (await client.request({ method: "POST", path, body: { signature }, signal })) as OrderReading;
  await walkBuiltSteps({ userAddress, first: await submit(), submit }, options);
}

/** Default and maximum polling interval in milliseconds. */
const POLL_MS = 3_000;
const MAX_POLL_MS = 60_000;

/** Returns the time until the next reading in milliseconds: what the API recommends, if that is usable. */
const pollAfter = (recommended: unknown): number =>
  typeof recommended === "number" && recommended > 0 ? Math.min(recommended, MAX_POLL_MS) : POLL_MS;

/**
 * Executes an order's steps until none is required or waiting, and returns the order in its last state, which may be a
 * failed one. What an earlier execution gave to the wallet (`order.handed`) is not sent again, unless it failed or
 * `sendAgain` is set. Reads that fail temporarily are repeated without limit. Throws CausewayError; errors of a wallet
 * function propagate.
 */
export async function walkSteps<Reading extends OrderReading>(
  order: Order<Reading>,
  options: ExecutionOptions,
): Promise<Reading> {
  const walk = new StepWalk(order, options);
  let reading: OrderReading | Reading = order.first;
  for (;;) {
    const { signal } = options;
    if (signal?.aborted === true) throw new CausewayError("aborted", "the caller stopped waiting");
    const open = reading.steps.filter(({ state }) => state === "required" || state === "waiting");
    const next = open.find((step) => step.state === "required" && !walk.did(step));
    if (next !== undefined) await walk.perform(next, reading);
    else if (open.length > 0) {
      walk.emit({ phase: "waiting", step: open[0] ?? null, batch: open, txHash: null, steps: reading.steps });
      await pause(pollAfter(reading.pollAfterMs), signal);
    } else if (reading !== order.first) {
      walk.end(reading.steps);
      return reading as Reading;
    }
    reading = walk.withSignatures(walk.takeAnswer() ?? (await readPatiently(order.read, signal)));
    walk.notePaidParts(reading.steps);
  }
}

/** Returns the step name under which the API accepts the report of a transaction. */
function reportedAs(kind: "deposits" | "withdrawals", step: Pick<Step, "stepId" | "purpose">): string {
  if (kind === "withdrawals" || step.purpose === "claim" || step.purpose === "cancel") return step.purpose;
  return step.stepId.startsWith("source.") ? "source" : "deposit";
}

/**
 * Calls `read` until the API responds: network errors, rate limits and server errors are retried, because sent
 * transactions proceed without the client. Other errors propagate.
 */
async function readPatiently<T>(read: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      const outage =
        error instanceof CausewayError &&
        (error.code === "network" || error.code === "rate_limited" || (error.status ?? 0) >= 500);
      if (!outage) throw error;
      const asked = Number(error.members["retry_after"]) * 1_000;
      await pause(Math.max(POLL_MS, pollAfter(asked)), signal);
    }
  }
}

/**
 * Polls an order until no step is required or waiting, calls `onChange` at first and when `updatedAt`, its state or
 * that of a step has changed, and returns the last result. Temporary failures of the API are retried; other errors
 * propagate. Throws `aborted`.
 */
export async function watchOrder<Reading extends OrderReading & { updatedAt: string }>(of: {
  read: () => Promise<Reading>;
  onChange: ((reading: Reading) => void) | undefined;
  signal: AbortSignal | undefined;
}): Promise<Reading> {
  const { read, onChange, signal } = of;
  let seen = "";
  for (;;) {
    const reading = await readPatiently(read, signal);
    const { updatedAt, state, steps } = reading;
    const version = [updatedAt, state, ...steps.map((step) => step.state)].join();
    if (version !== seen) onChange?.(reading);
    seen = version;
    if (!steps.some((step) => step.state === "required" || step.state === "waiting")) return reading;
    await pause(pollAfter(reading.pollAfterMs), signal);
  }
}
