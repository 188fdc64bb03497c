/** What the address of an embedded page says. */
export interface EmbedSearch {
  /** The vault to deposit into, or "". */
  vault: string;
  /** Origin of the page around the frame, or "" if it is none. */
  host: string;
  /** The deposit that is shown instead of the form. */
  deposit?: string;
}

/** Reads the address of an embedded page. What is not understood is empty. */
export function readEmbedSearch(search: Readonly<Record<string, unknown>>): EmbedSearch {
  const { vault, host, deposit } = search;
  return {
    vault: typeof vault === "string" ? vault : "",
    host: typeof host === "string" ? originOf(host) : "",
    ...(typeof deposit === "string" && /^trk_\w+$/.test(deposit) ? { deposit } : {}),
  };
}

/** Returns a text that is the origin of a website, or "": a message is never sent to just any origin. */
function originOf(text: string): string {
  if (!URL.canParse(text)) return "";
  const { origin, protocol } = new URL(text);
  return (protocol === "https:" || protocol === "http:") && origin === text ? origin : "";
}
