import { and, eq } from "drizzle-orm";
import { type Address, encodeDeployData, encodeFunctionData, getAddress, parseAbiItem } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  contractsOf,
  deploy,
  type ScratchChain,
  send,
  startScratchChain,
} from "../../scripts/stack/chains/scratch-chain.ts";
import { startTestDeployment, type TestDeployment } from "../../scripts/stack/test-deployment.ts";
import { runQuery } from "../../src/chains/aggregator/aggregate-reads.ts";
import { vaultRegisterTips, vaults } from "../../src/db/tables/vault-tables.ts";
import { DAY_MS, HOUR_MS } from "../../src/lib/durations.ts";
import { discoverVaults } from "../../src/registry/discover-vaults.ts";
import { proveDueVaults } from "../../src/registry/prove-due-vaults.ts";
import { deniedQuery, readRegister } from "../../src/registry/registers/read-register.ts";
import { vaultRegisters } from "../../src/registry/registers/vault-registers.ts";
import { call } from "../support/partners/wallet.ts";

const CHAIN = 31337;
const vaultContracts = contractsOf("test/support/solidity/ProvenVault.sol");
const registers = contractsOf("test/support/solidity/VaultRegisters.sol")("ListRegister");
let causeway: TestDeployment;
let chain: ScratchChain;
let asset: Address;
let register: Address;
let now = Date.now();

beforeAll(async () => {
  [causeway, chain] = await Promise.all([startTestDeployment({ chainIds: [CHAIN] }), startScratchChain()]);
  await causeway.connectChain(CHAIN, String(chain.node.transport["url"]));
  asset = await deploy(chain, vaultContracts("ProofAsset").creationCode);
  register = await deploy(chain, registers.creationCode);
});
afterAll(() => Promise.all([causeway?.close(), chain?.stop()]));

const newVault = (): Promise<Address> => {
  const { abi, creationCode } = vaultContracts("ProvenVault");
  return deploy(chain, encodeDeployData({ abi, bytecode: creationCode, args: [asset] }));
};
const ask = (functionName: string, args: unknown[]) =>
  send(chain, { to: register, data: encodeFunctionData({ abi: registers.abi, functionName, args }) });

/** A context of a deployment that reads the scratch register, at the test's time. */
function context(discovery: Record<string, unknown> = {}) {
  const entry = { chain_id: CHAIN, address: register, adapter: "erc4626", protocol: "Scratch" };
  const known = [{ ...entry, openness: "governed", view: "verifiedArray" }];
  const isolate = causeway.isolate({ DISCOVERY: JSON.stringify({ registers: known, ...discovery }) });
  return { ...isolate.context(), now: () => now };
}

async function rowOf(address: Address) {
  const [row] = await causeway.db
    .select()
    .from(vaults)
    .where(and(eq(vaults.chainId, CHAIN), eq(vaults.address, address.toLowerCase())));
  return row;
}

describe("discoverVaults()", () => {
  test("adds what a register lists as candidates without their own names, and nothing to the lists", async () => {
    const [one, two] = [await newVault(), await newVault()];
    await ask("set", [[one, two]]);
    expect(await discoverVaults(context())).toEqual({ registers: 1, failed: 0, named: 2 });
    expect(await rowOf(one)).toMatchObject({
      ...{ status: "candidate", name: "Scratch vault", assetSymbol: "", wasActive: false },
      provenance: { source: "factory", detail: `Scratch ${getAddress(register)}` },
      namedBy: [`register:${register.toLowerCase()}`],
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
    await ask("set", [[stays, leaves]]);
    now += DAY_MS;
    expect(await discoverVaults(context())).toMatchObject({ registers: 1, named: 2 });
    await ask("set", [[stays]]);
    now += DAY_MS;
    await discoverVaults(context());
    expect((await rowOf(leaves))?.namedBy).toEqual([]);
    expect((await rowOf(stays))?.namedBy).toHaveLength(1);
  });

  test("closes an open vault that left its register, once the refusal stands for 30 minutes", async () => {
    const address = await newVault();
    await ask("set", [[address]]);
    now += DAY_MS;
    await discoverVaults(context());
    const own = eq(vaults.address, address.toLowerCase());
    await causeway.db.update(vaults).set({ status: "active", statusBy: "proof" }).where(own);
    await ask("set", [[]]);
    now += DAY_MS;
    await discoverVaults(context());
    for (let round = 0; round < 3; round += 1) {
      now = Math.max(now, (await rowOf(address))?.proofDueAt.getTime() ?? now);
      await proveDueVaults(context());
    }
    expect(await rowOf(address)).toMatchObject({
      ...{ status: "paused", statusBy: "proof", statusReason: "no register names it any more" },
      wasActive: true,
    });
  });

  test("refuses a vault that its factory denies, although an earlier read named it", async () => {
    const [address, own] = [await newVault(), await deploy(chain, registers.creationCode)];
    const tell = (functionName: string, args: unknown[]) =>
      send(chain, { to: own, data: encodeFunctionData({ abi: registers.abi, functionName, args }) });
    const entry = { chain_id: CHAIN, address: own, adapter: "morpho_v2", protocol: "Scratch" };
    const known = { ...entry, openness: "governed" };
    await tell("set", [[address]]);
    await discoverVaults(context({ registers: [{ ...known, view: "verifiedArray" }] }));
    // Without the view of a list, it is a factory, which is asked at every proof.
    const proveWhenDue = async () => {
      now = Math.max(now, (await rowOf(address))?.proofDueAt.getTime() ?? now);
      await proveDueVaults(context({ registers: [known] }));
      return rowOf(address);
    };
    expect(await proveWhenDue()).toMatchObject({
      ...{ status: "refused", statusReason: "no register names it any more" },
    });
    await tell("create", [address]);
    expect(await proveWhenDue()).toMatchObject({
      statusReason: expect.not.stringContaining("no register names it"),
    });
  });

  test("records a contract that is no register, and goes on", async () => {
    const other = await newVault();
    const entry = { chain_id: CHAIN, adapter: "erc4626", protocol: "Other", openness: "governed" };
    const known = [{ ...entry, address: other, view: "verifiedArray" }];
    const report = await discoverVaults(context({ registers: known }));
    expect(report).toEqual({ registers: 1, failed: 1, named: 0 });
    const [tip] = await causeway.db
      .select()
      .from(vaultRegisterTips)
      .where(eq(vaultRegisterTips.address, other.toLowerCase()));
    expect(tip?.error).toContain("does not answer as this register");
    expect(tip?.dueAt).toEqual(new Date(now + HOUR_MS));
  });

  test("leaves the newest 64 blocks of a factory's events to a later read, for a reorg may replace them", async () => {
    const factory = await deploy(chain, registers.creationCode);
    const entry = { chain_id: CHAIN, adapter: "morpho_v2", protocol: "Fresh", openness: "anybody" };
    const served = { registers: [{ ...entry, address: factory }] };
    const made = await newVault();
    const data = encodeFunctionData({ abi: registers.abi, functionName: "create", args: [made] });
    await chain.node.mine({ blocks: 64 });
    await send(chain, { to: factory, data });
    expect(await discoverVaults(context(served))).toMatchObject({ failed: 0, named: 0 });
    await chain.node.mine({ blocks: 64 });
    now += HOUR_MS;
    expect(await discoverVaults(context(served))).toMatchObject({ failed: 0, named: 1 });
    expect(await rowOf(made)).toMatchObject({ status: "candidate", adapter: "morpho_v2" });
  });

  test("never opens a vault of generic code, even when every threshold is met", async () => {
    const address = await newVault();
    await ask("set", [[address]]);
    now += DAY_MS;
    const open = { assets: [`${CHAIN}:${asset}`], min_tvl_usd: 0, min_age_days: 0 };
    await discoverVaults(context(open));
    await proveDueVaults(context(open));
    expect(await rowOf(address)).toMatchObject({
      ...{ status: "candidate", statusReason: "its contract code belongs to no known family" },
      proof: { ok: true },
    });
  });
});

describe("readRegister() of events", () => {
  test("keeps the vaults that the factory itself confirms, and not a forged one", async () => {
    const [made, forged] = [await newVault(), await newVault()];
    await ask("create", [made]);
    await ask("forge", [forged]);
    const client = causeway.context().chains.client(CHAIN);
    if (client === null) throw new Error("the chain is not served");
    const head = Number(await chain.node.getBlockNumber());
    const event = parseAbiItem(
      "event CreateVaultV2(address indexed owner, address indexed asset, bytes32 salt, address indexed newVaultV2)",
    );
    const factory = {
      ...{ chainId: CHAIN, address: register, adapter: "morpho_v2", protocol: "Scratch" },
      ...({ openness: "anybody", membership: "isVaultV2", isFactory: true } as const),
      reading: { kind: "events", event: () => event, vaults: ["newVaultV2"], from: 0 } as const,
    };
    expect(await readRegister(client, { register: factory, readTo: null, head })).toEqual({
      ...{ vaults: [getAddress(made)], complete: false, readTo: head, behind: false },
    });
    expect(await readRegister(client, { register: factory, readTo: head, head })).toMatchObject({
      ...{ vaults: [], readTo: head },
    });
    const unasked = { ...factory, membership: null };
    const silent = { ...factory, address: asset };
    const denying = async (vault: Address) =>
      (await runQuery(client, deniedQuery([factory, unasked, silent], vault))).value;
    expect(await denying(made)).toEqual([]);
    expect(await denying(forged)).toEqual([factory]);
  });

  test("rejects a node's logs of another contract", async () => {
    const [vault, other] = [await newVault(), await deploy(chain, registers.creationCode)];
    const data = encodeFunctionData({ abi: registers.abi, functionName: "forge", args: [vault] });
    await send(chain, { to: other, data });
    const client = causeway.context().chains.client(CHAIN);
    const known = vaultRegisters.find(({ adapter }) => adapter === "morpho_v2");
    if (client === null || known?.reading.kind !== "events") throw new Error("no register");
    const reading = { ...known.reading, from: 0 };
    const from = { ...known, chainId: CHAIN, address: register, membership: null, reading };
    const head = Number(await chain.node.getBlockNumber());
    /** The chain's nodes, which return the logs of all contracts. */
    const lying: typeof client = {
      ...client,
      onOneNode: (work, turn) =>
        client.onOneNode(
          (node) =>
            work({
              ...node,
              request: (method, params) => {
                const [filter] = params as [Record<string, unknown>];
                return node.request(
                  method,
                  method === "eth_getLogs" ? [{ ...filter, address: other }] : params,
                );
              },
            }),
          turn,
        ),
    };
    await expect(readRegister(lying, { register: from, readTo: null, head })).rejects.toThrow();
    expect((await readRegister(client, { register: from, readTo: null, head })).vaults).not.toContain(vault);
  });

  test("names a vault of a list once, and reads lists of up to 5,000", async () => {
    const client = causeway.context().chains.client(CHAIN);
    if (client === null) throw new Error("the chain is not served");
    const one = await newVault();
    await ask("set", [[one, one]]);
    const known = { chainId: CHAIN, address: register, adapter: "erc4626", protocol: "Scratch" };
    const list = { ...known, openness: "governed", membership: null, isFactory: false } as const;
    const reading = { kind: "list", view: "verifiedArray" } as const;
    const readList = () => readRegister(client, { register: { ...list, reading }, readTo: null, head: 0 });
    expect(await readList()).toMatchObject({ vaults: [getAddress(one)], complete: true });
    await ask("claimMany", [5_000n]);
    expect((await readList()).vaults).toHaveLength(5_000);
    await ask("claimMany", [5_001n]);
    await expect(readList()).rejects.toMatchObject({ code: "upstream_rejected" });
    await ask("claimMany", [0n]);
  });
});

describe("registers in code read their vaults from contracts with the protocols' views and events", () => {
  /** Reads the register of a family as it stands in code, at the scratch contract's address. */
  async function readAs(adapter: string) {
    const client = causeway.context().chains.client(CHAIN);
    const known = vaultRegisters.find((one) => one.adapter === adapter);
    if (client === null || known === undefined) throw new Error("no register");
    const reading = known.reading.kind === "events" ? { ...known.reading, from: 0 } : known.reading;
    const head = Number(await chain.node.getBlockNumber());
    const own = { ...known, chainId: CHAIN, address: register, reading };
    return { ...(await readRegister(client, { register: own, readTo: null, head })), register: own };
  }

  test.each([
    ["mellow", "deployMellow"],
    ["centrifuge", "deployCentrifuge"],
  ])("%s: those that the register still contains", async (adapter, deployed) => {
    const [stays, left] = [await newVault(), await newVault()];
    await ask(deployed, [stays, true]);
    await ask(deployed, [left, false]);
    const { vaults: found, register: own } = await readAs(adapter);
    expect(found).toEqual([getAddress(stays)]);
    expect(own.openness).toBe("anybody");
  });

  test("gearbox: the pools of the contract that its address provider names", async () => {
    const pools = [await newVault(), await newVault()];
    await ask("set", [pools]);
    expect(await readAs("gearbox")).toMatchObject({
      vaults: pools.map((pool) => getAddress(pool)),
      complete: true,
    });
    // A contract without the provider's view is no register.
    const other = { address: asset };
    const client = causeway.context().chains.client(CHAIN);
    const known = vaultRegisters.find((one) => one.adapter === "gearbox");
    if (client === null || known === undefined) throw new Error("no register");
    const reading = readRegister(client, { register: { ...known, ...other }, readTo: null, head: 0 });
    await expect(reading).rejects.toMatchObject({ code: "upstream_rejected" });
  });
});
