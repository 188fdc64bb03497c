import { decodeFunctionData, type Hex, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { toSignableDeposit } from "../../src/deposits/describe-built-deposit.ts";
import { prepareSecondStep, type SecondStep } from "../../src/deposits/two-step-deposit.ts";
import { erc4626Abi } from "../../src/vaults/families/erc4626-base/erc4626-adapter.ts";
import { testContext } from "../support/context.ts";
import { OTHER, TRACKING_ID, USDC, USER, VAULT, vault } from "../support/deposits/fixtures.ts";
import { balanceKey, simulatedChain } from "../support/deposits/simulated-chain.ts";

const ONE = 10n ** 18n;
const AMOUNT = 100_000_000n;
const step: SecondStep = {
  vault: { ...vault, caller: "user" },
  user: USER,
  token: USDC,
  amount: AMOUNT,
  slippage: 0.03,
  trackingId: TRACKING_ID,
  partnerId: "",
  partnerType: 0,
};

/** A chain on which a deposit mints 80 shares. */
function chainThatMints() {
  const { client, sent } = simulatedChain({
    answers: { balanceOf: AMOUNT, allowance: AMOUNT },
    effects: () => ({ rises: { [balanceKey(VAULT, USER)]: 80n * ONE } }),
  });
  return { ctx: testContext({ clients: [client] }), sent };
}

describe("prepareSecondStep()", () => {
  test("deposits the delivered amount under the deposit's reference", async () => {
    const { ctx, sent } = chainThatMints();
    const prepared = await prepareSecondStep(ctx, step);
    expect(prepared).toMatchObject({ depositAmount: AMOUNT, simulated: { shares: 80n * ONE } });
    const { transaction_request: request, approval, calls } = toSignableDeposit(prepared);
    expect(request).toMatchObject({ to: VAULT, value: "0", chain_id: vault.chainId });
    expect(decodeFunctionData({ abi: erc4626Abi(), data: request.data as Hex }).args).toEqual([AMOUNT, USER]);
    expect(sent.flat().map(({ to, data }) => ({ to, data }))).toEqual([{ to: VAULT, data: request.data }]);
    expect(approval).toEqual({ token_address: USDC, spender_address: VAULT, amount: String(AMOUNT) });
    expect(calls).toHaveLength(1);
  });
});

describe("prepareSecondStep() refusals", () => {
  const refusal = (change: Partial<SecondStep>) =>
    prepareSecondStep(chainThatMints().ctx, { ...step, ...change });

  test("refuses a token that the vault does not accept", async () => {
    await expect(refusal({ token: OTHER })).rejects.toMatchObject({ code: "token_unsupported" });
    await expect(refusal({ token: zeroAddress })).rejects.toMatchObject({ code: "token_unsupported" });
  });

  test("refuses a vault that was paused in the meantime", async () => {
    const paused = { ...step.vault, status: "paused", statusReason: "maintenance" } as const;
    await expect(refusal({ vault: paused })).rejects.toMatchObject({
      code: "vault_paused",
      members: { reason: "maintenance" },
    });
  });

  test("refuses a chain that is no longer served", async () => {
    const gone = { ...step.vault, chainId: 5 };
    await expect(refusal({ vault: gone })).rejects.toMatchObject({ code: "vault_not_found" });
  });
});
