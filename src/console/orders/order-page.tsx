import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { type Deposit, getDeposit, type VaultDetail } from "../../client/read-actions.ts";
import { causeway } from "../api/console-client.ts";
import { tokensQuery, vaultQuery } from "../api/console-queries.ts";
import { formatAmount } from "../format/amounts.ts";
import { formatTime, shorten } from "../format/words.ts";
import { LoadedPage } from "../shell/route-states.tsx";
import { Button, buttonClass } from "../ui/controls.tsx";
import { Badge, ErrorState, Notice } from "../ui/feedback.tsx";
import { Card, Fact, Facts, Page } from "../ui/layout.tsx";
import { TokenAmount } from "../ui/tokens.tsx";
import { WalletButton } from "../wallet/wallet-button.tsx";
import { useWallet } from "../wallet/wallet-session.ts";
import { OrderSteps } from "./order-steps.tsx";
import { describeFailure, describeState } from "./order-words.ts";
import { type OrderWalk, useOrderWalk } from "./use-order-walk.ts";

/** A deposit that was built: what is signed, step by step, and how far it is. Its address continues it at any time. */
export function DepositPage() {
  const { trackingId } = useParams({ from: "/deposits/$trackingId" });
  const query = useQuery({
    queryKey: ["deposit", trackingId],
    queryFn: ({ signal }) => getDeposit(causeway, { trackingId, signal }),
    staleTime: 0,
    refetchInterval: ({ state }) =>
      state.data === undefined || isOpen(state.data) ? (state.data?.pollAfterMs ?? 3_000) : false,
  });
  return (
    <LoadedPage title="Deposit" query={query}>
      {(deposit) => <DepositView deposit={deposit} />}
    </LoadedPage>
  );
}

const isOpen = ({ steps }: Pick<Deposit, "steps">): boolean =>
  steps.some(({ state }) => state === "required" || state === "waiting");

function DepositView({ deposit }: { deposit: Deposit }) {
  const { trackingId } = deposit;
  const cache = useQueryClient();
  const onChange = () => void cache.invalidateQueries({ queryKey: ["deposit", trackingId] });
  const walk = useOrderWalk({ kind: "deposit", trackingId, onChange });
  const vault = useQuery(vaultQuery(deposit.vaultId)).data;
  const { label, tone, summary } = describeState(deposit.state);
  return (
    <Page
      title={vault === undefined ? "Deposit" : `Deposit into ${vault.name}`}
      lead={
        <span role="status" className="flex flex-wrap items-center gap-2">
          <Badge tone={tone}>{label}</Badge>
          {summary} {deposit.status === "FAILED" ? describeFailure(deposit.substatus) : ""}
        </span>
      }
    >
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <Card title="What you do">
          <div className="space-y-5">
            <OrderSteps steps={deposit.steps} progress={walk.progress} />
            <NextAction deposit={deposit} walk={walk} />
          </div>
        </Card>
        <Card title="Details">
          <DepositFacts deposit={deposit} vault={vault} />
        </Card>
      </div>
    </Page>
  );
}

/** The one thing to do now: sign, switch the account, wait, or look at the result. */
function NextAction({ deposit, walk }: { deposit: Deposit; walk: OrderWalk }) {
  const wallet = useWallet();
  const required = deposit.steps.filter(({ state }) => state === "required");
  if (deposit.nextRefusal !== null)
    return (
      <Notice tone="warn" title="The next step is not possible now">
        {deposit.nextRefusal.detail}
      </Notice>
    );
  if (deposit.state === "expired") return <StartAgain vaultId={deposit.vaultId} />;
  if (required.length === 0) return isOpen(deposit) ? <Waiting /> : <Ended deposit={deposit} />;
  if (wallet.address === null) return <WalletButton primary label="Connect the wallet to continue" />;
  if (wallet.address.toLowerCase() !== deposit.userAddress.toLowerCase())
    return (
      <Notice tone="warn" title="Your wallet holds another account">
        This deposit belongs to {shorten(deposit.userAddress)}. Select that account in your wallet to
        continue.
      </Notice>
    );
  return (
    <div className="space-y-3">
      {walk.error === null ? null : <ErrorState error={walk.error} />}
      <Button wide busy={walk.running} onClick={walk.start}>
        {walk.running ? phaseText(walk) : actionText(required.length, walk.error !== null)}
      </Button>
      <p aria-live="polite" className="sr-only">
        {walk.running ? phaseText(walk) : ""}
      </p>
      <p className="text-center text-xs text-muted">
        You can leave this page at any time. Its address and your portfolio bring you back.
      </p>
    </div>
  );
}

function actionText(steps: number, again: boolean): string {
  if (again) return "Try again";
  return steps === 1 ? "Sign in wallet" : "Start signing";
}

function phaseText({ progress }: OrderWalk): string {
  if (progress?.phase === "wallet") return "Confirm in your wallet";
  if (progress?.phase === "sent") return "Waiting for the block";
  return progress?.phase === "waiting" ? "Waiting" : "Preparing";
}

function Waiting() {
  return (
    <Notice tone="accent" title="Nothing to do now">
      This page reads the chains by itself. You can close it; the deposit continues without it.
    </Notice>
  );
}

function StartAgain({ vaultId }: { vaultId: string }) {
  return (
    <Notice
      title="This quote has expired"
      action={
        <Link to="/vaults/$vaultId" params={{ vaultId }} className={buttonClass("secondary")}>
          Start again
        </Link>
      }
    >
      Nothing was sent. A new quote has today's prices.
    </Notice>
  );
}

function Ended({ deposit }: { deposit: Deposit }): ReactNode {
  const { tone } = describeState(deposit.state);
  return (
    <div className="flex flex-wrap gap-3">
      <Link to="/portfolio" className={buttonClass(tone === "good" ? "primary" : "secondary")}>
        Open the portfolio
      </Link>
      <Link to="/vaults/$vaultId" params={{ vaultId: deposit.vaultId }} className={buttonClass("secondary")}>
        Back to the vault
      </Link>
    </div>
  );
}

function DepositFacts({ deposit, vault }: { deposit: Deposit; vault: VaultDetail | undefined }) {
  const tokens = useQuery(tokensQuery(deposit.fromChainId)).data ?? [];
  const from = deposit.fromToken.toLowerCase();
  const paid = tokens.find(({ address }) => address.toLowerCase() === from);
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
      <Fact term="At least">
        {deposit.minShares === null ? "Priced when the vault settles" : shares(deposit.minShares)}
      </Fact>
      {deposit.shares === null ? null : (
        <Fact term="Received">
          <span className="font-semibold text-good">{shares(deposit.shares)}</span>
        </Fact>
      )}
      <Fact term="Account">
        <span className="font-mono text-[13px]">{shorten(deposit.userAddress)}</span>
      </Fact>
      {deposit.bridge === null ? null : <Fact term="Bridge">{deposit.bridge}</Fact>}
      <Fact term="Built">{formatTime(deposit.createdAt)}</Fact>
      {deposit.state === "built" ? <Fact term="Valid until">{formatTime(deposit.expiresAt)}</Fact> : null}
      {deposit.routerExplorer === null ? null : (
        <Fact term="Bridge's own page">
          <a
            href={deposit.routerExplorer}
            rel="noreferrer"
            className="text-accent underline decoration-accent/40 underline-offset-2 hover:decoration-accent"
          >
            Open
          </a>
        </Fact>
      )}
    </Facts>
  );
}
