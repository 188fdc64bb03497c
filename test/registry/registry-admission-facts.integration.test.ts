import { and, eq } from "drizzle-orm";
import { type Address, encodeDeployData, encodeFunctionData, type Hex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { priceFeedAbi, priceFeedCreationCode } from "#stand-ins/prices";
import { contractsOf, deploy, type ScratchChain, send } from "../../scripts/stack/chains/scratch-chain.ts";
import type { TestDeployment } from "../../scripts/stack/test-deployment.ts";
import { RpcError } from "../../src/chains/json-rpc.ts";
import type { Context } from "../../src/context.ts";
import { vaults } from "../../src/db/tables/vault-tables.ts";
import { failure } from "../../src/errors.ts";
import { DAY_MS } from "../../src/lib/durations.ts";
import { changeVault } from "../../src/registry/change-registry-vault.ts";
import { discoverVaults, sourceOf } from "../../src/registry/discover-registry-vaults.ts";
import { proveDueVaults, proveVaultNow } from "../../src/registry/proofs/prove-due-vaults.ts";
import { proveVault } from "../../src/registry/proofs/prove-registry-vault.ts";
import { readVaultCode } from "../../src/registry/read-registry-code.ts";
import { readAdmission } from "../../src/registry/registry-admission-facts.ts";
import { deployListRegister, type ListRegister } from "../support/registry/list-register.ts";
import { type ProofStage, startProofStage } from "../support/registry/proof-stage.ts";

const CHAIN = 31337;
const KEY: Address = "0x00000000000000000000000000000000000A11cE";
const proven = contractsOf("test/support/solidity/ProvenVault.sol");
const doubtful = contractsOf("test/support/solidity/DoubtfulVaults.sol");
const governed = doubtful("GovernedVault");
let stage: ProofStage;
let causeway: TestDeployment;
let chain: ScratchChain;
let asset: Address;
let register: ListRegister;
let feed: Address;
/** The code of the vaults of this file, as the operator pins it. */
let pinned: string;
let now = Date.now();

beforeAll(async () => {
  stage = await startProofStage(CHAIN);
  ({ causeway, chain, asset } = stage);
  register = await deployListRegister(chain);
  const args = ["PUSD / USD", 8, 10n ** 8n, 0n] as const;
  feed = await deploy(chain, encodeDeployData({ abi: priceFeedAbi, bytecode: priceFeedCreationCode, args }));
});
afterAll(() => stage?.close());

/** Deploys a vault with assets of 1,000 US dollars that a contract governs. */
async function newVault(from = governed, more: readonly unknown[] = []): Promise<Address> {
  const { abi, creationCode } = from;
  const args = [asset, ...more];
  const address = await deploy(chain, encodeDeployData({ abi, bytecode: creationCode, args }));
  const act = (to: Address, functionName: string, args: unknown[]) =>
    send(chain, {
      to,
      data: encodeFunctionData({ abi: to === asset ? proven("ProofAsset").abi : abi, functionName, args }),
    });
  await act(address, "set", [false, false, false, 2n ** 256n - 1n, 0n, 0n]);
  await act(asset, "mint", [chain.account, 10n ** 9n]);
  await act(asset, "approve", [address, 10n ** 9n]);
  await act(address, "deposit", [10n ** 9n, chain.account]);
  await act(address, "govern", [register.address, false]);
  return address;
}

const govern = (to: Address, args: readonly unknown[]) =>
  send(chain, {
    to,
    data: encodeFunctionData({ abi: governed.abi, functionName: "govern", args: [...args] }),
  });

/** Settings under which a vault of this file opens, with changes. */
const settings = (change: Record<string, unknown> = {}) => ({
  ...{ assets: [`${CHAIN}:${asset}`], min_tvl_usd: 1_000, min_age_days: 0, min_timelock_s: 0 },
  code: [`${CHAIN}:${pinned}`],
  ...change,
});

/** What names the vaults of a test, and what they are judged by. */
interface Discovery {
  openness?: string;
  setting?: Record<string, unknown>;
  /** A factory of another family that names the vault too. */
  factory?: Address;
  /** Further registers of the settings. */
  more?: readonly Record<string, unknown>[];
  /** Price of the asset at the public price API, in US dollars; without it, the API is not used. */
  marketUsd?: number;
}

/** Creates a deployment's context with the register of this file, at the test's time. */
function contextOf({
  openness = "governed",
  setting = settings(),
  factory,
  more = [],
  marketUsd,
}: Discovery) {
  const known = { chain_id: CHAIN, protocol: "Scratch", openness };
  const own = { ...known, address: register.address, adapter: "euler", view: "verifiedArray" };
  const others = factory === undefined ? [] : [{ ...known, address: factory, adapter: "morpho_v2" }];
  const DISCOVERY = JSON.stringify({ ...setting, registers: [own, ...others, ...more] });
  const priced = { proxy: feed, decimals: 8, pair: "PUSD/USD", heartbeat_s: 3_600 };
  const tokens = [{ token: asset, unit: "USD", feeds: [priced] }];
  const api_url = marketUsd === undefined ? null : "https://prices.example";
  const PRICES = JSON.stringify({ api_url, feeds: { [CHAIN]: { tokens } } });
  const ctx = { ...causeway.isolate({ DISCOVERY, PRICES }).context(), now: () => now };
  const coin = { price: marketUsd, timestamp: Math.floor(now / 1_000), confidence: 0.99 };
  const answer = async () => Response.json({ coins: { [`${CHAIN}:${asset}`]: coin } });
  const scope = marketUsd === undefined ? ctx.providers.scope : { ...ctx.providers.scope, fetch: answer };
  return { ...ctx, providers: { ...ctx.providers, scope } };
}

const ownRow = (address: Address) =>
  and(eq(vaults.chainId, CHAIN), eq(vaults.address, address.toLowerCase()));

/** Sets the vaults that the register lists. */
const list = (addresses: readonly Address[]) => register.call("set", [addresses]);

/** Runs discovery and the due proofs of a deployment with these settings, and returns the vault's row. */
async function discover(address: Address, by: Discovery) {
  await list([address]);
  now += DAY_MS;
  const ctx = contextOf(by);
  expect(await discoverVaults(ctx)).toMatchObject({ failed: 0, named: by.factory === undefined ? 1 : 2 });
  await proveDueVaults(ctx);
  const [row] = await causeway.db.select().from(vaults).where(ownRow(address));
  return row;
}

describe("a discovered vault", () => {
  beforeAll(async () => {
    pinned = `code:0x${"00".repeat(32)}`;
    const held = await discover(await newVault(), {});
    const reason = /^no factory of its family made it, and nobody pinned (code:0x[0-9a-f]{64})$/;
    expect(held?.statusReason).toMatch(reason);
    pinned = reason.exec(held?.statusReason ?? "")?.[1] ?? "";
  });

  test("opens when every condition of the gate holds", async () => {
    expect(await discover(await newVault(), {})).toMatchObject({
      ...{ status: "active", statusBy: "proof", name: "Scratch PUSD", adapter: "euler" },
      proof: { ok: true, code: pinned },
    });
  });

  test.each<[string, () => Parameters<typeof discover>[1], string]>([
    [
      "that an open factory alone names",
      () => ({ openness: "anybody" }),
      "neither a factory that its protocol governs nor a public list of vaults includes the vault",
    ],
    [
      "of an asset that is not the operator's",
      () => ({ setting: settings({ assets: [] }) }),
      "its asset is not on the operator's list",
    ],
    [
      "of less than the operator's minimum",
      () => ({ setting: settings({ min_tvl_usd: 1_001 }) }),
      "its total assets are below the operator's minimum",
    ],
    [
      "that is too young",
      () => ({ setting: settings({ min_age_days: 3_650 }) }),
      "it has been known for less than 3650 days",
    ],
  ])("%s stays a candidate", async (_what, from, statusReason) => {
    expect(await discover(await newVault(), from())).toMatchObject({ status: "candidate", statusReason });
  });

  test.each<[string, readonly unknown[], string]>([
    ["that one key governs", [KEY, false], `one key governs it: ${KEY}`],
    [
      "that does not say who governs it",
      ["0x0000000000000000000000000000000000000000", true],
      "who governs it could not be read",
    ],
  ])("%s stays a candidate", async (_what, governor, statusReason) => {
    const address = await newVault();
    await govern(address, governor);
    expect(await discover(address, {})).toMatchObject({ status: "candidate", statusReason });
  });

  test("opens once a public list names it besides the open factory", async () => {
    const address = await newVault();
    const held = await discover(address, { openness: "anybody" });
    expect(held?.status).toBe("candidate");
    const namedBy = [...(held?.namedBy ?? []), "list:published"];
    await causeway.db
      .update(vaults)
      .set({ namedBy, proofDueAt: new Date(0) })
      .where(ownRow(address));
    expect(await discover(address, { openness: "anybody" })).toMatchObject({ status: "active" });
  });

  /** Makes a vault one that only a public list names, proves it with these settings, and returns its row. */
  async function proveListed(address: Address, by: Discovery, namedBy = ["list:published"]) {
    const provenance = { source: "list", detail: "published" } as const;
    const due = { provenance, namedBy, proofDueAt: new Date(0) };
    await causeway.db.update(vaults).set(due).where(ownRow(address));
    await proveDueVaults(contextOf(by));
    const [row] = await causeway.db.select().from(vaults).where(ownRow(address));
    return row;
  }

  test("that only a public list names needs code that somebody pinned", async () => {
    const address = await newVault();
    await discover(address, { openness: "anybody" });
    const statusReason = `no factory of its family made it, and nobody pinned ${pinned}`;
    const unpinned = { setting: settings({ code: [] }) };
    expect(await proveListed(address, unpinned)).toMatchObject({ status: "candidate", statusReason });
  });

  test("that only a public list names needs a second source, not one that denies it by now", async () => {
    const [address, factory] = [await newVault(), await deployListRegister(chain)];
    await discover(address, { openness: "anybody" });
    const asked = { chain_id: CHAIN, protocol: "Scratch", openness: "anybody", adapter: "euler" };
    const by = { openness: "anybody", more: [{ ...asked, address: factory.address, view: "isProxy" }] };
    const statusReason = "one public list alone vouches for it";
    expect(await proveListed(address, by)).toMatchObject({ status: "candidate", statusReason });
    const named = ["list:published", sourceOf(factory)];
    expect(await proveListed(address, { factory: factory.address }, named)).toMatchObject({ statusReason });
    await factory.call("createProxy", [address]);
    // The factory is asked, not read: it names nothing.
    expect(await proveListed(address, by)).toMatchObject({ status: "active", namedBy: ["list:published"] });
  });

  test("that anyone may have cloned of a factory's original has no second source", async () => {
    const [original, factory] = [await newVault(), await deployListRegister(chain)];
    await factory.call("setOriginal", [original]);
    // EIP-1167: what the factory deploys is byte for byte what everybody can deploy.
    const [start, end] = ["3d602d80600a3d3981f3363d3d373d3d3d363d73", "5af43d82803e903d91602b57fd5bf3"];
    const creationCode: Hex = `0x${start}${original.slice(2).toLowerCase()}${end}`;
    const clone = await newVault({ ...governed, creationCode });
    const asked = { chain_id: CHAIN, protocol: "Scratch", openness: "anybody", adapter: "euler" };
    const more = [{ ...asked, address: factory.address, view: "vault_original" }];
    const by = { openness: "anybody", setting: settings({ code: [] }), more };
    await discover(clone, by);
    const statusReason = "one public list alone vouches for it";
    expect(await proveListed(clone, by)).toMatchObject({ status: "candidate", statusReason });
    expect(await proveListed(clone, by, ["list:published", "list:2"])).toMatchObject({ status: "active" });
  });

  test.each([
    ["vault", (address: Address) => address],
    ["asset", () => asset],
  ])("is closed once the operator excludes the %s, after a refusal that stands", async (_what, excluded) => {
    const address = await newVault();
    expect(await discover(address, {})).toMatchObject({ status: "active" });
    const ctx = contextOf({ setting: settings({ blocked: [`${CHAIN}:${excluded(address)}`] }) });
    const key = { chainId: CHAIN, address };
    for (let proof = 0; proof < 2; proof += 1)
      expect(await proveVaultNow(ctx, key)).toMatchObject({ status: "active", proof: { ok: false } });
    const status_reason = "the operator of this service excludes the vault or its asset";
    expect(await proveVaultNow(ctx, key)).toMatchObject({ status: "paused", status_reason });
    expect(await proveVaultNow(contextOf({}), key)).toMatchObject({ status: "active" });
  });

  test("is valued at the lower of two prices that disagree", async () => {
    const by = { setting: settings({ min_tvl_usd: 1_001 }), marketUsd: 2 };
    expect(await discover(await newVault(), by)).toMatchObject({
      ...{ status: "candidate", statusReason: "its total assets are below the operator's minimum" },
    });
  });

  test("is not vouched for by a factory of another family", async () => {
    const [address, factory] = [await newVault(), await deployListRegister(chain)];
    await factory.call("create", [address]);
    // A read leaves a factory's newest blocks to the next one.
    await chain.node.mine({ blocks: 64 });
    const row = await discover(address, { factory: factory.address, setting: settings({ code: [] }) });
    expect(row?.namedBy).toContain(sourceOf(factory));
    const statusReason = `no factory of its family made it, and nobody pinned ${pinned}`;
    expect(row).toMatchObject({ status: "candidate", statusReason });
  });

  test("that only names a pinned implementation in a proxy's slot stays a candidate", async () => {
    const implementation = await newVault();
    const { abi, creationCode } = proven("ReplaceableProxy");
    const deployed = { abi, bytecode: creationCode, args: [implementation] };
    const proxy = await deploy(chain, encodeDeployData(deployed));
    const client = causeway.context().chains.client(CHAIN);
    if (client === null) throw new Error("the chain is not served");
    const code = await readVaultCode(client, proxy);
    expect(code).toMatch(new RegExp(`^implementation:${implementation}/0x`, "i"));
    const impostor = await newVault(doubtful("PosesAsProxy"), [implementation]);
    const row = await discover(impostor, { setting: settings({ code: [`${CHAIN}:${code}`] }) });
    expect(row?.status).toBe("candidate");
    expect(row?.statusReason).toMatch(/^its code can be replaced, and nobody pinned implementation:0x/);
  });

  test.each([
    ["no node answers", () => failure("upstream_unavailable", "no node answers")],
    ["no node has the method", () => new RpcError("unsupported", "unknown method")],
  ])("stays a candidate while the code of its roles cannot be read: %s", async (_, fault) => {
    const row = await discover(await newVault(), { openness: "anybody" });
    if (row?.proof === undefined || row.proof === null) throw new Error("the vault was not proven");
    const found = { row, finding: { kind: "passed", proof: row.proof } as const, derived: row };
    const ctx = contextOf({});
    expect(await readAdmission(ctx, found)).toEqual({ obstacle: null });
    const client = (chainId: number) => {
      const own = ctx.chains.client(chainId);
      if (own === null) return null;
      const ask: typeof own.ask = async (question) => {
        if (question.method === "eth_getCode") throw fault();
        return own.ask(question);
      };
      return { ...own, ask };
    };
    const failing = { ...ctx, chains: { ...ctx.chains, client } };
    expect(await readAdmission(failing, found)).toEqual({ obstacle: "its code could not be read" });
    expect(await proveVault(failing, row)).toMatchObject({ finding: { kind: "unread" } });
  });
});

describe("an administrator's decision about a discovered vault", () => {
  const decide = async (ctx: Context, of: { address: Address; state: "active" | "candidate" }) => {
    const { address, state } = of;
    const key = { chainId: CHAIN, address };
    const changed = await changeVault(ctx, { key, change: { state, reason: "" } });
    return "record" in changed ? changed.record : changed;
  };

  test("sends an open vault through the gate again, which opens it or says why not", async () => {
    const address = await newVault();
    expect(await discover(address, {})).toMatchObject({ status: "active" });
    const strict = contextOf({ setting: settings({ min_tvl_usd: 1_001 }) });
    expect(await decide(strict, { address, state: "candidate" })).toMatchObject({
      ...{ status: "candidate", status_reason: "its total assets are below the operator's minimum" },
    });
    expect(await decide(contextOf({}), { address, state: "candidate" })).toMatchObject({ status: "active" });
  });

  test("keeps a vault open that no register names", async () => {
    const address = await newVault();
    const held = await discover(address, { setting: settings({ assets: [] }) });
    expect(held).toMatchObject({ status: "candidate" });
    await list([]);
    now += DAY_MS;
    const ctx = contextOf({});
    await discoverVaults(ctx);
    expect(await decide(ctx, { address, state: "active" })).toMatchObject({ status: "active" });
    for (let proof = 0; proof < 3; proof += 1)
      expect(await proveVaultNow(ctx, { chainId: CHAIN, address })).toMatchObject({
        ...{ status: "active", proof: { ok: true } },
      });
    // The register decides again once the administrator leaves the decision to the proofs.
    expect(await decide(ctx, { address, state: "candidate" })).toMatchObject({
      status_reason: "no vault factory or public list of vaults includes the vault any more",
    });
  });
});
