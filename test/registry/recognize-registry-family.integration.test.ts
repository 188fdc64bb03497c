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
  eulerEarnVaultAbi,
  eulerEarnVaultCreationCode,
  fluidTokenAbi,
  fluidTokenCreationCode,
  gearboxPoolAbi,
  gearboxPoolCreationCode,
  savingsTokenAbi,
  savingsTokenCreationCode,
  siloVaultAbi,
  siloVaultCreationCode,
  stataTokenAbi,
  stataTokenCreationCode,
} from "#stand-ins/lending";
import {
  contractsOf,
  deploy,
  type ScratchChain,
  send,
  startScratchChain,
} from "../../scripts/stack/chains/scratch-chain.ts";
import type { ChainClient } from "../../src/chains/chain-client.ts";
import { deriveFromChain } from "../../src/registry/derive-registry-vault.ts";
import { recognizeFamily } from "../../src/registry/recognize-registry-family.ts";
import {
  aaveStataFactories,
  eulerEarnFactories,
  type FactoryAddress,
  fluidFactories,
  siloFactories,
} from "../../src/vaults/families/family-factory-addresses.ts";
import { unreviewedSubject } from "../../src/vaults/vault-deriver.ts";
import { clientOn } from "../support/chains/rpc-node.ts";

/** A vault of the family, its constructor's ABI and code, and the factories of the family on Ethereum. */
type Family = readonly [adapter: string, abi: Abi, code: Hex, factories: readonly FactoryAddress[]];

const families: readonly Family[] = [
  ["silo", siloVaultAbi, siloVaultCreationCode, siloFactories],
  ["fluid", fluidTokenAbi, fluidTokenCreationCode, fluidFactories],
  ["gearbox", gearboxPoolAbi, gearboxPoolCreationCode, []],
  ["spark", savingsTokenAbi, savingsTokenCreationCode, []],
  ["aave_stata", stataTokenAbi, stataTokenCreationCode, aaveStataFactories],
  ["euler_earn", eulerEarnVaultAbi, eulerEarnVaultCreationCode, eulerEarnFactories],
];
const lying = contractsOf("test/support/solidity/LyingVaults.sol");
let chain: ScratchChain;
let client: ChainClient;
let token: Address;
let plain: Address;

const put = async (abi: Abi, bytecode: Hex, ...args: unknown[]): Promise<Address> =>
  getAddress(await deploy(chain, encodeDeployData({ abi, bytecode, args })));
const putLying = (name: string, ...args: unknown[]) =>
  put(lying(name).abi, lying(name).creationCode, ...args);
const subjectOf = (address: Address, chainId = 31337) => unreviewedSubject({ chainId, address });

beforeAll(async () => {
  chain = await startScratchChain();
  client = clientOn([{ url: String(chain.node.transport["url"]) }]).client;
  token = await putLying("SaidToken", "TOK", 6);
  plain = await putLying("SaidVault", token, zeroAddress, true);
});
afterAll(() => chain?.stop());

describe.each(families)("a vault of %s", (adapter, abi, code) => {
  test("is recognised by its address alone", async () => {
    const vault = await put(abi, code, token, "A vault", "V");
    expect(await recognizeFamily(client, subjectOf(vault))).toBe(adapter);
    expect(await deriveFromChain(client, { adapter, subject: subjectOf(vault) })).toMatchObject({
      ok: true,
      vault: { asset: { address: token }, shareToken: vault },
    });
  });

  test("is none that only implements ERC-4626", async () => {
    expect(await deriveFromChain(client, { adapter, subject: subjectOf(plain) })).toEqual({
      ok: false,
      reason: expect.stringMatching(/^the contract is not a vault of /),
    });
  });
});

describe.each(families.filter(([, , , factories]) => factories.length > 0))(
  "a contract with the views of %s",
  (adapter, abi, code, factories) => {
    test("is none of its vaults unless the family's factory created it", async () => {
      const vault = await put(abi, code, token, "A vault", "V");
      // Without code at its address, no factory answers.
      expect(await recognizeFamily(client, subjectOf(vault, 1))).toBeNull();
      expect(await deriveFromChain(client, { adapter, subject: subjectOf(vault, 1) })).toEqual({
        ok: false,
        reason: expect.stringMatching(/no known factory of the family answers on this chain$/),
      });
      const own = factories.filter(([chainId]) => chainId === 1).map(([, address]) => address);
      const bytecode = await chain.node.getCode({ address: await putLying("OnlyFactory") });
      for (const address of own) await chain.node.setCode({ address, bytecode: bytecode ?? "0x" });
      const subject = subjectOf(vault, 1);
      expect(await recognizeFamily(client, subject)).toBeNull();
      expect(await deriveFromChain(client, { adapter, subject })).toEqual({
        ok: false,
        reason: expect.stringMatching(/factory of the family/),
      });
      const data = encodeFunctionData({ abi: lying("OnlyFactory").abi, functionName: "set", args: [vault] });
      for (const to of own) await send(chain, { to, data });
      expect(await recognizeFamily(client, subject)).toBe(adapter);
      for (const address of own) await chain.node.setCode({ address, bytecode: "0x" });
    });
  },
);

test("neither a plain ERC-4626 vault nor a contract that returns true for every call is of a family", async () => {
  expect(await recognizeFamily(client, subjectOf(plain))).toBeNull();
  expect(await recognizeFamily(client, subjectOf(await putLying("YesToAll")))).toBeNull();
});
