import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { memo, useDeferredValue, useMemo } from "react";
import type { Vault } from "../../client/operations/read-operations.ts";
import { LIST_LIMIT, vaultsQuery } from "../api/console-queries.ts";
import { formatPercent, formatUsd } from "../format/format-numbers.ts";
import { plural } from "../format/format-text.ts";
import { formatAge } from "../format/format-times.ts";
import { describeSettlement, familyName } from "../format/format-vault-words.ts";
import { SelectField, TextField } from "../ui/controls.tsx";
import { Badge, EmptyState, Loaded } from "../ui/feedback.tsx";
import { Card, Page } from "../ui/page-and-cards.tsx";
import { TokenMark } from "../ui/token-display.tsx";
import {
  changeFilters,
  choicesOf,
  readVaultFilters,
  selectVaults,
  type VaultOrder,
} from "./vault-filters.ts";
import { describeCapacity } from "./vault-page-figures.ts";

/** Page with the listed vaults, about 5,000 at most. They are searched, filtered and sorted in the browser. */
export function VaultsPage() {
  const query = useQuery(vaultsQuery);
  return (
    <Page
      title="Vaults"
      lead="Deposit any token from any supported chain. Every vault here is proven by a simulated deposit on its real state."
    >
      <Filters vaults={query.data ?? []} />
      <Card flush>
        <Loaded query={query} rows={8}>
          {(vaults) => <VaultList vaults={vaults} />}
        </Loaded>
      </Card>
    </Page>
  );
}

function useFilters() {
  const search = useSearch({ from: "/" });
  const filters = useMemo(() => readVaultFilters(search), [search]);
  const navigate = useNavigate({ from: "/" });
  const change = (changes: Parameters<typeof changeFilters>[1]) =>
    void navigate({ search: changeFilters(filters, changes), replace: true, resetScroll: false });
  return { filters, change };
}

function Filters({ vaults }: { vaults: readonly Vault[] }) {
  const { filters, change } = useFilters();
  const { chains, assets, families } = choicesOf(vaults);
  const all = (label: string) => ({ value: "", label });
  const same = (value: string) => ({ value, label: value });
  return (
    <search className="mb-4 grid grid-cols-2 gap-2 lg:grid-cols-5">
      <div className="col-span-full">
        <TextField
          label="Search vaults"
          hideLabel
          type="search"
          placeholder="Name, token, curator or address"
          value={filters.q ?? ""}
          onChange={(event) => change({ q: event.target.value })}
        />
      </div>
      <SelectField
        label="Chain"
        hideLabel
        value={String(filters.chain ?? "")}
        choices={[all("All chains"), ...chains.map(({ value, label }) => ({ value: String(value), label }))]}
        onChange={(value) => change({ chain: value === "" ? undefined : Number(value) })}
      />
      <SelectField
        label="Token"
        hideLabel
        value={filters.asset ?? ""}
        choices={[all("All tokens"), ...assets.map(same)]}
        onChange={(asset) => change({ asset })}
      />
      <SelectField
        label="Protocol"
        hideLabel
        value={filters.family ?? ""}
        choices={[all("All protocols"), ...families.map((value) => ({ value, label: familyName(value) }))]}
        onChange={(family) => change({ family })}
      />
      <SelectField
        label="Settlement"
        hideLabel
        value={filters.settlement ?? ""}
        choices={[
          all("Any settlement"),
          { value: "instant", label: "Instant deposits" },
          { value: "request", label: "Deposits on request" },
        ]}
        onChange={(value) =>
          change({ settlement: value === "instant" || value === "request" ? value : undefined })
        }
      />
      <div className="col-span-2 lg:col-span-1">
        <SelectField
          label="Order"
          hideLabel
          value={filters.order ?? "tvl"}
          choices={[
            { value: "tvl", label: "Largest first" },
            { value: "apy", label: "Highest APY first" },
            { value: "name", label: "By name" },
          ]}
          onChange={(value) => change({ order: value as VaultOrder })}
        />
      </div>
    </search>
  );
}

const COLUMNS =
  "grid-cols-[minmax(0,1fr)_auto] md:grid-cols-[minmax(0,2.4fr)_6.5rem_5rem_minmax(0,1.2fr)_6rem] lg:grid-cols-[minmax(0,2.4fr)_minmax(0,0.9fr)_6.5rem_5rem_minmax(0,1fr)_11rem_5.5rem]";

/** Number of rows that fill the first screen. */
const FIRST_ROWS = 14;

function VaultList({ vaults }: { vaults: readonly Vault[] }) {
  const { filters } = useFilters();
  const shown = useMemo(() => selectVaults(vaults, filters), [vaults, filters]);
  // The first screen is drawn at once, the rest and every later change in the background, without a long pause.
  const rows = useDeferredValue(shown, shown.slice(0, FIRST_ROWS));
  if (vaults.length === 0)
    return <EmptyState title="No vaults yet">A vault appears here as soon as it is proven.</EmptyState>;
  const more =
    vaults.length >= LIST_LIMIT ? ` The list ends at ${LIST_LIMIT}; search in the API for others.` : "";
  return (
    <>
      <p role="status" className="border-b border-line px-4 py-2 text-sm text-muted sm:px-5">
        {shown.length === vaults.length
          ? plural(vaults.length, "vault")
          : `${shown.length} of ${plural(vaults.length, "vault")}`}
        .{more}
      </p>
      {shown.length === 0 ? (
        <EmptyState title="No vault matches">Remove a filter, or search for something else.</EmptyState>
      ) : (
        <>
          <div
            aria-hidden="true"
            className={`hidden gap-4 border-b border-line px-5 py-2 text-xs font-medium text-muted md:grid ${COLUMNS}`}
          >
            <span>Vault</span>
            <span className="hidden lg:block">Chain</span>
            <span className="text-right">Total value</span>
            <span className="text-right">APY, 7 days</span>
            <span className="hidden text-right lg:block">Room</span>
            <span className="lg:pl-2">Deposit / withdrawal</span>
            <span className="text-right">Last proof</span>
          </div>
          <ul className="divide-y divide-line">
            {rows.map((vault) => (
              <VaultRow key={vault.vaultId} vault={vault} />
            ))}
          </ul>
        </>
      )}
    </>
  );
}

const VaultRow = memo(function VaultRow({ vault }: { vault: Vault }) {
  const { asset, settlement, proof } = vault;
  const settles = [settlement.deposit, settlement.withdraw].map((kind) => describeSettlement(kind));
  return (
    <li className="[contain-intrinsic-size:auto_4.3rem] [content-visibility:auto]">
      <Link
        to="/vaults/$vaultId"
        params={{ vaultId: vault.vaultId }}
        className={`grid items-center gap-x-4 gap-y-1 px-4 py-3 hover:bg-raised focus-visible:-outline-offset-2 sm:px-5 ${COLUMNS}`}
      >
        <span className="flex min-w-0 items-center gap-3">
          <TokenMark symbol={asset.symbol} />
          <span className="min-w-0">
            <span className="flex items-center gap-2">
              <span className="line-clamp-3 min-w-0 font-medium break-words">{vault.name}</span>
              {vault.paused ? (
                <Badge tone="warn">Paused</Badge>
              ) : vault.maxDeposit === 0n ? (
                <Badge tone="warn">Full</Badge>
              ) : null}
            </span>
            <span className="block truncate text-sm text-muted">
              {familyName(vault.family)} · {asset.symbol}
              <span className="lg:hidden"> · {vault.chainName}</span>
              {vault.curator === "" ? "" : ` · ${vault.curator}`}
            </span>
          </span>
        </span>
        <span className="hidden truncate text-sm lg:block">{vault.chainName}</span>
        <span className="text-right text-sm tabular-nums">
          <span className="sr-only">Total value </span>
          {formatUsd(vault.tvlUsd, true)}
          <span className="block text-muted md:hidden">
            <span aria-hidden="true">APY </span>
            {formatPercent(vault.apy7d)}
          </span>
        </span>
        <span className="hidden text-right text-sm tabular-nums md:block">
          <span className="sr-only">APY of 7 days </span>
          {formatPercent(vault.apy7d)}
        </span>
        <span className="hidden truncate text-right text-sm tabular-nums lg:block">
          <span className="sr-only">Room for deposits </span>
          {describeCapacity(vault)}
        </span>
        <span className="hidden text-sm md:block lg:pl-2">
          {settles[0]} / {settles[1]?.toLowerCase()}
        </span>
        <span className="hidden text-right text-sm text-muted md:block">
          {proof === null ? "–" : proof.ok ? formatAge(proof.at, Date.now()) : "refused"}
        </span>
      </Link>
    </li>
  );
});
