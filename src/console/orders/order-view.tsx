import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";
import { openHandedSteps } from "../../client/execution/execution-storage.ts";
import type { Deposit, Withdrawal } from "../../client/operations/read-operations.ts";
import { bridgesQuery } from "../api/console-queries.ts";
import { useEmbedding } from "../embed/embed-context.ts";
import { shorten } from "../format/format-text.ts";
import { Button, buttonClass } from "../ui/controls.tsx";
import { Badge, ErrorState, Notice } from "../ui/feedback.tsx";
import { Card, Fact, Page } from "../ui/page-and-cards.tsx";
import { WalletButton } from "../wallet/wallet-button.tsx";
import { useWallet } from "../wallet/wallet-session.ts";
import { NextReading } from "./order-reload-countdown.tsx";
import { OrderSteps } from "./order-steps.tsx";
import { describeEqual, describeFailure, describeState, isOpen, type OrderKind } from "./order-words.ts";
import { type OrderWalk, useOrderWalk } from "./use-order-walk.ts";

/** The fields of a deposit or withdrawal that `OrderView` uses. */
export type TrackedOrder = Pick<
  Deposit | Withdrawal,
  | "trackingId"
  | "state"
  | "status"
  | "substatus"
  | "userAddress"
  | "vaultId"
  | "bridge"
  | "steps"
  | "nextRefusal"
  | "pollAfterMs"
  | "sameAs"
>;

/**
 * View of a deposit or withdrawal: its state, its steps, which the user's wallet executes here, and its details
 * (`children`). `extra` is shown below the steps while none is executed.
 */
export function OrderView(props: {
  kind: OrderKind;
  order: TrackedOrder;
  title: string;
  /** Time at which the order was last loaded, in milliseconds since the epoch. */
  readAt: number;
  extra?: ReactNode;
  children: ReactNode;
}) {
  const { kind, order, title, readAt, extra = null, children } = props;
  const { trackingId, state, status, substatus } = order;
  const cache = useQueryClient();
  const onChange = () => void cache.invalidateQueries({ queryKey: [kind, trackingId] });
  const walk = useOrderWalk({ kind, trackingId, onChange });
  useChangesWith(order);
  const embedding = useEmbedding();
  useEffect(() => embedding?.onState(trackingId, state), [embedding, trackingId, state]);
  const { label, tone, summary } = describeState(state, kind);
  // A signature is known to this page alone until its order was sent.
  const steps = walk.running ? (walk.progress?.steps ?? order.steps) : order.steps;
  return (
    <Page
      title={title}
      lead={
        <span role="status" className="flex flex-wrap items-center gap-2">
          <Badge tone={tone}>{label}</Badge>
          {summary} {status === "FAILED" ? describeFailure(substatus) : ""}
        </span>
      }
    >
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <Card title="Steps">
          <div className="space-y-5">
            <EqualOrder kind={kind} order={order} />
            <OrderSteps steps={steps} bridge={order.bridge} progress={walk.progress} />
            <NextAction kind={kind} order={order} walk={walk} />
            {isWaiting(order) && !walk.running ? (
              <NextReading at={readAt + (order.pollAfterMs ?? 0)} onRead={onChange} />
            ) : null}
            {walk.running ? null : extra}
          </div>
        </Card>
        <Card title="Details">{children}</Card>
      </div>
    </Page>
  );
}

/** The order with the same call under which a transaction is recorded. Renders nothing if there is none. */
function EqualOrder({ kind, order }: { kind: OrderKind; order: TrackedOrder }) {
  const { sameAs } = order;
  const embedding = useEmbedding();
  if (sameAs === null) return null;
  const text = describeEqual(order, kind);
  const to = kind === "deposit" ? "/deposits/$trackingId" : "/withdrawals/$trackingId";
  return (
    <Notice
      tone="warn"
      title={text.title}
      action={
        // An embedded page has no other pages.
        embedding === null ? (
          <Link to={to} params={{ trackingId: sameAs }} className={buttonClass("secondary")}>
            Open the other {kind}
          </Link>
        ) : null
      }
    >
      {text.explanation}
    </Notice>
  );
}

/** Keys of the queries that are repeated when an order's state changes. */
const CHANGED = new Set(["positions", "deposits", "withdrawals", "actions", "balance"]);

function useChangesWith({ trackingId, state }: TrackedOrder): void {
  const cache = useQueryClient();
  const seen = useRef(`${trackingId} ${state}`);
  useEffect(() => {
    if (seen.current === `${trackingId} ${state}`) return;
    seen.current = `${trackingId} ${state}`;
    void cache.invalidateQueries({ predicate: ({ queryKey: [name] }) => CHANGED.has(String(name)) });
  }, [cache, trackingId, state]);
}

/** Returns true while the order is open and the user can do no step, because it waits or the next one is refused. */
const isWaiting = (order: TrackedOrder): boolean =>
  isOpen(order) && order.steps.every(({ state }) => state !== "required");

/** What the user can do next: sign, switch to the order's account, wait, or start again. */
function NextAction({ kind, order, walk }: { kind: OrderKind; order: TrackedOrder; walk: OrderWalk }) {
  const wallet = useWallet();
  const embedded = useEmbedding() !== null;
  const required = order.steps.filter(({ state }) => state === "required");
  if (order.nextRefusal !== null)
    return (
      <Notice tone="warn" title="The next step is not possible now">
        {order.nextRefusal.detail}
      </Notice>
    );
  if (order.state === "expired" || order.state === "abandoned")
    return order.sameAs === null ? <StartAgain kind={kind} order={order} /> : null;
  const waiting = !walk.running || walk.progress?.phase === "waiting";
  if (required.length === 0 && waiting)
    return isOpen(order) ? <Waiting kind={kind} /> : <Ended kind={kind} order={order} />;
  if (wallet.address === null) return <WalletButton primary label="Connect the wallet to continue" />;
  if (wallet.address.toLowerCase() !== order.userAddress.toLowerCase())
    return (
      <Notice tone="warn" title="Your wallet holds another account">
        This {kind} belongs to {shorten(order.userAddress)}. Select that account in your wallet to continue.
      </Notice>
    );
  const unknown = walk.error?.code === "outcome_unknown";
  return (
    <div className="space-y-3">
      {walk.error === null ? null : <ErrorState error={walk.error} />}
      <Button wide busy={walk.running} onClick={walk.start}>
        {walk.running
          ? phaseText(walk)
          : unknown
            ? "Ask the wallet"
            : actionText(required.length, walk.error !== null)}
      </Button>
      {unknown ? (
        <Button wide kind="secondary" onClick={walk.sendAgain}>
          It is not in my wallet: sign again
        </Button>
      ) : null}
      <p aria-live="polite" className="sr-only">
        {walk.running ? phaseText(walk) : ""}
      </p>
      <p className="text-center text-xs text-muted">
        {embedded
          ? "What was sent continues even if you leave this page."
          : "You can leave this page at any time. Return through its URL or your portfolio."}
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

function Waiting({ kind }: { kind: OrderKind }) {
  return (
    <Notice tone="accent" title="Nothing to do now">
      This page reads the chains by itself. You can close it; the {kind} continues without it.
    </Notice>
  );
}

function StartAgain({ kind, order }: { kind: OrderKind; order: TrackedOrder }) {
  const { vaultId, state } = order;
  const look = buttonClass("secondary");
  const embedding = useEmbedding();
  const asked = openHandedSteps(order.trackingId).list().length > 0;
  return (
    <Notice
      tone={asked ? "warn" : "neutral"}
      title={state === "expired" ? "This quote has expired" : `This ${kind} was given up`}
      action={
        embedding !== null ? (
          <Button kind="secondary" onClick={embedding.restart}>
            Start again
          </Button>
        ) : kind === "deposit" ? (
          <Link to="/vaults/$vaultId" params={{ vaultId }} className={look}>
            Start again
          </Link>
        ) : (
          <Link to="/portfolio" className={look}>
            Start again
          </Link>
        )
      }
    >
      {asked
        ? `Your wallet was asked to send this ${kind}. Look at its activity before you start again: if it was sent, a new one would pay a second time.`
        : `This ${kind} was not sent. A new quote has the current price.`}
    </Notice>
  );
}

function Ended({ kind, order }: { kind: OrderKind; order: TrackedOrder }): ReactNode {
  const { tone } = describeState(order.state, kind);
  const embedding = useEmbedding();
  if (embedding !== null)
    return (
      <Button kind="secondary" onClick={embedding.restart}>
        New deposit
      </Button>
    );
  return (
    <div className="flex flex-wrap gap-3">
      <Link to="/portfolio" className={buttonClass(tone === "good" ? "primary" : "secondary")}>
        Open the portfolio
      </Link>
      <Link to="/vaults/$vaultId" params={{ vaultId: order.vaultId }} className={buttonClass("secondary")}>
        Back to the vault
      </Link>
    </div>
  );
}

/**
 * The name of the bridge with the key `bridge`, or the key while the name is unknown, as a link to the transfer if
 * `url` is not null. Renders nothing without a bridge.
 */
export function BridgeFact({ bridge, url }: { bridge: string | null; url: string | null }) {
  const bridges = useQuery({ ...bridgesQuery, enabled: bridge !== null }).data ?? [];
  if (bridge === null) return null;
  const name = bridges.find(({ key }) => key === bridge)?.name ?? bridge;
  return (
    <Fact term="Bridge">
      {url === null ? (
        name
      ) : (
        <a
          href={url}
          rel="noreferrer"
          className="text-accent underline decoration-accent/40 underline-offset-2 hover:decoration-accent"
        >
          {name}
        </a>
      )}
    </Fact>
  );
}
