import {
  type Abi,
  type Address,
  encodeDeployData,
  encodeFunctionData,
  getAddress,
  type Hex,
  zeroAddress,
} from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  contractsOf,
  deploy,
  type ScratchChain,
  send,
  startScratchChain,
} from "../../scripts/stack/chains/scratch-chain.ts";
import type { ChainClient } from "../../src/chains/chain-client.ts";
import { deriveFromChain } from "../../src/registry/derive-registry-vault.ts";
import { metaMorphoFactories } from "../../src/vaults/families/family-factory-addresses.ts";
import { unreviewedSubject } from "../../src/vaults/vault-deriver.ts";
import { clientOn } from "../support/chains/rpc-node.ts";

let chain: ScratchChain;
let client: ChainClient;
let token: Address;
let share: Address;
let vault: Address;
const contracts = contractsOf("test/support/solidity/LyingVaults.sol");
const EOA: Address = "0x00000000000000000000000000000000000A11cE";

const put = async (name: string, ...args: unknown[]): Promise<Address> => {
  const { abi, creationCode } = contracts(name);
  const data = encodeDeployData({ abi: abi as Abi, bytecode: creationCode as Hex, args });
  return getAddress(await deploy(chain, data));
};
const derive = (adapter: string, address: Address) =>
  deriveFromChain(client, { adapter, subject: unreviewedSubject({ chainId: 31337, address }) });

beforeAll(async () => {
  chain = await startScratchChain();
  client = clientOn([{ url: String(chain.node.transport["url"]) }]).client;
  token = await put("SaidToken", "TOK", 6);
  share = await put("SaidToken", "SHR", 9);
  vault = await put("SaidVault", token, zeroAddress, true);
});
afterAll(() => chain?.stop());

test("deriveFromChain() derives a vault from its own views", async () => {
  const asset = { address: token, symbol: "TOK", decimals: 6 };
  const own = { shareToken: vault, entryPoint: vault, spender: vault, pricer: vault };
  expect(await derive("erc4626", vault)).toEqual({
    ok: true,
    vault: {
      ...{ name: "A vault", asset, acceptedAssets: [asset], shareDecimals: 18, caller: "router", params: {} },
      ...own,
    },
  });
});

test("deriveFromChain() refuses a proxy whose own storage names no asset", async () => {
  const behind = await put("SaidVault", token, zeroAddress, true);
  const proxy = await put("Proxy", behind);
  // The implementation runs on the storage of the proxy, which is empty.
  expect(await derive("erc4626", proxy)).toMatchObject({ ok: false });
});

describe("deriveFromChain() refuses", () => {
  const lies: readonly [string, string, () => Promise<Address>, string][] = [
    ["an account", "erc4626", async () => EOA, "not an ERC-4626 vault"],
    ["a token", "erc4626", async () => token, "not an ERC-4626 vault"],
    ["a proxy without code behind it", "erc4626", () => put("Proxy", EOA), "not an ERC-4626 vault"],
    ["a contract that returns true for every call", "erc4626", () => put("YesToAll"), "a separate token"],
    [
      "a contract that returns true for every call, as MetaMorpho",
      "metamorpho",
      () => put("YesToAll"),
      "a separate token",
    ],
    ["a vault whose asset is an account", "erc4626", () => put("SaidVault", EOA, zeroAddress, true), "asset"],
    ["a vault whose asset has no symbol", "erc4626", () => withToken("", 6), "asset"],
    ["a vault whose asset has 77 decimals", "erc4626", () => withToken("TOK", 77), "asset"],
    [
      "a vault with a separate share token",
      "erc4626",
      () => put("SaidVault", token, share, true),
      "a separate token",
    ],
    [
      "a vault whose share balances are in an unnamed contract",
      "erc4626",
      () => put("HollowVault", token),
      "has no balances",
    ],
    [
      "a vault whose previews revert",
      "erc4626",
      () => put("SaidVault", token, zeroAddress, false),
      "previewDeposit() does not answer",
    ],
    ["a vault without MetaMorpho's view", "metamorpho", async () => vault, "not a vault of MetaMorpho"],
    ["a vault without an access manager", "ipor", async () => vault, "no access manager"],
    ["a vault without Vault V2's view", "morpho_v2", async () => vault, "not a vault of Morpho Vault V2"],
    ["an unknown adapter", "wishful", async () => vault, "no adapter is called wishful"],
  ];
  test.each(lies)("%s", async (_name, adapter, put, reason) => {
    expect(await derive(adapter, await put())).toEqual({
      ok: false,
      reason: expect.stringContaining(reason),
    });
  });
});

test("deriveFromChain() refuses a vault one of whose contracts has gone since it was named", async () => {
  const gone: ChainClient = {
    ...client,
    ask: async (question) =>
      question.method === "eth_getCode" && question.params[0] === token
        ? question.read("0x", client.observe)
        : client.ask(question),
  };
  const subject = unreviewedSubject({ chainId: 31337, address: vault });
  expect(await deriveFromChain(gone, { adapter: "erc4626", subject })).toEqual({
    ok: false,
    reason: `there is no contract at ${token}`,
  });
});

describe("identification by factory", () => {
  test("uses the vault's own view on a chain without a known factory", async () => {
    const morpho = await put("SaidMorpho", token);
    expect(await derive("metamorpho", morpho)).toMatchObject({ ok: true });
  });

  test("requires that a factory of the chain created the vault", async () => {
    const morpho = await put("SaidMorpho", token);
    const factory = metaMorphoFactories[0]?.[1] ?? zeroAddress;
    const code = await chain.node.getCode({ address: await put("OnlyFactory") });
    await chain.node.setCode({ address: factory, bytecode: code ?? "0x" });
    const subject = unreviewedSubject({ chainId: 1, address: morpho });
    expect(await deriveFromChain(client, { adapter: "metamorpho", subject })).toEqual({
      ok: false,
      reason: expect.stringContaining("no factory"),
    });
    const made = { abi: contracts("OnlyFactory").abi, functionName: "set", args: [morpho] };
    await send(chain, { to: factory, data: encodeFunctionData(made) });
    expect(await deriveFromChain(client, { adapter: "metamorpho", subject })).toMatchObject({ ok: true });
    await chain.node.setCode({ address: factory, bytecode: "0x" });
    // Known factories that do not answer confirm nothing.
    expect(await deriveFromChain(client, { adapter: "metamorpho", subject })).toEqual({
      ok: false,
      reason: expect.stringContaining("no known factory of the family answers on this chain"),
    });
  });
});

async function withToken(symbol: string, decimals: number): Promise<Address> {
  return put("SaidVault", await put("SaidToken", symbol, decimals), zeroAddress, true);
}
