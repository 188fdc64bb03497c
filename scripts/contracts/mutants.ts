/** One deliberate fault in DepositRouter.sol. `find` occurs exactly once in the source. */
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
  {
    name: "lock is not looked at",
    find: "if (_lock == LOCKED) revert Reentered();",
    replace: "",
    grave: true,
  },
  { name: "lock is never closed", find: "_lock = LOCKED;", replace: "" },
  { name: "lock is never opened", find: "        _lock = UNLOCKED;\n", replace: "" },
];

const checks: readonly Mutant[] = [
  { name: "deadline is not looked at", find: "block.timestamp > d.deadline", replace: "false" },
  {
    name: "deadline itself is too late",
    find: "block.timestamp > d.deadline",
    replace: "block.timestamp >= d.deadline",
  },
  { name: "zero minIn passes", find: "d.minIn == 0", replace: "false" },
  { name: "zero minShares passes", find: "d.minShares == 0", replace: "false" },
  { name: "zero receiver passes", find: "d.receiver == address(0)", replace: "false" },
  { name: "zero refundTo passes", find: "d.refundTo == address(0)", replace: "false" },
  { name: "asset may be the share token", find: "d.shareToken == d.asset", replace: "false" },
  {
    name: "everything is taken literally",
    find: "amount == type(uint256).max) amount",
    replace: "false) amount",
  },
  {
    name: "everything is the receiver's",
    find: "_balanceOf(d.asset, msg.sender)",
    replace: "_balanceOf(d.asset, d.receiver)",
  },
  {
    name: "everything native is an ERC-20's",
    find: "native ? msg.value : _balanceOf",
    replace: "_balanceOf",
  },
  { name: "zero amount passes", find: "if (amount == 0) revert ZeroAmount();", replace: "" },
  { name: "native value is not looked at", find: "msg.value != expected", replace: "false" },
  { name: "native value may be lower", find: "msg.value != expected", replace: "msg.value > expected" },
  { name: "native value may be higher", find: "msg.value != expected", replace: "msg.value < expected" },
  {
    name: "native value beside an ERC-20 passes",
    find: "native ? amount : 0",
    replace: "native ? amount : msg.value",
  },
  {
    name: "native is never recognised",
    find: "bool native = d.asset == address(0);",
    replace: "bool native = false;",
  },
];

const roles: readonly Mutant[] = [
  { name: "receiver may be ours", find: "_isOurs(d.receiver, clone)", replace: "false" },
  { name: "refundTo may be ours", find: "_isOurs(d.refundTo, clone)", replace: "false" },
  { name: "the Router is not ours", find: "account == address(this) || ", replace: "" },
  { name: "the Executor is not ours", find: "account == address(executorImplementation) || ", replace: "" },
  { name: "the clone is not ours", find: " || account == clone;", replace: ";" },
];

const payerIs = (role: string): NonNullable<Mutant["also"]> => [
  ["_pull(d.asset, clone, amount)", `_pull(d.asset, clone, amount, d.${role})`],
  ["address clone, uint256 amount) private", "address clone, uint256 amount, address payer) private"],
];

const funding: readonly Mutant[] = [
  {
    name: "refundTo pays",
    find: "(msg.sender, clone, amount)",
    replace: "(payer, clone, amount)",
    also: payerIs("refundTo"),
    grave: true,
  },
  {
    name: "receiver pays",
    find: "(msg.sender, clone, amount)",
    replace: "(payer, clone, amount)",
    also: payerIs("receiver"),
    grave: true,
  },
  {
    name: "the Router is paid",
    find: "(msg.sender, clone, amount)",
    replace: "(msg.sender, address(this), amount)",
  },
  {
    name: "one unit too few is taken",
    find: "(msg.sender, clone, amount)",
    replace: "(msg.sender, clone, amount - 1)",
  },
  {
    name: "input is assumed",
    find: "return _rise(_balanceOf(asset, clone), before);",
    replace: "return amount + before * 0;",
  },
  {
    name: "input includes donations",
    find: "return _rise(_balanceOf(asset, clone), before);",
    replace: "return _balanceOf(asset, clone) + before * 0;",
  },
  { name: "minIn is not looked at", find: "amountIn < d.minIn", replace: "false" },
  { name: "minIn itself is too little", find: "amountIn < d.minIn", replace: "amountIn <= d.minIn" },
  {
    name: "native input counts as nothing",
    find: "d.asset == address(0) ? amount :",
    replace: "d.asset == address(0) ? 0 :",
  },
  { name: "native stays in the Router", find: "run{value: msg.value}", replace: "run" },
];

const outcome: readonly Mutant[] = [
  { name: "leftovers go to the sender", find: "sweep, d.refundTo);", replace: "sweep, msg.sender);" },
  { name: "leftovers go to the receiver", find: "sweep, d.refundTo);", replace: "sweep, d.receiver);" },
  {
    name: "shares are the sender's",
    find: "_rise(_balanceOf(d.shareToken, d.receiver)",
    replace: "_rise(_balanceOf(d.shareToken, msg.sender)",
  },
  {
    name: "shares are refundTo's",
    find: "_rise(_balanceOf(d.shareToken, d.receiver)",
    replace: "_rise(_balanceOf(d.shareToken, d.refundTo)",
  },
  {
    name: "shares include those of before",
    find: "d.receiver), sharesBefore)",
    replace: "d.receiver), sharesBefore * 0)",
    grave: true,
  },
  { name: "minShares is not looked at", find: "shares < d.minShares", replace: "false", grave: true },
  { name: "minShares itself is too little", find: "shares < d.minShares", replace: "shares <= d.minShares" },
  { name: "any share is enough", find: "shares < d.minShares", replace: "shares == 0", grave: true },
  {
    name: "event tells what was asked",
    find: "d.asset, amountIn, shares",
    replace: "d.asset, d.amount, shares",
  },
  {
    name: "event tells the floor",
    find: "amountIn, shares, d.partnerType",
    replace: "amountIn, d.minShares, d.partnerType",
  },
  {
    name: "event names the receiver as sender",
    find: "d.shareToken, msg.sender, d.asset",
    replace: "d.shareToken, d.receiver, d.asset",
  },
  {
    name: "event swaps the references",
    find: "d.ref, d.partnerId, d.receiver",
    replace: "d.partnerId, d.ref, d.receiver",
  },
];

const clones: readonly Mutant[] = [
  {
    name: "one Executor for all deposits",
    find: "address payable clone = _clone();",
    replace: "address payable clone = payable(address(executorImplementation));",
  },
  { name: "clone may fail", find: "if (clone == address(0)) revert CloneFailed();", replace: "" },
  {
    name: "anybody drives an Executor",
    find: "if (msg.sender != ROUTER) revert OnlyRouter();",
    replace: "",
    grave: true,
  },
];

const leftovers: readonly Mutant[] = [
  {
    name: "asset is not refunded",
    find: "if (asset != address(0)) _refund(asset, refundTo);",
    replace: "",
    grave: true,
  },
  {
    name: "native asset is refunded as a token",
    find: "if (asset != address(0)) _refund",
    replace: "_refund",
  },
  { name: "listed tokens are not refunded", find: "_refund(sweep[i], refundTo)", replace: "sweep[i]" },
  { name: "last listed token is not refunded", find: "i < sweep.length", replace: "i + 1 < sweep.length" },
  {
    name: "first listed token is not refunded",
    find: "for (uint256 i = 0; i < sweep",
    replace: "for (uint256 i = 1; i < sweep",
  },
  {
    name: "native is not refunded",
    find: 'left != 0 && !_call(refundTo, left, "")',
    replace: "left != 0 && false",
    grave: true,
  },
  {
    name: "nothing native is sent too",
    find: "left != 0 && !_call(refundTo",
    replace: "!_call(refundTo",
  },
  { name: "rejected native is lost", find: "&& left > donated) revert", replace: "&& false) revert" },
  { name: "rejected donation blocks", find: " && left > donated) revert", replace: ") revert" },
  { name: "donated wei itself blocks", find: "left > donated", replace: "left >= donated" },
  {
    name: "what was paid counts as donated",
    find: "address(this).balance - msg.value",
    replace: "address(this).balance",
  },
  {
    name: "token refund goes to the Router",
    find: "IERC20.transfer, (refundTo, left)",
    replace: "IERC20.transfer, (ROUTER, left)",
    grave: true,
  },
  { name: "token refund leaves a unit", find: "(refundTo, left)));", replace: "(refundTo, left - 1)));" },
  {
    name: "nothing is refunded too",
    find: "if (left != 0) _callToken(token, abi.encodeCall(IERC20.transfer",
    replace: "_callToken(token, abi.encodeCall(IERC20.transfer",
  },
];

const steps: readonly Mutant[] = [
  { name: "first step is skipped", find: "i = 0; i < steps.length", replace: "i = 1; i < steps.length" },
  { name: "last step is skipped", find: "i < steps.length", replace: "i + 1 < steps.length" },
  { name: "Router is a target", find: "target == ROUTER || ", replace: "" },
  { name: "Executor is a target", find: "target == IMPLEMENTATION || ", replace: "" },
  { name: "clone is a target", find: "target == address(this) || ", replace: "" },
  { name: "Permit2 is a target", find: " || target == PERMIT2", replace: "" },
  {
    name: "Permit2 has another address",
    find: "0x000000000022D473030F116dDEE9F6B43aC78BA3",
    replace: "0x000000000022d473030f116ddee9f6b43AC78bA4",
  },
  {
    name: "codeless addresses are targets",
    find: "if (target.code.length == 0) revert TargetWithoutCode(target);",
    replace: "",
  },
  { name: "whole balance is taken literally", find: "step.value == type(uint256).max ?", replace: "false ?" },
  {
    name: "value is not sent",
    find: "_call(target, value, data)",
    replace: "_call(target, value * 0, data)",
  },
  {
    name: "failed step is passed over",
    find: "if (!_call(target, value, data)) _bubble(target);",
    replace: "_call(target, value, data);",
  },
];

const approvals: readonly Mutant[] = [
  {
    name: "nothing is approved",
    find: "step.approveToken != address(0) && _approve",
    replace: "false && _approve",
  },
  {
    name: "target is approved",
    find: "_approve(step.approveToken, step.spender);\n        bytes",
    replace: "_approve(step.approveToken, step.target);\n        bytes",
  },
  {
    name: "approval is unlimited",
    find: "IERC20.approve, (spender, held)",
    replace: "IERC20.approve, (spender, held | type(uint256).max)",
  },
  {
    name: "approval is not taken back",
    find: "if (approved) _disapprove(step.approveToken, step.spender);",
    replace: "approved;",
    grave: true,
  },
  {
    name: "approval of another is taken back",
    find: "_disapprove(step.approveToken, step.spender)",
    replace: "_disapprove(step.approveToken, address(this))",
  },
  { name: "zero is approved", find: "if (held == 0) return false;", replace: "" },
  { name: "false answer to approve passes", find: "data) || !_agreed()) {", replace: "data)) {" },
  {
    name: "approval is tried once",
    find: "            _callToken(token, abi.encodeCall(IERC20.approve, (spender, 0)));\n            _callToken(token, data);\n",
    replace: "            _bubble(token);\n",
  },
  {
    name: "second try does not start from zero",
    find: "            _callToken(token, abi.encodeCall(IERC20.approve, (spender, 0)));\n            _callToken",
    replace: "            _callToken",
  },
  { name: "second try does not approve", find: "            _callToken(token, data);\n", replace: "" },
  {
    name: "used-up allowance is reset too",
    find: "if (left != 0) _callToken(token, abi.encodeCall(IERC20.approve",
    replace: "_callToken(token, abi.encodeCall(IERC20.approve",
  },
];

const patches: readonly Mutant[] = [
  { name: "nothing is patched", find: "step.patchToken != address(0)", replace: "false" },
  { name: "selector may be patched", find: "offset < 4 || ", replace: "" },
  { name: "last byte of the selector may be patched", find: "offset < 4", replace: "offset < 3" },
  { name: "first argument may not be patched", find: "offset < 4", replace: "offset <= 4" },
  { name: "length is not looked at", find: "data.length < 36 || ", replace: "" },
  {
    name: "length is compared one short",
    find: "data.length < 36",
    replace: "data.length < 35",
    survives: "With 35 bytes every offset from 4 on is above 35 - 32, so the next comparison refuses it.",
  },
  { name: "end is not looked at", find: " || offset > data.length - 32", replace: "" },
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
  { name: "factor is ignored", find: "step.patchMul == 0 ? held : held * step.patchMul", replace: "held" },
  {
    name: "zero factor counts as zero",
    find: "step.patchMul == 0 ? held : held * step.patchMul",
    replace: "held * step.patchMul",
  },
  { name: "factor is added", find: "held * step.patchMul;", replace: "held + step.patchMul;" },
  {
    name: "product may wrap",
    find: "        uint256 word = step.patchMul == 0 ? held : held * step.patchMul;",
    replace:
      "        uint256 word;\n        unchecked {\n            word = step.patchMul == 0 ? held : held * step.patchMul;\n        }",
  },
  {
    name: "word lands on the length",
    find: "mstore(add(add(data, 32), offset), word)",
    replace: "mstore(add(data, offset), word)",
  },
  {
    name: "balance of the approved token is patched",
    find: "_balanceOf(step.patchToken, address(this))",
    replace: "_balanceOf(step.approveToken, address(this))",
  },
];

const calls: readonly Mutant[] = [
  {
    name: "revert data is not capped",
    find: "if (size > MAX_REVERT_BYTES) size = MAX_REVERT_BYTES;",
    replace: "",
  },
  { name: "revert data is capped elsewhere", find: "= 4096;", replace: "= 4097;" },
  {
    name: "empty failure is passed on empty",
    find: "if (size == 0) revert CallFailed(target);",
    replace: "target;",
  },
  { name: "any answer is agreement", find: "yes := eq(mload(0), 1)", replace: "yes := 1" },
  {
    name: "any number but zero is agreement",
    find: "yes := eq(mload(0), 1)",
    replace: "yes := gt(mload(0), 0)",
  },
  { name: "silence is refusal", find: "case 0 { yes := 1 }", replace: "case 0 { yes := 0 }" },
  {
    name: "short answer is read",
    find: "if gt(returndatasize(), 31) {\n",
    replace: "if gt(returndatasize(), 0) {\n",
  },
  {
    name: "token may revert",
    find: "if (!_call(token, 0, data)) _bubble(token);",
    replace: "_call(token, 0, data);",
  },
  { name: "token may refuse", find: "        if (!_agreed()) revert TokenRefused(token);\n", replace: "" },
  {
    name: "codeless token has a balance",
    find: "ok := and(ok, gt(returndatasize(), 31))",
    replace: "ok := and(ok, 1)",
  },
  {
    name: "reverting token has a balance",
    find: "ok := and(ok, gt(returndatasize(), 31))",
    replace: "ok := gt(returndatasize(), 31)",
  },
  {
    name: "unreadable balance is zero",
    find: "if (!ok) revert TokenUnreadable(token);",
    replace: "if (!ok) value = 0;",
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
];

/** Every mutant of the Router, grouped by the rule that it breaks. */
export const mutants: readonly Mutant[] = [
  ...lock,
  ...checks,
  ...roles,
  ...funding,
  ...outcome,
  ...clones,
  ...leftovers,
  ...steps,
  ...approvals,
  ...patches,
  ...calls,
];
