import { encodeFunctionData } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { contractsOf, send } from "../../../scripts/stack/chains/scratch-chain.ts";
import type { VaultRow } from "../../../src/db/queries/vault-queries.ts";
import { type ProofStage, startProofStage } from "../../support/registry/proof-stage.ts";

const traps = contractsOf("test/support/solidity/ExitTraps.sol");
let stage: ProofStage;

beforeAll(async () => {
  stage = await startProofStage();
});
afterAll(() => stage?.close());

/** Deploys a vault, by default with its trap set, and returns its registry entry after its proof. */
async function prove(name: string, sprung = true): Promise<VaultRow> {
  const address = await stage.put(name, traps);
  const args = [sprung];
  const data = encodeFunctionData({ abi: traps("PaysNothing").abi, functionName: "spring", args });
  await send(stage.chain, { to: address, data });
  const vaultId = await stage.addCandidate(address);
  await stage.prove(vaultId);
  return stage.rowOf(vaultId);
}

/** Vaults that treat one early redemption of a whole small deposit well, and the reason that their proof finds. */
const harmful: readonly [what: string, name: string, reason: RegExp][] = [
  [
    "redeems no small parts, and nothing an hour after the last deposit",
    "RefusesPartsAndTraps",
    /^after 30 days, shares can no longer be redeemed: too late$/,
  ],
  [
    "redeems nothing but all shares, and nothing an hour after the last deposit",
    "RefusesAnyPartAndTraps",
    /^after 30 days, shares can no longer be redeemed: too late$/,
  ],
  [
    "lets only the latest depositor leave",
    "LetsLatestLeave",
    /^some accounts cannot redeem their shares: not the latest$/,
  ],
  [
    "lets only one account ever leave",
    "LetsOneLeave",
    /^some accounts cannot redeem their shares: one has left$/,
  ],
  [
    "pays all but the latest depositor a tenth",
    "PaysLatestOnly",
    /^some accounts are paid much less for their shares than others$/,
  ],
  ["loses a fortieth in 30 days", "BleedsAssets", /^shares lose 2\.[45]% of their value in 30 days$/],
  [
    "shows and redeems a hundredth of the shares after an hour",
    "ShrinksShares",
    /^after 30 days, shares can no longer be redeemed/,
  ],
  [
    "keeps most of what is worth more than five thousand tokens",
    "KeepsHugeExits",
    /^redeeming a larger deposit after 30 days returns much less than the deposit, and no preview of the vault states this$/,
  ],
  [
    "redeems only by functions of its own",
    "RedeemsElsewhere",
    /^shares cannot be redeemed by the functions of ERC-4626; a redemption reverts without a reason$/,
  ],
  [
    "burns shares and pays nothing",
    "PaysNothing",
    /^redeeming the shares at once pays none of the vault's asset$/,
  ],
  [
    "pays nobody after the cooldown",
    "CoolsForEver",
    /^the assets cannot be claimed after the cooldown: never$/,
  ],
  [
    "pays a tenth after the cooldown",
    "CoolsForLess",
    /^after the cooldown, the shares pay much less than the deposit$/,
  ],
  [
    "starts nobody's cooldown",
    "CoolsNobody",
    /^shares cannot be redeemed by the functions of ERC-4626; a redemption reverts: no more cooldowns$/,
  ],
  ["names another asset", "SwitchesAsset", /^the vault's asset is its own share token$/],
];

test.each(harmful)("an operator's vault never opens which %s", async (_what, name, reason) => {
  const row = await prove(name);
  expect(row).toMatchObject({ status: "refused", statusBy: "proof", wasActive: false });
  expect(row.statusReason).toMatch(reason);
  expect(await prove(name, false)).toMatchObject({ status: "active", statusReason: "" });
});

describe("an honest vault opens", () => {
  test("although it redeems nothing but all of an account's shares", async () => {
    expect(await prove("RefusesAnyPart")).toMatchObject({ status: "active", proof: { returned: "1000000" } });
  });

  test("although a cooldown of a part would leave too few shares in the vault", async () => {
    expect(await prove("CoolsAboveMinimum")).toMatchObject({
      status: "active",
      params: { exit: "cooldown" },
    });
  });

  test("whose cooldown names the owner of the shares", async () => {
    expect(await prove("CoolsNamed")).toMatchObject({
      ...{ status: "active", params: { exit: "cooldown", cooldown_call: "owner" } },
    });
  });
});
