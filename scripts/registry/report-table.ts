import { formatUnits } from "viem";
import type { Provenance, VaultClaim, VaultProof } from "../../src/db/tables/vault-tables.ts";
import type { StoredVault } from "../../src/vaults/vault.ts";
import type { RegistryReport } from "../registry-check.ts";
import type { CheckedRow } from "./check-row.ts";

/** A registry row with its claim and last proof, if its source contains them. */
export type ReportedRow = StoredVault & {
  claim?: VaultClaim | null;
  proof?: VaultProof | null;
  provenance?: Provenance;
  namedBy?: readonly string[];
};

/** Number of characters of a line, so that a report reads well in a usual terminal. */
const WIDTH = 100;
const ADDRESS_WIDTH = 42;
const VERDICT_WIDTH = 9;
const FAMILY_WIDTH = 14;
/** Indentation of the details below a vault's line. */
const INDENT = VERDICT_WIDTH + 2;
const LABEL_WIDTH = 8;

const ROUTER: Readonly<Record<RegistryReport["router"], string>> = {
  right: "DepositRouter: the expected code",
  absent: "DepositRouter: not deployed; deposits call the vaults' own entry points",
  differs: "DepositRouter: OTHER CODE at its address; nothing is submitted",
};
const ORDER: readonly CheckedRow["verdict"][] = ["wrong", "unknown", "derived", "right"];

/**
 * Formats the comparison of a chain's rows with their contracts, contradictions first, in lines of up to 100
 * characters.
 */
export function formatReport({ router, checked, submitted }: RegistryReport): string {
  const rows = [...checked].sort((a, b) => ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict));
  const lines = rows.flatMap(({ row, verdict, found, detail }) => [
    vaultLine(row, {
      verdict: submitted.includes(row.address) ? "submitted" : verdict,
      family: found?.adapter ?? row.adapter,
    }),
    ...(detail === "" ? [] : detailLines("chain", detail)),
    ...claimLines(row),
  ]);
  const counts = ORDER.map(
    (verdict) => `${checked.filter((one) => one.verdict === verdict).length} ${verdict}`,
  );
  return [...lines, "", ROUTER[router], `${counts.join(", ")}; ${submitted.length} submitted`].join("\n");
}

const STATES: readonly StoredVault["status"][] = ["refused", "candidate", "paused", "unsupported", "active"];

/**
 * Formats stored rows with their claims and proofs, without reading a chain: refused ones first, then candidates, paused,
 * unsupported and active ones, each group by chain id. The last line counts the rows by status.
 */
export function formatClaims(rows: readonly ReportedRow[]): string {
  const sorted = [...rows].sort(
    (a, b) => STATES.indexOf(a.status) - STATES.indexOf(b.status) || a.chainId - b.chainId,
  );
  const lines = sorted.flatMap((row) => [
    vaultLine(row, { verdict: row.status, family: row.adapter }),
    ...(row.statusReason === "" ? [] : detailLines("reason", row.statusReason)),
    ...claimLines(row),
  ]);
  const counts = STATES.map((state) => `${rows.filter(({ status }) => status === state).length} ${state}`);
  return [...lines, "", counts.join(", ")].join("\n");
}

/** Returns a vault's own line: verdict, family, address, and the name as far as it fits. */
function vaultLine(row: ReportedRow, { verdict, family }: { verdict: string; family: string }): string {
  const start = `${verdict.padEnd(VERDICT_WIDTH)}  ${family.padEnd(FAMILY_WIDTH)} `;
  const shown = `${start}${row.address.padEnd(ADDRESS_WIDTH)}  `;
  return `${shown}${cut(row.name, WIDTH - shown.length)}`.trimEnd();
}

const cut = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1)}…`;

/** Returns the lines about a claim, unless it equals the row, and about the last proof. */
function claimLines(row: ReportedRow): string[] {
  const { claim = null, proof = null } = row;
  const claimed = claim === null ? "" : claimText(row, claim);
  return [
    ...(claimed === "" ? [] : detailLines("claim", claimed)),
    ...(proof === null ? [] : detailLines("proof", proofText(row, proof))),
  ];
}

function claimText({ provenance, namedBy = [] }: ReportedRow, claim: VaultClaim): string {
  const by = provenance === undefined ? "" : ` of ${provenance.source} ${provenance.detail}`.trimEnd();
  const asset = claim.asset === null ? "" : `, asset ${claim.asset}`;
  const named = namedBy.length === 0 ? "" : `; named by ${namedBy.join(", ")}`;
  return `${claim.adapter}${asset}${by === "" ? "" : `,${by}`}${named}`;
}

function proofText(row: ReportedRow, proof: VaultProof): string {
  const { assetSymbol, assetDecimals, shareDecimals, statusReason } = row;
  const shares = proof.shares === null ? "no" : formatUnits(BigInt(proof.shares), shareDecimals);
  const assets = (amount: string): string => `${formatUnits(BigInt(amount), assetDecimals)} ${assetSymbol}`;
  const at = `${proof.at.slice(0, 16).replace("T", " ")}${proof.blockNumber === null ? "" : `, block ${proof.blockNumber}`}`;
  const amounts = proof.amount === null ? "" : `, ${assets(proof.amount)} gave ${shares} shares`;
  const back = proof.returned === null ? "" : `, which return ${assets(proof.returned)}`;
  const why = proof.reason === "" || proof.reason === statusReason ? "" : `: ${proof.reason}`;
  return `${proof.ok ? "passed" : "failed"} ${at}${amounts}${back}${why}`;
}

/** Returns a labelled text below a vault, wrapped at words. A word longer than a line is broken. */
function detailLines(label: string, text: string): string[] {
  const room = WIDTH - INDENT - LABEL_WIDTH;
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ").flatMap((one) => one.match(new RegExp(`.{1,${room}}`, "g")) ?? [])) {
    if (line !== "" && line.length + 1 + word.length > room) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  lines.push(line);
  return lines.map(
    (part, index) => " ".repeat(INDENT) + (index === 0 ? label : "").padEnd(LABEL_WIDTH) + part,
  );
}
