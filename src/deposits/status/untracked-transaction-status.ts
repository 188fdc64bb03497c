import { parseAbi, parseEventLogs } from "viem";
import type { ChainClient } from "../../chains/chain-client.ts";
import type { Receipt, TransactionOnChain } from "../../chains/chain-transaction.ts";
import type { Context } from "../../context.ts";
import { sameAddress } from "../../lib/address.ts";
import { once } from "../../lib/once.ts";
import { depositRouterAddress } from "../../router/router-address.ts";
import { executedOrders } from "../../router/router-codec.ts";
import type { TransferStatusName } from "../../schemas/deposit-schema.ts";
import { listRegistry } from "../../vaults/find-vault.ts";
import { failureReason } from "../track/deposit-failure-reason.ts";
import { netTransfers } from "../track/deposit-proofs.ts";

/**
 * The status of a transaction without a recorded deposit, determined from its receipt alone. `sent` is in the deposited
 * token's smallest unit, `received` in the share token's; both are null unless the receipt shows a deposit.
 */
export interface UntrackedStatus {
  status: TransferStatusName;
  substatus: string | null;
  sent: bigint | null;
  received: bigint | null;
}

const depositAbi = once(() =>
  parseAbi(["event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)"]),
);
const statusOnly = (status: TransferStatusName, substatus: string | null): UntrackedStatus => ({
  status,
  substatus,
  sent: null,
  received: null,
});

/**
 * Classifies a transaction without a recorded deposit by its receipt: as a deposit through the Router or into a vault
 * of the registry, or as `INVALID`. A pending transaction is `PENDING`, an unknown one `NOT_FOUND`. Throws
 * `store_unavailable`.
 */
export async function classifyUntracked(
  ctx: Context,
  input: { client: ChainClient; seen: TransactionOnChain },
): Promise<UntrackedStatus> {
  const { client, seen } = input;
  const { transaction, receipt } = seen;
  if (transaction === null) return statusOnly("NOT_FOUND", null);
  if (receipt === null) return statusOnly("PENDING", "WAIT_SOURCE_CONFIRMATIONS");
  const confirmed = seen.confirmations >= client.definition.confirmations;
  if (!receipt.succeeded) {
    if (!sameAddress(transaction.to ?? "", depositRouterAddress)) return statusOnly("INVALID", null);
    if (!confirmed) return statusOnly("PENDING", "WAIT_SOURCE_CONFIRMATIONS");
    return statusOnly("FAILED", await failureReason(client, { transaction, receipt }));
  }
  const deposit =
    routerDepositAmounts(receipt) ??
    (await vaultDepositAmounts(ctx, { chainId: client.definition.chainId, receipt }));
  if (deposit === null) return statusOnly("INVALID", null);
  const standing = confirmed
    ? statusOnly("DONE", "COMPLETED")
    : statusOnly("PENDING", "WAIT_SOURCE_CONFIRMATIONS");
  return { ...standing, ...deposit };
}

type DepositAmounts = Pick<UntrackedStatus, "sent" | "received">;

function routerDepositAmounts(receipt: Receipt): DepositAmounts | null {
  const event = executedOrders(receipt.logs)[0];
  return event === undefined ? null : { sent: event.args.amountIn, received: event.args.amountOut };
}

/**
 * Finds an ERC-4626 `Deposit` event of a registry vault whose shares reached the event's owner. Returns the assets and
 * the shares, or null if there is no such event.
 */
async function vaultDepositAmounts(
  ctx: Context,
  found: { chainId: number; receipt: Receipt },
): Promise<DepositAmounts | null> {
  const { all } = await listRegistry(ctx);
  const emitters = new Map(
    all
      .filter((vault) => vault.chainId === found.chainId)
      .map((vault) => [vault.entryPoint.toLowerCase(), vault]),
  );
  const { logs } = found.receipt;
  const known = logs.filter((log) => emitters.has(log.address.toLowerCase()));
  for (const event of parseEventLogs({ abi: depositAbi(), logs: known })) {
    const vault = emitters.get(event.address.toLowerCase());
    if (vault === undefined) continue;
    const received = netTransfers(logs, { token: vault.shareToken, account: event.args.owner });
    if (received > 0n) return { sent: event.args.assets, received };
  }
  return null;
}
