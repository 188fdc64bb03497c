import { useCallback, useEffect, useRef, useState } from "react";
import { CausewayError } from "../../client/causeway-client-error.ts";
import type { ExecutionProgress } from "../../client/execution/execution-options.ts";
import { causeway } from "../api/console-client.ts";
import { walletSession } from "../wallet/wallet-session.ts";
import type { OrderKind } from "./order-words.ts";

/**
 * Execution of an order's steps by the user's wallet. `progress` is null before the first update and when nothing is
 * running. `error` is that of the last attempt, if it failed.
 */
export interface OrderWalk {
  running: boolean;
  progress: ExecutionProgress | null;
  error: CausewayError | null;
  start: () => void;
  /**
   * Like `start`, but sends again what an earlier attempt handed to the wallet and the API has not seen. Call it only
   * after the user has checked in the wallet that it was not sent.
   */
  sendAgain: () => void;
}

/**
 * Executes an order's steps with the user's wallet when `start` or `sendAgain` is called, which also stops an earlier
 * execution. `onChange` is called after every update and when the execution ends, unless it was stopped. Unmounting
 * stops it; another `trackingId` does not, so render the component with it as its key.
 */
export function useOrderWalk(of: { kind: OrderKind; trackingId: string; onChange: () => void }): OrderWalk {
  const { kind, trackingId, onChange } = of;
  const [state, setState] = useState<Omit<OrderWalk, "start" | "sendAgain">>({
    running: false,
    progress: null,
    error: null,
  });
  const stop = useRef<AbortController | null>(null);
  const changed = useRef(onChange);
  changed.current = onChange;
  useEffect(() => () => stop.current?.abort(), []);
  const run = useCallback(
    (sendAgain: boolean) => {
      stop.current?.abort();
      const controller = new AbortController();
      stop.current = controller;
      const { signal } = controller;
      setState({ running: true, progress: null, error: null });
      const onProgress = (progress: ExecutionProgress) => {
        if (signal.aborted) return;
        setState({ running: true, progress, error: null });
        changed.current();
      };
      const settle = (error: CausewayError | null) => {
        if (signal.aborted) return;
        setState({ running: false, progress: null, error });
        changed.current();
      };
      walk({ kind, trackingId, onProgress, signal, sendAgain }).then(
        () => settle(null),
        (error: unknown) => settle(asCausewayError(error)),
      );
    },
    [kind, trackingId],
  );
  const start = useCallback(() => run(false), [run]);
  const sendAgain = useCallback(() => run(true), [run]);
  return { ...state, start, sendAgain };
}

async function walk(of: {
  kind: OrderKind;
  trackingId: string;
  onProgress: (progress: ExecutionProgress) => void;
  signal: AbortSignal;
  sendAgain: boolean;
}): Promise<void> {
  const { kind, ...options } = of;
  const [execute, connection] = await Promise.all([
    kind === "deposit"
      ? import("../../client/operations/deposit-operations.ts").then(({ continueDeposit }) => continueDeposit)
      : import("../../client/operations/withdrawal-operations.ts").then(
          ({ continueWithdrawal }) => continueWithdrawal,
        ),
    walletSession.load(),
  ]);
  await execute(causeway, { ...options, wallet: await connection.client() });
}

const asCausewayError = (error: unknown): CausewayError =>
  error instanceof CausewayError
    ? error
    : new CausewayError("wallet_failed", "the wallet did not finish", { cause: error });
