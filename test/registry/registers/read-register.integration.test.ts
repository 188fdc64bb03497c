import { type Address, getAddress, numberToHex, pad, parseAbiItem, trim } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ScratchChain } from "../../../scripts/stack/chains/scratch-chain.ts";
import type { TestDeployment } from "../../../scripts/stack/test-deployment.ts";
import { runQuery } from "../../../src/chains/aggregator/aggregate-reads.ts";
import { creatorsQuery, deniedQuery, readRegister } from "../../../src/registry/registers/read-register.ts";
import { vaultRegisters } from "../../../src/registry/registers/vault-registers.ts";
import { contractsClient } from "../../support/chains/multicall.ts";
import { deployListRegister, type ListRegister } from "../../support/registry/list-register.ts";
import { type ProofStage, startProofStage } from "../../support/registry/proof-stage.ts";

const CHAIN = 31337;
let stage: ProofStage;
let causeway: TestDeployment;
let chain: ScratchChain;
let asset: Address;
let register: ListRegister;

beforeAll(async () => {
  stage = await startProofStage(CHAIN);
  ({ causeway, chain, asset } = stage);
  register = await deployListRegister(chain);
});
afterAll(() => stage?.close());

const newVault = (): Promise<Address> => stage.put("ProvenVault");

describe("readRegister() of events", () => {
  test("keeps the vaults that the factory itself confirms, and not a forged one", async () => {
    const [made, forged] = [await newVault(), await newVault()];
    await register.call("create", [made]);
    await register.call("forge", [forged]);
    const client = causeway.context().chains.client(CHAIN);
    if (client === null) throw new Error("the chain is not served");
    const head = Number(await chain.node.getBlockNumber());
    const event = parseAbiItem(
      "event CreateVaultV2(address indexed owner, address indexed asset, bytes32 salt, address indexed newVaultV2)",
    );
    const factory = {
      ...{ chainId: CHAIN, address: register.address, adapter: "morpho_v2", protocol: "Scratch" },
      ...({ openness: "anybody", membership: "isVaultV2", isFactory: true } as const),
      reading: { kind: "events", event: () => event, vaults: ["newVaultV2"], from: 0 } as const,
    };
    expect(await readRegister(client, { register: factory, readTo: null, head })).toEqual({
      ...{ vaults: [getAddress(made)], complete: false, readTo: head, behind: false },
    });
    expect(await readRegister(client, { register: factory, readTo: head, head })).toMatchObject({
      ...{ vaults: [], readTo: head },
    });
    // Blocks count as read only when the factory was asked about their vaults.
    const unasking = contractsClient(() => ({ ok: false, status: "not_reached" }));
    const starved: typeof client = { ...client, ask: (call) => unasking.ask(call) };
    await expect(readRegister(starved, { register: factory, readTo: null, head })).rejects.toMatchObject({
      code: "upstream_unavailable",
    });
    const unasked = { ...factory, membership: null };
    const silent = { ...factory, address: asset };
    const denying = async (vault: Address) =>
      (await runQuery(client, deniedQuery([factory, unasked, silent], vault))).value;
    expect(await denying(made)).toEqual([]);
    expect(await denying(forged)).toEqual([factory]);
  });

  test("rejects a node's logs of another contract", async () => {
    const [vault, other] = [await newVault(), await deployListRegister(chain)];
    await other.call("forge", [vault]);
    const client = causeway.context().chains.client(CHAIN);
    const known = vaultRegisters.find(({ adapter }) => adapter === "morpho_v2");
    if (client === null || known?.reading.kind !== "events") throw new Error("no register");
    const reading = { ...known.reading, from: 0 };
    const from = { ...known, chainId: CHAIN, address: register.address, membership: null, reading };
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
                  method === "eth_getLogs" ? [{ ...filter, address: other.address }] : params,
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
    await register.call("set", [[one, one]]);
    const known = { chainId: CHAIN, address: register.address, adapter: "erc4626", protocol: "Scratch" };
    const list = { ...known, openness: "governed", membership: null, isFactory: false } as const;
    const reading = { kind: "list", view: "verifiedArray" } as const;
    const readList = () => readRegister(client, { register: { ...list, reading }, readTo: null, head: 0 });
    expect(await readList()).toMatchObject({ vaults: [getAddress(one)], complete: true });
    await register.call("claimMany", [5_000n]);
    expect((await readList()).vaults).toHaveLength(5_000);
    await register.call("claimMany", [5_001n]);
    await expect(readList()).rejects.toMatchObject({ code: "upstream_rejected" });
    await register.call("claimMany", [0n]);
  });
});

describe("registers in code read their vaults from contracts with the protocols' views and events", () => {
  /** Reads the register of a family as it stands in code, at the scratch contract's address. */
  async function readAs(adapter: string, view?: string) {
    const client = causeway.context().chains.client(CHAIN);
    const known = vaultRegisters.find(
      ({ reading, ...one }) =>
        one.adapter === adapter && (view === undefined || (reading.kind === "list" && reading.view === view)),
    );
    if (client === null || known === undefined) throw new Error("no register");
    const reading = known.reading.kind === "events" ? { ...known.reading, from: 0 } : known.reading;
    const head = Number(await chain.node.getBlockNumber());
    const own = { ...known, chainId: CHAIN, address: register.address, reading };
    return { ...(await readRegister(client, { register: own, readTo: null, head })), register: own };
  }

  test.each([
    ["mellow", "deployMellow"],
    ["centrifuge", "deployCentrifuge"],
    ["erc4626", "deploySiloVault"],
  ])("%s: those that the register still contains", async (adapter, deployed) => {
    const [stays, left] = [await newVault(), await newVault()];
    await register.call(deployed, [stays, true]);
    await register.call(deployed, [left, false]);
    const { vaults: found, register: own } = await readAs(adapter);
    expect(found).toEqual([getAddress(stays)]);
    expect(own.openness).toBe("anybody");
  });

  test("gearbox: the pools of the contract that its address provider names", async () => {
    const pools = [await newVault(), await newVault()];
    await register.call("set", [pools]);
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

  test("gearbox: the pools of every curator, and keeps the names of one that does not respond", async () => {
    const pools = [await newVault(), await newVault()];
    const { address: other } = await deployListRegister(chain);
    await register.call("set", [pools]);
    await register.call("setCurators", [[register.address, asset, other]]);
    const { vaults: found, complete, register: own } = await readAs("gearbox", "getMarketConfigurators");
    expect(found).toEqual(pools.map((pool) => getAddress(pool)));
    expect([complete, own.openness, own.isFactory]).toEqual([false, "anybody", false]);
    await register.call("setCurators", [[register.address]]);
    expect(await readAs("gearbox", "getMarketConfigurators")).toMatchObject({ complete: true });
  });

  test("gearbox: nothing of more than 500 curators", async () => {
    await register.call("setCurators", [Array.from({ length: 501 }, () => asset)]);
    await expect(readAs("gearbox", "getMarketConfigurators")).rejects.toMatchObject({
      code: "upstream_rejected",
    });
  });

  test("accountable: the vault of each strategy", async () => {
    expect((await readAs("accountable")).vaults).toEqual([]);
    const made = Array.from({ length: 51 }, (_, index) => getAddress(numberToHex(index + 1, { size: 20 })));
    for (const vault of made)
      await register.call("createStrategy", [
        getAddress(pad(trim(vault), { dir: "right", size: 20 })),
        vault,
      ]);
    expect((await readAs("accountable")).vaults).toEqual(made);
    const client = causeway.context().chains.client(CHAIN);
    const known = vaultRegisters.find(({ adapter }) => adapter === "accountable");
    if (client === null || known === undefined) throw new Error("no register");
    const none = readRegister(client, { register: { ...known, address: asset }, readTo: null, head: 0 });
    await expect(none).rejects.toMatchObject({ code: "upstream_rejected" });
  });
});

describe("creatorsQuery()", () => {
  test("asks the factories of a family whether they created a vault", async () => {
    const [made, other] = [await newVault(), await newVault()];
    const client = causeway.context().chains.client(CHAIN);
    if (client === null) throw new Error("the chain is not served");
    const at = (adapter: string) => {
      const known = vaultRegisters.filter((one) => one.adapter === adapter && one.isFactory);
      return known.slice(0, 1).map((one) => ({ ...one, chainId: CHAIN, address: register.address }));
    };
    const creators = async (adapter: string, vault: Address, code = `code:0x${"12".repeat(32)}`) =>
      (await runQuery(client, creatorsQuery(at(adapter), { vault, code }))).value.length;
    await register.call("createProxy", [made]);
    await register.call("createVault", [made]);
    await register.call("create", [made]);
    for (const adapter of ["euler", "euler_earn", "morpho_v2"])
      expect([adapter, await creators(adapter, made), await creators(adapter, other)]).toEqual([
        adapter,
        1,
        0,
      ]);
    // A factory that lists its vaults without a view to ask, and a contract that is no factory.
    expect(await creators("fluid", made)).toBe(0);
    expect(await creators("metamorpho", made)).toBe(0);
    await register.call("setOriginal", [made]);
    expect(await creators("yearn_v3", other, `clone:${getAddress(made)}`)).toBe(1);
    expect(await creators("yearn_v3", other, `clone:${getAddress(other)}`)).toBe(0);
    expect(await creators("yearn_v3", made)).toBe(0);
  });

  test("reads no vaults of a factory that is only asked", async () => {
    const client = causeway.context().chains.client(CHAIN);
    const known = vaultRegisters.find(({ reading }) => reading.kind === "asked");
    if (client === null || known === undefined) throw new Error("no register");
    expect(await readRegister(client, { register: known, readTo: null, head: 9 })).toEqual({
      ...{ vaults: [], complete: false, readTo: null, behind: false },
    });
  });
});
