import { type Address, encodeFunctionData, erc20Abi, type Hex, numberToHex } from "viem";
import { rpc } from "../../../scripts/stack/chains/json-rpc.ts";
import type { Isolate } from "../../../scripts/stack/test-deployment.ts";
import { indexFlowsJob } from "../../../src/jobs.ts";
import { TransferStatus } from "../../../src/schemas/deposit-schema.ts";
import { type Position, Positions } from "../../../src/schemas/position-schema.ts";
import { BuiltRequestAction, BuiltWithdrawal } from "../../../src/schemas/withdraw-build-schema.ts";
import { WithdrawalDetail } from "../../../src/schemas/withdrawal-schema.ts";
import { adapterOf } from "../../../src/vaults/families/vault-families.ts";
import type { ExitMode } from "../../../src/vaults/vault-exits.ts";
import { build, execute, vaultIdOf, vaultOf } from "../conformance/vaults/deposit.ts";
import type { Placed } from "../conformance/vaults/family.ts";
import type { TestUser } from "../e2e/chain.ts";
import { type Signable, signDeposit } from "../e2e/sign-deposit.ts";
import { type Answer, call, read } from "../partners/wallet.ts";

/** A withdrawal that was built and sent. */
export interface Sent {
  built: BuiltWithdrawal;
  hash: Hex;
}

/** An account that holds assets in one vault, and uses only the API and its own wallet. */
export class Holder {
  readonly placed: Placed;
  readonly user: TestUser;

  private constructor(placed: Placed, user: TestUser) {
    this.placed = placed;
    this.user = user;
  }

  /** Creates an account that holds the vault's asset. */
  static async with(placed: Placed, amount: bigint): Promise<Holder> {
    return new Holder(placed, await placed.world.user(placed.asset, amount));
  }

  /** Returns the same account at another vault. */
  at(placed: Placed): Holder {
    return new Holder(placed, this.user);
  }

  get address(): Address {
    return this.user.address;
  }

  #api(): Isolate {
    return this.placed.world.fresh();
  }

  async deposit(amount: bigint): Promise<void> {
    const { placed, user } = this;
    const built = await build({ placed, user: user.address, amount });
    await execute(placed, { user, built });
  }

  /** Requests a withdrawal build and returns the response, whatever its status. */
  ask(shares: bigint | "all", more: object = {}): Promise<Answer> {
    const body = {
      vault_id: vaultIdOf(this.placed),
      user_address: this.address,
      shares: String(shares),
      ...more,
    };
    return call(this.#api(), ["POST", "/v1/withdraw/build"], { body });
  }

  /** Requests the build of a move of shares into another vault and returns the response, whatever its status. */
  askMove(shares: bigint, into: Placed): Promise<Answer> {
    const { shareToken, world } = this.placed;
    const body = {
      ...{ from_chain_id: world.chainId, from_token: shareToken, from_amount: String(shares) },
      ...{ vault_id: vaultIdOf(into), user_address: this.address },
    };
    return call(this.#api(), ["POST", "/v1/quote/build"], { body });
  }

  quote(shares: bigint | "all", more: object = {}): Promise<Answer> {
    const body = {
      vault_id: vaultIdOf(this.placed),
      user_address: this.address,
      shares: String(shares),
      ...more,
    };
    return call(this.#api(), ["POST", "/v1/withdraw/quote"], { body });
  }

  /** Builds a withdrawal. Throws if the API rejects it. */
  async build(shares: bigint | "all", more: object = {}): Promise<BuiltWithdrawal> {
    return BuiltWithdrawal.parse(found(await this.ask(shares, more)));
  }

  /** Builds a withdrawal and sends it. Throws if either fails. */
  async withdraw(shares: bigint | "all", more: object = {}): Promise<Sent> {
    const built = await this.build(shares, more);
    return { built, hash: await this.sign(built) };
  }

  /** Sends a built withdrawal, which may revert. */
  async send({ transaction_request: request, approval }: BuiltWithdrawal): Promise<Hex> {
    if (request === null) throw new Error("there is nothing to send");
    const { world } = this.placed;
    const gas = numberToHex(3_000_000);
    const from = this.address;
    await rpc(world.url, "anvil_impersonateAccount", from);
    if (approval !== null) {
      const args = [approval.spender_address as Address, BigInt(approval.amount)] as const;
      const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args });
      await world.send(from, { to: approval.token_address as Address, data });
    }
    const { to, data, value } = request;
    return (await rpc(world.url, "eth_sendTransaction", { from, to, data, value, gas })) as Hex;
  }

  sign(built: Pick<BuiltWithdrawal, "transaction_request" | "approval" | "calls">): Promise<Hex> {
    const { transaction_request: request } = built;
    if (request === null) throw new Error("there is nothing to send");
    const signable: Signable = { ...built, transaction_request: request };
    return signDeposit(this.placed.world, { user: this.user, built: signable, style: "calls" });
  }

  /**
   * Redeems shares by the vault's own call, as an application other than this service would. `mode` is by default one
   * with a request.
   */
  async sendForeign(shares: bigint, { mode: asked }: { mode?: ExitMode } = {}): Promise<Hex> {
    const { placed, address } = this;
    const vault = await vaultOf(placed);
    const { exits } = adapterOf(vault);
    const mode = asked ?? exits?.modes(vault).find((one) => one !== "instant");
    const [token] = mode === undefined ? [] : (exits?.tokens(vault, mode) ?? []);
    if (exits === undefined || mode === undefined || token === undefined) throw new Error("no requests");
    const input = { mode, shares, token, owner: address, caller: address, receiver: address, minAssets: 0n };
    const call = exits.encode(vault, { ...input, slippage: 0.005 });
    if (call.spender !== null) {
      const args = [call.spender, shares] as const;
      const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args });
      await placed.world.send(address, { to: vault.shareToken, data });
    }
    return (await placed.world.send(address, { to: call.target, data: call.data })).transactionHash;
  }

  /** Requests the build of a claim or cancellation and returns the response, whatever its status. */
  askAbout(action: "claim" | "cancel", requestId: string): Promise<Answer> {
    const body = { vault_id: vaultIdOf(this.placed), user_address: this.address, request_id: requestId };
    return call(this.#api(), ["POST", `/v1/withdraw/${action}`], { body });
  }

  /** Claims or cancels a request. Throws if the API or the chain rejects it. */
  async follow(action: "claim" | "cancel", requestId: string): Promise<Hex> {
    const built = BuiltRequestAction.parse(found(await this.askAbout(action, requestId)));
    return this.sign(built);
  }

  /** Reports the transaction of a step. */
  async report(trackingId: string, of: { hash: Hex; step: string }): Promise<void> {
    const body = { tx_hash: of.hash, step: of.step };
    const answer = await call(this.#api(), ["PATCH", `/v1/withdrawals/${trackingId}/tx`], { body });
    found(answer);
  }

  async record(trackingId: string): Promise<WithdrawalDetail> {
    return WithdrawalDetail.parse(found(await read(await this.#api().send(`/v1/withdrawals/${trackingId}`))));
  }

  async status(hash: Hex): Promise<TransferStatus> {
    const { chainId } = this.placed.world;
    const answer = await this.#api().send(`/v1/status?tx_hash=${hash}&from_chain_id=${chainId}`);
    return TransferStatus.parse(found(await read(answer)));
  }

  /** Returns the position in the vault, or null if the API shows none. */
  async position(): Promise<Position | null> {
    const answer = await read(await this.#api().send(`/v1/positions/${this.address}`));
    const { positions } = Positions.parse(found(answer));
    return positions.find(({ vault_id }) => vault_id === vaultIdOf(this.placed)) ?? null;
  }

  held(token: "asset" | "share"): Promise<bigint> {
    const { asset, shareToken, world } = this.placed;
    const address = token === "asset" ? asset.address : shareToken;
    const args = [this.address] as const;
    return world.client.readContract({ address, abi: erc20Abi, functionName: "balanceOf", args });
  }

  async transfer(to: Address, shares: bigint): Promise<void> {
    const params = [{ from: this.address, to: this.placed.shareToken, data: transferData(to, shares) }];
    await this.user.wallet.request({ method: "eth_sendTransaction", params });
  }
}

/** Mines the blocks that confirm earlier transactions, and indexes the flows. */
export async function confirm({ world }: Placed): Promise<void> {
  await rpc(world.url, "anvil_mine", "0x10");
  await indexFlowsJob.run(world.fresh().context());
}

/** Returns the body of a successful response. Throws an Error for another. */
export function found(answer: Answer): Record<string, unknown> {
  if (answer.status === 200) return answer.body;
  throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
}

const transferData = (to: Address, shares: bigint): Hex =>
  `0xa9059cbb${to.slice(2).toLowerCase().padStart(64, "0")}${shares.toString(16).padStart(64, "0")}`;
