import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { causeway } from "../api/console-client.ts";
import { formatAmount } from "../format/format-numbers.ts";
import { formatTime } from "../format/format-times.ts";
import { Button } from "../ui/controls.tsx";
import { Badge, ErrorState } from "../ui/feedback.tsx";
import { walletSession } from "../wallet/wallet-session.ts";
import { ClaimDeposit, type PendingDeposit } from "./pending-deposits.tsx";
import type { Position } from "./portfolio-search.ts";

type Request = Position["requests"][number];

/**
 * List of a position's open requests. If it belongs to the connected account (`own`), there are buttons to claim them
 * and to cancel redemptions, where possible. `pending` describes its deposit requests, null if there are none. Renders
 * nothing without requests.
 */
export function PositionRequests(props: {
  position: Position;
  pending: PendingDeposit | null;
  own: `0x${string}` | null;
}) {
  const { position, pending, own } = props;
  if (position.requests.length === 0) return null;
  return (
    <ul className="space-y-2 px-4 pb-3 sm:px-5">
      {position.requests.map((request) => (
        <li key={`${request.kind} ${request.requestId}`} className="rounded-lg bg-raised px-3 py-2.5 text-sm">
          <div className="flex flex-wrap items-center justify-between gap-3">
            <RequestText request={request} position={position} />
            <Follow request={request} />
          </div>
          {request.kind === "redeem" && own !== null ? (
            <RequestActions request={request} vaultId={position.vaultId} own={own} />
          ) : null}
          {request.kind === "deposit" && pending !== null ? (
            <ClaimDeposit pending={pending} own={own} />
          ) : null}
        </li>
      ))}
    </ul>
  );
}

function RequestText({ request, position }: { request: Request; position: Position }) {
  const claimable = request.state === "claimable";
  const amount = describeAmount(request, position);
  return (
    <span className="flex flex-wrap items-center gap-2">
      <Badge tone={claimable ? "good" : "accent"}>
        {claimable ? "Ready to claim" : "Waiting for the vault"}
      </Badge>
      <span>
        {request.kind === "redeem" ? "Withdrawal" : "Deposit request"}
        {amount === null ? "" : ` of ${amount}`}
        {request.earliest === null || claimable ? "" : `, payable from ${formatTime(request.earliest)}`}
      </span>
    </span>
  );
}

/** Returns the amount of a request as text: its shares, else the assets if the shares are unknown, else null. */
function describeAmount({ shares, assets, token }: Request, position: Position): string | null {
  if (shares !== null) return `${formatAmount(shares, { decimals: position.shareDecimals })} shares`;
  if (assets === null || token.decimals === null) return null;
  return `${formatAmount(assets, { decimals: token.decimals })} ${token.symbol}`;
}

/** Link to the deposit or withdrawal that made the request. Renders nothing if it was not built by this service. */
function Follow({ request: { kind, trackingId } }: { request: Request }) {
  if (trackingId === null) return null;
  const to = kind === "deposit" ? "/deposits/$trackingId" : "/withdrawals/$trackingId";
  return (
    <Link
      to={to}
      params={{ trackingId }}
      className="inline-flex min-h-6 items-center font-medium text-accent hover:underline"
    >
      Follow
    </Link>
  );
}

/** Buttons to claim or cancel a request, also one that was not built by this service. */
function RequestActions(props: { request: Request; vaultId: string; own: `0x${string}` }) {
  const { request, vaultId, own } = props;
  const cache = useQueryClient();
  const acting = useMutation({
    mutationFn: async (action: "claim" | "cancel") => {
      const [actions, connection] = await Promise.all([
        import("../../client/operations/withdrawal-operations.ts"),
        walletSession.load(),
      ]);
      const execute = action === "claim" ? actions.claimRequest : actions.cancelRequest;
      const { requestId } = request;
      const wallet = await connection.client();
      await execute(causeway, { vaultId, requestId, userAddress: own, wallet });
    },
    onSuccess: async () => {
      await cache.invalidateQueries({ queryKey: ["positions"] });
      await cache.invalidateQueries({ queryKey: ["withdrawals"] });
    },
  });
  const claimable = request.state === "claimable";
  if (!claimable && !request.cancellable) return null;
  return (
    <div className="mt-2 space-y-2">
      {acting.error === null ? null : <ErrorState error={acting.error} />}
      <div className="flex flex-wrap gap-2 sm:justify-end">
        {claimable ? (
          <Button
            busy={acting.isPending && acting.variables === "claim"}
            onClick={() => acting.mutate("claim")}
          >
            Claim
          </Button>
        ) : null}
        {request.cancellable ? (
          <Button
            kind="secondary"
            busy={acting.isPending && acting.variables === "cancel"}
            onClick={() => acting.mutate("cancel")}
          >
            Cancel request
          </Button>
        ) : null}
      </div>
    </div>
  );
}
