import { encodeFunctionData, erc20Abi, erc4626Abi, type Hex, numberToHex, zeroAddress } from "viem";
import { expect, test } from "vitest";
import { stackTokenAbi } from "#stand-ins/standard";
import type { bridgeKeys } from "../../../src/schemas/build-input-schema.ts";
import type { TransferStatus } from "../../../src/schemas/deposit-schema.ts";
import { Api } from "../../support/e2e/api.ts";
import {
  addressOf,
  chainOf,
  mined,
  newUser,
  sendCall,
  type TestChain,
  tokenOn,
  vaultNamed,
} from "../../support/e2e/chain.ts";
import { ends } from "../../support/e2e/cross-chain.ts";
import { settled } from "../../support/e2e/settled.ts";
import { newSmartAccount, type SmartAccount } from "../../support/e2e/smart-account.ts";
import { statusOf } from "../../support/e2e/track.ts";
import { DELIVERY_POLLING, sharesOf } from "../../support/e2e/transfer.ts";

const api = new Api();
const AMOUNT = 250_000_000n;

/** Builds for a contract wallet and has it make all calls in one transaction, which nobody reports. */
async function depart(way: { vault: string; bridge: (typeof bridgeKeys)[number]; native?: true }) {
  const account = await newSmartAccount();
  const vault = vaultNamed(way.vault);
  const [from] = ends(vault);
  const paid = way.native ? { token: zeroAddress, amount: 10n ** 17n } : await fund(from, account);
  const built = await api.build({
    from_chain_id: from.chainId,
    from_token: paid.token,
    from_amount: String(paid.amount),
    vault_id: vault.vault_id,
    user_address: account.address,
    slippage: 0.02,
    preferred_bridge: way.bridge,
  });
  expect(built.tracking.bridge).toBe(way.bridge);
  return { account, vault, from, built, hash: await account.send(from, built.calls) };
}

async function fund(chain: TestChain, { address }: SmartAccount) {
  const token = tokenOn(chain, "USDC");
  const args = [address, AMOUNT] as const;
  const data = encodeFunctionData({ abi: stackTokenAbi, functionName: "mint", args });
  await mined(chain, await sendCall(await newUser(chain), { to: token, data }));
  return { token, amount: AMOUNT };
}

/** The status of the batch, once it is as wanted and stays so. */
const until = (trip: Awaited<ReturnType<typeof depart>>, wanted: (status: TransferStatus) => boolean) =>
  settled(() => statusOf(trip.hash, trip.from.chainId, trip.vault.chain_id), { ...DELIVERY_POLLING, wanted });

/** What the account holds of the vault, once it holds some. */
const sharesIn = ({ vault, account }: Pick<Awaited<ReturnType<typeof depart>>, "vault" | "account">) =>
  settled(() => sharesOf(vault, account.address), { ...DELIVERY_POLLING, wanted: (shares) => shares > 0n });

const isDone = ({ status }: TransferStatus): boolean => status === "DONE";

test.each([
  { vault: "Remote USDC", bridge: "across" },
  { vault: "Remote USDC", bridge: "stargate" },
  { vault: "Remote WETH", bridge: "across", native: true },
] as const)("wallet batch: a smart account's batch is tracked into $vault over $bridge", async (way) => {
  const trip = await depart(way);
  expect(await until(trip, isDone)).toMatchObject({
    substatus: "COMPLETED",
    sending: { tx_hash: trip.hash },
    deposit: { tracking_id: trip.built.tracking_id },
  });
  expect(await api.deposit(trip.built.tracking_id)).toMatchObject({
    state: "completed",
    source_tx_hash: trip.hash,
    shares: String(await sharesIn(trip)),
  });
});

test.each([
  { vault: "Plain USDC", bridge: "stargate_bus" },
  { vault: "Members USDC", bridge: "across" },
] as const)("wallet batch: a delivery over $bridge waits for the second step into $vault", async (way) => {
  const trip = await depart(way);
  const { deposit } = await until(trip, (told) => told.deposit?.next?.kind === "deposit");
  const chain = chainOf(trip.vault.chain_id);
  const second = await trip.account.send(chain, deposit?.next?.calls ?? []);
  expect(await until(trip, isDone)).toMatchObject({
    substatus: "COMPLETED",
    receiving: { tx_hash: second, amount: String(await sharesIn(trip)) },
  });
});

test("wallet batch: shares that the batch transfers on prove no deposit", async () => {
  const vault = vaultNamed("Remote USDC");
  const chain = chainOf(vault.chain_id);
  const account = await newSmartAccount();
  const { token, amount } = await fund(chain, account);
  const target = addressOf(vault);
  const call = (to: Hex, data: Hex) => ({ to, data, value: "0x0", chain_id: numberToHex(chain.chainId) });
  const shares = 10n ** 7n;
  const approve = { abi: erc20Abi, functionName: "approve", args: [target, amount] } as const;
  const mint = { abi: erc4626Abi, functionName: "mint", args: [shares, account.address] } as const;
  const taken = [call(token, encodeFunctionData(approve)), call(target, encodeFunctionData(mint))];
  const kept = await account.send(chain, taken);
  const told = (hash: Hex, status: string) =>
    settled(() => api.status(hash, chain.chainId), {
      ...DELIVERY_POLLING,
      wanted: (now) => now.status === status,
    });
  expect(await told(kept, "DONE")).toMatchObject({ receiving: { amount: String(shares) } });
  const give = { abi: erc20Abi, functionName: "transfer", args: [vault.share_token, shares] } as const;
  const gone = await account.send(chain, [...taken, call(target, encodeFunctionData(give))]);
  expect(await told(gone, "INVALID")).toMatchObject({ receiving: null });
});
