import { afterAll, beforeAll, expect, test } from "vitest";
import { plasmaWithdrawManagerAbi } from "#stand-ins/ipor";
import type { NodeSession } from "../../../src/chains/chain-client.ts";
import { requestLogs } from "../../../src/chains/chain-logs.ts";
import { toLogFilters } from "../../../src/chains/log-filter.ts";
import { joinFlowSources } from "../../../src/flows/flow-sources.ts";
import { deployIpor } from "../../support/conformance/vaults/exit-stand-ins.ts";
import {
  deployRedeemableVault,
  pendingOf,
  type RedeemableVault,
  redeemOrRequest,
  sharesOf,
} from "../../support/conformance/vaults/leaving.ts";
import { set } from "../../support/conformance/vaults/standard.ts";
import { startWorld, type World } from "../../support/conformance/vaults/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

/** Returns the user's flows in the vault's logs, as the index reads them from the chain. */
async function flowsOf({ vault, user }: RedeemableVault) {
  const sources = joinFlowSources(vault.chainId, [vault]);
  const to = Number(await world.client.getBlockNumber());
  const node: NodeSession = {
    request: (method, params) => world.client.request({ method, params } as never),
  };
  const filters = toLogFilters(sources, { addresses: 100, topics: 100 });
  const logs = [];
  for (const filter of filters) logs.push(...(await requestLogs(node, { range: { from: 0, to }, filter })));
  return sources.toRows(logs, to).filter(({ userAddress }) => userAddress === user.toLowerCase());
}

const sumOf = (amounts: readonly (string | null)[]): bigint =>
  amounts.reduce((sum, amount) => sum + BigInt(amount ?? 0n), 0n);

test("the shares that a request costs are among the user's flows, without assets", async () => {
  const of = await deployRedeemableVault(world, { adapter: "ipor", deploy: deployIpor });
  const before = await flowsOf(of);
  const shares = await sharesOf(of);
  expect(sumOf(before.map((row) => row.shares))).toBe(shares);
  const on = of.placed.parts["requests"];
  await set(of.placed, { abi: plasmaWithdrawManagerAbi, name: "setRequestFee", args: [10n ** 16n], on });
  await redeemOrRequest(of, { mode: "request", shares });
  const left = await sharesOf(of);
  expect(left).toBe(shares - shares / 100n);
  expect(await pendingOf(of)).toMatchObject([{ shares: left, inWallet: true }]);
  const after = await flowsOf(of);
  expect(sumOf(after.map((row) => row.shares))).toBe(left);
  expect(sumOf(after.map((row) => row.assets))).toBe(sumOf(before.map((row) => row.assets)));
});
