import type { Hash } from "viem";
import type { WalletSource } from "../client-wallet-steps.ts";
import type { Step } from "../operations/read-operations.ts";
import type { HandedSteps, StepStorage } from "./execution-storage.ts";

/**
 * State of an order (a deposit or a withdrawal) as the API returned it: the user's steps, and the recommended time in
 * milliseconds before the order is fetched again, which is absent in the response to a build.
 */
export interface OrderReading {
  /** Empty for steps of no tracked order: those of `claimDeposit`, `claimRequest` and `cancelRequest`. */
  trackingId: string;
  /** State of the order, such as `built` or `completed`. Absent in the response to a build. */
  state?: string;
  steps: readonly Step[];
  pollAfterMs?: number;
}

/**
 * Progress of executing the steps of a deposit or withdrawal, or of a claim or cancellation alone, as passed to
 * `onProgress`.
 */
export interface ExecutionProgress {
  /** As in `OrderReading`. */
  trackingId: string;
  /**
   * `wallet`: the wallet is asked for the step; `signed`: its message is signed; `sent`: the wallet was given its
   * transaction, now or by an earlier execution; `included`: that is in a block; `waiting`: for a bridge, a vault or a
   * block; `done`: no step is left.
   */
  phase: "wallet" | "sent" | "included" | "signed" | "waiting" | "done";
  /** The current step, or null when `phase` is `done`. */
  step: Step | null;
  /** Steps that are executed together: one step or a batch. All open steps while waiting; empty when done. */
  batch: readonly Step[];
  /**
   * Hash of the transaction in the phases `sent` and `included`. Null in the other phases and where it is unknown, as
   * for a batch without a receipt.
   */
  txHash: Hash | null;
  /** All steps of the order, as last known. */
  steps: readonly Step[];
}

/** Options of an execution. */
export interface ExecutionOptions {
  wallet: WalletSource;
  /** Called with each progress, and again after each reading while waiting. The callback must not throw. */
  onProgress?: ((progress: ExecutionProgress) => void) | undefined;
  /**
   * Aborts the execution with the error `aborted`. What was sent is not affected, and what the wallet shows can still
   * be confirmed there; until the wallet answers, a new execution may fail with `in_progress`.
   */
  signal?: AbortSignal | undefined;
  /** False to send every transaction separately, even if the wallet supports batches. Default: true. */
  batch?: boolean | undefined;
  /**
   * Where the client keeps which transactions of a deposit or withdrawal it has handed to the wallet (except approvals
   * alone), so that a later execution does not send them again. Calls that only claim or cancel keep none. Default: the
   * page's `localStorage`; without one, as in Node, the memory of the process.
   */
  storage?: StepStorage | undefined;
  /**
   * True to send again what earlier executions gave to the wallet and the API has not seen, as after `outcome_unknown`.
   * Only for a user who has seen in the wallet that it was not sent or failed: otherwise the order may be paid twice.
   */
  sendAgain?: boolean | undefined;
}

/** An order to execute: its steps at the start, and the API calls to read it, sign it and report its transactions. */
export interface Order<Reading extends OrderReading> {
  userAddress: string;
  /** The order at the start, usually the response to its build. */
  first: OrderReading;
  /**
   * What this and earlier executions handed to the wallet and the API has not seen. Null if the order can be sent twice
   * without harm.
   */
  handed: HandedSteps | null;
  read(): Promise<Reading>;
  /** Submits a signature of the user and returns the order with the transaction that it enables. */
  submit(signature: string): Promise<OrderReading>;
  /** Reports a transaction, so that the API finds it sooner. A failed report changes nothing. */
  report(step: Pick<Step, "stepId" | "purpose">, txHash: Hash): Promise<unknown>;
}
