import { useQuery } from "@tanstack/react-query";
import type { ExecutionProgress } from "../../client/execution/execution-options.ts";
import type { Step } from "../../client/operations/read-operations.ts";
import { explorerLink, formatChain, type ListedChain } from "../api/console-chain-names.ts";
import { chainsQuery } from "../api/console-queries.ts";
import { shorten } from "../format/format-text.ts";
import { Spinner } from "../ui/controls.tsx";
import { describeStep } from "./order-words.ts";

const PHASES: Readonly<Record<ExecutionProgress["phase"], string>> = {
  wallet: "Confirm in your wallet",
  sent: "Sent, waiting for the block",
  included: "In a block",
  signed: "Signed",
  waiting: "Waiting",
  done: "Done",
};

/**
 * Numbered list of the user's steps with their states, explanations and transactions. `bridge` is the key of the
 * order's bridge, or null without one; it is ignored if a transfer is a step of its own. `progress` is the progress of
 * the running execution, or null if none is running or it has not reported any yet.
 */
export function OrderSteps({
  steps,
  bridge,
  progress,
}: {
  steps: readonly Step[];
  bridge: string | null;
  progress: ExecutionProgress | null;
}) {
  const chains = useQuery(chainsQuery).data ?? [];
  return (
    <ol className="space-y-0">
      {steps.map((step, index) => (
        <StepItem
          key={step.stepId}
          step={step}
          // If a transfer is a step of its own, that step pays the bridge.
          bridge={steps.some(({ purpose }) => purpose === "transfer") ? null : bridge}
          number={index + 1}
          last={index === steps.length - 1}
          chains={chains}
          phase={
            progress?.batch.some(({ stepId }) => stepId === step.stepId) === true ? progress.phase : null
          }
        />
      ))}
    </ol>
  );
}

function StepItem(props: {
  step: Step;
  bridge: string | null;
  number: number;
  last: boolean;
  chains: readonly ListedChain[];
  phase: ExecutionProgress["phase"] | null;
}) {
  const { step, bridge, number, last, chains, phase } = props;
  const { title, explanation } = describeStep(step, bridge);
  const link =
    step.txHash === null ? null : explorerLink(chains, { ...step, kind: "tx", value: step.txHash });
  return (
    <li className="relative flex gap-4 pb-5 last:pb-0">
      {last ? null : <span aria-hidden="true" className="absolute top-8 bottom-1 left-[13px] w-px bg-line" />}
      <StepMark state={step.state} number={number} />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-baseline gap-x-2 font-medium wrap-anywhere">
          {title}
          <span className="text-sm font-normal text-muted">on {formatChain(chains, step.chainId)}</span>
        </p>
        <p className="text-sm text-muted">{explanation}</p>
        <p className="mt-0.5 flex flex-wrap items-center gap-x-3 text-sm">
          <StepState step={step} phase={phase} />
          {step.txHash === null ? null : link === null ? (
            <span className="font-mono text-[13px] text-muted" title={step.txHash}>
              {shorten(step.txHash)}
            </span>
          ) : (
            <a href={link} rel="noreferrer" className="font-mono text-[13px] text-accent hover:underline">
              {shorten(step.txHash)}
            </a>
          )}
        </p>
      </div>
    </li>
  );
}

function StepMark({ state, number }: { state: Step["state"]; number: number }) {
  const look =
    state === "done" || state === "skipped"
      ? "bg-good-soft text-good"
      : state === "required"
        ? "bg-accent-soft text-accent"
        : "bg-raised text-muted";
  return (
    <span
      aria-hidden="true"
      className={`flex size-7 shrink-0 items-center justify-center rounded-full text-sm font-semibold ${look}`}
    >
      {state === "done" ? "✓" : number}
    </span>
  );
}

const STATES: Readonly<Record<Step["state"], string>> = {
  required: "To do",
  waiting: "Waits for the steps before it",
  done: "Done",
  skipped: "Not needed",
};

/** Returns a step's state as text. A step that waits with a transaction was sent already. */
const stateText = ({ state, txHash }: Step): string =>
  state === "waiting" && txHash !== null ? "Sent, not final yet" : STATES[state];

function StepState({ step, phase }: { step: Step; phase: ExecutionProgress["phase"] | null }) {
  if (phase === null || step.state === "done")
    return <span className={step.state === "done" ? "text-good" : "text-muted"}>{stateText(step)}</span>;
  return (
    <span className="flex items-center gap-2 font-medium text-accent">
      {phase === "included" || phase === "signed" || phase === "done" ? null : <Spinner />}
      {PHASES[phase]}
    </span>
  );
}
