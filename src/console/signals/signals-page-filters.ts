/** The aspects of a vault that a signal can concern. */
export const dimensions = ["capital", "performance", "risk", "trust"] as const;
/** Periods that the feed can cover. */
export const periods = ["24h", "7d", "30d", "90d"] as const;

/** Filters of the feed, stored in the page's URL. A missing filter has the default of `toSignalQuery`. */
export interface SignalFilters {
  dimension?: (typeof dimensions)[number];
  since?: (typeof periods)[number];
}

/** Parses the filters in the page's URL. Unknown values are ignored. */
export function readSignalFilters(search: Readonly<Record<string, unknown>>): SignalFilters {
  const dimension = dimensions.find((known) => known === search["dimension"]);
  const since = periods.find((known) => known === search["since"]);
  return { ...(dimension === undefined ? {} : { dimension }), ...(since === undefined ? {} : { since }) };
}

/**
 * Converts the filters to the API's parameters. Without filters: signals of all dimensions (an empty text) from the
 * last seven days.
 */
export const toSignalQuery = ({ since = "7d", dimension }: SignalFilters) => ({
  since,
  dimension: dimension ?? "",
});
