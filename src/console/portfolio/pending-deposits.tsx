import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Positions } from "../../client/actions/read-actions.ts";
import { causeway } from "../api/console-client.ts";
import { vaultQuery } from "../api/console-queries.ts";
import { formatAmount } from "../format/format-numbers.ts";
import { shorten, toSentence } from "../format/format-text.ts";
import { Button } from "../ui/controls.tsx";
import { Badge, ErrorState } from "../ui/feedback.tsx";
import { TokenAmount } from "../ui/token-display.tsx";
import { walletSession } from "../wallet/wallet-session.ts";
import { VaultName } from "./portfolio-vault-name.tsx";

/** A user's deposit requests at one vault whose shares are not claimed yet. */
export type PendingDeposit = Positions["pending"][number];

/**
 * Row of a vault at which the user has deposit requests and no shares yet. `own` is the connected account if the
 * portfolio is its own, otherwise null; only then can shares be claimed.
 */
export function PendingDepositRow(props: {
  pending: PendingDeposit;
  chain: string;
  own: `0x${string}` | null;
}) {
  const { pending, chain, own } = props;
  const { vaultId, pendingAssets, claimableShares } = pending;
  const vault = useQuery(vaultQuery(vaultId)).data;
  const claimable = claimableShares !== null && claimableShares > 0n;
  return (
    <li className="space-y-2 px-4 py-3 sm:px-5">
      <VaultName
        vaultId={vaultId}
        name={vault?.name ?? shorten(vaultId)}
        symbol={vault?.asset.symbol ?? ""}
        chain={chain}
      />
      <div className="rounded-lg bg-raised px-3 py-2 text-sm">
        <div className="flex flex-wrap items-center gap-2">
          <Badge tone={claimable ? "good" : "accent"}>
            {claimable ? "Ready to claim" : "Waiting for the vault"}
          </Badge>
          <span>
            Deposit request
            {claimable && vault !== undefined
              ? ` for ${formatAmount(claimableShares, { decimals: vault.shareDecimals })} shares`
              : ""}
            {pendingAssets === null || pendingAssets === 0n || vault === undefined ? null : (
              <>
                {claimable ? ", and another of " : " of "}
                <TokenAmount amount={pendingAssets} token={vault.asset} />
              </>
            )}
          </span>
        </div>
        <ClaimDeposit pending={pending} own={own} />
      </div>
    </li>
  );
}

/**
 * Button that claims the shares of settled deposit requests, or the reason why it is not possible now. Renders nothing
 * if there is nothing to claim or the portfolio is not that of the connected account (`own` is null).
 */
export function ClaimDeposit({ pending, own }: { pending: PendingDeposit; own: `0x${string}` | null }) {
  const { vaultId, next, nextRefusal } = pending;
  const cache = useQueryClient();
  const claiming = useMutation({
    mutationFn: async (userAddress: `0x${string}`) => {
      const [{ claimDeposit }, connection] = await Promise.all([
        import("../../client/actions/deposit-actions.ts"),
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
