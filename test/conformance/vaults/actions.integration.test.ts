import { afterAll, beforeAll, expect, test } from "vitest";
import { lagoonVaultAbi } from "#stand-ins/erc7540";
import { gearboxPoolAbi, gearboxPoolCreationCode } from "#stand-ins/lending";
import { VaultActions } from "../../../src/schemas/position-schema.ts";
import { depositUnbuilt, positionsOf, vaultIdOf } from "../../support/conformance/vaults/deposit.ts";
import { deployLagoon } from "../../support/conformance/vaults/erc7540-stand-in.ts";
import {
  deployRedeemableVault,
  redeemOrRequest,
  sharesOf,
} from "../../support/conformance/vaults/leaving.ts";
import { deployStandard, set } from "../../support/conformance/vaults/standard.ts";
import { startWorld, type World } from "../../support/conformance/vaults/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

async function actionsOf(of: Awaited<ReturnType<typeof deployRedeemableVault>>, user = of.user) {
  const response = await world.fresh().send(`/v1/actions/${user}/${vaultIdOf(of.placed)}`);
  expect(response.status).toBe(200);
  return VaultActions.parse(await response.json());
}

test("actions of a vault that pays at once, open and paused", async () => {
  const deploy = deployStandard({ abi: gearboxPoolAbi, code: gearboxPoolCreationCode });
  const of = await deployRedeemableVault(world, { adapter: "gearbox", deploy });
  const shares = await sharesOf(of);
  const open = await actionsOf(of);
  expect(open.deposit).toMatchObject({ allowed: true, mode: "instant", code: null });
  expect(open.withdraw).toMatchObject({ allowed: true, mode: "instant", max: shares.toString() });
  for (const action of [open.claim, open.cancel])
    expect(action).toMatchObject({ allowed: false, code: "mode_unsupported" });
  const stranger = await actionsOf(of, "0x00000000000000000000000000000000000a0001");
  expect(stranger.withdraw).toMatchObject({ allowed: false, code: "nothing_to_withdraw" });
  await set(of.placed, { abi: gearboxPoolAbi, name: "setPaused", args: [true] });
  const paused = await actionsOf(of);
  expect(paused.deposit).toMatchObject({ allowed: false, code: "vault_paused" });
  expect(paused.withdraw).toMatchObject({ allowed: false, code: "exits_paused" });
});

test("a pause of which the family's views do not say whether it stops withdrawals", async () => {
  const deploy = deployStandard({ abi: gearboxPoolAbi, code: gearboxPoolCreationCode });
  const of = await deployRedeemableVault(world, { adapter: "erc4626", deploy });
  expect((await actionsOf(of)).withdraw).toMatchObject({ allowed: true, mode: "instant", code: null });
  await set(of.placed, { abi: gearboxPoolAbi, name: "setPaused", args: [true] });
  const refused = { allowed: false, mode: "instant", code: "exits_paused" };
  expect((await actionsOf(of)).withdraw).toMatchObject(refused);
});

test("a vault that keeps the last unit lets nearly all be withdrawn", async () => {
  const deploy = deployStandard({ abi: gearboxPoolAbi, code: gearboxPoolCreationCode });
  const of = await deployRedeemableVault(world, { adapter: "gearbox", deploy });
  const shares = await sharesOf(of);
  await set(of.placed, { abi: gearboxPoolAbi, name: "setKept", args: [1n] });
  const nearly = ((shares * 999n) / 1_000n).toString();
  expect((await actionsOf(of)).withdraw).toMatchObject({ allowed: true, mode: "instant", max: nearly });
  // A vault that keeps all of it lets no part leave either.
  await set(of.placed, { abi: gearboxPoolAbi, name: "setKept", args: [2n ** 200n] });
  expect((await actionsOf(of)).withdraw).toMatchObject({ allowed: false, code: "would_revert" });
});

test("a request is part of the position and of the actions", async () => {
  const of = await deployRedeemableVault(world, {
    adapter: "lagoon",
    deploy: deployLagoon({ version: "0.6" }),
  });
  const [before] = await positionsOf(of.placed, of.user);
  const shares = await sharesOf(of);
  await redeemOrRequest(of, { mode: "request", shares });
  const [after] = await positionsOf(of.placed, of.user);
  expect(after).toMatchObject({ share_balance: "0", current_assets: before?.current_assets });
  expect(after?.requests).toMatchObject([{ kind: "redeem", shares: shares.toString(), state: "pending" }]);
  const actions = await actionsOf(of);
  expect(actions.cancel).toMatchObject({ allowed: true, max: shares.toString() });
  expect(actions.claim).toMatchObject({ allowed: false, code: "request_pending" });
  expect(actions.requests).toEqual(after?.requests);
});

test("a deposit request is part of the actions, and no claim before it is settled", async () => {
  const of = await deployRedeemableVault(world, {
    adapter: "lagoon",
    deploy: deployLagoon({ version: "0.5" }),
  });
  // While the valuation is valid, deposits are not requests.
  await set(of.placed, { abi: lagoonVaultAbi, name: "expireTotalAssets" });
  const { address: user } = await world.user(of.placed.asset, 1_000n);
  await depositUnbuilt({ placed: of.placed, user, amount: 1_000n });
  const actions = await actionsOf(of, user);
  expect(actions.requests).toMatchObject([{ kind: "deposit", assets: "1000", state: "pending" }]);
  expect(actions.claim).toMatchObject({ allowed: false, code: "request_pending" });
  expect(actions.withdraw).toMatchObject({ allowed: false, code: "nothing_to_withdraw" });
});
