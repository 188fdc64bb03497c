import { eq } from "drizzle-orm";
import { type Address, encodeFunctionData, getAddress, getContractAddress, type Hex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { contractsOf, send } from "../../../scripts/stack/chains/scratch-chain.ts";
import { vaults } from "../../../src/db/tables/vault-tables.ts";
import { simulateProof } from "../../../src/registry/proofs/simulate-proof.ts";
import { toVault } from "../../../src/vaults/vault.ts";
import { asAdmin, call } from "../../support/partners/wallet.ts";
import { type ProofStage, startProofStage } from "../../support/registry/proof-stage.ts";
import { startRpcProxy } from "../../support/rpc-proxy.ts";

const proven = contractsOf("test/support/solidity/ProvenVault.sol");
const doubtful = contractsOf("test/support/solidity/DoubtfulVaults.sol");
let stage: ProofStage;

beforeAll(async () => {
  stage = await startProofStage();
});
afterAll(() => stage?.close());

describe("a proof", () => {
  test("neither opens nor refuses a candidate that says it is paused, whatever deposits then do", async () => {
    for (const address of [await stage.put("ProvenVault"), await stage.put("LenientVault", doubtful)]) {
      await stage.setVault(address, { paused: true });
      const vaultId = await stage.addCandidate(address);
      expect(await stage.prove(vaultId)).toMatchObject({
        body: { status: "candidate", proof: { ok: false } },
      });
      expect((await stage.rowOf(vaultId)).proof?.reason).toBe("the vault's contract is paused");
    }
  });

  test.each([
    ["ProvenVault", proven],
    ["LimitsByBalance", doubtful],
    ["LimitsInSilence", doubtful],
  ] as const)("neither opens nor refuses a candidate that is full: %s", async (contract, from) => {
    const address = await stage.put(contract, from);
    await stage.setVault(address, { cap: 0n });
    const vaultId = await stage.addCandidate(address);
    expect(await stage.prove(vaultId)).toMatchObject({ body: { status: "candidate", proof: { ok: false } } });
    const { proof } = await stage.rowOf(vaultId);
    expect(proof?.reason).toBe("the vault takes no deposits from new accounts now");
  });

  test.each([
    ["LimitsByBalance", {}],
    ["LenientVault", { cap: 0n }],
  ] as const)("opens a vault that takes deposits above its stated limit: %s", async (contract, change) => {
    const address = await stage.put(contract, doubtful);
    await stage.setVault(address, change);
    const vaultId = await stage.addCandidate(address);
    expect(await stage.prove(vaultId)).toMatchObject({ body: { status: "active" } });
    expect((await stage.rowOf(vaultId)).proof).toMatchObject({ ok: true, amount: "1000000" });
  });

  test.each([
    ["2% of a deposit", { entryFee: 200n }, "active"],
    ["4% of a deposit", { entryFee: 400n }, "refused"],
    ["2% of a redemption", { exitFee: 200n }, "active"],
    ["4% of a redemption", { exitFee: 400n }, "refused"],
  ])("lets a vault keep 3%% at most: %s leave it %s", async (_what, change, status) => {
    const address = await stage.put("ProvenVault");
    await stage.setVault(address, change);
    expect(await stage.prove(await stage.addCandidate(address))).toMatchObject({ body: { status } });
  });

  test("deposits no more than the vault takes", async () => {
    const address = await stage.put("ProvenVault");
    await stage.setVault(address, { cap: 400_000n });
    const vaultId = await stage.addCandidate(address);
    expect(await stage.prove(vaultId)).toMatchObject({ body: { status: "active" } });
    expect((await stage.rowOf(vaultId)).proof).toMatchObject({ amount: "400000", shares: "400000" });
  });

  test("says of a vault that takes the asset through another contract which one it is", async () => {
    const address = await stage.put("TakesThroughPool", doubtful);
    const vaultId = await stage.addCandidate(address);
    const { body } = await stage.prove(vaultId);
    const pool = getContractAddress({ from: address, nonce: 1n });
    expect([body["status"], body["status_reason"]]).toEqual([
      "refused",
      `the vault's deposit takes the asset through another contract than the vault: ${pool}`,
    ]);
  });

  test("does not say so of a vault that takes too much itself", async () => {
    const vaultId = await stage.addCandidate(await stage.put("TakesTwice", doubtful));
    const { body } = await stage.prove(vaultId);
    expect([body["status"], body["status_reason"]]).toEqual(["refused", "a deposit reverts: 0xfb8f41b2"]);
  });

  test("refuses a vault whose preview rejects the amount, even if a deposit would succeed", async () => {
    const vaultId = await stage.addCandidate(await stage.put("SilentPreview", doubtful));
    const status_reason = "a deposit reverts: no quote today";
    expect(await stage.prove(vaultId)).toMatchObject({ body: { status: "refused", status_reason } });
  });

  test("refuses a vault that names another asset than its entry, even if it takes the entry's", async () => {
    const address = await stage.put("LenientVault", doubtful);
    const vaultId = await stage.addCandidate(address);
    expect(await stage.prove(vaultId)).toMatchObject({ body: { status: "active" } });
    const other = await stage.put("ProofAsset", undefined, []);
    const { abi } = doubtful("LenientVault");
    const data = encodeFunctionData({ abi, functionName: "nameAsset", args: [other] });
    await send(stage.chain, { to: address, data });
    // As if the vault had named it between the reading of its addresses and the simulation.
    expect(await simulateProof(stage.causeway.context(), toVault(await stage.rowOf(vaultId)))).toMatchObject({
      ...{ kind: "refused", reason: "the vault does not confirm that it accepts PUSD", amount: null },
    });
  });

  test("refuses a vault that does not say what a whole share is worth", async () => {
    const vaultId = await stage.addCandidate(await stage.put("SilentPrice", doubtful));
    const status_reason = "the minted shares are worth much less than the deposit";
    expect(await stage.prove(vaultId)).toMatchObject({ body: { status: "refused", status_reason } });
  });

  test("leaves the deposit to the user where the vault mints to its caller whoever the receiver is", async () => {
    const vaultId = await stage.addCandidate(await stage.put("MintsToCaller", doubtful));
    expect(await stage.prove(vaultId)).toMatchObject({ body: { status: "active", caller: "user" } });
  });

  test("refuses an open vault whose shares have become another token", async () => {
    const vaultId = await stage.addCandidate(await stage.put("ProvenVault"));
    expect(await stage.prove(vaultId)).toMatchObject({ body: { status: "active" } });
    const own = eq(vaults.address, vaultId.split(":")[1] ?? "");
    await stage.causeway.db.update(vaults).set({ shareToken: stage.asset.toLowerCase() }).where(own);
    await stage.prove(vaultId);
    expect((await stage.rowOf(vaultId)).proof?.reason).toMatch(/^its share token on chain is /);
  });

  test("refuses an open vault whose asset reports other decimals than before", async () => {
    const vaultId = await stage.addCandidate(await stage.put("ProvenVault"));
    await stage.prove(vaultId);
    const own = eq(vaults.address, vaultId.split(":")[1] ?? "");
    await stage.causeway.db.update(vaults).set({ assetDecimals: 18 }).where(own);
    await stage.prove(vaultId);
    expect((await stage.rowOf(vaultId)).proof?.reason).toBe("its asset now reports 6 decimals, not 18");
  });

  test("finds that a vault redeems on request, and shows it so", async () => {
    const vaultId = await stage.addCandidate(await stage.put("RedeemsOnRequest", doubtful));
    expect(await stage.prove(vaultId)).toMatchObject({ body: { status: "active", proof: { ok: true } } });
    const { body } = await call(stage.causeway.isolate(), ["GET", `/v1/vaults/${vaultId}`]);
    expect(body).toMatchObject({ settlement: { deposit: "instant", withdraw: "request" }, exit_fee: null });
  });

  test("finds that a vault pays at once what it holds, and shows that withdrawals may wait", async () => {
    const waiting = contractsOf("scripts/stack/contracts/waiting/Waiting.sol");
    const vaultId = await stage.addCandidate(
      await stage.put("QueueingVault", waiting, [stage.asset, "", ""]),
    );
    expect(await stage.prove(vaultId)).toMatchObject({ body: { status: "active", adapter: "erc4626" } });
    const { params, proof } = await stage.rowOf(vaultId);
    expect({ params, proof }).toMatchObject({ params: { exit: "yo" }, proof: { returned: "1000000" } });
    const { body } = await call(stage.causeway.isolate(), ["GET", `/v1/vaults/${vaultId}`]);
    expect(body).toMatchObject({ settlement: { deposit: "instant", withdraw: "request" } });
  });

  test("refuses a vault that says it may let holders wait, and pays half at once", async () => {
    const vaultId = await stage.addCandidate(await stage.put("PosesAsQueue", doubtful));
    expect(await stage.prove(vaultId)).toMatchObject({ body: { status: "refused" } });
    const { statusReason } = await stage.rowOf(vaultId);
    expect(statusReason).toBe("redeeming the shares at once returns much less than the deposit");
  });

  test("opens no vault that redeems on request alone and takes no requests", async () => {
    const waiting = contractsOf("scripts/stack/contracts/waiting/Waiting.sol");
    const address = await stage.put("RequestingVault", waiting, [stage.asset, "", ""]);
    const refuse = (yes: boolean) => {
      const { abi } = waiting("RequestingVault");
      return send(stage.chain, {
        to: address,
        data: encodeFunctionData({ abi, functionName: "setRefuses", args: [yes] }),
      });
    };
    await refuse(true);
    const vaultId = await stage.addCandidate(address);
    expect(await stage.prove(vaultId)).toMatchObject({ body: { status: "candidate", proof: { ok: false } } });
    const { proof } = await stage.rowOf(vaultId);
    expect(proof?.reason).toMatch(/^a redemption request reverts/);
    await refuse(false);
    expect(await stage.prove(vaultId)).toMatchObject({ body: { status: "active" } });
    expect(await stage.rowOf(vaultId)).toMatchObject({ params: { exit: "erc7540" } });
  });

  test.each([
    ["RedeemsOnRequest", null],
    ["RedeemsByAllowance", "vault"],
  ])("a request of %s is built with the approval that its contract needs", async (contract, spender) => {
    const address = await stage.put(contract, doubtful);
    const vaultId = await stage.addCandidate(address);
    expect(await stage.prove(vaultId)).toMatchObject({ body: { status: "active" } });
    const { account } = stage.chain;
    const act = (to: Address, name: string, args: readonly unknown[]) => {
      const { abi } = to === stage.asset ? proven("ProofAsset") : doubtful(contract);
      return send(stage.chain, {
        to,
        data: encodeFunctionData({ abi, functionName: name, args: [...args] }),
      });
    };
    await act(stage.asset, "mint", [account, 10n ** 9n]);
    await act(stage.asset, "approve", [address, 10n ** 9n]);
    await act(address, "deposit", [10n ** 9n, account]);
    const asked = { vault_id: vaultId, user_address: account, shares: "all" };
    const build = () => call(stage.causeway.isolate(), ["POST", "/v1/withdraw/build"], { body: asked });
    const { status, body } = await build();
    expect({ status, body }).toMatchObject({ status: 200, body: { mode: "request" } });
    const approved = { token_address: getAddress(address), spender_address: getAddress(address) };
    const approval = spender === null ? null : { ...approved, amount: String(10n ** 9n) };
    expect(body["approval"]).toEqual(approval);
    for (const { to, data } of body["calls"] as { to: Address; data: Hex }[])
      await send(stage.chain, { to, data });
    expect(await build()).toMatchObject({ body: { code: "nothing_to_withdraw" } });
  });

  test("deposits from accounts that nobody can know beforehand", async () => {
    const vaultId = await stage.addCandidate(await stage.put("ProvenVault"));
    const seen: string[][] = [];
    const proxy = await startRpcProxy(String(stage.chain.node.transport["url"]), ({ params }) => {
      const senders = JSON.stringify(params).matchAll(/"from":"(0x\w+)"/g);
      seen.at(-1)?.push(...[...senders].map(([, sender = ""]) => sender));
      return null;
    });
    const native = { symbol: "ETH", decimals: 18 };
    const served = {
      chain_id: stage.chainId,
      rpc_urls: [proxy.url],
      name: "Watched",
      key: "watched",
      native,
    };
    const isolate = stage.causeway.isolate({ CHAINS: JSON.stringify([served]) });
    try {
      for (let round = 0; round < 2; round += 1) {
        seen.push([]);
        const path = `/v1/admin/vaults/${vaultId}/prove`;
        const { body } = await call(isolate, ["POST", path], { headers: asAdmin });
        expect(body).toMatchObject({ status: "active" });
      }
    } finally {
      await proxy.close();
    }
    const [first = [], second = []] = seen.map((accounts) => [...new Set(accounts)]);
    // One deposits for itself, a second one much more, and a third one for the first, as the Router does for users. Six
    // others leave together.
    expect([first.length, second.length]).toEqual([9, 9]);
    expect(first.filter((account) => second.includes(account))).toEqual([]);
    // Of each proof: the deposit, the redemption at once, both redemptions after 30 days, and those of the others.
    expect(proxy.asked.get("eth_simulateV1")).toBe(8);
  });
});
