import { zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import type { WithdrawInput } from "../../src/schemas/withdraw-build-schema.ts";
import type { Vault } from "../../src/vaults/vault.ts";
import {
  exitsOf,
  exitTokensFor,
  matchesRequestedMode,
  resolveWithdrawal,
} from "../../src/withdrawals/withdrawal-order.ts";
import {
  OTHER,
  REF,
  TRACKING_ID,
  USDC,
  USER,
  VAULT,
  vault,
  WETH,
  wethVault,
} from "../support/deposits/fixtures.ts";
import { away, clientOf, exitsFor, familyVault, home } from "../support/withdrawals/fixtures.ts";
import { createWithdrawalFixture, inputOf } from "../support/withdrawals/withdrawing.ts";

async function resolved(change: Record<string, unknown> = {}, from: Vault = vault) {
  const { ctx } = await createWithdrawalFixture();
  return resolveWithdrawal(
    { ...ctx, randomId: () => TRACKING_ID.slice(4) },
    { input: inputOf(change), vault: from },
  );
}
const codeOf = (change: Record<string, unknown>, from?: Vault) =>
  resolved(change, from).then(
    () => "none",
    (error: { code: string }) => error.code,
  );

describe("resolveWithdrawal()", () => {
  test("pays all shares in the asset on the vault's chain by default", async () => {
    expect(await resolved()).toMatchObject({
      ...{ user: USER, shares: "all", slippage: 0.005, mode: "auto", preferredBridge: null, routed: true },
      ...{ to: { chainId: home.chainId, token: USDC }, trackingId: TRACKING_ID, ref: REF, signed: false },
      authorize: { way: "approve", submitter: USER },
    });
  });

  test("tolerates more where a swap follows, and what the user says in any case", async () => {
    expect(await resolved({ to_token: WETH })).toMatchObject({ slippage: 0.03, to: { token: WETH } });
    expect(await resolved({ to_token: WETH, slippage: 0.01 })).toMatchObject({ slippage: 0.01 });
    expect(await resolved({ to_token: zeroAddress }, wethVault)).toMatchObject({ slippage: 0.005 });
  });

  test("takes either name of the native currency", async () => {
    const alias = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE";
    expect((await resolved({ to_token: alias })).to.token).toBe(zeroAddress);
  });

  test("names the modes of a vault as a request must ask for them", async () => {
    const delayed = familyVault("veda", { teller: "d", delayed_withdraw: OTHER });
    await expect(resolved({ mode: "instant" }, delayed)).rejects.toThrow(/pays by: request \(a cooldown\)$/);
    await expect(resolved({ mode: "request" })).rejects.toThrow(/pays by: instant$/);
  });

  test("ignores that a vault is paused for deposits", async () => {
    expect(await codeOf({}, { ...vault, status: "paused" })).toBe("none");
  });

  test.each<[string, Partial<Record<keyof WithdrawInput, unknown>>]>([
    ["chain_unsupported", { to_chain_id: 999_999, to_token: OTHER }],
    ["token_unsupported", { to_token: VAULT }],
    ["mode_unsupported", { mode: "request" }],
  ])("refuses with %s: %o", async (code, change) => {
    expect(await codeOf(change)).toBe(code);
  });
});

describe("exitsOf()", () => {
  test("returns the family's withdrawals, or refuses a vault without any", () => {
    expect(exitsOf(vault).modes(vault)).toEqual(["instant"]);
    const closed = familyVault("veda");
    expect(() => exitsOf(closed)).toThrow(expect.objectContaining({ code: "mode_unsupported" }));
    expect(() => exitsOf(closed)).toThrow("are not supported by this service: use the protocol's own site");
  });
});

test.each([
  ["instant", "auto", true],
  ["cooldown", "auto", true],
  ["instant", "instant", true],
  ["request", "instant", false],
  ["instant", "request", false],
  ["cooldown", "request", true],
] as const)("matchesRequestedMode(): a vault's mode %s for %s is %s", (mode, asked, wanted) => {
  expect(matchesRequestedMode(mode, asked)).toBe(wanted);
});

describe("exitTokensFor()", () => {
  const to = { client: clientOf(home), chainId: home.chainId };
  const paidFor = (from: Vault, token: `0x${string}`, chain = to) =>
    exitTokensFor({ exits: exitsFor(from), vault: from, mode: "instant", to: { ...chain, token } })[0];

  test("names the requested token if the vault pays it", () => {
    expect(paidFor(vault, USDC)).toEqual({ token: vault.asset, pays: true });
  });

  test("unwraps the wrapped native token on the vault's chain only", () => {
    expect(paidFor(wethVault, zeroAddress)).toEqual({ token: wethVault.asset, pays: true });
    const elsewhere = { client: clientOf(away), chainId: away.chainId };
    expect(paidFor(wethVault, zeroAddress, elsewhere)).toEqual({ token: wethVault.asset, pays: false });
  });

  test("pays the vault's own token for any other, also for the same address on another chain", () => {
    expect(paidFor(vault, WETH)).toEqual({ token: vault.asset, pays: false });
    const elsewhere = { client: clientOf(away), chainId: away.chainId };
    expect(paidFor(vault, USDC, elsewhere)).toEqual({ token: vault.asset, pays: false });
  });
});
