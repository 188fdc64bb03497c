import fc from "fast-check";
import { privateKeyToAccount } from "viem/accounts";
import { type ExpectedSiweMessage, writeSiweMessage } from "../../../src/partners/siwe-message.ts";

export const account = privateKeyToAccount(
  "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
);
export const NOW = 1_700_000_000_000;
export const expected: ExpectedSiweMessage = {
  publicUrl: "https://causeway.example",
  purpose: "register",
  address: account.address,
  chainId: 8453,
  nonce: "0123456789abcdef0123456789abcdef",
  issuedAt: NOW,
};
export const message = writeSiweMessage(expected);

/** Nonempty lines of the message. */
const LINES = message.split("\n").filter((line) => line !== "");
const mutation = fc.oneof(
  fc.record({
    line: fc.nat(LINES.length - 1),
    at: fc.nat(),
    character: fc.string({ minLength: 1, maxLength: 1 }),
  }),
  fc.record({ line: fc.nat(LINES.length - 1), at: fc.nat(), drop: fc.constant(true) }),
  fc.record({
    line: fc.nat(LINES.length - 1),
    at: fc.nat(),
    insert: fc.string({ minLength: 1, maxLength: 3 }),
  }),
);
type Mutation = typeof mutation extends fc.Arbitrary<infer M> ? M : never;

function mutate(change: Mutation): string {
  const line = LINES[change.line] ?? "";
  const at = change.at % line.length;
  const middle =
    "character" in change ? change.character : "insert" in change ? change.insert + (line[at] ?? "") : "";
  return message.replace(line, () => line.slice(0, at) + middle + line.slice(at + 1));
}

/** 5,000 messages that differ from the expected one in one field. They are the same in each run. */
export const changedMessages: readonly string[] = fc
  .sample(mutation, { numRuns: 6_000, seed: 7 })
  .map(mutate)
  .filter((text) => text !== message)
  .slice(0, 5_000);
