import { Client } from "pg";
import {
  type Backend,
  parseCommandTag,
  type Run,
  type Statement,
  StatementError,
  type StatementResult,
} from "../../../scripts/stack/emulators/neon/backend.ts";
import { toPostgresText } from "../../../scripts/stack/emulators/neon/parameters.ts";

/**
 * Statement that defines a function `now` which precedes the server's own, so that the test controls the database's
 * time.
 */
const OWN_CLOCK = `create or replace function public.now() returns timestamptz language sql stable as
  $$ select to_timestamp(current_setting('simulated.now')::float8 / 1000) $$;
  set search_path = public, pg_catalog`;

const WRITES = /\b(?:insert|update|delete|truncate|for update|do)\b/i;

/**
 * Omits the begin and commit of transactions that only read. With a single session no one else can write in between,
 * and each statement costs a round trip.
 */
function withoutIdleTransactions(ask: Run): Run {
  let opening: Statement | null = null;
  let isOpen = false;
  return async (statement) => {
    const { query } = statement;
    if (query.startsWith("START TRANSACTION")) {
      opening = statement;
      return NOTHING;
    }
    if (query === "COMMIT" && !isOpen) return NOTHING;
    if (opening !== null && !isOpen && WRITES.test(query)) {
      await ask(opening);
      isOpen = true;
    }
    return ask(statement);
  };
}

const NOTHING: StatementResult = { fields: [], rows: [], command: "", rowCount: null };

/**
 * Opens one session of a Postgres server, which all requests share in order, so that runs are reproducible. Statements
 * stay prepared, because parsing them is most of their cost. Throws if the server cannot be reached.
 */
export async function openSingleSession(connectionString: string): Promise<Backend> {
  const client = new Client({ connectionString });
  // A server that is stopped ends its connections.
  client.on("error", () => undefined);
  await client.connect();
  await client.query("set synchronous_commit = off; set jit = off");
  await client.query(OWN_CLOCK);
  let shownTime = 0;
  /** Sets the server's time to this process's, which a test may change. */
  const setClock = async (): Promise<void> => {
    const now = Date.now();
    if (now === shownTime) return;
    shownTime = now;
    await client.query("select set_config('simulated.now', $1, false)", [String(now)]);
  };
  const names = new Map<string, string>();
  /** Returns the name under which a statement is prepared. */
  const nameOf = (query: string): string => {
    const name = names.get(query) ?? `s${names.size}`;
    names.set(query, name);
    return name;
  };
  let tail: Promise<unknown> = Promise.resolve();
  const ask: Run = async ({ query, params }) => {
    const answer = await client.query<(string | null)[]>({
      name: nameOf(query),
      text: query,
      values: params.map(toPostgresText),
      rowMode: "array",
      types: { getTypeParser: () => (text: string) => text },
    } as unknown as { text: string; rowMode: "array" });
    const { fields, rows, command, rowCount } = answer;
    return { fields, rows, ...parseCommandTag(`${command} ${rowCount ?? ""}`.trim()) };
  };
  const session: Backend["session"] = (work) => {
    const result = tail.then(async () => {
      try {
        await setClock();
        return await work(withoutIdleTransactions(ask));
      } catch (error) {
        await client.query("rollback");
        throw error instanceof Error && "severity" in error ? new StatementError(error) : error;
      }
    });
    tail = result.catch(() => undefined);
    return result;
  };
  return { session, close: () => client.end() };
}
