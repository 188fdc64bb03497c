import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Deposit } from "../../client/read-actions.ts";
import { ask, causeway } from "../api/console-client.ts";
import { Button } from "../ui/controls.tsx";
import { ErrorState } from "../ui/feedback.tsx";
import { useWallet, walletSession } from "../wallet/wallet-session.ts";

/** Cancels a deposit's signed order before it is submitted. */
export function CancelSignature({ deposit }: { deposit: Deposit }) {
  const { trackingId } = deposit;
  const wallet = useWallet();
  const cache = useQueryClient();
  const cancelling = useMutation({
    mutationFn: async () => {
      const [{ cancelDeposit }, connection] = await Promise.all([
        import("../../client/deposit-actions.ts"),
        walletSession.load(),
      ]);
      await cancelDeposit(causeway, { trackingId, wallet: await connection.client() });
      await ask<"deposits.abandon">({ method: "PATCH", path: `/v1/deposits/${trackingId}/abandon` });
    },
    onSuccess: () => cache.invalidateQueries({ queryKey: ["deposit", trackingId] }),
  });
  if (wallet.address?.toLowerCase() !== deposit.userAddress.toLowerCase()) return null;
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
