import { and, eq } from "drizzle-orm";
import { type Address, encodeDeployData, encodeFunctionData } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { priceFeedAbi, priceFeedCreationCode } from "#stand-ins/prices";
import {
  contractsOf,
  deploy,
  type ScratchChain,
  send,
  startScratchChain,
} from "../../scripts/stack/chains/scratch-chain.ts";
import { startTestDeployment, type TestDeployment } from "../../scripts/stack/test-deployment.ts";
import { vaults } from "../../src/db/tables/vault-tables.ts";
import { DAY_MS } from "../../src/lib/durations.ts";
import { discoverVaults } from "../../src/registry/discover-vaults.ts";
import { proveDueVaults } from "../../src/registry/prove-due-vaults.ts";

const CHAIN = 31337;
const KEY: Address = "0x00000000000000000000000000000000000A11cE";
const proven = contractsOf("test/support/solidity/ProvenVault.sol");
const governed = contractsOf("test/support/solidity/DoubtfulVaults.sol")("GovernedVault");
const registers = contractsOf("test/support/solidity/VaultRegisters.sol")("ListRegister");
let causeway: TestDeployment;
let chain: ScratchChain;
let asset: Address;
let register: Address;
let feed: Address;
/** The code of the vaults of this file, as the operator pins it. */
let pinned: string;
let now = Date.now();

beforeAll(async () => {
  [causeway, chain] = await Promise.all([startTestDeployment({ chainIds: [CHAIN] }), startScratchChain()]);
  await causeway.connectChain(CHAIN, String(chain.node.transport["url"]));
  asset = await deploy(chain, proven("ProofAsset").creationCode);
  register = await deploy(chain, registers.creationCode);
  const args = ["PUSD / USD", 8, 10n ** 8n, 0n] as const;
  feed = await deploy(chain, encodeDeployData({ abi: priceFeedAbi, bytecode: priceFeedCreationCode, args }));
});
afterAll(() => Promise.all([causeway?.close(), chain?.stop()]));

/** Deploys a vault with assets of 1,000 US dollars that a contract governs. */
async function newVault(): Promise<Address> {
  const { abi, creationCode } = governed;
  const address = await deploy(chain, encodeDeployData({ abi, bytecode: creationCode, args: [asset] }));
  const act = (to: Address, functionName: string, args: unknown[]) =>
    send(chain, {
      to,
      data: encodeFunctionData({ abi: to === asset ? proven("ProofAsset").abi : abi, functionName, args }),
    });
  await act(asset, "mint", [chain.account, 10n ** 9n]);
  await act(asset, "approve", [address, 10n ** 9n]);
  await act(address, "deposit", [10n ** 9n, chain.account]);
  await act(address, "govern", [register, false]);
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

/** Runs discovery and the due proofs of a deployment with these settings, and returns the vault's row. */
async function discover(
  address: Address,
  { openness = "governed", setting = settings() }: { openness?: string; setting?: Record<string, unknown> },
) {
  const entry = { chain_id: CHAIN, address: register, adapter: "euler", protocol: "Scratch" };
  const list = encodeFunctionData({ abi: registers.abi, functionName: "set", args: [[address]] });
  await send(chain, { to: register, data: list });
  const DISCOVERY = JSON.stringify({
    ...setting,
    registers: [{ ...entry, openness, view: "verifiedArray" }],
  });
  const priced = { proxy: feed, decimals: 8, pair: "PUSD/USD", heartbeat_s: 3_600 };
  const tokens = [{ token: asset, unit: "USD", feeds: [priced] }];
  const PRICES = JSON.stringify({ api_url: null, feeds: { [CHAIN]: { tokens } } });
  const ctx = { ...causeway.isolate({ DISCOVERY, PRICES }).context(), now: () => now };
  now += DAY_MS;
  expect(await discoverVaults(ctx)).toMatchObject({ failed: 0, named: 1 });
  await proveDueVaults(ctx);
  const own = and(eq(vaults.chainId, CHAIN), eq(vaults.address, address.toLowerCase()));
  const [row] = await causeway.db.select().from(vaults).where(own);
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
      "no curated register or list names it",
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
});
