import { expect } from "vitest";
import { TransferStatus } from "../../../src/schemas/deposit-schema.ts";
import { Api } from "./api.ts";
import { ends, type SentBridgeDeposit } from "./cross-chain.ts";
import { bodyOf } from "./http.ts";

/** Returns the API's status of a transaction. */
export async function statusOf(
  hash: string,
  fromChainId: number,
  toChainId?: number,
): Promise<TransferStatus> {
  const to = toChainId === undefined ? "" : `&to_chain_id=${toChainId}`;
  const answer = await new Api().send(`/v1/status?tx_hash=${hash}&from_chain_id=${fromChainId}${to}`);
  return bodyOf(answer, { schema: TransferStatus });
}

/** Polls the status of a deposit's source transaction, as a page would, until it contains `wanted`, and returns it. */
export async function until(departed: SentBridgeDeposit, wanted: object): Promise<TransferStatus> {
  const [from, to] = ends(departed.vault);
  const ask = () => statusOf(departed.hash, from.chainId, to.chainId);
  await expect.poll(ask, { interval: 150 }).toMatchObject(wanted);
  return ask();
}
