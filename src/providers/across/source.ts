import type { Hex } from "viem";
import { seeTransaction } from "../../chains/transaction.ts";
import type { ProviderScope } from "../provider.ts";
import type { Deployments } from "./deployments.ts";
import { type Deposited, findDeposited } from "./deposited.ts";
import type { SourceEvidence } from "./evidence.ts";

/** A transfer by its source transaction. */
export interface Transfer {
  txHash: Hex;
  fromChainId: number;
  toChainId: number;
}

/** What the source chain shows of a transfer. */
export interface Source {
  evidence: SourceEvidence;
  deposited: Deposited | null;
}

/**
 * Looks a transfer up on its source chain. Throws when the chain is not served, what the chain client throws,
 * or a ZodError.
 */
export async function readSource(
  scope: ProviderScope,
  { transfer, deployments }: { transfer: Transfer; deployments: Deployments },
): Promise<Source> {
  const client = scope.chain(transfer.fromChainId);
  const origin = deployments.get(transfer.fromChainId);
  if (client === null || origin === undefined) throw new Error("the source chain is not served");
  const { transaction, receipt } = await seeTransaction(client, transfer.txHash);
  const without = (evidence: SourceEvidence): Source => ({ evidence, deposited: null });
  if (receipt === null) return without(transaction === null ? "absent" : "waiting");
  if (!receipt.succeeded) return without("reverted");
  const deposited = findDeposited(receipt, { origin, toChainId: transfer.toChainId });
  return deposited === null ? without("no_deposit") : { evidence: "deposited", deposited };
}
