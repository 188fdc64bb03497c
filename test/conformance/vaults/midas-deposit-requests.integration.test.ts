import { encodeFunctionData, erc20Abi, type Hex, zeroAddress, zeroHash } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { midasDepositVaultAbi } from "#stand-ins/midas";
import { Positions } from "../../../src/schemas/position-schema.ts";
import { sampleAmount, vaultIdOf } from "../../support/conformance/vaults/deposit.ts";
import type { Placed } from "../../support/conformance/vaults/family.ts";
import { deployMidas, RATE } from "../../support/conformance/vaults/midas-stand-in.ts";
import { set } from "../../support/conformance/vaults/standard.ts";
import { place } from "../../support/conformance/vaults/suite.ts";
import { startWorld, type World } from "../../support/conformance/vaults/world.ts";
import { call } from "../../support/partners/wallet.ts";
import { confirm } from "../../support/withdrawals/holder.ts";

const DECIMALS = 6;
const amount = sampleAmount(DECIMALS);

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

describe.each(["instant", "request"] as const)("Midas with deposits by %s", (deposit) => {
  let placed: Placed;
  beforeAll(async () => {
    placed = await place(world, {
      family: {
        ...{ name: "Midas", adapter: "midas", type: "midas" },
        deploy: deployMidas({ deposit, recipient: "argument", caller: "user" }),
      },
      decimals: DECIMALS,
    });
    // The first run finds the vault, and reads its flows from then on.
    await confirm(placed);
  });

  /** Sends a request to the DepositVault, without this service, and indexes it. */
  async function requestDirectly() {
    const { asset } = placed;
    const deposits = placed.parts["deposits"] ?? zeroAddress;
    const { address: user } = await world.user(asset, amount);
    const send = (to: Hex, data: Hex) => world.send(user, { to, data });
    const args = [deposits, amount] as const;
    await send(asset.address, encodeFunctionData({ abi: erc20Abi, functionName: "approve", args }));
    const paid = [asset.address, amount * 10n ** 12n, zeroHash] as const;
    const abi = midasDepositVaultAbi;
    await send(deposits, encodeFunctionData({ abi, functionName: "depositRequest", args: paid }));
    await confirm(placed);
    return user;
  }

  async function shownTo(user: Hex) {
    const { body } = await call(world.fresh(), ["GET", `/v1/positions/${user}`]);
    return Positions.parse(body);
  }

  async function end(name: "approveRequest" | "rejectRequest", requestId: string): Promise<void> {
    const args = name === "approveRequest" ? [BigInt(requestId), RATE] : [BigInt(requestId)];
    await set(placed, { abi: midasDepositVaultAbi, name, args, on: placed.parts["deposits"] });
    await confirm(placed);
  }

  test("shows a request that nobody built as pending, and its approval as a deposit", async () => {
    const user = await requestDirectly();
    const waiting = await shownTo(user);
    const pending_assets = String(amount);
    expect(waiting.pending).toMatchObject([{ vault_id: vaultIdOf(placed), pending_assets, next: null }]);
    const nothing = { share_balance: "0", current_assets: "0", deposited_assets: "0", yield_assets: "0" };
    const open = { kind: "deposit", state: "pending", assets: pending_assets, tracking_id: null };
    expect(waiting.positions).toMatchObject([{ ...nothing, requests: [open] }]);
    await end("approveRequest", waiting.positions[0]?.requests[0]?.request_id ?? "");
    const { positions, pending } = await shownTo(user);
    expect(pending).toEqual([]);
    expect(positions).toMatchObject([{ deposited_assets: String(amount), requests: [] }]);
    const [{ current_assets: current, yield_assets: earned } = {}] = positions;
    expect(BigInt(earned ?? "-99")).toBe(BigInt(current ?? "0") - amount);
    expect(BigInt(earned ?? "-99")).toBeGreaterThanOrEqual(-2n);
  });

  test("shows nothing of a rejected request, which is paid back outside of the chain", async () => {
    const user = await requestDirectly();
    const { positions, pending } = await shownTo(user);
    expect(pending).toHaveLength(1);
    await end("rejectRequest", positions[0]?.requests[0]?.request_id ?? "");
    expect(await shownTo(user)).toMatchObject({ positions: [], pending: [] });
  });
});
