import { type Address, erc20Abi, erc4626Abi } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { CHAIN_ID, vaultRow } from "../../scripts/bench/vault-row.ts";
import { type ScratchChain, startScratchChain } from "../../scripts/stack/chains/scratch-chain.ts";
import { startTestDeployment, type TestDeployment } from "../../scripts/stack/test-deployment.ts";
import { vaults as vaultsTable } from "../../src/db/tables/vault-tables.ts";
import { indexAllChains } from "../../src/flows/index-flows.ts";
import { randomOf } from "../support/flows/random.ts";
import {
  BYSTANDER,
  build,
  drawActs,
  keyOf,
  play,
  type Sums,
  type World,
} from "../support/positions/histories.ts";

/** More of them run under `npm run stress`: a history is what one user does with one vault. */
const HISTORIES = Number(process.env["POSITION_HISTORIES"] ?? "100");
const SEED = Number(process.env["FLOW_SEED"] ?? "1");
const USERS = 20;
const VAULTS = Math.ceil(HISTORIES / USERS);
/** Acts of each history, in the middle, and those of one transaction. */
const ACTS = 8;
const AT_ONCE = 60;

let chain: ScratchChain;
let causeway: TestDeployment;
let world: World;

beforeAll(async () => {
  [chain, causeway] = await Promise.all([
    startScratchChain("--chain-id", `${CHAIN_ID}`, "--gas-limit", "1000000000"),
    startTestDeployment({ chainIds: [CHAIN_ID] }),
  ]);
  await causeway.connectChain(CHAIN_ID, chain.node.transport["url"] ?? "");
  world = await build(chain, { vaults: VAULTS, users: USERS });
  await causeway.db.insert(vaultsTable).values(
    world.vaults.map(({ address, coin, decimals, shareDecimals }, number) => ({
      ...vaultRow({ number, address }),
      ...{ assetAddress: coin.toLowerCase(), assetDecimals: decimals, shareDecimals },
    })),
  );
}, 600_000);
afterAll(async () => {
  await causeway?.close();
  await chain?.stop();
});

const Answer = z.object({
  positions: z.array(
    z.object({
      vault_id: z.string(),
      share_balance: z.string(),
      current_assets: z.string().nullable(),
      deposited_assets: z.string().nullable(),
      yield_assets: z.string().nullable(),
    }),
  ),
  chains: z.array(z.object({ block_number: z.int().nullable() })),
});
type Shown = z.infer<typeof Answer>["positions"][number];

/** What a user's position must be by the chain's own answers and by the sums; null: none. */
async function expected(
  sums: Sums,
  of: { vault: number; user: Address; block: bigint },
): Promise<Shown | null> {
  const address = world.vaults[of.vault]?.address ?? of.user;
  const at = { address, blockNumber: of.block } as const;
  const call = { ...at, abi: erc20Abi, functionName: "balanceOf", args: [of.user] } as const;
  const shares = await chain.node.readContract(call);
  if (shares === 0n) return null;
  const convert = { ...at, abi: erc4626Abi, functionName: "convertToAssets", args: [shares] } as const;
  const current = await chain.node.readContract(convert);
  const { assets: deposited, shares: flown = 0n } = sums.get(keyOf(of.vault, of.user)) ?? {};
  const missed = flown > shares ? flown - shares : shares - flown;
  // What shares cost that came by a transfer or as a fee, or that were sent away, is unknown, except for dust.
  const dust = shares > flown && missed <= shares / 10_000n;
  const explained = missed === 0n || dust || (missed * current) / shares <= 2n;
  return {
    vault_id: `${CHAIN_ID}:${address.toLowerCase()}`,
    share_balance: shares.toString(),
    current_assets: current.toString(),
    deposited_assets: deposited === undefined ? null : deposited.toString(),
    yield_assets: deposited === undefined || !explained ? null : (current - deposited).toString(),
  };
}

async function index(): Promise<void> {
  expect(await indexAllChains(causeway.context())).toMatchObject({ failed: 0 });
}

test(`positions of ${HISTORIES} random histories are what an independent recount gives`, {
  timeout: 3_600_000,
}, async () => {
  const random = randomOf(SEED);
  const some = async (sums: Sums, count: number) => {
    for (let left = count; left > 0; left -= AT_ONCE) {
      const acts = Array.from({ length: Math.min(left, AT_ONCE) }, () => drawActs(world, random)).flat();
      await play(world, { acts, sums });
    }
  };
  const sums: Sums = new Map();
  await some(sums, HISTORIES * ACTS * 0.6);
  await chain.node.mine({ blocks: 70 });
  await index();
  await some(sums, HISTORIES * ACTS * 0.2);
  // What is indexed here and then undone by a reorg never was.
  const snapshot = await chain.node.snapshot();
  const undone: Sums = new Map(sums);
  await some(undone, HISTORIES);
  await chain.node.mine({ blocks: 2 });
  await index();
  await chain.node.revert({ id: snapshot });
  await some(sums, HISTORIES * ACTS * 0.2);
  await chain.node.mine({ blocks: Math.ceil((HISTORIES * 2) / AT_ONCE) + 5 });
  await index();
  await index();

  const tally = { shown: 0, empty: 0, unrecorded: 0, gains: 0, losses: 0 };
  for (const user of [...world.users, BYSTANDER]) {
    const answer = await causeway.send(`/v1/positions/${user}`);
    const { positions, chains } = Answer.parse(await answer.json());
    const block = BigInt(chains[0]?.block_number ?? -1);
    for (const [vault, { address }] of world.vaults.entries()) {
      const shown = positions.find(({ vault_id }) => vault_id.endsWith(address.toLowerCase())) ?? null;
      expect(shown).toEqual(await expected(sums, { vault, user, block }));
      const gained = shown?.yield_assets ?? null;
      tally.shown += shown === null ? 0 : 1;
      tally.empty += shown === null ? 1 : 0;
      tally.unrecorded += shown !== null && gained === null ? 1 : 0;
      tally.gains += gained !== null && BigInt(gained) > 0n ? 1 : 0;
      tally.losses += gained !== null && BigInt(gained) < 0n ? 1 : 0;
    }
  }
  // Nothing is proved by histories in which nothing happens.
  expect([...undone].some(([key, sum]) => sums.get(key)?.assets !== sum.assets)).toBe(true);
  console.log(JSON.stringify(tally));
  expect(tally.shown).toBeGreaterThan(HISTORIES / 2);
  for (const kind of ["empty", "unrecorded", "gains", "losses"] as const)
    expect(tally[kind], kind).toBeGreaterThan(0);
});
