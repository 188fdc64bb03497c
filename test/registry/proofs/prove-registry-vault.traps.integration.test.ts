import { type Address, encodeFunctionData } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { contractsOf, send } from "../../../scripts/stack/chains/scratch-chain.ts";
import type { VaultRow } from "../../../src/db/queries/vault-queries.ts";
import { HOUR_MS, MINUTE_MS } from "../../../src/lib/durations.ts";
import { proveDueVaults } from "../../../src/registry/proofs/prove-due-vaults.ts";
import { call } from "../../support/partners/wallet.ts";
import { type ProofStage, startProofStage } from "../../support/registry/proof-stage.ts";

const traps = contractsOf("test/support/solidity/TrappingVaults.sol");
let stage: ProofStage;
const SMALL = "the vault takes only small deposits from new accounts now";
/** The jobs' clock, in unix milliseconds. */
let now = Date.now();

beforeAll(async () => {
  stage = await startProofStage();
});
afterAll(() => stage?.close());

async function spring(vault: Address, yes = true): Promise<void> {
  const data = encodeFunctionData({ abi: traps("TrapsAll").abi, functionName: "spring", args: [yes] });
  await send(stage.chain, { to: vault, data });
}

async function add(name: string): Promise<{ address: Address; vaultId: string }> {
  const address = await stage.put(name, traps);
  return { address, vaultId: await stage.addCandidate(address) };
}

/** Runs the job at the time at which a vault's proof is due, and returns the vault's row. */
async function proveWhenDue(vaultId: string): Promise<VaultRow> {
  now = Math.max(now, (await stage.rowOf(vaultId)).proofDueAt.getTime());
  await proveDueVaults({ ...stage.causeway.isolate().context(), now: () => now });
  return stage.rowOf(vaultId);
}

/** Vaults that take money and harm whoever leaves or stays, and the reason that their proof finds. */
const harmful: readonly [string, RegExp][] = [
  ["TrapsAll", /^shares cannot be redeemed by the functions of ERC-4626; a redemption reverts: no way out$/],
  ["TrapsDepositors", /^new shares stay locked for over 30 days; a redemption reverts: locked for ever$/],
  [
    "FreezesShares",
    /^shares cannot be redeemed by the functions of ERC-4626; a redemption reverts: shares are frozen$/,
  ],
  ["ChargesWaiting", /^redeeming the shares after 30 days returns much less than the deposit$/],
  ["KeepsProfits", /^the vault keeps 100% of its profits, more than 50%$/],
  ["KeepsInterest", /^the vault keeps 100% of its profits, more than 50%$/],
  [
    "CheatsTheRich",
    /^a larger deposit by a contract mints shares that are worth much less than the deposit$/,
  ],
  ["AdmitsFew", /^a deposit reverts: not on the list$/],
  ["CallsDepositor", /^a deposit reverts: nobody confirms$/],
];

describe("an operator's vault that harms whoever deposits", () => {
  test.each(harmful)("never opens: %s", async (name, reason) => {
    const { address, vaultId } = await add(name);
    await spring(address);
    expect(await stage.prove(vaultId)).toMatchObject({ body: { status: "refused", status_by: "proof" } });
    expect(await stage.rowOf(vaultId)).toMatchObject({ wasActive: false, proof: { ok: false } });
    expect((await stage.rowOf(vaultId)).statusReason).toMatch(reason);
  });

  test.each(harmful)("is paused when the refusal stands after 30 minutes: %s", async (name, reason) => {
    const { address, vaultId } = await add(name);
    expect(await proveWhenDue(vaultId)).toMatchObject({ status: "active" });
    await spring(address);
    const first = await proveWhenDue(vaultId);
    const refusedAt = now;
    expect(first).toMatchObject({ status: "active", proofRefusals: 1, proof: { ok: false } });
    await proveWhenDue(vaultId);
    expect(await proveWhenDue(vaultId)).toMatchObject({ status: "paused", statusBy: "proof" });
    expect(now - refusedAt).toBe(30 * MINUTE_MS);
    const { body } = await call(stage.causeway.isolate(), ["GET", `/v1/vaults/${vaultId}`]);
    expect(body).toMatchObject({ paused: true, paused_reason: expect.stringMatching(reason) });
    await spring(address, false);
    expect(await proveWhenDue(vaultId)).toMatchObject({ status: "active", statusReason: "" });
  });
});

test("a vault that has room for one unit of its asset does not open", async () => {
  const { address, vaultId } = await add("TakesOneUnit");
  await spring(address);
  expect(await stage.prove(vaultId)).toMatchObject({
    body: { status: "candidate", proof: { ok: false, reason: SMALL } },
  });
});

test("a vault that refuses contracts is left to users themselves", async () => {
  const { address, vaultId } = await add("RefusesContracts");
  await spring(address);
  expect(await stage.prove(vaultId)).toMatchObject({ body: { status: "active", caller: "user" } });
});

describe("a vault that says why nobody can leave now", () => {
  test("stays a candidate, and is paused after 30 minutes if it was open: its word proves nothing", async () => {
    const { address, vaultId } = await add("SaysIlliquid");
    await spring(address);
    expect(await stage.prove(vaultId)).toMatchObject({ body: { status: "candidate" } });
    expect((await stage.rowOf(vaultId)).proof?.reason).toBe(
      "shares cannot be redeemed by the functions of ERC-4626; a redemption reverts: not enough liquidity",
    );
    await spring(address, false);
    expect(await stage.prove(vaultId)).toMatchObject({ body: { status: "active" } });
    await spring(address);
    for (const refusals of [1, 2])
      expect(await proveWhenDue(vaultId)).toMatchObject({ status: "active", proofRefusals: refusals });
    expect(await proveWhenDue(vaultId)).toMatchObject({ status: "paused", statusBy: "proof" });
  });

  test("of a known family that lacks liquidity is paused after a day", async () => {
    const { address, vaultId } = await add("LacksCash");
    await spring(address);
    expect(await stage.prove(vaultId)).toMatchObject({ body: { status: "candidate", adapter: "erc4626" } });
    await spring(address, false);
    expect(await stage.prove(vaultId)).toMatchObject({ body: { status: "active", adapter: "euler" } });
    await spring(address);
    await proveWhenDue(vaultId);
    const since = now;
    while (now - since < 24 * HOUR_MS) {
      expect(await stage.rowOf(vaultId)).toMatchObject({ status: "active", proof: { ok: false } });
      await proveWhenDue(vaultId);
    }
    expect(await stage.rowOf(vaultId)).toMatchObject({
      ...{ status: "paused", statusBy: "proof" },
      statusReason: "shares cannot be redeemed; a redemption reverts: E_InsufficientCash",
    });
    await spring(address, false);
    expect(await proveWhenDue(vaultId)).toMatchObject({ status: "active" });
  });
});

test("a vault whose views hide that its deposits are paused is paused after 30 minutes, with its reason", async () => {
  const lending = contractsOf("scripts/stack/contracts/lending/Lending.sol");
  const address = await stage.put("FluidToken", lending, [stage.asset, "Fluid", "f"]);
  const pause = (errorId: bigint) => {
    const call = { abi: lending("FluidToken").abi, functionName: "setBeneath", args: [errorId] };
    return send(stage.chain, { to: address, data: encodeFunctionData(call) });
  };
  const vaultId = await stage.addCandidate(address);
  await pause(11_002n);
  expect(await stage.prove(vaultId)).toMatchObject({ body: { status: "candidate", proof: { ok: false } } });
  await pause(0n);
  expect(await stage.prove(vaultId)).toMatchObject({ body: { status: "active", adapter: "fluid" } });
  await pause(11_002n);
  for (const refusals of [1, 2])
    expect(await proveWhenDue(vaultId)).toMatchObject({ status: "active", proofRefusals: refusals });
  expect(await proveWhenDue(vaultId)).toMatchObject({
    ...{ status: "paused", statusBy: "proof" },
    statusReason: "a deposit reverts: UserModule__UserPaused",
  });
  await pause(0n);
  expect(await proveWhenDue(vaultId)).toMatchObject({ status: "active", statusReason: "" });
});

describe("an honest vault that does not pay at once", () => {
  test.each([
    ["whose new shares are locked for a day", "LocksForADay"],
    ["that redeems no small amounts", "RedeemsALot"],
    ["whose price is too old for a redemption in an hour", "AgesInAnHour"],
  ])("opens: one %s", async (_what, name) => {
    const { address, vaultId } = await add(name);
    await spring(address);
    expect(await stage.prove(vaultId)).toMatchObject({ body: { status: "active" } });
    expect((await stage.rowOf(vaultId)).proof).toMatchObject({ ok: true, returned: null });
  });
});
