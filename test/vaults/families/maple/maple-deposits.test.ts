import { decodeAbiParameters, decodeFunctionData, encodeFunctionResult, hexToString, parseAbi } from "viem";
import { describe, expect, test } from "vitest";
import { depositAction } from "../../../../src/actions/deposit-action.ts";
import { runQuery } from "../../../../src/chains/aggregator/aggregate-reads.ts";
import { erc4626 } from "../../../../src/vaults/families/erc4626-family.ts";
import type { DepositTerms } from "../../../../src/vaults/vault-adapter.ts";
import { contractsClient } from "../../../support/chains/multicall.ts";
import { NOW, OTHER, USDC, USER, vault } from "../../../support/deposits/fixtures.ts";
import { answer } from "../../../support/vaults/answer.ts";

const pool = { ...vault, adapter: "erc4626", params: { exit: "maple", pool_manager: OTHER.toLowerCase() } };
const request = { token: vault.asset, amount: 5n, caller: null, receiver: USER, now: NOW };
const open = { asset: USDC, preview: 5n * 10n ** 12n, maxDeposit: 10n ** 12n, price: 10n ** 6n };

/** The code with which the actions refuse a deposit of which the pool's manager says this; null if they offer it. */
function codeWith(manager: Readonly<Record<string, unknown>>) {
  const terms: DepositTerms = answer(erc4626.terms(pool, request), { ...open, ...manager });
  return depositAction(pool, { deposit: { ...terms, amount: 5n }, deposits: [] }).code;
}

describe("a deposit into a Maple pool", () => {
  test.each([
    ["PM:CC:PAUSED", "vault_paused"],
    ["PM:CC:PROTOCOL_PAUSED", "vault_paused"],
    ["P:NOT_ACTIVE", "vault_paused"],
    ["PM:CC:NOT_ALLOWED", "not_allowed"],
    // The pool's limit shows that.
    ["P:DEPOSIT_GT_LIQ_CAP", null],
  ])("that its manager refuses with %s has the code %s", (reason, code) => {
    expect(codeWith({ call: [false, reason] })).toBe(code);
  });

  test("is refused in a pool that is not active, also without permission", () => {
    expect(codeWith({ call: [false, "PM:CC:NOT_ALLOWED"], active: false })).toBe("vault_paused");
  });

  test("is offered where the manager allows it or does not answer", () => {
    expect(codeWith({ call: [true, ""], active: true })).toBeNull();
    expect(codeWith({})).toBeNull();
  });

  test("is asked of the manager for its receiver and amount", async () => {
    const abi = parseAbi(["function canCall(bytes32, address, bytes) view returns (bool, string)"]);
    const asked: unknown[] = [];
    const client = contractsClient(({ to, data }) => {
      if (to !== OTHER) return { ok: false, data: "0x" };
      try {
        const [name, caller, call] = decodeFunctionData({ abi, data }).args;
        const words = decodeAbiParameters([{ type: "uint256" }, { type: "address" }], call);
        asked.push(hexToString(name, { size: 32 }), caller, ...words);
        return { ok: true, data: encodeFunctionResult({ abi, functionName: "canCall", result: [true, ""] }) };
      } catch {
        return { ok: false, data: "0x" };
      }
    });
    await runQuery(client, erc4626.terms(pool, request));
    expect(asked).toEqual(["P:deposit", USER, 5n, USER]);
  });
});

test("a Maple pool is paused with its protocol, whoever has permission", () => {
  const state = (call: readonly unknown[]) => answer(erc4626.state(pool, NOW), { ...open, call });
  expect(state([false, "PM:CC:PAUSED"])).toMatchObject({ paused: true, maxDeposit: 0n });
  expect(state([false, "PM:CC:NOT_ALLOWED"])).toMatchObject({ paused: false, maxDeposit: 10n ** 12n });
  expect(answer(erc4626.flags(pool), { call: [false, "PM:CC:PAUSED"] }).paused).toBe(true);
});
