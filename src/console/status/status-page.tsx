import { useQuery } from "@tanstack/react-query";
import type { Answer } from "../../client/operations/read-operations.ts";
import { formatChain, type ListedChain } from "../api/console-chain-names.ts";
import { bridgesQuery, chainsQuery, healthQuery } from "../api/console-queries.ts";
import { plural } from "../format/format-text.ts";
import { formatAge, formatDuration, formatTime } from "../format/format-times.ts";
import { DataTable } from "../ui/data-table.tsx";
import { Badge, Loaded, Notice } from "../ui/feedback.tsx";
import { Card, Page, Stat } from "../ui/page-and-cards.tsx";
import { findTroubles, jobName } from "./status-page-troubles.ts";

type Health = Answer<"health.details">;

/** Page with the health of the service: chains, nodes, database, cache, index and jobs. */
export function StatusPage() {
  const query = useQuery(healthQuery);
  return (
    <Page title="Status" lead="The service as it measures itself, read again every 30 seconds.">
      <Loaded query={query} rows={8}>
        {(health) => <Overview health={health} />}
      </Loaded>
    </Page>
  );
}

function Overview({ health }: { health: Health }) {
  const chains = useQuery(chainsQuery).data ?? [];
  const troubles = findTroubles(health, chains);
  return (
    <div className="space-y-6">
      <Notice
        tone={troubles.length === 0 ? "good" : "warn"}
        title={troubles.length === 0 ? "Everything works" : "Something is limited"}
      >
        {troubles.length === 0 ? (
          <p>Measured {formatTime(health.at)}.</p>
        ) : (
          <ul className="list-disc pl-5">
            {troubles.map((trouble) => (
              <li key={trouble}>{trouble}</li>
            ))}
          </ul>
        )}
      </Notice>
      <dl className="grid grid-cols-2 gap-4 sm:grid-cols-4">
        <Stat label="Deposits under way" value={block(health.deposits?.underWay ?? null)} />
        <Stat label="Waiting for a check" value={block(health.deposits?.due ?? null)} />
        <Stat label="Longest wait" value={longestWait(health)} />
        <Stat label="Bridges" value={useQuery(bridgesQuery).data?.length ?? "–"} />
      </dl>
      <Chains health={health} chains={chains} />
      <div className="grid gap-6 lg:grid-cols-2">
        <Dependencies health={health} chains={chains} />
        <Jobs health={health} />
      </div>
    </div>
  );
}

function longestWait({ deposits }: Health): string {
  if (deposits === null) return "–";
  return deposits.oldestDueS === null ? "None" : formatDuration(deposits.oldestDueS);
}

const block = (number: number | null) => (number === null ? "–" : number.toLocaleString("en-US"));

function Chains({ health, chains }: { health: Health; chains: readonly ListedChain[] }) {
  const columns = [
    { label: "Chain" },
    { label: "Nodes", minor: true },
    { label: "Head", minor: true },
    { label: "Index behind" },
    { label: "Deposits read up to" },
  ];
  const rows = health.chains.map(({ chainId, nodes, head, index, deposits }) => ({
    id: String(chainId),
    name: formatChain(chains, chainId),
    cells: [
      nodes,
      block(head),
      index.lagBlocks === null ? "–" : plural(index.lagBlocks, "block"),
      deposits === null ? "Nothing to follow" : `${formatDuration(deposits.lagS)} ago`,
    ],
  }));
  return (
    <Card title="Chains" flush>
      <DataTable columns={columns} rows={rows} />
    </Card>
  );
}

/** Display names of the API's dependencies, by key. */
const PARTS: Readonly<Record<string, string>> = {
  database: "Database",
  redis: "Cache",
  across: "Across",
  lifi: "LI.FI",
  kyber: "KyberSwap",
  velora: "Velora",
};

function Dependencies({ health, chains }: { health: Health; chains: readonly ListedChain[] }) {
  const nameOf = (key: string) => {
    const chainId = /^chain:(\d+)$/.exec(key)?.[1];
    return chainId === undefined ? (PARTS[key] ?? key) : `${formatChain(chains, Number(chainId))} nodes`;
  };
  const own = health.dependencies.map(({ name, ok, latencyMs, code }) => ({
    id: name,
    name: nameOf(name),
    cells: [`${latencyMs} ms`, <Outcome key={name} ok={ok} words={["Working", code ?? "Failing"]} />],
  }));
  const providers = (health.providers ?? []).map(({ name }) => ({
    id: name,
    name: nameOf(name),
    cells: ["–", <Badge key={name}>In use</Badge>],
  }));
  return (
    <Card title="Dependencies" flush>
      <DataTable
        columns={[{ label: "Name" }, { label: "Response time" }, { label: "State" }]}
        rows={[...own, ...providers]}
      />
    </Card>
  );
}

function Outcome({ ok, words }: { ok: boolean | null; words: readonly [good: string, bad: string] }) {
  if (ok === null) return <Badge>Running</Badge>;
  return <Badge tone={ok ? "good" : "bad"}>{ok ? words[0] : words[1]}</Badge>;
}

function Jobs({ health }: { health: Health }) {
  const rows = health.jobs.map(({ name, startedAt, ok, code }) => ({
    id: name,
    name: jobName(name),
    cells: [
      <span key="run" className="whitespace-nowrap">
        {startedAt === null ? "Not yet" : formatAge(startedAt, Date.now())}
      </span>,
      startedAt === null ? "–" : <Outcome key={name} ok={ok} words={["Succeeded", code ?? "Failed"]} />,
    ],
  }));
  return (
    <Card title="Jobs" flush>
      <DataTable columns={[{ label: "Job" }, { label: "Last run" }, { label: "State" }]} rows={rows} />
    </Card>
  );
}
