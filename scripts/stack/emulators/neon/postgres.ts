import type { EventEmitter } from "node:events";
import { Pool, type PoolClient } from "pg";
import { type Backend, parseCommandTag, type Run, StatementError } from "./backend.ts";
import { toPostgresText } from "./parameters.ts";

/**
 * Opens a real Postgres, with real concurrency, lock waits and serialization failures. Throws when it cannot be
 * reached.
 */
export async function openPostgres(connectionString: string): Promise<Backend> {
  const pool = new Pool({ connectionString, max: 20 });
  pool.on("error", () => undefined);
  await pool.query("select 1").catch(async (error: Error) => {
    await pool.end();
    throw new Error(`Postgres at ${new URL(connectionString).host} does not answer: ${error.message}`);
  });
  const session = async <T>(work: (run: Run) => Promise<T>): Promise<T> => {
    const client = await pool.connect();
    let unusable = false;
    try {
      return await work((statement) => execute(client, statement.query, statement.params));
    } catch (error) {
      unusable = !(error instanceof StatementError);
      throw error;
    } finally {
      if (!unusable) unusable = !(await clean(client));
      client.release(unusable);
    }
  };
  return { session, close: () => pool.end() };
}

async function clean(client: PoolClient): Promise<boolean> {
  try {
    await client.query("ROLLBACK");
    await client.query("DISCARD ALL");
    return true;
  } catch {
    return false;
  }
}

/** Reads the wire messages, which alone show a `ROLLBACK` outside a transaction and the command tag. */
async function execute(client: PoolClient, query: string, params: readonly unknown[]) {
  const { connection } = client as unknown as { connection: EventEmitter & { sync(): void } };
  let tag = "";
  const onComplete = (message: { text: string }) => {
    tag = message.text;
  };
  // The driver answers COPY FROM STDIN with a failure message, and Postgres ignores the sync sent before it.
  const onCopyIn = () => connection.sync();
  connection.on("commandComplete", onComplete);
  connection.on("copyInResponse", onCopyIn);
  try {
    const { fields, rows } = await client.query<(string | null)[]>({
      text: query,
      values: params.map(toPostgresText),
      rowMode: "array",
      queryMode: "extended",
      types: { getTypeParser: () => (text: string) => text },
    } as unknown as { text: string; rowMode: "array" });
    return { fields, rows, ...parseCommandTag(tag) };
  } catch (error) {
    if (error instanceof Error && "severity" in error) throw new StatementError(error);
    throw error;
  } finally {
    connection.off("commandComplete", onComplete);
    connection.off("copyInResponse", onCopyIn);
  }
}
