import { type Address, erc20Abi, erc4626Abi, maxUint256 } from "viem";
import { centrifugeSyncVaultAbi, lagoonVaultAbi, lagoonVaultV6Abi } from "#stand-ins/erc7540";
import { deployCentrifuge, deployLagoon } from "../../support/conformance/vaults/erc7540-stand-in.ts";
import type { Family, Placed, State } from "../../support/conformance/vaults/family.ts";
import { convertedBy, priceOf, redemption, set } from "../../support/conformance/vaults/standard.ts";
import { conformance } from "../../support/conformance/vaults/suite.ts";

const lagoon = (name: string, ...args: readonly unknown[]) => ({
  enter: (placed: Placed) => set(placed, { abi: lagoonVaultAbi, name, args }),
});
const lagoon6 = (name: string, ...args: readonly unknown[]) => ({
  enter: (placed: Placed) => set(placed, { abi: lagoonVaultV6Abi, name, args }),
});
const centrifuge = (name: string, ...args: readonly unknown[]) => ({
  enter: (placed: Placed) => set(placed, { abi: centrifugeSyncVaultAbi, name, args }),
});

const supplyOf = (placed: Placed): Promise<bigint> =>
  placed.world.client.readContract({
    address: placed.shareToken,
    abi: erc20Abi,
    functionName: "totalSupply",
  });

/** Conversions at a price that is set, and no minimum, limit or pause. */
async function shown(placed: Placed) {
  const wholeShares = 10n ** BigInt(12 + Math.max(0, 6 - placed.asset.decimals));
  const [supply, assets, total] = await Promise.all([
    supplyOf(placed),
    convertedBy(placed, wholeShares * 10n ** BigInt(placed.row.shareDecimals)),
    placed.world.client.readContract({ address: placed.vault, abi: erc4626Abi, functionName: "totalAssets" }),
  ]);
  return {
    total_supply: String(supply),
    total_assets: String(total),
    share_price: priceOf(placed, { assets, wholeShares }),
    max_deposit: null,
    min_deposit: null,
    no_minimum: false,
    paused: false,
  };
}

const common = {
  type: "custom",
  worth: convertedBy,
  withdrawal: redemption,
  shown,
} as const satisfies Partial<Family>;

const shut = { refused: { code: "vault_paused" }, shown: { paused: true, max_deposit: "0" } } as const;
const lagoonStates: readonly State[] = [
  { name: "paused", ...lagoon("setPaused", true), ...shut },
  { name: "closing", ...lagoon("initiateClosing"), ...shut },
  {
    name: "closing after its valuation expired: requests would never be settled",
    async enter(placed) {
      await set(placed, { abi: lagoonVaultAbi, name: "expireTotalAssets" });
      await set(placed, { abi: lagoonVaultAbi, name: "initiateClosing" });
    },
    ...shut,
  },
  { name: "a whitelist without the user", ...lagoon("setWhitelist", true), refused: { code: "not_allowed" } },
  {
    name: "a whitelist that contains the user",
    enter: async (placed, user) => {
      await set(placed, { abi: lagoonVaultAbi, name: "setWhitelist", args: [true] });
      await set(placed, { abi: lagoonVaultAbi, name: "addToWhitelist", args: [user] });
    },
    refused: null,
  },
  { name: "an expired valuation: the deposit is a request", ...lagoon("expireTotalAssets"), refused: null },
];

const cap = (asset: { decimals: number }, room: bigint) => 107_310n * 10n ** BigInt(asset.decimals) + room;
const lagoon6States: readonly State[] = [
  ...lagoonStates,
  { name: "synchronous redemptions only", ...lagoon6("setSyncMode", 2), ...shut },
  { name: "minting paused", ...lagoon6("setSyncMode", 3), ...shut },
  {
    name: "a deposit above the limit",
    enter: (placed) =>
      set(placed, { abi: lagoonVaultV6Abi, name: "updateMaxCap", args: [cap(placed.asset, 11n)] }),
    refused: { code: "above_maximum", max_deposit: "11" },
    shown: { max_deposit: "11" },
  },
  {
    name: "a request above the cap",
    async enter(placed) {
      await set(placed, { abi: lagoonVaultAbi, name: "expireTotalAssets" });
      await set(placed, { abi: lagoonVaultV6Abi, name: "updateMaxCap", args: [cap(placed.asset, 11n)] });
    },
    refused: { code: "above_maximum", max_deposit: null },
    shown: { max_deposit: null },
  },
];

const member: State = {
  name: "members only, with the user as a member",
  enter: async (placed: Placed, user: Address) => {
    await set(placed, { abi: centrifugeSyncVaultAbi, name: "setMembersOnly", args: [true] });
    await set(placed, { abi: centrifugeSyncVaultAbi, name: "updateMember", args: [user] });
  },
  refused: null,
};
const limited: readonly State[] = [
  {
    name: "members only, without the user",
    ...centrifuge("setMembersOnly", true),
    refused: { code: "not_allowed" },
  },
  {
    name: "a deposit above the limit",
    ...centrifuge("setRoom", 5_000_000n),
    amount: () => 5_000_001n,
    refused: { code: "above_maximum", max_deposit: "5000000" },
  },
  {
    name: "a deposit of exactly the limit",
    ...centrifuge("setRoom", 5_000_000n),
    amount: () => 5_000_000n,
    refused: null,
  },
  { name: "without a limit", ...centrifuge("setRoom", maxUint256), refused: null },
  {
    name: "a vault that its registry unlinked",
    ...centrifuge("setLinked", false),
    refused: { code: "above_maximum", max_deposit: "0" },
  },
  { name: "a stale price", ...centrifuge("setPriceValid", false), refused: { code: "price_stale" } },
];

conformance([
  {
    ...common,
    name: "a Lagoon vault while its valuation is valid",
    adapter: "lagoon",
    decimals: [6, 18, 8, 0],
    deploy: deployLagoon({ version: "0.5" }),
    states: lagoonStates,
  },
  {
    ...common,
    async shown(placed) {
      return { ...(await shown(placed)), max_deposit: String(maxUint256) };
    },
    name: "a Lagoon vault of v0.6 with an entry fee",
    adapter: "lagoon",
    decimals: [6, 18],
    deploy: deployLagoon({ version: "0.6", entryRate: 37 }),
    states: lagoon6States,
  },
  {
    ...common,
    name: "a Centrifuge vault that mints at once, called by the user",
    adapter: "centrifuge",
    decimals: [6, 18, 8],
    deploy: deployCentrifuge("sync", "user"),
    states: [...limited, member],
  },
  {
    ...common,
    name: "a Centrifuge vault that mints at once, through the Router",
    adapter: "centrifuge",
    decimals: [6, 18],
    deploy: deployCentrifuge("sync", "router"),
    states: limited,
  },
]);
