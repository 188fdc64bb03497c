import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  type Hex,
  type TransactionReceipt,
} from "viem";
import { expect } from "vitest";
import { rpc } from "../../../../scripts/stack/chains/json-rpc.ts";
import { TransferStatus } from "../../../../src/schemas/deposit-schema.ts";
import { Positions, VaultActions } from "../../../../src/schemas/position-schema.ts";
import { VaultDetail } from "../../../../src/schemas/vault-schema.ts";
import { adapterOf } from "../../../../src/vaults/families/vault-families.ts";
import { findStoredVault } from "../../../../src/vaults/find-vault.ts";
import type { Vault } from "../../../../src/vaults/vault.ts";
import type { VaultFlow } from "../../../../src/vaults/vault-adapter.ts";
import { readUncached } from "../../../../src/vaults/vault-state.ts";
import { SentDeposit } from "../../e2e/api.ts";
import type { TestUser } from "../../e2e/chain.ts";
import { signDeposit } from "../../e2e/sign-deposit.ts";
import { type Answer, call, read } from "../../partners/wallet.ts";
import type { Placed } from "./family.ts";

/** A deposit that a client requests, in the vault's asset. */
export interface DepositInput {
  placed: Placed;
  user: Address;
  amount: bigint;
}

/** Returns the id of a placed vault. */
export const vaultIdOf = ({ world, vault }: Placed): string => `${world.chainId}:${vault.toLowerCase()}`;

/** Returns an ordinary amount of a token that uses all of its decimals. */
export function sampleAmount(decimals: number): bigint {
  return decimals < 6 ? 1_234n * 10n ** BigInt(decimals) : 1_234_567_891n * 10n ** BigInt(decimals - 6);
}

/** Requests a deposit build and returns the response, whatever its status. */
export function ask({ placed, user, amount }: DepositInput): Promise<Answer> {
  const body = {
    from_chain_id: placed.world.chainId,
    from_token: placed.asset.address,
    from_amount: String(amount),
    vault_id: vaultIdOf(placed),
    user_address: user,
  };
  return call(placed.world.fresh(), ["POST", "/v1/quote/build"], { body });
}

/** Builds a deposit and expects success. */
export async function build(wanted: DepositInput): Promise<SentDeposit> {
  const answer = await ask(wanted);
  expect(answer).toMatchObject({ status: 200 });
  return SentDeposit.parse(answer.body);
}

/** Requests the vault detail. */
export async function detailOf(placed: Placed): Promise<VaultDetail> {
  const answer = await read(await placed.world.fresh().send(`/v1/vaults/${vaultIdOf(placed)}`));
  return VaultDetail.parse(answer.body);
}

/** Requests a user's positions. */
export async function positionsOf(placed: Placed, user: Address) {
  const answer = await read(await placed.world.fresh().send(`/v1/positions/${user}`));
  return Positions.parse(answer.body).positions;
}

/** Requests what a user can do at the vault. */
export async function actionsOf(placed: Placed, user: Address): Promise<VaultActions> {
  const answer = await read(await placed.world.fresh().send(`/v1/actions/${user}/${vaultIdOf(placed)}`));
  return VaultActions.parse(answer.body);
}

/** Returns the vault as the service reads it from its registry. */
export function vaultOf(placed: Placed): Promise<Vault> {
  const { chainId } = placed.world;
  return findStoredVault(placed.world.fresh().context(), { chainId, address: placed.vault });
}

/** Returns the shares that the adapter previews, in the share token's smallest unit. */
export async function previewOf({ placed, user, amount }: DepositInput): Promise<bigint | null> {
  const vault = await vaultOf(placed);
  const caller = vault.caller === "user" ? user : null;
  const ctx = placed.world.fresh().context();
  const token = { ...placed.asset, address: getAddress(placed.asset.address) };
  const request = { token, amount, caller, receiver: user, now: ctx.now() };
  const query = adapterOf(vault).terms(vault, request);
  const { value } = await readUncached(ctx, { chainId: vault.chainId, query });
  return value.previewShares;
}

/** Signs and sends the built transactions. Returns the receipt of the deposit. */
export async function execute(
  placed: Placed,
  { user, built }: { user: TestUser; built: SentDeposit },
): Promise<TransactionReceipt> {
  const hash: Hex = await signDeposit(placed.world, { user, built, style: "calls" });
  return placed.world.client.getTransactionReceipt({ hash });
}

/** Sends a deposit that was not built by this service: the user's own call of the vault. Returns the receipt. */
export async function depositUnbuilt({ placed, user, amount }: DepositInput): Promise<TransactionReceipt> {
  const { world, asset } = placed;
  const vault = await vaultOf(placed);
  const token = { ...asset, address: getAddress(asset.address) };
  const request = { token, amount, caller: user, receiver: user };
  const adapter = adapterOf(vault);
  const ctx = world.fresh().context();
  const terms = adapter.terms(vault, { ...request, now: ctx.now() });
  const { value } = await readUncached(ctx, { chainId: vault.chainId, query: terms });
  const call = adapter.encode(vault, { ...request, minShares: 1n, async: value.async ?? false });
  const args = [call.spender, amount] as const;
  const approval = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args });
  await world.send(user, { to: token.address, data: approval });
  return world.send(user, { to: call.target, data: call.data });
}

/** Requests the transfer status of a transaction on the vault's chain, once it is confirmed. */
export async function statusOf({ world }: Placed, hash: Hex): Promise<TransferStatus> {
  await rpc(world.url, "anvil_mine", "0x10");
  const answer = await world.fresh().send(`/v1/status?tx_hash=${hash}&from_chain_id=${world.chainId}`);
  return TransferStatus.parse((await read(answer)).body);
}

/** Decodes the deposits and withdrawals of a receipt like the flows indexer. */
export async function flowsIn(placed: Placed, receipt: TransactionReceipt): Promise<VaultFlow[]> {
  const vault = await vaultOf(placed);
  const source = adapterOf(vault).flows(vault);
  const emitters = new Set(source.addresses.map((address) => address.toLowerCase()));
  return receipt.logs
    .filter(({ address, topics: [topic] }) => emitters.has(address) && topic && source.topics.includes(topic))
    .flatMap((log) => source.decode(log) ?? []);
}
