import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { requireBalance } from "../../client/execution/execution-guards.ts";
import { buildDeposit, quoteDeposit, type Vault } from "../../client/operations/read-operations.ts";
import { causeway } from "../api/console-client.ts";
import { vaultQuery, vaultsQuery } from "../api/console-queries.ts";
import type { Position } from "../portfolio/portfolio-search.ts";
import { Button, SelectField } from "../ui/controls.tsx";
import { ErrorState } from "../ui/feedback.tsx";
import { useDebounced } from "../ui/use-debounced.ts";
import { type Authorize, AuthorizeField } from "./order-authorization-field.tsx";
import { holdsSameAsset, moveTargets } from "./order-move-vaults.ts";
import { QuoteSummary } from "./quote-summary.tsx";

/** Slippage of a move, as a fraction: between vaults with the same asset, and between other vaults. */
const [SAME_ASSET, OTHER_ASSET] = [0.01, 0.03];

/**
 * Form that moves shares to another vault. It shows a quote, builds the move, and opens its page. `shares` is in the
 * smallest unit of the share token, null while the amount is invalid.
 */
export function MoveForm(props: { position: Position; userAddress: `0x${string}`; shares: bigint | null }) {
  const { position, userAddress, shares } = props;
  const [into, setInto] = useState("");
  const [authorize, setAuthorize] = useState<Authorize>("auto");
  const vaults = useQuery(vaultsQuery).data ?? [];
  const from = useQuery(vaultQuery(position.vaultId)).data;
  const target = useQuery({ ...vaultQuery(into), enabled: into !== "" }).data;
  const settled = useDebounced(shares);
  const input =
    from === undefined || target === undefined || settled === null
      ? null
      : {
          ...{ fromChainId: from.chainId, fromToken: from.shareToken, fromAmount: settled },
          ...{ vaultId: into, userAddress },
          slippage: holdsSameAsset(position, target) ? SAME_ASSET : OTHER_ASSET,
        };
  const quote = useQuery({
    queryKey: ["move quote", position.vaultId, into, userAddress, String(settled)],
    queryFn: ({ signal }) => {
      if (input === null) throw new Error("there is nothing to quote");
      return quoteDeposit(causeway, { ...input, signal });
    },
    enabled: input !== null,
  });
  const navigate = useNavigate();
  const build = useMutation({
    mutationFn: async (body: NonNullable<typeof input>) => {
      const built = await buildDeposit(causeway, { ...body, authorize, idempotencyKey: crypto.randomUUID() });
      // The position may be older than a transaction that moved the shares.
      requireBalance(built, userAddress);
      return built;
    },
    onSuccess: ({ trackingId }) => void navigate({ to: "/deposits/$trackingId", params: { trackingId } }),
  });
  const ready = input !== null && quote.data !== undefined && settled === shares && !quote.isFetching;
  return (
    <div className="space-y-4">
      <SelectField label="Vault" value={into} choices={toChoices(vaults, position)} onChange={setInto} />
      {input === null || target === undefined ? null : (
        <QuoteSummary
          vault={target}
          quote={quote.data}
          error={quote.error}
          busy={quote.isFetching || settled !== shares}
        />
      )}
      <AuthorizeField value={authorize} onChange={setAuthorize} />
      {build.error === null ? null : <ErrorState error={build.error} />}
      <Button
        wide
        disabled={!ready}
        busy={build.isPending}
        onClick={() => {
          if (input !== null) build.mutate(input);
        }}
      >
        Review move
      </Button>
      <p className="text-center text-xs text-muted">
        Nothing is sent yet. You see every step before you sign.
      </p>
    </div>
  );
}

/** Returns the vaults into which the position can be moved, as choices after an empty one. */
const toChoices = (vaults: readonly Vault[], position: Position) => [
  { value: "", label: "Choose a vault" },
  ...moveTargets(vaults, position).map((vault) => ({
    value: vault.vaultId,
    label: `${vault.name} (${vault.asset.symbol}, ${vault.chainName})`,
  })),
];
