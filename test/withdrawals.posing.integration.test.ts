import { encodeFunctionData, type Hex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { contractsOf } from "../scripts/stack/chains/scratch-chain.ts";
import { sampleAmount } from "./support/conformance/vaults/deposit.ts";
import { deployStandard } from "./support/conformance/vaults/standard.ts";
import { place } from "./support/conformance/vaults/suite.ts";
import { startWorld, type World } from "./support/conformance/vaults/world.ts";
import { confirm, Holder } from "./support/withdrawals/holder.ts";

const contracts = contractsOf("test/support/solidity/PosingExits.sol");
const amount = sampleAmount(6);
let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

/** Returns an account with shares of a vault, and a function by which the vault turns against its owners. */
async function holderOf(name: string) {
  const { abi, creationCode } = contracts(name);
  const deploy = deployStandard({ abi, code: creationCode as Hex });
  const placed = await place(world, {
    family: { name: "A vault", adapter: "erc4626", type: "custom", deploy },
    decimals: 6,
  });
  const one = await Holder.with(placed, amount);
  await one.deposit(amount);
  await confirm(placed);
  const turn = () =>
    world.send(one.address, {
      to: placed.vault,
      data: encodeFunctionData({ abi, functionName: "turn" }),
    });
  return { one, turn };
}

describe("a vault that only its owners' own calls leave, and that pays them only half", () => {
  test.each([
    ["unless no gas is paid", "PosesWithoutFees"],
    ["unless they are absurdly rich", "PosesForTheRich"],
    ["unless they leave it more gas than a transaction has", "PosesWithMuchGas"],
    ["unless they leave it more gas than the usual simulation", "PosesAfterWaste"],
  ])("%s: is not built", async (_what, name) => {
    const { one, turn } = await holderOf(name);
    expect((await one.ask("all")).status).toBe(200);
    await turn();
    const { status, body } = await one.ask("all");
    expect([status, body["code"]]).toEqual([400, "price_unsafe"]);
  });
});

test("a vault that needs more gas than the usual simulation has is left", async () => {
  const { one, turn } = await holderOf("WorksALot");
  await turn();
  const { built } = await one.withdraw("all");
  expect(built).toMatchObject({ warnings: [{ code: "no_minimum" }] });
  await confirm(one.placed);
  expect(await one.held("asset")).toBe(BigInt(built.estimate.assets ?? 0));
});
