// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {GuardedCalls} from "./GuardedCalls.sol";
import {BRIDGED, EVERYTHING, IERC20, NATIVE, Order, Patch, SELF, Step} from "./OrderTypes.sol";

/// @title Executor: makes the calls of one order
/// @notice Deployed once by the Router; each order runs in a new EIP-1167 clone of it. A clone has given no approval
/// before its only run, so a step can only spend that order's own funds, and what somebody sent or allowed to the
/// clone's predictable address in advance.
contract Executor is GuardedCalls {
    // Permit2 transfers tokens for its caller and has the same address on every chain.
    address private constant PERMIT2 = 0x000000000022D473030F116dDEE9F6B43aC78BA3;
    address private immutable ROUTER = msg.sender;
    address private immutable IMPLEMENTATION = address(this);

    /// @dev Empty, because wrapped tokens and vaults may send native money with the 2,300 gas of `transfer`.
    receive() external payable {}

    /// @notice Makes the calls, pays the output to `order.receiver`, then sends what is left to `order.refundTo`.
    /// @param order what was paid and where the output goes; the Router has checked it and compares the floors
    /// @param steps calls in order
    /// @param sweep further tokens that a step may leave behind
    /// @return amountOut rise of the receiver's balance of `tokenOut`: during the pay-out alone, or, when `direct`,
    /// during the last step alone; of a bridged order, what the last step took of its `needToken`
    /// @dev The Router forwards its own calldata, so the parameters are those of its functions. Only a pay-out or the
    /// last step counts, because a hostile step may make somebody else pay a debt to the receiver.
    function run(Order calldata order, Step[] calldata steps, address[] calldata sweep)
        external
        payable
        returns (uint256 amountOut)
    {
        if (msg.sender != ROUTER) revert OnlyRouter();
        // Clone addresses are predictable, so the clone may have received native money before.
        uint256 donated = address(this).balance - msg.value;
        amountOut = _runSteps(order, steps);
        if (order.tokenOut != BRIDGED) {
            uint256 paid = _payOut(order.tokenOut, order.receiver);
            if (!order.direct) amountOut = paid;
        }
        if (order.tokenIn != NATIVE) _refund(order.tokenIn, order.refundTo);
        for (uint256 i = 0; i < steps.length; ++i) {
            _refundOther(order, steps[i].approveToken);
        }
        for (uint256 i = 0; i < sweep.length; ++i) {
            _refundOther(order, sweep[i]);
        }
        if (order.tokenOut != NATIVE) _refundNative(order.refundTo, donated);
    }

    function _runSteps(Order calldata order, Step[] calldata steps) private returns (uint256) {
        uint256 count = steps.length;
        if (count == 0) {
            if (order.tokenOut == BRIDGED) revert BridgeUnmeasured();
            return 0;
        }
        uint256 last = count - 1;
        for (uint256 i = 0; i < last; ++i) {
            _step(i, steps[i], order.nativeFee);
        }
        if (order.tokenOut == BRIDGED) return _bridge(last, steps[last], order.nativeFee);
        if (!order.direct) {
            _step(last, steps[last], order.nativeFee);
            return 0;
        }
        uint256 before = _balanceOf(order.tokenOut, order.receiver);
        _step(last, steps[last], order.nativeFee);
        return _rise(_balanceOf(order.tokenOut, order.receiver), before);
    }

    /// @dev A bridge that takes nothing is refused: the output arrives on another chain, so only this can be measured.
    function _bridge(uint256 index, Step calldata step, uint256 nativeFee) private returns (uint256 taken) {
        if (step.needAmount == 0) revert BridgeUnmeasured();
        uint256 before = _balanceOf(step.needToken, address(this));
        _step(index, step, nativeFee);
        taken = _rise(before, _balanceOf(step.needToken, address(this)));
        uint256 fee = step.needToken == NATIVE ? nativeFee : 0;
        if (!_covers(taken, step.needAmount, fee)) revert StepTookTooLittle(index, taken, step.needAmount);
    }

    function _step(uint256 index, Step calldata step, uint256 nativeFee) private {
        address target = step.target;
        if (target == ROUTER || target == IMPLEMENTATION || target == address(this) || target == PERMIT2) {
            revert StepTargetForbidden(index, target);
        }
        if (target.code.length == 0) revert StepTargetWithoutCode(index, target);
        if (step.needAmount != 0) _demand(index, step, nativeFee);
        address approveToken = step.approveToken;
        uint256 approved = approveToken == address(0) ? 0 : _approve(approveToken, step.spender);
        bytes memory data = step.data;
        for (uint256 i = 0; i < step.patches.length; ++i) {
            Patch calldata patch = step.patches[i];
            // What was approved is the balance, and reading it again costs gas.
            bool known = approved != 0 && patch.token == approveToken;
            _patch(index, data, patch, known ? approved : _balanceToPatch(patch.token));
        }
        uint256 value = step.value;
        if (value == EVERYTHING) {
            if (nativeFee != 0) revert StepValueForbidden(index);
            value = address(this).balance;
        }
        if (!_call(target, value, data)) revert StepFailed(index, _reason());
        if (approved != 0) _disapprove(approveToken, step.spender);
    }

    /// @dev The fee that the caller added is not part of what a native minimum asks for.
    function _demand(uint256 index, Step calldata step, uint256 nativeFee) private view {
        uint256 held = _balanceOf(step.needToken, address(this));
        uint256 fee = step.needToken == NATIVE ? nativeFee : 0;
        if (!_covers(held, step.needAmount, fee)) revert StepUnderfunded(index, held, step.needAmount);
    }

    /// @dev held >= amount + fee, without a sum that could overflow.
    function _covers(uint256 held, uint256 amount, uint256 fee) private pure returns (bool) {
        return held >= amount && held - amount >= fee;
    }

    /// @dev Approves the whole balance and returns it. Skips zero, because some tokens reject an approval of zero.
    function _approve(address token, address spender) private returns (uint256 held) {
        held = _balanceOf(token, address(this));
        if (held == 0) return 0;
        bytes memory data = abi.encodeCall(IERC20.approve, (spender, held));
        if (!_call(token, 0, data) || !_agreed()) {
            // USDT and similar tokens reject a change from one non-zero allowance, set by an earlier step, to another.
            _callToken(token, abi.encodeCall(IERC20.approve, (spender, 0)));
            _callToken(token, data);
        }
    }

    function _disapprove(address token, address spender) private {
        if (_allowance(token, address(this), spender) != 0) _callToken(token, abi.encodeCall(IERC20.approve, (spender, 0)));
    }

    /// @dev SELF has no balance: the word is the address itself.
    function _balanceToPatch(address token) private view returns (uint256) {
        return token == SELF ? 0 : _balanceOf(token, address(this));
    }

    function _patch(uint256 index, bytes memory data, Patch calldata patch, uint256 held) private view {
        uint256 offset = patch.offset;
        // An offset below 4 would overwrite the selector; the length check first keeps the subtraction from wrapping.
        if (offset < 4 || data.length < 36 || offset > data.length - 32) {
            revert StepPatchOutOfBounds(index, offset, data.length);
        }
        uint256 word = patch.token == SELF ? uint160(address(this)) : _scaled(index, patch, held);
        assembly ("memory-safe") {
            mstore(add(add(data, 32), offset), word)
        }
    }

    function _scaled(uint256 index, Patch calldata patch, uint256 held) private pure returns (uint256 word) {
        if (patch.mul <= 1 && patch.div <= 1) return held;
        bool fits;
        (fits, word,) = _mulDiv(held, patch.mul == 0 ? 1 : patch.mul, patch.div == 0 ? 1 : patch.div);
        if (!fits) revert StepPatchOverflow(index);
    }

    /// @dev Pays the whole balance of the output and returns what arrived.
    function _payOut(address token, address receiver) private returns (uint256) {
        uint256 held = _balanceOf(token, address(this));
        if (held == 0) return 0;
        uint256 before = _balanceOf(token, receiver);
        if (token != NATIVE) _callToken(token, abi.encodeCall(IERC20.transfer, (receiver, held)));
        else if (!_call(receiver, held, "")) revert TokenFailed(NATIVE, _reason());
        return _rise(_balanceOf(token, receiver), before);
    }

    /// @dev Native money and the input have their own refunds, and the output was paid out already.
    function _refundOther(Order calldata order, address token) private {
        if (token != NATIVE && token != order.tokenIn && token != order.tokenOut) _refund(token, order.refundTo);
    }

    function _refund(address token, address refundTo) private {
        uint256 left = _balanceOf(token, address(this));
        if (left != 0) _callToken(token, abi.encodeCall(IERC20.transfer, (refundTo, left)));
    }

    /// @dev A rejected refund must not be lost, but a donated wei must not block a refundTo that rejects native money.
    function _refundNative(address refundTo, uint256 donated) private {
        uint256 left = address(this).balance;
        if (left != 0 && !_call(refundTo, left, "") && left > donated) revert RefundRejected(refundTo, left);
    }
}
