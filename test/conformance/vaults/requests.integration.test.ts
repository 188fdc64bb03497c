import { type Abi, type Address, encodeFunctionData, erc20Abi, zeroAddress } from "viem";
import { centrifugeAsyncVaultAbi, lagoonVaultAbi } from "#stand-ins/erc7540";
import { mellowDepositQueueAbi } from "#stand-ins/mellow";
import { midasDepositVaultAbi } from "#stand-ins/midas";
import { deployCentrifuge, deployLagoon } from "../../support/conformance/vaults/erc7540-stand-in.ts";
import type { Placed } from "../../support/conformance/vaults/family.ts";
import { deployMellow } from "../../support/conformance/vaults/mellow-stand-in.ts";
import { deployMidas, RATE } from "../../support/conformance/vaults/midas-stand-in.ts";
import { requesting } from "../../support/conformance/vaults/requests.ts";
import { set } from "../../support/conformance/vaults/standard.ts";

const part = (placed: Placed, name: string): Address => placed.parts[name] ?? zeroAddress;

/** ERC-7540's stand-ins are settled for one controller. */
const settledBy =
  (abi: Abi) =>
  (placed: Placed, { user }: { user: Address }) =>
    set(placed, { abi, name: "settle", args: [user] });

const midasRequests = {
  adapter: "midas",
  type: "midas",
  decimals: [6, 18],
  settle: (placed: Placed, { requestId }: { requestId: string | null }) =>
    set(placed, {
      abi: midasDepositVaultAbi,
      name: "approveRequest",
      args: [BigInt(requestId ?? -1), RATE],
      on: part(placed, "deposits"),
    }),
  claims: false,
  counts: { event: "request", numbered: true },
} as const;

const lagoonRequests = {
  adapter: "lagoon",
  type: "custom",
  decimals: [6, 18],
  claims: true,
  open: (placed: Placed) => set(placed, { abi: lagoonVaultAbi, name: "expireTotalAssets" }),
  settle: settledBy(lagoonVaultAbi),
  counts: { event: "claim" },
} as const;

requesting([
  {
    name: "a Lagoon vault whose valuation expired",
    ...lagoonRequests,
    deploy: deployLagoon({ version: "0.5" }),
  },
  {
    name: "a Lagoon vault of v0.6 with an entry fee, whose valuation expired",
    ...lagoonRequests,
    deploy: deployLagoon({ version: "0.6", entryRate: 37 }),
  },
  {
    name: "a Centrifuge vault that takes requests",
    ...{ adapter: "centrifuge", type: "custom", decimals: [6, 18, 8], claims: true },
    // Its price has 18 decimals, as many as the asset at most.
    eventRounding: 1n,
    deploy: deployCentrifuge("async", "user"),
    settle: settledBy(centrifugeAsyncVaultAbi),
    counts: { event: "claim" },
  },
  {
    name: "a Mellow queue that takes requests",
    ...{ adapter: "mellow", type: "lido", decimals: [6, 18], claims: true },
    deploy: deployMellow({ queue: "async", caller: "user", fee: 1_237 }),
    settle: (placed, { user }) =>
      set(placed, { abi: mellowDepositQueueAbi, name: "settle", args: [user], on: part(placed, "queue") }),
    // A transfer of shares claims what is claimable, and more of them leave the wallet than it claims.
    async claimInside(placed, { user }) {
      const { world, owner } = placed;
      const shares = part(placed, "shares");
      const transfer = (to: Address, amount: bigint) => ({
        to: shares,
        data: encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [to, amount] }),
      });
      await world.send(owner, transfer(user, 10n ** 22n));
      await world.send(user, transfer(owner, 10n ** 22n));
    },
    counts: { event: "both" },
  },
  {
    name: "a Midas DepositVault that takes requests and names the recipient",
    ...midasRequests,
    deploy: deployMidas({ deposit: "request", recipient: "argument", caller: "user" }),
  },
  {
    name: "a Midas DepositVault of before July 2025 that takes requests",
    ...midasRequests,
    deploy: deployMidas({ deposit: "request", recipient: "caller", caller: "user" }),
  },
]);
