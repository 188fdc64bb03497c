import { and, asc, eq } from "drizzle-orm";
import type { Hex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHAIN_ID } from "../../scripts/bench/vault-row.ts";
import { ADMIN_TOKEN } from "../../scripts/stack/test-deployment.ts";
import { audit } from "../../src/db/tables/partner-tables.ts";
import { signals as signalRows } from "../../src/db/tables/signal-tables.ts";
import type { Signal, SignalDetail } from "../../src/schemas/signal-schema.ts";
import { dollars, OTHER, type Scenarios, startScenarios, WHALE } from "../support/signals/scenario.ts";

const HOUR = 3_600;
const DAY = 24 * HOUR;
/** Noon, for the number of daily yields depends on the hour; far enough in the past for a day to follow. */
const EVENT = Math.floor(Date.now() / (DAY * 1000)) * DAY - 36 * HOUR;
const VAULTS = [
  "Quiet",
  "Whale out",
  "Whale in",
  "Loss",
  "Pause",
  "Open",
  "Full",
  "Room",
  "Drain",
  "Stale",
  "Control",
  "Thin",
  "Registry",
] as const;
const ASIDE = "New";

let world: Scenarios;
let hashes: Record<string, string>;

const read = async <T>(path: string): Promise<T> => (await (await world.causeway.send(path)).json()) as T;
const signals = async (): Promise<Signal[]> =>
  (await read<{ signals: Signal[] }>("/v1/intel/feed?since=90d&limit=100")).signals;
/** Returns the signals of each vault as `rule: tier`. */
async function rulesByVault(): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const { vault_name, rule_id, tier } of await signals())
    found[vault_name] = [...(found[vault_name] ?? []), `${rule_id}: ${tier}`].sort();
  return found;
}
const oneOf = async (name: string, ruleId: string): Promise<SignalDetail> => {
  const found = (await signals()).filter((one) => one.vault_name === name && one.rule_id === ruleId);
  return read(`/v1/intel/signals/${found[0]?.signal_id}`);
};

beforeAll(async () => {
  world = await startScenarios(EVENT - 16 * DAY);
  await world.add(VAULTS);
  await world.act("Open", { name: "setPaused", args: [true] });
  await world.act("Room", { name: "setCap", args: [dollars(1_000_000)] });
  await world.index();
  // Sixteen quiet days with two snapshots a day, and every three hours on the last one.
  for (let ago = 16 * DAY - HOUR; ago > 30 * HOUR; ago -= DAY / 2) {
    if (ago > 6 * DAY) await world.act("Stale", { name: "gain", args: [dollars(50)] });
    await world.note(EVENT - ago);
  }
  for (let ago = 30; ago > 0; ago -= 3) await world.note(EVENT - ago * HOUR);
  await world.note(EVENT - 600);
});
afterAll(() => world?.close());

describe("raiseSignals() on a chain", () => {
  test("raises only price_stale after quiet days", async () => {
    expect(await world.round(EVENT - 300)).toMatchObject({ vaults: VAULTS.length, raised: 1 });
    expect(await rulesByVault()).toEqual({ Stale: ["price_stale: medium"] });
  });

  test("raises the signals of each event in their tiers and no others", async () => {
    await world.add([ASIDE], new Date((EVENT - HOUR) * 1000));
    hashes = {
      out: await world.act("Whale out", {
        name: "withdraw",
        args: [dollars(120_000), WHALE, WHALE],
        from: WHALE,
      }),
      in: await world.act("Whale in", { name: "deposit", args: [dollars(600_000), OTHER] }),
      pause: await world.act("Pause", { name: "setPaused", args: [true] }),
      owner: await world.act("Control", { name: "transferOwnership", args: [OTHER] }),
      curator: await world.act("Control", { name: "setCurator", args: [OTHER] }),
      fee: await world.act("Control", { name: "setFee", args: [10n ** 17n] }),
    };
    await world.act("Control", { name: "setTimelock", args: [86_400n] });
    await world.act("Loss", { name: "lose", args: [dollars(20_000)] });
    await world.act("Open", { name: "setPaused", args: [false] });
    await world.act("Full", { name: "setCap", args: [dollars(1_000_000)] });
    await world.act("Room", { name: "setCap", args: [dollars(1_500_000)] });
    await world.act("Drain", { name: "drain", args: [30n, dollars(5_000)], from: WHALE });
    await world.act("Thin", { name: "setLiquid", args: [dollars(20_000)] });
    const paused = await world.causeway.send(`/v1/admin/vaults/${CHAIN_ID}:${world.addressOf("Registry")}`, {
      method: "PATCH",
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" },
      body: JSON.stringify({ status: "paused", reason: "under review" }),
    });
    expect(paused.status).toBe(200);
    await world.round(EVENT);
    expect(world.purged().at(-1)).toEqual(
      expect.arrayContaining([
        "signals",
        "vaults",
        `vault:${CHAIN_ID}:${world.addressOf("Loss")}`.toLowerCase(),
      ]),
    );
    expect(await rulesByVault()).toEqual({
      "Whale out": ["large_withdrawal: medium", "net_outflow: medium"],
      "Whale in": ["large_deposit: high", "net_inflow: medium"],
      Loss: ["share_price_loss: high"],
      Pause: ["paused: high"],
      Open: ["unpaused: medium"],
      Full: ["capacity_exhausted: medium"],
      Room: ["capacity_opened: medium"],
      Drain: ["net_outflow: medium"],
      Stale: ["price_stale: medium"],
      Control: [
        "control_changed: high",
        "control_changed: medium",
        "control_changed: medium",
        "control_changed: medium",
      ],
      Thin: ["liquidity_thin: medium"],
      Registry: ["registry_changed: medium"],
      [ASIDE]: ["vault_added: low"],
    });
  });

  test("stores the transaction of a signal that one event caused", async () => {
    expect(await oneOf("Whale out", "large_withdrawal")).toMatchObject({ tx_hash: hashes["out"] });
    expect(await oneOf("Whale in", "large_deposit")).toMatchObject({ tx_hash: hashes["in"] });
    expect(await oneOf("Pause", "paused")).toMatchObject({ tx_hash: hashes["pause"] });
    const changes = (await signals()).filter(({ rule_id }) => rule_id === "control_changed");
    const { hash, number } = await world.chain.node
      .getTransactionReceipt({ hash: hashes["fee"] as Hex })
      .then(({ transactionHash, blockNumber }) => ({ hash: transactionHash, number: Number(blockNumber) }));
    expect(Object.fromEntries(changes.map(({ title, tx_hash }) => [title, tx_hash]))).toEqual({
      "Control: owner changed": hashes["owner"],
      "Control: curator changed": hashes["curator"],
      "Control: fee changed": hash,
      // It emits nothing: the block is that of the snapshot which showed it.
      "Control: timelock changed": null,
    });
    expect(changes.find(({ title }) => title.includes("fee"))).toMatchObject({ block_number: number });
    expect(await oneOf("Drain", "net_outflow")).toMatchObject({ tx_hash: null });
  });

  test("searches again for a transaction that was not found", async () => {
    const { signal_id } = await oneOf("Pause", "paused");
    const ofIt = eq(signalRows.signalId, signal_id);
    await world.causeway.db.update(signalRows).set({ txHash: null }).where(ofIt);
    expect(await world.judge()).toMatchObject({ raised: 0, updated: 0 });
    expect(await oneOf("Pause", "paused")).toMatchObject({ tx_hash: hashes["pause"], update_count: 0 });
  });

  test("adds the contract address to the symbol of an unknown asset", async () => {
    const { title, asset_symbol, metrics } = await oneOf("Whale out", "large_withdrawal");
    expect(asset_symbol).toBe("USDC");
    expect(title).toMatch(
      /^Whale out: single withdrawal of 120,000 USDC \(0x[0-9a-fA-F]{4}…[0-9a-fA-F]{4}\)$/,
    );
    expect(metrics).toMatchObject([
      { label: "amount", value: "120000000000", unit: expect.stringMatching(/^USDC \(0x/), decimals: 6 },
      { label: "share_of_total_assets", unit: "fraction", decimals: 0 },
    ]);
  });

  test("raises each incident once and moves the end of ongoing ones", async () => {
    const before = await signals();
    expect(await world.judge()).toMatchObject({ raised: 0, updated: 0 });
    expect(await signals()).toEqual(before);
    expect(await world.round(EVENT + 300)).toMatchObject({ raised: 0 });
    const after = await signals();
    expect(after.map(({ signal_id }) => signal_id).sort()).toEqual(
      before.map(({ signal_id }) => signal_id).sort(),
    );
    expect(after.every(({ update_count }) => update_count === 0)).toBe(true);
    const moved = after.filter(({ last_seen }) => last_seen === new Date((EVENT + 300) * 1000).toISOString());
    expect(moved.map(({ rule_id }) => rule_id).sort()).toEqual([
      "liquidity_thin",
      "net_inflow",
      "net_outflow",
      "net_outflow",
      "price_stale",
      "share_price_loss",
    ]);
  });

  test("adds a stage with a higher tier when an incident grows", async () => {
    await world.act("Whale out", { name: "withdraw", args: [dollars(230_000), WHALE, WHALE], from: WHALE });
    expect(await world.round(EVENT + 600)).toMatchObject({ raised: 0 });
    const [large, net] = [
      await oneOf("Whale out", "large_withdrawal"),
      await oneOf("Whale out", "net_outflow"),
    ];
    expect([large, net]).toMatchObject([
      { tier: "high", update_count: 1, evolution: [{ tier: "medium" }, { tier: "high" }] },
      { tier: "high", update_count: 1, evolution: [{ tier: "medium" }, { tier: "high" }] },
    ]);
  });

  test("ends an incident when its cause is over and opens another one later", async () => {
    await world.act("Stale", { name: "gain", args: [dollars(50)] });
    const end = EVENT + 26 * HOUR;
    await world.round(EVENT + 14 * HOUR);
    expect(await world.round(end)).toMatchObject({ raised: 0 });
    const ends = (await signals()).filter(
      ({ last_seen }) => Date.parse(last_seen) > (EVENT + 15 * HOUR) * 1000,
    );
    expect(ends.map(({ rule_id }) => rule_id).sort()).toEqual(["liquidity_thin", "registry_changed"]);
    await world.act("Whale out", { name: "withdraw", args: [dollars(100_000), WHALE, WHALE], from: WHALE });
    await world.round(end + 300);
    const own = (await signals()).filter(({ vault_name }) => vault_name === "Whale out");
    // Half a day after it ended, an outflow goes on, as large as it is now; a day after, a withdrawal is another one.
    expect(own.map(({ rule_id, tier, update_count }) => `${rule_id} ${tier} ${update_count}`).sort()).toEqual(
      ["large_withdrawal high 1", "large_withdrawal medium 0", "net_outflow medium 1"],
    );
  });

  test("raises a signal each time a deposit cap is raised and reached", async () => {
    const start = EVENT + 26 * HOUR + 600;
    const signalsOf = async (name: string) =>
      (await signals())
        .filter(({ vault_name }) => vault_name === name)
        .map(({ rule_id, tier, update_count }) => `${rule_id} ${tier} ${update_count}`)
        .sort();
    await world.act("Full", { name: "setCap", args: [dollars(1_250_000)] });
    expect(await world.round(start)).toMatchObject({ raised: 1 });
    expect((await oneOf("Full", "capacity_opened")).summary).toMatch(
      /^The largest possible deposit of USDC \(0x.{9}\) into Full is 250,000 USDC \(0x.{9}\); \d+ minutes earlier it was zero\. The vault holds 1,000,000 USDC/,
    );
    await world.act("Full", { name: "setCap", args: [dollars(1_000_000)] });
    expect(await world.round(start + 300)).toMatchObject({ raised: 1 });
    expect(await world.round(start + 600)).toMatchObject({ raised: 0 });
    expect(await signalsOf("Full")).toEqual([
      "capacity_exhausted medium 0",
      "capacity_exhausted medium 0",
      "capacity_opened medium 0",
    ]);
  });

  test("raises the tier of liquidity_thin as liquidity falls and ends it when liquidity returns", async () => {
    const start = EVENT + 26 * HOUR + 1_800;
    await world.act("Thin", { name: "setLiquid", args: [dollars(5_000)] });
    expect(await world.round(start)).toMatchObject({ raised: 0 });
    const thin = await oneOf("Thin", "liquidity_thin");
    expect(thin).toMatchObject({
      tier: "high",
      update_count: 1,
      last_seen: new Date(start * 1000).toISOString(),
    });
    expect(thin.title).toMatch(
      /^Thin: largest known holder can withdraw only 5,000 USDC \(0x.{9}\) immediately$/,
    );
    expect(thin.summary).toContain("0.50% of the 1,000,000 USDC");
    await world.act("Thin", { name: "setLiquid", args: [2n ** 255n] });
    await world.round(start + 300);
    await world.round(start + 600);
    expect((await oneOf("Thin", "liquidity_thin")).last_seen).toBe(thin.last_seen);
  });

  test("raises one signal for each registry status change and one for a new vault", async () => {
    const vault = `${CHAIN_ID}:${world.addressOf("Registry")}`;
    const opened = await world.causeway.send(`/v1/admin/vaults/${vault}`, {
      method: "PATCH",
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" },
      body: JSON.stringify({ status: "active", reason: "review is over" }),
    });
    expect(opened.status, await opened.clone().text()).toBe(200);
    await world.round(EVENT + 26 * HOUR + 3_000);
    const own = (await signals()).filter(({ vault_name }) => vault_name === "Registry");
    expect(own.map(({ rule_id, title }) => `${rule_id}: ${title}`)).toEqual([
      "registry_changed: Registry: deposits through this service resumed",
      "registry_changed: Registry: deposits through this service paused",
    ]);
    expect(own[0]?.summary).toMatch(
      /^An operator resumed deposits into Registry through this service at 20.{14} UTC\. Reason: review is over\./,
    );
    const added = (await signals()).filter(({ rule_id }) => rule_id === "vault_added");
    expect(added.map(({ vault_name, update_count }) => [vault_name, update_count])).toEqual([[ASIDE, 0]]);
  });

  test("stores several status changes of one vault between two rounds in their order", async () => {
    const address = world.addressOf("Quiet");
    const change = (minutesAgo: number, [from, to]: readonly [string, string]) => ({
      id: `several-${to}`,
      at: new Date((EVENT + 26 * HOUR + 3_000 - minutesAgo * 60) * 1000),
      actor: "admin",
      action: "vault.patch",
      subject: `${CHAIN_ID}:${address.toLowerCase()}`,
      before: { status: from },
      after: { status: to },
      requestId: "several",
    });
    await world.causeway.db
      .insert(audit)
      .values([change(9, ["active", "paused"]), change(4, ["paused", "active"])]);
    expect(await world.judge()).toMatchObject({ raised: 2 });
    const own = await world.causeway.db
      .select()
      .from(signalRows)
      .where(
        and(eq(signalRows.vaultAddress, address.toLowerCase()), eq(signalRows.ruleId, "registry_changed")),
      )
      .orderBy(asc(signalRows.sequence));
    expect(own.map(({ sequence, evidence }) => [sequence, evidence["to"]])).toEqual([
      [0, "paused"],
      [1, "active"],
    ]);
    expect(await world.judge()).toMatchObject({ raised: 0, updated: 0 });
  });

  test("numbers an incident after one that ended longer ago than incidents are examined", async () => {
    const ofQuiet = eq(signalRows.vaultAddress, world.addressOf("Quiet").toLowerCase());
    const long = new Date((EVENT - 100 * DAY) * 1000);
    await world.causeway.db
      .update(signalRows)
      .set({ firstSeen: long, lastSeen: long, keys: ["old"] })
      .where(and(ofQuiet, eq(signalRows.sequence, 1)));
    await world.causeway.db.delete(signalRows).where(and(ofQuiet, eq(signalRows.sequence, 0)));
    expect(await world.judge()).toMatchObject({ raised: 2 });
    const own = await world.causeway.db
      .select()
      .from(signalRows)
      .where(ofQuiet)
      .orderBy(asc(signalRows.sequence));
    expect(own.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
  });

  test("takes no deposit that is not indexed yet for an unexplained change", async () => {
    const jumps = async () => {
      await world.judge();
      return (await signals())
        .filter(({ rule_id: rule }) => rule === "tvl_jump")
        .map((one) => one.vault_name);
    };
    const start = EVENT + 27 * HOUR;
    await world.round(start);
    const before = await jumps();
    await world.act("Quiet", { name: "deposit", args: [dollars(600_000), OTHER] });
    // Both current snapshots contain the deposit, and no flow up to either is stored.
    await world.note(start + 300);
    await world.note(start + 600);
    expect(await jumps()).toEqual(before);
    await world.index();
    expect(await jumps()).toEqual(before);
  });
});
