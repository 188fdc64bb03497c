import { connect, type DatabaseTarget } from "../db/connect.ts";

/**
 * Takes the tables out of a database that was copied without its rows. Such a copy lacks the record of what was
 * applied as well, so that no migration would succeed on it. A database with any row is left as it is; so is one that
 * never was migrated. Returns whether it was such a copy.
 */
export async function clearCopy(target: DatabaseTarget): Promise<boolean> {
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

/** Ends the transaction when a table has a row, whoever wrote it. */
const REFUSE_ROWS = `DO $$
DECLARE one record; found boolean;
BEGIN
  FOR one IN SELECT schemaname, tablename FROM pg_tables WHERE schemaname IN ('public', 'drizzle') LOOP
    EXECUTE format('SELECT EXISTS (SELECT 1 FROM %I.%I)', one.schemaname, one.tablename) INTO found;
    IF found THEN RAISE EXCEPTION 'the table % has rows: this is no empty copy', one.tablename; END IF;
  END LOOP;
END $$`;
