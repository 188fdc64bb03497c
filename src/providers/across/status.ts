import { AppError, failureFrom } from "../../errors.ts";
import type { MoveDelivery, MoveStatus, ProviderScope } from "../provider.ts";
import { type ApiSettings, askDepositStatus } from "./client.ts";
import { toAddress } from "./decode.ts";
import type { Deployments } from "./deployments.ts";
import type { Deposited } from "./deposited.ts";
import { readDestination, UNSEEN } from "./destination.ts";
import { statusOfEvidence } from "./evidence.ts";
import type { Fill } from "./fill.ts";
import type { DepositStatus } from "./schema.ts";
import { readSource, type Source, type Transfer } from "./source.ts";

/** What following a transfer needs besides the request's scope. */
export interface Follower {
  settings: ApiSettings;
  deployments: Deployments;
  /** Widths of log ranges that nodes were learnt to allow, by chain id. */
  widths: Map<number, bigint>;
}

/**
 * Follows a transfer: the API's word and the source receipt at once, then the destination chain. Throws
 * `upstream_timeout`, `upstream_unavailable`, `rate_limited` when neither the API nor the source answers.
 */
export async function followTransfer(
  scope: ProviderScope,
  { transfer, follower }: { transfer: Transfer; follower: Follower },
): Promise<MoveStatus> {
  const { settings, deployments } = follower;
  const [word, source] = await Promise.allSettled([
    askDepositStatus(scope, { settings, txHash: transfer.txHash }),
    readSource(scope, { transfer, deployments }),
  ]);
  if (word.status === "rejected" && source.status === "rejected") throw toAppError(word.reason);
  const seen: Source = source.status === "fulfilled" ? source.value : { evidence: "unread", deposited: null };
  const { deposited } = seen;
  const said = word.status === "fulfilled" ? word.value : null;
  const honest = said !== null && isAbout(said, { transfer, deposited }) ? said : null;
  const fillTx = honest?.fillTx ?? null;
  const destination =
    deposited === null ? UNSEEN : await readDestination(scope, { ...follower, deposited, fillTx });
  const told = statusOfEvidence({ word: honest, source: seen.evidence, ...destination });
  const origin = deployments.get(transfer.fromChainId);
  if (deposited === null || origin === undefined) return { ...told, witness: null };
  const { inputToken, inputAmount: amount } = deposited;
  const took = { token: toAddress(inputToken), amount, by: origin.spokePool };
  return { ...told, witness: { delivered: deliveryOf(destination.fill), took } };
}

function deliveryOf(fill: Fill | null): MoveDelivery | null {
  return fill === null ? null : { amount: fill.amount, logs: fill.logs, bond: "id" };
}

/** Whether the API speaks of this transfer; of another it would be believed nothing. */
function isAbout(
  said: DepositStatus,
  { transfer, deposited }: { transfer: Transfer; deposited: Deposited | null },
): boolean {
  if (said.originChainId !== transfer.fromChainId) return false;
  return deposited === null || said.destinationChainId === deposited.destinationChainId;
}

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return failureFrom("upstream_unavailable", "the bridge's answer could not be read", error);
}
