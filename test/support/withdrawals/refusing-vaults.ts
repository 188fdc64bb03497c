import type { Address } from "viem";
import { accountableStrategyAbi } from "#stand-ins/accountable";
import { stakedReceiptAbi, trancheCdoAbi } from "#stand-ins/closing";
import { centrifugeAsyncVaultAbi, lagoonVaultAbi, lagoonVaultV6Abi } from "#stand-ins/erc7540";
import { plasmaAccessManagerAbi, plasmaVaultAbi, plasmaWithdrawManagerAbi } from "#stand-ins/ipor";
import { gearboxPoolAbi, yearnVaultAbi, yearnVaultCreationCode } from "#stand-ins/lending";
import { mellowShareManagerAbi, mellowSyncRedeemQueueAbi } from "#stand-ins/mellow";
import { simpleLrtAbi, simpleLrtCreationCode } from "#stand-ins/mellow-lrt";
import { midasRedemptionVaultAbi } from "#stand-ins/midas";
import { solmateVaultAbi, solmateVaultCreationCode } from "#stand-ins/standard";
import {
  legacyTokenizedVaultAbi,
  legacyTokenizedVaultCreationCode,
  tokenizedVaultAbi,
} from "#stand-ins/upshift";
import { vedaAccountantAbi, vedaTellerDAbi, vedaWithdrawQueueAbi } from "#stand-ins/veda";
import { maplePoolAbi, queueingVaultAbi } from "#stand-ins/waiting";
import { deployStakedReceipt, deployTranche } from "../conformance/vaults/closing-stand-ins.ts";
import { deployCentrifuge, deployLagoon } from "../conformance/vaults/erc7540-stand-in.ts";
import { deployAccountable, deployIpor, withShare } from "../conformance/vaults/exit-stand-ins.ts";
import { deployMellow } from "../conformance/vaults/mellow-stand-in.ts";
import { deployMidas } from "../conformance/vaults/midas-stand-in.ts";
import { deployStandard, set } from "../conformance/vaults/standard.ts";
import { deployUpshift } from "../conformance/vaults/upshift-stand-in.ts";
import { deployVedaExit, deployVedaTeller } from "../conformance/vaults/veda-exits-stand-in.ts";
import { deployMaple, deployMapleQueue, deployQueueing } from "../conformance/vaults/waiting-stand-ins.ts";
import { gearbox, refusingLenders } from "./refusing-lenders.ts";
import { act, type Change, drain, lendAll, type RefusingVault, STRANGER } from "./vault-changes.ts";

/** Calls a function of a Veda vault's teller. */
export const onTeller =
  (name: string, ...args: readonly unknown[]): Change =>
  (placed) =>
    set(placed, { abi: vedaTellerDAbi, name, args, on: placed.row.entryPoint as Address });

/** A lock of all shares that ends so many seconds from now. */
export const lockUp =
  (seconds: number): Change =>
  async (placed) => {
    const { timestamp } = await placed.world.client.getBlock();
    const args = [false, false, false, Number(timestamp) + seconds];
    await set(placed, {
      abi: mellowShareManagerAbi,
      name: "setExitFlags",
      args,
      on: placed.parts["shares"] as Address,
    });
  };

const lagoon = deployLagoon({ version: "0.6" });
const midas = deployMidas({ deposit: "instant", recipient: "argument", caller: "router" });
const mellowShares = (name: string, ...args: readonly unknown[]) =>
  act(mellowShareManagerAbi, name, args, "shares");

/** Vaults of each family with the conditions under which they refuse withdrawals. */
export const refusingVaults: readonly RefusingVault[] = [
  {
    ...{
      adapter: "erc4626",
      deploy: deployStandard({ abi: solmateVaultAbi, code: solmateVaultCreationCode }),
    },
    cases: [["its assets are gone", drain(), "below_minimum"]],
  },
  {
    ...{ adapter: "erc4626", deploy: deployTranche({ junior: true }) },
    cases: [
      [
        "a junior tranche is switched off",
        act(trancheCdoAbi, "setActionStates", [true, true, false], "cdo"),
        "exits_paused",
      ],
      [
        "the senior tranche is switched off",
        act(trancheCdoAbi, "setActionStates", [false, true, false], "cdo"),
        null,
      ],
      ["its coverage allows nothing", act(trancheCdoAbi, "setCap", [0n], "cdo"), "no_liquidity"],
    ],
  },
  {
    ...{ adapter: "erc4626", deploy: deployTranche({ junior: false }) },
    cases: [
      [
        "a senior tranche is switched off",
        act(trancheCdoAbi, "setActionStates", [false, true, false], "cdo"),
        "exits_paused",
      ],
    ],
  },
  {
    ...{ adapter: "erc4626", deploy: deployStakedReceipt },
    cases: [
      ["a staked token is paused", act(stakedReceiptAbi, "setPaused", [true]), "exits_paused"],
      ["a loss is not applied yet", act(stakedReceiptAbi, "setLosing", [true]), "exits_paused"],
    ],
  },
  ...refusingLenders,
  {
    ...{ adapter: "ipor", type: "ipor", deploy: deployIpor },
    cases: [
      [
        "access is closed",
        async (placed) =>
          act(plasmaAccessManagerAbi, "setTargetClosed", [placed.vault, true], "manager")(placed, STRANGER),
        "exits_paused",
      ],
    ],
  },
  {
    ...{ adapter: "veda", type: "veda", deploy: deployVedaTeller },
    cases: [
      ["the teller is paused", onTeller("setPaused", true), "exits_paused"],
      ["the accountant is paused", act(vedaAccountantAbi, "pause", [], "accountant"), "exits_paused"],
      ["the account is denied", (placed, user) => onTeller("denyFrom", user)(placed, user), "not_allowed"],
      ["only operators may transfer", onTeller("setPermissionedTransfers", true), "not_allowed"],
      [
        "the asset is not paid out",
        (placed) => onTeller("updateAssetData", placed.asset.address, true, false, 0)(placed, STRANGER),
        "token_unsupported",
      ],
      ["its assets are gone", drain(), "no_liquidity"],
    ],
  },
  {
    ...{ adapter: "veda", type: "veda", deploy: deployVedaExit({ way: "queue" }) },
    cases: [
      ["only the teller is paused", onTeller("setPaused", true), null],
      ["the queue is paused", act(vedaWithdrawQueueAbi, "setPaused", [true], "pays"), "exits_paused"],
      [
        "the queue's capacity is used up",
        (placed) =>
          act(
            vedaWithdrawQueueAbi,
            "setWithdrawCapacity",
            [placed.asset.address, 0n],
            "pays",
          )(placed, STRANGER),
        "no_liquidity",
      ],
    ],
  },
  {
    ...{ adapter: "veda", type: "veda", deploy: deployVedaExit({ way: "delayed" }) },
    cases: [
      ["only the teller is paused", onTeller("setPaused", true), null],
      ["the contract is paused", act(vedaWithdrawQueueAbi, "setPaused", [true], "pays"), "exits_paused"],
    ],
  },
  {
    ...{ adapter: "mellow", type: "lido" },
    deploy: deployMellow({ queue: "sync", caller: "user", redeem: "async" }),
    cases: [
      [
        "the account is barred",
        (placed, user) => mellowShares("setBlacklisted", user, true)(placed, user),
        "not_allowed",
      ],
      ["burning is paused", mellowShares("setExitFlags", true, false, false, 0), "exits_paused"],
      ["transfers are paused", mellowShares("setExitFlags", false, true, false, 0), null],
    ],
  },
  {
    ...{ adapter: "mellow", type: "lido" },
    deploy: deployMellow({ queue: "sync", caller: "user" }),
    cases: [
      ["its queue is empty", drain("redeem"), "no_liquidity"],
      [
        "the daily limit is used up",
        act(mellowSyncRedeemQueueAbi, "setSyncRedeemParams", [0n, 31_536_000, 0n], "redeem"),
        "no_liquidity",
      ],
      [
        "its report is too old",
        act(mellowSyncRedeemQueueAbi, "setSyncRedeemParams", [0n, 0, 2n ** 128n - 1n], "redeem"),
        "price_stale",
      ],
    ],
  },
  {
    ...{ adapter: "mellow_lrt", type: "lido" },
    deploy: deployStandard({ abi: simpleLrtAbi, code: simpleLrtCreationCode }),
    cases: [["withdrawals are paused", act(simpleLrtAbi, "setWithdrawalPause", [true]), "exits_paused"]],
  },
  {
    ...{ adapter: "lagoon", deploy: lagoon },
    cases: [["it is paused", act(lagoonVaultAbi, "setPaused", [true]), "exits_paused"]],
  },
  {
    ...{ adapter: "accountable", type: "accountable", deploy: withShare(deployAccountable) },
    cases: [
      [
        "the strategy is paused",
        act(accountableStrategyAbi, "setPaused", [true], "strategy"),
        "exits_paused",
      ],
      [
        "the strategy demands more shares",
        act(accountableStrategyAbi, "setMinRedeem", [10n ** 30n], "strategy"),
        "below_minimum",
      ],
    ],
  },
  {
    ...{ adapter: "upshift", deploy: deployUpshift },
    cases: [
      ["withdrawals are paused", act(tokenizedVaultAbi, "setWithdrawalsPaused", [true]), "exits_paused"],
      ["its assets are gone", drain(), "no_liquidity"],
    ],
  },
  {
    adapter: "upshift_legacy",
    deploy: deployStandard({ abi: legacyTokenizedVaultAbi, code: legacyTokenizedVaultCreationCode }),
    cases: [
      [
        "withdrawals are paused",
        act(legacyTokenizedVaultAbi, "setWithdrawalsPaused", [true]),
        "exits_paused",
      ],
      ["its assets are invested", lendAll(legacyTokenizedVaultAbi), "no_liquidity"],
    ],
  },
  {
    ...{ adapter: "centrifuge", deploy: deployCentrifuge("sync", "user") },
    cases: [
      ["the account is no member", act(centrifugeAsyncVaultAbi, "setMembersOnly", [true]), "not_allowed"],
    ],
  },
  ...[deployMaple, deployMapleQueue].map(
    (deploy): RefusingVault => ({
      ...{ adapter: "erc4626", deploy },
      cases: [["Maple is paused", act(maplePoolAbi, "setProtocolPause", [true]), "exits_paused"]],
    }),
  ),
  {
    ...{ adapter: "midas", type: "midas", deploy: midas },
    cases: [
      [
        "redemptions are paused",
        act(midasRedemptionVaultAbi, "pause", [true], "redemptions"),
        "exits_paused",
      ],
    ],
  },
];

/** Vaults that take requests while they have nothing to pay at once, and how they run dry. */
export const dryVaults: readonly (readonly [string, Omit<RefusingVault, "cases">, Change])[] = [
  ["Midas", { adapter: "midas", type: "midas", deploy: midas }, drain("redemptions")],
  ["Lagoon", { adapter: "lagoon", deploy: lagoon }, drain()],
  ["IPOR", { adapter: "ipor", type: "ipor", deploy: deployIpor }, lendAll(plasmaVaultAbi, "invest")],
  [
    "Mellow's Simple LRT",
    {
      adapter: "mellow_lrt",
      type: "lido",
      deploy: deployStandard({ abi: simpleLrtAbi, code: simpleLrtCreationCode }),
    },
    lendAll(simpleLrtAbi, "stake"),
  ],
  ["Yo", { adapter: "erc4626", deploy: deployQueueing(false) }, act(queueingVaultAbi, "invest", [false])],
];

/** A Yearn vault, and the loss in basis points that its redemptions realise. */
export const losingVault = {
  adapter: "yearn_v3",
  deploy: deployStandard({ abi: yearnVaultAbi, code: yearnVaultCreationCode }),
  lose: (bps: bigint) => act(yearnVaultAbi, "setLoss", [bps]),
} as const;

/** Fee of the vaults that charge one, in basis points. */
const FEE_BPS = 37n;

/** Vaults that charge a fee for a redemption at once, and how their operators set it. */
export const chargingVaults: readonly (readonly [string, Omit<RefusingVault, "cases">, Change])[] = [
  ["Gearbox", { adapter: "gearbox", deploy: gearbox }, act(gearboxPoolAbi, "setWithdrawFee", [FEE_BPS])],
  [
    "IPOR",
    { adapter: "ipor", type: "ipor", deploy: deployIpor },
    act(plasmaWithdrawManagerAbi, "setWithdrawFee", [FEE_BPS * 10n ** 14n], "requests"),
  ],
  [
    "Midas",
    { adapter: "midas", type: "midas", deploy: midas },
    act(midasRedemptionVaultAbi, "setInstantFee", [FEE_BPS], "redemptions"),
  ],
  ["Lagoon", { adapter: "lagoon", deploy: lagoon }, act(lagoonVaultV6Abi, "setHaircutRate", [FEE_BPS])],
  [
    "Upshift",
    { adapter: "upshift", deploy: deployUpshift },
    act(tokenizedVaultAbi, "setInstantRedemptionFee", [FEE_BPS]),
  ],
  [
    "Yo",
    { adapter: "erc4626", deploy: deployQueueing(false) },
    act(queueingVaultAbi, "setFee", [FEE_BPS * 10n ** 14n]),
  ],
];
