import { encodeErrorResult, parseAbi } from "viem";
import { describe, expect, test } from "vitest";
import { centrifugeExits } from "../../../../src/vaults/families/centrifuge/centrifuge-exits.ts";
import { explainExitRevert, explainVaultRevert } from "../../../../src/vaults/families/vault-families.ts";
import { NOW, OTHER, USER, vault } from "../../../support/deposits/fixtures.ts";
import { answer, UNMADE } from "../../../support/vaults/answer.ts";

const own = { ...vault, adapter: "centrifuge" };
/** The manager's record of an account: only the claimable assets matter here. */
const recordOf = (assets: bigint) => [0n, assets, 0n, 0n, 0n, 0n, 0n, 0n, false, false];

/** The open requests of an account of which the vault's views return 0 except for what the table says. */
function pendingWith(table: Readonly<Record<string, unknown>>) {
  const query = centrifugeExits.pending?.(own, { user: USER, requestIds: [], now: NOW });
  if (query === undefined) throw new Error("the family has no requests");
  return answer(query, {
    ...{ pending: 0n, claimable: 0n, assets: 0n, payable: 0n, cancelling: false, returned: 0n },
    ...{ manager: OTHER, record: recordOf(0n) },
    ...table,
  });
}

describe("the requests of an account", () => {
  test("are none if neither the vault nor its manager has any", () => {
    expect(pendingWith({})).toEqual([]);
  });

  test("contain what the vault does not show to a frozen account or a former member", () => {
    const owed = {
      ...{ requestId: "0", state: "pending", shares: null, refusal: "not_allowed" },
      claimableAssets: 0n,
      claimableShares: 0n,
    };
    expect(pendingWith({ record: recordOf(7n) })).toMatchObject([{ ...owed, assets: 7n, priced: true }]);
    expect(pendingWith({ record: recordOf(7n), pending: 5n })).toMatchObject([
      { ...owed, assets: null, priced: false },
    ]);
  });

  test.each([
    ["manager", undefined],
    ["record", undefined],
    ["manager", UNMADE],
    ["record", UNMADE],
  ])("are unknown without the %s", (name, value) => {
    expect(pendingWith({ [name]: value })).toBeNull();
  });

  test("are those that the vault shows if it shows what can be claimed", () => {
    const shown = { claimable: 5n, assets: 7n, payable: 7n, manager: undefined };
    expect(pendingWith(shown)).toMatchObject([
      { requestId: "0", state: "claimable", claimableShares: 5n, claimableAssets: 7n },
    ]);
  });
});

test("a claim that the pool's escrow cannot pay yet lacks liquidity", () => {
  const abi = parseAbi([
    "error InsufficientBalance(address asset, uint256 tokenId, uint256 value, uint256 balance)",
  ]);
  const revert = encodeErrorResult({ abi, errorName: "InsufficientBalance", args: [OTHER, 0n, 7n, 5n] });
  expect(centrifugeExits.explain?.(revert)).toMatchObject({ code: "no_liquidity" });
});

test("a share token's refusal is understood inside the error with which the vault wraps it", () => {
  const abi = parseAbi([
    "error TransferBlocked()",
    "error SafeTransferFailed()",
    "error WrappedError(address target, bytes4 selector, bytes reason, bytes details)",
  ]);
  const refused = encodeErrorResult({ abi, errorName: "TransferBlocked" });
  const details = encodeErrorResult({ abi, errorName: "SafeTransferFailed" });
  const args = [OTHER, "0xa9059cbb", refused, details] as const;
  const revert = encodeErrorResult({ abi, errorName: "WrappedError", args });
  const meaning = { code: "not_allowed", text: "TransferBlocked" };
  expect(explainExitRevert(own, revert)).toEqual(meaning);
  expect(explainVaultRevert(own, revert)).toEqual(meaning);
});
