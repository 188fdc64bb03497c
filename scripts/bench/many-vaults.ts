import {
  type Address,
  concatHex,
  encodeFunctionData,
  erc20Abi,
  erc4626Abi,
  getContractAddress,
  type Hex,
  maxUint256,
  multicall3Abi,
  numberToHex,
} from "viem";
import { z } from "zod";
import { stackTokenAbi } from "#stand-ins/standard";
import { rpc } from "../stack/chains/json-rpc.ts";
import { vaultDeployData } from "../stack/chains/vault-kinds.ts";
import type { StackChain } from "../stack/manifest.ts";

/** Impersonated account that deploys the vaults. anvil gives it native currency. */
const DEPLOYER: Address = "0x3333333333333333333333333333333333333333";
const CLONES_PER_TRANSACTION = 100;
const DEPOSITS_PER_TRANSACTION = 50;
const OFFSET = 6;
const Receipt = z.object({ status: z.literal("0x1"), contractAddress: z.string().nullish() });

/**
 * Deploys `count` ERC-4626 vaults (EIP-1167 clones of OpenZeppelin's), each with a different share price, and deposits
 * into each for `holder`, or into the first `held` only. Returns their addresses. Throws if the chain has no Multicall3
 * or a transaction fails.
 */
export async function deployManyVaults(
  chain: StackChain,
  { count, holder, held = count }: { count: number; holder: Address; held?: number },
): Promise<Address[]> {
  const { multicall3 } = chain.contracts;
  if (multicall3 === null) throw new Error(`chain ${chain.chain_id} has no Multicall3`);
  const url = chain.rpc_url;
  await rpc(url, "anvil_impersonateAccount", DEPLOYER);
  await rpc(url, "anvil_setBalance", DEPLOYER, numberToHex(10n ** 24n));
  const asset = chain.contracts.tokens.USDC.address;
  const build = { kind: "open_zeppelin", offset: OFFSET } as const;
  const model = await deploy(url, vaultDeployData(build, [asset, "Farmed USDC", "farm"]));
  const vaults: Address[] = [];
  while (vaults.length < count) {
    const size = Math.min(CLONES_PER_TRANSACTION, count - vaults.length);
    const factory = await deploy(url, cloneMany(model, size));
    for (let nonce = 1n; nonce <= size; nonce += 1n)
      vaults.push(getContractAddress({ from: factory, nonce }));
  }
  const funds = encodeFunctionData({
    abi: stackTokenAbi,
    functionName: "mint",
    args: [multicall3, 10n ** 18n],
  });
  await send(url, { to: asset, data: funds });
  for (let start = 0; start < held; start += DEPOSITS_PER_TRANSACTION) {
    const batch = vaults.slice(start, Math.min(held, start + DEPOSITS_PER_TRANSACTION));
    const calls = batch.flatMap((vault, index) =>
      depositCalls(vault, { asset, holder, rank: start + index }),
    );
    const data = encodeFunctionData({ abi: multicall3Abi, functionName: "aggregate3", args: [calls] });
    await send(url, { to: multicall3, data });
  }
  return vaults;
}

/** Encodes the calls that deposit for the holder and then add yield. */
function depositCalls(
  vault: Address,
  { asset, holder, rank }: { asset: Address; holder: Address; rank: number },
) {
  const amount = 1_000_000n * BigInt(rank + 1);
  const call = (target: Address, callData: Hex) => ({ target, callData, allowFailure: false });
  const approve = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [vault, maxUint256] });
  const deposit = encodeFunctionData({ abi: erc4626Abi, functionName: "deposit", args: [amount, holder] });
  const yielded = encodeFunctionData({
    abi: erc20Abi,
    functionName: "transfer",
    args: [vault, amount / 17n],
  });
  return [call(asset, approve), call(vault, deposit), call(asset, yielded)];
}

/**
 * Returns creation code that deploys `count` minimal proxies (EIP-1167) of `model` and leaves no code of its own. The
 * proxies' addresses are derived from its address and the nonces from 1.
 */
function cloneMany(model: Address, count: number): Hex {
  const child = concatHex([
    "0x3d602d80600a3d3981f3363d3d373d3d3d363d73",
    model,
    "0x5af43d82803e903d91602b57fd5bf3",
  ]);
  // CODECOPY(0, 34, 55); n = count; do { CREATE(0, 0, 55) } while (--n); STOP
  const loop = "0x5b603760006000f050600190038060";
  const head = concatHex(["0x6037602260003961", numberToHex(count, { size: 2 })]);
  const start = (head.length - 2) / 2;
  return pad(concatHex([head, loop, numberToHex(start, { size: 1 }), "0x5700"]), child);
}

/** Pads the program with STOP up to byte 34, then appends the data that it copies from there. */
function pad(program: Hex, data: Hex): Hex {
  const missing = 34 - (program.length - 2) / 2;
  if (missing < 0) throw new RangeError("the program is too long");
  return concatHex([program, `0x${"00".repeat(missing)}`, data]);
}

async function deploy(url: string, data: Hex): Promise<Address> {
  const { contractAddress } = await send(url, { data });
  if (contractAddress === null || contractAddress === undefined) throw new Error("nothing was deployed");
  return contractAddress as Address;
}

async function send(url: string, transaction: { to?: Address; data: Hex }) {
  const from = { from: DEPLOYER, gas: numberToHex(29_000_000) };
  const hash = await rpc(url, "eth_sendTransaction", { ...from, ...transaction });
  for (let tries = 0; tries < 500; tries += 1) {
    const receipt = await rpc(url, "eth_getTransactionReceipt", hash);
    if (receipt !== null) return Receipt.parse(receipt);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`${String(hash)} was not mined`);
}
