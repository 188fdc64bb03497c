import type { Mutant } from "./mutant.ts";

const output: readonly Mutant[] = [
  {
    name: "absolute floor is not checked",
    find: "uint256 floor = order.minOut;",
    replace: "uint256 floor;",
    grave: true,
  },
  {
    name: "floor is not compared",
    find: "if (amountOut < floor) revert",
    replace: "if (false) revert",
    grave: true,
  },
  { name: "floor itself is too little", find: "if (amountOut < floor)", replace: "if (amountOut <= floor)" },
  { name: "floor per unit rounds down", find: "if (remainder != 0) least += 1;", replace: "remainder;" },
  {
    name: "floor per unit is of the order",
    find: "_mulDiv(amountIn, perIn",
    replace: "_mulDiv(order.amountIn, perIn",
  },
  {
    name: "floor beyond numbers passes",
    find: "if (!fits) revert OutputBelowMinimum(amountOut, type(uint256).max);",
    replace: "fits;",
  },
  { name: "floor is the lower of the two", find: "if (floor < least)", replace: "if (floor > least)" },
  {
    name: "bridged order is compared",
    find: "if (order.tokenOut != BRIDGED) _checkFloor",
    replace: "_checkFloor",
    survives: "A bridged order has no floors, so there is nothing to compare.",
  },
  {
    name: "event names what was asked",
    find: "            amountIn,\n            amountOut,\n            order.partnerType",
    replace: "            order.amountIn,\n            amountOut,\n            order.partnerType",
  },
  {
    name: "event names the floor",
    find: "            amountIn,\n            amountOut,\n            order.partnerType",
    replace: "            amountIn,\n            order.minOut,\n            order.partnerType",
  },
  {
    name: "event swaps the tokens",
    find: "            order.tokenIn,\n            order.tokenOut,\n            amountIn",
    replace: "            order.tokenOut,\n            order.tokenIn,\n            amountIn",
  },
  {
    name: "event swaps the references",
    find: "            order.ref,\n            order.partnerId,\n",
    replace: "            order.partnerId,\n            order.ref,\n",
  },
  {
    name: "clone may fail",
    find: "if (clone == address(0)) revert CloneFailed();",
    replace: "",
    survives:
      "Only the optimised code leaves enough gas to reach this line; test_tooLittleGasForTheCloneSaysSo covers it.",
  },
  {
    name: "end without a reason is bare",
    find: "if (!ok) revert ExecutorFailed();",
    replace: "if (!ok) assembly { revert(0, 0) }",
  },
  {
    name: "failed executor is ignored",
    find: "if (!ok) revert ExecutorFailed();",
    replace: "ok;",
    also: [["if and(iszero(ok), gt(returndatasize(), 0)) {", "if 0 {"]],
  },
];

const refunds: readonly Mutant[] = [
  {
    name: "input is not refunded",
    find: "if (order.tokenIn != NATIVE) _refund(order.tokenIn, order.refundTo);",
    replace: "",
    grave: true,
  },
  {
    name: "native input is refunded as a token",
    find: "if (order.tokenIn != NATIVE) _refund(",
    replace: "_refund(",
    survives:
      "A call of the zero address, which has no code, succeeds and moves nothing; the native refund follows as before.",
  },
  {
    name: "approved tokens are not refunded",
    find: "_refundOther(order, steps[i].approveToken);",
    replace: "steps[i].approveToken;",
  },
  { name: "listed tokens are not refunded", find: "_refundOther(order, sweep[i]);", replace: "sweep[i];" },
  { name: "last listed token is not refunded", find: "i < sweep.length", replace: "i + 1 < sweep.length" },
  {
    name: "output is refunded",
    find: " && token != order.tokenOut) _refund",
    replace: ") _refund",
    survives: "The output was paid out whole before, so that nothing of it is left to refund.",
  },
  {
    name: "refunds go to the receiver",
    find: "_refund(token, order.refundTo)",
    replace: "_refund(token, order.receiver)",
  },
  {
    name: "input goes to the receiver",
    find: "_refund(order.tokenIn, order.refundTo)",
    replace: "_refund(order.tokenIn, order.receiver)",
  },
  {
    name: "native is not refunded",
    find: "if (order.tokenOut != NATIVE) _refundNative(order.refundTo, donated);",
    replace: "donated;",
    grave: true,
  },
  {
    name: "native goes to the receiver",
    find: "_refundNative(order.refundTo, donated)",
    replace: "_refundNative(order.receiver, donated)",
  },
  {
    name: "nothing native is sent too",
    find: "if (left != 0 && !_call(refundTo",
    replace: "if (!_call(refundTo",
  },
  { name: "rejected native is lost", find: " && left > donated) revert", replace: " && false) revert" },
  { name: "rejected donation blocks", find: " && left > donated) revert", replace: ") revert" },
  {
    name: "token refund leaves a unit",
    find: "IERC20.transfer, (refundTo, left)",
    replace: "IERC20.transfer, (refundTo, left - 1)",
  },
  {
    name: "nothing is refunded too",
    find: "if (left != 0) _callToken(token, abi.encodeCall(IERC20.transfer",
    replace: "_callToken(token, abi.encodeCall(IERC20.transfer",
  },
];

const calls: readonly Mutant[] = [
  {
    name: "reason is not capped",
    find: "if (size > MAX_REASON_BYTES) size = MAX_REASON_BYTES;",
    replace: "",
  },
  { name: "reason is capped elsewhere", find: "= 4096;", replace: "= 4097;" },
  { name: "any answer is agreement", find: "yes := eq(mload(0), 1)", replace: "yes := 1" },
  {
    name: "any number but zero is agreement",
    find: "yes := eq(mload(0), 1)",
    replace: "yes := gt(mload(0), 0)",
  },
  { name: "silence is refusal", find: "case 0 { yes := 1 }", replace: "case 0 { yes := 0 }" },
  {
    name: "short answer is read",
    find: "if gt(returndatasize(), 31) {",
    replace: "if gt(returndatasize(), 0) {",
  },
  {
    name: "token may revert",
    find: "if (!_call(token, 0, data) || !_agreed()) revert TokenFailed(token, _reason());",
    replace: "_call(token, 0, data);\n        if (!_agreed()) revert TokenFailed(token, _reason());",
  },
  {
    name: "token may refuse",
    find: "if (!_call(token, 0, data) || !_agreed()) revert TokenFailed(token, _reason());",
    replace: "if (!_call(token, 0, data)) revert TokenFailed(token, _reason());",
  },
  {
    name: "codeless token has a balance",
    find: "ok := staticcall(gas(), token, 0, 36, 0, 32)\n            ok := and(ok, gt(returndatasize(), 31))",
    replace: "ok := staticcall(gas(), token, 0, 36, 0, 32)",
  },
  {
    name: "reverting token has a balance",
    find: "ok := staticcall(gas(), token, 0, 36, 0, 32)\n            ok := and(ok, gt(returndatasize(), 31))",
    replace: "ok := staticcall(gas(), token, 0, 36, 0, 32)\n            ok := gt(returndatasize(), 31)",
  },
  {
    name: "fallen balance panics",
    find: "afterwards > before ? afterwards - before : 0",
    replace: "afterwards - before",
  },
  {
    name: "fallen balance is a rise",
    find: "afterwards > before ? afterwards - before : 0",
    replace: "afterwards > before ? afterwards - before : before - afterwards",
  },
  { name: "native balance is a token", find: "if (token == NATIVE) return owner.balance;", replace: "" },
  {
    name: "product of 512 bits is cut",
    find: "if (high == 0) return",
    replace: "if (high != MAX_REASON_BYTES << 200) return",
  },
  { name: "quotient beyond a word fits", find: "if (high >= d) return (false, 0, 0);", replace: "" },
  { name: "remainder is not taken off", find: "low -= remainder;", replace: "" },
  { name: "inverse is a step short", find: "i < 6; ++i", replace: "i < 5; ++i" },
];

/** Faults in measuring, paying out and refunding the output, and in the calls that do so. */
export const settlementMutants: readonly Mutant[] = [...output, ...refunds, ...calls];
