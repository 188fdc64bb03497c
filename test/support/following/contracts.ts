import {
  type Address,
  decodeAbiParameters,
  decodeFunctionData,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionResult,
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
import {
  handlerAbi,
  instructionsParameters,
  spokePoolAbi,
} from "../../../src/providers/across/across-abi.ts";
import type { AcrossDeposit } from "../../../src/providers/across/tracking/across-deposit-tracking.ts";
import { relayHash } from "../../../src/providers/across/tracking/across-deposit-tracking.ts";
import { depositRouterAddress } from "../../../src/router/router-address.ts";
import { filledRelay, fundsDeposited } from "../across/logs.ts";
import { routerOutcome } from "./router.ts";
import type { Emitted, Outcome, SimulatedChain } from "./simulated-chain.ts";

/** Ids of the vaults' chain and of the chain from which bridges transfer. */
export const HOME = 31337;
export const AWAY = 31338;

export const USDC: Readonly<Record<number, Address>> = {
  [HOME]: getAddress(`0x${"c0".repeat(19)}01`),
  [AWAY]: getAddress(`0x${"c0".repeat(19)}02`),
};
export const SPOKE_POOL: Readonly<Record<number, Address>> = {
  [HOME]: getAddress(`0x${"5b".repeat(19)}01`),
  [AWAY]: getAddress(`0x${"5b".repeat(19)}02`),
};
export const HANDLER: Address = getAddress(`0x${"4a".repeat(19)}01`);
export const RELAYER: Address = getAddress(`0x${"2e".repeat(19)}01`);
/** A contract that emits arbitrary events. */
export const FORGER: Address = getAddress(`0x${"66".repeat(19)}01`);
/** A vault that the Router can call, and one that only users can call. */
export const ROUTED_VAULT: Address = getAddress(`0x${"1a".repeat(19)}01`);
export const OWN_VAULT: Address = getAddress(`0x${"1a".repeat(19)}02`);
export const VAULTS: readonly Address[] = [ROUTED_VAULT, OWN_VAULT];

const vaultAbi = parseAbi([
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
const views = [...vaultAbi, ...erc20Abi] as const;

/** Balance of each account in each token, all of it approved to every spender, in the smallest unit. */
export const START_BALANCE = 10n ** 15n;
const PRICE_UNIT = 10n ** 9n;

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

/** Creates the events of a vault that mints shares. */
export function minted(
  vault: Address,
  of: { caller: Address; receiver: Address; assets: bigint; shares: bigint },
) {
  const { caller, receiver, assets, shares } = of;
  const asset = USDC[HOME] ?? zeroAddress;
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
    logs: minted(to, { caller: from, receiver, assets, shares: sharesFor(chain, assets) }),
  };
}

const depositedTopic = (): Hex => (fundsDeposited({}).topics as Hex[])[0] ?? "0x";

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
  const topic = depositedTopic();
  let depositId = 1n;
  for (const { log } of chain.events()) if (log.topics[0] === topic) depositId += 1n;
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

/** Returns true if the current chain contains a payout of the Across deposit with this relay hash. */
function isFilled(chain: SimulatedChain, hash: Hex): boolean {
  for (const { log } of chain.events()) if (chain.storage.get(fillKey(log)) === hash) return true;
  return false;
}

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

/** Returns the result of a view call. Null if the contract has no such function. */
export function view(chain: SimulatedChain, { to, data, balance }: Call & { balance?: bigint }): Hex | null {
  try {
    const spokePool = SPOKE_POOL[chain.chainId];
    if (spokePool !== undefined && isAddressEqual(to, spokePool)) {
      const { functionName, args } = decodeFunctionData({ abi: spokePoolAbi(), data });
      if (functionName !== "fillStatuses") return null;
      return toHex(isFilled(chain, args[0]) ? 2 : 0, { size: 32 });
    }
    const { functionName, args } = decodeFunctionData({ abi: views, data });
    const result = viewResult(chain, { to, functionName, args, balance: balance ?? START_BALANCE });
    return result === undefined ? null : encodeFunctionResult({ abi: views, functionName, result } as never);
  } catch {
    return null;
  }
}

function viewResult(
  chain: SimulatedChain,
  of: { to: Address; functionName: string; args: readonly unknown[] | undefined; balance: bigint },
): unknown {
  const [first] = of.args ?? [];
  const amount = typeof first === "bigint" ? first : 0n;
  const isVault = VAULTS.some((vault) => isAddressEqual(vault, of.to));
  const token: Record<string, unknown> = {
    balanceOf: of.balance,
    allowance: START_BALANCE,
    decimals: 6,
    symbol: "USDC",
    name: "USDC",
    totalSupply: START_BALANCE,
  };
  const vault: Record<string, unknown> = {
    asset: USDC[HOME],
    totalAssets: (START_BALANCE * 5n) / 4n,
    convertToAssets: (amount * (1_250_000_000n + BigInt(chain.head.number) * 1_000n)) / PRICE_UNIT,
    convertToShares: sharesFor(chain, amount),
    previewDeposit: sharesFor(chain, amount),
    maxDeposit: 2n ** 255n,
    paused: false,
  };
  return { ...token, ...(isVault ? vault : {}) }[of.functionName];
}
