import { type Address, getAddress, numberToHex, zeroAddress } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { midasFeedAbi } from "#stand-ins/midas";
import { vedaAccountantAbi } from "#stand-ins/veda";
import { rpc } from "../../../scripts/stack/chains/json-rpc.ts";
import type { Token } from "../../../src/vaults/vault.ts";
import { build, sampleAmount, statusOf } from "../../support/conformance/vaults/deposit.ts";
import type { Placed, StandIn } from "../../support/conformance/vaults/family.ts";
import { deployMidas, RATE } from "../../support/conformance/vaults/midas-stand-in.ts";
import { set } from "../../support/conformance/vaults/standard.ts";
import { place } from "../../support/conformance/vaults/suite.ts";
import { deployVedaExit } from "../../support/conformance/vaults/veda-exits-stand-in.ts";
import { startWorld, type World } from "../../support/conformance/vaults/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const DECIMALS = 6;
type Kind = Parameters<typeof place>[1]["family"];
const part = (placed: Placed, name: string): Address => getAddress(placed.parts[name] ?? zeroAddress);

/** Deploys a Veda vault that its users call themselves, so that its own minimum is the one that counts. */
async function deployForUsers(world: World, asset: Token): Promise<StandIn> {
  const made = await deployVedaExit({ way: "queue" })(world, asset);
  return { ...made, row: { ...made.row, caller: "user" } };
}

/** A family whose own call has a minimum of shares, and how its shares become dearer by two parts in a hundred. */
const kinds: readonly { family: Kind; raise(placed: Placed): Promise<void> }[] = [
  {
    family: { name: "Veda", adapter: "veda", type: "veda", deploy: deployForUsers },
    async raise(placed) {
      const on = { address: part(placed, "accountant"), abi: vedaAccountantAbi } as const;
      const rate = await world.client.readContract({ ...on, functionName: "rate" });
      await set(placed, {
        abi: vedaAccountantAbi,
        name: "updateExchangeRate",
        args: [(rate * 102n) / 100n],
        on: on.address,
      });
    },
  },
  {
    family: {
      ...{ name: "Midas", adapter: "midas", type: "midas" },
      deploy: deployMidas({ deposit: "instant", recipient: "caller", caller: "user" }),
    },
    async raise(placed) {
      const { timestamp } = await world.client.getBlock();
      const args = [(RATE * 102n) / 100n, timestamp, false];
      await set(placed, { abi: midasFeedAbi, name: "set", args, on: part(placed, "feed") });
    },
  },
];

/** Sends the calls of a build with fixed gas, so that those that revert are mined too. Returns the last hash. */
async function sendAll(
  user: Address,
  calls: readonly { to: string; data: string }[],
): Promise<`0x${string}`> {
  await rpc(world.url, "anvil_impersonateAccount", user);
  let hash: unknown;
  for (const { to, data } of calls)
    hash = await rpc(world.url, "eth_sendTransaction", { from: user, to, data, gas: numberToHex(3_000_000) });
  return hash as `0x${string}`;
}

test.each(kinds)(
  "a deposit that $family.name itself refuses by its minimum has failed by slippage",
  async (kind) => {
    const placed = await place(world, { family: kind.family, decimals: DECIMALS });
    const amount = sampleAmount(DECIMALS);
    const user = await world.user(placed.asset, amount);
    const built = await build({ placed, user: user.address, amount });
    await kind.raise(placed);
    const hash = await sendAll(user.address, built.calls);
    expect((await world.client.waitForTransactionReceipt({ hash })).status).toBe("reverted");
    expect(await statusOf(placed, hash)).toMatchObject({ status: "FAILED", substatus: "SLIPPAGE_EXCEEDED" });
  },
);
