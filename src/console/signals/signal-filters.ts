/** Aspects of a vault that signals are about. */
export const dimensions = ["capital", "performance", "risk", "trust"] as const;
/** Periods that the feed can show. */
export const periods = ["24h", "7d", "30d", "90d"] as const;

/** Filters of the feed, kept in the page's URL. */
export interface SignalFilters {
  dimension?: (typeof dimensions)[number];
  since?: (typeof periods)[number];
}

/** Reads filters from the page's URL. Unknown values are ignored. */
export function readSignalFilters(search: Readonly<Record<string, unknown>>): SignalFilters {
  const dimension = dimensions.find((known) => known === search["dimension"]);
  const since = periods.find((known) => known === search["since"]);
  return { ...(dimension === undefined ? {} : { dimension }), ...(since === undefined ? {} : { since }) };
}

/** Returns the period and dimension to ask the API for; by default, all signals of the last seven days. */
export const toSignalQuery = ({ since = "7d", dimension }: SignalFilters) => ({
  since,
  dimension: dimension ?? "",
});
