import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { type Deposit, getDeposit, type VaultDetail } from "../../client/operations/read-operations.ts";
import { causeway } from "../api/console-client.ts";
import { tokensQuery, vaultQuery } from "../api/console-queries.ts";
import { formatAmount } from "../format/format-numbers.ts";
import { shorten } from "../format/format-text.ts";
import { formatTime } from "../format/format-times.ts";
import { describeNoMinimum } from "../format/format-vault-words.ts";
import { LoadedPage } from "../shell/route-states.tsx";
import { Fact, Facts } from "../ui/page-and-cards.tsx";
import { TokenAmount } from "../ui/token-display.tsx";
import { CancelSignature } from "./order-cancel-button.tsx";
import { MinimumFact } from "./order-minimum.tsx";
import { orderReloadMs } from "./order-reload.ts";
import { BridgeFact, OrderView } from "./order-view.tsx";
import { isCancellable, paidToken } from "./order-words.ts";

/** Page of a built deposit, with the steps to sign and their progress. It can be reopened to continue the deposit. */
export function DepositPage() {
  const { trackingId } = useParams({ from: "/deposits/$trackingId" });
  return <DepositOrder trackingId={trackingId} />;
}

/**
 * View of a deposit with its steps. Until it has been loaded, it is requested every 3 seconds; then, while a step is
 * required or waiting, as often as the API recommends.
 */
export function DepositOrder({ trackingId }: { trackingId: string }) {
  const query = useQuery({
    queryKey: ["deposit", trackingId],
    queryFn: ({ signal }) => getDeposit(causeway, { trackingId, signal }),
    staleTime: 0,
    refetchInterval: ({ state }) => orderReloadMs(state),
  });
  return (
    <LoadedPage title="Deposit" query={query}>
      {(deposit) => <DepositView deposit={deposit} readAt={query.dataUpdatedAt} />}
    </LoadedPage>
  );
}

function DepositView({ deposit, readAt }: { deposit: Deposit; readAt: number }) {
  const vault = useQuery(vaultQuery(deposit.vaultId)).data;
  return (
    <OrderView
      key={deposit.trackingId}
      kind="deposit"
      order={deposit}
      readAt={readAt}
      title={vault === undefined ? "Deposit" : `Deposit into ${vault.name}`}
      extra={isCancellable(deposit) ? <CancelSignature kind="deposit" order={deposit} /> : null}
    >
      <DepositFacts deposit={deposit} vault={vault} />
    </OrderView>
  );
}

function DepositFacts({ deposit, vault }: { deposit: Deposit; vault: VaultDetail | undefined }) {
  const tokens = useQuery(tokensQuery(deposit.fromChainId)).data ?? [];
  const paid = paidToken(deposit, tokens);
  const shares = (amount: bigint | null) =>
    amount === null || vault === undefined
      ? "–"
      : `${formatAmount(amount, { decimals: vault.shareDecimals })} shares`;
  return (
    <Facts>
      <Fact term="You pay">
        {paid === undefined ? (
          shorten(deposit.fromToken)
        ) : (
          <TokenAmount amount={deposit.fromAmount} token={paid} />
        )}
      </Fact>
      <Fact term="Expected">{shares(deposit.estimatedShares)}</Fact>
      <MinimumFact term="At least" twoStep={deposit.twoStep && deposit.minShares !== null}>
        {deposit.minShares === null
          ? describeNoMinimum(vault?.settlement.deposit ?? "instant")
          : shares(deposit.minShares)}
      </MinimumFact>
      {deposit.shares === null ? null : (
        <Fact term="Received">
          <span className="font-semibold text-good">{shares(deposit.shares)}</span>
        </Fact>
      )}
      <Fact term="Account">
        <span className="font-mono text-[13px]">{shorten(deposit.userAddress)}</span>
      </Fact>
      <BridgeFact bridge={deposit.bridge} url={deposit.routerExplorer} />
      <Fact term="Created">{formatTime(deposit.createdAt)}</Fact>
      {deposit.state === "built" ? <Fact term="Sign before">{formatTime(deposit.expiresAt)}</Fact> : null}
    </Facts>
  );
}
