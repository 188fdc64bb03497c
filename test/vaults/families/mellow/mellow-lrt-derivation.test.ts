import { expect, test } from "vitest";
import { mellowLrtFamily } from "../../../../src/vaults/families/mellow/mellow-lrt-family.ts";
import { unreviewedSubject } from "../../../../src/vaults/vault-deriver.ts";
import { OTHER, USDC, VAULT } from "../../../support/deposits/fixtures.ts";
import { answer } from "../../../support/vaults/answer.ts";

const QUEUE = "0xAaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
const EARLIER = "0x2222222222222222222222222222222222222222";
const COLLATERAL = "0x3333333333333333333333333333333333333333";

const views = {
  ...{ pause: false, whitelist: false, asset: USDC, total: 1n, price: 1n, preview: 1n },
  ...{ "asset/symbol": "USDC", "asset/decimals": 6 },
  ...{ "share/decimals": 18, supply: 1n, balance: 0n, allowance: 0n },
};

function paramsOf(table: Record<string, unknown>, params: Record<string, string> = {}) {
  const subject = { ...unreviewedSubject({ chainId: 1, address: VAULT }), params };
  const derivation = answer(mellowLrtFamily.deriver.derive(subject), { ...views, ...table });
  if (!derivation.ok) throw new Error(derivation.reason);
  return derivation.vault.params;
}

test("a Symbiotic vault's entry names its queue", () => {
  const table = { queue: QUEUE, symbiotic: COLLATERAL };
  expect(paramsOf(table)).toEqual({ withdrawal_queues: QUEUE.toLowerCase() });
});

test("a MultiVault's entry names its queues, and those that it no longer has", () => {
  const subvault = (protocol: number, withdrawalQueue: string) => ({
    protocol,
    vault: OTHER,
    withdrawalQueue,
  });
  const table = {
    count: 2n,
    collateral: COLLATERAL,
    0: subvault(0, QUEUE),
    1: subvault(2, `0x${"0".repeat(40)}`),
  };
  const both = { withdrawal_queues: `${EARLIER},${QUEUE.toLowerCase()}` };
  expect(paramsOf(table, { withdrawal_queues: EARLIER, exit: "instant" })).toEqual(both);
  expect(paramsOf(table, both)).toEqual(both);
});

test("the entry of DVV says that it pays at once", () => {
  expect(paramsOf({ wsteth: USDC, compat: 5n })).toEqual({ exit: "instant" });
});

test("a vault that shows no contracts which pay withdrawals is none of the family, also if it was one", () => {
  for (const params of [{}, { withdrawal_queues: EARLIER, exit: "instant" }])
    expect(() => paramsOf({}, params)).toThrow("it does not name the contracts that pay withdrawals");
});
