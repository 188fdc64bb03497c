import { type Address, encodeFunctionData, erc20Abi, type Hex, maxUint256 } from "viem";
import { expect, test } from "vitest";
import type { StackVault } from "../../../scripts/stack/manifest.ts";
import { permit2Address } from "../../../src/router/router-signature-messages.ts";
import { outcomeOf, outcomesOfChanges } from "../../support/e2e/altered-order.ts";
import { Api, type BuildBody } from "../../support/e2e/api.ts";
import { allowanceOf, balanceOf } from "../../support/e2e/balances.ts";
import { chainOf, mined, newUser, sendCall, vaultNamed } from "../../support/e2e/chain.ts";
import { authorize, signOrder, submit } from "../../support/e2e/sign-order.ts";
import { holderOf } from "../../support/e2e/withdrawal.ts";

const api = new Api();
const from = vaultNamed("Local Prime USDC");
const home = chainOf(from.chain_id);
const router = home.info.contracts.deposit_router;

const moveBody = (
  into: StackVault,
  of: { user: Address; shares: bigint } & Partial<BuildBody>,
): BuildBody => {
  const { user, shares, ...more } = of;
  return {
    ...{ from_chain_id: from.chain_id, from_token: from.share_token, from_amount: String(shares) },
    ...{ vault_id: into.vault_id, user_address: user, ...more },
  };
};
const sharesOf = (vault: StackVault, owner: Address) =>
  balanceOf(chainOf(vault.chain_id), { token: vault.share_token, owner });

async function approvedHolder() {
  const holder = await holderOf(api, from);
  const args = [permit2Address, maxUint256] as const;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args });
  await mined(home, await sendCall(holder.user, { to: from.share_token, data }));
  return holder;
}

test("a permit of the shares moves them into another vault in one transaction, without an approval", async () => {
  const into = vaultNamed("Fine USDC");
  const { user, shares } = await holderOf(api, from);
  const built = await api.buildToSign(moveBody(into, { user: user.address, shares, authorize: "auto" }));
  expect(built).toMatchObject({ transaction_request: null, authorize: "permit", two_step: false });
  const ready = await authorize(api, built.tracking_id, await signOrder(built, user));
  const { status, transactionHash } = await submit(home, user, ready);
  expect(status).toBe("success");
  expect(await sharesOf(from, user.address)).toBe(0n);
  expect(await sharesOf(into, user.address)).toBeGreaterThanOrEqual(BigInt(built.estimate.min_shares ?? "1"));
  const owner = user.address;
  expect(await allowanceOf(home, { token: from.share_token, owner, spender: router })).toBe(0n);
  expect(await api.status(transactionHash, home.chainId)).toMatchObject({ substatus: "COMPLETED" });
});

test("Permit2 moves the shares with a swap between, sent by another account and altered in no field", async () => {
  const into = vaultNamed("Solid WETH");
  const { user, shares } = await approvedHolder();
  const relayer = await newUser(home);
  const asked = { authorize: "permit2", submitter: relayer.address } as const;
  const built = await api.buildToSign(moveBody(into, { user: user.address, shares, ...asked }));
  const ready = await authorize(api, built.tracking_id, await signOrder(built, user));
  const data = ready.transaction_request.data as Hex;
  expect(await outcomeOf(home, { data, from: relayer.address })).toBe("sent");
  const outcomes = await outcomesOfChanges(home, { data, from: relayer.address });
  expect(Object.keys(outcomes).length).toBeGreaterThan(30);
  expect(Object.entries(outcomes).filter(([, outcome]) => outcome === "sent")).toEqual([]);
  expect((await submit(home, relayer, ready)).status).toBe("success");
  expect(await sharesOf(into, user.address)).toBeGreaterThanOrEqual(BigInt(built.estimate.min_shares ?? "1"));
  expect((await submit(home, relayer, ready)).status).toBe("reverted");
});

test("Permit2 redeems and bridges in one transaction; the deposit is the second step", async () => {
  const into = vaultNamed("Remote USDC");
  const { user, shares } = await approvedHolder();
  const asked = { authorize: "permit2", preferred_bridge: "across" } as const;
  const built = await api.buildToSign(moveBody(into, { user: user.address, shares, ...asked }));
  expect(built).toMatchObject({ authorize: "permit2", two_step: true });
  const ready = await authorize(api, built.tracking_id, await signOrder(built, user));
  const { status, transactionHash } = await submit(home, await newUser(home), ready);
  expect(status).toBe("success");
  expect(await sharesOf(from, user.address)).toBe(0n);
  await api.status(transactionHash, home.chainId);
  expect((await api.deposit(built.tracking_id)).source_tx_hash).toBe(transactionHash);
});
