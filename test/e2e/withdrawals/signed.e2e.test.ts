import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  maxUint256,
  parseAbi,
  parseSignature,
  zeroAddress,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { describe, expect, test } from "vitest";
import { rpc } from "../../../scripts/stack/chains/json-rpc.ts";
import { permit2Address } from "../../../src/router/router-signature-messages.ts";
import { CancelAnswer } from "../../../src/schemas/signing-schema.ts";
import { outcomeOf, outcomesOfChanges } from "../../support/e2e/altered-order.ts";
import { Api, type WithdrawBody } from "../../support/e2e/api.ts";
import { allowanceOf, balanceOf } from "../../support/e2e/balances.ts";
import {
  chainIds,
  chainOf,
  type KeyedUser,
  mined,
  newUser,
  sendCall,
  tokenOn,
  vaultNamed,
  withChainRestored,
} from "../../support/e2e/chain.ts";
import { query } from "../../support/e2e/database.ts";
import { bodyOf, problemOf } from "../../support/e2e/http.ts";
import {
  accountCode,
  alteredSignature,
  authorizeExit,
  clearNativeBalance,
  delegate,
  putCode,
  refusedExit,
  signatureIn,
  signOrder,
  submit,
} from "../../support/e2e/sign-order.ts";
import { expectPaid, holderOf } from "../../support/e2e/withdrawal.ts";

const api = new Api();
const prime = vaultNamed("Local Prime USDC");
const solid = vaultNamed("Solid WETH");
const plain = vaultNamed("Plain USDC");
const chain = chainOf(prime.chain_id);
const router = chain.info.contracts.deposit_router;
const USDC = tokenOn(chain, "USDC");

const leave = (vault: typeof prime, user: Address, more: Partial<WithdrawBody> = {}): WithdrawBody => ({
  ...{ vault_id: vault.vault_id, user_address: user, shares: "all" },
  ...more,
});
const sharesOf = (owner: Address, vault = prime) => balanceOf(chain, { token: vault.share_token, owner });
const heldOf = (owner: Address, token = USDC) => balanceOf(chain, { token, owner });

/** A holder of shares who has approved Permit2 for them. */
async function approvedHolder(vault = prime): Promise<KeyedUser> {
  const { user } = await holderOf(api, vault);
  const args = [permit2Address, maxUint256] as const;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args });
  await mined(chain, await sendCall(user, { to: vault.share_token, data }));
  return user;
}

describe.each([prime, solid])("$name: shares with an ERC-2612 permit", (vault) => {
  test("are redeemed with one signature and no approval, and every reading agrees", async () => {
    const { user, shares } = await holderOf(api, vault);
    const asset = tokenOn(chain, vault.asset_symbol);
    const built = await api.withdrawToSign(leave(vault, user.address, { authorize: "auto" }));
    expect(built).toMatchObject({
      ...{ transaction_request: null, approval: null, calls: [], authorize: "permit" },
      estimate: { shares: shares.toString() },
      simulation: { balance_sufficient: true, gas_sufficient: true },
    });
    expect(built.steps.map(({ step_id, state }) => [step_id, state])).toEqual([
      ["source.authorize", "required"],
      ["source.redeem", "waiting"],
    ]);
    const { tracking_id: id } = built;
    expect((await api.withdrawal(id)).steps).toEqual(built.steps);
    const signature = await signOrder(built, user);
    const ready = await authorizeExit(api, id, signature);
    expect(ready.steps.map(({ state }) => state)).toEqual(["done", "required"]);
    expect(ready.calls).toHaveLength(1);
    // Others' transactions may have added blocks: only the simulation tells which one it is of.
    const again = await authorizeExit(api, id, signature);
    expect({ ...again, simulation: null }).toEqual({ ...ready, simulation: null });
    expect(JSON.stringify(await api.withdrawal(id))).not.toContain(signature.slice(2, 66));
    const thief = await newUser(chain);
    expect((await submit(chain, thief, ready)).status).toBe("reverted");

    const before = await heldOf(user.address, asset);
    const { status, transactionHash } = await submit(chain, user, ready);
    expect(status).toBe("success");
    expectPaid(built, (await heldOf(user.address, asset)) - before);
    expect(await sharesOf(user.address, vault)).toBe(0n);
    const owner = user.address;
    expect(await allowanceOf(chain, { token: vault.share_token, owner, spender: router })).toBe(0n);
    expect(await api.status(transactionHash, chain.chainId)).toMatchObject({ substatus: "COMPLETED" });
    const ended = await api.withdrawal(id);
    expect(ended).toMatchObject({ state: "completed", source_tx_hash: transactionHash });
    expect(ended.steps.map(({ state }) => state)).toEqual(["done", "done"]);
    expect((await refusedExit(api, id, signature)).code).toBe("withdrawal_state");
    const late = await api.send(`/v1/withdrawals/${id}/cancel`, { body: {} });
    expect(problemOf(late).code).toBe("withdrawal_state");
  });
});

const permitAbi = parseAbi([
  "function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)",
]);

test("a permit that a stranger runs first does not make the withdrawal fail", async () => {
  const { user, shares } = await holderOf(api, prime);
  const half = (shares / 2n).toString();
  const built = await api.withdrawToSign(leave(prime, user.address, { authorize: "permit", shares: half }));
  const signature = await signOrder(built, user);
  const { message } = signatureIn(built.steps).typed_data as { message: { value: string; deadline: string } };
  expect(message.value).toBe(half);
  const { r, s, v } = parseSignature(signature);
  const args = [user.address, router, BigInt(half), BigInt(message.deadline), Number(v), r, s] as const;
  const data = encodeFunctionData({ abi: permitAbi, functionName: "permit", args });
  await mined(chain, await sendCall(await newUser(chain), { to: prime.share_token, data }));
  const ready = await authorizeExit(api, built.tracking_id, signature);
  expect((await submit(chain, user, ready)).status).toBe("success");
  expect(await sharesOf(user.address)).toBe(shares - shares / 2n);
});

describe("shares that Permit2 may take", () => {
  test("are redeemed by another account, once, and the user pays no gas", async () => {
    const user = await approvedHolder();
    await clearNativeBalance(chain, user.address);
    const relayer = await newUser(chain);
    const asked = { authorize: "auto", submitter: relayer.address } as const;
    const built = await api.withdrawToSign(leave(prime, user.address, asked));
    expect(built).toMatchObject({ authorize: "permit2", simulation: { gas_sufficient: true } });
    const ready = await authorizeExit(api, built.tracking_id, await signOrder(built, user));
    const { status, transactionHash } = await submit(chain, relayer, ready);
    expect(status).toBe("success");
    expectPaid(built, await heldOf(user.address));
    expect(await heldOf(relayer.address)).toBe(0n);
    expect(await api.status(transactionHash, chain.chainId)).toMatchObject({ substatus: "COMPLETED" });
    expect(await api.withdrawal(built.tracking_id)).toMatchObject({
      ...{ state: "completed", source_tx_hash: transactionHash },
    });
    expect((await submit(chain, relayer, ready)).status).toBe("reverted");
  });

  test.each(["another token", "native money", "another chain"] as const)(
    "are redeemed and turned into %s by one signature",
    async (what) => {
      const vault = what === "native money" ? solid : plain;
      const user = await approvedHolder(vault);
      const relayer = await newUser(chain);
      const away = chainOf(chain.chainId === chainIds.one ? chainIds.two : chainIds.one);
      const to = {
        "another token": { to_token: tokenOn(chain, "WETH") },
        "native money": { to_token: zeroAddress },
        "another chain": {
          ...{ to_token: tokenOn(away, "USDC"), to_chain_id: away.chainId, preferred_bridge: "across" },
        },
      }[what] as Partial<WithdrawBody>;
      const asked = { authorize: "permit2", submitter: relayer.address, ...to } as const;
      const built = await api.withdrawToSign(leave(vault, user.address, asked));
      expect(built).toMatchObject({ authorize: "permit2", two_step: false, transaction_request: null });
      const ready = await authorizeExit(api, built.tracking_id, await signOrder(built, user));
      const { status, transactionHash } = await submit(chain, relayer, ready);
      expect(status).toBe("success");
      expect(await sharesOf(user.address, vault)).toBe(0n);
      await api.status(transactionHash, chain.chainId);
      const ends = what === "another chain" ? ["bridging", "completed"] : ["completed"];
      expect(ends).toContain((await api.withdrawal(built.tracking_id)).state);
    },
  );

  test("stay where they are when any single field of the order is another", async () => {
    const user = await approvedHolder();
    const built = await api.withdrawToSign(leave(prime, user.address, { authorize: "permit2" }));
    const ready = await authorizeExit(api, built.tracking_id, await signOrder(built, user));
    const { address: from } = await newUser(chain);
    const data = ready.transaction_request.data as Hex;
    expect(await outcomeOf(chain, { data, from })).toBe("sent");
    const outcomes = await outcomesOfChanges(chain, { data, from });
    expect(Object.keys(outcomes).length).toBeGreaterThan(20);
    expect(Object.entries(outcomes).filter(([, outcome]) => outcome === "sent")).toEqual([]);
    await withChainRestored(chain, async () => {
      await rpc(chain.rpcUrl, "evm_increaseTime", 1_800);
      await rpc(chain.rpcUrl, "evm_mine");
      expect(await outcomeOf(chain, { data, from })).toBe("DeadlinePassed");
    });
  });

  test("are kept by a cancellation", async () => {
    const user = await approvedHolder();
    const built = await api.withdrawToSign(leave(prime, user.address, { authorize: "permit2" }));
    const signature = await signOrder(built, user);
    const ready = await authorizeExit(api, built.tracking_id, signature);
    const answer = await api.send(`/v1/withdrawals/${built.tracking_id}/cancel`, { body: {} });
    const [step] = bodyOf(answer, { schema: CancelAnswer }).steps;
    if (step?.kind !== "transaction" || step.transaction_request === null) throw new Error("no transaction");
    const { to, data } = step.transaction_request;
    expect([step.purpose, to]).toEqual(["cancel", permit2Address]);
    await mined(chain, await sendCall(user, { to: to as Address, data: data as Hex }));
    expect((await submit(chain, await newUser(chain), ready)).status).toBe("reverted");
    expect((await refusedExit(api, built.tracking_id, signature)).code).toBe("withdrawal_state");
  });

  test("are paid with by a contract wallet and by a delegated account that agrees, when it is named", async () => {
    for (const becomes of [putCode, delegate]) {
      const user = await approvedHolder();
      await becomes(chain, user.address, accountCode.accepting);
      const auto = await api.withdraw(leave(prime, user.address, { authorize: "auto" }));
      expect(auto.authorize).toBe("approve");
      const built = await api.withdrawToSign(leave(prime, user.address, { authorize: "permit2" }));
      const ready = await authorizeExit(api, built.tracking_id, "0xc0ffee");
      expect((await submit(chain, await newUser(chain), ready)).status).toBe("success");
      expect(await sharesOf(user.address)).toBe(0n);
    }
  });
});

describe("POST /v1/withdrawals/{tracking_id}/authorize", () => {
  test("refuses a wrong signature and changes nothing", async () => {
    const { user } = await holderOf(api, prime);
    const built = await api.withdrawToSign(leave(prime, user.address, { authorize: "permit" }));
    const right = await signOrder(built, user);
    const before = await api.withdrawal(built.tracking_id);
    const byOther = await signOrder(built, await newUser(chain));
    for (const wrong of ["0x", "0x1234", byOther, alteredSignature(right)] as Hex[])
      expect((await refusedExit(api, built.tracking_id, wrong)).code, wrong).toBe("signature_invalid");
    expect(await api.withdrawal(built.tracking_id)).toEqual(before);
    await authorizeExit(api, built.tracking_id, right);
    await query("update deposits set expires_at = now() - interval '1 minute' where tracking_id = $1", [
      built.tracking_id,
    ]);
    expect((await refusedExit(api, built.tracking_id, right)).code).toBe("quote_expired");
  });

  test("refuses the signature of another withdrawal of the same shares", async () => {
    const user = await approvedHolder();
    const [one, other] = [
      await api.withdrawToSign(leave(prime, user.address, { authorize: "permit2" })),
      await api.withdrawToSign(leave(prime, user.address, { authorize: "permit2" })),
    ];
    const signature = await signOrder(one, user);
    expect((await refusedExit(api, other.tracking_id, signature)).code).toBe("signature_invalid");
    await authorizeExit(api, one.tracking_id, signature);
  });

  test("refuses a permit whose nonce the user has used for another spender", async () => {
    const { user } = await holderOf(api, prime);
    const built = await api.withdrawToSign(leave(prime, user.address, { authorize: "permit" }));
    const typed = signatureIn(built.steps).typed_data as { message: { value: string; deadline: string } };
    const { value, deadline } = typed.message;
    const elsewhere = { ...typed, message: { ...typed.message, spender: permit2Address } };
    const account = privateKeyToAccount(user.privateKey);
    const { r, s, v } = parseSignature(await account.signTypedData(elsewhere as never));
    const args = [user.address, permit2Address, BigInt(value), BigInt(deadline), Number(v), r, s] as const;
    const data = encodeFunctionData({ abi: permitAbi, functionName: "permit", args });
    await mined(chain, await sendCall(user, { to: prime.share_token, data }));
    const { code } = await refusedExit(api, built.tracking_id, await signOrder(built, user));
    expect(code).toBe("authorization_unsupported");
    expect(await api.withdrawal(built.tracking_id)).toMatchObject({ state: "built" });
  });

  test("refuses what waits for no signature and what is not there", async () => {
    const { user } = await holderOf(api, prime);
    const unsigned = await api.withdraw(leave(prime, user.address));
    expect(unsigned.authorize).toBe("approve");
    expect((await refusedExit(api, unsigned.tracking_id, "0x00")).code).toBe("withdrawal_state");
    expect((await refusedExit(api, `trk_${"0".repeat(32)}`, "0x00")).code).toBe("withdrawal_not_found");
  });
});

test("a withdrawal by signature is refused where none works, and `auto` approves instead", async () => {
  const { user } = await holderOf(api, plain);
  const unsupported = "authorization_unsupported";
  for (const authorize of ["erc3009", "permit", "permit2"] as const)
    expect((await api.withdrawRefusal(leave(plain, user.address, { authorize }))).code).toBe(unsupported);
  expect((await api.withdraw(leave(plain, user.address, { authorize: "auto" }))).authorize).toBe("approve");
  const relayed = { authorize: "auto", submitter: chain.info.contracts.deposit_router } as const;
  expect((await api.withdrawRefusal(leave(plain, user.address, relayed))).code).toBe(unsupported);
});
