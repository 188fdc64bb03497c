/** Parameters in the URL of an embedded page. */
export interface EmbedSearch {
  /** Id of the vault to deposit into, or an empty string. */
  vault: string;
  /** Origin of the page around the frame, or an empty string if it is invalid. */
  host: string;
  /** Tracking id of the deposit to show instead of the form. */
  deposit?: string;
}

/** Reads the parameters of an embedded page's URL. Invalid values become empty strings. */
export function readEmbedSearch(search: Readonly<Record<string, unknown>>): EmbedSearch {
  const { vault, host, deposit } = search;
  return {
    vault: typeof vault === "string" ? vault : "",
    host: typeof host === "string" ? originOf(host) : "",
    ...(typeof deposit === "string" && /^trk_\w+$/.test(deposit) ? { deposit } : {}),
  };
}

/**
 * Returns a text that is the origin of a website, or an empty string, because messages are sent only to a known origin.
 */
function originOf(text: string): string {
  if (!URL.canParse(text)) return "";
  const { origin, protocol } = new URL(text);
  return (protocol === "https:" || protocol === "http:") && origin === text ? origin : "";
}
