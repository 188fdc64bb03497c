import { type Address, encodeFunctionData, erc20Abi } from "viem";
import { describe, expect, test } from "vitest";
import { settleRequests } from "../../../scripts/stack/chains/settle-requests.ts";
import { Api } from "../../support/e2e/api.ts";
import { balanceOf } from "../../support/e2e/balances.ts";
import {
  chainOf,
  mined,
  newUser,
  sendCall,
  tokenOn,
  vaultNamed,
  vaultsFor,
} from "../../support/e2e/chain.ts";
import { ends } from "../../support/e2e/cross-chain.ts";
import { amounts, bodyFor } from "../../support/e2e/deposit.ts";
import { type Walk, walkSteps } from "../../support/e2e/walk-steps.ts";

const api = new Api();

/** Ids stay the same: a later reading has every step of an earlier one, in the same order. */
function expectStable({ readings }: Walk): void {
  const ids = readings.map((steps) => steps.map(({ step_id }) => step_id));
  const last = ids.at(-1) ?? [];
  for (const earlier of ids) expect(last.filter((id) => earlier.includes(id))).toEqual(earlier);
}

const statesOf = (walk: Walk) =>
  Object.fromEntries((walk.readings.at(-1) ?? []).map(({ step_id, state }) => [step_id, state]));

describe("a client that follows steps alone", () => {
  test("deposits a token that the vault accepts", async () => {
    const vault = vaultNamed("Plain USDC");
    const chain = chainOf(vault.chain_id);
    const user = await newUser(chain, { USDC: amounts.USDC });
    const walk = await walkSteps(api, { body: bodyFor(vault, { user: user.address }), user });
    expect(walk.did).toEqual(["source.approve", "source.deposit"]);
    expect(walk.readings[0]).toMatchObject([
      {
        kind: "transaction",
        purpose: "approve",
        state: "required",
        title: expect.stringMatching(/^Approve .* USDC$/),
      },
      { purpose: "deposit", state: "required", token: { symbol: "USDC", decimals: 6 }, spender: null },
    ]);
    expect(walk.readings[1]).toMatchObject([{ state: "done" }, { state: "required" }]);
    expect(statesOf(walk)).toEqual({ "source.approve": "done", "source.deposit": "done" });
    expectStable(walk);
  });

  test("resets an allowance of USDT first", async () => {
    const vault = vaultNamed("Plain USDT");
    const chain = chainOf(vault.chain_id);
    const user = await newUser(chain, { USDT: amounts.USDT });
    const built = await api.build(bodyFor(vault, { user: user.address }));
    const spender = built.approval?.spender_address as Address;
    const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [spender, 1n] });
    await mined(chain, await sendCall(user, { to: tokenOn(chain, "USDT"), data }));
    // The same deposit, read again, now needs the reset.
    expect(
      (await api.deposit(built.tracking_id)).steps.map(({ purpose, state }) => [purpose, state]),
    ).toEqual([
      ["approve_reset", "required"],
      ["approve", "required"],
      ["deposit", "required"],
    ]);
    const walk = await walkSteps(api, { body: bodyFor(vault, { user: user.address }), user });
    expect(walk.did).toEqual(["source.approve_reset", "source.approve", "source.deposit"]);
    expectStable(walk);
  });

  test("skips an approval that stands", async () => {
    const vault = vaultNamed("Plain USDC");
    const chain = chainOf(vault.chain_id);
    const user = await newUser(chain, { USDC: amounts.USDC });
    const body = bodyFor(vault, { user: user.address });
    const { approval } = await api.build(body);
    const args = [approval?.spender_address as Address, amounts.USDC] as const;
    const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args });
    await mined(chain, await sendCall(user, { to: tokenOn(chain, "USDC"), data }));
    const walk = await walkSteps(api, { body, user });
    expect(walk.did).toEqual(["source.deposit"]);
    expect(statesOf(walk)).toEqual({ "source.approve": "skipped", "source.deposit": "done" });
  });

  test("crosses chains in one transaction, and waits until the shares are there", async () => {
    const vault = vaultNamed("Remote USDC");
    const [from] = ends(vault);
    const user = await newUser(from, { USDC: 250_000_000n });
    const body = {
      from_chain_id: from.chainId,
      from_token: tokenOn(from, "USDC"),
      from_amount: "250000000",
      vault_id: vault.vault_id,
      user_address: user.address,
      preferred_bridge: "across",
    } as const;
    const walk = await walkSteps(api, { body, user });
    expect(walk.did).toEqual(["source.approve", "source.deposit"]);
    expect(await api.deposit(walk.trackingId)).toMatchObject({ state: "completed" });
    expectStable(walk);
  });

  test("crosses chains in two steps, of which the second deposits all that arrived", async () => {
    const vault = vaultNamed("Members USDC");
    const [from, home] = ends(vault);
    const user = await newUser(from, { USDC: 250_000_000n });
    const body = {
      from_chain_id: from.chainId,
      from_token: tokenOn(from, "USDC"),
      from_amount: "250000000",
      vault_id: vault.vault_id,
      user_address: user.address,
      preferred_bridge: "across",
    } as const;
    const quoted = await api.quote(body);
    const walk = await walkSteps(api, { body, user });
    expect(
      walk.readings[0]?.map(({ step_id, state, transaction_request: tx }) => [step_id, state, tx === null]),
    ).toEqual([
      ["source.approve", "required", false],
      ["source.transfer", "required", false],
      ["destination.approve", "waiting", false],
      ["destination.deposit", "waiting", true],
    ]);
    expect(walk.did).toEqual([
      "source.approve",
      "source.transfer",
      "destination.approve",
      "destination.deposit",
    ]);
    expect(statesOf(walk)["destination.deposit"]).toBe("done");
    expect(await balanceOf(home, { token: tokenOn(home, "USDC"), owner: user.address })).toBe(0n);
    const { deposit_amount: expected, deposit_amount_min: least } = quoted.estimate;
    expect(BigInt(expected)).toBeGreaterThanOrEqual(BigInt(least ?? 0));
    expect(expected).toBe(quoted.estimate.to_amount);
    expectStable(walk);
  });

  test.each(vaultsFor("requests"))("waits for the settlement of $name", async (vault) => {
    const chain = chainOf(vault.chain_id);
    const user = await newUser(chain, { [vault.asset_symbol]: amounts[vault.asset_symbol] });
    const body = bodyFor(vault, { user: user.address });
    const { settlement } = await api.vault(vault.vault_id);
    expect(settlement.deposit).toBe("request");
    let target: Address | null = null;
    const walk = await walkSteps(api, {
      body,
      user,
      meanwhile: async (steps) => {
        const request = steps.find(({ purpose }) => purpose === "request");
        if (request !== undefined && request.state !== "required" && target === null) {
          target = request.transaction_request?.to as Address;
          const { chainId, rpcUrl } = chain;
          await settleRequests({ chainId, rpcUrl, adapter: vault.adapter, target, user: user.address });
        }
      },
    });
    const claims = vault.adapter !== "midas";
    expect(walk.did).toEqual(["source.approve", "source.request", ...(claims ? ["claim"] : [])]);
    // A vault that sends the shares itself asks for no claim; its request lasts until they are there.
    expect(statesOf(walk)).toMatchObject({ "source.request": "done", ...(claims && { claim: "done" }) });
    expect(Object.keys(statesOf(walk)).includes("claim")).toBe(claims);
    expectStable(walk);
  });
});

test("says when nothing is left for gas", async () => {
  const vault = vaultNamed("Plain USDC");
  const chain = chainOf(vault.chain_id);
  const user = await newUser(chain, { USDC: amounts.USDC });
  expect((await api.build(bodyFor(vault, { user: user.address }))).simulation.gas_sufficient).toBe(true);
  const { address } = { address: `0x${"e1".repeat(20)}` as Address };
  expect((await api.build(bodyFor(vault, { user: address }))).simulation).toMatchObject({
    balance_sufficient: false,
    gas_sufficient: false,
  });
});

test("status names the token and kind of both sides", async () => {
  const vault = vaultNamed("Plain USDC");
  const user = await newUser(chainOf(vault.chain_id), { USDC: amounts.USDC });
  const walk = await walkSteps(api, { body: bodyFor(vault, { user: user.address }), user });
  const { source_tx_hash: hash } = await api.deposit(walk.trackingId);
  const status = await api.status(hash ?? "", vault.chain_id);
  expect(status).toMatchObject({
    sending: { token: { symbol: "USDC", decimals: 6 }, kind: "asset" },
    receiving: { token: { address: vault.share_token, symbol: "" }, kind: "shares" },
    poll_after_ms: 60_000,
  });
  expect(status.receiving?.token?.decimals).toEqual(expect.any(Number));
});
