/** One deliberate fault in the Router's Solidity. `find` occurs exactly once in its four sources together. */
export interface Mutant {
  name: string;
  find: string;
  replace: string;
  /** Further edits that the first one requires. */
  also?: readonly (readonly [find: string, replace: string])[];
  /** True when the invariants alone, without other tests, must kill this mutant. */
  grave?: true;
  /** Reason why no test can kill it. Without a reason, a survivor fails the run. */
  survives?: string;
}

const lock: readonly Mutant[] = [
  { name: "lock is not checked", find: "if (_lock == LOCKED) revert Reentered();", replace: "", grave: true },
  { name: "lock is never closed", find: "_lock = LOCKED;", replace: "" },
  { name: "lock is never opened", find: "        _lock = UNLOCKED;\n    }\n", replace: "    }\n" },
  {
    name: "permit entry is not locked",
    find: "    ) external payable locked returns",
    replace: "    ) external payable returns",
  },
  {
    name: "plain entry is not locked",
    find: "        payable\n        locked\n",
    replace: "        payable\n",
  },
  {
    name: "ERC-3009 entry is not locked",
    find: "        address owner,\n        bytes calldata signature\n    ) external locked returns (uint256 amountOut) {\n        _checkSigned(order);\n        address clone = _clone(order);\n        uint256 held",
    replace:
      "        address owner,\n        bytes calldata signature\n    ) external returns (uint256 amountOut) {\n        _checkSigned(order);\n        address clone = _clone(order);\n        uint256 held",
  },
  {
    name: "Permit2 entry is not locked",
    find: "        address owner,\n        bytes calldata signature\n    ) external locked returns (uint256 amountOut) {\n        _checkSigned(order);\n        address clone = _clone(order);\n        uint256 before",
    replace:
      "        address owner,\n        bytes calldata signature\n    ) external returns (uint256 amountOut) {\n        _checkSigned(order);\n        address clone = _clone(order);\n        uint256 before",
  },
];

const checks: readonly Mutant[] = [
  { name: "deadline is not checked", find: "block.timestamp > order.deadline", replace: "false" },
  {
    name: "deadline itself is too late",
    find: "block.timestamp > order.deadline",
    replace: "block.timestamp >= order.deadline",
  },
  { name: "zero amount passes", find: "if (order.amountIn == 0) revert ZeroAmount();", replace: "" },
  { name: "zero minIn passes", find: "order.minIn == 0", replace: "false" },
  { name: "zero receiver passes", find: "order.receiver == address(0)", replace: "false" },
  { name: "zero refundTo passes", find: "order.refundTo == address(0)", replace: "false" },
  { name: "same token passes", find: "order.tokenIn == order.tokenOut", replace: "false" },
  { name: "no floor passes", find: "} else if (!floored) {", replace: "} else if (false) {" },
  {
    name: "absolute floor alone is no floor",
    find: "order.minOut != 0 || order.minOutPerIn != 0",
    replace: "order.minOutPerIn != 0",
  },
  {
    name: "floor per unit alone is no floor",
    find: "order.minOut != 0 || order.minOutPerIn != 0",
    replace: "order.minOut != 0",
  },
  { name: "bridged order may have a floor", find: "if (floored) revert BridgedFloor();", replace: "" },
  {
    name: "native output may have a fee",
    find: "order.tokenOut == NATIVE && order.nativeFee != 0",
    replace: "false",
  },
  {
    name: "plain entry does not check",
    find: "        _check(order);\n        return _executePaid(order);",
    replace: "        return _executePaid(order);",
  },
  {
    name: "permit entry does not check",
    find: "        _check(order);\n        if (order.tokenIn == NATIVE) revert NativeInForbidden();\n        _call",
    replace: "        if (order.tokenIn == NATIVE) revert NativeInForbidden();\n        _call",
  },
  { name: "receiver may be ours", find: "if (_isOurs(order.receiver, clone))", replace: "if (false)" },
  { name: "refundTo may be ours", find: "if (_isOurs(order.refundTo, clone))", replace: "if (false)" },
  { name: "the Router is not ours", find: "account == address(this) || ", replace: "" },
  {
    name: "the implementation is not ours",
    find: "account == address(executorImplementation) || ",
    replace: "",
  },
  { name: "the clone is not ours", find: " || account == clone;", replace: ";" },
];

const payments: readonly Mutant[] = [
  {
    name: "refundTo pays",
    find: "IERC20.transferFrom, (msg.sender, clone, amount)",
    replace: "IERC20.transferFrom, (order.refundTo, clone, amount)",
    grave: true,
  },
  {
    name: "receiver pays",
    find: "IERC20.transferFrom, (msg.sender, clone, amount)",
    replace: "IERC20.transferFrom, (order.receiver, clone, amount)",
    grave: true,
  },
  {
    name: "the Router is paid",
    find: "IERC20.transferFrom, (msg.sender, clone, amount)",
    replace: "IERC20.transferFrom, (msg.sender, address(this), amount)",
  },
  {
    name: "one unit too few is taken",
    find: "IERC20.transferFrom, (msg.sender, clone, amount)",
    replace: "IERC20.transferFrom, (msg.sender, clone, amount - 1)",
  },
  {
    name: "everything is taken literally",
    find: "if (amount == EVERYTHING) {\n            amount",
    replace: "if (false) {\n            amount",
  },
  {
    name: "everything is the balance",
    find: "held < allowed ? held : allowed",
    replace: "held + 0 * allowed",
  },
  {
    name: "everything is the allowance",
    find: "held < allowed ? held : allowed",
    replace: "allowed + 0 * held",
  },
  {
    name: "everything is the receiver's",
    find: "_balanceOf(token, msg.sender)",
    replace: "_balanceOf(token, tx.origin)",
  },
  {
    name: "everything of nothing passes",
    find: "            if (amount == 0) revert ZeroAmount();\n        }",
    replace: "        }",
  },
  {
    name: "everything native takes the fee",
    find: "_rise(msg.value, order.nativeFee)",
    replace: "msg.value",
  },
  { name: "native value is not checked", find: "msg.value != expected", replace: "false" },
  { name: "native value may be lower", find: "msg.value != expected", replace: "msg.value > expected" },
  { name: "native value may be higher", find: "msg.value != expected", replace: "msg.value < expected" },
  {
    name: "fee is not part of the value",
    find: "native ? amount + order.nativeFee : order.nativeFee",
    replace: "native ? amount : order.nativeFee",
  },
  {
    name: "fee beside a token is not asked for",
    find: "native ? amount + order.nativeFee : order.nativeFee",
    replace: "native ? amount + order.nativeFee : 0",
  },
  {
    name: "input is not measured",
    find: "return _rise(_balanceOf(order.tokenIn, clone), before);",
    replace: "before; return order.amountIn;",
  },
  {
    name: "input includes donations",
    find: "return _rise(_balanceOf(order.tokenIn, clone), before);",
    replace: "before; return _balanceOf(order.tokenIn, clone);",
  },
  { name: "minIn is not checked", find: "amountIn < order.minIn", replace: "false" },
  { name: "minIn itself is too little", find: "amountIn < order.minIn", replace: "amountIn <= order.minIn" },
  {
    name: "native stays in the Router",
    find: "call(gas(), clone, callvalue(), data",
    replace: "call(gas(), clone, 0, data",
  },
];

const signatures: readonly Mutant[] = [
  {
    name: "signed order may be native",
    find: "        if (order.tokenIn == NATIVE) revert NativeInForbidden();\n        if (order.amountIn",
    replace: "        if (order.amountIn",
  },
  {
    name: "permit may be native",
    find: "        if (order.tokenIn == NATIVE) revert NativeInForbidden();\n        _call",
    replace: "        _call",
  },
  {
    name: "signed order may be open",
    find: "if (order.amountIn == EVERYTHING) revert EverythingForbidden();",
    replace: "",
  },
  {
    name: "signed order may have a fee",
    find: "        if (order.nativeFee != 0) revert NativeFeeForbidden();\n        uint256 latest",
    replace: "        uint256 latest",
  },
  { name: "signed order may live for ever", find: "if (order.deadline > latest)", replace: "if (false)" },
  {
    name: "signed order lives a second less",
    find: "order.deadline > latest",
    replace: "order.deadline >= latest",
  },
  {
    name: "signed order is not checked",
    find: "        _check(order);\n        if (order.tokenIn == NATIVE) revert NativeInForbidden();\n        if (order.amountIn",
    replace: "        if (order.tokenIn == NATIVE) revert NativeInForbidden();\n        if (order.amountIn",
  },
  {
    name: "failed authorisation is ignored",
    find: "        if (!_call(order.tokenIn, 0, _authorizationOf(order, owner, nonce, signature))) {\n            revert AuthorizationFailed(_reason());\n        }",
    replace: "        _call(order.tokenIn, 0, _authorizationOf(order, owner, nonce, signature));",
  },
  {
    name: "authorisation of nothing passes",
    find: 'if (received == 0) revert AuthorizationFailed("");',
    replace: "",
  },
  {
    name: "the whole balance is forwarded",
    find: "_rise(_balanceOf(order.tokenIn, address(this)), held)",
    replace: "_balanceOf(order.tokenIn, address(this)) + 0 * held",
  },
  {
    name: "the amount of the order is forwarded",
    find: "IERC20.transfer, (clone, received)",
    replace: "IERC20.transfer, (clone, order.amountIn)",
  },
  { name: "authorisation ends with the deadline", find: "order.deadline + 1", replace: "order.deadline" },
  {
    name: "nonce is the reference",
    find: "bytes32 nonce = _digestOf(_hashOf(order, steps, sweep));",
    replace: "bytes32 nonce = order.ref; _hashOf(order, steps, sweep);",
  },
  {
    name: "failed Permit2 is ignored",
    find: "if (!_call(PERMIT2, 0, data)) revert AuthorizationFailed(_reason());",
    replace: "_call(PERMIT2, 0, data);",
  },
  {
    name: "Permit2 of nothing passes",
    find: 'if (amountIn == 0) revert AuthorizationFailed("");',
    replace: "",
  },
  {
    name: "Permit2 input includes donations",
    find: "uint256 amountIn = _rise(_balanceOf(order.tokenIn, clone), before);",
    replace: "uint256 amountIn = _balanceOf(order.tokenIn, clone) + 0 * before;",
  },
  {
    name: "Permit2 has another nonce",
    find: "nonce: uint256(_digestOf(orderHash))",
    replace: "nonce: uint256(order.ref)",
  },
  {
    name: "Permit2 has no witness",
    find: "                orderHash,\n                string",
    replace: "                bytes32(0),\n                string",
  },
  { name: "steps are not signed", find: "keccak256(abi.encode(steps))", replace: "bytes32(steps.length)" },
  { name: "sweep is not signed", find: "keccak256(abi.encode(sweep))", replace: "bytes32(sweep.length)" },
  {
    name: "order is not signed",
    find: "abi.encode(ORDER_TYPEHASH, order, ",
    replace: "abi.encode(ORDER_TYPEHASH, order.ref, ",
  },
  { name: "chain is not signed", find: "block.chainid, address(this)", replace: "uint256(1), address(this)" },
  {
    name: "Router is not signed",
    find: "block.chainid, address(this)",
    replace: "block.chainid, address(0)",
  },
  {
    name: "payer is the submitter",
    find: "return _run(order, clone, owner, _fund",
    replace: "return _run(order, clone, msg.sender, _fund",
  },
  {
    name: "payer by Permit2 is the submitter",
    find: "return _run(order, clone, owner, amountIn);",
    replace: "return _run(order, clone, msg.sender, amountIn);",
  },
  {
    name: "permit is not tried",
    find: "        _call(order.tokenIn, 0, _permitOf(order, signature));\n",
    replace: "",
  },
  {
    name: "permit that fails is a failure",
    find: "        _call(order.tokenIn, 0, _permitOf(order, signature));",
    replace:
      "        if (!_call(order.tokenIn, 0, _permitOf(order, signature))) revert AuthorizationFailed(_reason());",
  },
  { name: "v is not read", find: "v = uint8(signature[64]);", replace: "v = 27;" },
];

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
  },
  {
    name: "approved tokens are not refunded",
    find: "_refundOther(order, steps[i].approveToken);",
    replace: "steps[i].approveToken;",
  },
  { name: "listed tokens are not refunded", find: "_refundOther(order, sweep[i]);", replace: "sweep[i];" },
  { name: "last listed token is not refunded", find: "i < sweep.length", replace: "i + 1 < sweep.length" },
  { name: "output is refunded", find: " && token != order.tokenOut) _refund", replace: ") _refund" },
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

/** Every mutant of the Router, grouped by the rule that it breaks. */
export const mutants: readonly Mutant[] = [
  ...lock,
  ...checks,
  ...payments,
  ...signatures,
  ...output,
  ...executor,
  ...steps,
  ...refunds,
  ...calls,
];
