import {
  type Abi,
  type Address,
  encodeDeployData,
  encodeFunctionData,
  getAddress,
  type Hex,
  pad,
  serializeErc6492Signature,
} from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifySignature } from "../../src/partners/verify-signature.ts";
import { contractsOf, deploy, startChain, type TestChain } from "../chains/simulator/chain.ts";
import { type Deployment, startDeployment } from "./support/deployment.ts";
import {
  apply,
  call,
  decide,
  makePartner,
  newWallet,
  register,
  signNonce,
  type Wallet,
} from "./support/wallet.ts";

const CHAIN = 31337;
const contracts = contractsOf("test/partners/support/Accounts.sol");
let causeway: Deployment;
let chain: TestChain;
let factory: Address;

const deployWith = async (name: string, args: readonly unknown[] = []): Promise<Address> => {
  const { abi, creationCode } = contracts(name);
  return getAddress(await deploy(chain, encodeDeployData({ abi, bytecode: creationCode, args: [...args] })));
};

/** A wallet that signs with `owner`'s key for the account `address`, in the form `wrap` gives. */
function ownedBy(
  owner: { signMessage(of: { message: string }): Promise<Hex> },
  account: { address: Address; wrap?: (signature: Hex) => Hex },
): Wallet {
  const { address, wrap = (signature) => signature } = account;
  return { address, chainId: CHAIN, sign: async (message) => wrap(await owner.signMessage({ message })) };
}

/** An account that does not exist yet, and the signature that brings its factory along. */
async function counterfactual(salt: Hex): Promise<{ wallet: Wallet; create: { to: Address; data: Hex } }> {
  const owner = privateKeyToAccount(generatePrivateKey());
  const { abi } = contracts("AccountFactory");
  const args = [owner.address, pad(salt, { size: 32 })] as const;
  const address = (await chain.node.readContract({
    address: factory,
    abi: abi as Abi,
    functionName: "addressOf",
    args,
  })) as Address;
  const data = encodeFunctionData({ abi: abi as Abi, functionName: "create", args });
  const wrap = (signature: Hex) => serializeErc6492Signature({ address: factory, data, signature });
  return { wallet: ownedBy(owner, { address, wrap }), create: { to: factory, data } };
}

beforeAll(async () => {
  [causeway, chain] = await Promise.all([
    startDeployment({ chainIds: [CHAIN] }),
    startChain("--chain-id", String(CHAIN), "--hardfork", "prague"),
  ]);
  await causeway.connectChain(CHAIN, String(chain.node.transport["url"]));
  factory = await deployWith("AccountFactory");
});
afterAll(() => Promise.all([causeway?.close(), chain?.stop()]));

describe("a smart account", () => {
  test("that is deployed registers by its owner's signature (ERC-1271)", async () => {
    const owner = privateKeyToAccount(generatePrivateKey());
    const wallet = ownedBy(owner, { address: await deployWith("OwnedAccount", [owner.address]) });
    expect((await makePartner(causeway, wallet)).address).toBe(wallet.address);
  });

  test("that is still to be registers with its factory's call (ERC-6492), and nothing is deployed", async () => {
    const { wallet } = await counterfactual("0x01");
    expect((await makePartner(causeway, wallet)).address).toBe(wallet.address);
    expect(await chain.node.getCode({ address: wallet.address })).toBeUndefined();
  });

  test("registers with its factory's call although it is deployed by now", async () => {
    const { wallet, create } = await counterfactual("0x02");
    await chain.node.sendTransaction({ account: chain.account, chain: null, ...create });
    expect(await chain.node.getCode({ address: wallet.address })).not.toBeUndefined();
    expect((await makePartner(causeway, wallet)).address).toBe(wallet.address);
  });

  test("is refused by another's signature, deployed or not", async () => {
    const owner = privateKeyToAccount(generatePrivateKey());
    const other = privateKeyToAccount(generatePrivateKey());
    const deployed = ownedBy(other, { address: await deployWith("OwnedAccount", [owner.address]) });
    expect(await apply(causeway, deployed)).toMatchObject({
      status: 401,
      body: { code: "signature_invalid" },
    });
    const { wallet } = await counterfactual("0x03");
    const { wallet: impostor } = await counterfactual("0x04");
    const stolen = { ...impostor, address: wallet.address };
    expect(await apply(causeway, stolen)).toMatchObject({ status: 401, body: { code: "signature_invalid" } });
  });

  test("whose owner changed is refused by the old one's signature", async () => {
    const owner = privateKeyToAccount(generatePrivateKey());
    const address = await deployWith("OwnedAccount", [owner.address]);
    const wallet = ownedBy(owner, { address });
    const { abi } = contracts("OwnedAccount");
    const data = encodeFunctionData({ abi: abi as Abi, functionName: "setOwner", args: [chain.account] });
    const signed = await signNonce(causeway, { wallet, purpose: "apply" });
    await chain.node.sendTransaction({ account: chain.account, chain: null, to: address, data });
    const { message: _, ...body } = signed;
    const form = { company: "A", email: "a@b.example" };
    const answer = await call(causeway, ["POST", "/v1/applications/wallet"], { body: { ...body, form } });
    expect(answer).toMatchObject({ status: 401, body: { code: "signature_invalid" } });
  });

  test.each([
    ["reverts", 0],
    ["burns all gas", 1],
    ["answers another word", 2],
    ["answers 100,000 bytes", 3],
    ["answers nearly the right word", 4],
  ])("that %s approves nothing", async (_what, kind) => {
    const address = await deployWith("OddAccount", [BigInt(kind)]);
    const wallet: Wallet = { address, chainId: CHAIN, sign: async () => "0x1234" };
    expect(await apply(causeway, wallet)).toMatchObject({ status: 401, body: { code: "signature_invalid" } });
  });

  test("on a chain that is not served is refused", async () => {
    const owner = privateKeyToAccount(generatePrivateKey());
    const wallet = ownedBy(owner, { address: await deployWith("OwnedAccount", [owner.address]) });
    const answer = await apply(causeway, { ...wallet, chainId: 10 });
    expect(answer).toMatchObject({ status: 401, body: { code: "signature_invalid" } });
  });
});

describe("an upgraded account (EIP-7702)", () => {
  const upgrade = async () => {
    const account = privateKeyToAccount(generatePrivateKey());
    const device = privateKeyToAccount(generatePrivateKey());
    const implementation = await deployWith("DeviceAccount", [device.address]);
    const authorization = await account.signAuthorization({
      contractAddress: implementation,
      chainId: CHAIN,
      nonce: 0,
    });
    const hash = await chain.node.sendTransaction({
      account: chain.account,
      chain: null,
      to: account.address,
      authorizationList: [authorization],
    });
    await chain.node.waitForTransactionReceipt({ hash, pollingInterval: 10 });
    const code = await chain.node.getCode({ address: account.address });
    expect(code?.slice(0, 8)).toBe("0xef0100");
    return { account, device };
  };

  test("registers by its own key, and by what it delegated to", async () => {
    const own = await upgrade();
    expect((await makePartner(causeway, ownedBy(own.account, own.account))).address).toBe(
      own.account.address,
    );
    const delegated = await upgrade();
    const wallet = ownedBy(delegated.device, { address: delegated.account.address });
    expect((await makePartner(causeway, wallet)).address).toBe(delegated.account.address);
  });

  test("is refused by anybody else's key", async () => {
    const { account } = await upgrade();
    const wallet = ownedBy(privateKeyToAccount(generatePrivateKey()), { address: account.address });
    expect(await apply(causeway, wallet)).toMatchObject({ status: 401, body: { code: "signature_invalid" } });
  });
});

describe("a chain that does not answer", () => {
  const broken = async (fault: object): Promise<void> => {
    const url = `${causeway.hub.rpc[CHAIN]}/__control`;
    await fetch(url, { method: "POST", body: JSON.stringify({ faults: [fault] }) });
  };
  const mended = () => fetch(`${causeway.hub.rpc[CHAIN]}/__control`, { method: "DELETE" });

  test.each([
    [{ kind: "status", status: 500 }],
    [{ kind: "malformed" }],
    [{ kind: "html" }],
    [{ kind: "truncate" }],
  ])("(%j) makes a contract's sign-in 503, not 401", async (fault) => {
    const owner = privateKeyToAccount(generatePrivateKey());
    const wallet = ownedBy(owner, { address: await deployWith("OwnedAccount", [owner.address]) });
    await broken(fault);
    try {
      const answer = await apply(causeway, wallet);
      expect(answer).toMatchObject({ status: 503, body: { code: "simulation_unavailable" } });
    } finally {
      await mended();
    }
    expect((await apply(causeway, wallet)).status).toBe(201);
  });

  test("keeps no account with a key from signing in", async () => {
    await broken({ kind: "status", status: 500 });
    try {
      const wallet = { ...newWallet(), chainId: CHAIN };
      const applied = await apply(causeway, wallet);
      expect(applied.status).toBe(201);
      await decide(causeway, "approve", applied.body["application_id"]);
      expect((await register(causeway, wallet)).status).toBe(200);
    } finally {
      await mended();
    }
  });

  test("of another id is not believed", async () => {
    const other = await startChain("--chain-id", "31338");
    try {
      const setting = {
        chain_id: CHAIN,
        name: "Other",
        key: "other",
        native: { symbol: "ETH", decimals: 18 },
      };
      const rpcUrls = [String(other.node.transport["url"])];
      const { context } = causeway.isolate({ CHAINS: JSON.stringify([{ ...setting, rpc_urls: rpcUrls }]) });
      const owner = privateKeyToAccount(generatePrivateKey());
      const bytecode = contracts("OwnedAccount").creationCode;
      const data = encodeDeployData({ abi: contracts("OwnedAccount").abi, bytecode, args: [owner.address] });
      const address = await deploy(other, data);
      const signature = await owner.signMessage({ message: "hello" });
      const signed = { address, message: "hello", signature, chainId: CHAIN };
      await expect(verifySignature(context(), signed)).rejects.toMatchObject({
        code: "simulation_unavailable",
      });
    } finally {
      await other.stop();
    }
  });
});
