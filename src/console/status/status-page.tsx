import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Answer } from "../../client/read-actions.ts";
import { formatChain, type ListedChain } from "../api/chain-names.ts";
import { bridgesQuery, chainsQuery, healthQuery } from "../api/console-queries.ts";
import { formatAge, formatDuration, formatTime, plural } from "../format/words.ts";
import { Badge, Loaded, Notice } from "../ui/feedback.tsx";
import { Card, Page, Stat } from "../ui/layout.tsx";
import { findTroubles } from "./service-troubles.ts";

type Health = Answer<"health.details">;

/** The state of the service: chains, nodes, stores, index and jobs. */
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

function Rows({ head, children }: { head: readonly string[]; children: ReactNode }) {
  return (
    <div className="overflow-x-auto">
      <table className="w-full text-sm">
        <thead>
          <tr className="border-b border-line text-left text-xs text-muted">
            {head.map((name, index) => (
              <th
                key={name}
                scope="col"
                className={`px-4 py-2 font-medium sm:px-5 ${index === 0 ? "" : "text-right"}`}
              >
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">{children}</tbody>
      </table>
    </div>
  );
}

function Row({ name, cells }: { name: string; cells: readonly ReactNode[] }) {
  return (
    <tr>
      <th scope="row" className="px-4 py-2.5 text-left font-medium sm:px-5">
        {name}
      </th>
      {cells.map((cell, index) => (
        <td
          key={`${name} ${String(index)}`}
          className="px-4 py-2.5 text-right whitespace-nowrap tabular-nums sm:px-5"
        >
          {cell}
        </td>
      ))}
    </tr>
  );
}

function longestWait({ deposits }: Health): string {
  if (deposits === null) return "–";
  return deposits.oldestDueS === null ? "None" : formatDuration(deposits.oldestDueS);
}

const block = (number: number | null) => (number === null ? "–" : number.toLocaleString("en-US"));

function Chains({ health, chains }: { health: Health; chains: readonly ListedChain[] }) {
  return (
    <Card title="Chains" flush>
      <Rows head={["Chain", "Nodes", "Head", "Index behind", "Deposits read up to"]}>
        {health.chains.map(({ chainId, nodes, head, index, deposits }) => (
          <Row
            key={chainId}
            name={formatChain(chains, chainId)}
            cells={[
              nodes,
              block(head),
              index.lagBlocks === null ? "–" : plural(index.lagBlocks, "block"),
              deposits === null ? "Nothing to follow" : `${formatDuration(deposits.lagS)} ago`,
            ]}
          />
        ))}
      </Rows>
    </Card>
  );
}

/** Names of the parts that the API calls by keys. */
const PARTS: Readonly<Record<string, string>> = { database: "Database", redis: "Cache" };

function Dependencies({ health, chains }: { health: Health; chains: readonly ListedChain[] }) {
  const nameOf = (key: string) => {
    const chainId = /^chain:(\d+)$/.exec(key)?.[1];
    return chainId === undefined ? (PARTS[key] ?? key) : `${formatChain(chains, Number(chainId))} nodes`;
  };
  return (
    <Card title="Dependencies" flush>
      <Rows head={["Name", "Response time", "State"]}>
        {health.dependencies.map(({ name, ok, latencyMs, code }) => (
          <Row
            key={name}
            name={nameOf(name)}
            cells={[
              `${latencyMs} ms`,
              <Badge key="state" tone={ok ? "good" : "bad"}>
                {ok ? "Working" : (code ?? "Failing")}
              </Badge>,
            ]}
          />
        ))}
        {(health.providers ?? []).map(({ name }) => (
          <Row key={name} name={PROVIDERS[name] ?? name} cells={["–", <Badge key="state">In use</Badge>]} />
        ))}
      </Rows>
    </Card>
  );
}

const PROVIDERS: Readonly<Record<string, string>> = { across: "Across", lifi: "LI.FI", kyber: "KyberSwap" };

function Jobs({ health }: { health: Health }) {
  return (
    <Card title="Jobs" flush>
      <Rows head={["Job", "Last run", "State"]}>
        {health.jobs.map(({ name, startedAt, ok, code }) => (
          <Row
            key={name}
            name={name.charAt(0).toUpperCase() + name.slice(1).replaceAll("_", " ")}
            cells={[
              startedAt === null ? "Not yet" : formatAge(startedAt, Date.now()),
              ok === null ? (
                <Badge key="state">Running</Badge>
              ) : (
                <Badge key="state" tone={ok ? "good" : "bad"}>
                  {ok ? "Succeeded" : (code ?? "Failed")}
                </Badge>
              ),
            ]}
          />
        ))}
      </Rows>
    </Card>
  );
}
