import { inject } from "vitest";
import { z } from "zod";
import { type HttpAnswer, type HttpRequest, sendRequest } from "../../../scripts/smoke/http-request.ts";
import type { BuildInput } from "../../../src/schemas/build-input-schema.ts";
import {
  Deposit,
  DepositDetail,
  depositStates,
  TransferStatus,
} from "../../../src/schemas/deposit-schema.ts";
import { Positions } from "../../../src/schemas/position-schema.ts";
import { BuiltDeposit, Quote } from "../../../src/schemas/quote-schema.ts";
import { TransactionRequest } from "../../../src/schemas/transaction-schema.ts";
import { VaultDetail, VaultSummary } from "../../../src/schemas/vault-schema.ts";
import {
  BuiltWithdrawal,
  type WithdrawInput,
  WithdrawQuote,
} from "../../../src/schemas/withdraw-build-schema.ts";
import { WithdrawalDetail } from "../../../src/schemas/withdrawal-schema.ts";
import { bodyOf, type Problem, problemOf } from "./http.ts";

/** A build request's body as a client writes it. */
export type BuildBody = z.input<typeof BuildInput>;

/** A withdrawal request's body as a client writes it. */
export type WithdrawBody = z.input<typeof WithdrawInput>;

/** A build whose transaction can be sent immediately, without a signature. */
export const SentDeposit = BuiltDeposit.extend({ transaction_request: TransactionRequest });
export type SentDeposit = z.infer<typeof SentDeposit>;

/** A build of a withdrawal whose transaction can be sent immediately, without a signature. */
export const SentWithdrawal = BuiltWithdrawal.extend({ transaction_request: TransactionRequest });
export type SentWithdrawal = z.infer<typeof SentWithdrawal>;

/** A client of the API that uses HTTP and JSON only, and none of the service's code. */
export class Api {
  readonly origin: string;

  constructor(origin = inject("stack").api) {
    this.origin = origin;
  }

  send(path: string, request?: HttpRequest): Promise<HttpAnswer> {
    return sendRequest(`${this.origin}${path}`, request);
  }

  async build(body: BuildBody): Promise<SentDeposit> {
    return bodyOf(await this.send("/v1/quote/build", { body }), { schema: SentDeposit });
  }

  /** Builds a deposit that may wait for a signature. */
  async buildToSign(body: BuildBody): Promise<BuiltDeposit> {
    return bodyOf(await this.send("/v1/quote/build", { body }), { schema: BuiltDeposit });
  }

  async quote(body: BuildBody): Promise<Quote> {
    return bodyOf(await this.send("/v1/quote", { body }), { schema: Quote });
  }

  async withdraw(body: WithdrawBody): Promise<SentWithdrawal> {
    return bodyOf(await this.send("/v1/withdraw/build", { body }), { schema: SentWithdrawal });
  }

  async withdrawal(trackingId: string): Promise<WithdrawalDetail> {
    return bodyOf(await this.send(`/v1/withdrawals/${trackingId}`), { schema: WithdrawalDetail });
  }

  /** Builds a withdrawal that may wait for a signature. */
  async withdrawToSign(body: WithdrawBody): Promise<BuiltWithdrawal> {
    return bodyOf(await this.send("/v1/withdraw/build", { body }), { schema: BuiltWithdrawal });
  }

  async withdrawQuote(body: WithdrawBody): Promise<WithdrawQuote> {
    return bodyOf(await this.send("/v1/withdraw/quote", { body }), { schema: WithdrawQuote });
  }

  /**
   * Requests a withdrawal build that must fail, and returns the problem document. Fails the test if the build succeeds.
   */
  async withdrawRefusal(body: object, path = "/v1/withdraw/build"): Promise<Problem> {
    return problemOf(await this.send(path, { body }));
  }

  /**
   * Requests a deposit build that must fail, and returns the problem document. Fails the test if the build succeeds.
   */
  async refusal(body: BuildBody, path = "/v1/quote/build"): Promise<Problem> {
    return problemOf(await this.send(path, { body }));
  }

  async vault(vaultId: string): Promise<VaultDetail> {
    return bodyOf(await this.send(`/v1/vaults/${vaultId}`), { schema: VaultDetail });
  }

  async vaults(query = ""): Promise<VaultSummary[]> {
    return bodyOf(await this.send(`/v1/vaults${query}`), { schema: z.array(VaultSummary) });
  }

  async positions(user: string, query = ""): Promise<Positions> {
    return bodyOf(await this.send(`/v1/positions/${user}${query}`), { schema: Positions });
  }

  async status(hash: string, chainId: number): Promise<TransferStatus> {
    const query = new URLSearchParams({ tx_hash: hash, from_chain_id: String(chainId) });
    return bodyOf(await this.send(`/v1/status?${query}`), { schema: TransferStatus });
  }

  async deposit(trackingId: string): Promise<DepositDetail> {
    return bodyOf(await this.send(`/v1/deposits/${trackingId}`), { schema: DepositDetail });
  }

  /** Lists all deposits of a user, including those without a transaction on a chain. */
  async deposits(user: string): Promise<Deposit[]> {
    const answer = await this.send(`/v1/deposits?user_address=${user}&state=${depositStates}&limit=100`);
    return bodyOf(answer, { schema: z.array(Deposit) });
  }

  report(trackingId: string, body: unknown): Promise<HttpAnswer> {
    return this.send(`/v1/deposits/${trackingId}/tx`, { method: "PATCH", body });
  }

  abandon(trackingId: string): Promise<HttpAnswer> {
    return this.send(`/v1/deposits/${trackingId}/abandon`, { method: "PATCH" });
  }
}
