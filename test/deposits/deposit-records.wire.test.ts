import { describe, expect, test } from "vitest";
import { toWireDeposit } from "../../src/deposits/deposit-records.ts";
import { Deposit } from "../../src/schemas/deposit-schema.ts";
import { NOW, REF, row, USDC, USER, VAULT } from "../support/deposits/fixtures.ts";

describe("toWireDeposit()", () => {
  test("writes every field with checksummed addresses and ISO times", () => {
    const wire = toWireDeposit(row, NOW);
    expect(Deposit.parse(wire)).toEqual(wire);
    expect(wire).toEqual({
      tracking_id: "trk_0123456789abcdef0123456789abcdef",
      state: "built",
      status: "NOT_FOUND",
      substatus: null,
      user_address: USER,
      vault_id: `31337:${VAULT.toLowerCase()}`,
      from_chain_id: 31337,
      to_chain_id: 31337,
      from_token: USDC,
      from_amount: "100000000",
      estimated_shares: "100000000000000000000",
      min_shares: "99500000000000000000",
      shares: null,
      bridge: null,
      router_explorer: null,
      two_step: false,
      destination_tx_hash: null,
      delivered_amount: null,
      refund_tx_hash: null,
      next_refusal: null,
      source_tx_hash: null,
      deposit_tx_hash: null,
      claim_tx_hash: null,
      parent_tracking_id: null,
      created_at: "2026-01-02T03:04:05.678Z",
      updated_at: "2026-01-02T03:04:05.678Z",
      expires_at: "2026-01-02T03:09:05.678Z",
      history: [{ state: "built", at: "2026-01-02T03:04:05.678Z" }],
      next: null,
    });
  });

  test("shows an unsent deposit as expired after its quote's expiry", () => {
    expect(toWireDeposit(row, NOW + 300_000)).toMatchObject({ state: "expired", status: "NOT_FOUND" });
    const sent = { ...row, state: "submitted", sourceTxHash: REF } as const;
    expect(toWireDeposit(sent, NOW + 300_000)).toMatchObject({
      state: "submitted",
      status: "PENDING",
      substatus: "WAIT_SOURCE_CONFIRMATIONS",
      source_tx_hash: REF,
    });
  });

  test("shows the substatus of a failed deposit", () => {
    const failed = { ...row, state: "failed", substatus: "OUT_OF_GAS" } as const;
    expect(toWireDeposit(failed, NOW)).toMatchObject({ status: "FAILED", substatus: "OUT_OF_GAS" });
  });
});
