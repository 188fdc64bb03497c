import type { Address } from "viem";
import { runSimulation } from "../chains/simulator/run-simulation.ts";
import type { Context } from "../context.ts";
import type { NextStep } from "../schemas/deposit-schema.ts";
import type { NextStepRefusal, Warning } from "../schemas/step-schema.ts";
import { explainVaultRevert } from "../vaults/families/vault-families.ts";
import type { Vault } from "../vaults/vault.ts";
import type { DepositClaimCall } from "../vaults/vault-deposit-claim.ts";
import { toTransactionRequest, toWalletCall } from "./order-wallet-calls.ts";
import { balanceOfRead, GAS_FUNDS, INCLUSION_DELAY_S, receivedTokens } from "./simulate-order-payment.ts";

/**
 * The user's next transaction for a deposit: `next` is the simulated transaction, `refusal` the reason why it cannot be
 * sent now. Both are null if there is nothing to send.
 */
export interface NextStepOutcome {
  next: NextStep | null;
  refusal: NextStepRefusal | null;
}

/**
 * Creates the outcome for a transaction that cannot be sent now. `code` is an error code of the API or a more specific
 * reason, such as `request_gone`; `detail` explains it to the user.
 */
export const refusedStep = (code: string, detail: string): NextStepOutcome => ({
  next: null,
  refusal: { code, detail },
});

/** Creates the warning about a claim or cancellation whose simulation does not show what it brings. */
export const unreadReceipt = ({ name }: Pick<Vault, "name">): Warning => ({
  code: "received_unknown",
  detail: `what ${name} would pay or return in this transaction could not be read`,
});

/**
 * Simulates the claim of a settled or cancelled deposit request and returns the transaction to sign, or why it cannot be
 * sent: the chain is not served, the claim reverts, gives the user no shares (or assets, if it pays back), or takes
 * some. A balance that cannot be read is a warning. `headTime` is the timestamp of the latest block that the
 * caller read, in UNIX seconds. Errors of `runSimulation` and `receivedTokens` propagate.
 */
export async function prepareClaim(
  ctx: Context,
  of: {
    vault: Vault;
    user: Address;
    call: DepositClaimCall;
    headTime: number;
  },
): Promise<NextStepOutcome> {
  const { vault, user, call } = of;
  const { chainId } = vault;
  const client = ctx.chains.client(chainId);
  if (client === null) return refusedStep("chain_unsupported", `chain ${chainId} is not served`);
  const [token, what] =
    call.paysBack === true ? [vault.asset.address, "assets"] : [vault.shareToken, "shares"];
  const own = { target: call.target, data: call.data, value: 0n };
  const simulation = await runSimulation(client, {
    user,
    calls: [own],
    reads: [balanceOfRead(token, user)],
    overrides: [{ address: user, balance: GAS_FUNDS }],
    time: of.headTime + INCLUSION_DELAY_S,
    standsAlone: true,
  });
  const [made] = simulation.calls;
  if (made === undefined || !made.ok) {
    const { code, text } = explainVaultRevert(vault, made?.returnData ?? "0x");
    return refusedStep(code ?? "would_revert", `the claim would revert: ${text ?? "without a reason"}`);
  }
  const received = receivedTokens(simulation, { token, receiver: user, read: 0 });
  if (received !== null && received < 0n)
    return refusedStep("price_unsafe", `the claim would take ${what} of ${vault.name} from the account`);
  if (received === 0n)
    return refusedStep("zero_shares", `${vault.name} would give no ${what} for this request now`);
  const request = toTransactionRequest(own, { chainId, gasUsed: made.gasUsed });
  const calls = [toWalletCall(own, chainId)];
  const warnings = received === null ? [unreadReceipt(vault)] : [];
  return {
    next: { kind: "claim", transaction_request: request, approval: null, calls, warnings },
    refusal: null,
  };
}
