import { eq } from "drizzle-orm";
import { type Address, getAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ScratchChain } from "../../scripts/stack/chains/scratch-chain.ts";
import type { TestDeployment } from "../../scripts/stack/test-deployment.ts";
import { vaultRegisterTips, vaults } from "../../src/db/tables/vault-tables.ts";
import { DAY_MS, HOUR_MS } from "../../src/lib/durations.ts";
import { discoverVaults } from "../../src/registry/discover-registry-vaults.ts";
import { proveDueVaults } from "../../src/registry/proofs/prove-due-vaults.ts";
import { call } from "../support/partners/wallet.ts";
import { deployListRegister, type ListRegister } from "../support/registry/list-register.ts";
import { type ProofStage, startProofStage } from "../support/registry/proof-stage.ts";

const CHAIN = 31337;
let stage: ProofStage;
let causeway: TestDeployment;
let chain: ScratchChain;
let asset: Address;
let register: ListRegister;
let now = Date.now();

beforeAll(async () => {
  stage = await startProofStage(CHAIN);
  ({ causeway, chain, asset } = stage);
  register = await deployListRegister(chain);
});
afterAll(() => stage?.close());

const newVault = (): Promise<Address> => stage.put("ProvenVault");
const rowOf = (address: Address) => stage.rowOf(`${CHAIN}:${address.toLowerCase()}`);

/** The scratch register, as settings name a list that a protocol governs. */
const governedRegister = () => [
  {
    ...{ chain_id: CHAIN, address: register.address, adapter: "erc4626", protocol: "Scratch" },
    ...{ openness: "governed", view: "verifiedArray" },
  },
];

/** A context of a deployment that reads the scratch register, at the test's time. */
function context(discovery: Record<string, unknown> = {}) {
  const DISCOVERY = JSON.stringify({ registers: governedRegister(), ...discovery });
  const isolate = causeway.isolate({ DISCOVERY });
  return { ...isolate.context(), now: () => now };
}

describe("discoverVaults()", () => {
  test("adds what a register lists as candidates without their own names, and nothing to the lists", async () => {
    const [one, two] = [await newVault(), await newVault()];
    await register.call("set", [[one, two]]);
    expect(await discoverVaults(context())).toEqual({
      ...{ registers: 1, failed: 0, named: 2, skipped: 0, queued: 0 },
    });
    expect(await rowOf(one)).toMatchObject({
      ...{ status: "candidate", name: "Scratch vault", assetSymbol: "", wasActive: false },
      provenance: { source: "factory", detail: `Scratch ${getAddress(register.address)}` },
      namedBy: [`register:${register.address.toLowerCase()}`],
    });
    const { body } = await call(causeway.isolate(), ["GET", "/v1/vaults"]);
    expect(body["rows"]).toEqual([]);
    const detail = await call(causeway.isolate(), ["GET", `/v1/vaults/${CHAIN}:${one.toLowerCase()}`]);
    expect(detail.body["code"]).toBe("vault_not_found");
  });

  test("reads a list once a day, and notes who left it", async () => {
    now += DAY_MS - 1;
    expect(await discoverVaults(context())).toMatchObject({ registers: 0 });
    now += 1;
    const [stays, leaves] = [await newVault(), await newVault()];
    await register.call("set", [[stays, leaves]]);
    now += DAY_MS;
    expect(await discoverVaults(context())).toMatchObject({ registers: 1, named: 2 });
    await register.call("set", [[stays]]);
    now += DAY_MS;
    await discoverVaults(context());
    expect((await rowOf(leaves)).namedBy).toEqual([]);
    expect((await rowOf(stays)).namedBy).toHaveLength(1);
  });

  test("closes an open vault that left its register, once the refusal stands for 30 minutes", async () => {
    const address = await newVault();
    await register.call("set", [[address]]);
    now += DAY_MS;
    await discoverVaults(context());
    const own = eq(vaults.address, address.toLowerCase());
    await causeway.db.update(vaults).set({ status: "active", statusBy: "proof" }).where(own);
    await register.call("set", [[]]);
    now += DAY_MS;
    await discoverVaults(context());
    for (let round = 0; round < 3; round += 1) {
      now = Math.max(now, (await rowOf(address)).proofDueAt.getTime());
      await proveDueVaults(context());
    }
    expect(await rowOf(address)).toMatchObject({
      ...{
        status: "paused",
        statusBy: "proof",
        statusReason: "no vault factory or public list of vaults includes the vault any more",
      },
      wasActive: true,
    });
  });

  /** Proves a vault three times, each when its proof is due, with these settings. */
  async function proveThrice(address: Address, discovery: Record<string, unknown>) {
    for (let round = 0; round < 3; round += 1) {
      now = Math.max(now, (await rowOf(address)).proofDueAt.getTime());
      await proveDueVaults(context(discovery));
    }
    return rowOf(address);
  }

  test("lets a register that was removed from the settings vouch for nothing", async () => {
    const [open, waiting] = [await newVault(), await newVault()];
    await register.call("set", [[open, waiting]]);
    now += DAY_MS;
    await discoverVaults(context());
    // The first proof, which the gate holds back, reads the vault from the chain.
    await proveDueVaults(context());
    const own = eq(vaults.address, open.toLowerCase());
    await causeway.db.update(vaults).set({ status: "active", statusBy: "proof" }).where(own);
    const statusReason = "no vault factory or public list of vaults includes the vault any more";
    const removed = { registers: [] };
    expect(await proveThrice(open, removed)).toMatchObject({
      status: "paused",
      statusBy: "proof",
      statusReason,
    });
    expect(await proveThrice(waiting, removed)).toMatchObject({ status: "refused", statusReason });
    // The rows still name it: once it is back in the settings, it vouches again.
    expect(await proveThrice(open, {})).toMatchObject({ status: "active" });
  });

  test("closes an open vault of a public list that left its protocol's register, for one list does not suffice", async () => {
    const address = await newVault();
    await register.call("set", [[address]]);
    now += DAY_MS;
    await discoverVaults(context());
    // The first proof, which the gate holds back, reads the vault from the chain.
    await proveDueVaults(context());
    const own = eq(vaults.address, address.toLowerCase());
    const provenance = { source: "list", detail: "published" } as const;
    const named = [...(await rowOf(address)).namedBy, "list:published"];
    const opened = { provenance, namedBy: named, status: "active", statusBy: "proof" } as const;
    await causeway.db.update(vaults).set(opened).where(own);
    expect(await proveThrice(address, {})).toMatchObject({ status: "active" });
    await register.call("set", [[]]);
    now += DAY_MS;
    await discoverVaults(context());
    expect(await rowOf(address)).toMatchObject({ namedBy: ["list:published"] });
    const statusReason = "one public list alone vouches for it";
    expect(await proveThrice(address, {})).toMatchObject({
      status: "paused",
      statusBy: "proof",
      statusReason,
    });
    await causeway.db
      .update(vaults)
      .set({ namedBy: ["list:published", "list:other"] })
      .where(own);
    expect(await proveThrice(address, {})).toMatchObject({ status: "active" });
    await causeway.db.update(vaults).set({ namedBy: [] }).where(own);
    expect(await proveThrice(address, {})).toMatchObject({
      ...{ status: "paused" },
      statusReason: "no vault factory or public list of vaults includes the vault any more",
    });
  });

  test("closes an open vault that only an open factory still names", async () => {
    const [address, factory] = [await newVault(), await deployListRegister(chain)];
    await register.call("set", [[address]]);
    now += DAY_MS;
    await discoverVaults(context());
    // The first proof, which the gate holds back, reads the vault from the chain.
    await proveDueVaults(context());
    const own = eq(vaults.address, address.toLowerCase());
    const named = [...(await rowOf(address)).namedBy, `register:${factory.address.toLowerCase()}`];
    await causeway.db.update(vaults).set({ status: "active", statusBy: "proof", namedBy: named }).where(own);
    const other = { chain_id: CHAIN, address: factory.address, adapter: "morpho_v2", protocol: "Scratch" };
    const both = { registers: [...governedRegister(), { ...other, openness: "anybody" }] };
    await factory.call("create", [address]);
    expect(await proveThrice(address, both)).toMatchObject({ status: "active" });
    await register.call("set", [[]]);
    now += DAY_MS;
    await discoverVaults(context());
    expect(await proveThrice(address, both)).toMatchObject({
      ...{
        status: "paused",
        statusReason:
          "neither a factory that its protocol governs nor a public list of vaults includes the vault any more",
      },
    });
  });

  test("refuses a vault that its factory denies, although an earlier read named it", async () => {
    const [address, own] = [await newVault(), await deployListRegister(chain)];
    const entry = { chain_id: CHAIN, address: own.address, adapter: "morpho_v2", protocol: "Scratch" };
    const known = { ...entry, openness: "governed" };
    await own.call("set", [[address]]);
    await discoverVaults(context({ registers: [{ ...known, view: "verifiedArray" }] }));
    // Without the view of a list, it is a factory, which is asked at every proof.
    const proveWhenDue = async () => {
      now = Math.max(now, (await rowOf(address)).proofDueAt.getTime());
      await proveDueVaults(context({ registers: [known] }));
      return rowOf(address);
    };
    expect(await proveWhenDue()).toMatchObject({
      ...{
        status: "refused",
        statusReason: "no vault factory or public list of vaults includes the vault any more",
      },
    });
    await own.call("create", [address]);
    expect(await proveWhenDue()).toMatchObject({
      statusReason: expect.not.stringContaining(
        "no vault factory or public list of vaults includes the vault",
      ),
    });
  });

  test("records a contract that is no register, and goes on", async () => {
    const other = await newVault();
    const entry = { chain_id: CHAIN, adapter: "erc4626", protocol: "Other", openness: "governed" };
    const known = [{ ...entry, address: other, view: "verifiedArray" }];
    const report = await discoverVaults(context({ registers: known }));
    expect(report).toEqual({
      ...{ registers: 1, failed: 1, named: 0, skipped: 0, queued: 0 },
    });
    const [tip] = await causeway.db
      .select()
      .from(vaultRegisterTips)
      .where(eq(vaultRegisterTips.address, other.toLowerCase()));
    expect(tip?.error).toContain("does not answer as this register");
    expect(tip?.dueAt).toEqual(new Date(now + HOUR_MS));
  });

  test("leaves the newest 64 blocks of a factory's events to a later read, for a reorg may replace them", async () => {
    const factory = await deployListRegister(chain);
    const entry = { chain_id: CHAIN, adapter: "morpho_v2", protocol: "Fresh", openness: "anybody" };
    const served = { registers: [{ ...entry, address: factory.address }] };
    const made = await newVault();
    await chain.node.mine({ blocks: 64 });
    await factory.call("create", [made]);
    expect(await discoverVaults(context(served))).toMatchObject({ failed: 0, named: 0 });
    await chain.node.mine({ blocks: 64 });
    now += HOUR_MS;
    expect(await discoverVaults(context(served))).toMatchObject({ failed: 0, named: 1 });
    expect(await rowOf(made)).toMatchObject({ status: "candidate", adapter: "morpho_v2" });
  });

  test("never opens a vault of generic code, even when every threshold is met", async () => {
    const address = await newVault();
    await register.call("set", [[address]]);
    now += DAY_MS;
    const open = { assets: [`${CHAIN}:${asset}`], min_tvl_usd: 0, min_age_days: 0 };
    await discoverVaults(context(open));
    await proveDueVaults(context(open));
    expect(await rowOf(address)).toMatchObject({
      ...{ status: "candidate", statusReason: "its contract code belongs to no known family" },
      proof: { ok: true },
    });
  });

  test("does not read a factory that is only asked", async () => {
    const asked = { chain_id: CHAIN, address: register.address, adapter: "euler", protocol: "Scratch" };
    const entry = { ...asked, openness: "anybody", view: "isProxy" };
    now += DAY_MS;
    expect(await discoverVaults(context({ registers: [entry] }))).toMatchObject({ registers: 0 });
  });
});
