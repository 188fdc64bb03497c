import { type Address, parseAbi } from "viem";
import { runQuery } from "./aggregator/aggregate-reads.ts";
import type { ChainClient } from "./chain-client.ts";
import { createQuery, mapQuery, type Query, read, valueOrNull } from "./chain-reads.ts";
import { RpcQuantity } from "./rpc-values.ts";

/** Transaction fees of a chain, in wei. */
export interface GasFees {
  /** Price of one unit of gas. */
  gasPrice: bigint;
  /** L1 data fee per byte of a transaction, in wei, rounded down; zero also if the chain is not known to charge one. */
  dataFeePerByte: bigint;
}

/** The gas price oracle, at the same address on every OP stack chain. Source: optimism, GasPriceOracle (Fjord). */
const OP_STACK_ORACLE: Address = "0x420000000000000000000000000000000000000F";
const opStackAbi = parseAbi(["function getL1FeeUpperBound(uint256 unsignedTxSize) view returns (uint256)"]);
/**
 * Address of Arbitrum's gas information precompile; the second value is the price of one byte of calldata. Source:
 * nitro-contracts, ArbGasInfo.
 */
const ARBITRUM_GAS_INFO: Address = "0x000000000000000000000000000000000000006C";
const arbitrumAbi = parseAbi([
  "function getPricesInWei() view returns (uint256, uint256, uint256, uint256, uint256, uint256)",
]);
/** Transaction size for which the data fee is read, in bytes; the fee is about proportional to the size. */
const SAMPLE_BYTES = 1_000n;
/** Size of a signed transaction without its calldata, in bytes. */
const ENVELOPE_BYTES = 120n;

/**
 * Reads the current transaction fees of a chain. Returns null if the data fee could not be read from the contract that
 * reports it. Errors of the chain client propagate.
 */
export async function readGasFees(client: ChainClient): Promise<GasFees | null> {
  const query = dataFeeQuery(client.definition.dataFee ?? null);
  const [gasPrice, dataFeePerByte] = await Promise.all([
    client.ask({ method: "eth_gasPrice", params: [], read: (response) => RpcQuantity.parse(response) }),
    query === null ? 0n : runQuery(client, query).then(({ value }) => value),
  ]);
  return dataFeePerByte === null ? null : { gasPrice, dataFeePerByte };
}

function dataFeeQuery(kind: "op-stack" | "arbitrum" | null): Query<bigint | null> | null {
  switch (kind) {
    case "op-stack": {
      const sample = { to: OP_STACK_ORACLE, abi: opStackAbi, name: "getL1FeeUpperBound" } as const;
      const query = createQuery({ fee: read({ ...sample, args: [SAMPLE_BYTES] }) }, ({ fee }) =>
        valueOrNull(fee),
      );
      return mapQuery(query, (fee) => (fee === null ? null : fee / SAMPLE_BYTES));
    }
    case "arbitrum": {
      const prices = read({ to: ARBITRUM_GAS_INFO, abi: arbitrumAbi, name: "getPricesInWei" });
      return createQuery({ prices }, (results) => valueOrNull(results.prices)?.[1] ?? null);
    }
    default:
      return null;
  }
}

/**
 * Returns the estimated fee of a transaction, in wei: its gas at the gas price of `fees` plus the L1 data fee, if any,
 * of its calldata (`dataBytes` bytes) and of an envelope of 120 bytes.
 */
export function gasCost(
  fees: GasFees,
  { gasUsed, dataBytes }: { gasUsed: bigint; dataBytes: number },
): bigint {
  return gasUsed * fees.gasPrice + fees.dataFeePerByte * (BigInt(dataBytes) + ENVELOPE_BYTES);
}
