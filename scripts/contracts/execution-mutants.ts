import type { Mutant } from "./mutant.ts";

const executor: readonly Mutant[] = [
  {
    name: "anybody drives an executor",
    find: "if (msg.sender != ROUTER) revert OnlyRouter();",
    replace: "",
    grave: true,
  },
  {
    name: "what was paid counts as donated",
    find: "address(this).balance - msg.value",
    replace: "address(this).balance",
  },
  {
    name: "steps count as output",
    find: "            if (!order.direct) amountOut = paid;",
    replace: "            amountOut += paid;",
  },
  {
    name: "pay-out of a direct order counts",
    find: "if (!order.direct) amountOut = paid;",
    replace: "amountOut = paid;",
  },
  { name: "pay-out does not count", find: "if (!order.direct) amountOut = paid;", replace: "paid;" },
  {
    name: "direct order is not paid out",
    find: "uint256 paid = _payOut(order.tokenOut, order.receiver);",
    replace: "uint256 paid = order.direct ? 0 : _payOut(order.tokenOut, order.receiver);",
  },
  {
    name: "refundTo gets the output",
    find: "_payOut(order.tokenOut, order.receiver)",
    replace: "_payOut(order.tokenOut, order.refundTo)",
  },
  {
    name: "pay-out is assumed",
    find: "        return _rise(_balanceOf(token, receiver), before);\n    }\n\n    /// @dev Native money and",
    replace: "        before; return held;\n    }\n\n    /// @dev Native money and",
  },
  {
    name: "pay-out includes what was there",
    find: "        return _rise(_balanceOf(token, receiver), before);\n    }\n\n    /// @dev Native money and",
    replace: "        before; return _balanceOf(token, receiver);\n    }\n\n    /// @dev Native money and",
  },
  {
    name: "rejected native output is ignored",
    find: 'else if (!_call(receiver, held, "")) revert TokenFailed(NATIVE, _reason());',
    replace: 'else _call(receiver, held, "");',
  },
  {
    name: "nothing is paid out too",
    find: "if (held == 0) return 0;\n        uint256 before",
    replace: "uint256 before",
  },
  {
    name: "direct counts from the first step",
    find: "        for (uint256 i = 0; i < last; ++i) {\n            _step(i, steps[i], order.nativeFee);\n        }\n",
    replace: "",
    also: [
      [
        "        uint256 before = _balanceOf(order.tokenOut, order.receiver);\n",
        "        uint256 before = _balanceOf(order.tokenOut, order.receiver);\n        for (uint256 i = 0; i < last; ++i) {\n            _step(i, steps[i], order.nativeFee);\n        }\n",
      ],
      [
        "        if (order.tokenOut == BRIDGED) return _bridge(last",
        "        if (order.tokenOut == BRIDGED || !order.direct) for (uint256 i = 0; i < last; ++i) _step(i, steps[i], order.nativeFee);\n        if (order.tokenOut == BRIDGED) return _bridge(last",
      ],
    ],
  },
  {
    name: "direct is measured at refundTo",
    find: "return _rise(_balanceOf(order.tokenOut, order.receiver), before);",
    replace: "return _rise(_balanceOf(order.tokenOut, order.refundTo), before);",
  },
  {
    name: "first step is skipped",
    find: "for (uint256 i = 0; i < last; ++i)",
    replace: "for (uint256 i = 1; i < last; ++i)",
  },
  {
    name: "bridge without steps passes",
    find: "if (order.tokenOut == BRIDGED) revert BridgeUnmeasured();\n            return 0",
    replace: "return 0",
  },
  {
    name: "bridge without a minimum passes",
    find: "if (step.needAmount == 0) revert BridgeUnmeasured();",
    replace: "",
  },
  {
    name: "bridge may take too little",
    find: "if (!_covers(taken, step.needAmount, fee)) revert",
    replace: "if (false) revert",
  },
  {
    name: "bridge need not take the fee",
    find: "        taken = _rise(before, _balanceOf(step.needToken, address(this)));\n        uint256 fee = step.needToken == NATIVE ? nativeFee : 0;",
    replace:
      "        taken = _rise(before, _balanceOf(step.needToken, address(this)));\n        uint256 fee = nativeFee & 0;",
  },
  {
    name: "bridge of a token takes the fee too",
    find: "        taken = _rise(before, _balanceOf(step.needToken, address(this)));\n        uint256 fee = step.needToken == NATIVE ? nativeFee : 0;",
    replace:
      "        taken = _rise(before, _balanceOf(step.needToken, address(this)));\n        uint256 fee = nativeFee;",
  },
  {
    name: "bridge that gives took",
    find: "_rise(before, _balanceOf(step.needToken, address(this)))",
    replace: "_rise(_balanceOf(step.needToken, address(this)), before)",
  },
  {
    name: "need is not demanded",
    find: "if (step.needAmount != 0) _demand(index, step, nativeFee);",
    replace: "",
  },
  {
    name: "need counts the fee",
    find: "        uint256 held = _balanceOf(step.needToken, address(this));\n        uint256 fee = step.needToken == NATIVE ? nativeFee : 0;",
    replace:
      "        uint256 held = _balanceOf(step.needToken, address(this));\n        uint256 fee = nativeFee & 0;",
  },
  {
    name: "need itself is too much",
    find: "held >= amount && held - amount >= fee",
    replace: "held > amount && held - amount >= fee",
  },
  {
    name: "need ignores the fee",
    find: "held >= amount && held - amount >= fee",
    replace: "held >= amount || fee > held",
  },
];

const steps: readonly Mutant[] = [
  { name: "Router is a target", find: "target == ROUTER || ", replace: "" },
  { name: "implementation is a target", find: "target == IMPLEMENTATION || ", replace: "" },
  { name: "clone is a target", find: "target == address(this) || ", replace: "" },
  { name: "Permit2 is a target", find: " || target == PERMIT2", replace: "" },
  {
    name: "codeless addresses are targets",
    find: "if (target.code.length == 0) revert StepTargetWithoutCode(index, target);",
    replace: "",
  },
  {
    name: "everything native is taken literally",
    find: "if (value == EVERYTHING) {",
    replace: "if (false) {",
  },
  {
    name: "everything native may take the fee",
    find: "if (nativeFee != 0) revert StepValueForbidden(index);",
    replace: "",
  },
  {
    name: "value is not sent",
    find: "if (!_call(target, value, data)) revert",
    replace: "value; if (!_call(target, 0, data)) revert",
  },
  {
    name: "failed step is passed over",
    find: "if (!_call(target, value, data)) revert StepFailed(index, _reason());",
    replace: "_call(target, value, data);",
  },
  {
    name: "failure names no step",
    find: "revert StepFailed(index, _reason())",
    replace: "revert StepFailed(0, _reason())",
  },
  { name: "nothing is approved", find: "approveToken == address(0) ? 0 :", replace: "true ? 0 :" },
  {
    name: "target is approved",
    find: "_approve(approveToken, step.spender)",
    replace: "_approve(approveToken, step.target)",
  },
  {
    name: "approval is unlimited",
    find: "IERC20.approve, (spender, held)",
    replace: "IERC20.approve, (spender, held | type(uint256).max)",
  },
  {
    name: "approval is not revoked",
    find: "if (approved != 0) _disapprove(approveToken, step.spender);",
    replace: "",
    grave: true,
  },
  { name: "zero is approved", find: "if (held == 0) return 0;\n        bytes", replace: "bytes" },
  {
    name: "false answer to approve passes",
    find: "if (!_call(token, 0, data) || !_agreed()) {",
    replace: "if (!_call(token, 0, data)) {",
  },
  {
    name: "approval is tried once",
    find: "            _callToken(token, abi.encodeCall(IERC20.approve, (spender, 0)));\n            _callToken(token, data);\n",
    replace: '            revert TokenFailed(token, "");\n',
  },
  {
    name: "second try does not start from zero",
    find: "            _callToken(token, abi.encodeCall(IERC20.approve, (spender, 0)));\n            _callToken(token, data);",
    replace: "            _callToken(token, data);",
  },
  {
    name: "used-up allowance is reset too",
    find: "if (_allowance(token, address(this), spender) != 0) ",
    replace: "_allowance(token, address(this), spender); ",
  },
  { name: "nothing is patched", find: "i < step.patches.length", replace: "i < 0 * step.patches.length" },
  {
    name: "one word is patched",
    find: "i < step.patches.length",
    replace: "i < (step.patches.length > 1 ? 1 : step.patches.length)",
  },
  { name: "selector may be patched", find: "offset < 4 || ", replace: "" },
  { name: "last byte of the selector may be patched", find: "offset < 4 ", replace: "offset < 3 " },
  { name: "length is not checked", find: "data.length < 36 || ", replace: "" },
  { name: "end is not checked", find: " || offset > data.length - 32", replace: "" },
  {
    name: "word may end a byte late",
    find: "offset > data.length - 32",
    replace: "offset > data.length - 31",
  },
  {
    name: "last word may not be patched",
    find: "offset > data.length - 32",
    replace: "offset >= data.length - 32",
  },
  { name: "factor is ignored", find: "patch.mul == 0 ? 1 : patch.mul", replace: "1" },
  {
    name: "factor of two is none",
    find: "if (patch.mul <= 1 && patch.div <= 1) return held;",
    replace: "if (patch.mul <= 2 && patch.div <= 1) return held;",
  },
  {
    name: "divisor alone is none",
    find: "if (patch.mul <= 1 && patch.div <= 1) return held;",
    replace: "if (patch.mul <= 1) return held;",
  },
  { name: "divisor is ignored", find: "patch.div == 0 ? 1 : patch.div", replace: "1" },
  { name: "zero factor counts as zero", find: "patch.mul == 0 ? 1 : patch.mul", replace: "patch.mul" },
  { name: "overflow passes", find: "if (!fits) revert StepPatchOverflow(index);", replace: "fits; index;" },
  {
    name: "SELF is a token",
    find: "patch.token == SELF ? uint160(address(this)) : _scaled",
    replace: "false ? 0 : _scaled",
  },
  {
    name: "SELF is the implementation",
    find: "uint160(address(this)) : _scaled",
    replace: "uint160(IMPLEMENTATION) : _scaled",
  },
  {
    name: "approved amount is every balance",
    find: "approved != 0 && patch.token == approveToken",
    replace: "approved != 0",
  },
];

/** Faults in the executor and in its steps. */
export const executionMutants: readonly Mutant[] = [...executor, ...steps];
