import { describe, expect, test } from "vitest";
import { CausewayError } from "../../../src/client/causeway-client-error.ts";
import { sendStep, type TransactionStep } from "../../../src/client/client-wallet-steps.ts";
import { explainError } from "../../../src/console/format/error-words.ts";
import { errorCodes } from "../../../src/errors.ts";
import { account } from "../../support/client/fake-order.ts";
import { scriptedWallet } from "../../support/client/scripted-wallet.ts";

describe("explainError()", () => {
  test.each(errorCodes)("explains %s without showing a code", (code) => {
    const error = new CausewayError(code, "the API's own sentence", { status: 400, requestId: "id-1" });
    const { title, advice, reference } = explainError(error);
    expect(title).toMatch(/^[A-Z]/);
    expect(advice).toMatch(/[.!?]$/);
    expect(`${title} ${advice}`).not.toMatch(/_/);
    expect(reference).toBe("id-1");
  });

  test("says what is wrong with an input", () => {
    const issues = [{ loc: ["body", "from_amount"], msg: "must be above zero", type: "too_small" }];
    const error = new CausewayError("invalid_input", "body.from_amount: must be above zero", { issues });
    expect(explainError(error).advice).toBe("Must be above zero.");
  });

  test.each([
    [
      { code: -32_603, message: "insufficient funds for gas * price + value: balance 0" },
      "The account cannot pay the network fee, and the value if there is one, in the chain's own currency.",
    ],
    [{ code: -32_603, message: "execution reverted: paused" }, "Execution reverted with reason: paused."],
    [{ code: 4200 }, "The Provider does not support the requested method."],
  ])("says in one sentence why the wallet failed: %o", async (failure, expected) => {
    const request = { to: account.address, data: "0x1234", value: 0n, chainId: 1, gasLimit: null };
    const { wallet } = scriptedWallet({
      eth_sendTransaction: () => {
        throw Object.assign(new Error("failed"), failure);
      },
    });
    const step = { stepId: "source.deposit", chainId: 1, transactionRequest: request } as TransactionStep;
    const error: unknown = await sendStep(wallet, { step, user: account.address }).catch(
      (reason: unknown) => reason,
    );
    expect(explainError(error)).toEqual({
      title: "Your wallet could not do this",
      advice: expected,
      reference: null,
    });
  });

  test("does not show what an unforeseen error says", () => {
    expect(explainError(new TypeError("x is undefined")).advice).not.toContain("undefined");
  });
});
