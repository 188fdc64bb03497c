import { beforeAll, inject } from "vitest";
import { rpc } from "../../scripts/stack/chains/json-rpc.ts";
import { query } from "./database.ts";

/**
 * All end-to-end files drive one stack. A file fails that leaves it other than it was: an emulator still misbehaving,
 * a chain that does not mine by itself, a vault changed in the registry.
 */
beforeAll(async () => {
  const before = await look();
  return async () => {
    const after = await look();
    const left = Object.keys(before).filter((name) => before[name] !== after[name]);
    const told = left.map((name) => `${name} was ${before[name]} and is ${after[name]}`);
    if (told.length > 0) throw new Error(`left to the next file: ${told.join("; ")}`);
  };
});

/** What of the stack is nobody's to change for good, as text. */
async function look(): Promise<Record<string, string>> {
  const { emulators, chains } = inject("stack");
  const { rpc: nodes, ...services } = emulators;
  const found: Record<string, string> = {};
  const note = async (name: string, value: Promise<unknown>) => {
    found[name] = String(await value);
  };
  const told = (url: string) => fetch(`${url}/__control`).then((answer) => answer.text());
  const registry = query(
    "select md5(string_agg(v::text, ';' order by chain_id, address)) as digest from vaults v",
  );
  await Promise.all([
    ...Object.entries({ ...services, ...nodes }).map(([name, url]) => note(`emulator ${name}`, told(url))),
    ...chains.map(({ name, rpc_url: url }) => note(`automine of ${name}`, rpc(url, "anvil_getAutomine"))),
    note(
      "the registry",
      registry.then(([row]) => row?.["digest"]),
    ),
  ]);
  return found;
}
