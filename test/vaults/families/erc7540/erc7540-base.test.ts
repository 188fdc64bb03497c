import { decodeFunctionData, type Log, maxUint256, parseAbi, toFunctionSelector, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import {
  centrifuge,
  centrifugeRequests,
} from "../../../../src/vaults/families/centrifuge/centrifuge-family.ts";
import { erc7540Requests } from "../../../../src/vaults/families/erc7540/erc7540-base.ts";
import { lagoon } from "../../../../src/vaults/families/lagoon/lagoon-family.ts";
import { adapterOf } from "../../../../src/vaults/families/vault-families.ts";
import type { Vault } from "../../../../src/vaults/vault.ts";
import { NOW, OTHER, USDC, USER, vault } from "../../../support/deposits/fixtures.ts";
import { answer, eventLog, Revert } from "../../../support/vaults/answer.ts";

const NOT_OPEN = toFunctionSelector("NotOpen(uint8)");
const request = { token: vault.asset, amount: 100_000_000n, caller: USER, receiver: USER, now: NOW };
const deposit = { ...request, minShares: 1n };
const lagoonVault: Vault = { ...vault, adapter: "lagoon" };
const centrifugeVault = (mode: string): Vault => ({
  ...vault,
  ...{ adapter: "centrifuge", shareToken: OTHER, params: { deposit: mode } },
});

describe("Lagoon terms()", () => {
  const answers = {
    ...{ asset: USDC, price: 1_250_000n, totalAssets: 5_000_000_000n, totalSupply: 4n, shares: 80n },
    ...{ valid: true, paused: false, receiverListed: true, callerListed: true },
  };
  const termsOf = (change: Record<string, unknown> = {}) =>
    answer(lagoon.terms(lagoonVault, request), { ...answers, ...change });

  test("previews a synchronous deposit while the valuation is valid", () => {
    expect(termsOf()).toEqual({
      asset: USDC,
      previewShares: 80n,
      previewRevert: null,
      price: { assets: 1_250_000n, shares: 10n ** 18n },
      maxDeposit: null,
      minDeposit: null,
      paused: false,
      refusal: null,
      async: false,
    });
  });

  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ["a valuation that is over", { valid: false }, { async: true, previewShares: 80n }],
    ["no word on the valuation", { valid: undefined }, { async: true }],
    ["v0.6 minting both ways", { mode: 0 }, { async: false }],
    ["v0.6 minting deposits", { mode: 1 }, { async: false }],
    ["v0.6 minting redemptions alone", { mode: 2 }, { paused: true }],
    ["v0.6 minting nothing", { mode: 3 }, { paused: true }],
    [
      "v0.6 minting nothing once it takes requests",
      { mode: 3, valid: false },
      { paused: false, async: true },
    ],
    ["an entry fee above 100%", { fees: [0, 0, 10_001, 0, 0], valid: false }, { previewShares: null }],
    ["v0.6's entry fee on a request", { fees: [0, 0, 126, 0, 0], valid: false }, { previewShares: 78n }],
    [
      "v0.6's entry fee in its own preview",
      { fees: [0, 0, 126, 0, 0], preview: 79n },
      { previewShares: 79n },
    ],
    ["a vault that closes", { open: new Revert(`${NOT_OPEN}${"01".padStart(64, "0")}`) }, { paused: true }],
    ["a vault that refuses the question otherwise", { open: new Revert("0x12345678") }, { paused: false }],
    ["v0.6's preview, its fee taken", { preview: 79n }, { previewShares: 79n }],
    ["a preview of another mode", { preview: 79n, valid: false }, { previewShares: 80n }],
    ["no conversion", { shares: new Revert("0x12") }, { previewShares: null, previewRevert: "0x12" }],
    ["no price", { price: undefined }, { price: null }],
    ["a pause", { paused: true }, { paused: true }],
    ["a receiver off v0.5's list", { receiverListed: false }, { refusal: "not_allowed" }],
    ["a caller off v0.5's list", { callerListed: false }, { refusal: "not_allowed" }],
    ["a receiver off v0.6's list", { receiverAllowed: false }, { refusal: "not_allowed" }],
    ["a caller off v0.6's list", { callerAllowed: false }, { refusal: "not_allowed" }],
    ["an old list that v0.6 does not keep", { callerAllowed: true, callerListed: false }, { refusal: null }],
    ["no list", { receiverListed: undefined, callerListed: undefined }, { refusal: null }],
    ["a cap", { cap: 5_000_000_007n }, { maxDeposit: 7n }],
    ["a cap that is passed", { cap: 7n }, { maxDeposit: 0n }],
    ["a cap of everything", { cap: maxUint256 }, { maxDeposit: maxUint256 }],
    ["a cap on requests, some of which wait", { cap: 5_000_000_007n, valid: false }, { maxDeposit: null }],
    ["a cap on requests that is passed", { cap: 7n, valid: false }, { maxDeposit: 0n }],
    ["no asset", { asset: undefined }, { asset: null }],
  ])("with %s", (_, change, expected) => {
    expect(termsOf(change)).toMatchObject(expected);
  });

  test("state() never takes the claimable amount for a limit", () => {
    const table = { totalAssets: 5n, totalSupply: 4n, price: 1_250_000n, paused: false };
    const state = { totalAssets: 5n, totalSupply: 4n, sharePrice: (10n ** 18n * 5n) / 4n, maxDeposit: null };
    expect(answer(lagoon.state(lagoonVault, NOW), table)).toEqual({
      ...state,
      minDeposit: null,
      paused: false,
    });
    expect(answer(lagoon.state(lagoonVault, NOW), { paused: true })).toEqual({
      ...{ totalAssets: null, totalSupply: null, sharePrice: null, maxDeposit: 0n, minDeposit: null },
      paused: true,
    });
    const read = Object.values(lagoon.state(lagoonVault, NOW).reads).map(({ data }) => data.slice(0, 10));
    expect(read).not.toContain(toFunctionSelector("maxDeposit(address)"));
    expect(answer(lagoon.flags(lagoonVault), { paused: true })).toEqual({ paused: true, minDeposit: null });
    expect(answer(lagoon.flags(lagoonVault), { open: new Revert(NOT_OPEN) })).toMatchObject({ paused: true });
  });
});

describe("Centrifuge terms()", () => {
  const answers = {
    ...{ asset: USDC, price: 1_250_000n, share: OTHER, permitted: true, preview: 80n, most: 9n },
  };
  const termsOf = (mode: string, change: Record<string, unknown> = {}) =>
    answer(centrifuge.terms(centrifugeVault(mode), request), { ...answers, ...change });

  test("has a limit only for synchronous vaults", () => {
    expect(termsOf("sync")).toMatchObject({ asset: USDC, previewShares: 80n, maxDeposit: 9n, refusal: null });
    expect(termsOf("async")).toMatchObject({ asset: USDC, previewShares: 80n, maxDeposit: null });
  });

  test("reads previewDeposit() only from synchronous vaults", () => {
    const asked = (mode: string) =>
      centrifuge.terms(centrifugeVault(mode), request).reads["preview"]?.data.slice(0, 10);
    expect(asked("sync")).toBe(toFunctionSelector("previewDeposit(uint256)"));
    expect(asked("async")).toBe(toFunctionSelector("convertToShares(uint256)"));
  });

  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ["somebody who is no member", { permitted: false }, { refusal: "not_allowed" }],
    ["no word on members", { permitted: undefined }, { refusal: null }],
    ["another share token", { share: USER }, { asset: null }],
    ["no asset", { asset: undefined }, { asset: null }],
    ["no preview", { preview: new Revert("0x12") }, { previewShares: null, previewRevert: "0x12" }],
  ])("with %s", (_, change, expected) => {
    expect(termsOf("sync", change)).toMatchObject(expected);
  });

  test("state() has no limit without a receiver", () => {
    const state = {
      totalAssets: null,
      totalSupply: null,
      sharePrice: null,
      maxDeposit: null,
      minDeposit: null,
    };
    expect(answer(centrifuge.state(centrifugeVault("sync"), NOW), {})).toEqual({ ...state, paused: false });
    expect(answer(centrifuge.flags(centrifugeVault("sync")), {})).toEqual({
      paused: false,
      minDeposit: null,
    });
    expect(centrifuge.lens(centrifugeVault("sync"))).toMatchObject({ kind: "convert", shareToken: OTHER });
  });
});

describe("ERC-7540 encode()", () => {
  const requestAbi = parseAbi(["function requestDeposit(uint256 assets, address controller, address owner)"]);
  const syncAbi = parseAbi(["function syncDeposit(uint256 assets, address receiver, address referral)"]);
  const plainAbi = parseAbi(["function deposit(uint256 assets, address receiver)"]);
  const shape = { target: vault.entryPoint, spender: vault.spender, amountOffset: 4, sharesTo: "receiver" };

  test("makes the user controller and owner of a request", () => {
    for (const call of [
      lagoon.encode(lagoonVault, { ...deposit, async: true }),
      centrifuge.encode(centrifugeVault("async"), deposit),
    ]) {
      expect(call).toMatchObject({ ...shape, async: true, minShares: "router" });
      expect(decodeFunctionData({ abi: requestAbi, data: call.data }).args).toEqual([
        100_000_000n,
        USER,
        USER,
      ]);
    }
  });

  test("never names the caller as owner or controller", () => {
    const { data } = lagoon.encode(lagoonVault, { ...deposit, caller: null, async: true });
    expect(decodeFunctionData({ abi: requestAbi, data }).args).toEqual([100_000_000n, USER, USER]);
  });

  test("encodes a deposit where the vault mints at once", () => {
    const call = lagoon.encode({ ...lagoonVault, params: { referrer: OTHER } }, { ...deposit, async: false });
    expect(call).toMatchObject({ ...shape, async: false });
    expect(decodeFunctionData({ abi: syncAbi, data: call.data }).args).toEqual([100_000_000n, USER, OTHER]);
    const plain = lagoon.encode(lagoonVault, deposit);
    expect(decodeFunctionData({ abi: syncAbi, data: plain.data }).args[2]).toBe(zeroAddress);
    const { data } = centrifuge.encode(centrifugeVault("sync"), deposit);
    expect(decodeFunctionData({ abi: plainAbi, data }).args).toEqual([100_000_000n, USER]);
  });

  test("throws for an unknown kind of vault", () => {
    expect(() => centrifuge.encode(centrifugeVault(""), deposit)).toThrow(/deposit is one of sync, async/);
    expect(adapterOf(lagoonVault)).toBe(lagoon);
    expect(adapterOf(centrifugeVault("sync"))).toBe(centrifuge);
    expect(centrifuge.asyncDeposits?.(centrifugeVault("sync"))).toBeNull();
    expect(centrifuge.asyncDeposits?.(centrifugeVault("async"))).toBe(centrifugeRequests);
  });

  test.each([
    [lagoon, "NotWhitelisted()", "not_allowed"],
    [lagoon, "ERC7540InvalidOperator()", "not_allowed"],
    [lagoon, "MaxCapReached()", "above_maximum"],
    [lagoon, "OnlyOneRequestAllowed()", "request_pending"],
    [lagoon, "OnlyAsyncDepositAllowed()", null],
    [lagoon, "SyncOperationNotAllowed()", "vault_paused"],
    [lagoon, "TotalAssetsExpired()", null],
    [centrifuge, "TransferNotAllowed()", "not_allowed"],
    [centrifuge, "ExceedsMaxDeposit()", "above_maximum"],
    [centrifuge, "VaultNotLinked()", "vault_paused"],
    [centrifuge, "InvalidPrice()", "price_stale"],
    [centrifuge, "TransferBlocked()", "not_allowed"],
    [centrifuge, "CancellationIsPending()", "request_pending"],
  ] as const)("%# are refused for what %s %s is", (adapter, signature, code) => {
    expect(adapter.explain?.(toFunctionSelector(signature))).toEqual({ code, text: signature.slice(0, -2) });
  });
});

const events = {
  deposit: "event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)",
  sync: "event DepositSync(address indexed sender, address indexed owner, uint256 assets, uint256 shares)",
  withdraw:
    "event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
  request:
    "event DepositRequest(address indexed controller, address indexed owner, uint256 indexed requestId, address sender, uint256 assets)",
} as const;
const values = {
  ...{ sender: OTHER, owner: USER, receiver: OTHER, controller: USER, assets: 5n, shares: 7n, requestId: 3n },
};
const at = (address: `0x${string}`, event: keyof typeof events) => eventLog(address, events[event], values);

describe("ERC-7540 flows", () => {
  const moved = { assets: 5n, shares: 7n };

  test("count claims and synchronous deposits, not requests", () => {
    const source = lagoon.flows(lagoonVault);
    const at0 = (event: keyof typeof events) => source.decode(at(vault.entryPoint, event));
    expect(at0("deposit")).toEqual({ kind: "deposit", user: USER, ...moved });
    expect(at0("sync")).toEqual({ kind: "deposit", user: USER, ...moved });
    expect(at0("withdraw")).toEqual({ kind: "withdrawal", user: USER, ...moved });
    expect(at0("request")).toBeNull();
    expect(source.topics).not.toContain(at(vault.entryPoint, "request").topics[0]);
    expect(source.decode(at(OTHER, "deposit"))).toBeNull();
    expect(source.decode({ ...at(vault.entryPoint, "deposit"), data: "0x" })).toBeNull();
  });

  test("read the owner first only in Centrifuge's synchronous Deposit event", () => {
    const userOf = (mode: string, event: keyof typeof events) =>
      centrifuge.flows(centrifugeVault(mode)).decode(at(vault.entryPoint, event))?.user;
    expect(userOf("sync", "deposit")).toBe(OTHER);
    expect(userOf("async", "deposit")).toBe(USER);
    expect(userOf("sync", "withdraw")).toBe(USER);
  });
});

describe("ERC-7540 asynchronous deposits", () => {
  const pending = (table: Record<string, unknown>) =>
    answer(erc7540Requests.pending(lagoonVault, { user: USER, requestIds: [] }), table);

  test.each([
    ["nothing", { pending: 0n, claimable: 0n, shares: 0n }, [0n, 0n, 0n]],
    ["one that waits", { pending: 5n, claimable: 0n, shares: 0n }, [5n, 0n, 0n]],
    ["one that is settled", { pending: 0n, claimable: 5n, shares: 7n }, [0n, 7n, 5n]],
    ["one that a paused vault keeps back", { pending: 0n, claimable: 5n, shares: 0n }, [0n, null, 5n]],
    ["nobody knows how many shares", { pending: 0n, claimable: 5n }, [0n, null, 5n]],
    ["nobody knows what", {}, [null, null, null]],
  ] as const)("of %s", (_, table, [pendingAssets, claimableShares, claimableAssets]) => {
    expect(pending(table)).toEqual({ pendingAssets, claimableShares, claimableAssets });
  });

  test("claim() claims all claimable assets for the user", () => {
    const abi = parseAbi(["function deposit(uint256 assets, address receiver, address controller)"]);
    const claim = (claimableAssets: bigint | null) =>
      erc7540Requests.claim(lagoonVault, {
        user: USER,
        pending: { pendingAssets: 0n, claimableShares: 7n, claimableAssets },
      });
    const call = claim(5n);
    expect(call?.target).toBe(vault.entryPoint);
    expect(decodeFunctionData({ abi, data: call?.data ?? "0x" }).args).toEqual([5n, USER, USER]);
    expect(claim(0n)).toBeNull();
    expect(claim(null)).toBeNull();
  });

  test("findRequest() finds the controller's request in a receipt", () => {
    const seen = (user: `0x${string}`, log: object) =>
      erc7540Requests.findRequest(lagoonVault, { user, logs: [log] as unknown as Log[] });
    expect(seen(USER, at(vault.entryPoint, "request"))).toEqual({ requestId: "3", assets: 5n });
    expect(seen(OTHER, at(vault.entryPoint, "request"))).toBeNull();
    expect(seen(USER, at(OTHER, "request"))).toBeNull();
  });
});

describe("Centrifuge asynchronous deposits", () => {
  const vaultOfIt = centrifugeVault("async");
  const pending = (table: Record<string, unknown>) =>
    answer(centrifugeRequests.pending(vaultOfIt, { user: USER, requestIds: [] }), { returned: 0n, ...table });

  test.each([
    ["one that waits", { pending: 5n, claimable: 0n, shares: 0n, permitted: true }, [5n, 0n, 0n]],
    ["one that is settled", { pending: 0n, claimable: 5n, shares: 7n, permitted: true }, [0n, 7n, 5n]],
    ["shares worth no unit", { pending: 0n, claimable: 0n, shares: 7n, permitted: true }, [0n, 7n, 0n]],
    ["who is no member now", { pending: 0n, claimable: 0n, shares: 0n, permitted: false }, [0n, null, null]],
    ["nobody knows what", { returned: undefined }, [null, null, null]],
  ] as const)("of %s", (_, table, [pendingAssets, claimableShares, claimableAssets]) => {
    expect(pending(table)).toEqual({ pendingAssets, claimableShares, claimableAssets });
  });

  test("claim() claims all claimable shares for the user", () => {
    const abi = parseAbi(["function mint(uint256 shares, address receiver, address controller)"]);
    const claim = (claimableShares: bigint | null) =>
      centrifugeRequests.claim(vaultOfIt, {
        user: USER,
        pending: { pendingAssets: 0n, claimableShares, claimableAssets: 5n },
      });
    const call = claim(7n);
    expect(call?.target).toBe(vault.entryPoint);
    expect(decodeFunctionData({ abi, data: call?.data ?? "0x" }).args).toEqual([7n, USER, USER]);
    expect(claim(0n)).toBeNull();
    expect(claim(null)).toBeNull();
  });
});
