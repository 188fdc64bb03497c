import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Answer } from "../../client/operations/read-operations.ts";
import { tokensQuery, vaultsQuery } from "../api/console-queries.ts";
import { shorten } from "../format/format-text.ts";
import { formatAge } from "../format/format-times.ts";
import { describeState, type OrderKind } from "../orders/order-words.ts";
import { Badge, EmptyState, Notice } from "../ui/feedback.tsx";
import { TokenAmount } from "../ui/token-display.tsx";

type ListedDeposit = Answer<"deposits.list">[number];
type ListedWithdrawal = Answer<"withdrawals.list">[number];

/** States in which an order waits for a transaction of the user. */
const WAITING = new Set(["awaiting_deposit", "awaiting_transfer", "claimable"]);

/**
 * One notice, with a link to continue, for each deposit or withdrawal under way whose next transaction is the user's:
 * state `awaiting_deposit`, `awaiting_transfer` or `claimable`. Renders nothing if there are none.
 */
export function UnfinishedOrders(props: {
  deposits: readonly ListedDeposit[];
  withdrawals: readonly ListedWithdrawal[];
}) {
  const waiting = [
    ...props.deposits.map((order) => ({ ...order, kind: "deposit" as const })),
    ...props.withdrawals.map((order) => ({ ...order, kind: "withdrawal" as const })),
  ].filter(({ state }) => WAITING.has(state));
  return waiting.map(({ kind, trackingId, state }) => (
    <Notice
      key={trackingId}
      tone="warn"
      title={describeState(state, kind).label}
      action={
        <OrderLink kind={kind} trackingId={trackingId} look="text-sm font-medium text-accent hover:underline">
          Continue
        </OrderLink>
      }
    >
      {describeState(state, kind).summary}
    </Notice>
  ));
}

function OrderLink(props: { kind: OrderKind; trackingId: string; look: string; children: ReactNode }) {
  const { kind, trackingId, look, children } = props;
  const to = kind === "deposit" ? "/deposits/$trackingId" : "/withdrawals/$trackingId";
  return (
    <Link to={to} params={{ trackingId }} className={look}>
      {children}
    </Link>
  );
}

/** List of deposits in the given order, or a message if there are none. */
export function DepositList({ deposits }: { deposits: readonly ListedDeposit[] }) {
  if (deposits.length === 0)
    return <EmptyState title="No deposits yet">Deposits appear once they are sent.</EmptyState>;
  return (
    <ul className="divide-y divide-line">
      {deposits.map((deposit) => (
        <OrderRow
          key={deposit.trackingId}
          kind="deposit"
          order={deposit}
          paid={{ chainId: deposit.fromChainId, address: deposit.fromToken, amount: deposit.fromAmount }}
        />
      ))}
    </ul>
  );
}

/** List of withdrawals in the given order, or a message if there are none. */
export function WithdrawalList({ withdrawals }: { withdrawals: readonly ListedWithdrawal[] }) {
  if (withdrawals.length === 0)
    return <EmptyState title="No withdrawals yet">Withdrawals appear once they are sent.</EmptyState>;
  return (
    <ul className="divide-y divide-line">
      {withdrawals.map((withdrawal) => (
        <OrderRow
          key={withdrawal.trackingId}
          kind="withdrawal"
          order={withdrawal}
          paid={{
            chainId: withdrawal.toChainId,
            address: withdrawal.toToken,
            amount: withdrawal.toAmount,
          }}
        />
      ))}
    </ul>
  );
}

/** Row of one deposit or withdrawal: the vault, the amount and the state. */
function OrderRow(props: {
  kind: OrderKind;
  order: Pick<ListedDeposit | ListedWithdrawal, "trackingId" | "vaultId" | "state" | "createdAt">;
  paid: { chainId: number; address: string; amount: bigint | null };
}) {
  const { kind, order, paid } = props;
  const vaults = useQuery(vaultsQuery).data ?? [];
  const tokens = useQuery(tokensQuery(paid.chainId)).data ?? [];
  const name = vaults.find(({ vaultId }) => vaultId === order.vaultId)?.name ?? shorten(order.vaultId);
  const token = tokens.find(({ address }) => address.toLowerCase() === paid.address.toLowerCase());
  const { label, tone } = describeState(order.state, kind);
  return (
    <li>
      <OrderLink
        kind={kind}
        trackingId={order.trackingId}
        look="flex items-center justify-between gap-4 px-4 py-3 hover:bg-raised focus-visible:-outline-offset-2 sm:px-5"
      >
        <span className="min-w-0">
          <span className="line-clamp-3 font-medium break-words">{name}</span>
          <span className="block text-sm wrap-anywhere text-muted">
            {token === undefined || paid.amount === null ? (
              kind === "deposit" ? (
                "Deposit"
              ) : (
                "Withdrawal"
              )
            ) : (
              <TokenAmount amount={paid.amount} token={token} />
            )}
            , {formatAge(order.createdAt, Date.now())}
          </span>
        </span>
        <Badge tone={tone}>{label}</Badge>
      </OrderLink>
    </li>
  );
}
