import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense, useState } from "react";
import type { Positions } from "../../client/operations/read-operations.ts";
import { formatChain } from "../api/console-chain-names.ts";
import { chainsQuery, depositsQuery, positionsQuery, withdrawalsQuery } from "../api/console-queries.ts";
import { formatAmount, formatUsd } from "../format/format-numbers.ts";
import { Button, TextField } from "../ui/controls.tsx";
import { EmptyState, Loaded, Notice } from "../ui/feedback.tsx";
import { Card, Page } from "../ui/page-and-cards.tsx";
import { TokenAmount, TokenMark } from "../ui/token-display.tsx";
import { WalletButton } from "../wallet/wallet-button.tsx";
import { useWallet } from "../wallet/wallet-session.ts";
import type { PendingDeposit } from "./pending-deposits.tsx";
import { DepositList, UnfinishedOrders, WithdrawalList } from "./portfolio-order-lists.tsx";
import {
  isAddress,
  type Position,
  readPortfolioSearch,
  requestedAssets,
  totalUsd,
} from "./portfolio-search.ts";
import { PositionRequests } from "./position-requests.tsx";

/**
 * Page with the positions, requests, deposits and withdrawals of the connected wallet, or of the address in the URL.
 */
export function PortfolioPage() {
  const wallet = useWallet();
  const { address } = readPortfolioSearch(useSearch({ from: "/portfolio" }));
  const shown = address ?? wallet.address;
  return (
    <Page
      title="Portfolio"
      lead={
        shown === null ? (
          "Your positions, requests, deposits and withdrawals."
        ) : (
          <Owner address={shown} own={address === undefined} />
        )
      }
    >
      {shown === null ? <Start /> : <Holdings address={shown} />}
    </Page>
  );
}

function Owner({ address, own }: { address: `0x${string}`; own: boolean }) {
  return (
    <span className="flex flex-wrap items-center gap-x-3">
      <span className="font-mono text-[13px] break-all">{address}</span>
      {own ? null : (
        <Link to="/portfolio" search={{}} className="text-sm text-accent hover:underline">
          Show my wallet
        </Link>
      )}
    </span>
  );
}

function Start() {
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const [tried, setTried] = useState(false);
  const address = text.trim();
  return (
    <div className="grid gap-6 md:grid-cols-2">
      <Card title="Your wallet">
        <p className="mb-4 text-sm text-muted">
          Connect a wallet to see what you hold, and to continue deposits.
        </p>
        <WalletButton primary />
      </Card>
      <Card title="Any address">
        <form
          className="space-y-4"
          onSubmit={(event) => {
            event.preventDefault();
            setTried(true);
            if (isAddress(address)) void navigate({ to: "/portfolio", search: { address } });
          }}
        >
          <TextField
            label="Address"
            placeholder="0x…"
            autoComplete="off"
            spellCheck={false}
            value={text}
            problem={tried && !isAddress(address) ? "Enter an address: 0x and 40 digits." : null}
            onChange={(event) => setText(event.target.value)}
          />
          <Button kind="secondary" type="submit" wide>
            Show
          </Button>
        </form>
      </Card>
    </div>
  );
}

function Holdings({ address }: { address: `0x${string}` }) {
  const positions = useQuery(positionsQuery(address));
  const deposits = useQuery(depositsQuery(address));
  const withdrawals = useQuery(withdrawalsQuery(address));
  return (
    <div className="space-y-6">
      <UnfinishedOrders deposits={deposits.data ?? []} withdrawals={withdrawals.data ?? []} />
      <Card title="Positions" aside={<Total positions={positions.data?.positions ?? []} />} flush>
        <Loaded query={positions}>{(answer) => <PositionList answer={answer} address={address} />}</Loaded>
      </Card>
      {/* Below a list of unknown length, so that they do not move when the positions arrive. */}
      {positions.isPending ? null : (
        <>
          <Card title="Deposits" flush>
            <Loaded query={deposits}>{(list) => <DepositList deposits={list} />}</Loaded>
          </Card>
          <Card title="Withdrawals" flush>
            <Loaded query={withdrawals}>{(list) => <WithdrawalList withdrawals={list} />}</Loaded>
          </Card>
        </>
      )}
    </div>
  );
}

function Total({ positions }: { positions: readonly Position[] }) {
  const total = totalUsd(positions);
  if (total === null) return null;
  return (
    <span className="text-sm text-muted">
      Total <span className="font-semibold text-ink tabular-nums">{formatUsd(total)}</span>
      {positions.some((position) => requestedAssets(position) !== null) ? ", without deposit requests" : ""}
    </span>
  );
}

function PositionList({ answer, address }: { answer: Positions; address: `0x${string}` }) {
  const wallet = useWallet();
  const own = wallet.address?.toLowerCase() === address.toLowerCase() ? wallet.address : null;
  const chains = useQuery(chainsQuery).data ?? [];
  const { positions, pending } = answer;
  const silent = answer.chains.filter(({ ok }) => !ok).map(({ chainId }) => formatChain(chains, chainId));
  return (
    <>
      {silent.length === 0 ? null : (
        <div className="p-4 sm:px-5">
          <Notice tone="warn" title="Some chains do not answer">
            Positions on {silent.join(", ")} are not shown. They are not lost.
          </Notice>
        </div>
      )}
      {positions.length === 0 ? (
        <EmptyState title={silent.length === 0 ? "No positions" : "No positions on the other chains"}>
          <Link
            to="/"
            className="text-accent underline decoration-accent/40 underline-offset-2 hover:decoration-accent"
          >
            Choose a vault
          </Link>{" "}
          to make the first deposit.
        </EmptyState>
      ) : (
        <ul className="divide-y divide-line">
          {positions.map((position) => (
            <PositionRow
              key={position.vaultId}
              position={position}
              pending={pending.find(({ vaultId }) => vaultId === position.vaultId) ?? null}
              chain={formatChain(chains, position.chainId)}
              own={own}
            />
          ))}
        </ul>
      )}
    </>
  );
}

const WithdrawDialog = lazy(() =>
  import("../orders/withdrawal-order-dialog.tsx").then((module) => ({ default: module.WithdrawDialog })),
);

function WithdrawButton({ position, own }: { position: Position; own: `0x${string}` }) {
  const [state, setState] = useState<"never" | "open" | "closed">("never");
  return (
    <>
      <Button kind="secondary" onClick={() => setState("open")}>
        Withdraw
      </Button>
      {state === "never" ? null : (
        <Suspense fallback={null}>
          <WithdrawDialog
            position={position}
            userAddress={own}
            open={state === "open"}
            onOpenChange={(open) => setState(open ? "open" : "closed")}
          />
        </Suspense>
      )}
    </>
  );
}

/**
 * Link to the page of a position's vault: the vault's name above its chain's name, next to a badge with the first
 * letters of the asset's symbol.
 */
function VaultName({ position, chain }: { position: Position; chain: string }) {
  const { vaultId, vaultName, assetSymbol } = position;
  return (
    <Link
      to="/vaults/$vaultId"
      params={{ vaultId }}
      className="flex min-w-0 items-center gap-3 hover:underline"
    >
      <TokenMark symbol={assetSymbol} />
      <span className="min-w-0">
        <span className="line-clamp-3 font-medium break-words">{vaultName}</span>
        <span className="block text-sm text-muted">{chain}</span>
      </span>
    </Link>
  );
}

function PositionRow(props: {
  position: Position;
  pending: PendingDeposit | null;
  chain: string;
  own: `0x${string}` | null;
}) {
  const { position, pending, chain, own } = props;
  const asset = { symbol: position.assetSymbol, decimals: position.assetDecimals };
  const { yieldAssets } = position;
  const requested = requestedAssets(position);
  return (
    <li>
      <div className="grid grid-cols-[minmax(0,1fr)_fit-content(60%)] items-center gap-x-4 gap-y-2 px-4 py-3 sm:px-5 md:grid-cols-[minmax(0,2fr)_minmax(0,1fr)_minmax(0,1fr)_7rem]">
        <VaultName position={position} chain={chain} />
        {position.currentAssets === 0n && requested !== null ? (
          <Cell label="Requested">
            <TokenAmount amount={requested} token={asset} />
          </Cell>
        ) : (
          <Cell label="Worth now">
            <TokenAmount amount={position.currentAssets} token={asset} />
            <span className="block text-sm text-muted">{formatUsd(position.valueUsd)}</span>
          </Cell>
        )}
        <Cell label="Yield" below>
          <Yield amount={yieldAssets} token={asset} />
        </Cell>
        <div className="text-right">
          {own === null || position.shareBalance === 0n ? null : (
            <WithdrawButton position={position} own={own} />
          )}
        </div>
      </div>
      <PositionRequests position={position} pending={pending} own={own} />
    </li>
  );
}

/**
 * A gain or loss in its color. An amount too small to display is shown as about zero, with the exact amount in the
 * tooltip.
 */
function Yield({ amount, token }: { amount: bigint | null; token: { symbol: string; decimals: number } }) {
  const { decimals, symbol } = token;
  if (amount === null || amount === 0n) return <TokenAmount amount={amount} token={token} />;
  if (formatAmount(amount, { decimals }).includes("<"))
    return (
      <span
        className="text-muted"
        title={`${formatAmount(amount, { decimals, digits: decimals })} ${symbol}`}
      >
        About 0 {symbol}
      </span>
    );
  return (
    <span className={amount < 0n ? "text-bad" : "text-good"}>
      {amount > 0n ? "+" : ""}
      <TokenAmount amount={amount} token={token} />
    </span>
  );
}

/** Cell with one figure of a position. With `below`, it is placed below the vault's name on narrow screens. */
function Cell({ label, below = false, children }: { label: string; below?: boolean; children: ReactNode }) {
  return (
    <div className={`min-w-0 text-sm wrap-anywhere ${below ? "pl-11 md:pl-0 md:text-right" : "text-right"}`}>
      <span className="block text-xs text-muted">{label}</span>
      {children}
    </div>
  );
}
