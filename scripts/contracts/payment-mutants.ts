import type { Mutant } from "./mutant.ts";

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

/** Faults in taking the payment: the reentrancy lock, the checks of an order, payments and signatures. */
export const paymentMutants: readonly Mutant[] = [...lock, ...checks, ...payments, ...signatures];
