import { zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { Api, type BuildBody } from "../../support/e2e/api.ts";
import { addressOf, chainOf, newUser, tokenOn, vaultNamed } from "../../support/e2e/chain.ts";
import { countDeposits } from "../../support/e2e/database.ts";
import { bodyFor } from "../../support/e2e/deposit.ts";
import { findingsOf, problemOf } from "../../support/e2e/http.ts";
import { normalise } from "../../support/e2e/normalise.ts";

const api = new Api();
const ANYBODY = "0x00000000000000000000000000000000000A11cE";
const NO_TOKEN = "0x00000000000000000000000000000000000B0b01";
const good = bodyFor(vaultNamed("Plain USDC"), { user: ANYBODY });
const bodyOf = (name: string, amount?: bigint): BuildBody =>
  bodyFor(vaultNamed(name), amount === undefined ? { user: ANYBODY } : { user: ANYBODY, amount });

/** Both routes refuse alike, and a refused build leaves no record. */
async function refused(body: BuildBody): Promise<unknown> {
  const rows = await countDeposits();
  const [quote, build] = [await api.refusal(body, "/v1/quote"), await api.refusal(body)];
  expect(await countDeposits()).toBe(rows);
  const comparable = ({ request_id: _, ...rest }: typeof build) => rest;
  expect(comparable(quote)).toEqual(comparable(build));
  return normalise(comparable(build));
}

describe("build refusals by the vault", () => {
  test("vault paused on chain", async () => {
    expect(await refused(bodyOf("Paused USDC"))).toMatchInlineSnapshot(`
      {
        "code": "vault_paused",
        "detail": "Paused USDC does not accept deposits now",
        "reason": "the vault's contract rejects deposits",
        "status": 409,
        "title": "Vault paused",
        "type": "/docs/errors#vault_paused",
      }
    `);
  });

  test("vault paused in the registry", async () => {
    expect(await refused(bodyOf("Suspended USDC"))).toMatchInlineSnapshot(`
      {
        "code": "vault_paused",
        "detail": "Suspended USDC does not accept deposits now",
        "reason": "suspended by the operator",
        "status": 409,
        "title": "Vault paused",
        "type": "/docs/errors#vault_paused",
      }
    `);
  });

  test("vault at its deposit cap", async () => {
    expect(await refused(bodyOf("Full USDC", 1n))).toMatchInlineSnapshot(`
      {
        "code": "above_maximum",
        "detail": "Full USDC does not accept this amount now",
        "max_deposit": "0",
        "status": 400,
        "title": "Above the vault's maximum",
        "type": "/docs/errors#above_maximum",
      }
    `);
  });

  test("amount above the maximum deposit", async () => {
    expect(await refused(bodyOf("Limited Prime USDC", 10_000_000_001n))).toMatchObject({
      status: 400,
      code: "above_maximum",
      max_deposit: expect.stringMatching(/^[1-9]\d*$/),
    });
  });

  test("amount below the minimum deposit", async () => {
    expect(await refused(bodyOf("Minimum USDC", 99_999_999n))).toMatchInlineSnapshot(`
      {
        "code": "below_minimum",
        "detail": "Minimum USDC accepts only larger deposits",
        "min_deposit": "100000000",
        "status": 400,
        "title": "Below the vault's minimum",
        "type": "/docs/errors#below_minimum",
      }
    `);
  });

  test("amount that mints zero shares", async () => {
    expect(await refused(bodyOf("Dust WETH", 10n ** 18n))).toMatchInlineSnapshot(`
      {
        "code": "zero_shares",
        "detail": "Dust WETH would mint no shares for this amount",
        "status": 400,
        "title": "The deposit would mint no shares",
        "type": "/docs/errors#zero_shares",
      }
    `);
  });

  test("inflated share price", async () => {
    expect(await refused(bodyOf("Inflated USDC"))).toMatchInlineSnapshot(`
      {
        "code": "price_unsafe",
        "detail": "the shares that Inflated USDC would mint are worth less than the deposit by more than the slippage, which counts as 3% at most",
        "status": 400,
        "subject": "vault",
        "title": "Unsafe price",
        "type": "/docs/errors#price_unsafe",
      }
    `);
  });

  test.each([1n, 500_000_000n, 1_500_000_001n])("inflated share price for %s units", async (amount) => {
    const problem = await refused(bodyOf("Inflated USDC", amount));
    expect(["zero_shares", "price_unsafe"]).toContain((problem as { code: string }).code);
  });

  test("amount above any vault's capacity", async () => {
    for (const name of [
      "Plain USDC",
      "Local Prime USDC",
      "Solid WETH",
      "Members USDC",
      "Toll FEE",
      "Plain USDT",
    ]) {
      for (const amount of [2n ** 256n - 1n, 2n ** 255n, 2n ** 128n, 2n ** 96n]) {
        const answer = await api.send("/v1/quote/build", { body: bodyOf(name, amount) });
        expect([200, 400], `${name} ${amount}: ${answer.text}`).toContain(answer.status);
        if (answer.status === 400) {
          expect(["would_revert", "above_maximum", "price_unsafe", "zero_shares"]).toContain(
            problemOf(answer).code,
          );
        }
      }
    }
  });

  test("native amount without room for gas; the next request succeeds", async () => {
    const body = (amount: bigint): BuildBody => ({
      ...bodyOf("Local Prime WETH", amount),
      from_token: zeroAddress,
    });
    for (const amount of [2n ** 256n - 1n, 2n ** 256n - 10n ** 20n]) {
      expect(await refused(body(amount))).toMatchObject({ status: 400, code: "above_maximum" });
    }
    expect((await api.build(body(10n ** 15n))).transaction_request.value).toBe(String(10n ** 15n));
  });
});

describe("unsupported requests", () => {
  test("vault marked unsupported", async () => {
    expect(await refused(bodyOf("Unlisted USDC"))).toMatchObject({ status: 404, code: "vault_not_found" });
  });

  test.each([
    ["an unknown vault", { vault_id: "31337:0x00000000000000000000000000000000000000ff" }],
    [
      "a vault of a chain that is not served",
      { vault_id: "8453:0x00000000000000000000000000000000000000ff" },
    ],
    ["a vault on the wrong chain", { vault_id: `31338:${addressOf(vaultNamed("Plain USDC"))}` }],
    ["a chain id beyond any", { vault_id: "9007199254740991:0x00000000000000000000000000000000000000ff" }],
  ])("%s", async (_name, change) => {
    expect(await refused({ ...good, ...change })).toMatchObject({ status: 404, code: "vault_not_found" });
  });

  test.each([1, 8453, 31339, 2_147_483_648, 9_007_199_254_740_991])(
    "source chain %s",
    async (from_chain_id) => {
      expect(await refused({ ...good, from_chain_id })).toMatchObject({
        status: 400,
        code: "chain_unsupported",
      });
    },
  );

  test("token without a swap route", async () => {
    const body = { ...good, from_token: tokenOn(chainOf(31337), "FEE") };
    expect(await refused(body)).toMatchInlineSnapshot(`
      {
        "code": "no_route",
        "detail": "the provider does not support this token or chain: use another token",
        "reasons": [
          {
            "code": "token_unknown",
            "detail": "the provider does not support this token or chain: use another token",
          },
        ],
        "status": 400,
        "title": "No route",
        "type": "/docs/errors#no_route",
      }
    `);
  });

  test("address that is not a token", async () => {
    for (const from_chain_id of [31337, 31338]) {
      const body = { ...good, from_chain_id, from_token: NO_TOKEN };
      expect(await refused(body)).toMatchObject({ status: 400, code: "token_unsupported" });
    }
  });

  test("token without a bridge route", async () => {
    const body = { ...good, from_chain_id: 31338, from_token: tokenOn(chainOf(31338), "FEE") };
    expect(await refused(body)).toMatchInlineSnapshot(`
      {
        "code": "no_route",
        "detail": "the provider does not support this token or chain: use another token",
        "reasons": [
          {
            "code": "token_unknown",
            "detail": "the provider does not support this token or chain: use another token",
          },
          {
            "code": "asset_unsupported",
            "detail": "the bridge only delivers the same asset that it receives",
          },
        ],
        "status": 400,
        "title": "No route",
        "type": "/docs/errors#no_route",
      }
    `);
  });

  test("parent_tracking_id of another user's deposit", async () => {
    const [user, other] = [await newUser(chainOf(31337)), await newUser(chainOf(31337))];
    const parent = await api.build({ ...good, user_address: other.address });
    const own = await api.build({ ...good, user_address: user.address });
    const with_ = (parent_tracking_id: string) => ({
      ...good,
      user_address: user.address,
      parent_tracking_id,
    });
    const expected = { status: 404, code: "deposit_not_found" };
    expect(await refused(with_(parent.tracking_id))).toMatchObject(expected);
    expect(await refused(with_(`trk_${"0".repeat(32)}`))).toMatchObject(expected);
    const child = await api.build(with_(own.tracking_id));
    expect(await api.deposit(child.tracking_id)).toMatchObject({ parent_tracking_id: own.tracking_id });
  });
});

describe("invalid input returns 422 with every finding", () => {
  const cases: readonly (readonly [name: string, change: Record<string, unknown>, findings: string[]])[] = [
    ["the zero address as user", { user_address: `0x${"0".repeat(40)}` }, ["body.user_address"]],
    [
      "a wrong checksum",
      { user_address: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02914" },
      ["body.user_address"],
    ],
    ["no user", { user_address: undefined }, ["body.user_address"]],
    ["a slippage of zero", { slippage: 0 }, ["body.slippage"]],
    ["a negative slippage", { slippage: -0.01 }, ["body.slippage"]],
    ["a slippage above a half", { slippage: 0.5000001 }, ["body.slippage"]],
    ["a slippage in words", { slippage: "0.03" }, ["body.slippage"]],
    ["a member nobody knows", { slipage: 0.01 }, ["body.slipage"]],
    ["an amount of zero", { from_amount: "0" }, ["body.from_amount"]],
    ["an amount with a leading zero", { from_amount: "01" }, ["body.from_amount"]],
    ["a negative amount", { from_amount: "-1" }, ["body.from_amount"]],
    ["a fraction", { from_amount: "1.5" }, ["body.from_amount"]],
    ["an exponent", { from_amount: "1e6" }, ["body.from_amount"]],
    ["an amount in hex", { from_amount: "0x10" }, ["body.from_amount"]],
    ["an amount as a number", { from_amount: 1_000_000 }, ["body.from_amount"]],
    ["an amount of 2^256", { from_amount: String(2n ** 256n) }, ["body.from_amount"]],
    ["79 digits", { from_amount: "9".repeat(79) }, ["body.from_amount"]],
    ["a line break after the amount", { from_amount: "1\n" }, ["body.from_amount"]],
    ["a chain id as text", { from_chain_id: "31337" }, ["body.from_chain_id"]],
    ["chain 0", { from_chain_id: 0 }, ["body.from_chain_id"]],
    ["half a chain", { from_chain_id: 1.5 }, ["body.from_chain_id"]],
    ["a chain id that is no safe integer", { from_chain_id: 2 ** 53 }, ["body.from_chain_id"]],
    ["a vault id without chain", { vault_id: `0x${"1".repeat(40)}` }, ["body.vault_id"]],
    ["a vault id with chain 0", { vault_id: `0:0x${"1".repeat(40)}` }, ["body.vault_id"]],
    ["a token by name", { from_token: "USDC" }, ["body.from_token"]],
    ["an unknown bridge", { preferred_bridge: "hop" }, ["body.preferred_bridge"]],
    ["a partner type beyond 2", { partner_type: 3 }, ["body.partner_type"]],
    ["a long partner id", { partner_id: "x".repeat(65) }, ["body.partner_id"]],
    ["a long handle", { referrer_handle: "x".repeat(65) }, ["body.referrer_handle"]],
    ["a referrer that is none", { referrer: "me" }, ["body.referrer"]],
    ["a parent that is no id", { parent_tracking_id: "trk_1" }, ["body.parent_tracking_id"]],
    ["two at once", { slippage: 2, from_amount: "x" }, ["body.from_amount", "body.slippage"]],
    [
      "everything",
      { ...nothing() },
      ["body.from_chain_id", "body.from_token", "body.from_amount", "body.vault_id", "body.user_address"],
    ],
  ];

  test.each(cases)("%s", async (_name, change, findings) => {
    for (const path of ["/v1/quote", "/v1/quote/build"]) {
      const answer = await api.send(path, { body: { ...good, ...change } });
      expect(findingsOf(answer).sort()).toEqual([...findings].sort());
    }
  });
});

function nothing() {
  return { from_chain_id: null, from_token: null, from_amount: null, vault_id: null, user_address: null };
}

describe("unusual but valid input", () => {
  const { vault_id: id, from_token: token } = good;
  const [chain = "", address = ""] = id.split(":");
  test.each<[string, Record<string, unknown>]>([
    ["the smallest slippage", { slippage: 1e-9 }],
    ["the largest slippage", { slippage: 0.5 }],
    ["a vault id in upper case", { vault_id: `${chain}:0x${address.slice(2).toUpperCase()}` }],
    ["a vault id with %3A", { vault_id: `${chain}%3A${address}` }],
    ["a token in lower case", { from_token: token.toLowerCase() }],
    ["a token in upper case", { from_token: `0x${token.slice(2).toUpperCase()}` }],
    ["a preferred bridge where none is needed", { preferred_bridge: "across" }],
    ["optional members that are null", { slippage: null, parent_tracking_id: null, preferred_bridge: null }],
    [
      "64 characters of partner",
      { partner_id: "€".repeat(64), partner_type: 2, referrer_handle: "x".repeat(64) },
    ],
  ])("%s", async (_name, change) => {
    const built = await api.build({ ...good, ...change });
    expect(built.tracking).toEqual({
      from_chain_id: 31337,
      to_chain_id: 31337,
      bridge: null,
      router_explorer: null,
    });
    expect(built).toMatchObject({ two_step: false, deposit_tx: null });
  });

  test("sets the floor by the smaller of slippage and 0.5 %", async () => {
    for (const [slippage, parts] of [
      [0.5, 5_000n],
      [0.005, 5_000n],
      [0.001, 1_000n],
      [0.000001, 1n],
    ] as const) {
      const { estimate } = await api.build({ ...good, slippage });
      const estimated = BigInt(estimate.estimated_shares);
      expect(BigInt(estimate.min_shares ?? "0")).toBe(estimated - ceilDiv(estimated * parts, 1_000_000n));
    }
  });
});

const ceilDiv = (a: bigint, b: bigint): bigint => (a + b - 1n) / b;
