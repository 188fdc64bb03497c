import fc from "fast-check";
import { zeroAddress } from "viem";
import { expect, test } from "vitest";
import type { Query, ReadResult } from "../../src/chains/chain-reads.ts";
import { adapterOf } from "../../src/vaults/families/vault-families.ts";
import { parseRegistryRow } from "../../src/vaults/find-vault.ts";
import type { StoredVault, Vault } from "../../src/vaults/vault.ts";
import { USDC, USER } from "../support/deposits/fixtures.ts";

const own = "0x00000000000000000000000000000000000000a1";
const stored = (change: Partial<StoredVault>): StoredVault => ({
  ...{ chainId: 31337, address: own, type: "custom", adapter: "erc4626", params: {}, name: "Vault" },
  ...{ assetAddress: USDC.toLowerCase(), assetSymbol: "USDC", assetDecimals: 6 },
  ...{ shareToken: own, shareDecimals: 18, entryPoint: own, spender: own, pricer: own },
  ...{ acceptedAssets: [], caller: "user", curator: "", status: "active", statusReason: "" },
  ...{ minDeposit: null, noMinimum: false, startBlock: null },
  ...change,
});

/** Valid parameters of each family that needs some. */
const sound: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  erc4626: {},
  veda: { teller: "d" },
  midas: { deposit: "request", recipient: "argument" },
  mellow: { queue: "async" },
  centrifuge: { deposit: "async" },
  lagoon: {},
  ipor: {},
};
const families = Object.keys(sound);
const row = (adapter: string, params: Record<string, string> = {}): StoredVault =>
  stored({ adapter, params: { ...sound[adapter], ...params } });

test.each(families)("parseRegistryRow() accepts a valid row of %s", (adapter) => {
  expect(parseRegistryRow(row(adapter)).adapter).toBe(adapter);
});

test.each<[string, Record<string, string>, string]>([
  ["veda", { teller: "e" }, 'teller is one of a, b, c, d, not "e"'],
  ["veda", { referrer: "me" }, 'referrer is no address: "me"'],
  ["veda", { teller_withdraw: "publik" }, "teller_withdraw is one of public"],
  ["erc4626", { exit: "maple", withdrawal_type: "cycles" }, "withdrawal_type is one of queue"],
  ["erc4626", { exit: "mapel" }, "exit is one of cooldown, maple"],
  ["erc4626", { pool_manager: "0x12" }, "pool_manager is no address"],
  ["erc4626", { withdrawal_manager: "0x12" }, "withdrawal_manager is no address"],
  ["ipor", { withdraw_manager: "0x12" }, "withdraw_manager is no address"],
  ["midas", { deposit: "" }, 'deposit is one of instant, request, not ""'],
  ["midas", { recipient: "anybody" }, "recipient is one of argument, caller"],
  ["midas", { referrer: "0x01" }, "referrer is no bytes32"],
  ["midas", { redemption_vault: "0x01" }, "redemption_vault is no address"],
  ["mellow", { queue: "SYNC" }, 'queue is one of sync, async, not "SYNC"'],
  ["mellow", { redeem_queues: `${zeroAddress},x` }, 'redeem_queues has no address in "x"'],
  ["mellow", { referrer: "0x" }, "referrer is no address"],
  ["centrifuge", { deposit: "later" }, "deposit is one of sync, async"],
  ["lagoon", { referrer: "0x" }, "referrer is no address"],
])("parseRegistryRow() throws for a row of %s with %j", (adapter, params, reason) => {
  expect(() => parseRegistryRow(row(adapter, params))).toThrow(reason);
});

test("parseRegistryRow() throws for an unknown adapter or an invalid address", () => {
  expect(() => parseRegistryRow(row("nobody"))).toThrow("no adapter is called nobody");
  expect(() => parseRegistryRow(stored({ pricer: "0x12" }))).toThrow("0x12");
});

/** Calls every member of a vault's adapter, with no answer to any read. */
function askAll(vault: Vault): void {
  const adapter = adapterOf(vault);
  const token = { ...vault.asset, decimals: 6 };
  const deposit = { token, amount: 5n, caller: USER, receiver: USER };
  const failed: ReadResult<unknown> = { ok: false, revert: null };
  const settle = <S>(query: Query<S>) =>
    query.interpret(Object.fromEntries(Object.keys(query.reads).map((name) => [name, failed])));
  adapter.lens(vault);
  adapter.flows(vault);
  adapter.exits?.modes(vault);
  settle(adapter.state(vault, 0));
  settle(adapter.flags(vault));
  settle(adapter.terms(vault, { ...deposit, now: 0 }));
  const requests = adapter.asyncDeposits?.(vault) ?? null;
  if (requests !== null) settle(requests.pending(vault, { user: USER, requestIds: ["1"] }));
  for (const async of [false, true]) adapter.encode(vault, { ...deposit, minShares: 1n, async });
}

test("no member of an adapter throws for the parameters of a row that parseRegistryRow() accepted", () => {
  const names = [
    ...["teller", "deposit", "recipient", "queue", "referrer"],
    ...["redeem_queues", "deposit_queues", "redemption_vault", "redeem_via", "teller_withdraw"],
    ...["exit", "pool_manager", "withdrawal_manager", "withdraw_manager"],
  ];
  const words = ["", "a", "sync", "async", "instant", "request", "argument", "x", "0x", zeroAddress];
  const params = fc.dictionary(
    fc.constantFrom(...names, "asset_rate"),
    fc.oneof(fc.constantFrom(...words), fc.string()),
  );
  let used = 0;
  fc.assert(
    fc.property(fc.constantFrom(...families), params, (adapter, told) => {
      let vault: Vault;
      try {
        vault = parseRegistryRow(row(adapter, told));
      } catch {
        return;
      }
      used += 1;
      askAll(vault);
    }),
    { numRuns: 300 },
  );
  expect(used).toBeGreaterThan(30);
});
