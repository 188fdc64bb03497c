import {
  type Address,
  decodeAbiParameters,
  decodeFunctionData,
  encodeAbiParameters,
  encodeEventTopics,
  erc20Abi,
  getAddress,
  type Hex,
  isAddressEqual,
  parseAbi,
  parseAbiParameters,
  slice,
  toHex,
  zeroAddress,
} from "viem";
import { once } from "../../../src/lib/once.ts";
import { handlerAbi, instructionsParameters } from "../../../src/providers/across/across-abi.ts";
import type { AcrossDeposit } from "../../../src/providers/across/tracking/across-deposit-tracking.ts";
import { relayHash } from "../../../src/providers/across/tracking/across-deposit-tracking.ts";
import { depositRouterAddress } from "../../../src/router/router-address.ts";
import { decodeRouterCall } from "../../../src/router/router-codec.ts";
import { filledRelay, fundsDeposited } from "../across/logs.ts";
import { routerOutcome } from "./router.ts";
import {
  type Emitted,
  type Included,
  type Outcome,
  perBlock,
  type SimulatedBlock,
  type SimulatedChain,
} from "./simulated-chain.ts";

/** Ids of the vaults' chain and of the chain from which bridges transfer. */
export const HOME = 31337;
export const AWAY = 31338;
/** Ids of all chains that a simulation may have. */
export const CHAIN_IDS: readonly number[] = Array.from({ length: 15 }, (_, index) => HOME + index);

/** Returns a contract of each chain, whose address repeats a byte and ends with the number of the chain. */
const onEachChain = (byte: string): Readonly<Record<number, Address>> =>
  Object.fromEntries(
    CHAIN_IDS.map((id) => [id, getAddress(`0x${byte.repeat(19)}0${(id - HOME + 1).toString(16)}`)]),
  );

export const USDC = onEachChain("c0");
export const SPOKE_POOL = onEachChain("5b");
export const HANDLER: Address = getAddress(`0x${"4a".repeat(19)}01`);
export const RELAYER: Address = getAddress(`0x${"2e".repeat(19)}01`);
/** A contract that emits arbitrary events. */
export const FORGER: Address = getAddress(`0x${"66".repeat(19)}01`);
/** An exchange that swaps another token into the asset and calls the Router, and that token. */
export const EXCHANGE: Address = getAddress(`0x${"ec".repeat(20)}`);
export const PAID_TOKEN: Address = getAddress(`0x${"da".repeat(20)}`);
/** A vault that the Router can call, and one that only users can call. */
export const ROUTED_VAULT: Address = getAddress(`0x${"1a".repeat(19)}01`);
export const OWN_VAULT: Address = getAddress(`0x${"1a".repeat(19)}02`);
export const VAULTS: readonly Address[] = [ROUTED_VAULT, OWN_VAULT];

/** Functions and event of the vaults. */
export const vaultAbi = parseAbi([
  "function asset() view returns (address)",
  "function totalAssets() view returns (uint256)",
  "function totalSupply() view returns (uint256)",
  "function convertToAssets(uint256) view returns (uint256)",
  "function convertToShares(uint256) view returns (uint256)",
  "function previewDeposit(uint256) view returns (uint256)",
  "function maxDeposit(address) view returns (uint256)",
  "function paused() view returns (bool)",
  "function deposit(uint256 assets, address receiver) returns (uint256 shares)",
  "event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)",
]);
const spokeDepositAbi = parseAbi([
  "function deposit(bytes32 depositor, bytes32 recipient, bytes32 inputToken, bytes32 outputToken, uint256 inputAmount, uint256 outputAmount, uint256 destinationChainId, bytes32 exclusiveRelayer, uint32 quoteTimestamp, uint32 fillDeadline, uint32 exclusivityParameter, bytes message) payable",
]);
/** Balance of each account in each token, all of it approved to every spender, in the smallest unit. */
export const START_BALANCE = 10n ** 15n;
export const PRICE_UNIT = 10n ** 9n;

/**
 * Returns the shares that a vault mints in the next block. Its price changes with every block, so that no two blocks
 * mint the same number.
 */
export const sharesFor = (chain: SimulatedChain, assets: bigint): bigint =>
  (assets * PRICE_UNIT) / (1_250_000_000n + BigInt(chain.head.number) * 1_000n);

/** A call of a contract. `delivered` is the caller's balance, which replaces an amount of "all". */
export interface Call {
  from: Address;
  to: Address;
  data: Hex;
  delivered?: bigint;
}

const FAILED: Outcome = { succeeded: false, logs: [] };

/** Executes a call on the chain's current state. */
export function execute(chain: SimulatedChain, call: Call): Outcome {
  try {
    if (isAddressEqual(call.to, depositRouterAddress)) return routerOutcome(chain, call);
    if (VAULTS.some((vault) => isAddressEqual(vault, call.to))) return depositIntoVault(chain, call);
    if (isAddressEqual(call.to, EXCHANGE)) return swapAndDeposit(chain, call);
    const spokePool = SPOKE_POOL[chain.chainId];
    if (spokePool !== undefined && isAddressEqual(call.to, spokePool))
      return depositIntoSpokePool(chain, call);
    return { succeeded: true, logs: [] };
  } catch {
    return FAILED;
  }
}

const lower = (event: { address: Address; topics: unknown; data: Hex }): Emitted => ({
  address: event.address.toLowerCase() as Hex,
  topics: (event.topics as Hex[]).map((topic) => topic.toLowerCase() as Hex),
  data: event.data,
});

/** Creates a token's Transfer event. */
export function transfer(token: Address, of: { from: Address; to: Address; value: bigint }): Emitted {
  const { value, ...args } = of;
  const topics = encodeEventTopics({ abi: erc20Abi, eventName: "Transfer", args });
  return lower({ address: token, topics, data: toHex(value, { size: 32 }) });
}

/** Creates the events of a vault that mints shares, by default on the chain HOME. */
export function minted(
  vault: Address,
  of: { caller: Address; receiver: Address; assets: bigint; shares: bigint; chainId?: number },
) {
  const { caller, receiver, assets, shares, chainId = HOME } = of;
  const asset = USDC[chainId] ?? zeroAddress;
  const topics = encodeEventTopics({
    abi: vaultAbi,
    eventName: "Deposit",
    args: { sender: caller, owner: receiver },
  });
  const data = encodeAbiParameters(parseAbiParameters("uint256, uint256"), [assets, shares]);
  return [
    transfer(asset, { from: caller, to: vault, value: assets }),
    transfer(vault, { from: zeroAddress, to: receiver, value: shares }),
    lower({ address: vault, topics, data }),
  ];
}

function depositIntoVault(chain: SimulatedChain, { from, to, data }: Call): Outcome {
  const { functionName, args } = decodeFunctionData({ abi: vaultAbi, data });
  if (functionName !== "deposit") return FAILED;
  const [assets, receiver] = args;
  // Its shares cannot be minted for another account, as where a vault locks them. The proof of the other one deposits
  // for others, as the Router does.
  if (isAddressEqual(to, OWN_VAULT) && !isAddressEqual(receiver, from)) return FAILED;
  return {
    succeeded: true,
    logs: minted(to, {
      caller: from,
      receiver,
      assets,
      shares: sharesFor(chain, assets),
      chainId: chain.chainId,
    }),
  };
}

/** Selector of the exchange's function. The calldata of a Router deposit follows. */
export const SWAP_SELECTOR = "0x5a3ab1e5";

/** Takes the paid token, one for one of the asset, and deposits the asset through the Router. */
function swapAndDeposit(chain: SimulatedChain, { from, data }: Call): Outcome {
  const routed = `0x${data.slice(SWAP_SELECTOR.length)}` as const;
  const { succeeded, logs } = routerOutcome(chain, { from: EXCHANGE, to: EXCHANGE, data: routed });
  const value = decodeRouterCall(routed).order.amountIn;
  return succeeded
    ? { succeeded, logs: [transfer(PAID_TOKEN, { from, to: EXCHANGE, value }), ...logs] }
    : FAILED;
}

/** Returns the number of Across deposits in each block. */
const depositCounts = perBlock(({ included }) => {
  const topic = depositedTopic();
  return BigInt(included.flatMap(({ logs }) => logs).filter(({ topics }) => topics[0] === topic).length);
});

const depositedTopic = once((): Hex => (fundsDeposited({}).topics as Hex[])[0] ?? "0x");

function depositIntoSpokePool(chain: SimulatedChain, { from, to, data }: Call): Outcome {
  const { args } = decodeFunctionData({ abi: spokeDepositAbi, data });
  const [depositor, recipient, inputToken, outputToken, inputAmount, outputAmount, toChain] = args;
  const [exclusiveRelayer, quoteTimestamp, fillDeadline, , message] = args.slice(7) as [
    Hex,
    number,
    number,
    number,
    Hex,
  ];
  const depositId = 1n + depositCounts(chain).reduce((sum, count) => sum + count, 0n);
  const deposit: Partial<AcrossDeposit> = {
    ...{ depositId, depositor, recipient, exclusiveRelayer, inputToken, outputToken },
    ...{ inputAmount, outputAmount, quoteTimestamp, fillDeadline, exclusivityDeadline: 0, message },
    destinationChainId: Number(toChain),
  };
  const token = getAddress(slice(inputToken, 12));
  return {
    succeeded: true,
    logs: [transfer(token, { from, to, value: inputAmount }), lower(fundsDeposited(deposit, to))],
  };
}

/** Decodes the Across deposits in a transaction's events. */
export function acrossDeposits(originChainId: number, logs: readonly Emitted[]): AcrossDeposit[] {
  const topic = depositedTopic();
  const pool = SPOKE_POOL[originChainId]?.toLowerCase();
  return logs.flatMap(({ address, topics, data }) => {
    if (topics[0] !== topic || address !== pool) return [];
    const [, toChain = "0x0", id = "0x0", depositor = "0x"] = topics;
    const [inputToken, outputToken, inputAmount, outputAmount, quoteTimestamp, ...rest] = decodeAbiParameters(
      parseAbiParameters(
        "bytes32, bytes32, uint256, uint256, uint32, uint32, uint32, bytes32, bytes32, bytes",
      ),
      data,
    );
    const [fillDeadline, exclusivityDeadline, recipient, exclusiveRelayer, message] = rest;
    return [
      {
        ...{ originChainId, destinationChainId: Number(BigInt(toChain)), depositId: BigInt(id), depositor },
        ...{ recipient, exclusiveRelayer, inputToken, outputToken, inputAmount, outputAmount },
        ...{ quoteTimestamp, fillDeadline, exclusivityDeadline, message },
      },
    ];
  });
}

const fillKey = ({ topics, data }: Emitted): string => `${topics.join()} ${data}`;

/** Returns the transactions in each block that paid out Across deposits, by relay hash. */
const fillsInBlocks = perBlock(({ included }, chain) => {
  const found = new Map<Hex, Included>();
  for (const one of included)
    for (const log of one.logs) {
      const hash = chain.storage.get(fillKey(log));
      if (hash !== undefined) found.set(hash, one);
    }
  return found;
});

/** Returns the transaction that paid out the Across deposit with this relay hash, with its block. Null if there is none. */
export function findFill(chain: SimulatedChain, hash: Hex): { at: SimulatedBlock; one: Included } | null {
  const fills = fillsInBlocks(chain);
  const index = fills.findLastIndex((found) => found.has(hash));
  const [at, one] = [chain.blocks[index], fills[index]?.get(hash)];
  return at === undefined || one === undefined ? null : { at, one };
}

/** Returns true if the current chain contains a payout of the Across deposit with this relay hash. */
export const isFilled = (chain: SimulatedChain, hash: Hex): boolean => findFill(chain, hash) !== null;

/** Returns true if a transaction paid out the Across deposit with this relay hash. */
export const isFilledBy = (chain: SimulatedChain, { logs }: Outcome, hash: Hex): boolean =>
  logs.some((log) => chain.storage.get(fillKey(log)) === hash);

/** Executes a relayer's payout of an Across deposit, with the calls in its message. */
export function fill(chain: SimulatedChain, deposit: AcrossDeposit): Outcome {
  const pool = SPOKE_POOL[chain.chainId] ?? zeroAddress;
  const hash = relayHash(deposit);
  if (isFilled(chain, hash)) return FAILED;
  const event = lower(filledRelay(deposit, pool));
  chain.storage.set(fillKey(event), hash);
  const recipient = getAddress(slice(deposit.recipient, 12));
  const token = getAddress(slice(deposit.outputToken, 12));
  const value = deposit.outputAmount;
  const paid = [event, transfer(token, { from: RELAYER, to: recipient, value })];
  if (deposit.message === "0x") return { succeeded: true, logs: paid };
  const [{ calls, fallbackRecipient }] = decodeAbiParameters(instructionsParameters, deposit.message);
  const main = calls.find(({ target }) => isAddressEqual(target, depositRouterAddress));
  const made =
    main === undefined
      ? null
      : execute(chain, { from: HANDLER, to: main.target, data: main.callData, delivered: value });
  if (made?.succeeded === true) return { succeeded: true, logs: [...paid, ...made.logs] };
  const failed = main === undefined ? [] : [callsFailed(fallbackRecipient)];
  const drained = drainedTokens({ recipient: fallbackRecipient, token, amount: value });
  const back = transfer(token, { from: HANDLER, to: fallbackRecipient, value });
  return { succeeded: true, logs: [...paid, ...failed, back, drained] };
}

function callsFailed(fallbackRecipient: Address): Emitted {
  const topics = encodeEventTopics({
    abi: handlerAbi(),
    eventName: "CallsFailed",
    args: { fallbackRecipient },
  });
  const types = parseAbiParameters("(address target, bytes callData, uint256 value)[]");
  return lower({ address: HANDLER, topics, data: encodeAbiParameters(types, [[]]) });
}

function drainedTokens(args: { recipient: Address; token: Address; amount: bigint }): Emitted {
  return lower({
    address: HANDLER,
    topics: encodeEventTopics({ abi: handlerAbi(), eventName: "DrainedTokens", args }),
    data: "0x",
  });
}
