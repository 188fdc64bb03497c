import type { Hash } from "viem";
import { CausewayError } from "../causeway-client-error.ts";
import { batchOutcome, canBatch, sendBatch } from "../client-wallet-batches.ts";
import {
  accountOf,
  receiptOf,
  requireAllowance,
  sendStep,
  signStep,
  type TransactionStep,
  type Wallet,
  walletOn,
} from "../client-wallet-steps.ts";
import type { Step } from "../operations/read-operations.ts";
import type { ExecutionOptions, ExecutionProgress, Order, OrderReading } from "./execution-options.ts";
import type { HandedStep } from "./execution-storage.ts";
import { untilAborted } from "./execution-waits.ts";

type ProgressEvent = Omit<ExecutionProgress, "trackingId">;

/** Steps that are sent together, and all steps of the order. */
interface Sending {
  together: readonly TransactionStep[];
  steps: readonly Step[];
}

/** One execution of an order's steps, with the steps that are already done. */
export class StepWalk<Reading extends OrderReading> {
  readonly #order: Order<Reading>;
  readonly #options: ExecutionOptions;
  readonly #done = new Set<string>();
  #batch: boolean;
  #answer: OrderReading | null = null;

  constructor(order: Order<Reading>, options: ExecutionOptions) {
    this.#order = order;
    this.#options = options;
    this.#batch = options.batch ?? true;
    if (options.sendAgain === true) order.handed?.retain(() => false);
  }

  /**
   * Returns true if the step was performed in this execution, or is the reset before an approval that was: the API asks
   * for a reset as soon as something is approved, and must not take back what the user has just given.
   */
  did(step: Step): boolean {
    return this.#done.has(keyOf(step)) || this.#done.has(keyOf(step).replace(/\.approve_reset$/, ".approve"));
  }

  /**
   * Forgets that a claim was performed once the API shows its transaction: a vault may pay a request in parts, and the
   * step is then required again for the next part.
   */
  notePaidParts(steps: readonly Step[]): void {
    for (const step of steps) {
      if (step.purpose !== "claim" || step.txHash === null) continue;
      this.#done.delete(keyOf(step));
      this.#order.handed?.drop(keyOf(step));
    }
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

  /** Reports progress to the caller, unless the caller has stopped waiting. */
  emit(event: ProgressEvent): void {
    if (this.#options.signal?.aborted === true) return;
    this.#options.onProgress?.({ trackingId: this.#order.first.trackingId, ...event });
  }

  /** Returns and clears the response to the last submitted signature. Null if there is none. */
  takeAnswer(): OrderReading | null {
    const answer = this.#answer;
    this.#answer = null;
    return answer;
  }

  /** Reports the end of the order, and forgets what the API has seen of it. */
  end(steps: readonly Step[]): void {
    this.#leftBehind(steps);
    this.emit({ phase: "done", step: null, batch: [], txHash: null, steps });
  }

  /**
   * Performs a step, with those that fit into one batch with it if the wallet takes batches, or waits for what the
   * wallet was handed before and the API has not seen. Throws CausewayError; errors of a wallet function propagate.
   */
  async perform(step: Step, { steps }: OrderReading): Promise<void> {
    const left = this.#leftBehind(steps);
    if (left !== undefined) return this.#resume(left, steps);
    const wallet = await walletOn(this.#options.wallet, step.chainId);
    if (step.kind === "signature") return this.#sign(wallet, { step, steps });
    const user = this.#order.userAddress;
    const { signal } = this.#options;
    for (const approval of steps.filter((one) => this.#isDoubtful(one, step)))
      await requireAllowance(wallet, { approval, owner: user, signal });
    const together = this.#batch ? batchFrom(step, steps) : [step];
    if (together.length > 1 && (await canBatch(wallet, { user, chainId: step.chainId }))) {
      if (await this.#sendBatch(wallet, { together, steps })) return;
      this.#batch = false;
    }
    await this.#sendStep(wallet, { step, steps });
  }

  /** Returns true for an approval that was sent for the step's chain and that the API still asks for. */
  #isDoubtful(approval: Step, { chainId }: Step): boolean {
    const { purpose, state } = approval;
    return (
      purpose === "approve" && state === "required" && approval.chainId === chainId && this.did(approval)
    );
  }

  /** Returns what was handed to the wallet, is not done in this execution, and has not been seen by the API. */
  #leftBehind(steps: readonly Step[]): HandedStep | undefined {
    const open = new Set(steps.filter(isUnseen).map(keyOf));
    const { handed } = this.#order;
    handed?.retain((key) => open.has(key));
    return handed?.list().find(({ keys }) => keys.some((key) => open.has(key) && !this.#done.has(key)));
  }

  async #resume(left: HandedStep, steps: readonly Step[]): Promise<void> {
    const together = steps.filter(isTransaction).filter((step) => left.keys.includes(keyOf(step)));
    const step = together.at(-1);
    if (step === undefined) return;
    const wallet = await walletOn(this.#options.wallet, step.chainId);
    await accountOf(wallet, this.#order.userAddress);
    this.emit({ phase: "sent", step, batch: together, txHash: left.txHash, steps });
    if (left.txHash !== null) await this.#report(step, left.txHash);
    await this.#settle(wallet, { left, sentBefore: true, together, steps });
  }

  async #sign(
    wallet: Wallet,
    { step, steps }: { step: Extract<Step, { kind: "signature" }>; steps: readonly Step[] },
  ): Promise<void> {
    this.emit({ phase: "wallet", step, batch: [step], txHash: null, steps });
    const signature = await signStep(wallet, { step, user: this.#order.userAddress });
    this.emit({ phase: "signed", step, batch: [step], txHash: null, steps });
    this.#answer = await this.#order.submit(signature);
    // The API shows the signature as required until it has seen the order.
    this.#done.add(keyOf(step));
  }

  /** Sends steps as one batch and waits for it. Returns false if the wallet refuses batches and sent nothing. */
  async #sendBatch(wallet: Wallet, { together, steps }: Sending): Promise<boolean> {
    const step = together[0] ?? null;
    this.emit({ phase: "wallet", step, batch: together, txHash: null, steps });
    const left: HandedStep = { keys: together.map(keyOf), batchId: null, txHash: null };
    const again = this.#options.sendAgain === true || this.#order.handed === null;
    const name = `${this.#order.first.trackingId} ${left.keys.join()} ${again ? crypto.randomUUID() : ""}`;
    const keep = (batchId: string) => this.#keep({ ...left, batchId }, together);
    const user = this.#order.userAddress;
    const batchId = await this.#handOver(left, () =>
      sendBatch(wallet, { steps: together, user, name, keep }),
    );
    if (batchId === null) {
      this.#order.handed?.drop(left.keys[0]);
      return false;
    }
    keep(batchId);
    this.emit({ phase: "sent", step, batch: together, txHash: null, steps });
    await this.#settle(wallet, { left: { ...left, batchId }, sentBefore: false, together, steps });
    return true;
  }

  async #sendStep(
    wallet: Wallet,
    { step, steps }: { step: TransactionStep; steps: readonly Step[] },
  ): Promise<void> {
    this.emit({ phase: "wallet", step, batch: [step], txHash: null, steps });
    const left: HandedStep = { keys: [keyOf(step)], batchId: null, txHash: null };
    this.#keep(left, [step]);
    const user = this.#order.userAddress;
    const txHash = await this.#handOver(left, () => sendStep(wallet, { step, user }));
    this.#keep({ ...left, txHash }, [step]);
    this.#done.add(keyOf(step));
    this.emit({ phase: "sent", step, batch: [step], txHash, steps });
    await this.#report(step, txHash);
    const sent = { left: { ...left, txHash }, sentBefore: false, together: [step], steps };
    await this.#settle(wallet, sent);
  }

  /** Keeps what is handed to the wallet. Approvals are not kept: they may be given twice. */
  #keep(left: HandedStep, together: readonly Step[]): void {
    if (together.some((step) => !isApproval(step))) this.#order.handed?.keep(left);
  }

  /**
   * Returns the result of `work`. Forgets the handed steps if its error proves that they had no effect. An unknown
   * outcome of steps that are not kept becomes `wallet_failed`, as they may be sent again.
   */
  async #handOver<T>(left: HandedStep, work: () => Promise<T>): Promise<T> {
    const { handed } = this.#order;
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof CausewayError)) throw error;
      if (error.code !== "outcome_unknown") handed?.drop(left.keys[0]);
      else if (handed?.list().some(({ keys }) => keys[0] === left.keys[0]) !== true)
        throw new CausewayError("wallet_failed", error.message, { cause: error });
      throw error;
    }
  }

  /** Waits until what the wallet has sent is in a block, and marks the steps as done. */
  async #settle(
    wallet: Wallet,
    { left, sentBefore, together, steps }: Sending & { left: HandedStep; sentBefore: boolean },
  ): Promise<void> {
    const user = this.#order.userAddress;
    const to = together.at(-1)?.transactionRequest?.to ?? null;
    const outcome = this.#handOver(left, () => outcomeOf(wallet, { left, sentBefore, user, to }));
    const txHash = await untilAborted(outcome, this.#options.signal);
    const step = together.at(-1);
    if (step !== undefined && txHash !== null && txHash !== left.txHash) await this.#report(step, txHash);
    for (const done of together) this.#done.add(keyOf(done));
    this.emit({ phase: "included", step: step ?? null, batch: together, txHash, steps });
  }

  async #report(step: Step, txHash: Hash): Promise<void> {
    await this.#order.report(step, txHash).catch(() => undefined);
  }
}

/**
 * Waits for what was handed to the wallet and returns the hash of its last transaction, or null for a batch without a
 * receipt. Throws CausewayError, `outcome_unknown` if neither hash nor batch id is known.
 */
async function outcomeOf(
  wallet: Wallet,
  { left, ...of }: { left: HandedStep; sentBefore: boolean; user: string; to: string | null },
): Promise<Hash | null> {
  if (left.txHash !== null) return receiptOf(wallet, { hash: left.txHash, ...of });
  if (left.batchId !== null) return batchOutcome(wallet, left.batchId);
  throw new CausewayError("outcome_unknown", "the wallet received this before, and its response was lost");
}

/** Unique key of a step: a signature and the transaction that it enables may have the same id. */
const keyOf = ({ kind, stepId }: Step): string => `${kind} ${stepId}`;

const isTransaction = (step: Step): step is TransactionStep => step.kind === "transaction";

const isApproval = ({ purpose }: Step): boolean => purpose === "approve" || purpose === "approve_reset";

/** Returns true while the API has seen no transaction of an open step. */
const isUnseen = ({ state, txHash }: Step): boolean =>
  txHash === null && (state === "required" || state === "waiting");

/**
 * Returns the required transactions that fit into one batch: `step` and those that follow it directly on the same chain
 * and are built already.
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
