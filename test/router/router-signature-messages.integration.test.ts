import {
  type Account,
  type Address,
  createTestClient,
  encodeDeployData,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  type Hex,
  http,
  publicActions,
  walletActions,
  zeroHash,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  fiatTokenAbi,
  fiatTokenCreationCode,
  permit2Abi,
  permit2CreationCode,
} from "#stand-ins/authorization";
import { type Anvil, runAnvil } from "../../scripts/stack/chains/anvil.ts";
import { awaitReceipt } from "../../scripts/stack/chains/await-receipt.ts";
import { deployTransaction, depositRouterAddress } from "../../src/router/router-address.ts";
import {
  callOnlyStep,
  decodeRouterError,
  executedOrders,
  type RouterCall,
} from "../../src/router/router-codec.ts";
import {
  type AuthorizationKind,
  encodeSignedCall,
  permit2Address,
  toAuthorizationMessage,
  toPermit2Message,
  toPermitMessage,
} from "../../src/router/router-signature-messages.ts";

const CHAIN_ID = 8453;
const owner = privateKeyToAccount(`0x${"5".repeat(64)}`);
const AMOUNT = 25_000_000n;

let chain: Anvil;
let relayer: Address;
let usdc: Address;
let shares: Address;

const client = () =>
  createTestClient({ mode: "anvil", transport: http(chain.url) })
    .extend(publicActions)
    .extend(walletActions);

async function send(from: Account | Address, call: { to?: Address; data: Hex }) {
  const hash = await client().sendTransaction({ account: from, chain: null, ...call });
  return awaitReceipt(client(), hash);
}

async function deploy(data: Hex): Promise<Address> {
  const { contractAddress } = await send(relayer, { data });
  if (!contractAddress) throw new Error("not deployed");
  return getAddress(contractAddress);
}

const token = (name: string): Hex =>
  encodeDeployData({
    abi: fiatTokenAbi,
    bytecode: fiatTokenCreationCode,
    args: [name, "USDC", 6, "2"],
  });

const mint = (to: Address, value: bigint): Hex =>
  encodeFunctionData({ abi: fiatTokenAbi, functionName: "mint", args: [to, value] });

beforeAll(async () => {
  chain = await runAnvil("--chain-id", `${CHAIN_ID}`);
  [relayer] = (await client().getAddresses()) as [Address];
  await send(relayer, deployTransaction());
  usdc = await deploy(token("USD Coin"));
  shares = await deploy(token("Shares"));
  const permit2 = await deploy(permit2CreationCode);
  const code = await client().getCode({ address: permit2 });
  await client().setCode({ address: permit2Address, bytecode: code ?? "0x" });
  await client().setBalance({ address: owner.address, value: 10n ** 18n });
  await send(relayer, { to: usdc, data: mint(owner.address, 10n ** 12n) });
  const approve = { abi: erc20Abi, functionName: "approve", args: [permit2Address, 10n ** 12n] } as const;
  await send(owner, { to: usdc, data: encodeFunctionData(approve) });
});
afterAll(() => chain?.close());

/** An order that keeps a step of every field, and a sweep list. */
async function anOrder(ref: Hex): Promise<RouterCall> {
  const { timestamp } = await client().getBlock();
  const step = {
    ...callOnlyStep({ target: shares, value: 0n, data: mint(owner.address, AMOUNT) }),
    approveToken: usdc,
    spender: shares,
    needToken: usdc,
    needAmount: 1n,
    patches: [{ offset: 36n, token: usdc, mul: 2n, div: 1n }],
  };
  return {
    order: {
      tokenIn: usdc,
      amountIn: AMOUNT,
      minIn: AMOUNT,
      nativeFee: 0n,
      tokenOut: shares,
      receiver: owner.address,
      minOut: AMOUNT,
      minOutPerIn: 10n ** 27n,
      deadline: timestamp + 600n,
      direct: true,
      refundTo: owner.address,
      ref,
      partnerId: zeroHash,
      partnerType: 2,
    },
    steps: [step],
    sweep: [shares],
  };
}

async function sign(kind: AuthorizationKind, call: RouterCall): Promise<Hex> {
  const domain = { name: "USD Coin", version: "2", chainId: CHAIN_ID, verifyingContract: usdc };
  if (kind === "erc3009")
    return owner.signTypedData(toAuthorizationMessage(call, { owner: owner.address, domain }));
  if (kind === "permit2") return owner.signTypedData(toPermit2Message(call, CHAIN_ID));
  const nonce = await client().readContract({
    address: usdc,
    abi: fiatTokenAbi,
    functionName: "nonces",
    args: [owner.address],
  });
  return owner.signTypedData(toPermitMessage(call, { owner: owner.address, domain, nonce }));
}

const KINDS: readonly AuthorizationKind[] = ["erc3009", "permit2", "permit"];

test.each(KINDS)("an order runs with what viem signs by %s, submitted as it may be", async (kind) => {
  const ref = `0x${"1".repeat(63)}${KINDS.indexOf(kind)}` as const;
  const call = await anOrder(ref);
  const signature = await sign(kind, call);
  const data = encodeSignedCall(call, { kind, owner: owner.address, signature });
  const receipt = await send(kind === "permit" ? owner : relayer, { to: depositRouterAddress, data });
  expect(receipt.status).toBe("success");
  expect(executedOrders(receipt.logs).map(({ args }) => args)).toEqual([
    {
      ref,
      partnerId: zeroHash,
      receiver: owner.address,
      payer: owner.address,
      tokenIn: usdc,
      tokenOut: shares,
      amountIn: AMOUNT,
      amountOut: 2n * AMOUNT,
      partnerType: 2,
    },
  ]);
});

test.each(["erc3009", "permit2"] as const)(
  "a changed order is refused by %s with its reason",
  async (kind) => {
    const call = await anOrder(`0x${"2".repeat(64)}`);
    const signature = await sign(kind, call);
    const changed = { ...call, order: { ...call.order, receiver: relayer } };
    const data = encodeSignedCall(changed, { kind, owner: owner.address, signature });
    const { data: revert } = await client()
      .call({ account: relayer, to: depositRouterAddress, data })
      .catch(
        (error: { walk: (is: (e: unknown) => boolean) => unknown }) =>
          error.walk((one) => typeof (one as { data?: unknown }).data === "string") as { data?: Hex },
      );
    expect(decodeRouterError(revert ?? "0x")?.name).toBe("AuthorizationFailed");
  },
);

test("the stand-ins know the domains that viem computes", async () => {
  const separator = await client().readContract({
    address: permit2Address,
    abi: permit2Abi,
    functionName: "DOMAIN_SEPARATOR",
  });
  expect(separator).toBe("0x3b6f35e4fce979ef8eac3bcdc8c3fc38fe7911bb0c69c8fe72bf1fd1a17e6f07");
});
