import { hashMessage } from "viem";
import { expect, test } from "vitest";
import { nonceKey, verifySignedNonce, writeStoredMessage } from "../../src/partners/siwe-message.ts";
import { testContext } from "../support/context.ts";
import { account, changedMessages, expected, message, NOW } from "../support/partners/messages.ts";

test("signed messages with one changed field are all refused (5,000 mutations)", async () => {
  const context = testContext({ nowMs: NOW, config: { publicUrl: expected.publicUrl } });
  const { address, nonce } = expected;
  const key = nonceKey({ purpose: "register", address, nonce });
  const stored = writeStoredMessage({ message, chainId: 8453, issuedAt: NOW });
  const outcomes = new Map<string, number>();
  const prove = async (text: string) => {
    const signature = await account.sign({ hash: hashMessage(text) });
    await context.nonces.put(key, stored, 1);
    const signed = { address, nonce, signature };
    const outcome = await verifySignedNonce(context, { purposes: ["register"], signed }).then(
      () => "accepted",
      (error: { code: string }) => error.code,
    );
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  };
  for (const text of changedMessages) await prove(text);
  expect([...outcomes]).toEqual([["signature_invalid", 5_000]]);
  await prove(message);
  expect(outcomes.get("accepted")).toBe(1);
});
