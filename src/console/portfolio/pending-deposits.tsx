import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Positions } from "../../client/operations/read-operations.ts";
import { causeway } from "../api/console-client.ts";
import { toSentence } from "../format/format-text.ts";
import { Button } from "../ui/controls.tsx";
import { ErrorState } from "../ui/feedback.tsx";
import { walletSession } from "../wallet/wallet-session.ts";

/** A user's deposit requests at one vault whose shares are not claimed yet. */
export type PendingDeposit = Positions["pending"][number];

/**
 * Button that claims the settled shares of the deposit requests at a vault, or the reason why that is not possible now.
 * No button if nothing can be claimed or `own` is null. `own` is the connected account if it made the requests.
 */
export function ClaimDeposit({ pending, own }: { pending: PendingDeposit; own: `0x${string}` | null }) {
  const { vaultId, next, nextRefusal } = pending;
  const cache = useQueryClient();
  const claiming = useMutation({
    mutationFn: async (userAddress: `0x${string}`) => {
      const [{ claimDeposit }, connection] = await Promise.all([
        import("../../client/operations/deposit-operations.ts"),
        walletSession.load(),
      ]);
      await claimDeposit(causeway, { vaultId, userAddress, wallet: await connection.client() });
    },
    onSuccess: async () => {
      await cache.invalidateQueries({ queryKey: ["positions"] });
      await cache.invalidateQueries({ queryKey: ["deposits"] });
    },
  });
  if (nextRefusal !== null) return <p className="mt-1 text-muted">{toSentence(nextRefusal.detail)}</p>;
  if (next === null || own === null) return null;
  return (
    <div className="mt-2 space-y-2">
      {claiming.error === null ? null : <ErrorState error={claiming.error} />}
      <Button busy={claiming.isPending} onClick={() => claiming.mutate(own)}>
        Claim shares
      </Button>
    </div>
  );
}
