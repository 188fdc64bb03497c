import { type Address, encodeFunctionData, erc20Abi, maxUint256, parseAbi, parseSignature } from "viem";
import { describe, expect, test } from "vitest";
import { permit2Address } from "../../../src/router/router-signature-messages.ts";
import { Api, type BuildBody } from "../../support/e2e/api.ts";
import { allowanceOf, balanceOf } from "../../support/e2e/balances.ts";
import {
  chainOf,
  type KeyedUser,
  mined,
  newUser,
  sendCall,
  tokenOn,
  vaultNamed,
} from "../../support/e2e/chain.ts";
import { amounts, bodyFor } from "../../support/e2e/deposit.ts";
import {
  accountCode,
  authorize,
  clearNativeBalance,
  delegate,
  putCode,
  refusedSignature,
  signatureIn,
  signOrder,
  submit,
} from "../../support/e2e/sign-order.ts";

const api = new Api();
const usdc = vaultNamed("Plain USDC");
const chain = chainOf(usdc.chain_id);
const router = chain.info.contracts.deposit_router;
const USDC = tokenOn(chain, "USDC");

const bodyOf = (
  user: Pick<KeyedUser, "address">,
  more: Partial<BuildBody> = {},
  vault = usdc,
): BuildBody => ({
  ...bodyFor(vault, { user: user.address }),
  ...more,
});

const sharesOf = (owner: Address, token: Address = usdc.share_token) => balanceOf(chain, { token, owner });

async function approvePermit2(user: KeyedUser, token: Address): Promise<void> {
  const data = encodeFunctionData({
    abi: erc20Abi,
    functionName: "approve",
    args: [permit2Address, maxUint256],
  });
  await mined(chain, await sendCall(user, { to: token, data }));
}

describe("USDC with one signature and no approval", () => {
  test("submitted by the user: nothing was approved, and every reading agrees", async () => {
    const user = await newUser(chain, { USDC: amounts.USDC });
    const built = await api.buildToSign(bodyOf(user, { authorize: "auto" }));
    expect(built).toMatchObject({
      transaction_request: null,
      approval: null,
      calls: [],
      authorize: "erc3009",
    });
    expect(built.steps.map(({ step_id, state }) => [step_id, state])).toEqual([
      ["source.authorize", "required"],
      ["source.deposit", "waiting"],
    ]);
    const again = await api.deposit(built.tracking_id);
    expect(again.state).toBe("built");
    expect(again.steps).toEqual(built.steps);

    const signature = await signOrder(built, user);
    const ready = await authorize(api, built.tracking_id, signature);
    expect(ready.steps.map(({ step_id, state }) => [step_id, state])).toEqual([
      ["source.authorize", "done"],
      ["source.deposit", "required"],
    ]);
    expect(ready.calls).toHaveLength(1);
    // Others' transactions may have added blocks: only the simulation tells which one it is of.
    const repeated = await authorize(api, built.tracking_id, signature);
    expect({ ...repeated, simulation: null }).toEqual({ ...ready, simulation: null });
    expect((await api.deposit(built.tracking_id)).steps).toEqual(built.steps);
    expect(JSON.stringify(await api.deposit(built.tracking_id))).not.toContain(signature.slice(2, 66));

    const { status, transactionHash } = await submit(chain, user, ready);
    expect(status).toBe("success");
    expect(await sharesOf(user.address)).toBeGreaterThanOrEqual(BigInt(built.estimate.min_shares ?? "1"));
    expect(await allowanceOf(chain, { token: USDC, owner: user.address, spender: router })).toBe(0n);
    expect(await api.status(transactionHash, chain.chainId)).toMatchObject({
      status: "DONE",
      substatus: "COMPLETED",
    });
    const ended = await api.deposit(built.tracking_id);
    expect(ended).toMatchObject({ state: "completed", source_tx_hash: transactionHash });
    expect(ended.steps.map(({ state }) => state)).toEqual(["done", "done"]);
    expect((await refusedSignature(api, built.tracking_id, signature)).code).toBe("deposit_state");
  });

  test("submitted by another account: the user pays no gas", async () => {
    const user = await newUser(chain, { USDC: amounts.USDC });
    await clearNativeBalance(chain, user.address);
    const relayer = await newUser(chain);
    const asked = { authorize: "erc3009", submitter: relayer.address } as const;
    const built = await api.buildToSign(bodyOf(user, asked));
    expect(built.simulation.gas_sufficient).toBe(true);
    const ready = await authorize(api, built.tracking_id, await signOrder(built, user));
    const { status, transactionHash } = await submit(chain, relayer, ready);
    expect(status).toBe("success");
    expect(await sharesOf(user.address)).toBeGreaterThanOrEqual(BigInt(built.estimate.min_shares ?? "1"));
    expect(await sharesOf(relayer.address)).toBe(0n);
    expect(await api.status(transactionHash, chain.chainId)).toMatchObject({
      status: "DONE",
      substatus: "COMPLETED",
    });
    expect(await api.deposit(built.tracking_id)).toMatchObject({
      state: "completed",
      source_tx_hash: transactionHash,
    });
    const [replayed, late] = [await submit(chain, relayer, ready), built.tracking_id];
    expect(replayed.status).toBe("reverted");
    expect((await api.deposit(late)).state).toBe("completed");
  });
});

test("Permit2, where the user has approved it, submitted by another account", async () => {
  const vault = vaultNamed("Plain WBTC");
  const user = await newUser(chain, { WBTC: amounts.WBTC });
  const asked = { authorize: "permit2" } as const;
  expect((await api.refusal(bodyOf(user, asked, vault))).code).toBe("authorization_unsupported");
  await approvePermit2(user, tokenOn(chain, "WBTC"));
  const relayer = await newUser(chain);
  const built = await api.buildToSign(bodyOf(user, { authorize: "auto", submitter: relayer.address }, vault));
  expect(built.authorize).toBe("permit2");
  const ready = await authorize(api, built.tracking_id, await signOrder(built, user));
  const { status } = await submit(chain, relayer, ready);
  expect(status).toBe("success");
  expect(await sharesOf(user.address, vault.share_token)).toBeGreaterThan(0n);
  expect((await submit(chain, relayer, ready)).status).toBe("reverted");
});

const permitAbi = parseAbi([
  "function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)",
]);

test.each([false, true])("a permit, run first by a stranger: %s", async (front) => {
  const vault = vaultNamed("Solid WETH");
  const user = await newUser(chain, { WETH: amounts.WETH });
  const built = await api.buildToSign(bodyOf(user, { authorize: "permit" }, vault));
  const signature = await signOrder(built, user);
  const ready = await authorize(api, built.tracking_id, signature);
  if (front) {
    const { message } = signatureIn(built.steps).typed_data as {
      message: { value: string; deadline: string };
    };
    const { r, s, v } = parseSignature(signature);
    const signed = [BigInt(message.value), BigInt(message.deadline), Number(v), r, s] as const;
    const args = [user.address, router, ...signed] as const;
    const data = encodeFunctionData({ abi: permitAbi, functionName: "permit", args });
    await mined(chain, await sendCall(await newUser(chain), { to: tokenOn(chain, "WETH"), data }));
    // The order can still be completed and sent: the allowance decides.
    expect((await authorize(api, built.tracking_id, signature)).transaction_request.data).toBe(
      ready.transaction_request.data,
    );
  }
  const thief = await newUser(chain);
  expect((await submit(chain, thief, ready)).status).toBe("reverted");
  const { status, transactionHash } = await submit(chain, user, ready);
  expect(status).toBe("success");
  expect(await sharesOf(user.address, vault.share_token)).toBeGreaterThan(0n);
  expect(await api.status(transactionHash, chain.chainId)).toMatchObject({ substatus: "COMPLETED" });
});

describe("an EIP-7702 account", () => {
  test("is not asked to sign by `auto` where its delegate would decide, and is where it would not", async () => {
    const user = await newUser(chain, { USDC: amounts.USDC, WETH: amounts.WETH });
    await delegate(chain, user.address, accountCode.accepting);
    expect((await api.build(bodyOf(user, { authorize: "auto" }))).authorize).toBe("approve");
    const built = await api.buildToSign(bodyOf(user, { authorize: "auto" }, vaultNamed("Solid WETH")));
    expect(built.authorize).toBe("permit");
    const ready = await authorize(api, built.tracking_id, await signOrder(built, user));
    expect((await submit(chain, user, ready)).status).toBe("success");
  });

  test("signs when named and its delegate agrees", async () => {
    const user = await newUser(chain, { USDC: amounts.USDC });
    await delegate(chain, user.address, accountCode.accepting);
    const built = await api.buildToSign(bodyOf(user, { authorize: "erc3009" }));
    const ready = await authorize(api, built.tracking_id, await signOrder(built, user));
    expect((await submit(chain, await newUser(chain), ready)).status).toBe("success");
    expect(await sharesOf(user.address)).toBeGreaterThan(0n);
  });

  test("gets no transaction when its delegate refuses", async () => {
    const user = await newUser(chain, { USDC: amounts.USDC });
    await delegate(chain, user.address, accountCode.refusing);
    const built = await api.buildToSign(bodyOf(user, { authorize: "erc3009" }));
    const refused = await refusedSignature(api, built.tracking_id, await signOrder(built, user));
    expect(refused.code).toBe("authorization_unsupported");
  });
});

test("a contract wallet signs with bytes of its own, and another account submits", async () => {
  const wallet = await newUser(chain, { USDC: amounts.USDC });
  await putCode(chain, wallet.address, accountCode.accepting);
  const built = await api.buildToSign(bodyOf(wallet, { authorize: "erc3009" }));
  const ready = await authorize(api, built.tracking_id, "0xc0ffee");
  expect((await submit(chain, await newUser(chain), ready)).status).toBe("success");
  expect(await sharesOf(wallet.address)).toBeGreaterThan(0n);
});
