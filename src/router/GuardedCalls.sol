// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {IERC20, NATIVE, OrderErrors} from "./OrderTypes.sol";

/// @title Low-level calls that neither trust return data nor copy more of it than they need
/// @dev `_agreed` and `_reason` read the return data of the latest call, so no other call may come between.
abstract contract GuardedCalls is OrderErrors {
    uint256 private constant MAX_REASON_BYTES = 4096;

    /// @dev Copies no return data: returning a megabyte costs the target's memory, not ours.
    function _call(address target, uint256 value, bytes memory data) internal returns (bool ok) {
        assembly ("memory-safe") {
            ok := call(gas(), target, value, add(data, 32), mload(data), 0, 0)
        }
    }

    /// @dev The latest call's return data, truncated to a fixed size.
    function _reason() internal pure returns (bytes memory reason) {
        uint256 size;
        assembly ("memory-safe") {
            size := returndatasize()
        }
        if (size > MAX_REASON_BYTES) size = MAX_REASON_BYTES;
        reason = new bytes(size);
        assembly ("memory-safe") {
            returndatacopy(add(reason, 32), 0, size)
        }
    }

    /// @dev True when the latest call returned true, as the standard requires, or nothing, as some tokens do. An
    /// address without code returns nothing too, but every caller has read a number from it before.
    function _agreed() internal pure returns (bool yes) {
        assembly ("memory-safe") {
            switch returndatasize()
            case 0 { yes := 1 }
            default {
                if gt(returndatasize(), 31) {
                    returndatacopy(0, 0, 32)
                    yes := eq(mload(0), 1)
                }
            }
        }
    }

    /// @dev Reverts unless the token's call succeeded and did not answer something other than true.
    function _callToken(address token, bytes memory data) internal {
        if (!_call(token, 0, data) || !_agreed()) revert TokenFailed(token, _reason());
    }

    /// @dev Balance of a token, or of native money. Rejects a revert and a short or missing result, so that an address
    /// without code has no balance. In scratch space, because an order reads some ten balances.
    function _balanceOf(address token, address owner) internal view returns (uint256 value) {
        if (token == NATIVE) return owner.balance;
        bytes4 selector = IERC20.balanceOf.selector;
        bool ok;
        assembly ("memory-safe") {
            mstore(0, selector)
            mstore(4, owner)
            ok := staticcall(gas(), token, 0, 36, 0, 32)
            ok := and(ok, gt(returndatasize(), 31))
            value := mload(0)
        }
        if (!ok) revert TokenFailed(token, _reason());
    }

    function _allowance(address token, address owner, address spender) internal view returns (uint256 value) {
        bytes memory query = abi.encodeCall(IERC20.allowance, (owner, spender));
        bool ok;
        assembly ("memory-safe") {
            ok := staticcall(gas(), token, add(query, 32), mload(query), 0, 32)
            ok := and(ok, gt(returndatasize(), 31))
            value := mload(0)
        }
        if (!ok) revert TokenFailed(token, _reason());
    }

    /// @dev Saturates: a balance that fell counts as an increase of zero and does not panic.
    function _rise(uint256 afterwards, uint256 before) internal pure returns (uint256) {
        return afterwards > before ? afterwards - before : 0;
    }

    /// @dev a x b / d with a product of 512 bits, d not zero. `fits` is false when the quotient is above 2^256 - 1.
    /// Source: Remco Bloemen, 2pi.com/21/muldiv.
    function _mulDiv(uint256 a, uint256 b, uint256 d)
        internal
        pure
        returns (bool fits, uint256 quotient, uint256 remainder)
    {
        unchecked {
            uint256 low = a * b;
            uint256 wrapped = mulmod(a, b, type(uint256).max);
            uint256 high = wrapped - low - (wrapped < low ? 1 : 0);
            if (high == 0) return (true, low / d, low % d);
            if (high >= d) return (false, 0, 0);
            remainder = mulmod(a, b, d);
            high -= remainder > low ? 1 : 0;
            low -= remainder;
            // The division is exact now: divide by the powers of two, then multiply by the odd part's inverse.
            uint256 twos = d & (0 - d);
            d /= twos;
            low = low / twos | high * ((0 - twos) / twos + 1);
            uint256 inverse = (3 * d) ^ 2;
            for (uint256 i = 0; i < 6; ++i) {
                inverse *= 2 - d * inverse;
            }
            return (true, low * inverse, remainder);
        }
    }
}
