import { describe, expect, test } from "vitest";
import { Api } from "../../support/e2e/api.ts";
import { chainIds, chainOf, vaultNamed } from "../../support/e2e/chain.ts";
import { completeDeposit, newMultiChainUser, prepare } from "../../support/e2e/transfer.ts";

const api = new Api();
const one = chainOf(chainIds.one);
const two = chainOf(chainIds.two);

describe("cross-chain deposit", () => {
  test("reaches the vault after one signature", async () => {
    const journey = { from: one, paid: "USDC", vault: vaultNamed("Remote Prime USDC") } as const;
    const traveller = await newMultiChainUser([one, two]);
    const built = await api.build(await prepare(journey, traveller));
    expect(built).toMatchObject({ two_step: false, deposit_tx: null, tracking: { bridge: "across" } });
    expect(built.simulation).toMatchObject({ balance_sufficient: true, allowance_sufficient: false });
    expect(built.simulation.destination?.shares).toBe(built.estimate.estimated_shares);
    const { shares } = await completeDeposit({ ...journey, traveller, built, style: "calls" });
    expect(shares).toBeGreaterThanOrEqual(BigInt(built.estimate.min_shares ?? "0"));
  });

  test("takes two signatures when the vault requires the user as caller", async () => {
    const journey = { from: two, paid: "ETH", vault: vaultNamed("Members USDC") } as const;
    const traveller = await newMultiChainUser([one, two]);
    const built = await api.build(await prepare(journey, traveller));
    expect(built).toMatchObject({ two_step: true, approval: null, estimate: { min_shares: null } });
    expect(built.deposit_tx?.transaction_request.chain_id).toBe(one.chainId);
    await completeDeposit({ ...journey, traveller, built, style: "approval" });
  });
});
