/** What a signal is about. */
export const dimensions = ["capital", "performance", "risk", "trust"] as const;
/** How far back the feed reaches. */
export const periods = ["24h", "7d", "30d", "90d"] as const;

/** What the reader looks for. Kept in the page's address. */
export interface SignalFilters {
  dimension?: (typeof dimensions)[number];
  since?: (typeof periods)[number];
}

/** Reads filters from the page's address. What is not understood is left out. */
export function readSignalFilters(search: Readonly<Record<string, unknown>>): SignalFilters {
  const dimension = dimensions.find((known) => known === search["dimension"]);
  const since = periods.find((known) => known === search["since"]);
  return { ...(dimension === undefined ? {} : { dimension }), ...(since === undefined ? {} : { since }) };
}
