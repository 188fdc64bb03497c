import { parseAbi } from "viem";
import { once } from "../../lib/once.ts";

const relayStruct =
  "struct RelayData { bytes32 depositor; bytes32 recipient; bytes32 exclusiveRelayer; bytes32 inputToken; bytes32 outputToken; uint256 inputAmount; uint256 outputAmount; uint256 originChainId; uint256 depositId; uint32 fillDeadline; uint32 exclusivityDeadline; bytes message; }";
const callStruct = "struct Call { address target; bytes callData; uint256 value; }";

/**
 * ABI of the SpokePool's `deposit` with 32-byte addresses: the only SpokePool function for which transactions are
 * built. Source: across-protocol/contracts SpokePool.sol.
 */
export const depositAbi = once(() =>
  parseAbi([
    "function deposit(bytes32 depositor, bytes32 recipient, bytes32 inputToken, bytes32 outputToken, uint256 inputAmount, uint256 outputAmount, uint256 destinationChainId, bytes32 exclusiveRelayer, uint32 quoteTimestamp, uint32 fillDeadline, uint32 exclusivityParameter, bytes message) payable",
  ]),
);

/**
 * ABI of the SpokePool's fill status, fill function, and deposit and fill events. Source: across-protocol/contracts
 * SpokePool.sol.
 */
export const spokePoolAbi = once(() =>
  parseAbi([
    relayStruct,
    "struct RelayExecution { bytes32 updatedRecipient; bytes32 updatedMessageHash; uint256 updatedOutputAmount; uint8 fillType; }",
    "function fillStatuses(bytes32 relayHash) view returns (uint256)",
    "function fillRelay(RelayData relayData, uint256 repaymentChainId, bytes32 repaymentAddress)",
    "event FundsDeposited(bytes32 inputToken, bytes32 outputToken, uint256 inputAmount, uint256 outputAmount, uint256 indexed destinationChainId, uint256 indexed depositId, uint32 quoteTimestamp, uint32 fillDeadline, uint32 exclusivityDeadline, bytes32 indexed depositor, bytes32 recipient, bytes32 exclusiveRelayer, bytes message)",
    "event FilledRelay(bytes32 inputToken, bytes32 outputToken, uint256 inputAmount, uint256 outputAmount, uint256 repaymentChainId, uint256 indexed originChainId, uint256 indexed depositId, uint32 fillDeadline, uint32 exclusivityDeadline, bytes32 exclusiveRelayer, bytes32 indexed relayer, bytes32 depositor, bytes32 recipient, bytes32 messageHash, RelayExecution relayExecutionInfo)",
  ]),
);

/**
 * ABI of the used function and events of the multicall handler, the contract that makes destination calls. Source:
 * across-protocol/contracts MulticallHandler.sol.
 */
export const handlerAbi = once(() =>
  parseAbi([
    callStruct,
    "struct Replacement { address token; uint256 offset; }",
    "function makeCallWithBalance(address target, bytes callData, uint256 value, Replacement[] replacement)",
    "event CallsFailed(Call[] calls, address indexed fallbackRecipient)",
    "event DrainedTokens(address indexed recipient, address indexed token, uint256 indexed amount)",
  ]),
);

/**
 * ABI parameters of the message to the multicall handler: one `Instructions` struct. Source:
 * MulticallHandler.sol.
 */
export const instructionsParameters = [
  {
    type: "tuple",
    components: [
      {
        name: "calls",
        type: "tuple[]",
        components: [
          { name: "target", type: "address" },
          { name: "callData", type: "bytes" },
          { name: "value", type: "uint256" },
        ],
      },
      { name: "fallbackRecipient", type: "address" },
    ],
  },
] as const;

/**
 * ABI parameters of the relay hash's preimage: the relay data and the destination chain id. Source: SpokePool.sol.
 */
export const relayHashParameters = [
  {
    type: "tuple",
    components: [
      { name: "depositor", type: "bytes32" },
      { name: "recipient", type: "bytes32" },
      { name: "exclusiveRelayer", type: "bytes32" },
      { name: "inputToken", type: "bytes32" },
      { name: "outputToken", type: "bytes32" },
      { name: "inputAmount", type: "uint256" },
      { name: "outputAmount", type: "uint256" },
      { name: "originChainId", type: "uint256" },
      { name: "depositId", type: "uint256" },
      { name: "fillDeadline", type: "uint32" },
      { name: "exclusivityDeadline", type: "uint32" },
      { name: "message", type: "bytes" },
    ],
  },
  { type: "uint256" },
] as const;
