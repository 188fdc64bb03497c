import { numberToHex, toFunctionSelector } from "viem";
import { expect, test } from "vitest";
import { depositAction } from "../../../src/actions/deposit-action.ts";
import { runQuery } from "../../../src/chains/aggregator/aggregate-reads.ts";
import { eulerEarn } from "../../../src/vaults/families/euler-family.ts";
import { contractsClient } from "../../support/chains/multicall.ts";
import { USER, vault } from "../../support/deposits/fixtures.ts";

const NOW = 1_700_000_000_000;
const earn = { ...vault, adapter: "euler_earn" };
const request = { token: vault.asset, amount: 100_000_000n, caller: USER, receiver: USER, now: NOW };
const word = (value: bigint) => numberToHex(value, { size: 32 });

/** Reads an EulerEarn vault with a supply queue of this length, or one that cannot be read. */
async function ask(queue: bigint | null) {
  const client = contractsClient(({ data }) => {
    const is = (view: string) => data.startsWith(toFunctionSelector(view));
    if (is("asset()")) return { ok: true, data: word(BigInt(vault.asset.address)) };
    if (is("previewDeposit(uint256)")) return { ok: true, data: word(10n ** 20n) };
    if (is("convertToAssets(uint256)")) return { ok: true, data: word(10n ** 6n) };
    if (is("supplyQueueLength()") && queue !== null) return { ok: true, data: word(queue) };
    return { ok: false, data: "0x" };
  });
  const [state, terms] = await Promise.all([
    runQuery(client, eulerEarn.state(earn, NOW)),
    runQuery(client, eulerEarn.terms(earn, request)),
  ]);
  return {
    state: state.value,
    terms: terms.value,
    action: depositAction(earn, { deposit: { ...terms.value, amount: request.amount }, deposits: [] }),
  };
}

test("an EulerEarn vault with an empty supply queue takes no deposit, as its build would say", async () => {
  const { state, terms, action } = await ask(0n);
  expect({ state: state.maxDeposit, terms: terms.maxDeposit }).toEqual({ state: 0n, terms: 0n });
  expect(action).toMatchObject({ allowed: false, code: "above_maximum", max: "0" });
  expect(state.paused).toBe(false);
});

test.each([1n, 30n, null])("a supply queue of %s says nothing of the limit", async (queue) => {
  const { state, terms, action } = await ask(queue);
  expect({ state: state.maxDeposit, terms: terms.maxDeposit }).toEqual({ state: null, terms: null });
  expect(action).toMatchObject({ allowed: true, max: null });
});
