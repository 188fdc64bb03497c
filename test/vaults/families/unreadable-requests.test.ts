import { type Address, numberToHex, toFunctionSelector } from "viem";
import { expect, test } from "vitest";
import { runQuery } from "../../../src/chains/aggregator/aggregate-reads.ts";
import { atBlockTime } from "../../../src/chains/chain-time.ts";
import { adapterOf } from "../../../src/vaults/families/vault-families.ts";
import { queueRequestId } from "../../../src/vaults/families/veda/veda-queue-requests.ts";
import type { Vault } from "../../../src/vaults/vault.ts";
import { contractsClient, head } from "../../support/chains/multicall.ts";
import { USER, vault } from "../../support/deposits/fixtures.ts";

const NOW = 1_700_000_000_000;
const HELPER: Address = "0x00000000000000000000000000000000000000a7";
const QUEUED =
  queueRequestId(vault, {
    queue: HELPER,
    request: {
      ...{ nonce: 1n, assetOut: vault.asset.address, amountOfShares: 10n, amountOfAssets: 10n },
      ...{ creationTime: 1, secondsToMaturity: 1, secondsToDeadline: 1 },
    },
  }) ?? "";

const waiting: readonly [adapter: string, params: Vault["params"], requestId?: string][] = [
  ["veda", { withdraw_queue: HELPER }, QUEUED],
  ["veda", { delayed_withdraw: HELPER }],
  ["midas", { redemption_vault: HELPER }, "7"],
  ["mellow", { redeem_queue: HELPER }],
  ["mellow_lrt", {}],
  ["upshift", {}],
  ["upshift_legacy", {}],
  ["lagoon", {}],
  ["centrifuge", {}],
  ["accountable", {}],
  ["ipor", { withdraw_manager: HELPER }],
  ["erc4626", { exit: "cooldown" }],
  ["erc4626", { exit: "maple", pool_manager: HELPER, withdrawal_manager: HELPER }],
  ["erc4626", { exit: "erc7540" }],
  ["erc4626", { exit: "yo" }],
];

test.each(waiting)(
  "%s %o: requests that cannot be read are unknown, not absent",
  async (adapter, params, id) => {
    const subject: Vault = { ...vault, adapter, params };
    const pending = adapterOf(subject).exits?.pending;
    if (pending === undefined) throw new Error("the family has no requests");
    const requestIds = id === undefined ? [] : [id];
    // Every call reverts.
    const client = contractsClient(() => ({ ok: false, data: "0x" }));
    const { value } = await runQuery(client, pending(subject, { user: USER, requestIds, now: NOW }));
    expect(value).toBeNull();
  },
);

test.each<[adapter: string, view: string]>([
  ["centrifuge", "pendingCancelRedeemRequest(uint256,address)"],
  ["centrifuge", "claimableCancelRedeemRequest(uint256,address)"],
  ["centrifuge", "asyncRedeemManager()"],
  ["centrifuge", "investments(address,address)"],
])("%s: requests are unknown without what only other views show (%s fails)", async (adapter, view) => {
  const subject: Vault = { ...vault, adapter };
  const pendingWithout = async (failing: string) => {
    const query = adapterOf(subject).exits?.pending?.(subject, { user: USER, requestIds: [], now: NOW });
    if (query === undefined) throw new Error("the family has no requests");
    const fails = toFunctionSelector(failing);
    const client = contractsClient(({ data }) =>
      data.startsWith(fails) ? { ok: false, data: "0x" } : { ok: true, data: numberToHex(0n, { size: 64 }) },
    );
    return (await runQuery(client, query)).value;
  };
  expect(await pendingWithout(view)).toBeNull();
  expect(await pendingWithout("unused()")).toEqual([]);
});

test.each(["upshift", "upshift_legacy"])(
  "%s: requests are known where the chain's clock is days behind, so that its first days are not read",
  async (adapter) => {
    const subject: Vault = { ...vault, adapter };
    const pending = adapterOf(subject).exits?.pending;
    if (pending === undefined) throw new Error("the family has no requests");
    const block = { ...head, timestamp: NOW / 1_000 - 3 * 86_400 };
    const client = contractsClient(() => ({ ok: true, data: numberToHex(0n, { size: 32 }) }), { block });
    const query = atBlockTime(NOW, (now) => pending(subject, { user: USER, requestIds: [], now }));
    expect((await runQuery(client, query)).value).toEqual([]);
  },
);
