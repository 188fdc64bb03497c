import { decodeFunctionData, erc20Abi, maxUint256, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { encodeDepositCall, toRouterCall } from "../../../src/deposits/build/calldata.ts";
import { encodeApprovals } from "../../../src/orders/wallet-calls.ts";
import { depositRouterAddress } from "../../../src/router/address.ts";
import { decodeRouterDeposit } from "../../../src/router/codec.ts";
import { erc4626Abi } from "../../../src/vaults/families/erc4626/index.ts";
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
} from "../../support/deposits/fixtures.ts";

const AMOUNT = 100_000_000n;
const word = (value: bigint | string): string =>
  (typeof value === "string" ? value.slice(2).toLowerCase() : value.toString(16)).padStart(64, "0");
/** `deposit(uint256 assets, address receiver)`, EIP-4626. */
const depositData = (amount: bigint) => `0x6e553f65${word(amount)}${word(USER)}`;

describe("through the Router", () => {
  test("takes the asset from the user, and has the vault mint to the user", () => {
    expect(toRouterCall(intentOf(), floors)).toEqual({
      deposit: {
        asset: USDC,
        amount: AMOUNT,
        minIn: AMOUNT,
        shareToken: VAULT,
        receiver: USER,
        minShares: 99_500_000_000_000_000_000n,
        deadline: 1_767_323_945n,
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
          patchToken: USDC,
          patchOffset: 4n,
          patchMul: 1n,
          data: depositData(AMOUNT),
        },
      ],
      sweep: [],
    });
  });

  test("is one call of the Router's, without native money", () => {
    const call = encodeDepositCall(intentOf(), floors);
    expect(call).toMatchObject({ target: depositRouterAddress, value: 0n });
    expect(decodeRouterDeposit(call.data)).toEqual(toRouterCall(intentOf(), floors));
  });

  test("of native money wraps all of it first, and sweeps what the vault leaves", () => {
    const call = encodeDepositCall(nativeIntent, floors);
    const { deposit, steps, sweep } = decodeRouterDeposit(call.data);
    expect([call.value, deposit.asset, deposit.amount, sweep]).toEqual([
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
        patchToken: zeroAddress,
        patchOffset: 0n,
        patchMul: 0n,
        data: "0xd0e30db0",
      },
      {
        target: VAULT,
        value: 0n,
        approveToken: WETH,
        spender: VAULT,
        patchToken: WETH,
        patchOffset: 4n,
        patchMul: 1n,
        data: depositData(10n ** 18n),
      },
    ]);
  });

  test("says whom it is attributed to", () => {
    const partnerHash = `0x${"ab".repeat(32)}` as const;
    const { deposit } = toRouterCall(intentOf({ partnerHash, partnerType: 2 }), floors);
    expect([deposit.partnerId, deposit.partnerType]).toEqual([partnerHash, 2]);
  });

  test("uses the vault's own entry point, spender and share token", () => {
    const { vault } = intentOf();
    const entryPoint = "0x1111111111111111111111111111111111111111";
    const changed = { ...vault, entryPoint, spender: OTHER, shareToken: WETH } as const;
    const { deposit, steps } = toRouterCall(intentOf({ vault: changed }), floors);
    expect([deposit.shareToken, steps[0]?.target, steps[0]?.spender]).toEqual([WETH, entryPoint, OTHER]);
  });

  test("is not made without a least number of shares", () => {
    expect(() => encodeDepositCall(intentOf(), { ...floors, minShares: null })).toThrow(RangeError);
  });
});

describe("into the vault itself", () => {
  test("is the vault's own call, by the user for the user, with nothing of the Router's", () => {
    const call = encodeDepositCall(directIntent, { ...floors, minShares: null });
    expect([call.target, call.value]).toEqual([VAULT, 0n]);
    expect(decodeFunctionData({ abi: erc4626Abi(), data: call.data })).toEqual({
      functionName: "deposit",
      args: [AMOUNT, USER],
    });
  });
});

describe("approvals", () => {
  const approval = { token: USDC, spender: OTHER, amount: 5n };
  const amounts = (reset: boolean) =>
    encodeApprovals({ ...approval, reset }).map(({ target, value, data }) => {
      const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data });
      return [target, value, functionName, args];
    });

  test("are of exactly the amount, for exactly the spender", () => {
    expect(amounts(false)).toEqual([[USDC, 0n, "approve", [OTHER, 5n]]]);
  });

  test("put a standing allowance to zero first where that is asked", () => {
    expect(amounts(true)).toEqual([
      [USDC, 0n, "approve", [OTHER, 0n]],
      [USDC, 0n, "approve", [OTHER, 5n]],
    ]);
  });

  test("are not needed for native money", () => {
    expect(encodeApprovals({ ...approval, token: zeroAddress, reset: true })).toEqual([]);
  });
});
