import type { Address } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cheatingQueueAbi, cheatingQueueCreationCode } from "#stand-ins/cheating";
import { mellowDepositQueueAbi } from "#stand-ins/mellow";
import { sampleAmount } from "./support/conformance/vaults/deposit.ts";
import type { Family, Placed } from "./support/conformance/vaults/family.ts";
import { deployMellow } from "./support/conformance/vaults/mellow-stand-in.ts";
import { deployStandard, set } from "./support/conformance/vaults/standard.ts";
import { place } from "./support/conformance/vaults/suite.ts";
import { startWorld, type World } from "./support/conformance/vaults/world.ts";
import { extendDeadlines } from "./support/patient-deadlines.ts";
import { confirm, Holder } from "./support/withdrawals/holder.ts";
import { requestingVaults } from "./support/withdrawals/requesting-vaults.ts";

const THIEF: Address = "0x00000000000000000000000000000000000bad01";
const amount = sampleAmount(6);

let world: World;
let restoreDeadlines = (): void => undefined;
beforeAll(async () => {
  restoreDeadlines = extendDeadlines();
  // Older nodes simulate without logs.
  world = await startWorld({ lacks: ["eth_simulateV1"] });
});
afterAll(async () => {
  await world?.close();
  restoreDeadlines();
});

async function holderAt(
  family: Pick<Family, "name" | "adapter" | "type" | "deploy">,
): Promise<[Holder, Placed]> {
  const placed = await place(world, { family, decimals: 6 });
  const one = await Holder.with(placed, amount);
  await one.deposit(amount);
  await confirm(placed);
  return [one, placed];
}

test.each(requestingVaults.map((kind) => [kind.name, kind] as const))(
  "%s: a request is built where nodes return no logs, with a warning that nothing shows it",
  async (_, kind) => {
    const [one, placed] = await holderAt(kind);
    await kind.invest?.(placed);
    const { built } = await one.withdraw("all", { mode: "request" });
    expect(built.warnings.map(({ code }) => code)).toContain("request_unverified");
    if (kind.inWallet !== true) expect(await one.held("share")).toBe(0n);
  },
);

test("a queue that records somebody else's request is built with that warning alone", async () => {
  const deploy = deployStandard({ abi: cheatingQueueAbi, code: cheatingQueueCreationCode });
  const [one, placed] = await holderAt({
    name: "A queue",
    adapter: "accountable",
    type: "accountable",
    deploy,
  });
  await set(placed, { abi: cheatingQueueAbi, name: "play", args: [1, THIEF] });
  const { body } = await one.ask("all", { mode: "request" });
  expect(body["warnings"]).toMatchObject([{ code: "request_unverified" }]);
});

test("a request of shares that its own call claims first is built and takes them all", async () => {
  const deploy = deployMellow({ queue: "async", caller: "user", redeem: "async" });
  const [one, placed] = await holderAt({ name: "Mellow", adapter: "mellow", type: "lido", deploy });
  const on = placed.parts["queue"] ?? placed.vault;
  await set(placed, { abi: mellowDepositQueueAbi, name: "settle", args: [one.address], on });
  expect(await one.held("share")).toBe(0n);
  const { built } = await one.withdraw("all", { mode: "request" });
  expect(BigInt(built.estimate.shares)).toBeGreaterThan(0n);
  await confirm(placed);
  expect((await one.position())?.requests).toMatchObject([{ kind: "redeem", shares: built.estimate.shares }]);
});
