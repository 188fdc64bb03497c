import { type Address, encodeDeployData, encodeFunctionData, erc20Abi, getAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { contractsOf } from "../../../scripts/stack/chains/scratch-chain.ts";
import type { Token } from "../../../src/vaults/vault.ts";
import { startWorld, type World } from "../../support/conformance/vaults/world.ts";
import { SentDeposit } from "../../support/e2e/api.ts";
import type { TestUser } from "../../support/e2e/chain.ts";
import { signDeposit } from "../../support/e2e/sign-deposit.ts";
import { asAdmin, call } from "../../support/partners/wallet.ts";

const AMOUNT = 250_000_000n;
const contracts = contractsOf("test/support/solidity/TrickVaults.sol");
let world: World;
let asset: Token;

beforeAll(async () => {
  world = await startWorld();
  asset = await world.token(6);
});
afterAll(() => world?.close());

const vaultIdOf = (vault: Address) => `${world.chainId}:${vault.toLowerCase()}`;

function put(name: string): Promise<{ vault: Address; maker: Address }> {
  const { abi, creationCode } = contracts(name);
  const data = encodeDeployData({ abi, bytecode: creationCode, args: [asset.address] });
  return world.script((script) => ({ vault: getAddress(script.deploy(name, data)), maker: script.deployer }));
}

/** Claims a vault for an operator, who has no other evidence than its proof, and returns its status. */
async function open(vault: Address): Promise<unknown> {
  const isolate = world.fresh();
  const body = { vaults: [{ vault_id: vaultIdOf(vault) }] };
  expect(await call(isolate, ["POST", "/v1/admin/vaults"], { headers: asAdmin, body })).toMatchObject({
    body: { added: 1 },
  });
  const path = `/v1/admin/vaults/${vaultIdOf(vault)}/prove`;
  return (await call(isolate, ["POST", path], { headers: asAdmin })).body["status"];
}

async function turn({ vault, maker }: { vault: Address; maker: Address }): Promise<void> {
  const data = encodeFunctionData({ abi: contracts("TrickVault").abi, functionName: "turn" });
  await world.send(maker, { to: vault, data });
}

/** Asks for a deposit and returns what is to be signed, or the refusal's code. */
async function build(vault: Address, user: TestUser): Promise<SentDeposit | string> {
  const body = {
    ...{ from_chain_id: world.chainId, from_token: asset.address, from_amount: String(AMOUNT) },
    ...{ vault_id: vaultIdOf(vault), user_address: user.address },
  };
  const answer = await call(world.fresh(), ["POST", "/v1/quote/build"], { body });
  return answer.status === 200 ? SentDeposit.parse(answer.body) : String(answer.body["code"]);
}

const held = (token: Address, of: Address): Promise<bigint> =>
  world.client.readContract({ address: token, abi: erc20Abi, functionName: "balanceOf", args: [of] });

/** Signs a deposit, and returns whether it was made. If it was, the user has at least the promised shares. */
async function sign(
  built: SentDeposit,
  of: { vault: Address; user: TestUser },
): Promise<"made" | "reverted"> {
  const { vault, user } = of;
  const floor = BigInt(built.estimate.min_shares ?? 0);
  expect(floor).toBeGreaterThan(0n);
  try {
    await signDeposit(world, { user, built, style: "calls" });
  } catch {
    // The wallet's estimate of the gas fails too.
  }
  const money = await held(getAddress(asset.address), user.address);
  if (money === AMOUNT) return "reverted";
  expect(money).toBe(0n);
  expect(await held(vault, user.address)).toBeGreaterThanOrEqual(floor);
  return "made";
}

describe("a vault that recognises its proof", () => {
  test.each([
    ["accounts with native currency, as the proof's own has some", "CheatsUsedAccounts"],
    ["whoever pays for gas, as the proof's simulations do", "CheatsWhoPaysGas"],
    ["all but accounts that are absurdly rich in native currency", "CheatsPlausibleAccounts"],
    ["every amount but one whole token", "CheatsOtherAmounts"],
    ["contracts that deposit for others", "CheatsRouters"],
    ["callers that did not sign the transaction themselves", "CheatsProxiedCallers"],
    ["amounts of more than a hundred tokens", "CheatsLargeAmounts"],
    ["accounts that keep some of the asset", "CheatsTheWealthy"],
    ["transactions with a gas limit that fits", "CheatsThrifty"],
    ["whoever deposits in a block without a transaction that only reads", "CheatsUnlessRead"],
  ])("is refused if it cheats %s", async (_what, name) => {
    expect(await open((await put(name)).vault)).toBe("refused");
  });
});

/** Vaults that cheat once their maker says so: a deposit built before, and the answer to a build afterwards. */
const turning: readonly [string, before: "reverted" | "made", after: string][] = [
  ["CheatsLater", "reverted", "price_unsafe"],
  ["FakesTransfer", "reverted", "zero_shares"],
  ["DoesNothing", "reverted", "zero_shares"],
  ["InflatesConversion", "made", "made"],
  ["RebasesDown", "reverted", "price_unsafe"],
  ["CallsBack", "reverted", "price_unsafe"],
  ["AnswersMegabyte", "made", "made"],
  ["DestroysItself", "reverted", "zero_shares"],
  ["GiftedPrice", "reverted", "price_unsafe"],
];

describe("a vault that turns on its users", () => {
  test.each(turning)(
    "%s: a deposit signed before is %s, a build afterwards %s",
    async (name, before, after) => {
      const made = await put(name);
      const { vault } = made;
      expect(await open(vault)).toBe("active");
      const [early, late] = [await world.user(asset, AMOUNT), await world.user(asset, AMOUNT)];
      const built = await build(vault, early);
      await turn(made);
      if (typeof built === "string") throw new Error(`the honest vault was refused: ${built}`);
      expect(await sign(built, { vault, user: early })).toBe(before);
      const again = await build(vault, late);
      expect(typeof again === "string" ? again : await sign(again, { vault, user: late })).toBe(after);
    },
  );
});
