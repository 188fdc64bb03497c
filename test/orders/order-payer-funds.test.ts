import { concatHex, type Hex, numberToHex, padHex } from "viem";
import { describe, expect, test } from "vitest";
import { assertTakesNative, readFunds, receiverWarnings } from "../../src/orders/order-payer-funds.ts";
import { type ContractAnswer, contractsClient } from "../support/chains/multicall.ts";
import { testChain } from "../support/chains/rpc-node.ts";
import { testContext } from "../support/context.ts";
import { USDC, USER } from "../support/deposits/fixtures.ts";

const word = (value: bigint): Hex => numberToHex(value, { size: 32 });
/** The answer to a read of an account's code. */
const coded = (bytes: bigint, head: Hex): ContractAnswer => ({
  ok: true,
  data: concatHex([word(bytes), padHex(head, { dir: "right", size: 32 })]),
});
const none = coded(0n, "0x00");
const contract = coded(171n, "0x6080");
const delegated = coded(23n, "0xef0100");

/** A chain on which the account has this code, and every token a balance of one. */
const chainWith = (code: ContractAnswer) =>
  contractsClient(({ to }) => (/^0xf{40}$/i.test(to) ? code : { ok: true, data: word(1n) }));

async function warnings(here: ContractAnswer, there: ContractAnswer): Promise<string[]> {
  const client = chainWith(here);
  const order = { from: { client, chainId: testChain.chainId, token: USDC }, user: USER };
  const ctx = testContext({ clients: [client] });
  const funds = await readFunds(ctx, { payer: order, spenders: [], crosses: true });
  const found = await receiverWarnings({ ...order, client: chainWith(there) }, funds);
  return found.map(({ code }) => code);
}

describe("receiverWarnings()", () => {
  test.each([
    ["has no code", none],
    ["cannot be read", { ok: false, data: "0x" } as const],
  ])("warns of a contract whose account %s where the order pays", async (_what, there) => {
    expect(await warnings(contract, there)).toEqual(["receiver_without_code"]);
  });

  test("does not warn of a contract that exists on both chains, nor of other accounts", async () => {
    expect(await warnings(contract, contract)).toEqual([]);
    for (const here of [none, delegated]) expect(await warnings(here, none)).toEqual([]);
  });
});

describe("assertTakesNative()", () => {
  const taken = (code: ContractAnswer) => assertTakesNative({ client: chainWith(code), user: USER });

  test("passes for an account without code", async () => {
    await expect(taken(none)).resolves.toBeUndefined();
  });

  test.each([
    ["of a contract", contract],
    ["that an EIP-7702 account delegates to", delegated],
    ["that cannot be read", { ok: false, data: "0x" } as const],
  ])("refuses code %s", async (_what, code) => {
    await expect(taken(code)).rejects.toMatchObject({
      code: "no_route",
      members: { reasons: [{ code: "recipient_unsupported" }] },
    });
  });
});
