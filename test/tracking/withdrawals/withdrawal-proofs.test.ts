import { encodeAbiParameters, encodeEventTopics, parseAbi, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { depositRouterAddress } from "../../../src/router/router-address.ts";
import {
  findDirectExit,
  findRouterExit,
  findUnpaidShares,
} from "../../../src/tracking/withdrawals/withdrawal-proofs.ts";
import { OTHER, USDC, USER, VAULT, vault, WETH } from "../../support/deposits/fixtures.ts";
import { executedLog, log, receiptOf, transferLog } from "../../support/deposits/logs.ts";
import { familyVault } from "../../support/withdrawals/fixtures.ts";
import { withdrawalRow as row } from "../../support/withdrawals/withdrawal-row.ts";

const SHARES = 100_000_000_000_000_000_000n;
const BRIDGED = "0x00000000000000000000000000000000000000bb";
type Executed = NonNullable<Parameters<typeof executedLog>[0]>;
const executed = (change: Executed = {}) =>
  executedLog({
    ...{ tokenIn: VAULT, tokenOut: USDC, amountIn: SHARES, amountOut: 100_500_000n },
    ...change,
  });

const abi = parseAbi([
  "event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
]);
/** The vault's own event of a withdrawal; the user's own unless changed. */
function withdrawLog({ owner = USER, assets = 100_500_000n, shares = SHARES } = {}) {
  const args = { sender: owner, receiver: USER, owner };
  const topics = encodeEventTopics({ abi, eventName: "Withdraw", args });
  return log(
    VAULT,
    topics,
    encodeAbiParameters([{ type: "uint256" }, { type: "uint256" }], [assets, shares]),
  );
}

describe("findRouterExit()", () => {
  /** The transfers of the tokens that the events name, beside the events. */
  const transfers = [USDC, WETH].map((token) => transferLog({ token, value: 100_500_000n }));
  const find = (of: Parameters<typeof receiptOf>[0][], change: Partial<typeof row> = {}) =>
    findRouterExit(receiptOf(...transfers, ...of), { row: { ...row, ...change }, vault });

  test("takes the Router's event of this withdrawal", () => {
    expect(find([executed()])).toEqual({
      reached: "asked",
      amount: 100_500_000n,
      assets: 100_500_000n,
      shares: SHARES,
    });
  });

  test.each<[string, Executed]>([
    ["another reference", { ref: `0x${"77".repeat(32)}` }],
    ["another payer, who gives the user his own money", { payer: OTHER }],
    ["another receiver", { receiver: OTHER }],
    ["other shares", { tokenIn: WETH }],
    ["another token", { tokenOut: WETH }],
    ["less than the minimum", { amountOut: 99_999_999n }],
    ["another contract", { emitter: OTHER }],
  ])("takes no event of %s", (_, change) => {
    expect(find([executed(change)])).toBeNull();
    expect(find([executed(change), executed()])).not.toBeNull();
  });

  test("takes no event of a transaction that reverted", () => {
    const receipt = { ...receiptOf(...transfers, executed()), succeeded: false };
    expect(findRouterExit(receipt, { row, vault })).toBeNull();
  });

  test("knows what the vault paid when the order swapped it", () => {
    const swapped = { moveToken: WETH.toLowerCase(), moveMin: "5" };
    const event = executed({ tokenOut: WETH, amountOut: 7n });
    expect(find([withdrawLog({ owner: OTHER }), event], swapped)).toEqual({
      ...{ reached: "asked", amount: 7n, assets: 100_500_000n, shares: SHARES },
    });
    expect(find([event], swapped)?.assets).toBeNull();
    expect(find([executed()], swapped)).toBeNull();
  });

  test("tells a bridged order and the first of two steps from a payment", () => {
    const away = { toChainId: 10 };
    expect(find([executed({ tokenOut: BRIDGED })], away)?.reached).toBe("bridge");
    expect(find([executed()], away)).toBeNull();
    expect(find([executed()], { ...away, twoStep: true })?.reached).toBe("asset");
    expect(find([executed({ tokenOut: BRIDGED })])).toBeNull();
  });
});

describe("findDirectExit()", () => {
  const paid = transferLog({ token: USDC, from: VAULT, value: 100_500_000n });
  const find = (
    of: Parameters<typeof receiptOf>[0][],
    { batched = false, ...change }: Partial<typeof row> & { batched?: boolean } = {},
  ) => findDirectExit(receiptOf(...of), { row: { ...row, ...change }, vault, batched });

  test("counts what reached the user", () => {
    const proof = { reached: "asked", amount: 100_500_000n, assets: 100_500_000n };
    expect(find([paid, withdrawLog()])).toEqual({ ...proof, shares: SHARES });
    expect(find([paid])).toEqual({ ...proof, shares: null });
    expect(find([paid], { moveToken: WETH.toLowerCase() })?.reached).toBe("asset");
  });

  test("takes no payment to somebody else, and none of another token", () => {
    expect(find([transferLog({ token: USDC, to: OTHER, value: 5n }), withdrawLog()])).toBeNull();
    expect(find([transferLog({ token: WETH, value: 5n })])).toBeNull();
    expect(find([paid, transferLog({ token: USDC, from: USER, to: OTHER, value: 100_500_000n })])).toBeNull();
  });

  test("tells the payments of several calls apart by the vault's event", () => {
    const other = transferLog({ token: USDC, from: OTHER, value: 3n });
    expect(find([paid, other, withdrawLog()], { batched: true })?.amount).toBe(100_500_000n);
    expect(find([paid, other], { batched: true })).toBeNull();
    expect(find([paid], { batched: true })).toBeNull();
    expect(find([paid, withdrawLog()], { batched: true })?.amount).toBe(100_500_000n);
    const twins = [paid, withdrawLog(), paid, withdrawLog()];
    expect(find(twins, { batched: true })).toBeNull();
  });

  test("takes all payments of a batch together if a vault pays in parts, or queues the rest", () => {
    const parts = [60_500_000n, 40_000_000n].map((value) => transferLog({ token: USDC, from: VAULT, value }));
    const seen = (assets: bigint, of = vault) =>
      findDirectExit(receiptOf(...parts, withdrawLog({ assets })), { row, vault: of, batched: true });
    expect(seen(100_500_000n)).toMatchObject({ amount: 100_500_000n, shares: SHARES });
    expect(seen(100_500_001n)).toBeNull();
    expect(seen(200_000_000n, familyVault("mellow_lrt"))?.amount).toBe(100_500_000n);
    expect(seen(100_499_999n, familyVault("mellow_lrt"))).toBeNull();
  });

  test("takes the vault's event for native currency, which leaves no transfer", () => {
    const native = { exitToken: zeroAddress, moveToken: zeroAddress };
    expect(find([withdrawLog()], native)?.amount).toBe(100_500_000n);
    expect(find([withdrawLog({ owner: OTHER })], native)).toBeNull();
    expect(find([withdrawLog({ shares: 1n })], native)).toBeNull();
    expect(find([withdrawLog({ shares: 1n })], { ...native, fromAmount: "0" })?.shares).toBe(1n);
  });
});

test("findUnpaidShares() needs the vault's event of the user's redemption, and no payment at all to the user", () => {
  const find = (of: Parameters<typeof receiptOf>[0][], change: Partial<typeof row> = {}) =>
    findUnpaidShares(receiptOf(...of), { row: { ...row, ...change }, vault });
  const elsewhere = transferLog({ token: USDC, from: VAULT, to: OTHER, value: 100_500_000n });
  expect(find([withdrawLog()])).toBe(SHARES);
  expect(find([elsewhere, transferLog({ token: WETH, value: 5n }), withdrawLog()])).toBe(SHARES);
  expect(find([transferLog({ token: USDC, from: VAULT, value: 1n }), withdrawLog()])).toBeNull();
  expect(find([elsewhere])).toBeNull();
  expect(find([withdrawLog({ owner: OTHER })])).toBeNull();
  expect(find([withdrawLog()], { exitToken: zeroAddress })).toBeNull();
});

test("the Router's address is the only one whose event counts", () => {
  expect(executed().address.toLowerCase()).toBe(depositRouterAddress.toLowerCase());
});
