import type { ChainLog } from "../../../src/chains/request-logs.ts";
import type { FlowRow } from "../../../src/db/queries/flow-queries.ts";

/** A log as one text, the same as that of the row it should become. */
export const describeLog = ({ blockNumber, txHash, logIndex, address, data }: ChainLog): string =>
  `${blockNumber} ${txHash} ${logIndex} ${address} ${BigInt(data.slice(0, 66))}`;

export const describe = (row: FlowRow): string =>
  `${row.blockNumber} ${row.txHash} ${row.logIndex} ${row.vaultAddress} ${(row.assets ?? "").replace("-", "")}`;

/** Throws when two lists do not hold the same, in whatever order. */
export function same(what: string, stored: readonly string[], expected: readonly string[]): void {
  const [left, right] = [[...stored].sort(), [...expected].sort()];
  if (left.length === right.length && left.every((text, index) => text === right[index])) return;
  const extra = left.filter((text) => !right.includes(text));
  const lost = right.filter((text) => !left.includes(text));
  throw new Error(
    `${what}: ${extra.length} that should not be there (${extra[0]}), ${lost.length} lost (${lost[0]})`,
  );
}
