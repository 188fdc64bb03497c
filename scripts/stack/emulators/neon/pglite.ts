import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { type messages, PGlite, protocol } from "@electric-sql/pglite";
import { type Backend, parseCommandTag, type Run, StatementError, type StatementResult } from "./backend.ts";
import { toPostgresText } from "./parameters.ts";

const { serialize } = protocol;
/**
 * Resets a session before the next one. Most sessions leave no transaction open, and a ROLLBACK without one costs three
 * times as much as all of this, because it warns.
 */
const RESET = Buffer.concat(["BEGIN", "ROLLBACK", "DISCARD ALL"].map((text) => serialize.query(text)));

/** An embedded Postgres that can save its data. */
export interface PgliteBackend extends Backend {
  /** True when the data directory was restored from the snapshot. */
  restored: boolean;
  /** Writes the data directory to a file. */
  save(file: string): Promise<void>;
}

/**
 * Starts Postgres compiled to WASM, in memory. It has one session, so requests run one after the other. Restores a
 * readable snapshot file; otherwise initializes a new database (about 2 s).
 */
export async function openPglite(snapshotFile: string): Promise<PgliteBackend> {
  const { database, restored } = await open(snapshotFile);
  let tail: Promise<unknown> = Promise.resolve();
  /** Runs `work` after all earlier work; the response does not wait for `cleanUp`. */
  const exclusively = <T>(work: () => Promise<T>, cleanUp?: () => Promise<unknown>): Promise<T> => {
    const result = tail.then(work);
    tail = result.catch(() => undefined).then(cleanUp);
    return result;
  };
  const run: Run = ({ query, params }) => execute(database, query, params);
  const reset = () => database.execProtocol(RESET, { throwOnError: false });
  const session = <T>(work: (run: Run) => Promise<T>) => exclusively(() => work(run), reset);
  const save = (file: string) => exclusively(() => saveArchive(database, file));
  return { session, restored, save, close: () => database.close() };
}

async function open(snapshotFile: string): Promise<{ database: PGlite; restored: boolean }> {
  if (existsSync(snapshotFile)) {
    try {
      const loadDataDir = new Blob([await readFile(snapshotFile)]);
      return { database: await PGlite.create({ loadDataDir }), restored: true };
    } catch {
      await rm(snapshotFile, { force: true });
    }
  }
  return { database: await PGlite.create(), restored: false };
}

async function saveArchive(database: PGlite, file: string): Promise<void> {
  const dump = await database.dumpDataDir("none");
  await mkdir(dirname(file), { recursive: true });
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, new Uint8Array(await dump.arrayBuffer()));
  await rename(draft, file);
}

/** Runs one statement in the extended protocol, with untyped text parameters and text results. */
async function execute(
  database: PGlite,
  query: string,
  params: readonly unknown[],
): Promise<StatementResult> {
  const request = Buffer.concat([
    serialize.parse({ text: query }),
    serialize.bind({ values: params.map(toPostgresText) }),
    serialize.describe({ type: "P" }),
    serialize.execute({}),
    serialize.copyFail("COPY is not supported over HTTP"),
    serialize.sync(),
  ]);
  const result: StatementResult = { fields: [], rows: [], command: "", rowCount: null };
  const rows: (string | null)[][] = [];
  for (const message of (await database.execProtocol(request, { throwOnError: false })).messages) {
    if (message.name === "error") throw new StatementError(message as messages.DatabaseError);
    if (message.name === "dataRow") rows.push((message as messages.DataRowMessage).fields);
    if (message.name === "rowDescription") result.fields = (message as messages.RowDescriptionMessage).fields;
    if (message.name === "commandComplete")
      Object.assign(result, parseCommandTag((message as messages.CommandCompleteMessage).text));
  }
  return { ...result, rows };
}
