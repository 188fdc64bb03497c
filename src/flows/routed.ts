import { decodeEventLog, toEventSelector } from "viem";
import type { ChainLog } from "../chains/logs.ts";
import type { FlowRow } from "../db/queries/flows.ts";
import { once } from "../lib/once.ts";
import { depositRouterAbi, depositRouterCreate2 } from "../router/artifact.ts";

const deposited = depositRouterAbi.filter((item) => item.type === "event" && item.name === "Deposited");
/** The Router's address, lower case, and the first topics of what it says of a deposit. */
export const routerAddress: string = depositRouterCreate2.address.toLowerCase();
export const depositedTopics = once((): readonly string[] => deposited.map((item) => toEventSelector(item)));

/** For whom a deposit through the Router was made. Addresses are lower case; shares in the token's smallest unit. */
interface Routed {
  shareToken: string;
  receiver: string;
  shares: bigint;
}

/** What a log of the Router says of a deposit; null: nothing. */
export function decodeRouted({ topics, data }: ChainLog): Routed | null {
  try {
    const { args } = decodeEventLog({ abi: depositRouterAbi, eventName: "Deposited", topics, data });
    const { shareToken, receiver, shares } = args;
    return { shareToken: shareToken.toLowerCase(), receiver: receiver.toLowerCase(), shares };
  } catch {
    return null;
  }
}

/**
 * Gives the deposit that the vault showed last before the Router spoke, in the same transaction and of as many shares,
 * to the receiver: the vault saw the Router's contract, which passed the shares on. Changes the row; it stays one.
 */
export function creditReceiver(
  rows: readonly FlowRow[],
  routed: Routed & { vaultAddress: string; log: ChainLog },
): void {
  const { vaultAddress, receiver, shares, log } = routed;
  const own = rows.findLast(
    (row) =>
      row.txHash === log.txHash &&
      row.vaultAddress === vaultAddress &&
      row.kind === "deposit" &&
      row.logIndex < log.logIndex &&
      row.shares === shares.toString(),
  );
  if (own !== undefined) own.userAddress = receiver;
}
