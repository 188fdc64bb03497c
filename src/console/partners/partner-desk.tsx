import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Answer } from "../../client/actions/read-actions.ts";
import type { operations } from "../../client/api-types.generated.ts";
import type { ApiRequest } from "../../client/causeway-client.ts";
import { formatChain } from "../api/console-chain-names.ts";
import { ask } from "../api/console-client.ts";
import { chainsQuery } from "../api/console-queries.ts";
import { formatPercent } from "../format/format-numbers.ts";
import { formatAge } from "../format/format-times.ts";
import { Button, Segments, TextField } from "../ui/controls.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { EmptyState, ErrorState, Loaded, Notice } from "../ui/feedback.tsx";
import { Card, Stat } from "../ui/page-and-cards.tsx";
import { TokenAmount } from "../ui/token-display.tsx";
import { type PartnerSession, setPartnerSession } from "./use-partner-session.ts";

/** Sends a request that is authenticated by a partner's session token. */
function askAs<Name extends keyof operations>({ token }: PartnerSession, request: ApiRequest) {
  return ask<Name>({ ...request, headers: { authorization: `Bearer ${token}` } });
}

/**
 * Dashboard of a signed-in partner: statistics about deposits, and API keys. A new key pair is shown until the partner
 * confirms that it was saved. Signing out ends the session in the API too.
 */
export function PartnerDesk({ session }: { session: PartnerSession }) {
  const [issued, setIssued] = useState(session.issued);
  const signOut = async () => {
    await askAs(session, { method: "POST", path: "/v1/partners/logout" }).catch(() => undefined);
    setPartnerSession(null);
  };
  return (
    <div className="space-y-6">
      {issued === null ? null : <IssuedPair pair={issued} onKept={() => setIssued(null)} />}
      <Figures session={session} />
      <Keys session={session} onIssued={setIssued} />
      <Button kind="secondary" onClick={() => void signOut()}>
        Sign out
      </Button>
    </div>
  );
}

type Pair = NonNullable<PartnerSession["issued"]>;

function IssuedPair({ pair, onKept }: { pair: Pair; onKept: () => void }) {
  return (
    <Notice
      tone="warn"
      title="Keep this pair now: the secret is not shown again"
      action={
        <Button kind="secondary" onClick={onKept}>
          I have kept it
        </Button>
      }
    >
      <dl className="mt-2 space-y-1 font-mono text-[13px] break-all">
        <dt className="text-muted">Key</dt>
        <dd>{pair.apiKey}</dd>
        <dt className="text-muted">Secret</dt>
        <dd>{pair.apiSecret}</dd>
      </dl>
    </Notice>
  );
}

const PERIODS = [
  { value: "7", label: "7 d" },
  { value: "30", label: "30 d" },
  { value: "90", label: "90 d" },
];

function Figures({ session }: { session: PartnerSession }) {
  const [days, setDays] = useState("30");
  const query = useQuery({
    queryKey: ["dashboard", session.address, days],
    queryFn: ({ signal }) =>
      askAs<"partners.dashboard">(session, {
        path: "/v1/partners/dashboard",
        query: { days: Number(days) },
        signal,
      }),
  });
  const period = <Segments label="Period" value={days} choices={PERIODS} onChange={setDays} />;
  return (
    <Card title="Deposits" aside={period} flush>
      <Loaded query={query}>{(dashboard) => <Dashboard dashboard={dashboard} />}</Loaded>
    </Card>
  );
}

function Dashboard({ dashboard }: { dashboard: Answer<"partners.dashboard"> }) {
  const { deposits, users, successRate, volumes } = dashboard;
  const chains = useQuery(chainsQuery).data ?? [];
  return (
    <>
      <dl className="grid grid-cols-2 gap-4 p-4 sm:grid-cols-4 sm:p-5">
        <Stat label="Completed" value={deposits.completed} note={`${deposits.built} built`} />
        <Stat label="Under way" value={deposits.pending} />
        <Stat label="Users" value={users} />
        <Stat label="Success rate" value={formatPercent(successRate, 1)} note={`${deposits.failed} failed`} />
      </dl>
      {volumes.length === 0 ? (
        <EmptyState title="No deposits in this period" />
      ) : (
        <div className="border-t border-line">
          <DataTable
            columns={[
              { label: "Token" },
              { label: "Deposits", minor: true },
              { label: "Users", minor: true },
              { label: "Amount" },
            ]}
            rows={volumes.map((volume) => ({
              id: `${volume.chainId} ${volume.tokenAddress}`,
              name: `${volume.symbol} on ${formatChain(chains, volume.chainId)}`,
              cells: [
                volume.deposits,
                volume.users,
                <TokenAmount key="amount" amount={volume.amount} token={volume} />,
              ],
            }))}
          />
        </div>
      )}
    </>
  );
}

function Keys({ session, onIssued }: { session: PartnerSession; onIssued: (pair: Pair) => void }) {
  const cache = useQueryClient();
  const queryKey = ["keys", session.address];
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      askAs<"partners.api-keys.list">(session, { path: "/v1/partners/api-keys", signal }),
  });
  const again = () => void cache.invalidateQueries({ queryKey });
  const revoke = useMutation({
    mutationFn: (keyId: string) =>
      askAs(session, { method: "DELETE", path: `/v1/partners/api-keys/${keyId}` }),
    onSuccess: again,
  });
  return (
    <Card title="Keys" flush>
      <Loaded query={query}>
        {(keys) => (
          <DataTable
            columns={[
              { label: "Name" },
              { label: "Key" },
              { label: "Last used", minor: true },
              { label: "Action" },
            ]}
            rows={keys.map((key) => ({
              id: key.keyId,
              name: key.name,
              cells: [
                <span key="prefix" className="font-mono text-[13px] break-all">
                  {key.apiKeyPrefix}
                </span>,
                key.lastUsedAt === null ? "Never" : formatAge(key.lastUsedAt, Date.now()),
                <Button
                  key="revoke"
                  kind="quiet"
                  busy={revoke.isPending}
                  onClick={() => revoke.mutate(key.keyId)}
                >
                  Revoke<span className="sr-only"> {key.name}</span>
                </Button>,
              ],
            }))}
          />
        )}
      </Loaded>
      <div className="space-y-3 border-t border-line p-4 sm:p-5">
        {revoke.error === null ? null : <ErrorState error={revoke.error} />}
        <NewKey
          session={session}
          onIssued={(pair) => {
            onIssued(pair);
            again();
          }}
        />
      </div>
    </Card>
  );
}

function NewKey({ session, onIssued }: { session: PartnerSession; onIssued: (pair: Pair) => void }) {
  const [name, setName] = useState("");
  const create = useMutation({
    mutationFn: () =>
      askAs<"partners.api-keys.create">(session, {
        method: "POST",
        path: "/v1/partners/api-keys",
        body: { name },
      }),
    onSuccess: ({ apiKey, apiSecret }) => {
      setName("");
      onIssued({ apiKey, apiSecret });
    },
  });
  return (
    <form
      className="flex flex-wrap items-end gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        create.mutate();
      }}
    >
      <div className="min-w-48 flex-1">
        <TextField
          label="Name of a new key"
          required
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </div>
      <Button kind="secondary" type="submit" busy={create.isPending}>
        Create key
      </Button>
      {create.error === null ? null : <ErrorState error={create.error} />}
    </form>
  );
}
