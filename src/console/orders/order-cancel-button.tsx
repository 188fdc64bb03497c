import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ask, causeway } from "../api/console-client.ts";
import { Button } from "../ui/controls.tsx";
import { ErrorState } from "../ui/feedback.tsx";
import { useWallet, walletSession } from "../wallet/wallet-session.ts";
import type { OrderKind } from "./order-words.ts";

/**
 * Button that cancels the signed order of a deposit or withdrawal by a transaction (for ERC-3009 after a signature),
 * and then marks it as abandoned. Renders nothing unless the order's account is connected.
 */
export function CancelSignature(props: {
  kind: OrderKind;
  order: { trackingId: string; userAddress: `0x${string}` };
}) {
  const { kind, order } = props;
  const { trackingId } = order;
  const wallet = useWallet();
  const cache = useQueryClient();
  const cancelling = useMutation({
    mutationFn: async () => {
      const [cancel, connection] = await Promise.all([loadCancel(kind), walletSession.load()]);
      await cancel(causeway, { trackingId, wallet: await connection.client() });
      const path = `/v1/${kind}s/${trackingId}/abandon`;
      await ask<"deposits.abandon" | "withdrawals.abandon">({ method: "PATCH", path });
    },
    onSuccess: () => cache.invalidateQueries({ queryKey: [kind, trackingId] }),
  });
  if (wallet.address?.toLowerCase() !== order.userAddress.toLowerCase()) return null;
  return (
    <div className="space-y-3 border-t border-line pt-4">
      <p className="text-sm text-muted">
        Signed already, and changed your mind? A cancellation makes the signature unusable. It is not needed
        if you did not sign.
      </p>
      {cancelling.error === null ? null : <ErrorState error={cancelling.error} />}
      <Button kind="secondary" busy={cancelling.isPending} onClick={() => cancelling.mutate()}>
        Cancel the signed order
      </Button>
    </div>
  );
}

const loadCancel = (kind: OrderKind) =>
  kind === "deposit"
    ? import("../../client/operations/deposit-operations.ts").then(({ cancelDeposit }) => cancelDeposit)
    : import("../../client/operations/withdrawal-operations.ts").then(
        ({ cancelSignedWithdrawal }) => cancelSignedWithdrawal,
      );
