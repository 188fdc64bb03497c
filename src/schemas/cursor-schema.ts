import * as z from "zod";
import type { TimePosition } from "../lib/pagination.ts";
import { decodeCursor } from "../lib/pagination.ts";
import { parseVaultId, type VaultKey } from "../lib/vault-id.ts";

/**
 * Format of the times in cursors: ISO 8601 in UTC with milliseconds. Only years from 1000 to 2999 are accepted, because
 * Postgres does not accept every year that JavaScript parses.
 */
const TIME = /^[12]\d{3}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
/** Format of the ids in cursors: a three-letter prefix and 128 bits in hex. */
const ID = /^[a-z]{3}_[0-9a-f]{32}$/;
/** Maximum length of a cursor, in characters: a cursor with a name of 120 characters has up to 800. */
const MAX_LENGTH = 1_000;

/**
 * Cursor of a list ordered by time, from the `Link` header of the previous page: the time and the id of its last entry,
 * after which the next page starts.
 */
export const TimeCursor = cursorOf((text): TimePosition | null => {
  const [time = "", id = ""] = decodeCursor(text, 2) ?? [];
  const at = new Date(time);
  return TIME.test(time) && !Number.isNaN(at.getTime()) && ID.test(id) ? { at, id } : null;
});

/**
 * Cursor of a list of vaults, from the `Link` header of the previous page: its last vault, after which the next page
 * starts.
 */
export const VaultCursor = cursorOf((text): VaultKey | null => {
  const [vaultId = ""] = decodeCursor(text, 1) ?? [];
  return parseVaultId(vaultId);
});

/**
 * Cursor of a list of vaults, sorted or not: the last vault of the previous page. In a sorted list, it also contains
 * the sort field, the direction, and that vault's value of the field, or null if it has none.
 */
export const SortedVaultCursor = cursorOf((text): SortedPosition | null => {
  const [vaultId = "", by = "", order = "", value = ""] =
    decodeCursor(text, 4) ?? decodeCursor(text, 1) ?? [];
  const key = parseVaultId(vaultId);
  if (key === null) return null;
  if (by === "") return key;
  const sorted = Sorted.safeParse({ by, order, value: value.startsWith("=") ? value.slice(1) : null });
  return sorted.success ? { ...key, sorted: sorted.data } : null;
});

const Sorted = z.object({
  by: z.enum(["tvl_usd", "apy_7d", "name", "proven_at"]),
  order: z.enum(["asc", "desc"]),
  value: z.string().nullable(),
});

/** The last vault of a page and, in a sorted list, the sort field, the direction and the vault's value of the field. */
type SortedPosition = VaultKey & { sorted?: z.infer<typeof Sorted> };

/** Error message for a text that cannot be a cursor of the listing. */
export const NOT_A_CURSOR = "not a cursor of this listing: take it from the `Link` header of the page before";

/**
 * Returns the schema of a cursor that `read` parses. Rejects any text for which `read` returns null: starting again at
 * the first page would make a client that follows the pages loop forever.
 */
function cursorOf<T>(read: (text: string) => T | null) {
  return z
    .string()
    .max(MAX_LENGTH)
    .transform((text, context): T => {
      const position = read(text);
      if (position !== null) return position;
      context.addIssue({ code: "custom", message: NOT_A_CURSOR });
      return z.NEVER;
    })
    .meta({
      type: "string",
      maxLength: MAX_LENGTH,
      description:
        "Cursor of the requested page, from the `Link` header of the previous page. Default: the first page.",
    });
}
