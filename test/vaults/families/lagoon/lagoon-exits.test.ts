import { encodeErrorResult, parseAbi } from "viem";
import { describe, expect, test } from "vitest";
import { lagoonExits } from "../../../../src/vaults/families/lagoon/lagoon-exits.ts";
import { lagoonFamily } from "../../../../src/vaults/families/lagoon/lagoon-family.ts";
import { NOW, USER, vault } from "../../../support/deposits/fixtures.ts";
import { answer, Revert, UNMADE } from "../../../support/vaults/answer.ts";

const own = { ...vault, adapter: "lagoon" };

const request = { token: own.asset, shares: 5n, owner: USER, caller: USER, receiver: USER, now: NOW };
const previewed = (rates?: unknown) =>
  answer(lagoonExits.terms(own, { ...request, mode: "request" }), { value: 1_000n, rates }).previewAssets;

test("an unread exit fee is not none, which only an older version has", () => {
  expect(previewed(UNMADE)).toBeNull();
  expect(previewed()).toBe(1_000n);
});

test("an unread entry fee is not none, which only an older version has", () => {
  const input = { token: own.asset, amount: 5n, caller: USER, receiver: USER, now: NOW };
  const shares = (fees?: unknown) =>
    answer(lagoonFamily.adapter.terms(own, input), { shares: 1_000n, fees }).previewShares;
  expect([shares([0, 0, 100, 0, 0]), shares(), shares(UNMADE)]).toEqual([990n, 1_000n, null]);
});

test.each<[number, bigint | null]>([
  [0, 1_000n],
  [100, 990n],
  [10_000, 0n],
  [10_001, null],
  [65_535, null],
])("an exit fee of %i basis points leaves %s of 1000", (exitRate, left) => {
  expect(previewed([0, 0, 0, exitRate, 0])).toBe(left);
});

test.each([
  ["older", { errorName: "Error", args: ["ERC20: transfer amount exceeds allowance"] }],
  ["newer", { errorName: "ERC20InsufficientAllowance", args: [own.entryPoint, 0n, 5n] }],
] as const)(
  "a Safe that took its allowance back pays nothing, as the error of %s tokens shows",
  (_name, of) => {
    const abi = parseAbi([
      "error Error(string reason)",
      "error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)",
    ]);
    expect(lagoonExits.explain?.(encodeErrorResult({ abi, ...of }))).toMatchObject({ code: "no_liquidity" });
  },
);

/** A pending request for 1,000 shares, each worth one unit of the asset. */
const ANSWERS = { pending: 1_000n, claimable: 0n, assets: 0n, price: 10n ** 18n, asset: own.asset.address };

test.each<[string, unknown, bigint | null]>([
  ["an older version without fees", undefined, 1_000n],
  ["no exit fee", [0, 0, 0, 0, 0], 1_000n],
  ["an exit fee of 0.3%", [0, 0, 0, 30, 0], 997n],
  ["an exit fee above 100%", [0, 0, 0, 10_001, 0], null],
  ["an unread exit fee", UNMADE, null],
])("a pending request is expected to pay what %s leaves", (_name, rates, assets) => {
  const query = lagoonExits.pending?.(own, { user: USER, requestIds: [], now: NOW });
  const found = query && answer(query, { ...ANSWERS, rates });
  expect(found).toMatchObject([{ shares: 1_000n, assets, state: "pending" }]);
});

describe("an instant redemption from a closed vault", () => {
  const [item] = parseAbi(["error NotOpen(uint8 state)"]);
  const open = new Revert(encodeErrorResult({ abi: [item], errorName: "NotOpen", args: [2] }));
  const termsWith = (table: Readonly<Record<string, unknown>>) =>
    answer(lagoonExits.terms(own, { ...request, mode: "instant" }), {
      ...{ open, value: 1_000n, claimable: 0n },
      ...table,
    });

  test.each<[unknown, bigint | null]>([
    [undefined, 1_000n],
    [[0, 0, 0, 0, 0], 1_000n],
    [[0, 0, 0, 200, 0], 980n],
    [[0, 0, 0, 10_001, 0], null],
    [UNMADE, null],
  ])("pays less by the exit fee in the rates %o: %s of 1000", (rates, previewAssets) => {
    expect(termsWith({ rates })).toMatchObject({
      ...{ variant: "closed", priced: "now", refusal: null, previewAssets, grossAssets: 1_000n },
    });
  });

  test("must wait for the claim of a settled request, which the vault pays instead", () => {
    expect(termsWith({ claimable: 1n })).toMatchObject({ refusal: "request_pending" });
    expect(termsWith({ claimable: 0n })).toMatchObject({ refusal: null });
  });

  test("is refused if the settled request cannot be read", () => {
    expect(termsWith({ claimable: UNMADE })).toMatchObject({ refusal: "request_pending" });
  });
});
