import { expect, test } from "vitest";
import { type DepositFacts, depositAction, smallDepositQuery } from "../../src/actions/deposit-action.ts";
import { runQuery } from "../../src/chains/aggregator/aggregate-reads.ts";
import type { PendingPosition } from "../../src/positions/position-pending-deposits.ts";
import type { Vault } from "../../src/vaults/vault.ts";
import type { DepositTerms } from "../../src/vaults/vault-adapter.ts";
import { NOW, OTHER, USDC, USER, vault } from "../support/deposits/fixtures.ts";
import { sharesFor, simulatedChain } from "../support/deposits/simulated-chain.ts";

const open: DepositTerms = {
  ...{
    previewShares: 1n,
    previewRevert: null,
    price: { assets: 1n, shares: 1n },
    asset: USDC,
    paused: false,
  },
  ...{ maxDeposit: null, minDeposit: null },
};
const actionFor = (
  terms: Partial<DepositFacts["deposit"]>,
  at: Vault = vault,
  deposits: PendingPosition[] = [],
) => depositAction(at, { deposit: { ...open, amount: 1n, ...terms }, deposits });

test("depositAction() names the mode in which the vault takes deposits now", () => {
  const lagoon = { ...vault, adapter: "lagoon" };
  expect(actionFor({ async: true }, lagoon).mode).toBe("request");
  expect(actionFor({ async: false }, lagoon).mode).toBe("instant");
  // Without what the state decides, the family does.
  expect(actionFor({}, lagoon).mode).toBe("request");
  expect(actionFor({}).mode).toBe("instant");
});

test("depositAction() offers no deposit whose maximum is below the minimum", () => {
  const full = { allowed: false, code: "above_maximum", max: "0" };
  expect(actionFor({ maxDeposit: 99n, minDeposit: 100n })).toMatchObject(full);
  expect(actionFor({ maxDeposit: 99n }, { ...vault, minDeposit: 100n })).toMatchObject(full);
  expect(actionFor({ maxDeposit: 0n })).toMatchObject(full);
  expect(actionFor({ maxDeposit: 100n, minDeposit: 100n })).toMatchObject({ allowed: true, max: "100" });
});

test.each<[string, Partial<DepositFacts["deposit"]>]>([
  ["would_revert", { previewShares: null }],
  ["price_unsafe", { price: null }],
  ["zero_shares", { previewShares: 0n }],
  ["price_unsafe", { price: { assets: 1n, shares: 0n } }],
  // Shares that are worth less than the deposit by more than any slippage may be.
  ["price_unsafe", { amount: 1_000_000n, previewShares: 969_000n }],
  ["upstream_rejected", { asset: OTHER }],
  ["upstream_rejected", { asset: null }],
  ["not_allowed", { refusal: "not_allowed" }],
  ["vault_paused", { paused: true }],
])("depositAction() gives the code with which every build is refused: %s", (code, terms) => {
  expect(actionFor(terms)).toMatchObject({ allowed: false, code });
});

test("depositAction() waits for an open request where the vault takes one at a time", () => {
  const mellow: Vault = { ...vault, adapter: "mellow", params: { queue: "async" } };
  const request = (change: Partial<PendingPosition>): PendingPosition => ({
    ...{
      vault: mellow,
      pendingAssets: 5n,
      claimableShares: 0n,
      claimableAssets: null,
      claim: null,
      ...change,
    },
  });
  expect(actionFor({}, mellow, [request({})])).toMatchObject({
    ...{ allowed: false, code: "request_pending", mode: "request" },
  });
  // A further deposit claims what is settled first.
  const settled = request({ pendingAssets: 0n, claimableShares: 5n });
  expect(actionFor({}, mellow, [settled])).toMatchObject({ allowed: true });
  expect(actionFor({}, { ...vault, adapter: "lagoon" }, [request({})])).toMatchObject({ allowed: true });
});

test("smallDepositQuery() previews no more than the vault takes", async () => {
  const previewed: bigint[] = [];
  const maxDeposit = 400_000n;
  const previewDeposit = (_vault: string, amount: bigint) => {
    previewed.push(amount);
    return amount > maxDeposit ? undefined : sharesFor(amount);
  };
  const { client } = simulatedChain({ answers: { maxDeposit, previewDeposit } });
  const { value } = await runQuery(
    client,
    smallDepositQuery(vault, { caller: null, receiver: USER, now: NOW }),
  );
  expect(previewed).toEqual([1_000_000n, 400_000n]);
  expect(depositAction(vault, { deposit: value, deposits: [] })).toMatchObject({
    allowed: true,
    max: "400000",
  });
});

test("smallDepositQuery() does not take a fixed fee for shares that are worth too little", async () => {
  const previewed: bigint[] = [];
  const actionWith = async (fee: (amount: bigint) => bigint) => {
    const previewDeposit = (_vault: string, amount: bigint) => {
      previewed.push(amount);
      return sharesFor(amount - fee(amount));
    };
    const { client } = simulatedChain({ answers: { maxDeposit: 10n ** 12n, previewDeposit } });
    const asked = { caller: null, receiver: USER, now: NOW };
    const { value } = await runQuery(client, smallDepositQuery(vault, asked));
    return depositAction(vault, { deposit: value, deposits: [] });
  };
  expect(await actionWith(() => 500_000n)).toMatchObject({ allowed: true, code: null });
  expect(await actionWith((amount) => (amount * 4n) / 100n)).toMatchObject({
    ...{ allowed: false, code: "price_unsafe" },
  });
  expect(await actionWith((amount) => (amount * 2n) / 100n)).toMatchObject({ allowed: true });
  expect(previewed).toEqual([1_000_000n, 1_000_000_000n, 1_000_000n, 1_000_000_000n, 1_000_000n]);
});
