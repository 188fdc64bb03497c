import { type Address, getAddress } from "viem";
import { expect, test } from "vitest";
import { mellowDeriver } from "../../../../src/vaults/families/mellow/mellow-derivation.ts";
import { unreviewedSubject } from "../../../../src/vaults/vault-deriver.ts";
import { OTHER, USDC, WETH } from "../../../support/deposits/fixtures.ts";
import { answer } from "../../../support/vaults/answer.ts";

const SHARES = "0x3333333333333333333333333333333333333333";
const NATIVE = getAddress("0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee");
const SYMBOLS: Readonly<Record<Address, string>> = { [USDC]: "USDC", [WETH]: "WETH", [OTHER]: "B AD" };
type Kind = "mints" | "takes" | "requests" | "pays" | "signed" | "strange";
const queueOf = (digit: number) => `0x${String(digit).repeat(40)}` as Address;
const DEPOSITS = queueOf(1);

const VIEWS: Readonly<Record<Kind, object>> = {
  mints: { deposits: true, sync: [0n, 1] },
  takes: { deposits: true, async: [0n, 0n] },
  requests: { deposits: false, paysAsync: [] },
  pays: { deposits: false, paysSync: 0n },
  signed: { deposits: false, consensus: OTHER },
  strange: { deposits: false },
};

/** Answers of a vault that has deposits of USDC, and redemption queues by token. */
function core(tokens: readonly (readonly [Address, readonly (readonly [Address, Kind])[]])[]) {
  const listed = tokens.map(([token, queues]) =>
    token === USDC ? ([token, [[DEPOSITS, "mints"], ...queues]] as const) : ([token, queues] as const),
  );
  const table: Record<string, unknown> = {
    ...{ shares: SHARES, oracle: OTHER, count: BigInt(listed.length) },
    ...{ "share/name": "A vault", "share/decimals": 18, "share/supply": 5n },
  };
  for (const [index, [token, queues]] of listed.entries()) {
    const own = `markets/${token}`;
    table[`${index}`] = token;
    table[`${own}/queues/count`] = BigInt(queues.length);
    table[`${own}/asset/symbol`] = SYMBOLS[token];
    table[`${own}/asset/decimals`] = SYMBOLS[token] === undefined ? undefined : 6;
    for (const [position, [queue, kind]] of queues.entries()) {
      table[`${own}/queues/${position}`] = queue;
      for (const [name, value] of Object.entries(VIEWS[kind]))
        table[`${own}/queues/${queue}/${name}`] = value;
    }
  }
  return table;
}

function paramsOf(table: Record<string, unknown>, params: Record<string, string> = {}) {
  const subject = { ...unreviewedSubject({ chainId: 1, address: OTHER }), asset: USDC, params };
  const derivation = answer(mellowDeriver.derive(subject), table);
  if (!derivation.ok) throw new Error(derivation.reason);
  expect(derivation.vault.asset.address).toBe(USDC);
  return derivation.vault.params;
}
const wethToken = `${WETH.toLowerCase()}/6/WETH`;
const common = { queue: "sync", deposit_queues: "", other_deposit_queues: "", all_queues: "known" };

test("a redemption queue of another token is found where the asset has none", () => {
  expect(
    paramsOf(
      core([
        [USDC, []],
        [WETH, [[queueOf(2), "requests"]]],
      ]),
    ),
  ).toEqual({
    ...{ ...common, redeem_queues: "", other_redeem_queues: queueOf(2) },
    ...{ request_queues: queueOf(2), redeem_queue: queueOf(2), redeem_tokens: wethToken },
  });
});

test("the queue of the asset comes first, and all others are kept", () => {
  const table = core([
    [
      WETH,
      [
        [queueOf(2), "requests"],
        [queueOf(3), "pays"],
      ],
    ],
    [
      USDC,
      [
        [queueOf(4), "requests"],
        [queueOf(5), "requests"],
      ],
    ],
  ]);
  expect(paramsOf(table)).toEqual({
    ...{
      ...common,
      redeem_queues: [4, 5].map(queueOf).join(","),
      other_redeem_queues: [2, 3].map(queueOf).join(","),
    },
    ...{ request_queues: [4, 5, 2].map(queueOf).join(","), redeem_queue: queueOf(4) },
    redeem_tokens: `${USDC.toLowerCase()}/6/USDC,${wethToken}`,
    ...{ sync_redeem_queue: queueOf(3), sync_redeem_token: wethToken },
  });
});

test("the asset is the vault's first if the entry names only further tokens", () => {
  const table = core([
    [WETH, [[queueOf(2), "mints"]]],
    [USDC, []],
  ]);
  const subject = { ...unreviewedSubject({ chainId: 1, address: OTHER }), tokens: [USDC] };
  expect(answer(mellowDeriver.derive(subject), table)).toMatchObject({
    vault: { asset: { address: WETH } },
  });
});

test("queues of the native currency, and of a token that cannot be named, are read but take no requests here", () => {
  const table = core([
    [NATIVE, [[queueOf(2), "requests"]]],
    [USDC, []],
    [OTHER, [[queueOf(3), "requests"]]],
  ]);
  expect(paramsOf(table)).toEqual({
    ...{ ...common, redeem_queues: "", other_redeem_queues: [2, 3].map(queueOf).join(",") },
    request_queues: [2, 3].map(queueOf).join(","),
  });
});

test("queues that the vault no longer has are kept: their requests may still be open", () => {
  const earlier = {
    redeem_queue: queueOf(6),
    redeem_queues: queueOf(6),
    request_queues: queueOf(7),
    referrer: OTHER,
  };
  expect(paramsOf(core([[USDC, [[queueOf(4), "requests"]]]]), earlier)).toEqual({
    ...{ ...common, referrer: OTHER, redeem_queues: [6, 4].map(queueOf).join(","), other_redeem_queues: "" },
    ...{ request_queues: [7, 6, 4].map(queueOf).join(","), redeem_queue: queueOf(4) },
  });
});

test("the deposit queues of all other tokens are found, also those of the native currency", () => {
  const table = core([
    [
      NATIVE,
      [
        [queueOf(2), "takes"],
        [queueOf(3), "mints"],
      ],
    ],
    [USDC, [[queueOf(4), "takes"]]],
    [WETH, [[queueOf(5), "takes"]]],
    [OTHER, [[queueOf(6), "requests"]]],
  ]);
  const queues = {
    deposit_queues: queueOf(4),
    other_deposit_queues: [2, 3, 5].map(queueOf).join(","),
  };
  expect(paramsOf(table)).toMatchObject(queues);
  expect(paramsOf(core([[USDC, []]]), queues)).toMatchObject(queues);
});

test("a queue is a deposit queue of one token only, and not the chosen one", () => {
  const earlier = { deposit_queues: `${DEPOSITS},${queueOf(2)}`, other_deposit_queues: queueOf(4) };
  const table = core([
    [USDC, [[queueOf(4), "takes"]]],
    [WETH, [[queueOf(2), "takes"]]],
  ]);
  expect(paramsOf(table, earlier)).toMatchObject({
    ...{ deposit_queues: queueOf(4), other_deposit_queues: queueOf(2) },
  });
});

test("a vault without redemption queues is known to have none", () => {
  expect(paramsOf(core([[USDC, []]]))).toEqual({
    ...{ ...common, redeem_queues: "", other_redeem_queues: "", request_queues: "" },
  });
  expect(paramsOf(core([[USDC, [[queueOf(2), "signed"]]]]))).toMatchObject({ request_queues: "" });
});

test.each<[string, Record<string, unknown>]>([
  ["a queue is of no known kind", { ...core([[USDC, [[queueOf(2), "strange"]]]]) }],
  [
    "a token is unread",
    {
      ...core([
        [USDC, []],
        [WETH, []],
      ]),
      1: undefined,
    },
  ],
  [
    "a queue is unread",
    { ...core([[USDC, [[queueOf(2), "requests"]]]]), [`markets/${USDC}/queues/1`]: undefined },
  ],
  [
    "the number of a token's queues is unread",
    {
      ...core([
        [USDC, []],
        [WETH, []],
      ]),
      [`markets/${WETH}/queues/count`]: undefined,
    },
  ],
  [
    "a token has too many queues",
    {
      ...core([
        [USDC, []],
        [WETH, []],
      ]),
      [`markets/${WETH}/queues/count`]: 33n,
    },
  ],
])("the queues that take requests are unknown if %s", (_name, table) => {
  expect(paramsOf(table)).not.toHaveProperty("all_queues");
});

test("the deposit queues of other tokens stay unknown, or as they were, while a token is unread", () => {
  const tokens = core([
    [USDC, []],
    [WETH, [[queueOf(2), "takes"]]],
  ]);
  const table = { ...tokens, [`markets/${WETH}/queues/count`]: undefined };
  expect(paramsOf(table)).not.toHaveProperty("other_deposit_queues");
  expect(paramsOf(table, { other_deposit_queues: queueOf(3) })).toMatchObject({
    other_deposit_queues: queueOf(3),
  });
});
