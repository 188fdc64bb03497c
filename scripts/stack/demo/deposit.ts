import type { Address, Hex } from "viem";
import { z } from "zod";
import type { StackManifest } from "../manifest.ts";
import { Built, type Position, readPosition, requestApi, Status, Vault } from "./api.ts";
import { walletOn } from "./wallet.ts";

/** Whole units of the asset to deposit. */
const WHOLE_UNITS = 250n;
const PATIENCE_MS = 20_000;

/** Results of the demonstration deposit, amounts in smallest units. */
export interface Demonstration {
  vault: Vault;
  user: Address;
  amount: bigint;
  built: Built;
  approvals: readonly Hex[];
  deposit: { hash: Hex; blockNumber: bigint; gasUsed: bigint };
  status: Status;
  before: Position | null;
  after: Position | null;
}

/**
 * Makes one deposit as a wallet would: with data of the API alone, signing the calls that it returns. The status is the
 * last one if it is not final within `patienceMs` milliseconds, by default 20 seconds.
 */
export async function demonstrateDeposit(
  manifest: StackManifest,
  patienceMs = PATIENCE_MS,
): Promise<Demonstration> {
  const { api } = manifest;
  const vault = await chooseVault(api, manifest);
  const wallet = walletOn(vault.chain_id, manifest);
  const user = wallet.address;
  const amount = WHOLE_UNITS * 10n ** BigInt(vault.asset.decimals);
  const before = await readPosition(api, { user, vault });
  const built = await requestApi(`${api}/v1/quote/build`, {
    schema: Built,
    body: {
      from_chain_id: vault.chain_id,
      from_token: vault.asset.address,
      from_amount: amount.toString(),
      vault_id: vault.vault_id,
      user_address: user,
      slippage: 0.005,
    },
  });
  const approvals: Hex[] = [];
  for (const call of built.calls.filter(({ to }) => isApproval(built, to)))
    approvals.push((await wallet.send({ to: call.to, data: call.data })).transactionHash);
  const { to, data, value } = built.transaction_request;
  const receipt = await wallet.send({ to, data, value });
  const hash = receipt.transactionHash;
  const url = `${api}/v1/status?tx_hash=${hash}&from_chain_id=${vault.chain_id}`;
  const status = await awaitDone(url, patienceMs);
  const after = await readPosition(api, { user, vault });
  const deposit = { hash, blockNumber: receipt.blockNumber, gasUsed: receipt.gasUsed };
  return { vault, user, amount, built, approvals, deposit, status, before, after };
}

const isApproval = ({ approval }: Built, to: string): boolean =>
  approval !== null && to.toLowerCase() === approval.token_address.toLowerCase();

/** Chooses a vault that accepts deposits through the Router in a dollar token of the account. */
async function chooseVault(api: string, { chains }: StackManifest): Promise<Vault> {
  const vaults = await requestApi(`${api}/v1/vaults?chain_id=${chains[0]?.chain_id}&limit=500`, {
    schema: z.array(Vault),
  });
  const usable = vaults.filter(
    (vault) => vault.asset.symbol === "USDC" && !vault.paused && !vault.external_router,
  );
  const vault = usable.find(({ name }) => name === "Local Prime USDC") ?? usable[0];
  if (vault === undefined) throw new Error("the API lists no open USDC vault");
  return vault;
}

async function awaitDone(url: string, patienceMs: number): Promise<Status> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const status = await requestApi(url, { schema: Status });
    const over = status.status === "DONE" || status.status === "FAILED" || status.status === "INVALID";
    if (over || Date.now() > deadline) return status;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}
