import { type Address, encodeFunctionData, erc20Abi, getAddress, type Hex } from "viem";
import { runSimulation } from "../chains/simulator/run-simulation.ts";
import type { Context } from "../context.ts";
import type { DepositRow } from "../db/queries/deposits.ts";
import { selectOtherRequests } from "../db/queries/deposits.ts";
import { toTransactionRequest, toWalletCall } from "../deposits/build/wire.ts";
import { isRequested, isRequestGone, readRequest } from "../deposits/track/async-request.ts";
import type { NextStep, NextStepRefusal } from "../schemas/deposit.ts";
import { explainVaultRevert } from "../vaults/families.ts";
import type { Vault } from "../vaults/vault.ts";

/** How far after the head the claim is simulated, seconds. */
const CLAIM_INCLUSION_DELAY_S = 30;
/** For gas; the user's real balance plays no part here. */
const CLAIM_GAS_FUNDS = 10n ** 21n;

/** A claim that was seen to work, or why it would not; both null where there is nothing to be signed. */
export interface PreparedClaim {
  next: NextStep | null;
  refusal: NextStepRefusal | null;
}

const refusedClaim = (code: string, detail: string): PreparedClaim => ({
  next: null,
  refusal: { code, detail },
});

/**
 * The transaction with which the user takes what a vault has settled, seen to work; nothing while it is not settled,
 * or where settlement sends the shares by itself. A request that the vault knows no more, and that left nothing, is
 * told as such, and where one claim takes several requests it is the first one's. Throws what reading the chain throws
 * and `store_unavailable`.
 */
export async function prepareNextClaim(ctx: Context, row: DepositRow): Promise<PreparedClaim> {
  const now = await readRequest(ctx, row);
  if (now === null) return refusedClaim("would_revert", "the vault takes no requests any more");
  if (isRequestGone(now.pending) === true) {
    return refusedClaim(
      "request_gone",
      "the vault knows this request no more, and no shares were seen to follow",
    );
  }
  const user = getAddress(row.userAddress);
  const call = now.requests.claim(now.vault, { user, pending: now.pending });
  if (call === null) return { next: null, refusal: null };
  const earlier = await findSharingRequest(ctx, row);
  if (earlier !== null) {
    return refusedClaim(
      "claim_shared",
      `one claim takes all that is settled: it is the next step of ${earlier}`,
    );
  }
  return prepareClaim(ctx, { vault: now.vault, user, call, headTime: now.block.timestamp });
}

/** The first of the account's requests that are claimed together, when it is another one. */
async function findSharingRequest(ctx: Context, row: DepositRow): Promise<string | null> {
  const others = await selectOtherRequests(ctx.db, row);
  const [first] = others.filter((other) => isRequested(other) && other.requestId === row.requestId);
  if (first === undefined) return null;
  const [at, own] = [first.createdAt.getTime(), row.createdAt.getTime()];
  return at < own || (at === own && first.trackingId < row.trackingId) ? first.trackingId : null;
}

/**
 * Simulates a claim as its user would send it. `headTime`: of the block at which it was found, in seconds. Throws what
 * simulating throws.
 */
export async function prepareClaim(
  ctx: Context,
  of: { vault: Vault; user: Address; call: { target: Address; data: Hex }; headTime: number },
): Promise<PreparedClaim> {
  const { vault, user, call } = of;
  const { chainId, shareToken } = vault;
  const client = ctx.chains.client(chainId);
  if (client === null) return refusedClaim("chain_unsupported", `chain ${chainId} is not served`);
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [user] });
  const own = { ...call, value: 0n };
  const simulation = await runSimulation(client, {
    user,
    calls: [own],
    reads: [{ target: shareToken, data }],
    overrides: [{ address: user, balance: CLAIM_GAS_FUNDS }],
    time: of.headTime + CLAIM_INCLUSION_DELAY_S,
    standsAlone: true,
  });
  const [made] = simulation.calls;
  if (made === undefined || !made.ok) {
    const { code, text } = explainVaultRevert(vault, made?.returnData ?? "0x");
    return refusedClaim(code ?? "would_revert", `the claim would revert: ${text ?? "without a reason"}`);
  }
  const request = toTransactionRequest(own, { chainId, gasUsed: made.gasUsed });
  const calls = [toWalletCall(own, chainId)];
  return { next: { kind: "claim", transaction_request: request, approval: null, calls }, refusal: null };
}
