import { type Address, type Hex, numberToHex, pad, toEventSelector } from "viem";
import { expect, test } from "vitest";
import type { ChainLog } from "../../../src/chains/chain-logs.ts";
import type { LogSearch } from "../../../src/tracking/follow/follow-log-filters.ts";
import { transferTopic } from "../../../src/tracking/follow/follow-log-filters.ts";
import { sightingsOf } from "../../../src/tracking/follow/follow-log-sightings.ts";
import { REF, USDC, USER, VAULT } from "../../support/deposits/fixtures.ts";
import { executedLog } from "../../support/deposits/logs.ts";

const lower = (text: string) => text.toLowerCase() as Address;
const POOL: Address = "0x00000000000000000000000000000000000000aa";
const SENT: Hex = `0x${"5e".repeat(32)}`;
const TX: Hex = `0x${"ab".repeat(32)}`;
const user = lower(USER);
const log = (of: Partial<ChainLog>): ChainLog => ({
  ...{
    address: lower(USDC),
    topics: [SENT],
    data: "0x",
    blockNumber: 7,
    blockHash: SENT,
    txHash: TX,
    logIndex: 0,
  },
  ...of,
});
const search: LogSearch = {
  watch: {
    targets: [{ sourceTo: lower(VAULT), fromToken: lower(USDC), provider: null }],
    users: null,
    requestContracts: [],
    underWay: [
      {
        ...{ userAddress: user, moveToken: null, shareToken: lower(VAULT), fromToken: lower(USDC) },
        direction: "deposit",
        exitToken: null,
        state: "bridging",
      },
    ],
  },
  events: [{ side: "source", contracts: [POOL], topic: SENT, userTopic: null, nativeOnly: true }],
  maxTopics: 100,
};
const none = { references: [], payments: [], mentions: [], moves: [], touched: [] };

test("sightingsOf() decodes the Router's references", () => {
  const { topics, data, address } = executedLog();
  const own = log({ address: lower(address), topics: topics as ChainLog["topics"], data });
  expect(sightingsOf([own], search)).toEqual({
    ...none,
    references: [{ ref: REF, txHash: TX, receiver: user, shareToken: lower(VAULT) }],
  });
});

test("sightingsOf() decodes payments, and moves of deposits under way", () => {
  const topics: ChainLog["topics"] = [transferTopic(), pad(user), pad(POOL)];
  expect(sightingsOf([log({ topics, data: numberToHex(5n, { size: 32 }) })], search)).toEqual({
    ...none,
    payments: [{ user, token: lower(USDC), to: POOL, amount: "5", txHash: TX }],
    moves: [{ user, txHash: TX }],
  });
});

test("sightingsOf() names the vault that announces something to a user with an open request", () => {
  const waiting = { ...search, watch: { ...search.watch, requestContracts: [POOL] } };
  const topicOf = (event: string) => toEventSelector(event);
  const told = (topic: Hex) =>
    sightingsOf([log({ address: POOL, topics: [topic, pad(user)] })], waiting).moves;
  expect(told(topicOf("DepositClaimable(address,uint256,uint256,uint256)"))).toEqual([
    { user, txHash: TX, contract: POOL },
  ]);
  // Anyone can cause these for a user, and the transfers in them are found anyway.
  for (const usual of ["Transfer(address,address,uint256)", "OperatorSet(address,address,bool)"])
    expect(told(topicOf(usual))).toEqual([{ user, txHash: TX }]);
});

test("sightingsOf() finds addresses in the data of bridges and vaults, and nothing in that of others", () => {
  const data: Hex = `0x${pad(numberToHex(5)).slice(2)}${pad(user).slice(2)}`;
  const mention = { user, txHash: TX };
  expect(sightingsOf([log({ address: POOL, data })], search).mentions).toEqual([
    { ...mention, target: null },
  ]);
  const entry = log({ address: lower(VAULT), data });
  expect(sightingsOf([entry], search).mentions).toEqual([{ ...mention, target: lower(VAULT) }]);
  expect(sightingsOf([log({ data })], search)).toEqual(none);
});
