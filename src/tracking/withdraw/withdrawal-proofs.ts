import type { Receipt } from "../../chains/chain-transaction.ts";
import type { WithdrawalRow } from "../../db/queries/deposit-queries.ts";
import { isNative, sameAddress } from "../../lib/address.ts";
import { executedOrders } from "../../router/router-codec.ts";
import type { Vault } from "../../vaults/vault.ts";
import type { VaultFlow } from "../../vaults/vault-adapter.ts";
import { adapterOf } from "../../vaults/vault-families.ts";
import { netTransfers, transfersOf } from "../track/deposit-proofs.ts";

/** Output token in the Router's events for an order that ends in a bridge. */
const BRIDGED = "0x00000000000000000000000000000000000000bb";

type Asked = Pick<
  WithdrawalRow,
  | "ref"
  | "userAddress"
  | "shareToken"
  | "exitToken"
  | "moveToken"
  | "vaultChainId"
  | "toChainId"
  | "twoStep"
  | "minAssets"
  | "moveMin"
>;

/** Payment of a redemption as its receipt shows it. Amounts are in smallest units. */
export interface ExitPayment {
  /**
   * `asked`: the user received the requested token. `asset`: the user received the vault's asset, which still has to be
   * swapped or bridged. `bridge`: a bridge took it.
   */
  reached: "asked" | "asset" | "bridge";
  /** Amount of the token that the user received or the bridge took. */
  amount: bigint;
  /** Assets that the vault paid, or null if the receipt does not show them. */
  assets: bigint | null;
  /** Shares that were redeemed, or null if the receipt does not show them. */
  shares: bigint | null;
}

/** Returns true if the vault itself pays the requested token on the requested chain, so that no transfer follows. */
export const asksForAssets = ({ exitToken, moveToken, vaultChainId, toChainId }: Asked): boolean =>
  vaultChainId === toChainId && sameAddress(exitToken, moveToken);

/** Returns the output token that the Router's event must name for this withdrawal. */
function builtOutput({ exitToken, moveToken, vaultChainId, toChainId, twoStep }: Asked): string {
  if (twoStep) return exitToken;
  return vaultChainId === toChainId ? moveToken : BRIDGED;
}

/**
 * Returns the payment that the Router's event of a withdrawal shows, or null. The event must be an `OrderExecuted` with
 * the withdrawal's reference, the user as payer and receiver, the share token, the built output token, and at least the
 * minimum output. The reference alone proves nothing, because anyone can repeat it.
 */
export function findRouterExit(receipt: Receipt, of: { row: Asked; vault: Vault }): ExitPayment | null {
  if (!receipt.succeeded) return null;
  const { row, vault } = of;
  const output = builtOutput(row);
  const asset = sameAddress(output, row.exitToken);
  const least = output === BRIDGED ? null : row.twoStep || asset ? row.minAssets : row.moveMin;
  for (const { args } of executedOrders(receipt.logs)) {
    if (args.ref !== row.ref || args.amountOut < BigInt(least ?? "1")) continue;
    if (!sameAddress(args.payer, row.userAddress) || !sameAddress(args.receiver, row.userAddress)) continue;
    if (!sameAddress(args.tokenIn, row.shareToken) || !sameAddress(args.tokenOut, output)) continue;
    const shares = args.amountIn;
    const assets = asset ? args.amountOut : redeemedAssets(receipt, { vault, shares });
    const reached = output === BRIDGED ? "bridge" : row.twoStep ? "asset" : "asked";
    return { reached, amount: args.amountOut, assets, shares };
  }
  return null;
}

/**
 * Returns the assets of the withdrawal of `shares` in a vault's events, or null unless exactly one has this number of
 * shares.
 */
function redeemedAssets(receipt: Receipt, of: { vault: Vault; shares: bigint }): bigint | null {
  const same = withdrawalsIn(receipt, of.vault).filter(({ shares }) => shares === of.shares);
  return same.length === 1 ? (same[0]?.assets ?? null) : null;
}

/** Returns the withdrawals that a vault's own events in a receipt show. */
export function withdrawalsIn({ logs }: Receipt, vault: Vault): VaultFlow[] {
  const source = adapterOf(vault).flows(vault);
  const emitters = [vault.entryPoint, ...source.addresses];
  return logs.flatMap((log): VaultFlow[] => {
    if (!emitters.some((emitter) => sameAddress(emitter, log.address))) return [];
    const flow = source.decode(log);
    return flow?.kind === "withdrawal" ? [flow] : [];
  });
}

/**
 * Returns the payment of a redemption that the user made directly at the vault, or null if the receipt shows no payment
 * to the user. The proof is the net transfer of the paid token to the user; for native currency, which has no transfer
 * event, the vault's event of a withdrawal by the user. `batched` is true if the redemption was one of several calls: a
 * payment then counts only if it is the only one of that token, or has the amount in the vault's event.
 */
export function findDirectExit(
  receipt: Receipt,
  of: { row: Asked & Pick<WithdrawalRow, "fromAmount">; vault: Vault; batched: boolean },
): ExitPayment | null {
  if (!receipt.succeeded) return null;
  const { row, vault, batched } = of;
  const reached = asksForAssets(row) ? "asked" : "asset";
  const flows = withdrawalsIn(receipt, vault).filter(({ user }) => sameAddress(user, row.userAddress));
  const fitting = flows.filter(
    ({ shares }) => row.fromAmount === "0" || shares === null || shares === BigInt(row.fromAmount),
  );
  const flow = fitting.length === 1 ? fitting[0] : undefined;
  const shares = flow?.shares ?? null;
  if (isNative(row.exitToken)) {
    const amount = flow?.assets ?? null;
    return amount === null || amount <= 0n ? null : { reached, amount, assets: amount, shares };
  }
  const arrivals = transfersOf(receipt.logs, row.exitToken).filter(({ to }) =>
    sameAddress(to, row.userAddress),
  );
  const net = netTransfers(receipt.logs, { token: row.exitToken, account: row.userAddress });
  if (net <= 0n && !batched) return null;
  if (!batched || arrivals.length === 1)
    return net <= 0n ? null : { reached, amount: net, assets: net, shares };
  // In a batch, several calls may pay the same token: the vault's event says which payment is this redemption's.
  const own = arrivals.filter(({ value }) => value === flow?.assets);
  const [paid] = own;
  return paid === undefined ? null : { reached, amount: paid.value, assets: paid.value, shares };
}
