import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { getWithdrawal, type VaultDetail, type Withdrawal } from "../../client/operations/read-operations.ts";
import { formatChain } from "../api/console-chain-names.ts";
import { causeway } from "../api/console-client.ts";
import { actionsQuery, chainsQuery, tokensQuery, vaultQuery } from "../api/console-queries.ts";
import { formatAmount } from "../format/format-numbers.ts";
import { shorten } from "../format/format-text.ts";
import { formatTime } from "../format/format-times.ts";
import { describeNoMinimum, describeSettlement } from "../format/format-vault-words.ts";
import { LoadedPage } from "../shell/route-states.tsx";
import { Fact, Facts } from "../ui/page-and-cards.tsx";
import { TokenAmount } from "../ui/token-display.tsx";
import { CancelSignature } from "./order-cancel-button.tsx";
import { MinimumFact } from "./order-minimum.tsx";
import { orderReloadMs } from "./order-reload.ts";
import { BridgeFact, OrderView } from "./order-view.tsx";
import { isCancellable } from "./order-words.ts";

/**
 * Page of a built withdrawal, with the steps to sign and their progress. It can be reopened to continue the withdrawal.
 */
export function WithdrawalPage() {
  const { trackingId } = useParams({ from: "/withdrawals/$trackingId" });
  const query = useQuery({
    queryKey: ["withdrawal", trackingId],
    queryFn: ({ signal }) => getWithdrawal(causeway, { trackingId, signal }),
    staleTime: 0,
    refetchInterval: ({ state }) => orderReloadMs(state),
  });
  return (
    <LoadedPage title="Withdrawal" query={query}>
      {(withdrawal) => <WithdrawalView withdrawal={withdrawal} readAt={query.dataUpdatedAt} />}
    </LoadedPage>
  );
}

function WithdrawalView({ withdrawal, readAt }: { withdrawal: Withdrawal; readAt: number }) {
  const vault = useQuery(vaultQuery(withdrawal.vaultId)).data;
  return (
    <OrderView
      key={withdrawal.trackingId}
      kind="withdrawal"
      order={withdrawal}
      readAt={readAt}
      title={vault === undefined ? "Withdrawal" : `Withdrawal from ${vault.name}`}
      extra={isCancellable(withdrawal) ? <CancelSignature kind="withdrawal" order={withdrawal} /> : null}
    >
      <WithdrawalFacts withdrawal={withdrawal} vault={vault} />
    </OrderView>
  );
}

/** Returns a token of a chain by its address, from the vault's accepted tokens or the API's list. Null if unknown. */
function useToken(of: { chainId: number; address: string; vault: VaultDetail | undefined }) {
  const tokens = useQuery(tokensQuery(of.chainId)).data ?? [];
  const known = of.vault?.chainId === of.chainId ? [...of.vault.acceptedAssets, ...tokens] : tokens;
  return known.find(({ address }) => address.toLowerCase() === of.address.toLowerCase()) ?? null;
}

/** Earliest time at which the vault pays a withdrawal that waits. Renders nothing if the vault states none. */
function PaymentTime({ withdrawal }: { withdrawal: Withdrawal }) {
  const { trackingId, userAddress, vaultId, state } = withdrawal;
  const waiting = state === "requested" || state === "cooling";
  const { data } = useQuery({ ...actionsQuery({ userAddress, vaultId }), enabled: waiting });
  const earliest = data?.requests.find((request) => request.trackingId === trackingId)?.earliest ?? null;
  return waiting && earliest !== null ? <Fact term="Payable from">{formatTime(earliest)}</Fact> : null;
}

function WithdrawalFacts({ withdrawal, vault }: { withdrawal: Withdrawal; vault: VaultDetail | undefined }) {
  const { toChainId, toToken, exitToken, chainId, estimatedAssets, minAssets, toAmount } = withdrawal;
  const chains = useQuery(chainsQuery).data ?? [];
  const paid = useToken({ chainId, address: exitToken, vault });
  const requested = useToken({ chainId: toChainId, address: toToken, vault });
  const converted = toToken !== exitToken || toChainId !== chainId;
  return (
    <Facts>
      <Fact term="You redeem">
        {vault === undefined
          ? "–"
          : `${formatAmount(withdrawal.shares, { decimals: vault.shareDecimals })} shares`}
      </Fact>
      <Fact term="Settlement">{describeSettlement(withdrawal.mode)}</Fact>
      {paid === null || estimatedAssets === null ? null : (
        <Fact term="The vault pays">
          <TokenAmount amount={estimatedAssets} token={paid} />
        </Fact>
      )}
      <Fact term={converted ? "The vault pays at least" : "At least"}>
        {minAssets === null ? (
          describeNoMinimum(withdrawal.mode)
        ) : paid === null ? (
          "–"
        ) : (
          <TokenAmount amount={minAssets} token={paid} />
        )}
      </Fact>
      <PaymentTime withdrawal={withdrawal} />
      <Fact term="You receive">
        {requested?.symbol ?? shorten(toToken)} on {formatChain(chains, toChainId)}
      </Fact>
      {withdrawal.toAmountMin === null || requested === null || !converted ? null : (
        <MinimumFact term="You receive at least" twoStep={withdrawal.twoStep}>
          <TokenAmount amount={withdrawal.toAmountMin} token={requested} />
        </MinimumFact>
      )}
      {toAmount === null || requested === null ? null : (
        <Fact term="Received">
          <span className="font-semibold text-good">
            <TokenAmount amount={toAmount} token={requested} />
          </span>
        </Fact>
      )}
      <Fact term="Account">
        <span className="font-mono text-[13px]">{shorten(withdrawal.userAddress)}</span>
      </Fact>
      <BridgeFact bridge={withdrawal.bridge} url={withdrawal.routerExplorer} />
      <Fact term="Created">{formatTime(withdrawal.createdAt)}</Fact>
      {withdrawal.state === "built" ? (
        <Fact term="Sign before">{formatTime(withdrawal.expiresAt)}</Fact>
      ) : null}
    </Facts>
  );
}
