import type { RegistryReport } from "../registry-check.ts";
import type { CheckedRow } from "./check-row.ts";

const ROUTER: Readonly<Record<RegistryReport["router"], string>> = {
  right: "DepositRouter: the expected code",
  absent: "DepositRouter: not deployed; deposits call the vaults' own entry points",
  differs: "DepositRouter: OTHER CODE at its address; nothing is activated",
};
const ORDER: readonly CheckedRow["verdict"][] = ["wrong", "unknown", "derived", "right"];

/** Formats a report as lines of text, contradictions first. */
export function formatReport({ router, checked, activated }: RegistryReport): string {
  const rows = [...checked].sort((a, b) => ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict));
  const cells = rows.map(({ row, verdict, found, detail }) => [
    activated.includes(row.address) ? "activated" : verdict,
    row.address,
    found?.adapter ?? row.adapter,
    row.name,
    detail,
  ]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(0, ...cells.map((line) => line[column]?.length ?? 0)));
  const lines = cells.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  const counts = ORDER.map(
    (verdict) => `${checked.filter((one) => one.verdict === verdict).length} ${verdict}`,
  );
  return [...lines, "", ROUTER[router], `${counts.join(", ")}; ${activated.length} activated`].join("\n");
}
