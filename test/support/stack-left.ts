import { beforeAll, inject } from "vitest";
import { rpc } from "../../scripts/stack/chains/json-rpc.ts";
import { query } from "./e2e/database.ts";

/**
 * Fails a test file that leaves faults in an emulator, a chain without automine or a changed registry, because all
 * end-to-end files share one stack.
 */
beforeAll(async () => {
  const before = await readState();
  return async () => {
    const after = await readState();
    const left = Object.keys(before).filter((name) => before[name] !== after[name]);
    const changes = left.map((name) => `${name} was ${before[name]} and is ${after[name]}`);
    if (changes.length > 0) throw new Error(`left to the next file: ${changes.join("; ")}`);
  };
});

/** Returns the parts of the stack's state that a test file must restore, as text. */
async function readState(): Promise<Record<string, string>> {
  const { emulators, chains } = inject("stack");
  const { rpc: nodes, ...services } = emulators;
  const found: Record<string, string> = {};
  const note = async (name: string, value: Promise<unknown>) => {
    found[name] = String(await value);
  };
  const faultsOf = (url: string) => fetch(`${url}/__control`).then((answer) => answer.text());
  // The job that proves vaults changes the columns of proofs, and the parameters that it derives, at any time; those that
  // find and judge candidates change all columns of these.
  const proofs = "params,proof,proof_due_at,proof_refusals,was_active,status_by,updated_at";
  const registry = query(
    `select md5(string_agg((to_jsonb(v) - '{${proofs}}'::text[])::text, ';' order by chain_id, address)) as digest
     from vaults v where provenance ->> 'source' not in ('factory', 'list')`,
  );
  await Promise.all([
    ...Object.entries({ ...services, ...nodes }).map(([name, url]) =>
      note(`emulator ${name}`, faultsOf(url)),
    ),
    ...chains.map(({ name, rpc_url: url }) => note(`automine of ${name}`, rpc(url, "anvil_getAutomine"))),
    note(
      "the registry",
      registry.then(([row]) => row?.["digest"]),
    ),
  ]);
  return found;
}
