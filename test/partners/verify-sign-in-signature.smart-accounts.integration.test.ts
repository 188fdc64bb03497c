import type { Address } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ScratchChain, send, startScratchChain } from "../../scripts/stack/chains/scratch-chain.ts";
import { startTestDeployment, type TestDeployment } from "../../scripts/stack/test-deployment.ts";
import { verifySignature } from "../../src/partners/verify-sign-in-signature.ts";
import {
  type AccountChain,
  accountCall,
  counterfactualAccount,
  deployAccount,
  newKey,
  ownedAccount,
  ownedBy,
  sharedAccount,
  upgradedAccount,
} from "../support/partners/accounts.ts";
import {
  apply,
  call,
  decide,
  makePartner,
  newWallet,
  register,
  signNonce,
  type Wallet,
} from "../support/partners/wallet.ts";

const CHAIN = 31337;
let causeway: TestDeployment;
let chain: ScratchChain & AccountChain;
let factory: Address;

beforeAll(async () => {
  const [deployment, node] = await Promise.all([
    startTestDeployment({ chainIds: [CHAIN] }),
    startScratchChain("--chain-id", String(CHAIN), "--hardfork", "prague"),
  ]);
  [causeway, chain] = [deployment, { ...node, chainId: CHAIN }];
  await causeway.connectChain(CHAIN, String(chain.node.transport["url"]));
  factory = await deployAccount(chain, { name: "AccountFactory" });
});
afterAll(() => Promise.all([causeway?.close(), chain?.stop()]));

const counterfactual = (salt: `0x${string}`) => counterfactualAccount(chain, { factory, salt });
const refused = { status: 401, body: { code: "signature_invalid" } };

describe("a smart account (ERC-1271, ERC-6492)", () => {
  test("registers with its owner's signature when deployed (ERC-1271)", async () => {
    const wallet = await ownedAccount(chain);
    expect((await makePartner(causeway, wallet)).address).toBe(wallet.address);
  });

  test("registers with enough owners' signatures over its own hash, as a Safe", async () => {
    const wallet = await sharedAccount(chain);
    expect((await makePartner(causeway, wallet)).address).toBe(wallet.address);
    expect(await apply(causeway, await sharedAccount(chain, 1))).toMatchObject(refused);
    const other = await sharedAccount(chain);
    expect(await apply(causeway, { ...wallet, sign: other.sign })).toMatchObject(refused);
  });

  test("registers with its factory call when not deployed (ERC-6492), without deploying anything", async () => {
    const { wallet } = await counterfactual("0x01");
    expect((await makePartner(causeway, wallet)).address).toBe(wallet.address);
    expect(await chain.node.getCode({ address: wallet.address })).toBeUndefined();
  });

  test("registers with its factory call when deployed meanwhile", async () => {
    const { wallet, create } = await counterfactual("0x02");
    await send(chain, create);
    expect(await chain.node.getCode({ address: wallet.address })).not.toBeUndefined();
    expect((await makePartner(causeway, wallet)).address).toBe(wallet.address);
  });

  test("is refused with the signature of another account, deployed or not", async () => {
    const deployed = ownedBy(newKey(), { ...(await ownedAccount(chain)), chainId: CHAIN });
    expect(await apply(causeway, deployed)).toMatchObject(refused);
    const { wallet } = await counterfactual("0x03");
    const { wallet: impostor } = await counterfactual("0x04");
    const stolen = { ...impostor, address: wallet.address };
    expect(await apply(causeway, stolen)).toMatchObject(refused);
  });

  test("is refused with a former owner's signature", async () => {
    const wallet = await ownedAccount(chain);
    const data = accountCall("OwnedAccount", { functionName: "setOwner", args: [chain.account] });
    const signed = await signNonce(causeway, { wallet, purpose: "apply" });
    await send(chain, { to: wallet.address, data });
    const { message: _, ...body } = signed;
    const form = { company: "A", email: "a@b.example" };
    const answer = await call(causeway, ["POST", "/v1/applications/wallet"], { body: { ...body, form } });
    expect(answer).toMatchObject(refused);
  });

  test.each([
    ["reverts", 0],
    ["burns all gas", 1],
    ["returns another word", 2],
    ["returns 100,000 bytes", 3],
    ["returns almost the right word", 4],
  ])("that %s is refused", async (_what, kind) => {
    const address = await deployAccount(chain, { name: "OddAccount", args: [BigInt(kind)] });
    const wallet: Wallet = { address, chainId: CHAIN, sign: async () => "0x1234" };
    expect(await apply(causeway, wallet)).toMatchObject(refused);
  });

  test("on an unsupported chain is refused", async () => {
    const wallet = await ownedAccount(chain);
    const answer = await apply(causeway, { ...wallet, chainId: 10 });
    expect(answer).toMatchObject(refused);
  });
});

describe("an upgraded account (EIP-7702)", () => {
  test("registers with its own key and with its delegate's", async () => {
    const [own, delegated] = [await upgradedAccount(chain), await upgradedAccount(chain)];
    expect((await makePartner(causeway, own.byKey)).address).toBe(own.address);
    expect((await makePartner(causeway, delegated.byDevice)).address).toBe(delegated.address);
  });

  test("is refused with another key", async () => {
    const { address } = await upgradedAccount(chain);
    const wallet = ownedBy(newKey(), { address, chainId: CHAIN });
    expect(await apply(causeway, wallet)).toMatchObject(refused);
  });
});

describe("signature checks with failing nodes", () => {
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
  ])("(%j) answer 503 for a contract account, not 401", async (fault) => {
    const wallet = await ownedAccount(chain);
    await broken(fault);
    try {
      const answer = await apply(causeway, wallet);
      expect(answer).toMatchObject({ status: 503, body: { code: "simulation_unavailable" } });
    } finally {
      await mended();
    }
    expect((await apply(causeway, wallet)).status).toBe(201);
  });

  test("do not affect accounts with a key", async () => {
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

  test("refuse a node with another chain id", async () => {
    const other = await startScratchChain("--chain-id", "31338");
    try {
      const setting = {
        chain_id: CHAIN,
        name: "Other",
        key: "other",
        native: { symbol: "ETH", decimals: 18 },
      };
      const rpcUrls = [String(other.node.transport["url"])];
      const { context } = causeway.isolate({ CHAINS: JSON.stringify([{ ...setting, rpc_urls: rpcUrls }]) });
      const { address, sign } = await ownedAccount({ ...other, chainId: CHAIN });
      const signed = { address, message: "hello", signature: await sign("hello"), chainId: CHAIN };
      await expect(verifySignature(context(), signed)).rejects.toMatchObject({
        code: "simulation_unavailable",
      });
    } finally {
      await other.stop();
    }
  });
});
