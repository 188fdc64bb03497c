import { type Address, encodeFunctionData, zeroAddress } from "viem";
import {
  mellowOracleAbi,
  mellowShareManagerAbi,
  mellowSyncRedeemQueueAbi,
  mellowVaultAbi,
} from "#stand-ins/mellow";
import type { Family, Placed, State } from "../../support/conformance/vaults/family.ts";
import { deployMellow, reportPrice } from "../../support/conformance/vaults/mellow-stand-in.ts";
import { set } from "../../support/conformance/vaults/standard.ts";
import { conformance } from "../../support/conformance/vaults/suite.ts";

const ONE = 10n ** 18n;
/** Shares that the stand-in minted without a deposit. */
const SEEDED = 100_000n * ONE;
const part = (placed: Placed, name: string): Address => placed.parts[name] ?? zeroAddress;

const onVault = (name: string, ...args: readonly unknown[]) => ({
  enter: (placed: Placed) => set(placed, { abi: mellowVaultAbi, name, args }),
});
const onShares = (name: string, ...args: readonly unknown[]) => ({
  enter: (placed: Placed) =>
    set(placed, { abi: mellowShareManagerAbi, name, args, on: part(placed, "shares") }),
});
/** A report of the asset: its price, its time in seconds, and whether it is suspicious. */
const report = (price: bigint, time: bigint | null, suspicious: boolean) => ({
  enter: async (placed: Placed) => {
    const at = time ?? (await placed.world.client.getBlock()).timestamp;
    const args = [placed.asset.address, price, at, suspicious];
    await set(placed, { abi: mellowOracleAbi, name: "submit", args, on: part(placed, "oracle") });
  },
});

const sharesOf = (placed: Placed): Promise<bigint> =>
  placed.world.client.readContract({
    address: part(placed, "shares"),
    abi: mellowShareManagerAbi,
    functionName: "totalShares",
  });

const worth = (placed: Placed, shares: bigint): bigint => (shares * ONE) / reportPrice(placed.asset.decimals);

/** What the RiskManager leaves of all there can be; its balance knows nothing of what nobody deposited. */
const room = (placed: Placed, shares: bigint): bigint => worth(placed, 2n ** 255n - 1n - (shares - SEEDED));

const common = {
  adapter: "mellow",
  type: "lido",
  worth: async (placed, shares) => worth(placed, shares),
  async shown(placed) {
    const shares = await sharesOf(placed);
    const price =
      (ONE * ONE * ONE) / (reportPrice(placed.asset.decimals) * 10n ** BigInt(placed.asset.decimals));
    return {
      total_supply: String(shares),
      total_assets: String(worth(placed, shares)),
      share_price: String(price),
      max_deposit: String(room(placed, shares)),
      min_deposit: "0",
      no_minimum: true,
      paused: false,
    };
  },
  withdrawal: (placed, { user, shares }) => ({
    to: part(placed, "redeem"),
    data: encodeFunctionData({
      abi: mellowSyncRedeemQueueAbi,
      functionName: "redeem",
      args: [shares, user],
    }),
  }),
} as const satisfies Partial<Family>;

const PRICE = reportPrice(6);
const unusable = { share_price: null, total_assets: null, paused: false } as const;
const stale = { code: "price_stale" } as const;

const states: readonly State[] = [
  {
    name: "a paused queue",
    enter: (placed) =>
      set(placed, { abi: mellowVaultAbi, name: "setQueueStatus", args: [part(placed, "queue"), true] }),
    refused: { code: "vault_paused" },
    shown: { paused: true, max_deposit: "0" },
  },
  {
    name: "minting paused",
    ...onShares("setMintPaused", true),
    refused: { code: "vault_paused" },
    shown: { paused: true, max_deposit: "0" },
  },
  {
    name: "a whitelist without the user",
    ...onShares("setWhitelist", true),
    refused: { code: "not_allowed" },
  },
  { name: "a suspicious report", ...report(PRICE, null, true), refused: stale, shown: unusable },
  { name: "a report of a zero price", ...report(0n, null, false), refused: stale, shown: unusable },
  { name: "a stale report", ...report(PRICE, 1n, false), refused: stale },
  {
    name: "at its limit",
    ...onVault("setLimit", 1n),
    refused: { code: "above_maximum", max_deposit: "0" },
    shown: { max_deposit: "0" },
  },
  {
    name: "a deposit above the limit",
    ...onVault("setLimit", 10n * ONE),
    refused: { code: "above_maximum", max_deposit: String((10n * ONE * ONE) / PRICE) },
  },
];
const barred: State = {
  name: "a blacklist that contains the user",
  enter: (placed, user) =>
    set(placed, {
      ...{ abi: mellowShareManagerAbi, name: "setBlacklisted", args: [user, true] },
      on: part(placed, "shares"),
    }),
  refused: { code: "not_allowed" },
};

const listed: State = {
  name: "a whitelist that contains the user",
  enter: async (placed, user) => {
    const on = part(placed, "shares");
    await set(placed, { abi: mellowShareManagerAbi, name: "setWhitelist", args: [true], on });
    await set(placed, { abi: mellowShareManagerAbi, name: "setDepositor", args: [user, true], on });
  },
  refused: null,
};

conformance([
  {
    ...common,
    name: "a queue that mints at once, called by the user",
    decimals: [6, 18, 8],
    deploy: deployMellow({ queue: "sync", caller: "user" }),
    states: [...states, listed, barred],
  },
  {
    ...common,
    name: "a queue with a penalty and a fee",
    decimals: [6, 18, 8],
    deploy: deployMellow({ queue: "sync", caller: "user", penalty: 237n, fee: 1_237 }),
    states: [],
  },
  {
    ...common,
    name: "a queue that mints at once, through the Router, which forwards the shares",
    decimals: [6, 18],
    namesCaller: true,
    deploy: deployMellow({ queue: "sync", caller: "router" }),
    states,
  },
]);
