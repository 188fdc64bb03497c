import { type Address, encodeAbiParameters, encodeEventTopics, type Hex, parseAbi } from "viem";
import { describe, expect, test } from "vitest";
import { upshift } from "../../../../src/vaults/families/upshift/upshift-adapter.ts";
import { upshiftLegacy } from "../../../../src/vaults/families/upshift/upshift-legacy-adapter.ts";
import { OTHER, USDC, USER, VAULT, vault, WETH } from "../../../support/deposits/fixtures.ts";
import { answer, eventLog } from "../../../support/vaults/answer.ts";

const abi = parseAbi([
  "event Withdraw(address indexed sender, address indexed receiver, address indexed onBehalf, uint256 assets, uint256 shares)",
  "event Deposit(address assetIn, uint256 amountIn, uint256 shares, address indexed senderAddr, address indexed receiverAddr)",
  "event WithdrawalProcessed(uint256 assetsAmount, address indexed receiverAddr)",
  "event WithdrawalRequested(uint256 shares, address indexed holderAddr, address indexed receiverAddr)",
]);
type Topics = [Hex, ...Hex[]];
const two = encodeAbiParameters([{ type: "uint256" }, { type: "uint256" }], [5n, 7n]);

/** An instant redemption: the Withdraw event of ERC-4626. */
const redeemed = {
  address: VAULT,
  topics: encodeEventTopics({
    abi,
    eventName: "Withdraw",
    args: { sender: OTHER, receiver: OTHER, onBehalf: USER },
  }) as Topics,
  data: two,
};

describe("Upshift flows", () => {
  const source = upshift.flows(vault);
  const deposit = (assetIn: Address) => ({
    address: VAULT,
    topics: encodeEventTopics({
      abi,
      eventName: "Deposit",
      args: { senderAddr: OTHER, receiverAddr: USER },
    }) as Topics,
    data: encodeAbiParameters(
      [{ type: "address" }, { type: "uint256" }, { type: "uint256" }],
      [assetIn, 5n, 7n],
    ),
  });
  const paid = {
    address: VAULT,
    topics: encodeEventTopics({
      abi,
      eventName: "WithdrawalProcessed",
      args: { receiverAddr: USER },
    }) as Topics,
    data: encodeAbiParameters([{ type: "uint256" }], [9n]),
  };

  test("decode() returns deposits, converted by the vault's preview for other tokens", () => {
    expect(source.decode(deposit(USDC))).toEqual({ kind: "deposit", user: USER, assets: 5n, shares: 7n });
    const { conversion, ...flow } = source.decode(deposit(WETH)) ?? {};
    expect(flow).toEqual({ kind: "deposit", user: USER, assets: null, shares: 7n });
    if (conversion === undefined) throw new Error("no conversion");
    expect(answer(conversion, { preview: [7n, 11n] })).toBe(11n);
    expect(answer(conversion, {})).toBeNull();
  });

  test("decode() returns an instant redemption", () => {
    const flow = { kind: "withdrawal", user: USER, assets: 5n, shares: 7n };
    expect(source.decode(redeemed)).toEqual(flow);
  });

  test("decode() takes the shares at the request, and counts the payment", () => {
    const asked = (receiverAddr: Address) => {
      const args = { holderAddr: OTHER, receiverAddr };
      const topics = encodeEventTopics({ abi, eventName: "WithdrawalRequested", args }) as Topics;
      return { address: VAULT, topics, data: encodeAbiParameters([{ type: "uint256" }], [7n]) };
    };
    const taken = { kind: "withdrawal", user: OTHER, assets: 0n, shares: 7n, sharesOnly: true };
    expect(source.decode(asked(OTHER))).toEqual(taken);
    const given = source.decode(asked(USER));
    expect(given).toMatchObject({
      ...{ kind: "deposit", user: USER, assets: null, shares: 0n, sharesOnly: true },
      requestId: "received:undated",
    });
    expect(given?.conversion && answer(given.conversion, { preview: [6n, 5n] })).toBe(5n);
    expect(given?.conversion && answer(given.conversion, {})).toBeNull();
    expect(source.decode(paid)).toEqual({ kind: "withdrawal", user: USER, assets: 9n, shares: 0n });
    expect(source.topics).toEqual([
      "0xc436f473cd90c9b4dd731856a14b80f713d384a1688a506d4230140c5b36d5cd",
      "0xcf41fab81bee2456b7007d9d1a9e2261a6627a41eba8c3302b6b07f9a7a46395",
      "0x2e06b2c9d4ccae2592eda2017cb2fb604b8d7418e85f023375514ab25ff2cc4c",
      "0xfbde797d201c681b91056529119e0b02407c7bb96a4a2c75c01fc9667232c8db",
    ]);
  });

  test("decode() returns null for logs of other contracts and events", () => {
    for (const log of [deposit(USDC), paid, redeemed]) {
      expect(source.decode({ ...log, address: OTHER })).toBe(null);
      expect(source.decode({ ...log, data: "0x01" })).toBe(null);
      expect(source.decode({ ...log, topics: [log.topics[0]] })).toBe(null);
    }
  });
});

describe("Upshift legacy flows", () => {
  const source = upshiftLegacy.flows(vault);
  const members = "uint256 assetsAmount, uint256 processedOn, address receiverAddr, uint256 requestedOn";
  const older = parseAbi([`event WithdrawalProcessed(${members})`]);
  const newer = parseAbi([`event WithdrawalProcessed(${members}, bool wasBlacklisted)`]);
  const values = [9n, 2n, USER, 1n] as const;
  const paid = [
    {
      address: VAULT,
      topics: encodeEventTopics({ abi: older }) as Topics,
      data: encodeAbiParameters(older[0].inputs, values),
    },
    {
      address: VAULT,
      topics: encodeEventTopics({ abi: newer }) as Topics,
      data: encodeAbiParameters(newer[0].inputs, [...values, false]),
    },
  ];

  test("decode() returns a paid withdrawal of both event versions", () => {
    for (const log of paid) {
      expect(source.topics).toContain(log.topics[0]);
      expect(source.decode(log)).toEqual({ kind: "withdrawal", user: USER, assets: 9n, shares: 0n });
    }
  });

  test("decode() returns nothing of what is paid in place of a blacklisted receiver", () => {
    const data = encodeAbiParameters(newer[0].inputs, [...values, true]);
    expect(
      source.decode({ address: VAULT, topics: encodeEventTopics({ abi: newer }) as Topics, data }),
    ).toBeNull();
  });

  test("decode() takes the shares at the request, with or without indexed accounts", () => {
    const rest = "uint256 shares, uint256 assets, uint256 fee, uint256 year, uint256 month, uint256 day";
    // The event has the assets before the fee, of which the receiver is paid the rest.
    const values = { owner: USER, shares: 7n, assets: 11n, fee: 2n };
    for (const indexed of ["", "indexed "]) {
      const event = `event WithdrawalRequested(address ${indexed}owner, address ${indexed}receiver, ${rest})`;
      const to = (receiver: Address) =>
        eventLog(VAULT, event, { ...values, receiver, year: 2026n, month: 1n, day: 2n });
      expect(source.topics).toContain(to(USER).topics[0]);
      const taken = { kind: "withdrawal", user: USER, assets: 0n, shares: 7n, sharesOnly: true };
      expect(source.decode(to(USER))).toEqual(taken);
      const given = { kind: "deposit", user: OTHER, assets: 9n, shares: 0n, sharesOnly: true };
      expect(source.decode(to(OTHER))).toEqual({ ...given, requestId: "received:2026-01-02" });
    }
  });

  test("decode() returns an instant redemption", () => {
    expect(source.topics).toContain(redeemed.topics[0]);
    const flow = { kind: "withdrawal", user: USER, assets: 5n, shares: 7n };
    expect(source.decode(redeemed)).toEqual(flow);
  });

  test("decode() returns null for logs of other contracts", () => {
    for (const log of [...paid, redeemed]) {
      expect(source.decode({ ...log, address: OTHER })).toBe(null);
      expect(source.decode({ ...log, data: "0x01" })).toBe(null);
    }
  });
});
