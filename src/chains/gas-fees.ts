import { type Address, parseAbi } from "viem";
import { runQuery } from "./aggregate-reads.ts";
import type { ChainClient } from "./chain-client.ts";
import { createQuery, mapQuery, type Query, read, valueOrNull } from "./chain-query.ts";
import { RpcQuantity } from "./rpc-values.ts";

/** What a transaction costs on a chain, in wei. */
export interface GasFees {
  /** Price of one unit of gas. */
  gasPrice: bigint;
  /** What an L2 charges besides for one byte of a transaction, because it publishes it on L1; zero elsewhere. */
  dataFeePerByte: bigint;
}

/** Source: optimism, GasPriceOracle (Fjord), the same predeploy on every chain of the OP stack. */
const OP_STACK_ORACLE: Address = "0x420000000000000000000000000000000000000F";
const opStackAbi = parseAbi(["function getL1FeeUpperBound(uint256 unsignedTxSize) view returns (uint256)"]);
/** Source: nitro-contracts, ArbGasInfo; the second value is the price of one byte of calldata. */
const ARBITRUM_GAS_INFO: Address = "0x000000000000000000000000000000000000006C";
const arbitrumAbi = parseAbi([
  "function getPricesInWei() view returns (uint256, uint256, uint256, uint256, uint256, uint256)",
]);
/** Size of the transaction whose data fee is asked for, in bytes; the fee grows with the size. */
const SAMPLE_BYTES = 1_000n;
/** Bytes of a signed transaction besides its calldata. */
const ENVELOPE_BYTES = 120n;

/**
 * Reads what transactions cost on a chain now, in one or two requests in parallel. Returns null for a chain whose data
 * fee could not be read. Errors of the chain client propagate.
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

/** Returns what a transaction costs its sender, in wei. `dataBytes` is the size of its calldata. */
export function gasCost(
  fees: GasFees,
  { gasUsed, dataBytes }: { gasUsed: bigint; dataBytes: number },
): bigint {
  return gasUsed * fees.gasPrice + fees.dataFeePerByte * (BigInt(dataBytes) + ENVELOPE_BYTES);
}
