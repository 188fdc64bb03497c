import { decodeFunctionData, maxUint256, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { encodeDepositCall, toRouterCall } from "../../src/deposits/deposit-calldata.ts";
import { depositRouterAddress } from "../../src/router/router-address.ts";
import { decodeRouterCall } from "../../src/router/router-codec.ts";
import { erc4626Abi } from "../../src/vaults/families/erc4626-base/erc4626-adapter.ts";
import {
  directIntent,
  floors,
  intentOf,
  nativeIntent,
  OTHER,
  REF,
  USDC,
  USER,
  VAULT,
  WETH,
} from "../support/deposits/fixtures.ts";

const AMOUNT = 100_000_000n;
const word = (value: bigint | string): string =>
  (typeof value === "string" ? value.slice(2).toLowerCase() : value.toString(16)).padStart(64, "0");
/** `deposit(uint256 assets, address receiver)`, EIP-4626. */
const depositData = (amount: bigint) => `0x6e553f65${word(amount)}${word(USER)}`;

describe("encodeDepositCall() through the Router", () => {
  test("deposits the user's asset and mints the shares to the user", () => {
    expect(toRouterCall(intentOf(), floors)).toEqual({
      order: {
        tokenIn: USDC,
        amountIn: AMOUNT,
        minIn: AMOUNT,
        nativeFee: 0n,
        tokenOut: VAULT,
        receiver: USER,
        minOut: 99_500_000_000_000_000_000n,
        minOutPerIn: 0n,
        deadline: 1_767_323_945n,
        direct: true,
        refundTo: USER,
        ref: REF,
        partnerId: `0x${"00".repeat(32)}`,
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
          data: depositData(AMOUNT),
        },
      ],
      sweep: [],
    });
  });

  test("sends one call to the Router without native money", () => {
    const call = encodeDepositCall(intentOf(), floors);
    expect(call).toMatchObject({ target: depositRouterAddress, value: 0n });
    expect(decodeRouterCall(call.data)).toEqual(toRouterCall(intentOf(), floors));
  });

  test("wraps native money first and sweeps the remainder", () => {
    const call = encodeDepositCall(nativeIntent, floors);
    const { order, steps, sweep } = decodeRouterCall(call.data);
    expect([call.value, order.tokenIn, order.amountIn, sweep]).toEqual([
      10n ** 18n,
      zeroAddress,
      10n ** 18n,
      [WETH],
    ]);
    expect(steps).toEqual([
      {
        target: WETH,
        value: maxUint256,
        approveToken: zeroAddress,
        spender: zeroAddress,
        needToken: zeroAddress,
        needAmount: 0n,
        patches: [],
        data: "0xd0e30db0",
      },
      {
        target: VAULT,
        value: 0n,
        approveToken: WETH,
        spender: VAULT,
        needToken: zeroAddress,
        needAmount: 0n,
        patches: [{ offset: 4n, token: WETH, mul: 1n, div: 1n }],
        data: depositData(10n ** 18n),
      },
    ]);
  });

  test("encodes the partner attribution", () => {
    const partnerHash = `0x${"ab".repeat(32)}` as const;
    const { order } = toRouterCall(intentOf({ partnerHash, partnerType: 2 }), floors);
    expect([order.partnerId, order.partnerType]).toEqual([partnerHash, 2]);
  });

  test("uses the vault's entry point, spender and share token", () => {
    const { vault } = intentOf();
    const entryPoint = "0x1111111111111111111111111111111111111111";
    const changed = { ...vault, entryPoint, spender: OTHER, shareToken: WETH } as const;
    const { order, steps } = toRouterCall(intentOf({ vault: changed }), floors);
    expect([order.tokenOut, steps[0]?.target, steps[0]?.spender]).toEqual([WETH, entryPoint, OTHER]);
  });

  test("throws without minimum shares", () => {
    expect(() => encodeDepositCall(intentOf(), { ...floors, minShares: null })).toThrow(RangeError);
  });
});

describe("encodeDepositCall() by the user", () => {
  test("returns the vault's own call with the user as caller and receiver", () => {
    const call = encodeDepositCall(directIntent, { ...floors, minShares: null });
    expect([call.target, call.value]).toEqual([VAULT, 0n]);
    expect(decodeFunctionData({ abi: erc4626Abi(), data: call.data })).toEqual({
      functionName: "deposit",
      args: [AMOUNT, USER],
    });
  });
});
