import { and, eq } from "drizzle-orm";
import {
  type Abi,
  type Address,
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  padHex,
  parseAbi,
  parseAbiParameters,
} from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deployEmitters, rawData } from "../../../scripts/bench/flow-emitters.ts";
import { CHAIN_ID, vaultRow } from "../../../scripts/bench/vault-row.ts";
import { publishedCode } from "../../../scripts/stack/chains/published-code.ts";
import {
  contractsOf,
  deploy,
  type ScratchChain,
  send,
  startScratchChain,
} from "../../../scripts/stack/chains/scratch-chain.ts";
import { startTestDeployment, type TestDeployment } from "../../../scripts/stack/test-deployment.ts";
import type { Database } from "../../../src/db/database-client.ts";
import { flowTips } from "../../../src/db/tables/flow-tables.ts";
import { signals } from "../../../src/db/tables/signal-tables.ts";
import { vaults } from "../../../src/db/tables/vault-tables.ts";
import { failure } from "../../../src/errors.ts";
import { indexAllChains } from "../../../src/flows/index-flows.ts";
import { indexGovernanceEvents } from "../../../src/flows/index-governance-events.ts";
import { raiseSignals } from "../../../src/signals/raise-signals.ts";
import { decodeEventArgs, governanceEventsOf } from "../../../src/vaults/governance/find-governance-event.ts";
import {
  governanceContractsOf as eventContractsOf,
  type GovernanceEvent,
} from "../../../src/vaults/governance/governance-event.ts";
import { toVault, type Vault } from "../../../src/vaults/vault.ts";
import { logOf } from "../../support/vaults/governance-logs.ts";

const ADAPTERS = [
  ...["metamorpho", "euler_earn", "silo", "morpho_v2", "veda", "ipor", "lagoon", "midas", "mellow"],
  ...[
    "mellow_lrt",
    "yearn_v3",
    "euler",
    "gearbox",
    "fluid",
    "spark",
    "centrifuge",
    "upshift",
    "upshift_legacy",
    "erc4626",
  ],
];
const PARAMS: Readonly<Record<string, Record<string, string>>> = {
  veda: { teller: "d" },
  mellow: { queue: "sync" },
  midas: { deposit: "instant", recipient: "argument" },
  centrifuge: { deposit: "sync" },
};
/** Where proxies keep the address of their beacon. Source: ERC-1967. */
const BEACON_SLOT = "0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50";
/** Deep enough for a block to be final. */
const FINAL = 70;
const GAS = 500_000n;

let chain: ScratchChain;
let causeway: TestDeployment;
let rows: ReturnType<typeof rowOf>[];

const addressOf = (adapter: number, contract: number): Address =>
  padHex(`0x${(0xf00000 + adapter * 16 + contract).toString(16)}`, { size: 20 });
const rowOf = (adapter: string, index: number) => ({
  ...vaultRow({ number: index, adapter, address: addressOf(index, 0) }),
  entryPoint: addressOf(index, 1),
  pricer: addressOf(index, 2),
  shareToken: addressOf(index, 3),
  params: { ...PARAMS[adapter], ...(adapter === "midas" ? { redemption_vault: addressOf(index, 6) } : {}) },
  name: adapter,
});

beforeAll(async () => {
  [chain, causeway] = await Promise.all([
    startScratchChain("--chain-id", `${CHAIN_ID}`),
    startTestDeployment({ chainIds: [CHAIN_ID] }),
  ]);
  await causeway.connectChain(CHAIN_ID, chain.node.transport["url"] ?? "");
  const [emitter] = await deployEmitters(chain, 1);
  const bytecode =
    (emitter === undefined ? undefined : await chain.node.getCode({ address: emitter })) ?? "0x";
  rows = ADAPTERS.map(rowOf);
  const contracts = ADAPTERS.flatMap((_, index) =>
    [0, 1, 2, 3, 4, 5, 6, 7].map((contract) => addressOf(index, contract)),
  );
  await Promise.all(contracts.map((address) => chain.node.setCode({ address, bytecode })));
  for (const [index] of ADAPTERS.entries())
    await chain.node.setStorageAt({
      address: addressOf(index, 0),
      index: BEACON_SLOT,
      value: padHex(addressOf(index, 7), { size: 32 }),
    });
  await causeway.db.insert(vaults).values(rows);
});
afterAll(async () => {
  await causeway?.close();
  await chain?.stop();
});

/** Lets contracts say something, each block of the list in one block. */
async function emit(blocks: readonly (readonly { to: string; event: GovernanceEvent }[])[]): Promise<Hex[]> {
  const sent: Hex[] = [];
  await chain.node.setAutomine(false);
  for (const block of blocks) {
    for (const { to, event } of block) {
      const request = { account: chain.account, chain: null, gas: GAS };
      sent.push(
        await chain.node.sendTransaction({ ...request, to: to as Address, data: rawData(logOf(event)) }),
      );
    }
    await chain.node.mine({ blocks: 1 });
  }
  await chain.node.setAutomine(true);
  return sent;
}
const settle = async () => {
  await chain.node.mine({ blocks: FINAL });
  expect(await indexAllChains(causeway.context())).toMatchObject({ failed: 0 });
};
const vaultOf = (adapter: string): Vault => {
  const row = rows[ADAPTERS.indexOf(adapter)];
  if (row === undefined) throw new RangeError(adapter);
  return toVault(row);
};
/** As the stand-ins name them. */
const emitterOf = (adapter: string, { contract }: GovernanceEvent): string => {
  const index = ADAPTERS.indexOf(adapter);
  const links = {
    authority: addressOf(index, 4),
    feeManager: addressOf(index, 5),
    beacon: addressOf(index, 7),
  };
  const address = eventContractsOf(vaultOf(adapter), links)[contract];
  if (address === undefined) throw new RangeError(`${adapter} has no ${contract}`);
  return address;
};
const eventOf = (adapter: string, name: string) => {
  const event = governanceEventsOf(adapter).find(({ signature }) => signature.startsWith(`${name}(`));
  if (event === undefined) throw new RangeError(`${adapter} tells no ${name}`);
  return { to: emitterOf(adapter, event), event };
};
const nameOf = ({ contract, signature }: GovernanceEvent): string => `${contract} ${signature.split("(")[0]}`;
/** Every event that some view does not show; of several with one name, which are one subject, the first. */
const all = () =>
  ADAPTERS.flatMap((adapter) => {
    const vault = vaultOf(adapter);
    const events = governanceEventsOf(adapter);
    return events
      .filter((event) => events.find((other) => nameOf(other) === nameOf(event)) === event)
      .filter((event) => event.seenByView?.(decodeEventArgs(event, logOf(event)) ?? {}, vault) !== true)
      .map((event) => ({ adapter, to: emitterOf(adapter, event), event }));
  });
const told = async () => {
  const stored = await causeway.db.select().from(signals);
  return stored
    .filter(({ ruleId }) => ["setting_changed", "change_announced"].includes(ruleId))
    .map(({ vaultAddress, ruleId, tier, txHash }) => `${vaultAddress} ${ruleId} ${tier} ${txHash}`)
    .sort();
};
const watch = () => indexGovernanceEvents(causeway.context());
const raise = () => raiseSignals(causeway.context());
const tip = async () => (await causeway.db.select().from(flowTips).where(eq(flowTips.chainId, CHAIN_ID)))[0];

describe("governance changes of vaults", () => {
  let expected: string[];

  test("ignores events before the chain was first indexed", async () => {
    await emit([[eventOf("veda", "PlatformFeeUpdated")]]);
    await settle();
    expect(await watch()).toMatchObject({ chains: 1, failed: 0, events: 0, behind: 0 });
    expect((await tip())?.controlsTo).toBe((await tip())?.finalBlock);
    await raise();
    expect(await told()).toEqual([]);
  });

  test("raises a signal only once the event's block is final", async () => {
    const events = all();
    expect(events.length).toBeGreaterThan(150);
    const half = Math.ceil(events.length / 2);
    const hashes = await emit([events.slice(0, half), events.slice(half)]);
    expected = events
      .map(({ adapter, event }, index) => {
        const rule = event.stage === "done" ? "setting_changed" : "change_announced";
        return `${vaultOf(adapter).address.toLowerCase()} ${rule} ${event.tier} ${hashes[index]}`;
      })
      .sort();
    await indexAllChains(causeway.context());
    await watch();
    await raise();
    expect(await told()).toEqual([]);
  });

  test("retries after a node failed and raises every signal", async () => {
    await settle();
    const before = (await tip())?.controlsTo;
    const nobody = {
      chain_id: CHAIN_ID,
      rpc_urls: ["http://127.0.0.1:9"],
      name: "Test",
      key: "test",
      native: { symbol: "ETH", decimals: 18 },
    };
    const cut = causeway.isolate({ CHAINS: JSON.stringify([nobody]) });
    expect(await indexGovernanceEvents(cut.context())).toMatchObject({ failed: 1, events: 0 });
    expect((await tip())?.controlsTo).toBe(before);
  });

  test("raises one signal for each event, with tier and transaction, when runs overlap", async () => {
    await Promise.all([watch(), watch()]);
    expect((await tip())?.controlsTo).toBe((await tip())?.finalBlock);
    await raise();
    expect(await told()).toEqual(expected);
    expect(await raise()).toMatchObject({ raised: 0, updated: 0 });
    // A run that was killed before it noted how far it got reads them again, and here one from before the watch.
    await causeway.db.update(flowTips).set({ controlsTo: 1 });
    await watch();
    expect(await raise()).toMatchObject({ raised: 0, updated: 1 });
    expect(await told()).toEqual(expected);
  });

  test("adds further events of the same kind to the incident", async () => {
    const fee = eventOf("midas", "SetInstantFee");
    const blocks = Array.from({ length: 12 }, () => [fee]);
    const hashes = await emit(blocks);
    await settle();
    const first = await watch();
    expect(first).toMatchObject({ failed: 0, events: 10 });
    expect(first.behind).toBeGreaterThan(0);
    expect(await watch()).toMatchObject({ events: 2, behind: 0 });
    expect(await raise()).toMatchObject({ raised: 0, updated: 1 });
    const own = (await causeway.db.select().from(signals)).filter(
      ({ vaultAddress, subject }) =>
        vaultAddress === fee.to.replace(/1$/, "0") && subject === "entryPoint SetInstantFee",
    );
    expect(own).toMatchObject([{ updateCount: 1, txHash: hashes.at(-1), tier: "medium" }]);
    expect(own[0]?.summary).toContain("12 more events of this kind were recorded within a day.");
  });
});

test.each([3, 4])(
  "a run whose database fails at statement %i leaves the vault's proof due after the next run",
  async (failing) => {
    const { to, event } = eventOf("veda", "PlatformFeeUpdated");
    await emit([[{ to, event }]]);
    await settle();
    const row = and(eq(vaults.chainId, CHAIN_ID), eq(vaults.address, vaultOf("veda").address.toLowerCase()));
    const later = new Date(Date.now() + 86_400_000);
    await causeway.db.update(vaults).set({ proofDueAt: later }).where(row);
    const ctx = causeway.context();
    let statements = 0;
    const db: Database = {
      run(statement) {
        statements += 1;
        if (statements === failing) throw failure("store_unavailable", "the database did not answer");
        return ctx.db.run(statement);
      },
    };
    expect(await indexGovernanceEvents({ ...ctx, db })).toMatchObject({ failed: 1 });
    expect(await watch()).toMatchObject({ failed: 0 });
    const [stored] = await causeway.db.select().from(vaults).where(row);
    expect(stored?.proofDueAt.getTime()).toBeLessThan(later.getTime());
  },
);

test("routine role grants raise no signal, governing roles do", async () => {
  const { to, event } = eventOf("ipor", "RoleGranted");
  const before = await told();
  const grant = async (roleId: bigint) => {
    const data = rawData(logOf(event, { roleId }));
    return (await send(chain, { to: to as Address, data })).transactionHash;
  };
  await grant(800n);
  const atomist = await grant(100n);
  await settle();
  expect(await watch()).toMatchObject({ failed: 0, events: 1 });
  await raise();
  const own = (await causeway.db.select().from(signals)).find(({ txHash }) => txHash === atomist);
  expect(own).toMatchObject({ vaultAddress: vaultOf("ipor").address.toLowerCase(), tier: "medium" });
  expect(own?.subject).toMatch(/^authority RoleGranted [0-9a-f]{16}$/);
  expect(own?.summary).toMatch(
    /^The role "atomist" \(manages the vault's settings\) of ipor was granted to 0x[0-9a-fA-F]{40}, with effect from /,
  );
  expect(await told()).toHaveLength(before.length + 1);
});

test("MetaMorpho's own code emits the events of announced and cancelled changes", async () => {
  const dollar = await deploy(
    chain,
    contractsOf("test/support/solidity/ScenarioVault.sol")("Dollar").creationCode,
  );
  const args = encodeAbiParameters(parseAbiParameters("address, address, uint256, address, string, string"), [
    chain.account,
    dollar,
    172_800n,
    dollar,
    "Real",
    "R",
  ]);
  const address = await deploy(chain, concatHex([publishedCode("metaMorpho"), args]));
  await causeway.db
    .insert(vaults)
    .values({ ...vaultRow({ number: 99, adapter: "metamorpho", address }), name: "Real" });
  const call = async (name: string, ...given: (bigint | Address)[]) => {
    const abi = parseAbi([
      "function submitTimelock(uint256)",
      "function revokePendingTimelock()",
      "function submitGuardian(address)",
      "function transferOwnership(address)",
    ]) as Abi;
    const data = encodeFunctionData({ abi, functionName: name, args: given });
    return (await send(chain, { to: address, data })).transactionHash;
  };
  const [first, second] = [addressOf(90, 1), addressOf(90, 2)];
  const hashes = {
    timelock: await call("submitTimelock", 86_400n),
    // The first guardian is there at once, which its view shows.
    guardian: (await call("submitGuardian", first)) && (await call("submitGuardian", second)),
    revoked: await call("revokePendingTimelock"),
    owner: await call("transferOwnership", second),
  };
  await settle();
  await watch();
  await raise();
  const own = (await causeway.db.select().from(signals)).filter(
    ({ vaultAddress, ruleId }) => vaultAddress === address.toLowerCase() && ruleId !== "vault_added",
  );
  const shown = own.map(({ ruleId, tier, title, txHash }) => `${ruleId} ${tier} ${title} ${txHash}`).sort();
  expect(shown).toEqual([
    `change_announced low Real: pending change to the timelock cancelled ${hashes.revoked}`,
    `change_announced medium Real: change to the guardian submitted ${hashes.guardian}`,
    `change_announced medium Real: ownership transfer started ${hashes.owner}`,
    `change_announced medium Real: shorter timelock submitted ${hashes.timelock}`,
  ]);
  expect(own.find(({ txHash }) => txHash === hashes.timelock)?.summary).toMatch(
    /^A reduction of the timelock of Real to 24 hours was submitted at .* UTC\. It takes effect once accepted, after the current timelock\./,
  );
});
