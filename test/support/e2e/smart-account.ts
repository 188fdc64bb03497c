import { type Address, encodeFunctionData, type Hex, hexToBigInt, parseAbi } from "viem";
import { rpc } from "../../../scripts/stack/chains/json-rpc.ts";
import type { SentDeposit } from "./api.ts";
import { chainIds, chainOf, mined, newUser, sendCall, type TestChain } from "./chain.ts";

/** ABI of Multicall3. A copy of its code at an account makes calls as that account. Source: Multicall3.sol. */
const batchAbi = parseAbi([
  "struct Call { address target; bool allowFailure; uint256 value; bytes callData; }",
  "function aggregate3Value(Call[] calls) payable returns ((bool success, bytes returnData)[])",
]);

/** A contract wallet on both chains. It is the caller of its transactions, whichever account sends them. */
export interface SmartAccount {
  address: Address;
  /** Makes all calls in one transaction, as EIP-5792 wallets do, and returns its hash. */
  send(chain: TestChain, calls: SentDeposit["calls"]): Promise<Hex>;
}

/** Creates a contract wallet on both chains. */
export async function newSmartAccount(): Promise<SmartAccount> {
  const one = chainOf(chainIds.one);
  const code = await rpc(one.rpcUrl, "eth_getCode", one.info.contracts.multicall3, "latest");
  const { address } = await newUser(one);
  for (const { rpcUrl } of [one, chainOf(chainIds.two)]) await rpc(rpcUrl, "anvil_setCode", address, code);
  return {
    address,
    async send(chain, calls) {
      const payer = await newUser(chain);
      const hash = await sendCall(payer, { to: address, ...batchOf(calls) });
      await mined(chain, hash);
      return hash;
    },
  };
}

function batchOf(calls: SentDeposit["calls"]): { data: Hex; value: bigint } {
  const batch = calls.map(({ to, data, value }) => ({
    target: to as Address,
    allowFailure: false,
    value: hexToBigInt(value as Hex),
    callData: data as Hex,
  }));
  const data = encodeFunctionData({ abi: batchAbi, functionName: "aggregate3Value", args: [batch] });
  return { data, value: batch.reduce((sum, { value }) => sum + value, 0n) };
}
