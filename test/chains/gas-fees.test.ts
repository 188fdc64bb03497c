import { type Address, encodeAbiParameters, type Hex, numberToHex } from "viem";
import { describe, expect, test } from "vitest";
import { gasCost, readGasFees } from "../../src/chains/gas-fees.ts";
import { completeClient } from "../support/chains/complete-client.ts";
import { type Contracts, contractsClient } from "../support/chains/multicall.ts";
import { testChain } from "../support/chains/rpc-node.ts";

const GWEI = 10n ** 9n;
const ARB_GAS_INFO: Address = "0x000000000000000000000000000000000000006C";

function chainOf(dataFee: "op-stack" | "arbitrum" | undefined, contracts: Contracts) {
  const definition = dataFee === undefined ? testChain : { ...testChain, dataFee };
  const reading = contractsClient(contracts, { definition });
  return completeClient({
    ...reading,
    request: async (method: string, params: readonly unknown[]) =>
      method === "eth_gasPrice" ? "0x3b9aca00" : reading.request(method, params),
  });
}
const silent: Contracts = () => ({ ok: false, data: "0x" });
const word = (value: bigint): Hex => numberToHex(value, { size: 32 });

describe("readGasFees()", () => {
  test("reads the gas price alone where a chain charges nothing else", async () => {
    const client = chainOf(undefined, silent);
    expect(await readGasFees(client)).toEqual({ gasPrice: GWEI, dataFeePerByte: 0n });
  });

  test("reads what a chain of the OP stack charges for a byte", async () => {
    const client = chainOf("op-stack", () => ({ ok: true, data: word(5_000_000n) }));
    expect(await readGasFees(client)).toEqual({ gasPrice: GWEI, dataFeePerByte: 5_000n });
  });

  test("reads what Arbitrum charges for a byte", async () => {
    const prices = encodeAbiParameters(
      Array.from({ length: 6 }, () => ({ type: "uint256" })) as never,
      [...[1n, 7_000n, 3n, 4n, 5n, 6n]] as never,
    );
    const client = chainOf("arbitrum", ({ to }) =>
      to === ARB_GAS_INFO ? { ok: true, data: prices } : { ok: false, data: "0x" },
    );
    expect(await readGasFees(client)).toEqual({ gasPrice: GWEI, dataFeePerByte: 7_000n });
  });

  test("is null where the data fee cannot be read", async () => {
    expect(await readGasFees(chainOf("op-stack", silent))).toBeNull();
  });
});

test("gasCost() adds the data fee of calldata and envelope", () => {
  const cost = (dataFeePerByte: bigint) =>
    gasCost({ gasPrice: GWEI, dataFeePerByte }, { gasUsed: 100_000n, dataBytes: 380 });
  expect([cost(0n), cost(1_000n)]).toEqual([100_000n * GWEI, 100_000n * GWEI + 500_000n]);
});
