import { formatDuration } from "./format-times.ts";

/** When a vault executes deposits or withdrawals: in the same transaction, after a request, or after a cooldown. */
export type Settlement = "instant" | "request" | "cooldown";

/**
 * Returns a settlement as text: `Instant`, `On request, 3 days`. `seconds` is the expected duration; it is left out for
 * an instant settlement, and if it is null or 0.
 */
export function describeSettlement(kind: Settlement, seconds: number | null = null): string {
  const time = seconds === null || seconds === 0 ? "" : `, ${formatDuration(seconds)}`;
  if (kind === "instant") return "Instant";
  return kind === "request" ? `On request${time}` : `Cooldown${time}`;
}

/** Display names of vault families. Other families are displayed by the API's name. */
const FAMILIES: Readonly<Record<string, string>> = {
  aave: "Aave",
  accountable: "Accountable",
  centrifuge: "Centrifuge",
  erc4626: "ERC-4626",
  erc7540: "ERC-7540",
  euler: "Euler",
  fluid: "Fluid",
  gearbox: "Gearbox",
  ipor: "IPOR Fusion",
  lagoon: "Lagoon",
  lido: "Lido",
  maple: "Maple",
  mellow: "Mellow",
  metamorpho: "Morpho",
  midas: "Midas",
  morpho: "Morpho",
  silo: "Silo",
  spark: "Spark",
  upshift: "Upshift",
  veda: "Veda",
  yearn: "Yearn",
};

/**
 * Returns the display name of a vault family. A variant such as `morpho_v2` has the name of its family (Morpho). The
 * name of an unknown family gets a capital first letter, and spaces instead of `-` and `_`.
 */
export function familyName(family: string): string {
  const known = FAMILIES[family] ?? FAMILIES[family.split(/[-_]/)[0] ?? ""];
  if (known !== undefined) return known;
  return family.charAt(0).toUpperCase() + family.slice(1).replaceAll(/[-_]/g, " ");
}

/** Returns what is shown in place of a minimum that no contract enforces. */
export const describeNoMinimum = (kind: Settlement): string =>
  kind === "request" ? "No minimum; the vault sets the price" : "No minimum";
