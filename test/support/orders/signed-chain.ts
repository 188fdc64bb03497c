import {
  type Address,
  decodeFunctionData,
  encodeAbiParameters,
  encodeErrorResult,
  encodeFunctionResult,
  type Hex,
  numberToHex,
  parseAbi,
  size,
  zeroAddress,
  zeroHash,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import {
  type PlannedAuthorization,
  planAuthorization,
} from "../../../src/orders/authorization/planned-authorization.ts";
import { depositRouterAbi } from "../../../src/router/deposit-router-artifact.ts";
import { encodeRouterCall, type RouterCall } from "../../../src/router/router-codec.ts";
import type { AuthorizationKind } from "../../../src/router/router-signature-messages.ts";
import { completeClient } from "../chains/complete-client.ts";
import { type Contracts, contractsClient, type FakeClient, head } from "../chains/multicall.ts";
import { testChain } from "../chains/rpc-node.ts";
import { OTHER, REF, USDC, VAULT } from "../deposits/fixtures.ts";

/** The account that signs the orders of these tests. */
export const signer = privateKeyToAccount(`0x${"5".repeat(64)}`);

/** The signed order: 25 USDC into the vault. */
export const signedCall: RouterCall = {
  order: {
    tokenIn: USDC,
    amountIn: 25_000_000n,
    minIn: 25_000_000n,
    nativeFee: 0n,
    tokenOut: VAULT,
    receiver: signer.address,
    minOut: 1n,
    minOutPerIn: 0n,
    deadline: BigInt(head.timestamp + 900),
    direct: true,
    refundTo: signer.address,
    ref: REF,
    partnerId: zeroHash,
    partnerType: 0,
  },
  steps: [
    {
      target: VAULT,
      value: 0n,
      approveToken: USDC,
      spender: VAULT,
      needToken: zeroAddress,
      needAmount: 0n,
      patches: [{ offset: 4n, token: USDC, mul: 1n, div: 1n }],
      data: "0x6e553f65",
    },
  ],
  sweep: [OTHER],
};

/** Returns the signature payload of a kind for the order, to be submitted by another account. */
export function plannedBy(kind: AuthorizationKind, call: RouterCall = signedCall): PlannedAuthorization {
  const domain = { name: "USD Coin", version: "2", chainId: head.chainId, verifyingContract: USDC };
  return planAuthorization({
    kind,
    facts: {
      token: { domain, separator: "0x", permit: true, erc3009: true, checks: "code" },
      hasAuthorizations: true,
      permitNonce: 7n,
      permit2Allowance: 1n,
      account: "plain",
    },
    owner: signer.address,
    submitter: kind === "permit" ? signer.address : OTHER,
    chainId: head.chainId,
    data: encodeRouterCall(call),
  });
}

/** On-chain state of a signed order. Null makes a read fail. */
export interface SignedState {
  used?: boolean | null;
  code?: Hex | null;
  /** Result of the owner's `isValidSignature`. */
  answer?: Hex | null;
  balance?: bigint | null;
  /** Revert data of the simulated call. */
  revert?: Hex;
  /** Return data of the simulated call. */
  returned?: Hex;
  simulates?: boolean;
}

/** A simulated call. */
export interface SimulatedCall {
  from: Address;
  to: Address;
  data: Hex;
  value: Hex;
}

const abi = parseAbi([
  "function authorizationState(address authorizer, bytes32 nonce) view returns (bool)",
  "function nonceBitmap(address owner, uint256 word) view returns (uint256)",
  "function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)",
  "function balanceOf(address owner) view returns (uint256)",
]);

/** Code of an ordinary account, of an account with an EIP-7702 delegation, and of a contract. */
export const codes = {
  plain: "0x",
  delegated: `0xef0100${"ab".repeat(20)}`,
  contract: "0x6080604052",
} as const;

/** Creates a chain client with the state of one signed order. Simulated calls are collected in `simulated`. */
export function signedChain(state: SignedState): {
  client: FakeClient;
  simulated: SimulatedCall[];
  asked: string[];
} {
  const { used = false, code = codes.plain, answer = null, balance = 10n ** 12n, simulates = true } = state;
  const simulated: SimulatedCall[] = [];
  const asked: string[] = [];
  const missing = { ok: false, data: "0x" } as const;
  const contracts: Contracts = ({ to, data }) => {
    if (/^0xf{40}$/i.test(to)) {
      if (code === null) return missing;
      const length = BigInt(size(code));
      const first: Hex = `0x${code.slice(2, 66).padEnd(64, "0")}`;
      return {
        ok: true,
        data: encodeAbiParameters([{ type: "uint256" }, { type: "bytes32" }], [length, first]),
      };
    }
    const { functionName, args } = decodeFunctionData({ abi, data });
    asked.push(`${to} ${functionName} ${args.join(" ")}`);
    const results = {
      authorizationState: used,
      nonceBitmap: used === null ? null : used ? 2n ** 256n - 1n : 0n,
      isValidSignature: answer,
      balanceOf: balance,
    } as const;
    const result = results[functionName];
    if (result === null) return missing;
    return { ok: true, data: encodeFunctionResult({ abi, functionName, result } as never) };
  };
  const reading = contractsClient(contracts, { definition: testChain });
  const client = completeClient({
    ...reading,
    async request(method: string, params: readonly unknown[]) {
      if (method === "eth_gasPrice") return numberToHex(10n ** 9n);
      if (method !== "eth_simulateV1") return reading.request(method, params);
      if (!simulates) throw new Error("no answer");
      const [{ blockStateCalls }] = params as [{ blockStateCalls: [{ calls: SimulatedCall[] }] }];
      const [{ calls }] = blockStateCalls;
      simulated.push(...calls);
      const result =
        state.revert === undefined
          ? {
              status: "0x1",
              returnData: state.returned ?? numberToHex(24n, { size: 32 }),
              gasUsed: "0x30d40",
            }
          : { status: "0x0", returnData: state.revert, gasUsed: "0x30d40" };
      return [{ number: "0x4d3", timestamp: "0x6553f110", calls: calls.map(() => result) }];
    },
  });
  return { client, simulated, asked };
}

/** Encodes one of the Router's own errors. */
export const routerRevert = (errorName: string, args: readonly unknown[]): Hex =>
  encodeErrorResult({ abi: depositRouterAbi, errorName, args } as never);
