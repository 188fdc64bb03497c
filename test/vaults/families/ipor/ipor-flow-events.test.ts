import { type Address, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { joinFlowSources, sourceFingerprint } from "../../../../src/flows/flow-sources.ts";
import { ipor } from "../../../../src/vaults/families/ipor/ipor-family.ts";
import { OTHER, USER, VAULT, vault } from "../../../support/deposits/fixtures.ts";
import { playPosition } from "../../../support/positions/played-position.ts";
import { eventLog } from "../../../support/vaults/answer.ts";

const MANAGER: Address = "0x1111111111111111111111111111111111111111";
const instant = { ...vault, adapter: "ipor" };
const asking = { ...instant, params: { withdraw_manager: MANAGER } };

const deposited = eventLog(
  VAULT,
  "event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)",
  { ...{ sender: USER, owner: USER, assets: 1_000n, shares: 1_000n } },
);
const withdrawn = eventLog(
  VAULT,
  "event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
  { sender: USER, receiver: USER, owner: USER, assets: 300n, shares: 300n },
);
const moved = (value: bigint, { from = USER, to = MANAGER, token = VAULT } = {}) =>
  eventLog(token, "event Transfer(address indexed from, address indexed to, uint256 value)", {
    ...{ from, to, value },
  });

/** Views of a vault with a price of 1 and a request of some shares. */
const views = (shares: bigint) => ({
  ...{ asset: vault.asset.address, info: [shares, 2n ** 32n, false, 9n], held: 980n, released: 0n },
});

test("the fee of a request is a loss of its shares, before and after it is paid", async () => {
  const asked = { logs: [deposited, moved(20n)], views: views(980n) };
  const waiting = { shares: 980n, assets: 980n };
  expect(await playPosition(asking, { ...asked, held: waiting })).toMatchObject({
    ...{ basis: "explained", deposited: 1_000n, earned: -20n },
  });
  const paid = { logs: [...asked.logs, withdrawn], views: views(0n) };
  expect(await playPosition(asking, { ...paid, held: { shares: 680n, assets: 680n } })).toMatchObject({
    ...{ basis: "explained", deposited: 700n, earned: -20n },
  });
});

describe("the fee of a withdrawal", () => {
  const burned = (value: bigint) => moved(value, { to: zeroAddress });

  test("that its event leaves out is a loss of its shares", async () => {
    const seen = { views: views(0n), held: { shares: 697n, assets: 697n } };
    const logs = [deposited, burned(300n), withdrawn, burned(3n)];
    expect(await playPosition(asking, { ...seen, logs })).toMatchObject({
      ...{ basis: "explained", deposited: 700n, earned: -3n },
    });
    // Two in one transaction have the same shares.
    const both = [...logs, burned(300n), withdrawn, burned(3n)];
    const left = { shares: 394n, assets: 394n };
    expect(await playPosition(asking, { ...seen, logs: both, held: left })).toMatchObject({
      ...{ basis: "explained", deposited: 400n, earned: -6n },
    });
  });

  test("that its event contains counts once", async () => {
    const seen = { views: views(0n), held: { shares: 700n, assets: 700n } };
    const logs = [deposited, burned(300n), withdrawn];
    expect(await playPosition(asking, { ...seen, logs })).toMatchObject({
      ...{ basis: "explained", deposited: 700n, earned: 0n },
    });
  });
});

test("shares that went elsewhere are noticed", async () => {
  const logs = [deposited, moved(20n, { to: OTHER })];
  const seen = { logs, held: { shares: 980n, assets: 980n }, views: views(0n) };
  expect(await playPosition(asking, seen)).toMatchObject({ basis: "transferred", earned: null });
});

test.each([
  ["goes elsewhere", moved(1n, { to: OTHER })],
  ["is nothing", moved(0n)],
  ["is a mint", moved(1n, { from: zeroAddress })],
  ["is what the WithdrawManager burns", moved(1n, { from: MANAGER, to: zeroAddress })],
  ["is of another token", moved(1n, { token: OTHER })],
])("a transfer that %s is no flow", (_what, log) => {
  expect(ipor.flows(asking).decode(log)).toBeNull();
});

test("only transfers to the WithdrawManager and burns are read, beside the vaults' own events", () => {
  const [transfer] = moved(1n).topics;
  const { topics, further } = joinFlowSources(vault.chainId, [instant, asking]);
  expect(topics).not.toContain(transfer);
  expect(further).toEqual({
    addresses: [VAULT.toLowerCase()],
    topics: [[transfer], null, [MANAGER, zeroAddress].map((one) => `0x${one.slice(2).padStart(64, "0")}`)],
  });
  expect(joinFlowSources(vault.chainId, [instant]).further).toBeUndefined();
});

test("another WithdrawManager has the history read again", () => {
  const other = { ...asking, params: { withdraw_manager: OTHER } };
  const all = [instant, asking, other].map(sourceFingerprint);
  expect(new Set(all).size).toBe(3);
});
