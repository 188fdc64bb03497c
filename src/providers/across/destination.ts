import type { Hex } from "viem";
import type { ChainClient } from "../../chains/client.ts";
import { seeTransaction } from "../../chains/transaction.ts";
import type { ProviderScope } from "../provider.ts";
import type { Deployment, Deployments } from "./deployments.ts";
import type { Deposited } from "./deposited.ts";
import type { Evidence } from "./evidence.ts";
import { type Fill, findFill } from "./fill.ts";
import { searchFill } from "./fill-search.ts";
import { readBlock, readRelayState } from "./relay.ts";

/** What the destination chain shows of a transfer. */
export type Destination = Pick<Evidence, "relay" | "fill" | "overdue">;

/** What it shows when it could not be read. */
export const UNSEEN: Destination = { relay: null, fill: null, overdue: false };

interface Sought {
  deposited: Deposited;
  /** The transaction that the API says delivered it. */
  fillTx: Hex | null;
  deployments: Deployments;
  /** Widths of log ranges that nodes were learnt to allow, by chain id. */
  widths: Map<number, bigint>;
}

/** The destination's account of a transfer; a chain that cannot be read shows nothing. */
export async function readDestination(scope: ProviderScope, sought: Sought): Promise<Destination> {
  const { deposited, fillTx, deployments } = sought;
  const client = scope.chain(deposited.destinationChainId);
  const destination = deployments.get(deposited.destinationChainId);
  if (client === null || destination === undefined) return UNSEEN;
  const at = { ...sought, destination, client };
  try {
    const told = fillTx === null ? null : await fillIn(at, fillTx);
    return told === null ? await lookThere(at) : { relay: "filled", fill: told, overdue: false };
  } catch {
    return UNSEEN;
  }
}

interface There extends Sought {
  destination: Deployment;
  client: ChainClient;
}

/** The SpokePool's own state of the transfer, and when that is filled, the transaction that did it. */
async function lookThere(there: There): Promise<Destination> {
  const { client, deposited } = there;
  const [relay, head] = await Promise.all([readRelayState(client, there), readBlock(client, null)]);
  const late = head.timestamp > BigInt(deposited.fillDeadline);
  if (relay !== "filled") return { relay, fill: null, overdue: late };
  const hash = await searchFill(client, { ...there, head }).catch(() => null);
  return { relay, fill: hash === null ? null : await fillIn(there, hash), overdue: false };
}

async function fillIn(there: There, hash: Hex): Promise<Fill | null> {
  const { receipt } = await seeTransaction(there.client, hash);
  return receipt === null ? null : findFill(receipt, there);
}
