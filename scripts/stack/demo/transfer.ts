import type { Address, Hex } from "viem";
import { z } from "zod";
import type { StackChain, StackManifest } from "../manifest.ts";
import { Built, type Position, readPosition, requestApi, Status, Vault } from "./api.ts";
import { walletOn } from "./wallet.ts";

/** Whole dollars to deposit. */
const WHOLE_UNITS = 100n;
const PATIENCE_MS = 20_000;
const POLL_MS = 200;

/** Results of the demonstration, amounts in smallest units. */
export interface TransferDemonstration {
  from: StackChain;
  vault: Vault;
  user: Address;
  amount: bigint;
  decimals: number;
  built: Built;
  source: Hex;
  /** Hash of the second transaction; null for a one-step deposit. */
  second: Hex | null;
  status: Status;
  /** Seconds from the first signature until the shares arrived. */
  seconds: number;
  after: Position | null;
}

/**
 * Deposits dollars of one chain into a vault on the other, as a wallet would: in one transaction when the vault accepts
 * deposits from the Router, in two when the user must call it. The status is the last one if it is not final within 20
 * seconds.
 */
export async function demonstrateTransfer(
  manifest: StackManifest,
  plan: { transactions: 1 | 2 },
): Promise<TransferDemonstration> {
  const { api, chains } = manifest;
  const vault = await chooseVault(manifest, plan.transactions === 2);
  const from = chains.find(({ chain_id }) => chain_id !== vault.chain_id);
  if (from === undefined) throw new Error("the stack has one chain only");
  const wallet = walletOn(from.chain_id, manifest);
  const token = from.contracts.tokens.USDC;
  const amount = WHOLE_UNITS * 10n ** BigInt(token.decimals);
  const body = {
    from_chain_id: from.chain_id,
    from_token: token.address,
    from_amount: amount.toString(),
    vault_id: vault.vault_id,
    user_address: wallet.address,
  };
  const built = await requestApi(`${api}/v1/quote/build`, { schema: Built, body });
  const startedAt = performance.now();
  const source = await sendAll(wallet, built.calls);
  const query = `tx_hash=${source}&from_chain_id=${from.chain_id}&to_chain_id=${vault.chain_id}`;
  const url = `${api}/v1/status?${query}`;
  const next = plan.transactions === 2 ? (await awaitStatus(url, isNext)).deposit?.next : null;
  const second = next ? await sendAll(walletOn(vault.chain_id, manifest), next.calls) : null;
  if (second !== null) await report(`${api}/v1/deposits/${built.tracking_id}/tx`, second);
  const status = await awaitStatus(url, isOver);
  const seconds = (performance.now() - startedAt) / 1000;
  const after = await readPosition(api, { user: wallet.address, vault });
  const { address: user } = wallet;
  return {
    from,
    vault,
    user,
    amount,
    decimals: token.decimals,
    built,
    source,
    second,
    status,
    seconds,
    after,
  };
}

/** Reports the hash of the second step, which calls the vault directly and therefore contains no order reference. */
async function report(url: string, hash: Hex): Promise<void> {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ tx_hash: hash, step: "deposit" });
  const response = await fetch(url, { method: "PATCH", headers, body });
  if (!response.ok) throw new Error(`reporting the second step: ${response.status} ${await response.text()}`);
}

/** Signs and sends the calls in order and returns the last hash. */
async function sendAll(wallet: ReturnType<typeof walletOn>, calls: Built["calls"]): Promise<Hex> {
  let last: Hex = "0x";
  for (const { to, data, value } of calls) {
    last = (await wallet.send({ to, data, value: BigInt(value) })).transactionHash;
  }
  return last;
}

/**
 * Chooses an active dollar vault: one that the user must call, or one for the Router that is not on the first chain.
 */
async function chooseVault({ api, chains }: StackManifest, caller: boolean): Promise<Vault> {
  const vaults = await requestApi(`${api}/v1/vaults?limit=500`, { schema: z.array(Vault) });
  const usable = vaults.filter(
    ({ asset, paused, external_router }) => asset.symbol === "USDC" && !paused && external_router === caller,
  );
  const vault = usable.find(({ chain_id }) => caller || chain_id !== chains[0]?.chain_id);
  if (vault === undefined) throw new Error("the API lists no such vault");
  return vault;
}

const isNext = ({ deposit }: Status): boolean => deposit?.next?.kind === "deposit";
const isOver = ({ status }: Status): boolean => ["DONE", "FAILED", "INVALID"].includes(status);

/** Polls the status as a wallet does and returns the last one on timeout. */
async function awaitStatus(url: string, reached: (status: Status) => boolean): Promise<Status> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const status = await requestApi(url, { schema: Status });
    if (reached(status) || isOver(status) || Date.now() > deadline) return status;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
