import { type Abi, type Address, encodeDeployData, encodeFunctionData, zeroAddress } from "viem";
import {
  mellowDepositQueueAbi,
  mellowDepositQueueCreationCode,
  mellowFeeManagerAbi,
  mellowFeeManagerCreationCode,
  mellowOracleAbi,
  mellowOracleCreationCode,
  mellowRedeemQueueAbi,
  mellowRedeemQueueCreationCode,
  mellowShareManagerAbi,
  mellowShareManagerCreationCode,
  mellowSyncDepositQueueAbi,
  mellowSyncDepositQueueCreationCode,
  mellowSyncRedeemQueueAbi,
  mellowSyncRedeemQueueCreationCode,
  mellowVaultAbi,
  mellowVaultCreationCode,
} from "#stand-ins/mellow";
import type { ChainScript } from "../../../../scripts/stack/chains/chain-script.ts";
import type { Token } from "../../../../src/vaults/vault.ts";
import type { StandIn } from "./family.ts";
import { mint, whole } from "./use.ts";
import type { World } from "./world.ts";

/** Configuration of the deployed Mellow vault. */
export interface MellowSetup {
  queue: "sync" | "async";
  caller: "router" | "user";
  /** When redemptions are paid: in the same transaction (default), or later. */
  redeem?: "sync" | "async";
  /** Redemption penalty in millionths. */
  penalty?: bigint;
  fee?: number;
}

const ONE = 10n ** 18n;
const DAY = 86_400;

/**
 * Returns the reported price: shares per asset, both in the smallest unit, times 10^18. A share is worth 1.0731 assets.
 */
export const reportPrice = (decimals: number): bigint => (10n ** BigInt(36 - decimals) * 10_000n) / 10_731n;

interface Contracts {
  oracle: Address;
  fees: Address;
  shares: Address;
  vault: Address;
  queue: Address;
  redeem: Address;
}

function deployContracts(script: ChainScript, of: { asset: Token; setup: MellowSetup }): Contracts {
  const { asset, setup } = of;
  const oracle = script.deploy(
    "oracle",
    encodeDeployData({ abi: mellowOracleAbi, bytecode: mellowOracleCreationCode }),
  );
  const fees = script.deploy(
    "fees",
    encodeDeployData({ abi: mellowFeeManagerAbi, bytecode: mellowFeeManagerCreationCode }),
  );
  const manager = { abi: mellowShareManagerAbi, bytecode: mellowShareManagerCreationCode } as const;
  const shares = script.deploy("shares", encodeDeployData({ ...manager, args: ["A vault", "V"] }));
  const core = { abi: mellowVaultAbi, bytecode: mellowVaultCreationCode } as const;
  const vault = script.deploy("vault", encodeDeployData({ ...core, args: [shares, oracle, fees] }));
  const mints = { abi: mellowSyncDepositQueueAbi, bytecode: mellowSyncDepositQueueCreationCode } as const;
  const takes = { abi: mellowDepositQueueAbi, bytecode: mellowDepositQueueCreationCode } as const;
  const data =
    setup.queue === "sync"
      ? encodeDeployData({ ...mints, args: [asset.address, vault, setup.penalty ?? 0n, 365 * DAY] })
      : encodeDeployData({ ...takes, args: [asset.address, vault] });
  const queue = script.deploy("queue", data);
  const out = { abi: mellowSyncRedeemQueueAbi, bytecode: mellowSyncRedeemQueueCreationCode } as const;
  const later = { abi: mellowRedeemQueueAbi, bytecode: mellowRedeemQueueCreationCode } as const;
  const args = [asset.address, vault] as const;
  const pays =
    setup.redeem === "async" ? encodeDeployData({ ...later, args }) : encodeDeployData({ ...out, args });
  const redeem = script.deploy("redeem queue", pays);
  return { oracle, fees, shares, vault, queue, redeem };
}

/** Deploys a vault with a deposit and a redemption queue, a current report and a supply of 100,000 shares. */
export function deployMellow(setup: MellowSetup) {
  return (world: World, asset: Token): Promise<StandIn> =>
    world.script(async (script) => {
      const { timestamp } = await world.client.getBlock();
      const contracts = deployContracts(script, { asset, setup });
      const { oracle, fees, shares, vault, queue, redeem } = contracts;
      const call = (to: Address, abi: Abi, [functionName, ...args]: readonly [string, ...unknown[]]) =>
        script.send(functionName, { to, data: encodeFunctionData({ abi, functionName, args }) });
      call(shares, mellowShareManagerAbi, ["setVault", vault]);
      call(vault, mellowVaultAbi, ["createQueue", queue, asset.address, true]);
      call(vault, mellowVaultAbi, ["createQueue", redeem, asset.address, false]);
      call(fees, mellowFeeManagerAbi, ["setDepositFeeD6", setup.fee ?? 0]);
      const report = [asset.address, reportPrice(asset.decimals), Number(timestamp), false] as const;
      call(oracle, mellowOracleAbi, ["submit", ...report]);
      call(shares, mellowShareManagerAbi, ["mint", script.deployer, 100_000n * ONE]);
      const payer = setup.redeem === "async" ? vault : redeem;
      mint(script, { token: asset, to: payer, amount: whole(asset, 1_000_000n) });
      const entryPoint = queue.toLowerCase();
      const row = {
        ...{ address: vault, shareToken: shares.toLowerCase(), shareDecimals: 18 },
        ...{ entryPoint, spender: entryPoint, pricer: oracle.toLowerCase(), caller: setup.caller },
        params: {
          ...{ queue: setup.queue, redeem_queues: redeem.toLowerCase(), deposit_queues: "" },
          ...{
            referrer: zeroAddress,
            other_redeem_queues: "",
            other_deposit_queues: "",
            all_queues: "known",
          },
          request_queues: setup.redeem === "async" ? redeem.toLowerCase() : "",
          [setup.redeem === "async" ? "redeem_queue" : "sync_redeem_queue"]: redeem.toLowerCase(),
        },
      };
      return { row, owner: script.deployer, parts: { ...contracts } };
    });
}

/** Decimals of the token that the redemption queues of {@link deployMellowPayingOther} pay. */
export const OTHER_DECIMALS = 8;
/** Reported price of that token: shares per token, both in the smallest unit, times 10^18. It is worth 2.0013 assets. */
export const otherPrice = (assetDecimals: number): bigint =>
  (((reportPrice(assetDecimals) * 20_013n) / 10_000n) * 10n ** BigInt(assetDecimals)) /
  10n ** BigInt(OTHER_DECIMALS);

/**
 * Deploys a vault whose two redemption queues (`parts.first` and `parts.second`) pay a token other than its asset,
 * `parts.other`, by request.
 */
export async function deployMellowPayingOther(world: World, asset: Token): Promise<StandIn> {
  const made = await deployMellow({ queue: "sync", caller: "user", redeem: "async" })(world, asset);
  const other = await world.token(OTHER_DECIMALS);
  const { timestamp } = await world.client.getBlock();
  const { vault = zeroAddress, oracle = zeroAddress, redeem = zeroAddress } = made.parts;
  const [first, second] = await world.script((script) => {
    const code = { abi: mellowRedeemQueueAbi, bytecode: mellowRedeemQueueCreationCode } as const;
    const data = encodeDeployData({ ...code, args: [other.address, vault] });
    mint(script, { token: other, to: vault, amount: whole(other, 1_000_000n) });
    return [script.deploy("first", data), script.deploy("second", data)] as const;
  });
  const call = async (to: Address, abi: Abi, [functionName, ...args]: readonly [string, ...unknown[]]) => {
    await world.send(made.owner, { to, data: encodeFunctionData({ abi, functionName, args }) });
  };
  for (const queue of [first, second])
    await call(vault, mellowVaultAbi, ["createQueue", queue, other.address, false]);
  await call(vault, mellowVaultAbi, ["removeQueue", redeem, asset.address]);
  const report = [other.address, otherPrice(asset.decimals), Number(timestamp), false] as const;
  await call(oracle, mellowOracleAbi, ["submit", ...report]);
  const queues = `${first},${second}`.toLowerCase();
  const params = {
    ...{ ...made.row.params, redeem_queues: "", other_redeem_queues: queues, request_queues: queues },
    redeem_queue: first.toLowerCase(),
    redeem_tokens: `${other.address.toLowerCase()}/${other.decimals}/${other.symbol}`,
  };
  const parts = { ...made.parts, other: other.address, first, second };
  return { ...made, row: { ...made.row, params }, parts };
}
