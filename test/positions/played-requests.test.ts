import type { Address } from "viem";
import { describe, expect, test } from "vitest";
import { requestDateOf } from "../../src/vaults/families/upshift/upshift-requests.ts";
import type { Vault } from "../../src/vaults/vault.ts";
import { NOW, OTHER, USER, VAULT, vault } from "../support/deposits/fixtures.ts";
import { playPosition } from "../support/positions/played-position.ts";
import { eventLog } from "../support/vaults/answer.ts";

/** One share is a unit of both, so that a price is a multiple of it. */
const UNIT = 10n ** 6n;
const units = (count: bigint): bigint => count * UNIT;
const base: Vault = { ...vault, shareDecimals: 6 };

const log = (signature: string, values: Readonly<Record<string, unknown>>) =>
  eventLog(VAULT, `event ${signature}`, values);
const deposited = log(
  "Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)",
  { ...{ sender: USER, owner: USER }, assets: units(1_000n), shares: units(1_000n) },
);
/** A claim of `shares` for `assets`. */
const claimed = (assets: bigint, shares: bigint) =>
  log(
    "Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
    { ...{ sender: USER, receiver: USER, owner: USER }, assets: units(assets), shares: units(shares) },
  );

/** A price in hundredths, and shares that are left in the wallet. */
const wallet = (shares: bigint, cents: bigint) => ({
  shares: units(shares),
  assets: (units(shares) * cents) / 100n,
});
const earning = (assets: bigint) => ({ basis: "explained", earned: units(assets) });

describe.each([
  ["Accountable", { adapter: "accountable" }],
  ["Centrifuge", { adapter: "centrifuge", params: { deposit: "async" } }],
])("a request at %s that is paid in parts while the price falls", (_name, family) => {
  const at: Vault = { ...base, ...family };
  const views = (of: { waiting: bigint; ready: bigint; assets: bigint; cents: bigint }) => ({
    ...{ asset: at.asset.address, price: (UNIT * of.cents) / 100n, finePrice: (UNIT * of.cents) / 100n },
    ...{ pending: units(of.waiting), claimable: units(of.ready), assets: units(of.assets) },
    ...{ payable: units(of.assets), manager: OTHER, record: [0n, 0n], cancelling: false, returned: 0n },
  });

  test("is worth its price until a part is settled, and that part its payment", async () => {
    const asked = { waiting: 400n, ready: 0n, assets: 0n };
    for (const [cents, earned] of [
      [100n, 0n],
      [110n, 100n],
      [90n, -100n],
    ] as const) {
      const seen = { logs: [deposited], held: wallet(600n, cents), views: views({ ...asked, cents }) };
      expect(await playPosition(at, seen)).toMatchObject(earning(earned));
    }
    // 100 shares are settled at 1.1, before the price falls to 0.5.
    const settled = views({ waiting: 300n, ready: 100n, assets: 110n, cents: 50n });
    const part = { logs: [deposited], held: wallet(600n, 50n), views: settled };
    expect(await playPosition(at, part)).toMatchObject(earning(110n + 150n + 300n - 1_000n));
  });

  test("is worth nothing where a claim has left less than the vault pays", async () => {
    const logs = [deposited, claimed(399n, 399n)];
    const left = (shares: bigint) => ({
      ...views({ waiting: 0n, ready: 0n, assets: 0n, cents: 100n }),
      claimable: shares,
    });
    const dust = { logs, held: { shares: units(601n) - 1n, assets: units(601n) - 1n }, views: left(1n) };
    expect(await playPosition(at, dust)).toMatchObject({ basis: "explained", earned: -1n });
    // A vault that is paused pays nothing of what is worth more.
    const paused = { logs, held: wallet(600n, 100n), views: left(units(1n)) };
    expect(await playPosition(at, paused)).toMatchObject({ current: null, earned: null });
    // Nor does it show what was settled before the price fell to nothing.
    const settled = views({ waiting: 0n, ready: 100n, assets: 0n, cents: 0n });
    const worthless = { logs: [deposited], held: wallet(900n, 0n), views: settled };
    expect(await playPosition(at, worthless)).toMatchObject({ current: null, earned: null });
  });

  test("keeps what it has lost or gained once its parts are claimed", async () => {
    const first = [deposited, claimed(110n, 100n)];
    const half = views({ waiting: 300n, ready: 0n, assets: 0n, cents: 50n });
    const seen = await playPosition(at, { logs: first, held: wallet(600n, 50n), views: half });
    expect(seen).toMatchObject({ ...earning(-440n), deposited: units(890n) });
    const none = views({ waiting: 0n, ready: 0n, assets: 0n, cents: 50n });
    const all = { logs: [...first, claimed(150n, 300n)], held: wallet(600n, 50n), views: none };
    expect(await playPosition(at, all)).toMatchObject({ ...earning(-440n), deposited: units(740n) });
  });
});

const requestedBy = {
  upshift: (shares: bigint, receiver: Address, holder = USER) =>
    log("WithdrawalRequested(uint256 shares, address indexed holderAddr, address indexed receiverAddr)", {
      shares: units(shares),
      holderAddr: holder,
      receiverAddr: receiver,
    }),
  upshift_legacy: (shares: bigint, receiver: Address, holder = USER) =>
    log(
      "WithdrawalRequested(address indexed owner, address indexed receiver, uint256 shares, uint256 assets, uint256 fee, uint256 year, uint256 month, uint256 day)",
      {
        ...{ owner: holder, receiver, shares: units(shares), assets: units(shares) },
        ...{ fee: 0n, year: 2026n, month: 1n, day: 2n },
      },
    ),
} as const;
const paid = {
  upshift: (assets: bigint) =>
    log("WithdrawalProcessed(uint256 assetsAmount, address indexed receiverAddr)", {
      ...{ assetsAmount: units(assets), receiverAddr: USER },
    }),
  upshift_legacy: (assets: bigint) =>
    log(
      "WithdrawalProcessed(uint256 assetsAmount, uint256 processedOn, address receiverAddr, uint256 requestedOn)",
      { assetsAmount: units(assets), processedOn: 2n, receiverAddr: USER, requestedOn: 1n },
    ),
} as const;
const depositedAt = {
  upshift: log(
    "Deposit(address assetIn, uint256 amountIn, uint256 shares, address indexed senderAddr, address indexed receiverAddr)",
    {
      ...{ assetIn: vault.asset.address, amountIn: units(1_000n), shares: units(1_000n) },
      ...{ senderAddr: USER, receiverAddr: USER },
    },
  ),
  upshift_legacy: deposited,
} as const;

describe.each(["upshift", "upshift_legacy"] as const)("requests at %s on two days", (adapter) => {
  const at: Vault = { ...base, adapter };
  const [today, tomorrow] = [requestDateOf(NOW), requestDateOf(NOW + 86_400_000)];
  /** Answers for each day's shares; a vault that fixes the payment at the request tells it. */
  const views = (open: Readonly<Record<string, bigint>>, cents: bigint) => {
    const worth = (shares: bigint) => (units(shares) * cents) / 100n;
    const days = Object.keys({ [today]: 0, [tomorrow]: 0 }).map((day) => [day, open[day] ?? 0n] as const);
    const others = Array.from({ length: 60 }, (_, day) => requestDateOf(NOW + (day - 20) * 86_400_000));
    return {
      ...{ hour: 0n, price: worth(1n) },
      ...Object.fromEntries(others.map((day) => [`dates/${day}/shares`, 0n])),
      ...Object.fromEntries(days.map(([day, shares]) => [`dates/${day}/shares`, units(shares)])),
      ...Object.fromEntries(
        days.map(([day, shares]) => [`${day}/fixed`, adapter === "upshift" ? 0n : units(shares)]),
      ),
      ...Object.fromEntries(days.map(([day, shares]) => [`${day}/preview`, [worth(shares), worth(shares)]])),
    };
  };
  const asked = [depositedAt[adapter], requestedBy[adapter](100n, USER), requestedBy[adapter](300n, USER)];

  test("are worth what they will pay, and keep what they lost once one and the other are paid", async () => {
    const both = { [today]: 100n, [tomorrow]: 300n };
    const even = { logs: asked, held: wallet(600n, 100n), views: views(both, 100n) };
    expect(await playPosition(at, even)).toMatchObject(earning(0n));
    // What the request fixes does not fall with the price.
    const open = adapter === "upshift" ? 150n : 300n;
    const first = [...asked, paid[adapter](90n)];
    const part = { logs: first, held: wallet(600n, 50n), views: views({ [tomorrow]: 300n }, 50n) };
    expect(await playPosition(at, part)).toMatchObject(earning(90n + open + 300n - 1_000n));
    const all = { logs: [...first, paid[adapter](open)], held: wallet(600n, 50n), views: views({}, 50n) };
    expect(await playPosition(at, all)).toMatchObject(earning(90n + open + 300n - 1_000n));
  });

  test("do not look like a loss if another account is to receive the payment", async () => {
    const logs = [depositedAt[adapter], requestedBy[adapter](400n, OTHER)];
    const given = { logs, held: wallet(600n, 100n), views: views({}, 100n) };
    expect(await playPosition(at, given)).toMatchObject({ basis: "transferred", earned: null });
  });

  test("that others have made for the user are no gain", async () => {
    const logs = [depositedAt[adapter], requestedBy[adapter](100n, USER, OTHER)];
    const open = { ...views({ [today]: 100n }, 100n), preview: [units(100n), units(100n)] };
    const given = { logs, held: wallet(1_000n, 100n), views: open };
    expect(await playPosition(at, given)).toMatchObject({ ...earning(0n), deposited: units(1_100n) });
    const ended = { ...views({}, 100n), preview: [units(100n), units(100n)] };
    const after = { logs: [...logs, paid[adapter](100n)], held: wallet(1_000n, 100n), views: ended };
    expect(await playPosition(at, after)).toMatchObject({ ...earning(0n), deposited: units(1_000n) });
  });
});

test.each(["upshift", "upshift_legacy"] as const)(
  "requests of others at %s are no loss while they stay unpaid for long",
  async (adapter) => {
    const at: Vault = { ...base, adapter };
    const asked = requestedBy[adapter](100n, USER, OTHER);
    const [day, now] = ["2026-01-02", NOW + 40 * 86_400_000];
    const read = Array.from({ length: 60 }, (_, index) => requestDateOf(now + (index - 20) * 86_400_000));
    const views = {
      ...{ hour: 0n, price: UNIT, preview: [units(100n), units(100n)], [`${day}/fixed`]: units(100n) },
      ...Object.fromEntries([...read, day].map((date) => [`dates/${date}/shares`, 0n])),
      [`${day}/preview`]: [units(100n), units(100n)],
    };
    expect(read).not.toContain(day);
    const played = { logs: [depositedAt[adapter], asked], held: wallet(1_000n, 100n), now };
    const open = { ...views, [`dates/${day}/shares`]: units(100n) };
    expect(await playPosition(at, { ...played, views: open })).toMatchObject({
      ...{ ...earning(0n), current: units(1_100n), deposited: units(1_100n) },
    });
    const logs = [...played.logs, paid[adapter](100n)];
    expect(await playPosition(at, { ...played, logs, views })).toMatchObject({
      ...{ ...earning(0n), deposited: units(1_000n) },
    });
  },
);
