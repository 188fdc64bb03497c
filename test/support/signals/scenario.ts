import { type Abi, type Address, encodeDeployData, encodeFunctionData, type Hex } from "viem";
import { CHAIN_ID, vaultRow } from "../../../scripts/bench/vault-row.ts";
import {
  contractsOf,
  deploy,
  type ScratchChain,
  send,
  startScratchChain,
} from "../../../scripts/stack/chains/scratch-chain.ts";
import { startTestDeployment, type TestDeployment } from "../../../scripts/stack/test-deployment.ts";
import { vaults } from "../../../src/db/tables/vault-tables.ts";
import { indexAllChains } from "../../../src/flows/index-flows.ts";
import { takeSnapshots } from "../../../src/history/take-vault-snapshots.ts";
import { type RaiseReport, raiseSignals } from "../../../src/signals/raise-signals.ts";

/** The largest holder of every vault, another holder, and the deposit of each in whole dollars. */
export const WHALE: Address = "0x00000000000000000000000000000000000a0001";
export const OTHER: Address = "0x00000000000000000000000000000000000a0002";
const HELD = { [WHALE]: 600_000n, [OTHER]: 400_000n };
export const dollars = (whole: number): bigint => BigInt(whole) * 1_000_000n;

/** Vaults on a scratch chain, a deployment that indexes them, and a clock that tests move. */
export interface Scenarios {
  causeway: TestDeployment;
  chain: ScratchChain;
  /** Deploys and registers a vault with a million dollars for each name. */
  add(names: readonly string[], createdAt?: Date): Promise<void>;
  /** Calls a vault and returns the transaction hash. */
  act(name: string, call: { name: string; args: readonly unknown[]; from?: Address }): Promise<Hex>;
  addressOf(name: string): Address;
  /** Sets the time of the chain and the clock, in unix seconds, and takes snapshots. */
  note(seconds: number): Promise<void>;
  index(): Promise<void>;
  /** Takes snapshots, indexes flows and raises signals at a time in unix seconds, as the jobs do. */
  round(seconds: number): Promise<RaiseReport>;
  /** Raises signals again at the time of the last round. */
  judge(): Promise<RaiseReport>;
  /** Returns the cache tags that the jobs purged. */
  purged(): readonly (readonly string[])[];
  close(): Promise<void>;
}

/** Starts a scratch chain whose first block has the time `startSeconds`, in unix seconds. */
export async function startScenarios(startSeconds: number): Promise<Scenarios> {
  const contracts = contractsOf("test/support/solidity/ScenarioVault.sol");
  const [chain, causeway] = await Promise.all([
    startScratchChain("--chain-id", `${CHAIN_ID}`, "--timestamp", `${startSeconds}`),
    startTestDeployment({ chainIds: [CHAIN_ID] }),
  ]);
  await causeway.connectChain(CHAIN_ID, chain.node.transport["url"] ?? "");
  await chain.node.setBalance({ address: WHALE, value: 10n ** 20n });
  const { abi, creationCode } = contracts("ScenarioVault");
  const dollar = await deploy(chain, contracts("Dollar").creationCode);
  const addresses = new Map<string, Address>();
  let isolate = causeway.isolate();
  let now = startSeconds;
  const context = () => ({ ...isolate.context(), now: () => now * 1_000 });
  const addressOf = (name: string): Address => {
    const address = addresses.get(name);
    if (address === undefined) throw new RangeError(`there is no vault ${name}`);
    return address;
  };
  const note = async (seconds: number) => {
    now = seconds;
    await chain.node.setNextBlockTimestamp({ timestamp: BigInt(seconds) });
    await chain.node.mine({ blocks: 1 });
    const { failed } = await takeSnapshots(context());
    if (failed > 0) throw new Error("the chain was not read");
  };
  const index = async () => {
    const { failed } = await indexAllChains(context());
    if (failed > 0) throw new Error("the chain was not indexed");
  };
  return {
    causeway,
    chain,
    addressOf,
    note,
    index,
    async add(names, createdAt = new Date(0)) {
      for (const name of names) {
        const args = [dollar];
        const data = encodeDeployData({ abi: abi as Abi, bytecode: creationCode, args });
        const address = await deploy(chain, data);
        addresses.set(name, address);
        const number = addresses.size;
        // Its real asset: a status is changed only where the chain confirms the row.
        const asset = dollar.toLowerCase();
        const acceptedAssets = [{ address: asset, symbol: "USDC", decimals: 6 }];
        const row = { ...vaultRow({ number, address }), assetAddress: asset, acceptedAssets };
        await causeway.db.insert(vaults).values({ ...row, name, createdAt });
        for (const [holder, whole] of Object.entries(HELD)) {
          const call = { abi: abi as Abi, functionName: "deposit", args: [whole * 1_000_000n, holder] };
          await send(chain, { to: address, data: encodeFunctionData(call) });
        }
      }
      // A new isolate: registry and largest holders are cached for a minute and an hour.
      isolate = causeway.isolate({ REDIS_KEY_PREFIX: `scenario-${addresses.size}` });
    },
    async act(name, { name: functionName, args, from }) {
      const data = encodeFunctionData({ abi: abi as Abi, functionName, args: [...args] });
      const request =
        from === undefined ? { to: addressOf(name), data } : { to: addressOf(name), data, from };
      return (await send(chain, request)).transactionHash;
    },
    async round(seconds) {
      await note(seconds);
      await index();
      return raiseSignals(context());
    },
    judge: () => raiseSignals(context()),
    purged: () => isolate.purged,
    async close() {
      await causeway.close();
      await chain.stop();
    },
  };
}
