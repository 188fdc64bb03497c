import { type Address, encodeFunctionData, type Hex, parseAbi } from "viem";
import { contractsOf, deploy, optimized, type ScratchChain, send } from "../stack/chains/scratch-chain.ts";

/** The ABI of FlowEmitter.sol, with the ERC-4626 events that it emits. */
export const emitterAbi = parseAbi([
  "function deposit(address owner, uint256 assets)",
  "function withdraw(address owner, uint256 assets)",
  "function many(uint256 count, uint256 users, uint256 seed)",
  "function raw(bytes32[] topics, bytes data)",
  "event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)",
  "event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
]);

/** Deploys `count` contracts that emit the events of vaults, and returns their addresses. */
export async function deployEmitters(chain: ScratchChain, count: number): Promise<Address[]> {
  const { creationCode } = contractsOf("scripts/bench/FlowEmitter.sol", optimized)("Emitter");
  const addresses: Address[] = [];
  for (let index = 0; index < count; index += 1) addresses.push(await deploy(chain, creationCode));
  return addresses;
}

/** Encodes the emitter's call for one `Deposit` event of `assets` and twice as many shares. */
export const depositData = (owner: Address, assets: bigint): Hex =>
  encodeFunctionData({ abi: emitterAbi, functionName: "deposit", args: [owner, assets] });
/** Encodes the emitter's call for one `Withdraw` event of `assets` and twice as many shares. */
export const withdrawData = (owner: Address, assets: bigint): Hex =>
  encodeFunctionData({ abi: emitterAbi, functionName: "withdraw", args: [owner, assets] });

/** Encodes the emitter's call for a log with up to four topics and any data. */
export const rawData = ({ topics, data }: { topics: readonly Hex[]; data: Hex }): Hex =>
  encodeFunctionData({ abi: emitterAbi, functionName: "raw", args: [topics, data] });

/** Emits one `Deposit` event and mines it at once. */
export function emitDeposit(chain: ScratchChain, of: { vault: Address; owner: Address; assets: bigint }) {
  return send(chain, { to: of.vault, data: depositData(of.owner, of.assets) });
}

/**
 * Reads all flow events directly from the chain, in block order, as the reference that the index is compared with:
 * texts of block hash, transaction hash, log index, lowercase owner and assets (negative for withdrawals).
 */
export async function readFlowsFromChain(chain: ScratchChain, vaults: readonly Address[]): Promise<string[]> {
  const logs = await chain.node.getLogs({
    address: [...vaults],
    events: emitterAbi.filter((item) => item.type === "event"),
    fromBlock: 0n,
  });
  return logs.map(({ args, eventName, transactionHash, logIndex, blockHash }) => {
    const sign = eventName === "Deposit" ? "" : "-";
    return `${blockHash} ${transactionHash} ${logIndex} ${args.owner?.toLowerCase()} ${sign}${args.assets}`;
  });
}
