import type { ChainLog } from "../../../src/chains/chain-logs.ts";
import type { FlowRow } from "../../../src/db/queries/flow-queries.ts";

/** Returns a log as a text that is equal for the log and for the row that stores it. */
export const describeLog = ({ blockNumber, txHash, logIndex, address, data }: ChainLog): string =>
  `${blockNumber} ${txHash} ${logIndex} ${address} ${BigInt(data.slice(0, 66))}`;

export const describe = (row: FlowRow): string =>
  `${row.blockNumber} ${row.txHash} ${row.logIndex} ${row.vaultAddress} ${(row.assets ?? "").replace("-", "")}`;

/** Throws unless two lists have the same elements, in any order. */
export function requireSameElements(
  what: string,
  stored: readonly string[],
  expected: readonly string[],
): void {
  const [left, right] = [[...stored].sort(), [...expected].sort()];
  if (left.length === right.length && left.every((text, index) => text === right[index])) return;
  const extra = left.filter((text) => !right.includes(text));
  const lost = right.filter((text) => !left.includes(text));
  throw new Error(
    `${what}: ${extra.length} that should not be there (${extra[0]}), ${lost.length} lost (${lost[0]})`,
  );
}
