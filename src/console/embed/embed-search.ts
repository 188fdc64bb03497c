/** URL parameters of an embedded form. */
export interface EmbedSearch {
  /** Id of the vault to deposit into. Empty if missing. */
  vault: string;
  /** Origin of the embedding page. Empty if missing or invalid. */
  host: string;
  /** Tracking id of a deposit to show in place of the form. Absent if missing or invalid. */
  deposit?: string;
}

/**
 * Parses the URL parameters of an embedded form. A missing vault, and a missing or invalid host, become empty strings;
 * an invalid deposit is left out. `host` must be exactly an `http` or `https` origin.
 */
export function readEmbedSearch(search: Readonly<Record<string, unknown>>): EmbedSearch {
  const { vault, host, deposit } = search;
  return {
    vault: typeof vault === "string" ? vault : "",
    host: typeof host === "string" ? originOf(host) : "",
    ...(typeof deposit === "string" && /^trk_\w+$/.test(deposit) ? { deposit } : {}),
  };
}

/** Returns the text if it is exactly the origin of a website (`https://example.com`), otherwise an empty string. */
function originOf(text: string): string {
  if (!URL.canParse(text)) return "";
  const { origin, protocol } = new URL(text);
  return (protocol === "https:" || protocol === "http:") && origin === text ? origin : "";
}
