import { type Address, encodeDeployData, encodeFunctionData, maxUint256, zeroAddress } from "viem";
import {
  vedaAccountantAbi,
  vedaAccountantCreationCode,
  vedaStreamingAccountantCreationCode,
  vedaTellerACreationCode,
  vedaTellerBCreationCode,
  vedaTellerCAbi,
  vedaTellerCCreationCode,
  vedaTellerDAbi,
  vedaTellerDCreationCode,
  vedaTellerStreamingCreationCode,
  vedaVaultAbi,
  vedaVaultCreationCode,
} from "#stand-ins/veda";
import type { ChainScript } from "../../../scripts/stack/chains/chain-script.ts";
import type { Token } from "../../../src/vaults/vault.ts";
import type { Family, Placed, StandIn, State } from "../../support/conformance/vaults/family.ts";
import { set } from "../../support/conformance/vaults/standard.ts";
import { conformance } from "../../support/conformance/vaults/suite.ts";
import { fund, whole } from "../../support/conformance/vaults/use.ts";
import type { World } from "../../support/conformance/vaults/world.ts";

/** All tellers are made of the same two addresses. */
const tellers = {
  a: vedaTellerACreationCode,
  b: vedaTellerBCreationCode,
  c: vedaTellerCCreationCode,
  d: vedaTellerDCreationCode,
} as const;
type Generation = keyof typeof tellers;

interface Setup {
  generation: Generation;
  caller: "router" | "user";
  premium?: number;
  /** Whether yield reaches the rate second by second: the newest generation's alone. */
  streamed?: boolean;
}

function deployTeller(script: ChainScript, of: Setup & { vault: Address; accountant: Address }): Address {
  const args = [of.vault, of.accountant] as const;
  const bytecode = of.streamed === true ? vedaTellerStreamingCreationCode : tellers[of.generation];
  return script.deploy("teller", encodeDeployData({ abi: vedaTellerCAbi, bytecode, args }));
}

/** A vault of 100,000 shares whose rate is 1.0731 of the asset. */
function deployer(setup: Setup) {
  const { generation, caller, premium = 0, streamed = false } = setup;
  return (world: World, asset: Token): Promise<StandIn> =>
    world.script((script) => {
      const name = ["A vault", "V", asset.decimals] as const;
      const coded = { abi: vedaVaultAbi, bytecode: vedaVaultCreationCode } as const;
      const vault = script.deploy("vault", encodeDeployData({ ...coded, args: name }));
      const rate = (whole(asset, 1n) * 10_731n) / 10_000n;
      const accountant = script.deploy(
        "accountant",
        encodeDeployData({
          abi: vedaAccountantAbi,
          bytecode: streamed ? vedaStreamingAccountantCreationCode : vedaAccountantCreationCode,
          args: [asset.address, rate],
        }),
      );
      const teller = deployTeller(script, { ...setup, vault, accountant });
      const own = { abi: vedaTellerCAbi, to: teller } as const;
      const support = [asset.address, true, true, premium] as const;
      const takes = encodeFunctionData({ ...own, functionName: "updateAssetData", args: support });
      script.send("updateAssetData", { to: teller, data: takes });
      fund(script, { token: asset, spender: vault, amount: whole(asset, 107_310n) });
      const first = [script.deployer, asset.address, whole(asset, 107_310n), script.deployer] as const;
      const enter = [...first, whole(asset, 100_000n)] as const;
      const data = encodeFunctionData({ abi: vedaVaultAbi, functionName: "enter", args: enter });
      script.send("enter", { to: vault, data });
      const hook = encodeFunctionData({
        abi: vedaVaultAbi,
        functionName: "setBeforeTransferHook",
        args: [teller],
      });
      script.send("setBeforeTransferHook", { to: vault, data: hook });
      const row = { address: vault, shareDecimals: asset.decimals, entryPoint: lower(teller), caller };
      return {
        row: {
          ...row,
          pricer: lower(accountant),
          params: { teller: generation, ...(streamed && { rate: "streamed" }) },
        },
        owner: script.deployer,
        parts: { teller, accountant },
      };
    });
}

const lower = (address: Address): string => address.toLowerCase();

const part = (placed: Placed, name: "teller" | "accountant"): Address => placed.parts[name] ?? zeroAddress;

/** Changes a setting of the teller or of the accountant. */
const teller = (name: string, args: readonly unknown[] = []) => ({
  enter: (placed: Placed) => set(placed, { abi: vedaTellerDAbi, name, args, on: part(placed, "teller") }),
});
const accountant = (name: string, args: readonly unknown[] = []) => ({
  enter: (placed: Placed) =>
    set(placed, { abi: vedaAccountantAbi, name, args, on: part(placed, "accountant") }),
});

function rateOf(placed: Placed): Promise<bigint> {
  return placed.world.client.readContract({
    address: part(placed, "accountant"),
    abi: vedaAccountantAbi,
    functionName: "getRate",
  });
}

const supplyOf = (placed: Placed): Promise<bigint> =>
  placed.world.client.readContract({ address: placed.vault, abi: vedaVaultAbi, functionName: "totalSupply" });

/** As the family's lens converts: whole shares at the accountant's rate. */
const worth = async (placed: Placed, shares: bigint): Promise<bigint> =>
  (shares * (await rateOf(placed))) / 10n ** BigInt(placed.row.shareDecimals);

const common = {
  adapter: "veda",
  type: "veda",
  worth,
  async shown(placed) {
    const [rate, supply] = await Promise.all([rateOf(placed), supplyOf(placed)]);
    return {
      total_supply: String(supply),
      total_assets: String(await worth(placed, supply)),
      share_price: String((rate * 10n ** 18n) / 10n ** BigInt(placed.asset.decimals)),
      min_deposit: "0",
      no_minimum: true,
      paused: false,
    };
  },
  withdrawal: (placed, { user, shares }) => ({
    to: part(placed, "teller"),
    data: encodeFunctionData({
      abi: vedaTellerCAbi,
      functionName: "withdraw",
      args: [placed.asset.address, shares, 0n, user],
    }),
  }),
} as const satisfies Partial<Family>;

const paused = { refused: { code: "vault_paused" }, shown: { paused: true, max_deposit: "0" } } as const;
const always: readonly State[] = [
  { name: "paused at the teller", ...teller("setPaused", [true]), ...paused },
  { name: "paused at the accountant", ...accountant("pause"), ...paused },
  {
    name: "paused by a rate that jumped",
    ...accountant("updateExchangeRate", [2_000_000n]),
    ...paused,
    shown: { ...paused.shown, share_price: "2000000000000000000" },
  },
  {
    name: "no longer taking the asset",
    enter: (placed) =>
      set(placed, {
        abi: vedaTellerCAbi,
        name: "updateAssetData",
        args: [placed.asset.address, false, true, 0],
        on: part(placed, "teller"),
      }),
    ...paused,
  },
  { name: "closed to the public", ...teller("setPublic", [false]), refused: { code: "not_allowed" } },
];

/** Room for 1,000 shares more. */
const CAP = 101_000_000_000n;
const MOST = 1_073_100_001n;
const capped: readonly State[] = [
  {
    name: "asked for more than its cap",
    ...teller("setDepositCap", [CAP]),
    amount: () => MOST + 1n,
    refused: { code: "above_maximum", max_deposit: String(MOST) },
    shown: { max_deposit: String(MOST) },
  },
  {
    name: "asked for all that its cap leaves",
    ...teller("setDepositCap", [CAP]),
    amount: () => MOST,
    refused: null,
  },
  {
    name: "full",
    ...teller("setDepositCap", [1n]),
    refused: { code: "above_maximum", max_deposit: "0" },
    shown: { max_deposit: "0" },
  },
  {
    name: "without a cap",
    enter: async () => undefined,
    refused: null,
    shown: { max_deposit: String(maxUint256) },
  },
];

const locking: readonly State[] = [
  { name: "locking shares", ...teller("setShareLockPeriod", [86_400n]), refused: null },
];

/** The older ones mint to whom they deny, who could never move the shares. */
const denying: readonly State[] = ["denyFrom", "denyTo"].map((name) => ({
  name: `refusing an account by ${name}`,
  enter: (placed, user) =>
    set(placed, { abi: vedaTellerDAbi, name, args: [user], on: part(placed, "teller") }),
  refused: { code: "not_allowed" },
}));
const permissioned = teller("setPermissionedTransfers", [true]);

conformance([
  {
    ...common,
    name: "a teller of 2024-04, called by the user",
    decimals: [6, 18, 8],
    deploy: deployer({ generation: "a", caller: "user" }),
    states: [...always, ...locking, ...denying],
  },
  {
    ...common,
    name: "a teller of 2024-09 with a premium",
    decimals: [6],
    deploy: deployer({ generation: "b", caller: "user", premium: 30 }),
    states: [...always, ...locking],
  },
  {
    ...common,
    name: "a teller of 2025-04",
    decimals: [6, 8],
    deploy: deployer({ generation: "c", caller: "user" }),
    states: [
      ...always,
      ...locking,
      ...capped,
      ...denying,
      { name: "letting few move shares", ...permissioned, refused: null },
    ],
  },
  {
    ...common,
    name: "a teller of 2025-09",
    decimals: [6, 18],
    deploy: deployer({ generation: "d", caller: "user" }),
    states: [...always, ...locking, ...capped, ...denying],
  },
  {
    ...common,
    name: "a teller of 2025-12 whose accountant lets yield in second by second",
    decimals: [6, 18],
    deploy: deployer({ generation: "d", caller: "user", streamed: true }),
    states: [],
  },
  {
    ...common,
    name: "a teller without a lock, through the Router, which passes the shares on",
    decimals: [6, 18],
    namesCaller: true,
    deploy: deployer({ generation: "d", caller: "router" }),
    states: [
      ...always,
      { name: "locking shares", ...teller("setShareLockPeriod", [1n]), refused: { code: "share_locked" } },
      { name: "letting few move shares", ...permissioned, refused: { code: "not_allowed" } },
      ...denying,
    ],
  },
]);
