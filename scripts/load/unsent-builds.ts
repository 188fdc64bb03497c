import { connect } from "../db/connect.ts";
import type { StackManifest } from "../stack/manifest.ts";

/** Number of rows per statement. */
const CHUNK = 2_000;
/** Prefix of the tracking ids of copies. */
const PREFIX = "trk_00000000";

const sqlOf = ({ database_url: databaseUrl, emulators }: StackManifest) =>
  connect({ databaseUrl, endpoint: `${emulators.neon}/sql` });

/**
 * Inserts copies of built deposits, numbered `from` (default 0) to `count` - 1, with other ids, accounts and calldata.
 * They stand for unsent builds, which would take an hour to build over HTTP.
 */
export async function copyUnsentBuilds(
  stack: StackManifest,
  of: { trackingIds: readonly string[]; from?: number; count: number },
): Promise<void> {
  const { trackingIds, from = 0, count } = of;
  const sql = sqlOf(stack);
  for (let first = from; first < count; first += CHUNK) {
    const last = Math.min(count, first + CHUNK) - 1;
    await sql.query(
      `insert into deposits
        select (jsonb_populate_record(d, jsonb_build_object(
          'tracking_id', 'trk_' || lpad(to_hex(n), 32, '0'), 'ref', '0x' || lpad(to_hex(n), 64, '0'),
          'source_data_hash', '0x' || lpad(to_hex(n), 64, 'a'),
          'user_address', '0x' || lpad(to_hex(n), 40, 'b')))).*
        from generate_series($1::int, $2::int) n join deposits d on d.tracking_id = ($3::jsonb ->> (n % $4::int))`,
      [first, last, JSON.stringify(trackingIds), trackingIds.length],
    );
  }
}

/** Deletes all copies that `copyUnsentBuilds` made. */
export async function deleteUnsentBuilds(stack: StackManifest): Promise<void> {
  await sqlOf(stack).query("delete from deposits where tracking_id like $1", [`${PREFIX}%`]);
}
