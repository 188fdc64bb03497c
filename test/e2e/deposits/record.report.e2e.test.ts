import { type Address, encodeFunctionData, erc20Abi, type Hex } from "viem";
import { describe, expect, test } from "vitest";
import { decodeRouterCall, encodeRouterCall } from "../../../src/router/router-codec.ts";
import { Api } from "../../support/e2e/api.ts";
import { chainOf, mined, newUser, sendCall, tokenOn, vaultNamed } from "../../support/e2e/chain.ts";
import { amounts, bodyFor } from "../../support/e2e/deposit.ts";
import { findingsOf, problemOf } from "../../support/e2e/http.ts";
import { signDeposit } from "../../support/e2e/sign-deposit.ts";

const api = new Api();
const vault = vaultNamed("Plain USDC");
const chain = chainOf(vault.chain_id);
const SOME_HASH = `0x${"ab".repeat(32)}`;

async function built() {
  const user = await newUser(chain, { USDC: amounts.USDC });
  return { user, deposit: await api.build(bodyFor(vault, { user: user.address })) };
}

describe("PATCH transaction report", () => {
  test("keeps claims without a change of the record", async () => {
    const { deposit } = await built();
    for (const hash of [SOME_HASH, SOME_HASH.replaceAll("ab", "cd")]) {
      const answer = await api.report(deposit.tracking_id, { tx_hash: hash });
      expect(answer.json).toMatchObject({ state: "built", status: "NOT_FOUND", source_tx_hash: null });
    }
    expect(await api.status(SOME_HASH.replaceAll("ab", "cd"), vault.chain_id)).toMatchObject({
      status: "NOT_FOUND",
      sending: null,
      deposit: { tracking_id: deposit.tracking_id, state: "built" },
    });
  });

  test("finds the true transaction after a wrong report", async () => {
    const { user, deposit } = await built();
    await api.report(deposit.tracking_id, { tx_hash: SOME_HASH });
    const hash = await signDeposit(chain, { user, built: deposit, style: "calls" });
    expect(await api.status(hash, vault.chain_id)).toMatchObject({
      status: "DONE",
      deposit: { state: "completed" },
    });
    expect(await api.deposit(deposit.tracking_id)).toMatchObject({ source_tx_hash: hash });
  });

  test("proves nothing by an unrelated transaction", async () => {
    const { user, deposit } = await built();
    const plain = await sendCall(user, { to: user.address, value: 1n });
    await mined(chain, plain);
    await api.report(deposit.tracking_id, { tx_hash: plain });
    expect(await api.status(plain, vault.chain_id)).toMatchObject({ status: "INVALID" });
    expect(await api.deposit(deposit.tracking_id)).toMatchObject({ state: "built", status: "NOT_FOUND" });
  });

  test("classifies another user's deposit with a repeated reference by itself", async () => {
    const { user, deposit } = await built();
    const { to, data } = deposit.transaction_request;
    const call = decodeRouterCall(data as Hex);
    const other = await newUser(chain, { USDC: 1_000n });
    const approval = { abi: erc20Abi, functionName: "approve", args: [to as Address, 1_000n] } as const;
    await sendCall(other, { to: tokenOn(chain, "USDC"), data: encodeFunctionData(approval) });
    const dust = { ...call.order, amountIn: 1_000n, minIn: 1n, minOut: 1n, refundTo: other.address };
    const forged = await sendCall(other, {
      to: to as Address,
      data: encodeRouterCall({ ...call, order: dust }),
    });
    await mined(chain, forged);
    await api.report(deposit.tracking_id, { tx_hash: forged });
    expect(await api.status(forged, vault.chain_id)).toMatchObject({
      sending: { tx_hash: forged, amount: "1000" },
      deposit: null,
    });
    expect(await api.deposit(deposit.tracking_id)).toMatchObject({ state: "built", status: "NOT_FOUND" });
    const hash = await signDeposit(chain, { user, built: deposit, style: "calls" });
    expect(await api.status(hash, vault.chain_id)).toMatchObject({
      status: "DONE",
      deposit: { tracking_id: deposit.tracking_id, state: "completed" },
    });
  });

  test("keeps the proven transaction whatever is reported afterwards", async () => {
    const { user, deposit } = await built();
    const hash = await signDeposit(chain, { user, built: deposit, style: "calls" });
    await api.status(hash, vault.chain_id);
    for (const tx_hash of [SOME_HASH, hash])
      expect((await api.report(deposit.tracking_id, { tx_hash })).status).toBe(200);
    expect(await api.deposit(deposit.tracking_id)).toMatchObject({
      state: "completed",
      source_tx_hash: hash,
    });
  });

  test.each([
    ["no hash", {}, ["body.tx_hash"]],
    ["a short hash", { tx_hash: "0x12" }, ["body.tx_hash"]],
    ["an unknown step", { tx_hash: SOME_HASH, step: "third" }, ["body.step"]],
    ["both wrong", { tx_hash: 7, step: 7 }, ["body.tx_hash", "body.step"]],
  ])("refuses %s", async (_name, body, findings) => {
    expect(findingsOf(await api.report(`trk_${"0".repeat(32)}`, body))).toEqual(findings);
  });

  test("returns 404 for an unknown deposit", async () => {
    const answer = await api.report(`trk_${"0".repeat(32)}`, { tx_hash: SOME_HASH });
    expect(problemOf(answer)).toMatchObject({ status: 404, code: "deposit_not_found" });
  });
});
