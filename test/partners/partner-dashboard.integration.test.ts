import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHAIN_ID, vaultRow } from "../../scripts/bench/vault-row.ts";
import { startTestDeployment, type TestDeployment } from "../../scripts/stack/test-deployment.ts";
import { deposits } from "../../src/db/tables/deposit-tables.ts";
import { vaults } from "../../src/db/tables/vault-tables.ts";
import type { DepositState } from "../../src/schemas/deposit-schema.ts";
import type { WithdrawalState } from "../../src/schemas/withdrawal-schema.ts";
import { asSession, call, makePartner, type NewPartner } from "../support/partners/wallet.ts";

const VAULT = "0xbeef010f9cb27031ad51e3333f9af9c6b1228183";
const [USDC, DAI] = [
  "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
  "0x6b175474e89094c44da98b954eedeac495271d0f",
];
const [ALICE, BOB] = [`0x${"a".repeat(40)}`, `0x${"b".repeat(40)}`];

let causeway: TestDeployment;
let [a, b]: NewPartner[] = [];
let made = 0;
/** The last midnight of UTC, some milliseconds before the deposits: all of today's are of one day. */
const started = Math.floor(Date.now() / 86_400_000) * 86_400_000;

/** A tracked deposit; without `partner` it is only what somebody called it. */
async function deposit(of: {
  partner?: NewPartner | undefined;
  partnerId?: string;
  direction?: "deposit" | "withdrawal";
  state?: DepositState | WithdrawalState;
  user?: string;
  token?: string;
  chainId?: number;
  assets?: string | null;
  amount?: string;
  verified?: boolean;
  daysAgo?: number;
}): Promise<void> {
  made += 1;
  const createdAt = new Date(started - (of.daysAgo ?? 0) * 86_400_000 + made);
  await causeway.db.insert(deposits).values({
    trackingId: `trk_${made.toString(16).padStart(32, "0")}`,
    ref: `0x${made}`,
    direction: of.direction ?? "deposit",
    state: of.state ?? "completed",
    userAddress: of.user ?? ALICE,
    vaultChainId: 8453,
    vaultAddress: VAULT,
    shareToken: VAULT,
    fromChainId: of.chainId ?? 8453,
    fromToken: of.token ?? USDC,
    fromAmount: of.amount ?? "1000000",
    estimatedShares: "1",
    sourceTo: VAULT,
    sourceDataHash: "0x",
    partnerId: of.partnerId ?? of.partner?.partner_id ?? "",
    partnerAddress: of.partner?.address.toLowerCase() ?? null,
    partnerVerified: of.verified ?? false,
    referrer: `0x${"0".repeat(40)}`,
    history: [],
    ...(of.direction === "withdrawal" && {
      ...{
        mode: "instant",
        exitToken: of.token ?? USDC,
        assets: of.assets ?? null,
        toChainId: 8453,
        moveToken: USDC,
      },
    }),
    createdAt,
    updatedAt: createdAt,
    expiresAt: createdAt,
  });
}

const get = (path: string, partner: NewPartner | undefined) =>
  call(causeway, ["GET", path], { headers: asSession(partner?.session_token) });
/** Returns the UTC date of the day on which deposits of `days` ago were built. */
const dayBefore = (days: number) => new Date(started - days * 86_400_000).toISOString().slice(0, 10);
const HUGE = (2n ** 255n).toString();

/** Share tokens of two vaults, of which the first accepts the shares of the second. */
const [SHARES, ACCEPTED_SHARES] = [`0x${"1".repeat(40)}`, `0x${"2".repeat(40)}`] as const;

beforeAll(async () => {
  causeway = await startTestDeployment();
  const accepted = { address: ACCEPTED_SHARES, symbol: "ACC", decimals: 12 };
  await causeway.db.insert(vaults).values([
    {
      ...vaultRow({ number: 1, address: SHARES }),
      shareDecimals: 9,
      acceptedAssets: [accepted],
    },
    { ...vaultRow({ number: 2, address: ACCEPTED_SHARES }), shareDecimals: 12 },
  ]);
  [a, b] = await Promise.all([makePartner(causeway), makePartner(causeway)]);
  await deposit({ partner: a, verified: true, amount: HUGE });
  await deposit({ partner: a, user: BOB, amount: HUGE });
  await deposit({ partner: a, token: DAI, amount: "7", daysAgo: 40 });
  await deposit({ partner: a, state: "bridging", user: BOB });
  await deposit({ partner: a, state: "failed" });
  await deposit({ partner: a, state: "built" });
  await deposit({ partner: b, amount: "5" });
  // None of these is a deposit.
  await deposit({ partner: a, direction: "withdrawal", state: "cooling" });
  await deposit({ partner: a, direction: "withdrawal", state: "rejected", amount: HUGE });
  // Whoever says that they are A, without A's key.
  await deposit({ partnerId: a.partner_id, amount: "999" });
});
afterAll(() => causeway?.close());

describe("GET /v1/partners/dashboard", () => {
  test("counts the deposits built with the partner's keys, with volumes by token", async () => {
    expect(await get("/v1/partners/dashboard", a)).toEqual({
      status: 200,
      body: {
        partner_id: a?.partner_id,
        since: null,
        deposits: {
          built: 6,
          verified: 1,
          sent: 5,
          pending: 1,
          completed: 3,
          partial: 0,
          refunded: 0,
          failed: 1,
        },
        withdrawals: {
          built: 2,
          sent: 2,
          pending: 1,
          completed: 0,
          partial: 0,
          refunded: 0,
          cancelled: 0,
          failed: 1,
        },
        users: 2,
        success_rate: 0.75,
        volumes: [
          {
            chain_id: 8453,
            token_address: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
            symbol: "",
            decimals: null,
            deposits: 2,
            users: 2,
            amount: (2n ** 256n).toString(),
          },
          {
            chain_id: 8453,
            token_address: "0x6B175474E89094C44Da98b954EedeAC495271d0F",
            symbol: "",
            decimals: null,
            deposits: 1,
            users: 1,
            amount: "7",
          },
        ],
        withdrawn: [],
        days: [
          { date: dayBefore(40), deposits: 1, completed: 1, withdrawals: 0 },
          { date: dayBefore(0), deposits: 4, completed: 2, withdrawals: 2 },
        ],
      },
    });
  });

  test("filters by the number of past days", async () => {
    const { body } = await get("/v1/partners/dashboard?days=30", a);
    expect(body["volumes"]).toHaveLength(1);
    expect(body["days"]).toHaveLength(1);
    expect(Date.now() - Date.parse(String(body["since"]))).toBeGreaterThanOrEqual(30 * 86_400_000);
  });

  test("shows each partner only its own figures", async () => {
    const { body } = await get("/v1/partners/dashboard", b);
    expect(body).toMatchObject({ users: 1, success_rate: 1, volumes: [{ amount: "5" }] });
  });

  test("shows what vaults paid for completed withdrawals by token, without unknown amounts", async () => {
    const c = await makePartner(causeway);
    const withdrawal = { partner: c, direction: "withdrawal", amount: "3" } as const;
    await deposit({ ...withdrawal, assets: HUGE });
    await deposit({ ...withdrawal, assets: HUGE, user: BOB });
    await deposit({ ...withdrawal, user: BOB });
    await deposit({ ...withdrawal, assets: "7", token: DAI });
    await deposit({ ...withdrawal, assets: "9", state: "partial" });
    const { body } = await get("/v1/partners/dashboard", c);
    const unnamed = { chain_id: 8453, symbol: "", decimals: null };
    expect(body["withdrawn"]).toEqual([
      {
        ...{ ...unnamed, token_address: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913" },
        ...{ withdrawals: 3, users: 2, amount: (2n ** 256n).toString(), unknown: 1 },
      },
      {
        ...{ ...unnamed, token_address: "0x6B175474E89094C44Da98b954EedeAC495271d0F" },
        ...{ withdrawals: 1, users: 1, amount: "7", unknown: 0 },
      },
    ]);
    expect(body["volumes"]).toEqual([]);
  });

  test("shows the decimals of shares that moves were paid with, and the symbol of those that a vault accepts", async () => {
    const c = await makePartner(causeway);
    await deposit({ partner: c, token: SHARES, chainId: CHAIN_ID, amount: "7" });
    await deposit({ partner: c, token: ACCEPTED_SHARES, chainId: CHAIN_ID, amount: "8" });
    const { body } = await get("/v1/partners/dashboard", c);
    expect(body["volumes"]).toMatchObject([
      { symbol: "", decimals: 9, amount: "7" },
      { symbol: "ACC", decimals: 12, amount: "8" },
    ]);
  });

  test("is empty for a new partner, with a null success rate", async () => {
    const { body } = await get("/v1/partners/dashboard", await makePartner(causeway));
    expect(body).toMatchObject({
      users: 0,
      success_rate: null,
      volumes: [],
      days: [],
      deposits: { built: 0 },
    });
  });
});

describe("GET /v1/partners/transactions", () => {
  const all = async (partner: NewPartner | undefined, limit: number, query = "") => {
    const rows: Record<string, unknown>[] = [];
    let path: string | undefined = `/v1/partners/transactions?limit=${limit}${query}`;
    let pages = 0;
    while (path !== undefined) {
      const response: Response = await causeway.send(path, { headers: asSession(partner?.session_token) });
      rows.push(...((await response.json()) as Record<string, unknown>[]));
      path = /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
      pages += 1;
    }
    return { pages, rows };
  };

  test("lists only what the partner's own key built, newest first, for every page limit", async () => {
    const whole = await all(a, 100);
    expect(whole.rows).toHaveLength(8);
    const times = whole.rows.map((row) => String(row["created_at"]));
    expect(times).toEqual([...times].sort().reverse());
    for (const limit of [1, 2, 5, 8]) {
      const paged = await all(a, limit);
      expect([paged.pages, paged.rows]).toEqual([Math.ceil(8 / limit), whole.rows]);
    }
    expect(whole.rows.filter((row) => row["verified"] === true)).toHaveLength(1);
  });

  test("tells deposits and withdrawals apart, and lists either alone on every page", async () => {
    const { rows } = await all(a, 100);
    const of = (direction: string) => rows.filter((row) => row["direction"] === direction);
    expect([of("deposit").length, of("withdrawal").length]).toEqual([6, 2]);
    expect(of("withdrawal")[0]).toMatchObject({ state: "rejected", status: "FAILED", mode: "instant" });
    for (const direction of ["deposit", "withdrawal"])
      expect((await all(a, 1, `&direction=${direction}`)).rows).toEqual(of(direction));
    const headers = asSession(a?.session_token);
    const wrong = await causeway.send("/v1/partners/transactions?direction=both", { headers });
    expect(wrong.status).toBe(422);
  });

  test("never shows one partner's deposits to another, not even with a foreign cursor", async () => {
    const first = await causeway.send("/v1/partners/transactions?limit=1", {
      headers: asSession(a?.session_token),
    });
    const next = /<([^>]+)>/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
    const mine = new Set((await all(a, 100)).rows.map((row) => row["tracking_id"]));
    const { body } = await get(next, b);
    const seen = [...(await all(b, 100)).rows, ...((body["rows"] as Record<string, unknown>[]) ?? [])];
    expect(seen.length).toBeGreaterThan(0);
    for (const row of seen) expect(mine.has(row["tracking_id"])).toBe(false);
  });

  test("answers 422 for an invalid cursor", async () => {
    const headers = asSession(a?.session_token);
    const response = await causeway.send("/v1/partners/transactions?cursor=abc", { headers });
    expect([response.status, await response.json()]).toEqual([
      422,
      {
        detail: [
          {
            loc: ["query", "cursor"],
            msg: "not a cursor of this listing: take it from the `Link` header of the page before",
            type: "custom",
          },
        ],
      },
    ]);
  });
});
