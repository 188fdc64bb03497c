import { formatDuration } from "./format-times.ts";

/** How a vault settles deposits or withdrawals. */
export type Settlement = "instant" | "request" | "cooldown";

/** Returns a settlement in plain words: `Instant`, `On request, about 3 days`. */
export function describeSettlement(kind: Settlement, seconds: number | null = null): string {
  const time = seconds === null || seconds === 0 ? "" : `, ${formatDuration(seconds)}`;
  if (kind === "instant") return "Instant";
  return kind === "request" ? `On request${time}` : `Cooldown${time}`;
}

/** Names of vault families as their protocols write them; other families are shown by the API's name. */
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

/** Names a vault family. */
export function familyName(family: string): string {
  const known = FAMILIES[family] ?? FAMILIES[family.split(/[-_]/)[0] ?? ""];
  if (known !== undefined) return known;
  return family.charAt(0).toUpperCase() + family.slice(1).replaceAll(/[-_]/g, " ");
}
