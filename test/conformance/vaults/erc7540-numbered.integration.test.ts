import { encodeFunctionData, erc20Abi, type Hex, isAddressEqual, parseEventLogs } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requestingVaultAbi } from "#stand-ins/waiting";
import { sampleAmount } from "../../support/conformance/vaults/deposit.ts";
import { set } from "../../support/conformance/vaults/standard.ts";
import { place } from "../../support/conformance/vaults/suite.ts";
import { deployRequesting } from "../../support/conformance/vaults/waiting-stand-ins.ts";
import { startWorld, type World } from "../../support/conformance/vaults/world.ts";
import { confirm, Holder, type Sent } from "../../support/withdrawals/holder.ts";

/** Whose payment a claim is that names no request, at a vault of ERC-7540 that numbers its requests. */
const DECIMALS = 6;
const amount = sampleAmount(DECIMALS);
let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

/** Requests two redemptions, of the given thirds of an account's shares. */
async function requests(thirds: readonly [bigint, bigint]) {
  const family = {
    ...{ name: "ERC-7540", adapter: "erc4626", type: "custom" as const },
    deploy: deployRequesting({ numbered: true }),
  };
  const placed = await place(world, { family, decimals: DECIMALS });
  const one = await Holder.with(placed, amount);
  await one.deposit(amount);
  await confirm(placed);
  const third = (await one.held("share")) / 3n;
  const sizes = [thirds[0] * third, thirds[1] * third] as const;
  const first = await one.withdraw(sizes[0]);
  const second = await one.withdraw(sizes[1]);
  await confirm(placed);
  for (const { hash } of [first, second])
    expect(await one.status(hash)).toMatchObject({ substatus: "WAIT_VAULT_SETTLEMENT" });
  return { one, first, second, sizes };
}

async function settle(one: Holder, shares: bigint): Promise<void> {
  const args = [one.address, shares] as const;
  await set(one.placed, { abi: requestingVaultAbi, name: "settlePart", args });
  await confirm(one.placed);
}

/** Claims a request, and returns what the transaction paid to the user. */
async function claim(one: Holder, requestId: string): Promise<{ hash: Hex; paid: string }> {
  const hash = await one.follow("claim", requestId);
  await confirm(one.placed);
  const { logs } = await world.client.getTransactionReceipt({ hash });
  const moved = parseEventLogs({ abi: erc20Abi, eventName: "Transfer", logs });
  const paid = moved.find(({ args }) => isAddressEqual(args.to, one.address))?.args.value ?? 0n;
  expect(paid).toBeGreaterThan(0n);
  return { hash, paid: String(paid) };
}

/** Returns how the service shows a withdrawal: its substatus, the amount paid and the claim's hash. */
async function shown(one: Holder, { hash, built }: Sent) {
  const { substatus } = await one.status(hash);
  const { assets, claim_tx_hash: claimed } = await one.record(built.tracking_id);
  return { substatus, assets, claimed };
}

const ended = ({ hash, paid }: { hash: Hex; paid: string | null }) => ({
  ...{ substatus: "COMPLETED", assets: paid, claimed: hash },
});

test("the claim of a larger request, reported for a smaller one too, ends only its own", async () => {
  const { one, first, second, sizes } = await requests([2n, 1n]);
  await settle(one, sizes[0]);
  const own = await claim(one, "1");
  await one.report(second.built.tracking_id, { hash: own.hash, step: "claim" });
  const waiting = { substatus: "WAIT_VAULT_SETTLEMENT", assets: null, claimed: null };
  expect(await shown(one, second)).toEqual(waiting);
  expect(await shown(one, first)).toEqual(ended(own));
  await settle(one, sizes[1]);
  expect((await one.record(second.built.tracking_id)).substatus).not.toBe("COMPLETED");
  const other = await claim(one, "2");
  expect(await shown(one, second)).toEqual(ended(other));
});

test("the claim of an earlier, smaller request is no part of a larger one's amount", async () => {
  const { one, first, second, sizes } = await requests([1n, 2n]);
  await settle(one, sizes[0]);
  const own = await claim(one, "1");
  expect(await shown(one, first)).toEqual(ended(own));
  await settle(one, sizes[1]);
  const other = await claim(one, "2");
  expect(await shown(one, second)).toEqual(ended(other));
  expect(await shown(one, first)).toEqual(ended(own));
});

test("amounts are unknown if both requests were claimed before either was looked at", async () => {
  const { one, first, second, sizes } = await requests([1n, 2n]);
  await settle(one, sizes[0] + sizes[1]);
  await claim(one, "1");
  await claim(one, "2");
  for (const each of [second, first])
    expect(await shown(one, each)).toMatchObject({ substatus: "COMPLETED", assets: null });
});

test("one claim of both requests ends both, with unknown amounts", async () => {
  const { one, first, second, sizes } = await requests([2n, 1n]);
  const total = sizes[0] + sizes[1];
  await settle(one, total);
  const args = [total, one.address, one.address] as const;
  const data = encodeFunctionData({ abi: requestingVaultAbi, functionName: "redeem", args });
  const { transactionHash: hash } = await world.send(one.address, { to: one.placed.shareToken, data });
  await one.report(second.built.tracking_id, { hash, step: "claim" });
  await confirm(one.placed);
  for (const each of [first, second]) expect(await shown(one, each)).toEqual(ended({ hash, paid: null }));
});
