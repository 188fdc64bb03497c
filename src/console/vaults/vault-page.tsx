import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { type ReactNode, useDeferredValue } from "react";
import type { Actions, VaultDetail } from "../../client/operations/read-operations.ts";
import { explorerLink } from "../api/console-chain-names.ts";
import { actionsQuery, chainsQuery, vaultQuery, vaultSignalsQuery } from "../api/console-queries.ts";
import { formatAmount, formatPercent, formatSharePrice, formatUsd } from "../format/format-numbers.ts";
import { shorten, toSentence } from "../format/format-text.ts";
import { formatAge, formatTime } from "../format/format-times.ts";
import { describeSettlement, familyName } from "../format/format-vault-words.ts";
import { DepositForm } from "../orders/deposit-form.tsx";
import { LoadedPage } from "../shell/route-states.tsx";
import { SignalList } from "../signals/signal-list.tsx";
import { Badge, EmptyState, Loaded, Notice } from "../ui/feedback.tsx";
import { Card, Fact, Facts, Page, Stat } from "../ui/page-and-cards.tsx";
import { useWallet } from "../wallet/wallet-session.ts";
import { VaultHistory } from "./vault-history.tsx";
import { describeCapacity, describeExitFee, describeMinimum } from "./vault-page-figures.ts";

/** Page of one vault: its key values, history, terms and signals, and the deposit form or the reason of a pause. */
export function VaultPage() {
  const { vaultId } = useParams({ from: "/vaults/$vaultId" });
  const query = useQuery(vaultQuery(vaultId));
  return (
    <LoadedPage title="Vault" query={query}>
      {(vault) => <VaultView vault={vault} />}
    </LoadedPage>
  );
}

function VaultView({ vault }: { vault: VaultDetail }) {
  const navigate = useNavigate();
  // The first screen is drawn at once, what is below it right after it, without a long pause.
  const whole = useDeferredValue(true, false);
  const onBuilt = (trackingId: string) =>
    void navigate({ to: "/deposits/$trackingId", params: { trackingId } });
  return (
    <Page
      title={vault.name}
      lead={
        <span className="flex flex-wrap items-center gap-2">
          {familyName(vault.family)} on {vault.chainName}
          {vault.curator === "" ? "" : `, curated by ${vault.curator}`}
          {vault.paused ? <Badge tone="warn">Paused</Badge> : null}
        </span>
      }
    >
      <Stats vault={vault} />
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_23rem]">
        <div className="space-y-6 lg:sticky lg:top-20 lg:order-2">
          <Card title="Deposit">
            {vault.maxDeposit === 0n && !vault.paused ? <Full /> : null}
            {vault.paused ? <Paused vault={vault} /> : <DepositForm vault={vault} onBuilt={onBuilt} />}
          </Card>
          <YourActions vault={vault} />
        </div>
        <div className="min-w-0 space-y-6">
          <VaultHistory vault={vault} />
          {whole ? (
            <>
              <Terms vault={vault} />
              <VaultSignals vault={vault} />
            </>
          ) : null}
        </div>
      </div>
    </Page>
  );
}

function Stats({ vault }: { vault: VaultDetail }) {
  const { totalAssets, asset, tvlUsd, apy7d, apy30d, sharePrice, stale, readAt } = vault;
  const held =
    totalAssets === null
      ? undefined
      : `${formatAmount(totalAssets, { ...asset, digits: 2 })} ${asset.symbol}`;
  return (
    <>
      {stale ? (
        <div className="mb-4">
          <Notice tone="warn" title="The chain does not answer">
            These are the last known figures
            {readAt === null ? "" : ` of ${formatTime(readAt.blockTimestamp)}`}.
          </Notice>
        </div>
      ) : null}
      <dl className="mb-6 grid grid-cols-2 gap-x-6 gap-y-4 sm:grid-cols-4">
        <Stat label="Total value" value={formatUsd(tvlUsd, true)} note={held} />
        <Stat label="APY, 7 days" value={formatPercent(apy7d)} note={`30 days: ${formatPercent(apy30d)}`} />
        <Stat label="Share price" value={formatSharePrice(sharePrice)} note={`${asset.symbol} per share`} />
        <Stat
          label="Room for deposits"
          value={describeCapacity(vault)}
          note={`Minimum deposit: ${describeMinimum(vault)}`}
        />
      </dl>
    </>
  );
}

function Paused({ vault }: { vault: VaultDetail }) {
  return (
    <Notice tone="warn" title="Deposits are paused">
      {vault.pausedReason === ""
        ? "The vault does not accept deposits now."
        : `${toSentence(vault.pausedReason)} `}{" "}
      Shares that you hold stay yours; your{" "}
      <Link to="/portfolio" className="text-accent underline">
        portfolio
      </Link>{" "}
      shows whether you can withdraw now.
    </Notice>
  );
}

/**
 * Note above the form of a vault that takes nothing at the moment. The form stays, because room returns at any time.
 */
function Full() {
  return (
    <div className="mb-4">
      <Notice tone="warn" title="This vault is full">
        It takes no deposits until others withdraw or its limit is raised.
      </Notice>
    </div>
  );
}

const ACTIONS = [
  ["deposit", "Deposit"],
  ["withdraw", "Withdraw"],
  ["claim", "Claim"],
  ["cancel", "Cancel a request"],
] as const;

/** What the connected wallet can do at the vault, with the reason for each action that is not possible. */
function YourActions({ vault }: { vault: VaultDetail }) {
  const { address } = useWallet();
  const of = { userAddress: address ?? zeroAddress, vaultId: vault.vaultId };
  const query = useQuery({ ...actionsQuery(of), enabled: address !== null });
  if (address === null) return null;
  return (
    <Card title="What you can do now" flush={query.data === undefined}>
      <Loaded query={query} rows={2}>
        {(actions) => (
          <Facts>
            {ACTIONS.map(([name, label]) => (
              <Fact key={name} term={label}>
                {actions[name].allowed ? (
                  <Badge tone="good">Yes</Badge>
                ) : (
                  <span className="text-muted">{describeRefusal(actions[name])}</span>
                )}
              </Fact>
            ))}
          </Facts>
        )}
      </Loaded>
    </Card>
  );
}

/** Returns why an action is not possible now, and from when it is. */
function describeRefusal({ reason, until }: Actions["claim"]): string {
  const why = toSentence(reason || "Nothing to do");
  return until === null ? why : `${why} Possible from ${formatTime(until)}.`;
}

const zeroAddress = "0x0000000000000000000000000000000000000000";

function Terms({ vault }: { vault: VaultDetail }) {
  const { settlement, acceptedAssets, proof } = vault;
  return (
    <Card title="Terms and controls">
      <Facts>
        <Fact term="Deposits">{describeSettlement(settlement.deposit)}</Fact>
        <Fact term="Withdrawals">{describeSettlement(settlement.withdraw, settlement.withdrawSeconds)}</Fact>
        <Fact term="Fee on withdrawals">{describeExitFee(vault)}</Fact>
        <Fact term="Accepted without a swap">{acceptedAssets.map(({ symbol }) => symbol).join(", ")}</Fact>
        <Fact term="Proof">
          {proof === null
            ? "Not checked yet"
            : proof.ok
              ? `Last check passed ${formatAge(proof.at, Date.now())}`
              : `Last check failed ${formatAge(proof.at, Date.now())}: ${proof.reason}`}
        </Fact>
        <Fact term="Curator">{vault.curator === "" ? "Not named" : vault.curator}</Fact>
        <Fact term="Vault">
          <Address vault={vault} value={vault.address} />
        </Fact>
        <Fact term="Share token">
          <Address vault={vault} value={vault.shareToken} />
        </Fact>
        <Fact term="Contract you call">
          <Address vault={vault} value={vault.depositRouter} />
        </Fact>
      </Facts>
      <p className="mt-3 text-sm text-muted">
        {vault.externalRouter
          ? "Your wallet calls the vault's own contract and not the DepositRouter."
          : "Your wallet calls the DepositRouter, which has no owner and reverts unless you get at least what was agreed."}
      </p>
    </Card>
  );
}

function Address({ vault, value }: { vault: VaultDetail; value: string }): ReactNode {
  const chains = useQuery(chainsQuery).data ?? [];
  const link = explorerLink(chains, { chainId: vault.chainId, kind: "address", value });
  const text = <span className="font-mono text-[13px]">{shorten(value)}</span>;
  if (link === null) return <span title={value}>{text}</span>;
  return (
    <a
      href={link}
      rel="noreferrer"
      title={value}
      className="text-accent underline decoration-accent/40 underline-offset-2 hover:decoration-accent"
    >
      {text}
    </a>
  );
}

function VaultSignals({ vault }: { vault: VaultDetail }) {
  const query = useQuery(vaultSignalsQuery(vault.vaultId));
  return (
    <Card title="Signals of the last 30 days" flush>
      <Loaded query={query} rows={2}>
        {({ signals }) =>
          signals.length === 0 ? (
            <EmptyState title="Nothing was noticed about this vault" />
          ) : (
            <SignalList signals={signals} linked={false} />
          )
        }
      </Loaded>
    </Card>
  );
}
