import { type Address, encodeFunctionData } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { contractsOf, send } from "../../../scripts/stack/chains/scratch-chain.ts";
import { type ProofStage, startProofStage } from "../../support/registry/proof-stage.ts";

const posing = contractsOf("test/support/solidity/PosingVaults.sol");
const upshift = contractsOf("scripts/stack/contracts/upshift/TokenizedVault.sol");
const mellow = contractsOf("scripts/stack/contracts/mellow-lrt/SimpleLrt.sol");
let stage: ProofStage;

beforeAll(async () => {
  stage = await startProofStage();
});
afterAll(() => stage?.close());

type Contracts = ReturnType<typeof contractsOf>;
const act = (to: Address, of: { from: Contracts; name: string; call: readonly [string, ...unknown[]] }) => {
  const [functionName, ...args] = of.call;
  return send(stage.chain, {
    to,
    data: encodeFunctionData({ abi: of.from(of.name).abi, functionName, args }),
  });
};
const spring = (to: Address, yes = true) =>
  act(to, { from: posing, name: "PosesAsUpshift", call: ["spring", yes] });

/** Deploys a vault with its trap set, adds it as an operator's candidate and proves it. */
async function proveSprung(name: string) {
  const address = await stage.put(name, posing);
  await spring(address);
  const vaultId = await stage.addCandidate(address);
  await stage.prove(vaultId);
  return { address, vaultId };
}

const NO_WAY_OUT = "shares cannot be redeemed; a redemption reverts: no way out";

describe("a vault with the views of a family in which holders may have to wait", () => {
  test.each([
    ["PosesAsUpshift", "upshift_legacy", NO_WAY_OUT],
    ["PosesWithoutBalances", "upshift_legacy", NO_WAY_OUT],
    ["PosesAsMellow", "mellow_lrt", NO_WAY_OUT],
    ["PosesAsEuler", "euler", NO_WAY_OUT],
  ])("is refused if nobody can leave by any way: %s", async (name, adapter, reason) => {
    const { address, vaultId } = await proveSprung(name);
    expect(await stage.rowOf(vaultId)).toMatchObject({
      ...{ status: "refused", statusBy: "proof", wasActive: false, statusReason: reason },
    });
    await spring(address, false);
    expect(await stage.prove(vaultId)).toMatchObject({ body: { status: "active", adapter } });
    await spring(address);
    for (let proof = 0; proof < 2; proof += 1)
      expect(await stage.prove(vaultId)).toMatchObject({ body: { status: "active", proof: { ok: false } } });
    expect(await stage.prove(vaultId)).toMatchObject({ body: { status: "paused", status_reason: reason } });
  });

  test("is refused if it has none of the family's ways out", async () => {
    const { vaultId } = await proveSprung("PosesByViews");
    const { status, statusReason } = await stage.rowOf(vaultId);
    expect({ status, statusReason }).toEqual({
      status: "refused",
      statusReason: "shares cannot be redeemed; a redemption reverts without a reason",
    });
  });

  const unpaid = (what: string) => `a redemption of the shares pays ${what}, and no request is recorded`;
  test.each([
    ["PaysNothingAsUpshift", unpaid("nothing")],
    ["ForgetsRequests", unpaid("nothing")],
    ["PaysLessAsUpshift", unpaid("much less than the vault states")],
    ["PaysNothingAsMellow", unpaid("nothing")],
    ["PaysNothingAsAccountable", unpaid("nothing")],
    ["PaysNothingBehindSwitches", "redeeming the shares at once pays none of the vault's asset"],
    [
      "CheatsContractsAsUpshift",
      "a deposit by a contract mints shares that are worth much less than the deposit",
    ],
  ])("is refused if it takes the shares for nothing: %s", async (name, reason) => {
    const { vaultId } = await proveSprung(name);
    const { status, statusReason } = await stage.rowOf(vaultId);
    expect({ status, statusReason }).toEqual({ status: "refused", statusReason: reason });
  });

  test.each([
    ["states what leaving at once costs", "StatesItsFee"],
    ["takes no requests for less than a hundred shares", "RedeemsALotLater"],
    ["locks new shares for a day", "LocksLater"],
  ])("opens if it %s", async (_what, name) => {
    const { vaultId } = await proveSprung(name);
    expect(await stage.rowOf(vaultId)).toMatchObject({ status: "active", adapter: "upshift_legacy" });
  });
});

describe("an honest vault of such a family opens, and is paused while its withdrawals are", () => {
  test.each([
    ["upshift_legacy", "LegacyTokenizedVault", upshift, "setWithdrawalsPaused"],
    ["mellow_lrt", "SimpleLrt", mellow, "setWithdrawalPause"],
  ] as const)("%s", async (adapter, name, from, call) => {
    const address = await stage.put(name, from, [stage.asset, "Vault", "V"]);
    const pause = (yes: boolean) => act(address, { from, name, call: [call, yes] });
    const vaultId = await stage.addCandidate(address);
    const proven = () => stage.prove(vaultId);
    const reason = "shares cannot be redeemed; withdrawals are paused";
    await pause(true);
    expect(await proven()).toMatchObject({ body: { status: "candidate", proof: { ok: false, reason } } });
    await pause(false);
    expect(await proven()).toMatchObject({ body: { status: "active", adapter, proof: { ok: true } } });
    await pause(true);
    for (let proof = 0; proof < 2; proof += 1)
      expect(await proven()).toMatchObject({ body: { status: "active", proof: { ok: false, reason } } });
    expect(await proven()).toMatchObject({ body: { status: "paused", status_reason: reason } });
    await pause(false);
    expect(await proven()).toMatchObject({ body: { status: "active", status_reason: "" } });
  });
});
