import type { Quote, VaultDetail } from "../../client/operations/read-operations.ts";
import { formatAmount, formatPercent, formatUsd } from "../format/format-numbers.ts";
import { formatDuration } from "../format/format-times.ts";
import { describeNoMinimum } from "../format/format-vault-words.ts";
import { ErrorState, LoadingRows, Notice } from "../ui/feedback.tsx";
import { Fact, Facts } from "../ui/page-and-cards.tsx";
import { sharesToAssets } from "../vaults/vault-page-figures.ts";
import { MinimumFact } from "./order-minimum.tsx";

/**
 * Summary of the quote of a deposit or move: shares, costs and warnings, or a placeholder, or the error of the last
 * quote. While `busy` (a newer quote is awaited), it is dimmed and shows no error.
 */
export function QuoteSummary(props: {
  vault: VaultDetail;
  quote: Quote | undefined;
  error: unknown;
  busy: boolean;
}) {
  const { vault, quote, error, busy } = props;
  if (error !== null && error !== undefined && !busy) return <ErrorState error={error} />;
  if (quote === undefined) return <LoadingRows rows={3} label="Asking for a quote" />;
  return (
    <div aria-busy={busy} className={`space-y-3 transition-opacity ${busy ? "opacity-60" : ""}`}>
      <div className="rounded-lg bg-raised px-4 py-3">
        <Figures vault={vault} quote={quote} />
      </div>
      {quote.warnings.map(({ code, detail }) => (
        <Notice key={`${code} ${detail}`} tone="warn">
          {detail}
        </Notice>
      ))}
    </div>
  );
}

function Figures({ vault, quote }: { vault: VaultDetail; quote: Quote }) {
  const { estimate } = quote;
  const shares = (amount: bigint) => `${formatAmount(amount, { decimals: vault.shareDecimals })} shares`;
  const { priceImpact, estimatedTime, gasCostUsd } = estimate;
  return (
    <Facts>
      <Fact term="You get">
        <span className="font-semibold">{shares(estimate.estimatedShares)}</span>
        <WorthOf vault={vault} shares={estimate.estimatedShares} />
      </Fact>
      <MinimumFact term="At least" twoStep={isTwoStep(quote) && estimate.minShares !== null}>
        {estimate.minShares === null
          ? describeNoMinimum(vault.settlement.deposit)
          : shares(estimate.minShares)}
      </MinimumFact>
      {estimate.fromAmountUsd === null ? null : (
        <Fact term="Value you pay">{formatUsd(estimate.fromAmountUsd)}</Fact>
      )}
      {priceImpact === null || quote.quoteType === "direct" ? null : (
        <Fact term="Cost of the route">{formatPercent(priceImpact)}</Fact>
      )}
      <Fact term="Route">{describeRoute(quote)}</Fact>
      {estimatedTime === null ? null : (
        <Fact term="Time">
          {estimatedTime === 0 ? "One block" : `About ${formatDuration(estimatedTime)}`}
        </Fact>
      )}
      {gasCostUsd === null ? null : <Fact term="Network fee">{formatUsd(gasCostUsd)}</Fact>}
      {vault.settlement.deposit === "instant" ? null : (
        <Fact term="Settlement">The vault mints shares later, on your request</Fact>
      )}
    </Facts>
  );
}

/** Value of shares in the vault's asset, at the vault's share price. Renders nothing if the price is unknown. */
function WorthOf({ vault, shares }: { vault: VaultDetail; shares: bigint }) {
  const { asset } = vault;
  const assets = sharesToAssets(vault, shares);
  if (assets === null) return null;
  return (
    <span className="block text-muted">
      ≈ {formatAmount(assets, { decimals: asset.decimals })} {asset.symbol}
    </span>
  );
}

const isTwoStep = ({ routeOptions: [best] }: Quote): boolean => best?.tags.includes("two_step") === true;

/** Returns a description of a quote's route: `Swap, then deposit`. */
function describeRoute(quote: Quote): string {
  const { quoteType, routeOptions } = quote;
  const [best] = routeOptions;
  const steps = isTwoStep(quote) ? ", two transactions" : "";
  if (quoteType === "move") return `Redeem, then deposit${steps}`;
  if (quoteType === "same_chain_swap") return `Swap, then deposit${steps}`;
  if (quoteType === "cross_chain") return `${best?.bridgeName ?? "Bridge"}, then deposit${steps}`;
  return "Straight into the vault";
}
