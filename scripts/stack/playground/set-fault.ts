import { UsageError } from "../../command.ts";
import type { StackManifest } from "../manifest.ts";

/** Returns the emulators of a stack by their names on the command line. */
export function emulatorsOf({ emulators }: StackManifest): Record<string, string> {
  const { rpc, ...others } = emulators;
  const nodes = Object.entries(rpc).map(([chainId, url]) => [`rpc:${chainId}`, url]);
  return { ...others, ...Object.fromEntries(nodes) };
}

/**
 * Sets the faults or the relayer of an emulator, or clears them; the words are its name and the JSON, or `clear`.
 * Returns the lines to print. Throws `UsageError` for an unknown emulator or an invalid body.
 */
export async function setFault(
  stack: StackManifest,
  [name = "", json = ""]: readonly string[],
): Promise<string[]> {
  const known = emulatorsOf(stack);
  const names = name === "bridges" ? ["lifi", "across"] : [name];
  const lines: string[] = [];
  for (const one of names) {
    const url = Object.hasOwn(known, one) ? known[one] : undefined;
    if (url === undefined)
      throw new UsageError(`no emulator '${one}': bridges, ${Object.keys(known).join(", ")}`);
    lines.push(`${one}: ${await control(url, json)}`);
  }
  return lines;
}

/** Sends the settings and returns the active ones. */
async function control(url: string, json: string): Promise<string> {
  const init = json === "clear" ? { method: "DELETE" } : { method: "POST", body: json };
  const response = await fetch(`${url}/__control`, init);
  const text = await response.text();
  if (response.ok) return text;
  const { error } = JSON.parse(text) as { error?: string };
  throw new UsageError(error ?? text);
}
