import { customType, numeric, timestamp } from "drizzle-orm/pg-core";
import type { BlockSet } from "../../lib/block-ranges.ts";

/** Creates a timestamp column with time zone and millisecond precision. */
export const time = (name: string) => timestamp(name, { withTimezone: true, mode: "date", precision: 3 });
/** Creates a uint256 column, which is read and written as decimal text. */
export const uint256 = (name: string) => numeric(name, { precision: 78, scale: 0 });

/**
 * Column type of a set of blocks: a `BlockSet`, whose ranges include both ends, stored as PostgreSQL's
 * `int8multirange`, whose ranges exclude the upper bound.
 */
export const blockSet = customType<{ data: BlockSet; driverData: string }>({
  dataType: () => "int8multirange",
  toDriver: formatBlockSet,
  fromDriver: parseBlockSet,
});

/** Formats a set of blocks as an `int8multirange` literal; an empty set as `{}`. */
export function formatBlockSet(set: BlockSet): string {
  return `{${set.map(({ from, to }) => `[${from},${to + 1})`).join(",")}}`;
}

function parseBlockSet(text: string): BlockSet {
  return [...text.matchAll(/\[(\d+),(\d+)\)/g)].map(([, from, end]) => ({
    from: Number(from),
    to: Number(end) - 1,
  }));
}
