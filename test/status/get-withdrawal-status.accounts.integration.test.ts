import {
  type Address,
  encodeFunctionData,
  type Hex,
  hexToBigInt,
  keccak256,
  parseAbi,
  stringToHex,
} from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eulerVaultAbi, eulerVaultCreationCode } from "#stand-ins/lending";
import { rpc } from "../../scripts/stack/chains/json-rpc.ts";
import { contractsOf } from "../../scripts/stack/chains/scratch-chain.ts";
import { selectWithdrawal } from "../../src/db/queries/withdrawal-queries.ts";
import { BuiltRequestAction } from "../../src/schemas/withdraw-build-schema.ts";
import { entryPoints } from "../../src/tracking/deposits/track-deposit-source.ts";
import { followDeposits } from "../../src/tracking/follow/follow-deposits.ts";
import { sampleAmount } from "../support/conformance/vaults/deposit.ts";
import { deployStandard } from "../support/conformance/vaults/standard.ts";
import { place } from "../support/conformance/vaults/suite.ts";
import { startWorld, type World } from "../support/conformance/vaults/world.ts";
import { Holder } from "../support/withdrawals/holder.ts";
import { requestingVaults } from "../support/withdrawals/requesting-vaults.ts";

/** Withdrawals of contract accounts: what is sent is found by its logs and by every hash that a wallet may show. */
const contracts = contractsOf("test/support/solidity/ContractAccounts.sol");
const abi = parseAbi([
  "struct Call { address target; uint256 value; bytes data; }",
  "function execute(Call[] calls) payable",
  "function handleOps(address account, bytes32 operation, Call[] calls)",
]);
const [, ENTRY_POINT = "0x"] = entryPoints;
const STRANGER: Address = `0x${"5a".repeat(20)}`;
const amount = sampleAmount(6);
type Family = Parameters<typeof place>[1]["family"];
type Calls = readonly { to: string; data: string; value: string }[];

let world: World;
let codes: { account: Hex; bundles: Hex; implementation: Address };
beforeAll(async () => {
  world = await startWorld();
  const [account, bundles] = await world.script((script) => [
    script.deploy("account", contracts("BatchAccount").creationCode),
    script.deploy("bundles", contracts("Bundles").creationCode),
  ]);
  const codeOf = async (address: Address = "0x"): Promise<Hex> =>
    (await world.client.getCode({ address })) ?? "0x";
  codes = { account: await codeOf(account), bundles: await codeOf(bundles), implementation: account ?? "0x" };
  await rpc(world.url, "anvil_setCode", ENTRY_POINT, codes.bundles);
});
afterAll(() => world?.close());

const asBatch = (calls: Calls) =>
  calls.map(({ to, data, value }) => ({
    target: to as Address,
    value: hexToBigInt(value as Hex),
    data: data as Hex,
  }));
const batchData = (calls: Calls): Hex =>
  encodeFunctionData({ abi, functionName: "execute", args: [asBatch(calls)] });

interface Style {
  name: string;
  /** The code of the account. */
  code(): Hex;
  /** Sends calls; returns the transaction's hash and the one that the wallet shows. */
  send(account: Address, calls: Calls): Promise<{ hash: Hex; shown: Hex }>;
}

let operations = 0;
const styles: Style[] = [
  {
    name: "a user operation of ERC-4337",
    code: () => codes.account,
    async send(account, calls) {
      operations += 1;
      const shown = keccak256(stringToHex(`operation ${operations}`));
      const args = [account, shown, asBatch(calls)] as const;
      const data = encodeFunctionData({ abi, functionName: "handleOps", args });
      return { hash: (await world.send(STRANGER, { to: ENTRY_POINT, data })).transactionHash, shown };
    },
  },
  {
    name: "a Safe's transaction by one of its owners",
    code: () => codes.account,
    async send(account, calls) {
      const { transactionHash } = await world.send(STRANGER, { to: account, data: batchData(calls) });
      return { hash: transactionHash, shown: transactionHash };
    },
  },
  {
    name: "an EIP-5792 batch of a delegated account (EIP-7702)",
    code: () => `0xef0100${codes.implementation.slice(2).toLowerCase()}`,
    async send(account, calls) {
      const { transactionHash } = await world.send(account, { to: account, data: batchData(calls) });
      return { hash: transactionHash, shown: transactionHash };
    },
  },
];

const instant: Family = {
  ...{ name: "an instant vault", adapter: "euler", type: "custom" as const },
  deploy: deployStandard({ abi: eulerVaultAbi, code: eulerVaultCreationCode }),
};

function kindNamed(name: string) {
  const kind = requestingVaults.find((one) => one.name === name);
  if (kind === undefined) throw new Error(`no ${name}`);
  return kind;
}

const placing = new Map<string, ReturnType<typeof place>>();

/** Makes an account of a kind that holds shares, and lets the chain be read once. */
async function holderOf(family: Family, style: Style): Promise<Holder> {
  const placed = placing.get(family.name) ?? place(world, { family, decimals: 6 });
  placing.set(family.name, placed);
  const one = await Holder.with(await placed, amount);
  await one.deposit(amount);
  await rpc(world.url, "anvil_setCode", one.address, style.code());
  await follow();
  return one;
}

const follow = () => followDeposits(world.fresh().context());
async function confirm(): Promise<void> {
  await rpc(world.url, "anvil_mine", "0x4");
  await follow();
}

async function stored(trackingId: string) {
  const row = await selectWithdrawal(world.fresh().context().db, trackingId);
  if (row === null) throw new Error(`no ${trackingId}`);
  const { state, assets, sourceTxHash, claimTxHash } = row;
  return { state, assets, sourceTxHash, claimTxHash };
}

describe.each(styles)("$name", (style) => {
  test("is found by the jobs, and completed with what arrived", async () => {
    const one = await holderOf(instant, style);
    const built = await one.build("all");
    const { hash, shown } = await style.send(one.address, built.calls);
    await confirm();
    const received = await one.held("asset");
    expect(received).toBeGreaterThanOrEqual(BigInt(built.estimate.min_assets ?? "1"));
    expect(await one.held("share")).toBe(0n);
    expect(await stored(built.tracking_id)).toMatchObject({
      ...{ state: "completed", assets: String(received), sourceTxHash: hash },
    });
    for (const named of [hash, shown])
      expect(await one.status(named)).toMatchObject({
        ...{ status: "DONE", substatus: "COMPLETED", receiving: { amount: String(received) } },
        withdrawal: { tracking_id: built.tracking_id, state: "completed", assets: String(received) },
      });
  });

  test("is found by the hash that the wallet shows, before any job and after its report", async () => {
    const one = await holderOf(instant, style);
    const half = (await one.held("share")) / 2n;
    const first = await one.build(half);
    const sent = await style.send(one.address, first.calls);
    await rpc(world.url, "anvil_mine", "0x4");
    const received = await one.held("asset");
    expect(await one.status(sent.shown)).toMatchObject({
      ...{ status: "DONE", withdrawal: { tracking_id: first.tracking_id, assets: String(received) } },
    });
    const second = await one.build("all");
    const { hash, shown } = await style.send(one.address, second.calls);
    await one.report(second.tracking_id, { hash: shown, step: "redeem" });
    await confirm();
    expect(await stored(second.tracking_id)).toMatchObject({
      ...{ state: "completed", sourceTxHash: hash, assets: String((await one.held("asset")) - received) },
    });
  });

  test("requests and claims, each in a batch", async () => {
    const kind = kindNamed("Lagoon v0.6");
    const one = await holderOf(kind, style);
    const built = await one.build("all", { mode: "request" });
    const { hash, shown } = await style.send(one.address, built.calls);
    await confirm();
    expect(await stored(built.tracking_id)).toMatchObject({ state: "requested", sourceTxHash: hash });
    expect(await one.status(shown)).toMatchObject({ withdrawal: { tracking_id: built.tracking_id } });
    await kind.settle(one.placed, { user: one.address, requestIds: ["0"] });
    await confirm();
    const claim = BuiltRequestAction.parse((await one.askAbout("claim", "0")).body);
    const claimed = await style.send(one.address, claim.calls);
    await confirm();
    const received = await one.held("asset");
    expect(received).toBeGreaterThan(0n);
    expect(await stored(built.tracking_id)).toMatchObject({
      ...{ state: "completed", assets: String(received), claimTxHash: claimed.hash },
    });
    expect(await one.status(claimed.shown)).toMatchObject({
      ...{ status: "DONE", withdrawal: { tracking_id: built.tracking_id, state: "completed" } },
    });
  });
});
