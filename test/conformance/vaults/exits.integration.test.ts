import { type Abi, type Address, encodeFunctionData } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { accountableVaultAbi } from "#stand-ins/accountable";
import { lagoonVaultAbi } from "#stand-ins/erc7540";
import { plasmaWithdrawManagerAbi } from "#stand-ins/ipor";
import {
  eulerVaultAbi,
  eulerVaultCreationCode,
  fluidTokenAbi,
  fluidTokenCreationCode,
  gearboxPoolAbi,
  gearboxPoolCreationCode,
  savingsTokenAbi,
  savingsTokenCreationCode,
  siloVaultAbi,
  siloVaultCreationCode,
  stataTokenAbi,
  stataTokenCreationCode,
  yearnVaultAbi,
  yearnVaultCreationCode,
} from "#stand-ins/lending";
import { midasRedemptionVaultAbi } from "#stand-ins/midas";
import {
  legacyTokenizedVaultAbi,
  legacyTokenizedVaultCreationCode,
  tokenizedVaultAbi,
} from "#stand-ins/upshift";
import { rpc } from "../../../scripts/stack/chains/json-rpc.ts";
import { explainExitRevert } from "../../../src/vaults/families/vault-families.ts";
import type { PendingExit } from "../../../src/vaults/vault-exits.ts";
import { deployCentrifuge, deployLagoon } from "../../support/conformance/vaults/erc7540-stand-in.ts";
import { deployAccountable, deployIpor, withShare } from "../../support/conformance/vaults/exit-stand-ins.ts";
import {
  type Deploy,
  deployRedeemableVault,
  follow,
  heldOf,
  pendingOf,
  type RedeemableVault,
  redeemOrRequest,
  revertOf,
  sharesOf,
  termsOf,
} from "../../support/conformance/vaults/leaving.ts";
import { deployMidas, RATE } from "../../support/conformance/vaults/midas-stand-in.ts";
import { deployStandard, set } from "../../support/conformance/vaults/standard.ts";
import { deployUpshift } from "../../support/conformance/vaults/upshift-stand-in.ts";
import { startWorld, type World } from "../../support/conformance/vaults/world.ts";

const DAY_S = 86_400;

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const open = (adapter: string, deploy: Deploy): Promise<RedeemableVault> =>
  deployRedeemableVault(world, { adapter, deploy });

const instant: [string, Deploy][] = [
  ["euler", deployStandard({ abi: eulerVaultAbi, code: eulerVaultCreationCode })],
  ["yearn_v3", deployStandard({ abi: yearnVaultAbi, code: yearnVaultCreationCode })],
  ["aave_stata", deployStandard({ abi: stataTokenAbi, code: stataTokenCreationCode })],
  ["spark", deployStandard({ abi: savingsTokenAbi, code: savingsTokenCreationCode })],
  ["gearbox", deployStandard({ abi: gearboxPoolAbi, code: gearboxPoolCreationCode })],
  ["fluid", deployStandard({ abi: fluidTokenAbi, code: fluidTokenCreationCode })],
  ["silo", deployStandard({ abi: siloVaultAbi, code: siloVaultCreationCode })],
  ["midas", deployMidas({ deposit: "instant", recipient: "argument", caller: "router" })],
];

describe.each(instant)("%s pays at once", (adapter, deploy) => {
  test("all shares for exactly what it previews", async () => {
    const of = await open(adapter, deploy);
    const shares = await sharesOf(of);
    expect(of.exits.modes(of.vault)[0]).toBe("instant");
    const { terms, call, paid } = await redeemOrRequest(of, { mode: "instant", shares });
    expect(terms).toMatchObject({ asset: of.vault.asset.address, heldShares: shares, refusal: null });
    expect(terms).toMatchObject({ paused: false, priced: "now", previewAssets: paid });
    expect(call).toMatchObject({ async: false, tokenOut: of.vault.asset.address });
    expect(await sharesOf(of)).toBe(0n);
  });

  test("no less than its own minimum, where its call has one", async () => {
    const of = await open(adapter, deploy);
    const shares = await sharesOf(of);
    const { previewAssets } = await termsOf(of, { mode: "instant", shares });
    const token = of.vault.asset;
    const input = {
      mode: "instant",
      shares,
      token,
      owner: of.user,
      caller: of.user,
      receiver: of.user,
    } as const;
    const call = of.exits.encode(of.vault, { ...input, minAssets: (previewAssets ?? 0n) + 1n });
    if (call.minAssets === "none") return;
    await expect(
      redeemOrRequest(of, { mode: "instant", shares, minAssets: (previewAssets ?? 0n) + 1n }),
    ).rejects.toThrow();
    expect(await sharesOf(of)).toBe(shares);
  });
});

const paused: [string, Deploy, { abi: Abi; name: string; args: readonly unknown[] }, string][] = [
  [
    "gearbox",
    instant[4]?.[1] as Deploy,
    { abi: gearboxPoolAbi, name: "setPaused", args: [true] },
    "exits_paused",
  ],
  [
    "aave_stata",
    instant[2]?.[1] as Deploy,
    { abi: stataTokenAbi, name: "setPaused", args: [true] },
    "exits_paused",
  ],
  [
    "fluid",
    instant[5]?.[1] as Deploy,
    { abi: fluidTokenAbi, name: "setBeneath", args: [11_003n] },
    "no_liquidity",
  ],
  [
    "yearn_v3",
    instant[1]?.[1] as Deploy,
    { abi: yearnVaultAbi, name: "setLoss", args: [51n] },
    "price_unsafe",
  ],
];

test.each(paused)("%s refuses with its own code", async (adapter, deploy, change, code) => {
  const of = await open(adapter, deploy);
  await set(of.placed, change);
  const shares = await sharesOf(of);
  const input = { mode: "instant", shares, token: of.vault.asset, owner: of.user } as const;
  const call = of.exits.encode(of.vault, { ...input, caller: of.user, receiver: of.user, minAssets: 0n });
  const revert = await world.client
    .call({ to: call.target, data: call.data, account: of.user })
    .then(() => null, revertOf);
  expect(explainExitRevert(of.vault, revert ?? "0x").code).toBe(code);
});

/** Settles the user's requests as the vault's operator. */
const settled = (abi: Abi) => (of: RedeemableVault) =>
  set(of.placed, { abi, name: "settle", args: [of.user] });

interface Requesting {
  adapter: string;
  deploy: Deploy;
  settle: (of: RedeemableVault) => Promise<void>;
  cancels: boolean;
  /** True if the shares stay in the wallet. */
  inWallet?: true;
}

const requesting: Requesting[] = [
  {
    adapter: "lagoon",
    deploy: deployLagoon({ version: "0.5" }),
    settle: settled(lagoonVaultAbi),
    cancels: false,
  },
  {
    adapter: "lagoon",
    deploy: deployLagoon({ version: "0.6" }),
    settle: settled(lagoonVaultAbi),
    cancels: true,
  },
  {
    adapter: "centrifuge",
    deploy: deployCentrifuge("async", "user"),
    settle: settled(lagoonVaultAbi),
    cancels: false,
  },
  {
    adapter: "accountable",
    deploy: withShare(deployAccountable),
    settle: settled(accountableVaultAbi),
    cancels: true,
  },
  {
    ...{ adapter: "ipor", deploy: deployIpor, cancels: false, inWallet: true },
    settle: (of) =>
      set(of.placed, {
        abi: plasmaWithdrawManagerAbi,
        name: "releaseFunds",
        on: of.placed.parts["requests"],
      }),
  },
];

describe.each(requesting)("$adapter pays a request", ({ adapter, deploy, settle, cancels, inWallet }) => {
  test("when it is settled and claimed", async () => {
    const of = await open(adapter, deploy);
    const shares = (await sharesOf(of)) / 4n;
    const asked = await redeemOrRequest(of, { mode: "request", shares });
    expect(asked).toMatchObject({
      paid: 0n,
      call: { async: true },
      terms: { refusal: null, priced: "later" },
    });
    const seen = of.exits.findRequest?.(of.vault, { user: of.user, logs: asked.receipt.logs });
    expect(seen).toMatchObject({ requestId: "0", shares });
    const [waiting] = await pendingOf(of);
    expect(waiting).toMatchObject({ state: "pending", shares, inWallet: inWallet === true });
    expect(waiting?.assets ?? 0n).toBeGreaterThan(0n);
    await settle(of);
    const [ready] = await pendingOf(of);
    if (ready === undefined) throw new Error("nothing to claim");
    expect(ready).toMatchObject({ state: "claimable", claimableShares: shares });
    const claimed = await follow(of, of.exits.claim?.(of.vault, { user: of.user, request: ready }));
    expect(claimed.paid).toBeGreaterThan(0n);
    expect(Number(claimed.paid)).toBeCloseTo(Number(ready.assets), -1);
    const requestLogs = asked.receipt.logs;
    const found = { user: of.user, requestId: ready.requestId, logs: claimed.receipt.logs, requestLogs };
    const settlement = of.exits.findSettlement?.(of.vault, found);
    expect(settlement).toMatchObject({ outcome: "paid", assets: claimed.paid });
    if (settlement?.shares !== undefined) expect(settlement.shares).toBe(shares);
    expect(await pendingOf(of)).toEqual([]);
  });

  test.runIf(cancels)("or gives the shares back", async () => {
    const of = await open(adapter, deploy);
    const all = await sharesOf(of);
    await redeemOrRequest(of, { mode: "request", shares: all });
    const [waiting] = await pendingOf(of);
    if (waiting === undefined) throw new Error("no request");
    expect(waiting.cancellable).toBe(true);
    await follow(of, of.exits.cancel?.(of.vault, { user: of.user, request: waiting }));
    expect(await sharesOf(of)).toBe(all);
    expect(await pendingOf(of)).toEqual([]);
  });
});

test("centrifuge takes a request back only when the hub has answered", async () => {
  const of = await open("centrifuge", deployCentrifuge("async", "user"));
  const all = await sharesOf(of);
  await redeemOrRequest(of, { mode: "request", shares: all });
  const [waiting] = await pendingOf(of);
  if (waiting === undefined) throw new Error("no request");
  await follow(of, of.exits.cancel?.(of.vault, { user: of.user, request: waiting }));
  expect(await termsOf(of, { mode: "request", shares: 1n })).toMatchObject({ refusal: "request_pending" });
  expect(await pendingOf(of)).toMatchObject([{ state: "pending", cancellable: false, shares: all }]);
  const { abi } = { abi: (await import("#stand-ins/erc7540")).centrifugeAsyncVaultAbi };
  await set(of.placed, { abi, name: "answerCancellation", args: [of.user] });
  const [returned] = await pendingOf(of);
  if (returned === undefined) throw new Error("nothing to claim");
  expect(returned).toMatchObject({ requestId: "cancelled", state: "claimable", claimableShares: all });
  await follow(of, of.exits.claim?.(of.vault, { user: of.user, request: returned }));
  expect(await sharesOf(of)).toBe(all);
});

test("midas pays a request when it is approved, and keeps what it rejects", async () => {
  const deploy = deployMidas({ deposit: "instant", recipient: "argument", caller: "router" });
  const of = await open("midas", deploy);
  const on = of.placed.parts["redemptions"];
  const shares = 10n ** 18n;
  const [first, second] = [
    await redeemOrRequest(of, { mode: "request", shares }),
    await redeemOrRequest(of, { mode: "request", shares }),
  ];
  const ids = [first, second].map(({ receipt }) =>
    String(of.exits.findRequest?.(of.vault, { user: of.user, logs: receipt.logs })?.requestId),
  );
  expect(ids).toEqual(["0", "1"]);
  const estimate = (10n ** 6n * RATE) / 10n ** 18n;
  expect(await pendingOf(of, ids)).toMatchObject([
    { requestId: "0", state: "pending", shares, assets: estimate },
    { requestId: "1", state: "pending", shares, assets: estimate },
  ]);
  const before = await heldOf(of, of.vault.asset.address);
  const abi = midasRedemptionVaultAbi;
  const approve = encodeFunctionData({ abi, functionName: "approveRequest", args: [0n, RATE] });
  const { logs } = await world.send(of.user, { to: on as Address, data: approve });
  expect((await heldOf(of, of.vault.asset.address)) - before).toBe(estimate);
  const requestLogs = first.receipt.logs;
  const found = { user: of.user, requestId: "0", logs, requestLogs };
  const settlement = of.exits.findSettlement?.(of.vault, found);
  expect(settlement).toEqual({ outcome: "paid", assets: estimate, alone: true });
  await set(of.placed, { abi, name: "rejectRequest", args: [1n], on });
  expect(await pendingOf(of, ids)).toMatchObject([{ requestId: "1", state: "rejected", assets: 0n }]);
});

const upshifts: [string, Deploy, Abi][] = [
  ["upshift", deployUpshift, tokenizedVaultAbi],
  [
    "upshift_legacy",
    deployStandard({ abi: legacyTokenizedVaultAbi, code: legacyTokenizedVaultCreationCode }),
    legacyTokenizedVaultAbi,
  ],
];

test.each(upshifts)("%s pays a request of a day after its lag", async (adapter, deploy, abi) => {
  const of = await open(adapter, deploy);
  await set(of.placed, { abi, name: "setLagDuration", args: [BigInt(2 * DAY_S)] });
  const shares = (await sharesOf(of)) / 3n;
  const asked = await redeemOrRequest(of, { mode: "request", shares });
  expect(asked.paid).toBe(0n);
  expect(of.exits.findRequest?.(of.vault, { user: of.user, logs: asked.receipt.logs })).toMatchObject({
    shares,
  });
  const [waiting] = await pendingOf(of);
  expect(waiting).toMatchObject({ state: "pending", shares, earliest: asked.terms.earliest });
  expect(of.exits.claim?.(of.vault, { user: of.user, request: waiting as PendingExit })).toBe(null);
  await world.undone(async () => {
    await rpc(world.url, "evm_increaseTime", 2 * DAY_S);
    await rpc(world.url, "evm_mine");
    const [ready] = await pendingOf(of);
    expect(ready).toMatchObject({ state: "claimable", requestId: waiting?.requestId });
    const { paid } = await follow(
      of,
      of.exits.claim?.(of.vault, { user: of.user, request: ready as PendingExit }),
    );
    expect(paid).toBe(waiting?.assets);
    expect(await pendingOf(of)).toEqual([]);
  });
});
