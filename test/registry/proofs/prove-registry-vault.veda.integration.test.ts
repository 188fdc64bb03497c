import { getAddress, zeroAddress } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { vedaAccountantAbi, vedaTellerCAbi, vedaTellerDAbi, vedaWithdrawQueueAbi } from "#stand-ins/veda";
import type { Isolate } from "../../../scripts/stack/test-deployment.ts";
import { RpcError } from "../../../src/chains/json-rpc.ts";
import { selectVault } from "../../../src/db/queries/vault-queries.ts";
import { proveVault } from "../../../src/registry/proofs/prove-registry-vault.ts";
import { vaultIdOf, vaultOf } from "../../support/conformance/vaults/deposit.ts";
import type { Placed } from "../../support/conformance/vaults/family.ts";
import { set } from "../../support/conformance/vaults/standard.ts";
import { place } from "../../support/conformance/vaults/suite.ts";
import { deployVedaExit } from "../../support/conformance/vaults/veda-exits-stand-in.ts";
import { startWorld, type World } from "../../support/conformance/vaults/world.ts";
import { asAdmin, call } from "../../support/partners/wallet.ts";
import { failingNodes } from "../../support/registry/failing-nodes.ts";

let world: World;
let isolate: Isolate;
beforeAll(async () => {
  world = await startWorld();
  isolate = world.fresh();
});
afterAll(() => world?.close());

const veda = {
  name: "Veda",
  adapter: "veda",
  type: "veda",
  deploy: deployVedaExit({ way: "queue" }),
} as const;
const part = (placed: Placed, name: string) => getAddress(placed.parts[name] ?? zeroAddress);

test("an honest queue that pays only another accepted token passes its proof", async () => {
  const placed = await place(world, { family: veda, decimals: 6 });
  const more = await world.token(8);
  const taken = [more.address, true, true, 0];
  const [on, teller] = [part(placed, "pays"), (await vaultOf(placed)).entryPoint];
  await set(placed, { abi: vedaTellerCAbi, name: "updateAssetData", args: taken, on: teller });
  await set(placed, {
    ...{ abi: vedaAccountantAbi, name: "setQuote", on: part(placed, "accountant") },
    args: [more.address, 10n ** 8n],
  });
  const abi = vedaWithdrawQueueAbi;
  const pays = [more.address, 3_600, 3_600, 1, 1n];
  await set(placed, { abi, name: "updateWithdrawAsset", args: pays, on });
  await set(placed, { abi, name: "setWithdrawCapacity", args: [placed.asset.address, 0n], on });
  const accepted_assets = [more.address];
  const path = `/v1/admin/vaults/${vaultIdOf(placed)}`;
  const changed = await call(isolate, ["PATCH", path], { headers: asAdmin, body: { accepted_assets } });
  expect(changed).toMatchObject({
    body: { status: "active", proof: { ok: true, reason: "" } },
  });
});

test("a vault that locks new shares opens where no node can simulate a later block", async () => {
  const placed = await place(world, { family: veda, decimals: 6 });
  const row = await selectVault(isolate.context().db, {
    ...{ chainId: world.chainId, address: placed.row.address },
  });
  if (row === null) throw new Error("the vault has no entry");
  const lock = { abi: vedaTellerDAbi, name: "setShareLockPeriod", args: [3_600n] };
  await set(placed, { ...lock, on: (await vaultOf(placed)).entryPoint });
  const ctx = failingNodes(isolate.context(), ({ method }) =>
    method === "eth_simulateV1" ? new RpcError("unsupported", "unknown method") : null,
  );
  expect((await proveVault(ctx, row)).finding).toMatchObject({ kind: "passed" });
});
