import * as z from "zod";
import type { TimePosition } from "../lib/pagination.ts";
import { decodeCursor } from "../lib/pagination.ts";
import { parseVaultId, type VaultKey } from "../lib/vault-id.ts";

/** As our rows' times are written: of this era, which Postgres takes whatever the rest is. */
const TIME = /^[12]\d{3}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const ID = /^[a-z]{3}_[0-9a-f]{32}$/;
const MAX_LENGTH = 400;

/** Where the next page of a listing by time starts, as its `Link` header had it. */
export const TimeCursor = cursorOf((text): TimePosition | null => {
  const [time = "", id = ""] = decodeCursor(text, 2) ?? [];
  const at = new Date(time);
  return TIME.test(time) && !Number.isNaN(at.getTime()) && ID.test(id) ? { at, id } : null;
});

/** Where the next page of a listing of vaults starts, as its `Link` header had it. */
export const VaultCursor = cursorOf((text): VaultKey | null => {
  const [vaultId = ""] = decodeCursor(text, 1) ?? [];
  return parseVaultId(vaultId);
});

/** A cursor that is not ours is refused: started anew, whoever follows the pages would never come to an end. */
function cursorOf<T>(read: (text: string) => T | null) {
  return z
    .string()
    .max(MAX_LENGTH)
    .transform((text, context): T => {
      const position = read(text);
      if (position !== null) return position;
      context.addIssue({ code: "custom", message: "not a cursor of this listing" });
      return z.NEVER;
    })
    .meta({
      type: "string",
      maxLength: MAX_LENGTH,
      description:
        "Cursor of the page to read, from the `Link` header of the page before it. Default: the first page.",
    });
}
