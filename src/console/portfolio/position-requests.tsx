import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Answer, Positions } from "../../client/read-actions.ts";
import { ask } from "../api/console-client.ts";
import { formatAmount } from "../format/amounts.ts";
import { formatTime } from "../format/words.ts";
import { BuiltSteps } from "../orders/built-steps.tsx";
import { Button } from "../ui/controls.tsx";
import { Modal } from "../ui/dialogs.tsx";
import { Badge, ErrorState } from "../ui/feedback.tsx";

type Position = Positions["positions"][number];
type Request = Position["requests"][number];

/** Requests that the vault has not paid yet, with what can be done about each. */
export function PositionRequests({ position, own }: { position: Position; own: `0x${string}` | null }) {
  if (position.requests.length === 0) return null;
  return (
    <ul className="space-y-2 px-4 pb-3 sm:px-5">
      {position.requests.map((request) => (
        <li
          key={request.requestId}
          className="flex flex-wrap items-center justify-between gap-3 rounded-lg bg-raised px-3 py-2 text-sm"
        >
          <RequestText request={request} position={position} />
          {own === null ? null : <RequestActions request={request} position={position} own={own} />}
        </li>
      ))}
    </ul>
  );
}

function RequestText({ request, position }: { request: Request; position: Position }) {
  const amount =
    request.shares === null
      ? ""
      : ` of ${formatAmount(request.shares, { decimals: position.shareDecimals })} shares`;
  return (
    <span className="flex flex-wrap items-center gap-2">
      <Badge tone={request.state === "claimable" ? "good" : "accent"}>
        {request.state === "claimable" ? "Ready to claim" : "Waiting for the vault"}
      </Badge>
      {request.kind === "redeem" ? "Withdrawal" : "Deposit"}
      {amount}
      {request.earliest === null || request.state === "claimable"
        ? ""
        : `, from ${formatTime(request.earliest)}`}
    </span>
  );
}

type Action = "claim" | "cancel";

function RequestActions(props: { request: Request; position: Position; own: `0x${string}` }) {
  const { request, position, own } = props;
  const [built, setBuilt] = useState<Answer<"withdrawals.build"> | null>(null);
  const cache = useQueryClient();
  const build = useMutation({
    mutationFn: (action: Action) =>
      ask<"withdrawals.build">({
        method: "POST",
        path: `/v1/withdraw/${action}`,
        body: { vaultId: position.vaultId, userAddress: own, requestId: request.requestId },
      }),
    onSuccess: setBuilt,
  });
  const close = () => {
    setBuilt(null);
    void cache.invalidateQueries({ queryKey: ["positions"] });
  };
  return (
    <span className="flex flex-wrap gap-2">
      {request.state === "claimable" ? (
        <Button busy={build.isPending} onClick={() => build.mutate("claim")}>
          Claim
        </Button>
      ) : null}
      {request.cancellable ? (
        <Button kind="secondary" busy={build.isPending} onClick={() => build.mutate("cancel")}>
          Cancel
        </Button>
      ) : null}
      {build.error === null ? null : <ErrorState error={build.error} />}
      <Modal open={built !== null} onOpenChange={close} title={position.vaultName}>
        {built === null ? null : <BuiltSteps built={built} userAddress={own} onSent={close} />}
      </Modal>
    </span>
  );
}
