import { connect, type DatabaseTarget } from "../db/connect.ts";

/**
 * Drops the tables of a database that was copied without its rows. Such a copy has an empty migration record, so that
 * every migration would fail on it. A database that was migrated, or never was, is left unchanged. Returns true when
 * tables were dropped. Throws when a table holds rows.
 */
export async function resetSchemaCopy(target: DatabaseTarget): Promise<boolean> {
  const sql = connect(target);
  const [table] = await sql.query("SELECT to_regclass('drizzle.__drizzle_migrations')::text AS name");
  if (table?.["name"] === null) return false;
  const [known] = await sql.query("SELECT count(*)::int AS count FROM drizzle.__drizzle_migrations");
  if (known?.["count"] !== 0) return false;
  await sql.transaction([
    sql.query(REFUSE_ROWS),
    sql.query("DROP SCHEMA public CASCADE"),
    sql.query("CREATE SCHEMA public"),
    sql.query("DROP SCHEMA drizzle CASCADE"),
  ]);
  return true;
}

/** Statement that aborts the transaction if a table has a row. */
const REFUSE_ROWS = `DO $$
DECLARE one record; found boolean;
BEGIN
  FOR one IN SELECT schemaname, tablename FROM pg_tables WHERE schemaname IN ('public', 'drizzle') LOOP
    EXECUTE format('SELECT EXISTS (SELECT 1 FROM %I.%I)', one.schemaname, one.tablename) INTO found;
    IF found THEN RAISE EXCEPTION 'the table % has rows: this is no empty copy', one.tablename; END IF;
  END LOOP;
END $$`;
