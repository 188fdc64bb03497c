import { type Abi, type Address, encodeFunctionData, erc20Abi, zeroAddress } from "viem";
import { accountableVaultAbi } from "#stand-ins/accountable";
import { centrifugeAsyncVaultAbi, lagoonVaultAbi } from "#stand-ins/erc7540";
import { plasmaWithdrawManagerAbi } from "#stand-ins/ipor";
import { mellowOracleAbi, mellowRedeemQueueAbi } from "#stand-ins/mellow";
import { midasRedemptionVaultAbi } from "#stand-ins/midas";
import {
  legacyTokenizedVaultAbi,
  legacyTokenizedVaultCreationCode,
  tokenizedVaultAbi,
} from "#stand-ins/upshift";
import { vedaAccountantAbi, vedaWithdrawQueueAbi } from "#stand-ins/veda";
import { mapleWithdrawalManagerAbi, queueingVaultAbi, requestingVaultAbi } from "#stand-ins/waiting";
import type { SeedRow } from "../../../scripts/db/seed-row.ts";
import { rpc } from "../../../scripts/stack/chains/json-rpc.ts";
import { deployCentrifuge, deployLagoon } from "../conformance/vaults/erc7540-stand-in.ts";
import { deployAccountable, deployIpor, withShare } from "../conformance/vaults/exit-stand-ins.ts";
import type { Placed } from "../conformance/vaults/family.ts";
import type { Deploy } from "../conformance/vaults/leaving.ts";
import { deployMellow, reportPrice } from "../conformance/vaults/mellow-stand-in.ts";
import { deployMidas, RATE } from "../conformance/vaults/midas-stand-in.ts";
import { deployStandard, set } from "../conformance/vaults/standard.ts";
import { deployUpshift } from "../conformance/vaults/upshift-stand-in.ts";
import { mint, whole } from "../conformance/vaults/use.ts";
import { deployVedaExit, VEDA_WAIT_S } from "../conformance/vaults/veda-exits-stand-in.ts";
import {
  COOLDOWN_S,
  deployCooldown,
  deployMaple,
  deployMapleQueue,
  deployMapleQueues,
  deployQueueing,
  deployRequesting,
} from "../conformance/vaults/waiting-stand-ins.ts";
import { balanceOf } from "../e2e/balances.ts";
import { lrtVaults } from "./lrt-vaults.ts";
import { STRANGER } from "./vault-changes.ts";

/** A user's requests that the vault's operator settles. */
interface Settled {
  user: Address;
  requestIds: readonly string[];
}

/** A kind of vault with redemption requests or a cooldown, and the actions of its operator and owner. */
export interface RequestingVault {
  name: string;
  adapter: string;
  type: SeedRow["type"];
  deploy: Deploy;
  /** Withdrawal mode in the API. */
  mode: "request" | "cooldown";
  /** Settles all of a user's requests, or lets the required time pass. */
  settle(placed: Placed, of: Settled): Promise<void>;
  /** Settles only some shares of the user's request. Absent if the family settles whole requests; `whole` says why. */
  settlePart?(placed: Placed, of: { user: Address; shares: bigint }): Promise<void>;
  /** What makes the family settle whole requests, in its contracts. Absent if it settles parts. */
  whole?: string;
  /** Rejects the user's requests. Absent if the family's operators cannot. */
  reject?(placed: Placed, of: Settled): Promise<void>;
  /** True if settlement pays the user, so that there is nothing to claim. */
  pushes?: true;
  /** When the user can cancel a request: immediately, after an action of the operator, or never (null). */
  cancels: "at_once" | ((placed: Placed, user: Address) => Promise<void>) | null;
  /** Lets the time in which a request is paid pass. Absent if it may be cancelled before that begins, or never. */
  miss?(placed: Placed, user: Address): Promise<void>;
  /** True if the shares of a request stay in the wallet. */
  inWallet?: true;
  /** True if the price is fixed when the request is made. */
  fixed?: true;
  /** True if a second request is merged with the first, false if it is separate, null if it is rejected. */
  joins: boolean | null;
  /** Invests all liquid assets, so that redemptions are queued. Absent if the family queues every redemption. */
  invest?(placed: Placed): Promise<void>;
  /**
   * Changes the share price to about `percent` of it, by yield or a loss. Absent if the stand-in has a fixed price.
   */
  reprice?(placed: Placed, percent: bigint): Promise<void>;
}

const DAY_S = 86_400;

/** Lets time pass on the chain. */
export async function pass(placed: Placed, seconds: number): Promise<void> {
  await rpc(placed.world.url, "evm_increaseTime", seconds);
  await rpc(placed.world.url, "evm_mine");
}

const settledBy =
  (abi: Abi, on: string | null = null) =>
  (placed: Placed, { user }: Settled) =>
    set(placed, { abi, name: "settle", args: [user], ...(on !== null && { on: placed.parts[on] }) });

/** Changes the vault's assets, of about 107,300 whole tokens, by yield that is sent to it or assets that leave it. */
export async function earnOrLose({ world, asset, vault }: Placed, percent: bigint): Promise<void> {
  const amount = whole(asset, 1_073n) * (percent - 100n);
  if (amount > 0n) return world.script((script) => mint(script, { token: asset, to: vault, amount }));
  const lost = -amount;
  // A vault that has invested its assets, or that is almost empty, has nothing to lose here.
  if ((await balanceOf(world, { token: asset.address, owner: vault })) < 10n * lost) return;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [STRANGER, lost] });
  await world.send(vault, { to: asset.address, data });
}

const lagoon = {
  ...({ adapter: "lagoon", type: "custom", mode: "request", joins: true } as const),
  whole: "settleRedeem prices and pays an epoch with all its requests",
  settle: settledBy(lagoonVaultAbi),
} as const;

/** A Maple pool. All kinds of withdrawal managers are settled by the same functions. */
const maple = {
  ...({
    adapter: "erc4626",
    type: "custom",
    mode: "request",
    reprice: earnOrLose,
    cancels: "at_once",
  } as const),
  settle: settledBy(mapleWithdrawalManagerAbi, "requests"),
  settlePart: (placed: Placed, { user, shares }: { user: Address; shares: bigint }) => {
    const on = placed.parts["requests"];
    return set(placed, { abi: mapleWithdrawalManagerAbi, name: "settlePart", args: [user, shares], on });
  },
} as const;

const missWindow = (placed: Placed, user: Address) =>
  set(placed, { abi: mapleWithdrawalManagerAbi, name: "miss", args: [user], on: placed.parts["requests"] });

async function repriceLagoon(placed: Placed, percent: bigint): Promise<void> {
  const { world, vault } = placed;
  await earnOrLose(placed, percent);
  const on = { address: vault, abi: lagoonVaultAbi } as const;
  const total = await world.client.readContract({ ...on, functionName: "totalAssets" });
  await set(placed, { abi: lagoonVaultAbi, name: "updateTotalAssets", args: [(total * percent) / 100n] });
}

async function repriceShare(placed: Placed, percent: bigint): Promise<void> {
  const on = { address: placed.vault, abi: tokenizedVaultAbi } as const;
  const price = await placed.world.client.readContract({ ...on, functionName: "getSharePrice" });
  await earnOrLose(placed, percent);
  await set(placed, { abi: tokenizedVaultAbi, name: "setSharePrice", args: [(price * percent) / 100n] });
}

/** Changes the exchange rate of a Veda vault to `percent` of it. */
export async function repriceRate(placed: Placed, percent: bigint): Promise<void> {
  const on = { address: placed.parts["accountant"] ?? zeroAddress, abi: vedaAccountantAbi } as const;
  const rate = await placed.world.client.readContract({ ...on, functionName: "rate" });
  const args = [(rate * percent) / 100n] as const;
  await set(placed, { abi: vedaAccountantAbi, name: "updateExchangeRate", args, on: on.address });
}

async function repriceReport(placed: Placed, percent: bigint): Promise<void> {
  const on = { address: placed.parts["oracle"] ?? zeroAddress, abi: mellowOracleAbi } as const;
  const { asset, world } = placed;
  const { timestamp } = await world.client.getBlock();
  const args = [
    asset.address,
    (reportPrice(asset.decimals) * 100n) / percent,
    Number(timestamp),
    false,
  ] as const;
  await set(placed, { abi: mellowOracleAbi, name: "submit", args, on: on.address });
}

/** Approves or rejects a user's requests at a Midas RedemptionVault. */
const midasAnswer =
  (name: "approveRequest" | "rejectRequest") =>
  async (placed: Placed, { requestIds }: Settled): Promise<void> => {
    const on = placed.parts["redemptions"] ?? zeroAddress;
    for (const id of requestIds) {
      const view = { address: on, abi: midasRedemptionVaultAbi, functionName: "redeemRequests" } as const;
      const [, , status] = await placed.world.client.readContract({ ...view, args: [BigInt(id)] });
      const args = name === "approveRequest" ? [BigInt(id), RATE] : [BigInt(id)];
      if (status === 0) await set(placed, { abi: midasRedemptionVaultAbi, name, args, on });
    }
  };

const dated =
  (abi: Abi, deploy: Deploy): Deploy =>
  async (world, asset) => {
    const made = await deploy(world, asset);
    const data = encodeFunctionData({ abi, functionName: "setLagDuration", args: [BigInt(DAY_S)] });
    await world.send(made.owner, { to: made.row.address as Address, data });
    return made;
  };

const generic7540 = {
  ...({ adapter: "erc4626", type: "custom", mode: "request", joins: true, reprice: earnOrLose } as const),
  settlePart: (placed: Placed, { user, shares }: { user: Address; shares: bigint }) =>
    set(placed, { abi: requestingVaultAbi, name: "settlePart", args: [user, shares] }),
} as const;

/** Answers the cancellation that waits for it, or settles the requests. */
async function settleGeneric(placed: Placed, of: Settled): Promise<void> {
  const view = { address: placed.vault, abi: requestingVaultAbi, functionName: "cancelling" } as const;
  const cancelling = await placed.world.client.readContract({ ...view, args: [of.user] });
  const answer = { abi: requestingVaultAbi, name: "answerCancellation", args: [of.user] };
  await (cancelling ? set(placed, answer) : settledBy(requestingVaultAbi)(placed, of));
}

/** All kinds of vaults with requests for which there are stand-ins. */
export const requestingVaults: readonly RequestingVault[] = [
  {
    ...lagoon,
    name: "Lagoon v0.5",
    deploy: deployLagoon({ version: "0.5" }),
    cancels: null,
    reprice: repriceLagoon,
  },
  {
    ...lagoon,
    name: "Lagoon v0.6",
    deploy: deployLagoon({ version: "0.6" }),
    cancels: "at_once",
    reprice: repriceLagoon,
  },
  {
    ...{ name: "Centrifuge", adapter: "centrifuge", type: "custom", mode: "request", joins: true },
    deploy: deployCentrifuge("sync", "user"),
    settle: async (placed, of) => {
      const view = {
        address: placed.vault,
        abi: centrifugeAsyncVaultAbi,
        functionName: "cancelling",
      } as const;
      const cancelling = await placed.world.client.readContract({ ...view, args: [of.user] });
      const answer = { abi: centrifugeAsyncVaultAbi, name: "answerCancellation", args: [of.user] };
      await (cancelling ? set(placed, answer) : settledBy(centrifugeAsyncVaultAbi)(placed, of));
    },
    settlePart: (placed, { user, shares }) =>
      set(placed, { abi: centrifugeAsyncVaultAbi, name: "settlePart", args: [user, shares] }),
    cancels: (placed, user) =>
      set(placed, { abi: centrifugeAsyncVaultAbi, name: "answerCancellation", args: [user] }),
  },
  {
    ...{ name: "Accountable", adapter: "accountable", type: "accountable", mode: "request", joins: true },
    deploy: withShare(deployAccountable),
    settle: settledBy(accountableVaultAbi),
    settlePart: (placed, { user, shares }) =>
      set(placed, { abi: accountableVaultAbi, name: "fulfil", args: [user, shares] }),
    cancels: "at_once",
    reprice: earnOrLose,
  },
  {
    ...{ name: "IPOR", adapter: "ipor", type: "ipor", mode: "request", joins: null, inWallet: true },
    whole: "releaseFunds opens whole requests up to a time",
    deploy: deployIpor,
    settle: (placed) =>
      set(placed, { abi: plasmaWithdrawManagerAbi, name: "releaseFunds", on: placed.parts["requests"] }),
    ...{ cancels: null, reprice: earnOrLose },
  },
  {
    ...{ name: "Midas", adapter: "midas", type: "midas", mode: "request", joins: false, pushes: true },
    whole: "approveRequest pays the request and closes it",
    deploy: deployMidas({ deposit: "instant", recipient: "argument", caller: "router" }),
    settle: midasAnswer("approveRequest"),
    reject: midasAnswer("rejectRequest"),
    cancels: null,
  },
  {
    ...{ name: "Mellow", adapter: "mellow", type: "lido", mode: "request", joins: false },
    whole: "a report prices a request, and handleBatches pays whole batches",
    deploy: deployMellow({ queue: "sync", caller: "user", redeem: "async" }),
    settle: settledBy(mellowRedeemQueueAbi, "redeem"),
    cancels: null,
    reprice: repriceReport,
  },
  ...lrtVaults,
  {
    ...{ name: "Upshift", adapter: "upshift", type: "custom", mode: "request", joins: true },
    whole: "claim pays all of a receiver and day",
    deploy: dated(tokenizedVaultAbi, deployUpshift),
    settle: (placed) => pass(placed, DAY_S),
    cancels: null,
    reprice: repriceShare,
  },
  {
    ...{ name: "Upshift legacy", adapter: "upshift_legacy", type: "custom", mode: "request", joins: true },
    whole: "claim pays all of a receiver and day",
    ...{ fixed: true, cancels: null, reprice: earnOrLose },
    deploy: dated(
      legacyTokenizedVaultAbi,
      deployStandard({ abi: legacyTokenizedVaultAbi, code: legacyTokenizedVaultCreationCode }),
    ),
    settle: (placed) => pass(placed, DAY_S),
  },
  {
    ...{ name: "Veda queue", adapter: "veda", type: "veda", mode: "request", joins: false, pushes: true },
    whole: "a solver pays exactly the amount fixed in the request",
    ...{ fixed: true, cancels: "at_once", reprice: repriceRate },
    deploy: deployVedaExit({ way: "queue" }),
    settle: async (placed, of) => {
      await pass(placed, VEDA_WAIT_S);
      await settledBy(vedaWithdrawQueueAbi, "pays")(placed, of);
    },
  },
  {
    ...{ name: "Veda delayed", adapter: "veda", type: "veda", mode: "cooldown", joins: null },
    whole: "completeWithdraw pays the whole request",
    ...{ fixed: true, cancels: "at_once", reprice: repriceRate },
    deploy: deployVedaExit({ way: "delayed" }),
    settle: (placed) => pass(placed, VEDA_WAIT_S),
  },
  {
    ...{ name: "a cooldown", adapter: "erc4626", type: "custom", mode: "cooldown", joins: null, fixed: true },
    whole: "unstake pays everything that has cooled down",
    ...{
      deploy: deployCooldown,
      settle: (placed: Placed) => pass(placed, COOLDOWN_S),
      cancels: null,
      reprice: earnOrLose,
    },
  },
  { ...maple, name: "Maple", deploy: deployMaple, joins: null, miss: missWindow },
  { ...maple, name: "Maple queue", deploy: deployMapleQueue, joins: null, pushes: true },
  { ...maple, name: "Maple queue for several", deploy: deployMapleQueues, joins: false, pushes: true },
  {
    ...{ ...generic7540, name: "ERC-7540", deploy: deployRequesting({}), cancels: null },
    settle: settledBy(requestingVaultAbi),
  },
  {
    ...{ ...generic7540, name: "ERC-7540 with ERC-7887", deploy: deployRequesting({ cancels: true }) },
    settle: settleGeneric,
    cancels: (placed, user) =>
      set(placed, { abi: requestingVaultAbi, name: "answerCancellation", args: [user] }),
  },
  {
    ...{ name: "Yo", adapter: "erc4626", type: "custom", mode: "request", joins: true, fixed: true },
    ...{ deploy: deployQueueing(true), pushes: true, cancels: null, reprice: earnOrLose },
    settle: settledBy(queueingVaultAbi),
    settlePart: (placed, { user, shares }) =>
      set(placed, { abi: queueingVaultAbi, name: "settlePart", args: [user, shares] }),
  },
];
