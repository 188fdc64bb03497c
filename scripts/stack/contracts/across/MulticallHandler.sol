// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ReentrancyGuard} from "@openzeppelin/contracts/utils/ReentrancyGuard.sol";
import {Sabotage} from "./Sabotage.sol";

/// @notice Stands in for Across' MulticallHandler, written from its documented behaviour. Anyone may call it with
/// anything: what it holds or approves is anyone's.
contract MulticallHandler is ReentrancyGuard, Sabotage {
    using SafeERC20 for IERC20;

    struct Call {
        address target;
        bytes callData;
        uint256 value;
    }

    struct Replacement {
        address token;
        uint256 offset;
    }

    struct Instructions {
        Call[] calls;
        address fallbackRecipient;
    }

    error CallReverted(uint256 index, Call[] calls);
    error InvalidCall(uint256 index, Call[] calls);
    error NotSelf();
    error ReplacementCallFailed(bytes callData);
    error CalldataTooShort(uint256 callDataLength, uint256 offset);

    event CallsFailed(Call[] calls, address indexed fallbackRecipient);
    event DrainedTokens(address indexed recipient, address indexed token, uint256 indexed amount);

    bool private _failing;

    modifier onlySelf() {
        if (msg.sender != address(this)) revert NotSelf();
        _;
    }

    receive() external payable {}

    /// @notice Makes the calls that the message holds. With a fallback recipient a failure is caught and whatever is left
    /// of the token goes there in either case; without one it undoes the fill.
    function handleV3AcrossMessage(address token, uint256, address, bytes calldata message) external nonReentrant {
        _failing = _isDoomed(message);
        Instructions memory instructions = abi.decode(message, (Instructions));
        if (instructions.fallbackRecipient == address(0)) {
            this.attemptCalls(instructions.calls);
        } else {
            try this.attemptCalls(instructions.calls) {}
            catch {
                emit CallsFailed(instructions.calls, instructions.fallbackRecipient);
            }
            _drain(token, payable(instructions.fallbackRecipient));
        }
        if (_failing) _failing = false;
    }

    function attemptCalls(Call[] calldata calls) external onlySelf {
        for (uint256 i = 0; i < calls.length; ++i) {
            if (calls[i].callData.length != 0 && calls[i].target.code.length == 0) revert InvalidCall(i, calls);
            (bool ok,) = calls[i].target.call{value: calls[i].value}(calls[i].callData);
            if (!ok || _failing) revert CallReverted(i, calls);
        }
    }

    function drainLeftoverTokens(address token, address payable destination) external onlySelf {
        _drain(token, destination);
    }

    /// @notice Calls with live balances written into the calldata; zero as token means native. The balance is OR-ed in,
    /// so that its place must hold zeros.
    function makeCallWithBalance(address target, bytes memory callData, uint256 value, Replacement[] calldata replacement)
        external
        onlySelf
    {
        for (uint256 i = 0; i < replacement.length; ++i) {
            address token = replacement[i].token;
            uint256 held = token == address(0) ? address(this).balance : IERC20(token).balanceOf(address(this));
            uint256 end = replacement[i].offset + 32;
            if (end > callData.length) revert CalldataTooShort(callData.length, end);
            assembly ("memory-safe") {
                let place := add(callData, end)
                mstore(place, or(held, mload(place)))
            }
        }
        (bool ok,) = target.call{value: value}(callData);
        if (!ok) revert ReplacementCallFailed(callData);
    }

    function _drain(address token, address payable to) private {
        if (token == address(0)) {
            uint256 native = address(this).balance;
            if (native == 0) return;
            (bool ok,) = to.call{value: native}("");
            require(ok, "native transfer failed");
            emit DrainedTokens(to, token, native);
            return;
        }
        uint256 left = IERC20(token).balanceOf(address(this));
        if (left == 0) return;
        IERC20(token).safeTransfer(to, left);
        emit DrainedTokens(to, token, left);
    }
}
