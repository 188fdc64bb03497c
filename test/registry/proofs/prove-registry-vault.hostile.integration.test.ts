import { type Address, encodeFunctionData } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { contractsOf, type ScratchChain, send } from "../../../scripts/stack/chains/scratch-chain.ts";
import type { TestDeployment } from "../../../scripts/stack/test-deployment.ts";
import { discoverVaults } from "../../../src/registry/discover-registry-vaults.ts";
import { proveDueVaults } from "../../../src/registry/proofs/prove-due-vaults.ts";
import { call } from "../../support/partners/wallet.ts";
import { deployListRegister } from "../../support/registry/list-register.ts";
import { type ProofStage, startProofStage } from "../../support/registry/proof-stage.ts";

const CHAIN = 31337;
const crooked = contractsOf("test/support/solidity/CrookedVaults.sol");
let stage: ProofStage;
let causeway: TestDeployment;
let chain: ScratchChain;
let asset: Address;

beforeAll(async () => {
  stage = await startProofStage(CHAIN);
  ({ causeway, chain } = stage);
  asset = await put("CrookedToken", 6, false);
});
afterAll(() => stage?.close());

const put = (name: string, ...args: unknown[]): Promise<Address> => stage.put(name, crooked, args);

const transact = (name: string, to: Address, [functionName, ...args]: readonly [string, ...unknown[]]) =>
  send(chain, { to, data: encodeFunctionData({ abi: crooked(name).abi, functionName, args }) });

/** Deploys a vault with one share unit to which a million of its asset was given. */
async function inflated(): Promise<Address> {
  const vault = await put("CrookedVault", asset);
  await transact("CrookedToken", asset, ["mint", chain.account, 1n]);
  await transact("CrookedToken", asset, ["approve", vault, 1n]);
  await transact("CrookedVault", vault, ["deposit", 1n, chain.account]);
  await transact("CrookedToken", asset, ["mint", vault, 10n ** 12n]);
  return vault;
}

/** A vault that cheats, and the reason for which its proof refuses it. */
const hostile: readonly [string, () => Promise<Address>, RegExp][] = [
  ["burns all gas in a view", () => put("GasBomb", asset), /^the contract is not an ERC-4626 vault$/],
  ["burns all gas of a deposit", () => put("DepositBomb", asset), /^a deposit reverts/],
  [
    "has an asset whose symbol is a megabyte long",
    async () => put("CrookedVault", await put("CrookedToken", 6, true)),
    /^the vault's asset reports no symbol or decimals$/,
  ],
  [
    "has an asset of 77 decimals",
    async () => put("CrookedVault", await put("CrookedToken", 77, false)),
    /^the vault's asset reports no symbol or decimals$/,
  ],
  [
    "has shares of 77 decimals",
    () => put("ManyDecimals", asset),
    /^the share token reports 77 decimals, more than 36$/,
  ],
  [
    "names another asset at every second question",
    async () => put("FickleAsset", asset, await put("CrookedToken", 6, false)),
    /^(a deposit reverts|the vault does not confirm that it accepts )/,
  ],
  ["is its own asset", () => put("OwnAsset", asset), /^the vault's asset is its own share token$/],
  [
    "names the shares of another vault",
    async () => put("ForeignShare", asset, await put("CrookedVault", asset)),
    /^the vault's shares are a separate token$/,
  ],
  [
    "swaps its implementation between calls",
    async () => put("SwappingProxy", await put("CrookedVault", asset), await put("Taker", asset)),
    /^the minted shares are worth much less than the deposit$/,
  ],
  [
    "keeps the deposit and mints nothing",
    () => put("Taker", asset),
    /^the minted shares are worth much less than the deposit$/,
  ],
  [
    "mints to its maker",
    () => put("MintsElsewhere", asset),
    /^the minted shares are worth much less than the deposit$/,
  ],
  [
    "pays half of what it says",
    () => put("PaysHalf", asset),
    /^redeeming the shares at once returns much less than the deposit$/,
  ],
  [
    "has total assets that were given to it",
    inflated,
    /^the minted shares are worth much less than the deposit$/,
  ],
];

const rowOf = (address: Address) => stage.rowOf(`${CHAIN}:${address.toLowerCase()}`);

describe("a vault that cheats never becomes active, although an operator claims it", () => {
  test.each(hostile)("which %s", async (_what, make, reason) => {
    const address = await make();
    const vaultId = `${CHAIN}:${address.toLowerCase()}`;
    expect(await stage.admin("POST", "vaults", { vaults: [{ vault_id: vaultId }] })).toMatchObject({
      status: 201,
    });
    for (let round = 0; round < 2; round += 1) await stage.admin("POST", `vaults/${vaultId}/prove`);
    expect(await rowOf(address)).toMatchObject({ status: "refused", statusBy: "proof", wasActive: false });
    expect((await rowOf(address)).statusReason).toMatch(reason);
    const { body } = await call(causeway.isolate(), ["GET", `/v1/vaults/${vaultId}`]);
    expect(body["code"]).toBe("vault_not_found");
  });
});

test("a vault whose conversion reverts stays a candidate, with what it says", async () => {
  const address = await put("RevertingViews", asset);
  const vaultId = await stage.addCandidate(address);
  for (let round = 0; round < 2; round += 1) await stage.prove(vaultId);
  const { status, wasActive, proof } = await rowOf(address);
  expect({ status, wasActive, reason: proof?.reason }).toEqual({
    ...{ status: "candidate", wasActive: false, reason: "convertToAssets() reverts: not today" },
  });
});

test("none opens through a governed register with every condition of the gate lifted, nor shows its name", async () => {
  const made = await Promise.all([put("MarkupName", asset)]);
  for (const [, make] of hostile) made.push(await make());
  // A register may also name an address that is a vault on another chain only, an account, or a token.
  made.push("0x00000000000000000000000000000000000A11cE", chain.account, asset);
  const register = await deployListRegister(chain);
  await register.call("set", [made]);
  const entry = { chain_id: CHAIN, address: register.address, adapter: "erc4626", protocol: "Scratch" };
  const DISCOVERY = JSON.stringify({
    registers: [{ ...entry, openness: "governed", view: "verifiedArray" }],
    ...{ assets: [`${CHAIN}:${asset}`], min_tvl_usd: 0, min_age_days: 0, min_timelock_s: 0 },
  });
  const isolate = causeway.isolate({ DISCOVERY });
  expect(await discoverVaults(isolate.context())).toMatchObject({ failed: 0, named: made.length });
  await proveDueVaults(isolate.context());
  const rows = await Promise.all(made.map(rowOf));
  for (const row of rows) {
    expect(["candidate", "refused"]).toContain(row.status);
    expect(row.name).toMatch(/^Scratch (vault|DOL)$/);
  }
  expect(rows[0]).toMatchObject({
    ...{ status: "candidate", statusReason: "its contract code belongs to no known family" },
    proof: { ok: true },
  });
  for (const row of rows.slice(-3)) expect(row).toMatchObject({ status: "refused", assetSymbol: "" });
  const { body } = await call(isolate, ["GET", "/v1/vaults"]);
  expect(body["rows"]).toEqual([]);
});

test("a name of markup and marks of direction is stored without the marks", async () => {
  const address = await put("MarkupName", asset);
  const vaultId = `${CHAIN}:${address.toLowerCase()}`;
  const { body } = await stage.admin("POST", "vaults", { vault_id: vaultId });
  expect(body["name"]).toBe("<img src=x onerror=alert(1)>Vault USDC");
});
