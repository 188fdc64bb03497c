import { type Address, encodeDeployData, encodeFunctionData, getAddress, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lagoonVaultAbi } from "#stand-ins/erc7540";
import { eulerVaultAbi, eulerVaultCreationCode } from "#stand-ins/lending";
import { midasAccessAbi, midasDepositVaultAbi, midasTokenAbi } from "#stand-ins/midas";
import { vaultV2Abi, vaultV2CreationCode } from "#stand-ins/morpho-v2";
import { tokenizedVaultAbi } from "#stand-ins/upshift";
import { vedaAccountantAbi, vedaTellerCAbi, vedaTellerDAbi } from "#stand-ins/veda";
import { SeedRow } from "../../../scripts/db/seed-row.ts";
import { contractsOf } from "../../../scripts/stack/chains/scratch-chain.ts";
import type { Isolate } from "../../../scripts/stack/test-deployment.ts";
import { ask, sampleAmount, vaultIdOf, vaultOf } from "../../support/conformance/vaults/deposit.ts";
import { deployCentrifuge, deployLagoon } from "../../support/conformance/vaults/erc7540-stand-in.ts";
import { deployAccountable, deployIpor, withShare } from "../../support/conformance/vaults/exit-stand-ins.ts";
import type { Placed } from "../../support/conformance/vaults/family.ts";
import { deployMellow } from "../../support/conformance/vaults/mellow-stand-in.ts";
import { deployMidas } from "../../support/conformance/vaults/midas-stand-in.ts";
import { deployStandard, set } from "../../support/conformance/vaults/standard.ts";
import { place } from "../../support/conformance/vaults/suite.ts";
import { deployUpshift } from "../../support/conformance/vaults/upshift-stand-in.ts";
import { deployVedaExit, deployVedaTeller } from "../../support/conformance/vaults/veda-exits-stand-in.ts";
import { startWorld, type World } from "../../support/conformance/vaults/world.ts";
import { asAdmin, call } from "../../support/partners/wallet.ts";

let world: World;
let isolate: Isolate;
beforeAll(async () => {
  world = await startWorld();
  isolate = world.fresh();
});
afterAll(() => world?.close());

const DECIMALS = 6;
type Kind = Parameters<typeof place>[1]["family"];
const veda: Kind = { name: "Veda", adapter: "veda", type: "veda", deploy: deployVedaExit({ way: "queue" }) };
const midas: Kind = {
  name: "Midas",
  adapter: "midas",
  type: "midas",
  deploy: deployMidas({ deposit: "instant", recipient: "argument", caller: "router" }),
};
const vaultV2: Kind = {
  name: "Vault V2",
  adapter: "morpho_v2",
  type: "morpho",
  deploy: deployStandard({ abi: vaultV2Abi, code: vaultV2CreationCode }, () => 18),
};
const euler: Kind = {
  name: "Euler",
  adapter: "euler",
  type: "custom",
  deploy: deployStandard({ abi: eulerVaultAbi, code: eulerVaultCreationCode }),
};

const opened = (family: Kind): Promise<Placed> => place(world, { family, decimals: DECIMALS });
const part = (placed: Placed, name: string): Address => getAddress(placed.parts[name] ?? zeroAddress);
const admin = (method: string, path: string, body?: unknown) =>
  call(isolate, [method, `/v1/admin/${path}`], { headers: asAdmin, ...(body === undefined ? {} : { body }) });
const prove = (placed: Placed) => admin("POST", `vaults/${vaultIdOf(placed)}/prove`);

/** Deploys a vault of a family without a registry entry. */
async function unknown(family: Kind): Promise<{ vaultId: string; parts: Placed["parts"]; asset: Address }> {
  const asset = await world.token(DECIMALS);
  const { row, parts } = await family.deploy(world, asset);
  return {
    vaultId: `${world.chainId}:${row.address.toLowerCase()}`,
    parts,
    asset: getAddress(asset.address),
  };
}

/** Asks for a build and returns the contract that the user's transaction calls, or the refusal's code. */
async function called(placed: Placed): Promise<unknown> {
  const amount = sampleAmount(DECIMALS);
  const user = await world.user(placed.asset, amount);
  const { status, body } = await ask({ placed, user: user.address, amount });
  const request = body["transaction_request"] as { to: Address } | null;
  return status === 200 ? (request?.to ?? null) : body["code"];
}

describe("a vault whose caller must be another one after it was opened", () => {
  const kinds: readonly [string, Kind, (placed: Placed) => Promise<void>][] = [
    [
      "shares are locked",
      veda,
      async (placed) => {
        const teller = (await vaultOf(placed)).entryPoint;
        await set(placed, { abi: vedaTellerDAbi, name: "setShareLockPeriod", args: [3_600n], on: teller });
      },
    ],
    [
      "few may move shares",
      veda,
      async (placed) => {
        const on = { abi: vedaTellerDAbi, on: (await vaultOf(placed)).entryPoint };
        await set(placed, { ...on, name: "setPermissionedTransfers", args: [true] });
        await set(placed, { ...on, name: "allowPermissionedOperator", args: [part(placed, "pays")] });
      },
    ],
    [
      "each caller's first deposit has a minimum",
      midas,
      (placed) =>
        set(placed, {
          abi: midasDepositVaultAbi,
          ...{ name: "setMinMTokenAmountForFirstDeposit", args: [10n ** 18n], on: part(placed, "deposits") },
        }),
    ],
  ];
  test.each(kinds)("goes to the user when %s", async (_name, family, change) => {
    const placed = await opened(family);
    expect((await vaultOf(placed)).caller).toBe("router");
    await change(placed);
    expect(await prove(placed)).toMatchObject({
      body: { status: "active", caller: "user", proof: { ok: true } },
    });
    expect(await called(placed)).toBe((await vaultOf(placed)).entryPoint);
    expect(await prove(placed)).toMatchObject({ body: { status: "active", caller: "user" } });
  });

  test("stays with the user when the reason is gone: what he can do himself always works", async () => {
    const placed = await opened(veda);
    const teller = (await vaultOf(placed)).entryPoint;
    const lock = (seconds: bigint) =>
      set(placed, { abi: vedaTellerDAbi, name: "setShareLockPeriod", args: [seconds], on: teller });
    await lock(3_600n);
    expect(await prove(placed)).toMatchObject({ body: { status: "active", caller: "user" } });
    await lock(0n);
    expect(await prove(placed)).toMatchObject({ body: { status: "active", caller: "user" } });
    expect(await called(placed)).toBe(teller);
  });

  test("says that a vault admits its own list alone, when a gate is set", async () => {
    const placed = await opened(vaultV2);
    expect(await prove(placed)).toMatchObject({ body: { status: "active", caller: "router" } });
    await set(placed, { abi: vaultV2Abi, name: "setGated", args: [true] });
    expect(await called(placed)).toBe("not_allowed");
    for (let attempt = 0; attempt < 2; attempt += 1)
      expect(await prove(placed)).toMatchObject({ body: { status: "active", proof: { ok: false } } });
    expect(await prove(placed)).toMatchObject({
      body: { status: "paused", status_reason: "the vault admits only accounts on its own list" },
    });
    await set(placed, { abi: vaultV2Abi, name: "setGated", args: [false] });
    // What the refused proofs read of it was not stored: users still deposit through the Router.
    expect(await prove(placed)).toMatchObject({
      body: { status: "active", status_reason: "", caller: "router" },
    });
  });
});

test("a RedemptionVault offered as a vault is recognised, and the holder's tokens count once", async () => {
  const { vaultId, parts, asset } = await unknown(midas);
  const reason = `the contract is Midas's RedemptionVault of ${parts["mToken"]}: it pays mTokens back and takes no deposits`;
  const redemptions = `${world.chainId}:${parts["redemptions"]?.toLowerCase()}`;
  for (const adapter of ["erc4626", "midas"])
    expect(await admin("POST", "vaults", { vault_id: redemptions, adapter })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", "vault_id"], msg: expect.stringContaining(reason) }] },
    });
  const bulk = { vaults: [{ vault_id: redemptions }] };
  expect(await admin("POST", "vaults", bulk)).toMatchObject({ status: 201, body: { added: 1 } });
  expect(await admin("POST", `vaults/${redemptions}/prove`)).toMatchObject({
    body: { status: "refused", status_reason: reason },
  });
  const deposits = `${world.chainId}:${parts["deposits"]?.toLowerCase()}`;
  expect(await admin("POST", "vaults", { vault_id: deposits })).toMatchObject({ status: 201 });
  expect(await admin("POST", `vaults/${deposits}/prove`)).toMatchObject({ body: { status: "active" } });
  expect(vaultId).not.toBe(deposits);
  const [chainId, address] = deposits.split(":");
  const user = await world.user({ address: asset, symbol: "TOK6", decimals: DECIMALS }, 1n);
  const data = encodeFunctionData({
    abi: midasTokenAbi,
    functionName: "mint",
    args: [user.address, 10n ** 18n],
  });
  const owner = await world.client.readContract({
    ...{ address: getAddress(parts["access"] ?? ""), abi: midasAccessAbi, functionName: "owner" },
  });
  await world.send(owner, { to: getAddress(parts["mToken"] ?? ""), data });
  const { body } = await call(world.fresh(), ["GET", `/v1/positions/${user.address}`]);
  expect(body["positions"]).toMatchObject([{ vault_id: `${chainId}:${address}` }]);

  // A second vault with the same share token, as a DepositVault that replaces this one.
  const [money, share] = [asset.toLowerCase(), parts["mToken"]?.toLowerCase()];
  const other = { entryPoint: money, spender: money, pricer: money, shareToken: share, shareDecimals: 18 };
  const token = { assetAddress: money, assetSymbol: "TOK6", assetDecimals: DECIMALS };
  const acceptedAssets = [{ address: asset, symbol: "TOK6", decimals: DECIMALS }];
  const named = { address: `0x${"ff".repeat(20)}`, type: "custom", adapter: "erc4626", name: "Another" };
  const row = { chainId: world.chainId, ...named, ...token, ...other, acceptedAssets, status: "active" };
  await world.register([SeedRow.parse(row)]);
  const again = await call(world.fresh(), ["GET", `/v1/positions/${user.address}`]);
  expect(again.body["positions"]).toMatchObject([{ vault_id: `${chainId}:${address}` }]);
});

describe("the admin API", () => {
  test("finds the family of a Vault V2 that is claimed as a plain ERC-4626 vault", async () => {
    const { vaultId } = await unknown(vaultV2);
    expect(await admin("POST", "vaults", { vault_id: vaultId })).toMatchObject({
      status: 201,
      body: { adapter: "morpho_v2", type: "morpho" },
    });
  });

  test("refuses an Euler vault that is claimed as one of Silo, and takes the right adapter afterwards", async () => {
    const { vaultId } = await unknown(euler);
    expect(await admin("POST", "vaults", { vault_id: vaultId, adapter: "silo" })).toMatchObject({
      status: 422,
      body: { detail: [{ msg: expect.stringContaining("a vault of type euler, not silo") }] },
    });
    expect(await admin("POST", "vaults", { vaults: [{ vault_id: vaultId, adapter: "silo" }] })).toMatchObject(
      {
        status: 201,
      },
    );
    expect(await admin("POST", `vaults/${vaultId}/prove`)).toMatchObject({ body: { status: "refused" } });
    expect(await admin("PATCH", `vaults/${vaultId}`, { adapter: "morpho_v2" })).toMatchObject({
      status: 422,
    });
    expect(await admin("PATCH", `vaults/${vaultId}`, { adapter: "euler" })).toMatchObject({
      status: 200,
      body: { adapter: "euler", status: "active", proof: { ok: true } },
    });
  });

  test("adds the further tokens of a Veda vault that its teller takes, and no others", async () => {
    const placed = await opened(veda);
    const [more, foreign] = await Promise.all([world.token(8), world.token(18)]);
    const teller = (await vaultOf(placed)).entryPoint;
    const support = [more.address, true, true, 0];
    await set(placed, { abi: vedaTellerCAbi, name: "updateAssetData", args: support, on: teller });
    await set(placed, {
      ...{ abi: vedaAccountantAbi, name: "setQuote", on: part(placed, "accountant") },
      args: [more.address, 10n ** 8n],
    });
    const accepted_assets = [more.address, foreign.address];
    const { status, body } = await admin("PATCH", `vaults/${vaultIdOf(placed)}`, { accepted_assets });
    expect({ status, state: body["status"] }).toEqual({ status: 200, state: "active" });
    const taken = (body["accepted_assets"] as { address: Address }[]).map(({ address }) => address);
    expect(taken).toEqual([placed.asset.address, getAddress(more.address)]);
  });

  test("makes a Midas vault one by request and back, each proven", async () => {
    const placed = await opened(midas);
    const change = (deposit: string) =>
      admin("PATCH", `vaults/${vaultIdOf(placed)}`, { params: { ...placed.row.params, deposit } });
    expect(await change("request")).toMatchObject({
      status: 200,
      body: { params: { deposit: "request" }, caller: "user", status: "active", proof: { ok: true } },
    });
    const shown = await call(world.fresh(), ["GET", `/v1/vaults/${vaultIdOf(placed)}`]);
    expect(shown.body).toMatchObject({ settlement: { deposit: "request" }, external_router: true });
    expect(await change("instant")).toMatchObject({
      body: { params: { deposit: "instant" }, status: "active" },
    });
    expect(await change("sideways")).toMatchObject({ status: 422 });
  });
});

/** Families in which holders may have to wait: an honest vault of each has a way out. */
const waiting: readonly [name: string, adapter: string, deploy: Kind["deploy"]][] = [
  ["Veda's queue", "veda", deployVedaExit({ way: "queue" })],
  ["Veda's queue with a discount", "veda", deployVedaExit({ way: "queue", fee: 1 })],
  ["Veda's delayed withdrawals", "veda", deployVedaExit({ way: "delayed" })],
  ["Veda's teller", "veda", deployVedaTeller],
  ["Midas", "midas", midas.deploy],
  ["Mellow's Core vaults", "mellow", deployMellow({ queue: "sync", caller: "user" })],
  ["Mellow's requests", "mellow", deployMellow({ queue: "sync", caller: "user", redeem: "async" })],
  ["Upshift", "upshift", deployUpshift],
  ["Lagoon 0.5", "lagoon", deployLagoon({ version: "0.5" })],
  ["Centrifuge", "centrifuge", deployCentrifuge("sync", "router")],
  ["IPOR Fusion", "ipor", deployIpor],
  ["Accountable", "accountable", withShare(deployAccountable)],
];

test.each(waiting)("an honest vault of %s passes its proof", async (name, adapter, deploy) => {
  const placed = await opened({ name, adapter, type: "custom", deploy });
  const { body } = await prove(placed);
  expect({ status: body["status"], proof: body["proof"] }).toMatchObject({
    ...{ status: "active", proof: { ok: true, reason: "" } },
  });
});

test("a vault of requests whose withdrawals are paused is closed, and paused if that stands", async () => {
  const placed = await opened({
    ...{ name: "Upshift", adapter: "upshift", type: "custom" },
    deploy: deployUpshift,
  });
  const pause = (yes: boolean) =>
    set(placed, { abi: tokenizedVaultAbi, name: "setWithdrawalsPaused", args: [yes] });
  await pause(true);
  const reason = "shares cannot be redeemed; withdrawals are paused";
  for (let proof = 0; proof < 2; proof += 1)
    expect(await prove(placed)).toMatchObject({ body: { status: "active", proof: { ok: false, reason } } });
  expect(await prove(placed)).toMatchObject({ body: { status: "paused", status_reason: reason } });
  await pause(false);
  expect(await prove(placed)).toMatchObject({ body: { status: "active", proof: { ok: true } } });
});

test("a vault that takes the payment of a request without recording it is refused, not unread", async () => {
  const honest = await opened({
    ...{ name: "Lagoon", adapter: "lagoon", type: "custom" },
    deploy: deployLagoon({ version: "0.5" }),
  });
  await set(honest, { abi: lagoonVaultAbi, name: "expireTotalAssets", args: [] });
  expect(await prove(honest)).toMatchObject({
    body: { status: "active", proof: { ok: true, shares: null } },
  });
  const { abi, creationCode } = contractsOf("test/support/solidity/SwallowsRequests.sol")("SwallowsRequests");
  const args = [honest.row.address, honest.asset.address];
  const address = await world.script((script) =>
    script.deploy("vault", encodeDeployData({ abi, bytecode: creationCode, args })),
  );
  const vaultId = `${world.chainId}:${address.toLowerCase()}`;
  await admin("POST", "vaults", { vaults: [{ vault_id: vaultId, adapter: "lagoon" }] });
  const status_reason = "the vault does not take and record the whole amount of a deposit request";
  expect(await admin("POST", `vaults/${vaultId}/prove`)).toMatchObject({
    ...{ status: 200, body: { status: "refused", status_reason, proof: { ok: false } } },
  });
});
