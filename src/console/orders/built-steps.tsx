import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { type ExecutionProgress, type OrderReading, walkSteps } from "../../client/execute-steps.ts";
import type { Step } from "../../client/read-actions.ts";
import { causeway } from "../api/console-client.ts";
import { Button } from "../ui/controls.tsx";
import { ErrorState } from "../ui/feedback.tsx";
import { walletSession } from "../wallet/wallet-session.ts";
import { OrderSteps } from "./order-steps.tsx";

/** What a build of a withdrawal, a claim or a cancellation answers, as far as it is signed. */
export interface BuiltOrder {
  trackingId: string;
  steps: readonly Step[];
}

/**
 * Walks through the steps of a withdrawal that was just built. What the vault or a bridge does afterwards is not waited
 * for: the portfolio shows it, and what can be claimed then.
 */
export function BuiltSteps(props: { built: BuiltOrder; userAddress: string; onSent: () => void }) {
  const { built, userAddress, onSent } = props;
  const [steps, setSteps] = useState(built.steps);
  const [progress, setProgress] = useState<ExecutionProgress | null>(null);
  const sending = useMutation({
    mutationFn: async () => {
      const wallet = await (await walletSession.load()).client();
      const done = new Set<string>();
      const read = async () => reading(built, done);
      const onProgress = (told: ExecutionProgress) => {
        if (told.phase === "included") for (const { stepId } of told.batch) done.add(stepId);
        setSteps(reading({ ...built, steps }, done).steps);
        setProgress(told);
      };
      const first = { ...built, steps };
      await walkSteps(causeway, { kind: "withdrawals", userAddress, first, read }, { wallet, onProgress });
    },
    onSuccess: onSent,
    onSettled: () => setProgress(null),
  });
  return (
    <div className="space-y-5">
      <OrderSteps steps={steps} progress={progress} />
      {sending.error === null ? null : <ErrorState error={sending.error} />}
      <Button wide busy={sending.isPending} onClick={() => sending.mutate()}>
        {sending.isPending ? "Confirm in your wallet" : sending.isError ? "Try again" : "Start signing"}
      </Button>
    </div>
  );
}

/** The order after some of its steps were done; steps that wait for others than the reader count as left to them. */
function reading(built: BuiltOrder, done: ReadonlySet<string>): OrderReading {
  const steps = built.steps.map((step): Step => {
    if (done.has(step.stepId)) return { ...step, state: "done" };
    return step.state === "waiting" ? { ...step, state: "skipped" } : step;
  });
  return { trackingId: built.trackingId, steps };
}
