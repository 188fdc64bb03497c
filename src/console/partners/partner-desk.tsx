import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { capitalize } from "../format/format-text.ts";
import { formatAge } from "../format/format-times.ts";
import { Button, TextField } from "../ui/controls.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { ConfirmedAction } from "../ui/dialogs.tsx";
import { ErrorState, Loaded, Notice } from "../ui/feedback.tsx";
import { Card } from "../ui/page-and-cards.tsx";
import { PartnerFigures } from "./partner-figures.tsx";
import {
  askAs,
  forgetIssuedPair,
  type IssuedPair,
  keepIssuedPair,
  type PartnerSession,
  setPartnerSession,
} from "./use-partner-session.ts";

/**
 * Dashboard of a signed-in partner: statistics, and API keys. New key pairs are shown, the newest first, until the
 * partner confirms having saved each or loses the session. Signing out forgets it here, and ends it in the API if that
 * answers.
 */
export function PartnerDesk({ session }: { session: PartnerSession }) {
  const signOut = async () => {
    await askAs(session, { method: "POST", path: "/v1/partners/logout" }).catch(() => undefined);
    setPartnerSession(null);
  };
  return (
    <div className="space-y-6">
      {session.issued.map((pair) => (
        <IssuedPairNotice key={pair.apiKey} pair={pair} />
      ))}
      <PartnerFigures session={session} />
      <Keys session={session} />
      <Button kind="secondary" onClick={() => void signOut()}>
        Sign out
      </Button>
    </div>
  );
}

function IssuedPairNotice({ pair }: { pair: IssuedPair }) {
  return (
    <Notice
      tone="warn"
      title="Save this pair now: the secret is not shown again"
      action={
        <Button kind="secondary" onClick={() => forgetIssuedPair(pair)}>
          I have saved it
        </Button>
      }
    >
      <dl className="mt-2 space-y-1 font-mono text-[13px] break-all">
        <Copied name="key" text={pair.apiKey} />
        <Copied name="secret" text={pair.apiSecret} />
      </dl>
    </Notice>
  );
}

/** A value with a button that copies it, where the browser lets pages copy. */
function Copied({ name, text }: { name: string; text: string }) {
  const [done, setDone] = useState(false);
  const clipboard = "clipboard" in navigator ? navigator.clipboard : null;
  return (
    <>
      <dt className="text-muted">{capitalize(name)}</dt>
      <dd className="flex flex-wrap items-center gap-x-2">
        <span className="min-w-0">{text}</span>
        {clipboard === null ? null : (
          <button
            type="button"
            onClick={() =>
              void clipboard.writeText(text).then(
                () => setDone(true),
                () => setDone(false),
              )
            }
            className="min-h-8 font-sans font-medium text-accent hover:underline"
          >
            {done ? "Copied" : "Copy"}
            <span className="sr-only"> the {name}</span>
          </button>
        )}
      </dd>
    </>
  );
}

function Keys({ session }: { session: PartnerSession }) {
  const cache = useQueryClient();
  const queryKey = ["keys", session.address];
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      askAs<"partners.api-keys.list">(session, { path: "/v1/partners/api-keys", signal }),
  });
  const again = () => cache.invalidateQueries({ queryKey });
  const revoke = async (keyId: string) => {
    await askAs(session, { method: "DELETE", path: `/v1/partners/api-keys/${keyId}` });
    await again();
  };
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
                <ConfirmedAction
                  key="revoke"
                  label="Revoke"
                  subject={key.name}
                  consequence="Servers that use this key are refused at once. A revoked key cannot be restored; only a new one can be created."
                  act={() => revoke(key.keyId)}
                />,
              ],
            }))}
          />
        )}
      </Loaded>
      <div className="space-y-3 border-t border-line p-4 sm:p-5">
        <NewKey session={session} onCreated={() => void again()} />
      </div>
    </Card>
  );
}

function NewKey({ session, onCreated }: { session: PartnerSession; onCreated: () => void }) {
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
      keepIssuedPair({ apiKey, apiSecret });
      onCreated();
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
