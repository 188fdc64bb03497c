import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { Answer } from "../../client/operations/read-operations.ts";
import { type Ask, ask } from "../api/console-client.ts";
import { capitalize, shorten, shortenAddresses, toSentence } from "../format/format-text.ts";
import { formatAge } from "../format/format-times.ts";
import { familyName } from "../format/format-vault-words.ts";
import { Button, Segments, SelectField, TextField } from "../ui/controls.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { ConfirmedAction } from "../ui/dialogs.tsx";
import { Badge, EmptyState, ErrorState, Loaded, type Tone } from "../ui/feedback.tsx";
import { Card, Page } from "../ui/page-and-cards.tsx";
import { AuditLog } from "./admin-audit-log.tsx";

type Section = "applications" | "vaults" | "audit";

const SECTIONS = [
  { value: "applications", label: "Applications" },
  { value: "vaults", label: "Vaults" },
  { value: "audit", label: "Audit" },
];

/**
 * Page for administrators: the newest 50 partner applications, the first 500 vaults with the results of their checks,
 * and the audit log. The administrator's token is kept only in memory, until the page is left or reloaded.
 */
export function AdminPage() {
  const [token, setToken] = useState("");
  const [section, setSection] = useState<Section>("applications");
  const askAs: Ask = (request) => ask({ ...request, headers: { authorization: `Bearer ${token}` } });
  if (token === "") return <TokenForm onToken={setToken} />;
  const choice = (
    <div className="flex flex-wrap items-center gap-3">
      <Segments
        label="Section"
        value={section}
        choices={SECTIONS}
        onChange={(next) => setSection(next as Section)}
      />
      <Button kind="quiet" onClick={() => setToken("")}>
        Other token
      </Button>
    </div>
  );
  return (
    <Page title="Administration" actions={choice}>
      <Card flush>
        {section === "applications" ? <Applications askAs={askAs} /> : null}
        {section === "vaults" ? <Vaults askAs={askAs} /> : null}
        {section === "audit" ? <AuditLog askAs={askAs} /> : null}
      </Card>
    </Page>
  );
}

function TokenForm({ onToken }: { onToken: (token: string) => void }) {
  const [text, setText] = useState("");
  return (
    <Page
      title="Administration"
      lead="The token is kept in this page's memory and is gone when it is closed."
      narrow
    >
      <Card>
        <form
          className="space-y-4"
          onSubmit={(event) => {
            event.preventDefault();
            onToken(text.trim());
          }}
        >
          <TextField
            label="Administrator's token"
            type="password"
            autoComplete="off"
            required
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <Button type="submit">Continue</Button>
        </form>
      </Card>
    </Page>
  );
}

const Failed = ({ error }: { error: unknown }): ReactNode => (
  <div className="p-4 sm:px-5">
    <ErrorState error={error} />
  </div>
);

const STATUS_TONES: Readonly<Record<string, Tone>> = {
  pending: "accent",
  approved: "good",
  active: "good",
  candidate: "accent",
  refused: "bad",
  rejected: "bad",
  revoked: "bad",
  paused: "warn",
};

const Status = ({ status }: { status: string }): ReactNode => (
  <Badge tone={STATUS_TONES[status] ?? "neutral"}>{capitalize(status)}</Badge>
);

/** Decisions that an administrator can make, by the status of the application. */
const DECISIONS: Readonly<Record<string, readonly string[]>> = {
  pending: ["approve", "reject"],
  approved: ["revoke"],
  rejected: ["reopen"],
  revoked: ["reopen"],
};

function Applications({ askAs }: { askAs: Ask }) {
  const cache = useQueryClient();
  const query = useQuery({
    queryKey: ["admin applications"],
    queryFn: ({ signal }) =>
      askAs<"admin.applications.list">({ path: "/v1/admin/applications", query: { limit: 100 }, signal }),
    gcTime: 0,
  });
  const decide = useMutation({
    mutationFn: (of: { id: string; decision: string }) =>
      askAs({ method: "POST", path: `/v1/admin/applications/${of.id}/${of.decision}`, body: {} }),
    onSuccess: () => cache.invalidateQueries({ queryKey: ["admin applications"] }),
  });
  return (
    <Loaded query={query}>
      {(applications) =>
        applications.length === 0 ? (
          <EmptyState title="No applications" />
        ) : (
          <>
            {decide.error === null ? null : <Failed error={decide.error} />}
            <DataTable
              columns={[
                { label: "Company" },
                { label: "Wallet", minor: true },
                { label: "Sent", minor: true },
                { label: "Status" },
                { label: "Decision" },
              ]}
              rows={applications.map((application) => ({
                id: application.applicationId,
                name: (
                  <>
                    {application.form.company}
                    <span className="block text-sm font-normal break-all text-muted">
                      {application.form.email}
                    </span>
                  </>
                ),
                cells: [
                  <span key="wallet" className="font-mono text-[13px]" title={application.address}>
                    {shorten(application.address)}
                  </span>,
                  formatAge(application.createdAt, Date.now()),
                  <Status key="status" status={application.status} />,
                  <span key="decision" className="flex flex-wrap justify-end gap-1">
                    {(DECISIONS[application.status] ?? []).map((decision) =>
                      decision === "revoke" ? (
                        <ConfirmedAction
                          key={decision}
                          label="Revoke"
                          subject={application.form.company}
                          consequence="The partner's keys and sessions stop working at once, and stay invalid even if the application is approved again."
                          act={() => decide.mutateAsync({ id: application.applicationId, decision })}
                        />
                      ) : (
                        <Button
                          key={decision}
                          kind="quiet"
                          busy={decide.isPending}
                          onClick={() => decide.mutate({ id: application.applicationId, decision })}
                        >
                          {capitalize(decision)}
                          <span className="sr-only"> {application.form.company}</span>
                        </Button>
                      ),
                    )}
                  </span>,
                ],
              }))}
            />
          </>
        )
      }
    </Loaded>
  );
}

const STATES = ["", "candidate", "active", "refused", "paused", "unsupported"];

function Vaults({ askAs }: { askAs: Ask }) {
  const [state, setState] = useState("");
  const cache = useQueryClient();
  const query = useQuery({
    queryKey: ["admin vaults", state],
    queryFn: ({ signal }) =>
      askAs<"admin.vaults.list">({
        path: "/v1/admin/vaults",
        query: { limit: 500, state: state === "" ? undefined : state },
        signal,
      }),
    gcTime: 0,
  });
  const prove = useMutation({
    mutationFn: (vaultId: string) =>
      askAs({ method: "POST", path: `/v1/admin/vaults/${encodeURIComponent(vaultId)}/prove` }),
    onSuccess: () => cache.invalidateQueries({ queryKey: ["admin vaults"] }),
  });
  return (
    <>
      <div className="border-b border-line px-4 py-3 sm:px-5">
        <div className="max-w-xs">
          <SelectField
            label="State"
            hideLabel
            value={state}
            choices={STATES.map((value) => ({
              value,
              label: value === "" ? "All states" : capitalize(value),
            }))}
            onChange={setState}
          />
        </div>
      </div>
      {prove.error === null ? null : <Failed error={prove.error} />}
      <Loaded query={query} rows={8}>
        {(vaults) => (
          <DataTable
            columns={[
              { label: "Vault" },
              { label: "Claim", minor: true, text: true },
              { label: "Proof", minor: true, text: true },
              { label: "State" },
              { label: "Action" },
            ]}
            rows={vaults.map((vault) => ({
              id: vault.vaultId,
              name: (
                <div className="sm:min-w-44">
                  {vault.name}
                  <span className="block font-mono text-xs font-normal text-muted" title={vault.vaultId}>
                    {vault.chainId}:{shorten(vault.address)}
                  </span>
                  <span className="block text-xs font-normal wrap-anywhere text-muted sm:hidden">
                    {describeClaim(vault)}
                    <br />
                    Proof: {describeProof(vault)}
                  </span>
                </div>
              ),
              cells: [
                describeClaim(vault),
                describeProof(vault),
                <Status key="state" status={vault.status} />,
                <Button
                  key="prove"
                  kind="quiet"
                  busy={prove.isPending}
                  onClick={() => prove.mutate(vault.vaultId)}
                >
                  Prove<span className="sr-only"> {vault.name}</span>
                </Button>,
              ],
            }))}
          />
        )}
      </Loaded>
    </>
  );
}

type RegistryVault = Answer<"admin.vaults.list">[number];

/** Returns what a vault is claimed to be as text: its family, the asset's symbol, and the kind of source or `unknown`. */
const describeClaim = ({ adapter, asset, provenance }: RegistryVault): string =>
  [familyName(adapter), asset.symbol, `from ${provenance?.source ?? "unknown"}`]
    .filter((part) => part !== "")
    .join(", ");

/** Returns the result of a vault's last proof as text: how long ago it passed, or the reason why it did not. */
function describeProof({ proof }: RegistryVault): string {
  if (proof === null) return "None yet";
  return proof.ok ? `Passed ${formatAge(proof.at, Date.now())}` : toSentence(shortenAddresses(proof.reason));
}
