import {
  type Address,
  encodeAbiParameters,
  encodeEventTopics,
  type Hex,
  keccak256,
  parseAbi,
  zeroAddress,
} from "viem";
import { expect, test } from "vitest";
import { vedaFlows } from "../../../../src/vaults/families/veda/veda-flow-events.ts";
import { sharesTakenByQueue, takenByQueue } from "../../../../src/vaults/families/veda/veda-taken-assets.ts";
import type { Vault } from "../../../../src/vaults/vault.ts";
import { vault as plain } from "../../../support/deposits/fixtures.ts";
import { answer, eventLog } from "../../../support/vaults/answer.ts";

const QUEUE: Address = "0x00000000000000000000000000000000000A0001";
const SOLVER: Address = "0x00000000000000000000000000000000000A0002";
const USER: Address = "0x00000000000000000000000000000000000A0003";
const vault: Vault = {
  ...plain,
  adapter: "veda",
  params: { teller: "d", withdraw_queue: QUEUE.toLowerCase() },
};
const source = vedaFlows(vault);
const asset = vault.asset.address;

const abi = parseAbi([
  "event OnChainWithdrawRequested(bytes32 indexed requestId, address indexed user, address indexed assetOut, uint96 nonce, uint128 amountOfShares, uint128 amountOfAssets, uint40 creationTime, uint24 secondsToMaturity, uint24 secondsToDeadline)",
  "event OnChainWithdrawCancelled(bytes32 indexed requestId, address indexed user, uint256 timestamp)",
  "event Exit(address indexed to, address indexed asset, uint256 amount, address indexed from, uint256 shares)",
]);
const NUMBERS = ["uint96", "uint128", "uint128", "uint40", "uint24", "uint24"].map((type) => ({ type }));

/** A request with this nonce, and the hash by which the queue knows it. */
function requestOf(nonce: bigint) {
  const [shares, assets, created, maturity, deadline] = [900n, 1_000n, 1_700_000_000, 3_600, 7_200] as const;
  const words = ["uint96", "address", "address", "uint128", "uint128", "uint40", "uint24", "uint24"];
  const id = keccak256(
    encodeAbiParameters(
      words.map((type) => ({ type })),
      [nonce, USER, asset, shares, assets, created, maturity, deadline],
    ),
  );
  const topics = encodeEventTopics({
    abi,
    eventName: "OnChainWithdrawRequested",
    args: { requestId: id, user: USER, assetOut: asset },
  }) as [Hex, ...Hex[]];
  const data = encodeAbiParameters(NUMBERS, [nonce, shares, assets, created, maturity, deadline]);
  return { id, flow: source.decode({ address: QUEUE, topics, data }) };
}

function cancellationOf(id: Hex) {
  const args = { requestId: id, user: USER } as const;
  const topics = encodeEventTopics({ abi, eventName: "OnChainWithdrawCancelled", args }) as [Hex, ...Hex[]];
  return source.decode({
    ...{ address: QUEUE, topics },
    data: encodeAbiParameters([{ type: "uint256" }], [1n]),
  });
}

test("a request in the queue is the user's withdrawal, and names the request", () => {
  const { flow } = requestOf(1n);
  expect(flow).toMatchObject({ kind: "withdrawal", user: USER, assets: 1_000n, shares: 900n });
  expect(flow?.requestId).toMatch(/^0x[0-9a-f]{150}$/);
});

test("the exit of a solver is not the user's", () => {
  const args = { to: SOLVER, asset, from: SOLVER } as const;
  const topics = encodeEventTopics({ abi, eventName: "Exit", args }) as [Hex, ...Hex[]];
  const data = encodeAbiParameters([{ type: "uint256" }, { type: "uint256" }], [1_000n, 900n]);
  expect(source.decode({ address: vault.shareToken, topics, data })?.user).toBe(SOLVER);
});

test("shares that a teller sends to another chain are neither paid nor paid for", () => {
  const enter =
    "event Enter(address indexed from, address indexed asset, uint256 amount, address indexed to, uint256 shares)";
  const exit =
    "event Exit(address indexed to, address indexed asset, uint256 amount, address indexed from, uint256 shares)";
  const moved = { asset: zeroAddress, amount: 0n, shares: 900n };
  const burned = { ...moved, to: zeroAddress, from: USER };
  const minted = { ...moved, from: zeroAddress, to: USER };
  expect(source.decode(eventLog(vault.shareToken, exit, burned))).toBeNull();
  expect(source.decode(eventLog(vault.shareToken, enter, minted))).toBeNull();
  expect(source.decode(eventLog(vault.shareToken, exit, { ...burned, asset }))).not.toBeNull();
});

test("what was cancelled takes nothing out", () => {
  const [first, second] = [requestOf(1n), requestOf(2n)];
  const flows = [first.flow, second.flow, cancellationOf(first.id)].flatMap((flow) => {
    if (flow?.requestId === undefined) throw new Error("a flow without an id");
    return { kind: flow.kind, requestId: flow.requestId, assets: flow.assets, shares: flow.shares };
  });
  const taken = (some: typeof flows) => takenByQueue(vault, { user: USER, flows: some }).interpret({});
  expect(taken(flows.slice(0, 2))).toBe(2_000n);
  expect(taken(flows)).toBe(1_000n);
  expect(taken([])).toBe(0n);
  const shares = (some: typeof flows) => sharesTakenByQueue(vault, { user: USER, flows: some });
  expect(shares(flows.slice(0, 2))).toBe(1_800n);
  expect(shares(flows)).toBe(900n);
});

test.each([
  [
    "deposit",
    "event Enter(address indexed from, address indexed asset, uint256 amount, address indexed to, uint256 shares)",
  ],
  [
    "withdrawal",
    "event Exit(address indexed to, address indexed asset, uint256 amount, address indexed from, uint256 shares)",
  ],
] as const)(
  "a %s in another token is converted by the accountant's rates, rounded down",
  (kind, signature) => {
    const flowIn = (token: Address) =>
      source.decode(
        eventLog(vault.shareToken, signature, {
          ...{ from: USER, to: USER, asset: token, amount: 1_001n, shares: 900n },
        }),
      );
    expect(flowIn(asset)).toEqual({ kind, user: USER, assets: 1_001n, shares: 900n });
    const { conversion, ...flow } = flowIn(SOLVER) ?? {};
    expect(flow).toEqual({ kind, user: USER, assets: null, shares: 900n });
    if (conversion === undefined) throw new Error("no conversion");
    expect(answer(conversion, { own: 3n, paid: 2n })).toBe(1_501n);
    expect(answer(conversion, { own: 3n, paid: 0n })).toBeNull();
    expect(answer(conversion, { own: 3n })).toBeNull();
  },
);

test("a withdrawal after a fixed wait takes its shares at the request and pays at its completion", () => {
  const delayed = vedaFlows({ ...vault, params: { ...vault.params, delayed_withdraw: SOLVER } });
  const flowOf = (signature: string, values = {}) => {
    const log = eventLog(SOLVER, signature, { ...{ account: USER, asset, shares: 900n }, ...values });
    expect(delayed.topics).toContain(log.topics[0]);
    return delayed.decode(log);
  };
  const asked =
    "event WithdrawRequested(address indexed account, address indexed asset, uint96 shares, uint40 maturity)";
  expect(flowOf(asked, { maturity: 1 })).toEqual({
    kind: "withdrawal",
    user: USER,
    ...{ assets: 0n, sharesOnly: true },
    shares: 900n,
  });
  const back = "event WithdrawCancelled(address indexed account, address indexed asset, uint96 shares)";
  expect(flowOf(back)).toEqual({ kind: "deposit", user: USER, assets: 0n, shares: 900n, sharesOnly: true });
  const paid =
    "event WithdrawCompleted(address indexed account, address indexed asset, uint256 shares, uint256 assets)";
  const completed = flowOf(paid, { shares: 891n, assets: 1_001n });
  expect(completed).toEqual({ kind: "withdrawal", user: USER, assets: 1_001n, shares: 0n });
});
