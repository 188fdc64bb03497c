import type { Address } from "viem";
import { nativeBalanceRead } from "../../chains/aggregator/aggregate-reads.ts";
import { createQuery, mapQuery, type Query, queryAll, valueOrNull } from "../../chains/chain-reads.ts";
import type { Context } from "../../context.ts";
import { failure } from "../../errors.ts";
import type { BlockTime } from "../../lib/block-ranges.ts";
import { isGasSufficient, readGasPrice, waitForGasPrice } from "../../orders/order-gas-funds.ts";
import { toRequestStep } from "../../orders/order-steps.ts";
import { toWalletCall } from "../../orders/order-wallet-calls.ts";
import type { BuiltRequestAction, RequestActionInput } from "../../schemas/withdraw-build-schema.ts";
import { adapterOf, asyncDepositsOf } from "../../vaults/families/vault-families.ts";
import { findStoredVault } from "../../vaults/find-vault.ts";
import { findToken } from "../../vaults/find-vault-token.ts";
import type { Vault } from "../../vaults/vault.ts";
import type { DepositClaimCall } from "../../vaults/vault-deposit-claim.ts";
import type { ExitFollowUp, PendingExit, VaultExits } from "../../vaults/vault-exits.ts";
import { readTimed } from "../../vaults/vault-state.ts";
import { exitsOf } from "../withdrawal-order.ts";
import { asClaimable, requestCall } from "./request-calls.ts";
import { type RequestAction, simulateRequestCall } from "./simulate-request-action.ts";

interface Asked {
  vault: Vault;
  exits: VaultExits;
  user: Address;
  request: PendingExit;
  /** Call that claims for the user's deposit requests, or null if none are known to need a claim. */
  depositClaim: DepositClaimCall | null;
  nativeBalance: bigint | null;
  block: BlockTime;
}

/**
 * Builds and simulates the claim or cancellation of a redemption request, which need not have been made with this
 * service. If that request is not found or not claimable, a claim collects the shares of settled deposit requests or
 * the assets of cancelled ones, if any. Throws an AppError (`exitRequestErrors`) if the action is refused; errors of the
 * RPC nodes propagate.
 */
export async function buildRequestAction(
  ctx: Context,
  { input, action }: { input: RequestActionInput; action: RequestAction },
): Promise<BuiltRequestAction> {
  const vault = await findStoredVault(ctx, input.vault_id);
  const asked = await readAsked(ctx, { vault, user: input.user_address, requestId: input.request_id });
  const { request, depositClaim } = asked;
  if (action === "claim" && depositClaim !== null && request?.state !== "claimable") {
    const deposited = asClaimable(vault, depositClaim);
    return prepareAction(ctx, { ...asked, request: deposited, action, call: depositClaim });
  }
  const own = { ...asked, ...foundRequest(asked, input.request_id) };
  const call = requestCall(own, action);
  return prepareAction(ctx, { ...own, action, call });
}

function foundRequest(
  { vault, request, unread }: AskedFor,
  requestId: string,
): Pick<Asked, "exits" | "request"> {
  if (unread)
    throw failure("simulation_unavailable", `the requests at ${vault.name} could not be read; try again`);
  const { exits } = adapterOf(vault);
  // A vault that takes no new requests may still hold this one.
  if (request !== null && exits !== undefined) return { exits, request };
  if (exitsOf(vault).pending === undefined)
    throw failure("mode_unsupported", `${vault.name} pays instantly and takes no requests`);
  throw failure(
    "nothing_to_withdraw",
    `the account has no redemption request ${requestId} with ${vault.name}: \`requests\` in GET /v1/positions/{user_address} lists those it has`,
  );
}

/**
 * What was read about a request. `request` is null if the vault reports no redemption request with this id, and
 * `unread` true if its requests could not be read.
 */
type AskedFor = Omit<Asked, "request" | "exits"> & { request: PendingExit | null; unread: boolean };

async function readAsked(
  ctx: Context,
  of: { vault: Vault; user: Address; requestId: string },
): Promise<AskedFor> {
  const { vault, user, requestId } = of;
  const exits = adapterOf(vault).exits;
  const gas = createQuery({ gas: nativeBalanceRead(user) }, ({ gas: read }) => valueOrNull(read));
  const ids = { user, requestIds: [requestId] };
  const { value, block } = await readTimed(ctx, {
    chainId: vault.chainId,
    query: (now) =>
      queryAll({
        pending: exits?.pending?.(vault, { ...ids, now }) ?? createQuery({}, () => []),
        depositClaim: depositClaimQuery(vault, ids),
        gas,
      }),
  });
  const { pending, depositClaim, gas: nativeBalance } = value;
  const request = pending?.find((one) => one.requestId.toLowerCase() === requestId.toLowerCase()) ?? null;
  return { vault, user, request, unread: pending === null, depositClaim, nativeBalance, block };
}

/** Returns the query for the call that claims for a user's deposit requests; null if nothing is claimable. */
function depositClaimQuery(
  vault: Vault,
  of: { user: Address; requestIds: readonly string[] },
): Query<DepositClaimCall | null> {
  const deposits = asyncDepositsOf(vault);
  if (deposits === null) return createQuery({}, () => null);
  return mapQuery(deposits.pending(vault, of), (pending) =>
    deposits.claim(vault, { user: of.user, pending }),
  );
}

type Acting = Omit<Asked, "exits"> & { action: RequestAction; call: ExitFollowUp };

async function prepareAction(ctx: Context, of: Acting): Promise<BuiltRequestAction> {
  const { vault, action } = of;
  const { chainId } = vault;
  const client = ctx.chains.client(chainId);
  const gasPrice = client === null ? Promise.resolve(null) : readGasPrice(ctx, client);
  const made = await simulateRequestCall(ctx, of);
  const { transaction, own } = made;
  const price = await waitForGasPrice(gasPrice);
  const balance = of.nativeBalance;
  const gas = balance === null || price === null ? null : { balance, gasPrice: price };
  const token = await findToken(ctx, { chainId, address: made.token });
  return {
    transaction_request: transaction,
    approval: null,
    steps: [
      toRequestStep({
        purpose: action,
        chainId,
        token,
        request: transaction,
        state: "required",
        txHash: null,
      }),
    ],
    calls: [toWalletCall(own, chainId)],
    simulation: {
      block_number: made.blockNumber,
      gas_used: made.gasUsed.toString(),
      received: made.received?.toString() ?? null,
      balance_sufficient: true,
      allowance_sufficient: true,
      gas_sufficient: isGasSufficient(gas, { transaction, approvals: 0 }),
    },
    warnings: made.warnings,
  };
}
