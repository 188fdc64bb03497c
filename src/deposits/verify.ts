import { type Hex, isAddressEqual, isHex, size } from "viem";
import { failure } from "../errors.ts";
import { decodeRouterDeposit } from "../router/decode.ts";
import { encodeRouterDeposit, type RouterCall } from "../router/encode.ts";
import { type Floors, routerCall, type UserCall, userDeposit } from "./encode.ts";
import { type Intent, paysNative } from "./intent.ts";

/**
 * Reads the encoded deposit back and compares it, field by field, with what was asked: the last look before
 * it is simulated and handed out. Throws `upstream_rejected` naming the field, never
 * returns a transaction that differs.
 */
export function verifyDeposit(intent: Intent, built: { call: UserCall; floors: Floors }): void {
  const { call, floors } = built;
  if (!isHex(call.data) || size(call.data) < 4) throw refuse("data");
  if (call.value !== (paysNative(intent) ? intent.amount : 0n)) throw refuse("value");
  if (intent.entry.via === "user") {
    const expected = userDeposit(intent, floors);
    if (!isAddressEqual(call.target, intent.vault.entryPoint)) throw refuse("target");
    if (call.data !== expected.data) throw refuse("data");
    return;
  }
  if (!isAddressEqual(call.target, intent.entry.address)) throw refuse("target");
  verifyRouterCall(intent, { data: call.data, expected: routerCall(intent, floors) });
}

/**
 * Reads a Router call back and compares it, field by field, with the one that was meant for an intent. Throws
 * `upstream_rejected` naming the field.
 */
export function verifyRouterCall(intent: Intent, built: { data: Hex; expected: RouterCall }): void {
  const { expected } = built;
  const decoded = decode(built.data);
  if (decoded === null) throw refuse("data");
  for (const [field, value] of Object.entries(expected.deposit)) {
    if (differs(decoded.deposit[field as keyof typeof decoded.deposit], value)) throw refuse(field);
  }
  if (!isAddressEqual(decoded.deposit.receiver, intent.user)) throw refuse("receiver");
  if (!isAddressEqual(decoded.deposit.refundTo, intent.user)) throw refuse("refundTo");
  if (decoded.steps.length !== expected.steps.length) throw refuse("steps");
  for (const [index, step] of expected.steps.entries()) {
    const actual = decoded.steps[index];
    for (const [field, value] of Object.entries(step)) {
      if (differs(actual?.[field as keyof typeof step], value)) throw refuse(`step ${field}`);
    }
  }
  const deposit = decoded.steps[paysNative(intent) ? 1 : 0];
  if (deposit === undefined || !isAddressEqual(deposit.target, intent.vault.entryPoint))
    throw refuse("step target");
  if (!isAddressEqual(deposit.spender, intent.vault.spender)) throw refuse("step spender");
  if (differs(decoded.sweep.join(), expected.sweep.join())) throw refuse("sweep");
  // Nothing besides what was read: no trailing bytes, no other way to write the same.
  if (encodeRouterDeposit(decoded) !== built.data) throw refuse("data");
}

const refuse = (field: string) =>
  failure("upstream_rejected", `the encoded deposit differs from the request in ${field}`);

const differs = (actual: unknown, expected: unknown): boolean =>
  String(actual).toLowerCase() !== String(expected).toLowerCase();

function decode(data: Hex): RouterCall | null {
  try {
    return decodeRouterDeposit(data);
  } catch {
    return null;
  }
}
