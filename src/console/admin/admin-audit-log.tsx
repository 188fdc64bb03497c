import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Ask } from "../api/console-client.ts";
import { capitalize, shortenAddresses } from "../format/format-text.ts";
import { formatTime } from "../format/format-times.ts";
import { DataTable } from "../ui/data-table.tsx";
import { EmptyState, Loaded } from "../ui/feedback.tsx";

/** Table of the newest 100 entries of the audit log. */
export function AuditLog({ askAs }: { askAs: Ask }) {
  const query = useQuery({
    queryKey: ["admin audit"],
    queryFn: ({ signal }) => askAs<"admin.audit">({ path: "/v1/admin/audit", query: { limit: 100 }, signal }),
    gcTime: 0,
  });
  return (
    <Loaded query={query} rows={8}>
      {(entries) =>
        entries.length === 0 ? (
          <EmptyState title="Nothing was decided yet" />
        ) : (
          <DataTable
            columns={[
              { label: "Action" },
              { label: "Subject", text: true },
              { label: "By", minor: true, text: true },
              { label: "Time" },
            ]}
            rows={entries.map(({ id, action, subject, actor, at }) => ({
              id,
              name: capitalize(action.replaceAll(/[._]/g, " ")),
              cells: [
                <Identifier key="subject" text={subject} />,
                <Identifier key="actor" text={actor} />,
                formatTime(at),
              ],
            }))}
          />
        )
      }
    </Loaded>
  );
}

/** An id or address in the audit log. Addresses are shortened; the tooltip shows all of it. */
const Identifier = ({ text }: { text: string }): ReactNode => (
  <span title={text} className="font-mono text-[13px] wrap-anywhere">
    {shortenAddresses(text)}
  </span>
);
