import { type Address, encodeDeployData, erc20Abi } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  contractsOf,
  deploy,
  type ScratchChain,
  startScratchChain,
} from "../../scripts/stack/chains/scratch-chain.ts";
import { runQuery } from "../../src/chains/aggregator/aggregate-reads.ts";
import { createQuery as describeReads, queryAll, read, valueOrNull } from "../../src/chains/chain-reads.ts";
import { pendingQuery } from "../../src/positions/position-pending-deposits.ts";
import { readChainPositions, readChainPositionsWith } from "../../src/positions/position-shares.ts";
import { adapterOf } from "../../src/vaults/families/vault-families.ts";
import type { Vault } from "../../src/vaults/vault.ts";
import { clientOn } from "../support/chains/rpc-node.ts";
import { NOW, USER, vault } from "../support/deposits/fixtures.ts";

const MODES = ["burnGas", "invalid", "returnBomb", "revertBomb", "hideTheBurning"] as const;
const contracts = contractsOf("test/support/solidity/HostileViews.sol");
let chain: ScratchChain;
let honest: Vault;
let hostile: Vault[];

const at = (address: Address, adapter = "erc4626"): Vault => ({
  ...vault,
  vaultId: `31337:${address.toLowerCase()}`,
  address,
  adapter,
  asset: { address, symbol: "USDC", decimals: 6 },
  shareToken: address,
  entryPoint: address,
  spender: address,
  pricer: address,
});
const client = () => clientOn([{ url: String(chain.node.transport["url"]) }]).client;
const lensed = (vaults: readonly Vault[]) =>
  vaults.map((one) => ({ ...adapterOf(one).lens(one), vault: one }));

beforeAll(async () => {
  chain = await startScratchChain();
  honest = at(await deploy(chain, contracts("Honest").creationCode));
  hostile = [];
  for (const mode of MODES.keys()) {
    const { abi, creationCode } = contracts("Hostile");
    hostile.push(at(await deploy(chain, encodeDeployData({ abi, bytecode: creationCode, args: [mode] }))));
  }
});
afterAll(() => chain.stop());

describe.each(MODES.map((mode, index) => ({ mode, index })))("a hostile vault ($mode)", ({ mode, index }) => {
  const bad = () => hostile[index] ?? honest;

  test("has null for every value of its state", async () => {
    const { value } = await runQuery(client(), adapterOf(bad()).state(bad(), NOW));
    expect(value).toEqual({
      ...{ paused: false, pauseUnknown: true, minDeposit: null },
      ...{ totalAssets: null, totalSupply: null, sharePrice: null, maxDeposit: null },
      exitFee: null,
    });
  });

  test("does not spoil the flags of other vaults in a list", async () => {
    const listed = [bad(), honest];
    const parts = listed.map((one) => [one.vaultId, adapterOf(one).flags(one)] as const);
    const { value } = await runQuery(client(), queryAll(Object.fromEntries(parts)));
    expect(value).toEqual({
      [bad().vaultId]: { paused: false, minDeposit: null },
      [honest.vaultId]: { paused: true, minDeposit: null },
    });
  });

  test("gives no preview and does not hide the user's balance", async () => {
    const request = { token: bad().asset, amount: 100n, caller: null, receiver: USER, now: NOW };
    const terms = adapterOf(bad()).terms(bad(), request);
    const balance = read({ to: honest.address, abi: erc20Abi, name: "balanceOf", args: [USER] });
    const holding = describeReads({ balance }, (results) => valueOrNull(results.balance));
    const { value } = await runQuery(client(), queryAll({ terms, holding }));
    expect(value.terms).toMatchObject({ asset: null, previewShares: null, price: null, maxDeposit: null });
    expect(value.holding).toBe(5n);
  });

  test("does not hide a user's other positions and pending deposits", async () => {
    const requests = { ...bad(), adapter: "lagoon" };
    const vaults = [bad(), honest, requests];
    const additional = pendingQuery({ user: USER, vaults, open: [] });
    if (additional === null) throw new Error("no vault takes requests");
    const query = { user: USER, lensed: lensed(vaults) };
    const together = await readChainPositionsWith(client(), { ...query, additional });
    const apart = {
      positions: await readChainPositions(client(), query),
      value: (await runQuery(client(), additional)).value,
    };
    for (const { positions, value } of [apart, ...(together === null ? [] : [together])]) {
      expect(positions.held).toEqual([{ vault: honest, shares: 5n, assets: 10n }]);
      // A balance is the first word of an answer, whatever follows: this one's is zero.
      expect(positions.unread).toEqual(mode === "returnBomb" ? [] : [bad(), requests]);
      expect(value).toEqual([]);
    }
  });
});
