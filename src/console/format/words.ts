const [MINUTE, HOUR, DAY] = [60, 3_600, 86_400];

/** Formats a duration in seconds for people: `45 seconds`, `3 minutes`, `2 days`. Rounds up. */
export function formatDuration(seconds: number): string {
  if (seconds < MINUTE) return plural(Math.max(1, Math.ceil(seconds)), "second");
  if (seconds < HOUR) return plural(Math.ceil(seconds / MINUTE), "minute");
  if (seconds < 2 * DAY) return plural(Math.ceil(seconds / HOUR), "hour");
  return plural(Math.ceil(seconds / DAY), "day");
}

/** Formats how long ago a time was: `just now`, `5 min ago`, `3 h ago`, `2 d ago`. */
export function formatAge(time: string, now: number): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(time)) / 1_000));
  if (seconds < 30) return "just now";
  if (seconds < HOUR) return `${Math.max(1, Math.floor(seconds / MINUTE))} min ago`;
  if (seconds < 2 * DAY) return `${Math.floor(seconds / HOUR)} h ago`;
  return `${Math.floor(seconds / DAY)} d ago`;
}

/** Formats a time in the reader's own zone: `22 Nov 2026, 19:04`. */
export function formatTime(time: string): string {
  return new Date(time).toLocaleString("en-GB", {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
  });
}

/** Returns a count with its noun: `1 vault`, `3 vaults`. */
export function plural(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}

/** Formats a text of the API as a sentence, with a capital letter and a full stop. */
export function toSentence(text: string): string {
  const start = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(start) ? start : `${start}.`;
}

/** Shortens an address or hash to its ends: `0x1545…b7A4`. */
export function shorten(hex: string): string {
  return hex.length <= 12 ? hex : `${hex.slice(0, 6)}…${hex.slice(-4)}`;
}

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
