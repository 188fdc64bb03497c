import type { Address } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { flows } from "../../src/db/schema/flows.ts";
import { vaults } from "../../src/db/schema.ts";
import { indexFlows } from "../../src/jobs/flows.ts";
import { handleMessages } from "../../src/queued.ts";
import { startChain, type TestChain } from "../chains/simulator/chain.ts";
import { deployEmitters, emitDeposit } from "../flows/support/emitters.ts";
import { CHAIN_ID, vaultRow } from "../flows/support/vaults.ts";
import { type Deployment, startDeployment } from "../partners/support/deployment.ts";

/** Served, but nobody listens there. */
const SILENT = CHAIN_ID + 1;
const USER: Address = "0x00000000000000000000000000000000000a0001";
let chain: TestChain;
let causeway: Deployment;
let vault: Address;

beforeAll(async () => {
  chain = await startChain("--chain-id", `${CHAIN_ID}`);
  causeway = await startDeployment({ chainIds: [CHAIN_ID, SILENT] });
  await causeway.connectChain(CHAIN_ID, chain.node.transport["url"] ?? "");
  [vault = USER] = await deployEmitters(chain, 1);
  await emitDeposit(chain, { vault, owner: USER, assets: 7n });
  await chain.node.mine({ blocks: 70 });
});
afterAll(async () => {
  await causeway?.close();
  await chain?.stop();
});

/** A message of the queue that remembers what became of it. */
function message(body: unknown) {
  const fate: string[] = [];
  return { body, fate, ack: () => void fate.push("ack"), retry: () => void fate.push("retry") };
}

describe("the job", () => {
  test("indexes every chain that answers; another one keeps none from it", async () => {
    const rows = [vaultRow({ number: 0, address: vault }), vaultRow({ number: 1, chainId: SILENT })];
    await causeway.db.insert(vaults).values(rows);
    expect(await indexFlows.run(causeway.context())).toEqual({ chains: 2, failed: 1, rows: 0, missing: 0 });
    expect(await causeway.db.select().from(flows)).toHaveLength(1);
  });
});

describe("a message of the queue", () => {
  test("is done, and done again without effect", async () => {
    await causeway.db.delete(flows);
    const body = { chain_id: CHAIN_ID, from: 0, to: 10 };
    const messages = [message(body), message(body)];
    await handleMessages({ queue: "causeway-flows", messages }, causeway.context);
    expect(messages.map(({ fate }) => fate)).toEqual([["ack"], ["ack"]]);
  });

  test("is delivered again when its chain does not answer, or when it means nothing", async () => {
    const messages = [message({ chain_id: 1, from: 0, to: 1 }), message({ chain_id: "x" }), message(null)];
    await handleMessages({ queue: "causeway-flows", messages }, causeway.context);
    expect(messages.map(({ fate }) => fate)).toEqual([["retry"], ["retry"], ["retry"]]);
  });

  test("is only logged as a dead letter", async () => {
    const dead = message({ chain_id: CHAIN_ID, from: 0, to: 10 });
    await handleMessages({ queue: "causeway-flows-dead", messages: [dead] }, causeway.context);
    expect(dead.fate).toEqual(["ack"]);
  });
});
