import { type Address, type Hex, zeroHash } from "viem";
import { expect, test } from "vitest";
import { CHAIN_ID, vaultOf } from "../../scripts/bench/vault-row.ts";
import type { ChainLog } from "../../src/chains/chain-logs.ts";
import { joinFlowSources } from "../../src/flows/flow-sources.ts";
import { vedaExits } from "../../src/vaults/families/veda/veda-exits.ts";
import { hashRequest, unpackRequest } from "../../src/vaults/families/veda/veda-queue-requests.ts";
import type { Vault } from "../../src/vaults/vault.ts";
import { eventLog } from "../support/vaults/answer.ts";

const [USER, SOLVER, FIRST, SECOND, ATOMIC] = [
  "0x00000000000000000000000000000000000a0001",
  "0x00000000000000000000000000000000000a0002",
  "0x1111111111111111111111111111111111111111",
  "0x2222222222222222222222222222222222222222",
  "0x3333333333333333333333333333333333333333",
] as const;
const vault: Vault = {
  ...vaultOf({ number: 1, adapter: "veda" }),
  params: {
    teller: "d",
    withdraw_queue: SECOND,
    queue_requests: `${FIRST},${SECOND}`,
    atomic_queues: ATOMIC,
  },
};
const asset = vault.asset.address;

type Event = ReturnType<typeof eventLog>;
const entered = (shares: bigint) =>
  eventLog(
    vault.shareToken,
    "event Enter(address indexed from, address indexed asset, uint256 amount, address indexed to, uint256 shares)",
    { from: USER, asset, amount: shares, to: USER, shares },
  );
/** What a solver redeems: the shares that it took for somebody else. */
const redeemed = (shares: bigint) =>
  eventLog(
    vault.shareToken,
    "event Exit(address indexed to, address indexed asset, uint256 amount, address indexed from, uint256 shares)",
    { from: SOLVER, asset, amount: shares, to: SOLVER, shares },
  );
const moved = (from: Address, to: Address, value: bigint) =>
  eventLog(vault.shareToken, "event Transfer(address indexed from, address indexed to, uint256 value)", {
    ...{ from, to, value },
  });
const requested = (queue: Address, shares: bigint) =>
  eventLog(
    queue,
    "event OnChainWithdrawRequested(bytes32 indexed requestId, address indexed user, address indexed assetOut, uint96 nonce, uint128 amountOfShares, uint128 amountOfAssets, uint40 creationTime, uint24 secondsToMaturity, uint24 secondsToDeadline)",
    {
      ...{ requestId: zeroHash, user: USER, assetOut: asset, nonce: shares, amountOfShares: shares },
      ...{
        amountOfAssets: shares,
        creationTime: 1_700_000_000,
        secondsToMaturity: 60,
        secondsToDeadline: 60,
      },
    },
  );
function ended(request: Event, how: "Solved" | "Cancelled"): Event {
  const flow = joinFlowSources(CHAIN_ID, [vault]).toRows([inBlock(request, 0)], 5)[0];
  const fields = unpackRequest(flow?.requestId ?? "", USER);
  if (fields === null) throw new Error("no request");
  const signature = `event OnChainWithdraw${how}(bytes32 indexed requestId, address indexed user, uint256 timestamp)`;
  return eventLog(request.address, signature, {
    ...{ requestId: hashRequest(fields), user: USER, timestamp: 1n },
  });
}
const atomic = (name: "Updated" | "Fulfilled", shares: bigint) => {
  const amounts =
    name === "Updated" ? "amount, uint256 deadline, uint256 minPrice" : "spent, uint256 received";
  const signature = `event AtomicRequest${name}(address indexed user, address indexed offerToken, address indexed wantToken, uint256 ${amounts}, uint256 timestamp)`;
  return eventLog(ATOMIC, signature, {
    ...{ user: USER, offerToken: vault.shareToken, wantToken: asset, timestamp: 1n },
    ...{ amount: shares, deadline: 9n, minPrice: 1n, spent: shares, received: shares },
  });
};

const inBlock = ({ address, topics, data }: Event, logIndex: number): ChainLog => ({
  ...{ address: address.toLowerCase() as Address, topics: topics as unknown as ChainLog["topics"], data },
  ...{
    blockNumber: 5,
    blockHash: `0x${"b".repeat(64)}` as Hex,
    txHash: `0x${"1".repeat(64)}` as Hex,
    logIndex,
  },
});

/** What the rows of these events say of the user, and of the vault as a whole. One share is worth one asset. */
function sumsAfter(events: readonly Event[]) {
  const rows = joinFlowSources(CHAIN_ID, [vault]).toRows(events.map(inBlock), 5);
  const sum = (some: typeof rows, column: "assets" | "shares") =>
    some.reduce((total, row) => total + BigInt(row[column] ?? 0n), 0n);
  const own = rows.filter(({ userAddress }) => userAddress === USER);
  const flows = own.flatMap(({ kind, requestId, ...row }) => {
    const sizeOf = (text: string | null) => (text === null ? null : BigInt(text.replace("-", "")));
    return requestId === null
      ? []
      : [{ kind, requestId, assets: sizeOf(row.assets), shares: sizeOf(row.shares) }];
  });
  const plain = own.filter(({ requestId }) => requestId === null);
  const taken = vedaExits.takenOut?.(vault, { user: USER, flows }).interpret({}) ?? null;
  const takenShares = vedaExits.takenShares?.(vault, { user: USER, flows }) ?? null;
  if (taken === null || takenShares === null) throw new Error("unknown");
  return {
    deposited: sum(plain, "assets") - taken,
    inWallet: sum(plain, "shares") - takenShares,
    ofVault: sum(
      rows.filter(({ requestId }) => requestId === null),
      "assets",
    ),
  };
}

test("each share that leaves through a queue of Veda's is counted once for its user, and once for the vault", () => {
  const [paid, taken, late] = [requested(FIRST, 100n), requested(FIRST, 50n), requested(SECOND, 70n)];
  const schedule: [event: Event | Event[], after: ReturnType<typeof sumsAfter>][] = [
    [entered(1_000n), { deposited: 1_000n, inWallet: 1_000n, ofVault: 1_000n }],
    [paid, { deposited: 900n, inWallet: 900n, ofVault: 1_000n }],
    [taken, { deposited: 850n, inWallet: 850n, ofVault: 1_000n }],
    // The solver redeems the shares and pays; the user takes back the other request.
    [[redeemed(100n), ended(paid, "Solved")], { deposited: 850n, inWallet: 850n, ofVault: 900n }],
    [ended(taken, "Cancelled"), { deposited: 900n, inWallet: 900n, ofVault: 900n }],
    // Another queue takes over, and pays later.
    [late, { deposited: 830n, inWallet: 830n, ofVault: 900n }],
    // The oldest queue leaves the shares in the wallet until a solver pulls them, which may redeem or keep them.
    [atomic("Updated", 200n), { deposited: 830n, inWallet: 830n, ofVault: 900n }],
    [
      [moved(USER, SOLVER, 200n), redeemed(200n), atomic("Fulfilled", 200n)],
      { deposited: 630n, inWallet: 630n, ofVault: 700n },
    ],
    [
      [moved(USER, SOLVER, 30n), atomic("Fulfilled", 30n)],
      { deposited: 600n, inWallet: 600n, ofVault: 700n },
    ],
    [[redeemed(70n), ended(late, "Solved")], { deposited: 600n, inWallet: 600n, ofVault: 630n }],
  ];
  const events: Event[] = [];
  for (const [next, after] of schedule) {
    events.push(...[next].flat());
    expect(sumsAfter(events)).toEqual(after);
  }
});
