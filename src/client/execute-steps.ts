import type { Hash } from "viem";
import type { Step } from "./actions/read-actions.ts";
import type { CausewayClient } from "./causeway-client.ts";
import { CausewayError } from "./causeway-client-error.ts";
import {
  canBatch,
  sendBatch,
  sendStep,
  signStep,
  type TransactionStep,
  type WalletSource,
  walletOn,
} from "./client-wallet-steps.ts";

/**
 * State of an order (a deposit or a withdrawal) as the API returned it: the user's steps, and the recommended time in
 * milliseconds before the order is fetched again.
 */
export interface OrderReading {
  trackingId: string;
  /** State of the order, such as `built` or `completed`. Absent in the response to a build. */
  state?: string;
  steps: readonly Step[];
  pollAfterMs?: number;
}

/** Progress of an execution, reported at each change of a step. */
export interface ExecutionProgress {
  trackingId: string;
  /**
   * `wallet`: the wallet shows the step; `sent`: its transaction is sent; `included`: its transaction is in a block;
   * `signed`: its message is signed; `waiting`: for a bridge, a vault or confirmations; `done`: no step is left.
   */
  phase: "wallet" | "sent" | "included" | "signed" | "waiting" | "done";
  /** The current step, or null when `phase` is `done`. */
  step: Step | null;
  /** Steps that are executed together: one step or a batch. All open steps while waiting; empty when done. */
  batch: readonly Step[];
  /** Hash of the transaction in the phases `sent` and `included`, otherwise null. */
  txHash: Hash | null;
  /** All steps of the order, as the API last returned them. */
  steps: readonly Step[];
}

/** Options of an execution. */
export interface ExecutionOptions {
  wallet: WalletSource;
  /** Called at every change. The callback must not throw. */
  onProgress?: ((progress: ExecutionProgress) => void) | undefined;
  /**
   * Aborts the execution with the error `aborted`. Transactions that were already sent are not affected; the order can
   * be continued from its tracking id.
   */
  signal?: AbortSignal | undefined;
  /** False to send every transaction separately, even if the wallet supports batches. */
  batch?: boolean | undefined;
}

/** An order to execute: its steps at the start, and the API calls to read it, sign it and report its transactions. */
export interface Order<Reading extends OrderReading> {
  userAddress: string;
  /** The order at the start, usually the response to its build. */
  first: OrderReading;
  read(): Promise<Reading>;
  /** Submits a signature of the user and returns the order with the transaction that it enables. */
  submit(signature: string): Promise<OrderReading>;
  /** Reports a transaction, so that the API finds it sooner. A failed report changes nothing. */
  report(step: Pick<Step, "stepId" | "purpose">, txHash: Hash): Promise<unknown>;
}

/** Returns an order that reports its transactions, except approvals, to the API and submits the user's signatures. */
export function trackedOrder<Reading extends OrderReading>(
  client: CausewayClient,
  of: Pick<Order<Reading>, "userAddress" | "first" | "read"> & {
    kind: "deposits" | "withdrawals";
    signal: AbortSignal | undefined;
  },
): Order<Reading> {
  const { kind, signal, ...order } = of;
  const path = `/v1/${kind}/${order.first.trackingId}`;
  return {
    ...order,
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
 * Executes the steps of an order that the API does not track, such as the claim of a request that was made elsewhere.
 * Returns the order when all steps are done. `submit` is needed only if one of them is a signature. Throws
 * CausewayError like `walkSteps`, and `wallet_failed` for a signature without `submit`.
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
  const order = { ...of, read, submit, report: async () => undefined };
  return walkSteps(order, { ...options, onProgress });
}

/**
 * Cancels a signed order before it is submitted, like `cancelDeposit`. Returns when the transaction is included in a
 * block. Throws CausewayError: `deposit_state` or `withdrawal_state` if there is nothing to cancel, or an error of the
 * API or of the wallet.
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

/** Default polling interval in milliseconds. */
const POLL_MS = 3_000;

/**
 * Executes the steps of an order: performs the first required step, fetches the order again, and repeats this until no
 * step is required or waiting. Returns the order's last state. Sends no step twice. Temporary failures of the API while
 * fetching are retried. Throws CausewayError: `aborted`, and errors of the wallet and of the API.
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
      await pause(reading.pollAfterMs ?? POLL_MS, signal);
    } else if (reading !== order.first) {
      walk.emit({ phase: "done", step: null, batch: [], txHash: null, steps: reading.steps });
      return reading as Reading;
    }
    reading = walk.withSignatures(walk.takeAnswer() ?? (await readPatiently(order.read, signal)));
  }
}

type ProgressEvent = Omit<ExecutionProgress, "trackingId">;

/** One execution of an order's steps, with the steps that are already done. */
class StepWalk<Reading extends OrderReading> {
  readonly #order: Order<Reading>;
  readonly #options: ExecutionOptions;
  readonly #done = new Set<string>();
  #batch: boolean;
  #answer: OrderReading | null = null;

  constructor(order: Order<Reading>, options: ExecutionOptions) {
    this.#order = order;
    this.#options = options;
    this.#batch = options.batch ?? true;
  }

  did(step: Step): boolean {
    return this.#done.has(keyOf(step));
  }

  /**
   * Marks signatures that were made in this execution as done. The API does not store signatures, so it returns them as
   * required until the order is on-chain.
   */
  withSignatures<Shown extends OrderReading>(reading: Shown): Shown {
    const show = (step: Step): Step =>
      step.kind === "signature" && this.did(step) ? { ...step, state: "done" } : step;
    return { ...reading, steps: reading.steps.map(show) };
  }

  emit(event: ProgressEvent): void {
    this.#options.onProgress?.({ trackingId: this.#order.first.trackingId, ...event });
  }

  /** Returns and clears the response to the last submitted signature. Null if there is none. */
  takeAnswer(): OrderReading | null {
    const answer = this.#answer;
    this.#answer = null;
    return answer;
  }

  async perform(step: Step, { steps }: OrderReading): Promise<void> {
    const wallet = await walletOn(this.#options.wallet, step.chainId);
    const user = this.#order.userAddress;
    if (step.kind === "signature") {
      this.emit({ phase: "wallet", step, batch: [step], txHash: null, steps });
      const signature = await signStep(wallet, { step, user });
      this.emit({ phase: "signed", step, batch: [step], txHash: null, steps });
      this.#answer = await this.#order.submit(signature);
      // The API shows the signature as required until it has seen the order.
      this.#done.add(keyOf(step));
      return;
    }
    const together = this.#batch ? batchFrom(step, steps) : [step];
    if (together.length > 1 && (await canBatch(wallet, { user, chainId: step.chainId }))) {
      this.emit({ phase: "wallet", step, batch: together, txHash: null, steps });
      const txHash = await sendBatch(wallet, { steps: together, user });
      if (txHash !== null) return this.#finish({ together, txHash, steps });
      this.#batch = false;
    }
    this.emit({ phase: "wallet", step, batch: [step], txHash: null, steps });
    const { hash, included } = await sendStep(wallet, { step, user });
    this.#done.add(keyOf(step));
    this.emit({ phase: "sent", step, batch: [step], txHash: hash, steps });
    await this.#report(step, hash);
    const txHash = await included();
    if (txHash !== hash) await this.#report(step, txHash);
    this.#finished({ together: [step], txHash, steps });
  }

  async #finish(sent: { together: readonly TransactionStep[]; txHash: Hash; steps: readonly Step[] }) {
    const last = sent.together.at(-1);
    if (last !== undefined) await this.#report(last, sent.txHash);
    this.#finished(sent);
  }

  #finished({
    together,
    txHash,
    steps,
  }: {
    together: readonly Step[];
    txHash: Hash;
    steps: readonly Step[];
  }) {
    for (const step of together) this.#done.add(keyOf(step));
    this.emit({ phase: "included", step: together.at(-1) ?? null, batch: together, txHash, steps });
  }

  async #report(step: Step, txHash: Hash): Promise<void> {
    await this.#order.report(step, txHash).catch(() => undefined);
  }
}

/** Unique key of a step: a signature and the transaction that it enables may have the same id. */
const keyOf = ({ kind, stepId }: Step): string => `${kind} ${stepId}`;

/** Returns the step name under which the API accepts the report of a transaction. */
function reportedAs(kind: "deposits" | "withdrawals", step: Pick<Step, "stepId" | "purpose">): string {
  if (kind === "withdrawals" || step.purpose === "claim" || step.purpose === "cancel") return step.purpose;
  return step.stepId.startsWith("source.") ? "source" : "deposit";
}

/**
 * Returns the required transactions that fit into one batch with `step`: those that follow it directly, on the same
 * chain.
 */
function batchFrom(step: TransactionStep, steps: readonly Step[]): TransactionStep[] {
  const batch: TransactionStep[] = [];
  for (const other of steps.slice(steps.indexOf(step))) {
    const joins =
      other.kind === "transaction" && other.state === "required" && other.chainId === step.chainId;
    if (!joins || other.transactionRequest === null) break;
    batch.push(other);
  }
  return batch;
}

/**
 * Calls `read` until the API responds. Network errors, rate limits and server errors are retried, because sent
 * transactions proceed without the client; other errors propagate.
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
      await pause(POLL_MS, signal);
    }
  }
}

/**
 * Polls an order until no step is required or waiting, and calls `onChange` with the first result and every changed
 * one. Returns the last result. Temporary failures of the API are retried; other errors propagate. Throws `aborted`.
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
    await pause(reading.pollAfterMs ?? POLL_MS, signal);
  }
}

/** Waits for `ms` milliseconds. Throws `aborted` when the signal aborts. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(new CausewayError("aborted", "the caller stopped waiting"));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal?.aborted === true) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}
