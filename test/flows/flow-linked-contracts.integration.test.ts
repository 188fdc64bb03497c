import { type Address, type Hex, padHex } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { vaultOf } from "../../scripts/bench/vault-row.ts";
import { type ScratchChain, startScratchChain } from "../../scripts/stack/chains/scratch-chain.ts";
import type { NodeSession } from "../../src/chains/chain-client.ts";
import { RpcError } from "../../src/chains/json-rpc.ts";
import { readLinkedContracts } from "../../src/flows/flow-linked-contracts.ts";

const at = (digits: string): Address => `0x${digits.padStart(40, "0")}`;
/** Code that ends with a word, returned or thrown: PUSH32, PUSH1, MSTORE, PUSH1, PUSH1, RETURN or REVERT. */
const gives = (word: string, end: "f3" | "fd"): Hex => `0x7f${word.padStart(64, "0")}60005260206000${end}`;
const FOUND = "c0ffee".padStart(40, "1");
const CODES: Readonly<Record<string, readonly [adapter: string, code: Hex]>> = {
  [at("a1")]: ["ipor", gives(FOUND, "f3")],
  [at("a2")]: ["mellow", gives(FOUND, "f3")],
  // What names nothing: nobody is there, it fails with what looks like an address, it never ends, it names no address.
  [at("b1")]: ["ipor", "0x"],
  [at("b2")]: ["ipor", gives(FOUND, "fd")],
  [at("b3")]: ["mellow", "0x5b600056"],
  [at("b4")]: ["mellow", gives("f".repeat(64), "f3")],
  [at("b5")]: ["mellow", gives("0", "f3")],
  [at("c1")]: ["erc4626", gives(FOUND, "f3")],
};
const vaults = Object.entries(CODES).map(([address, [adapter]], number) =>
  vaultOf({ number, adapter, address: address as Address }),
);

let chain: ScratchChain;
const node: NodeSession = {
  request: (method, params) => chain.node.request({ method, params } as never),
};
const linksOf = async (session: NodeSession) =>
  Object.fromEntries(
    [...(await readLinkedContracts(session, vaults))].map(([id, links]) => [id.split(":")[1], links]),
  );

beforeAll(async () => {
  chain = await startScratchChain();
  for (const [address, [, bytecode]] of Object.entries(CODES))
    await chain.node.setCode({ address: address as Address, bytecode });
  for (const address of [at("a1"), at("c1")])
    await chain.node.setStorageAt({
      address,
      index: "0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50",
      value: padHex(at("beac"), { size: 32 }),
    });
});
afterAll(() => chain?.stop());

test("readLinkedContracts() finds beacons and authorities whatever other vaults answer", async () => {
  expect(await linksOf(node)).toEqual({
    [at("a1")]: { authority: `0x${FOUND}`, beacon: at("beac") },
    [at("a2")]: { feeManager: `0x${FOUND}` },
    [at("c1")]: { beacon: at("beac") },
  });
});

test("readLinkedContracts() leaves out beacons on a node without state overrides", async () => {
  const plain: NodeSession = {
    request: (method, params) => {
      if (params.length > 2) throw new RpcError("unsupported", "too many arguments, want at most 2");
      return node.request(method, params);
    },
  };
  expect(await linksOf(plain)).toEqual({
    [at("a1")]: { authority: `0x${FOUND}` },
    [at("a2")]: { feeManager: `0x${FOUND}` },
  });
});

test.each([null, "0x", "0x01", `0x${"00".repeat(32)}`])(
  "an answer of %s is refused, because it is no list of results",
  async (answer) => {
    await expect(readLinkedContracts({ request: async () => answer }, vaults)).rejects.toThrow(
      "the results of the views",
    );
  },
);

test.each(["rate limit exceeded", "-32000: header not found"])(
  "readLinkedContracts() fails on a node that answers %j, so that no beacon is overlooked",
  async (message) => {
    const busy: NodeSession = {
      request: (method, params) => {
        if (params.length > 2) throw new RpcError("node", message);
        return node.request(method, params);
      },
    };
    await expect(readLinkedContracts(busy, vaults)).rejects.toThrow(message);
  },
);
