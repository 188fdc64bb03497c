// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {IToken, Payments} from "./Payments.sol";

/// @notice Stands in for Across' MulticallHandler, written from its documented behaviour.
contract MulticallHandler is Payments {
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

    bool private _busy;

    modifier onlySelf() {
        if (msg.sender != address(this)) revert NotSelf();
        _;
    }

    receive() external payable {}

    /// @dev Anyone may call this, with anything: what the handler holds or approves is anyone's.
    function handleV3AcrossMessage(address token, uint256, address, bytes calldata message) external {
        require(!_busy);
        _busy = true;
        Instructions memory instructions = abi.decode(message, (Instructions));
        if (instructions.fallbackRecipient == address(0)) {
            this.attemptCalls(instructions.calls);
        } else {
            try this.attemptCalls(instructions.calls) {}
            catch {
                emit CallsFailed(instructions.calls, instructions.fallbackRecipient);
            }
            uint256 left = IToken(token).balanceOf(address(this));
            if (left != 0) {
                _transfer(token, instructions.fallbackRecipient, left);
                emit DrainedTokens(instructions.fallbackRecipient, token, left);
            }
        }
        _busy = false;
    }

    function attemptCalls(Call[] calldata calls) external onlySelf {
        for (uint256 i = 0; i < calls.length; ++i) {
            if (calls[i].callData.length != 0 && calls[i].target.code.length == 0) revert InvalidCall(i, calls);
            (bool ok,) = calls[i].target.call{value: calls[i].value}(calls[i].callData);
            if (!ok) revert CallReverted(i, calls);
        }
    }

    /// @dev The balance is OR-ed into the calldata, so its place must hold zeros.
    function makeCallWithBalance(
        address target,
        bytes memory callData,
        uint256 value,
        Replacement[] calldata replacement
    ) external onlySelf {
        for (uint256 i = 0; i < replacement.length; ++i) {
            uint256 end = replacement[i].offset + 32;
            if (end > callData.length) revert CalldataTooShort(callData.length, end);
            uint256 held = IToken(replacement[i].token).balanceOf(address(this));
            assembly ("memory-safe") {
                let place := add(callData, end)
                mstore(place, or(held, mload(place)))
            }
        }
        (bool ok,) = target.call{value: value}(callData);
        if (!ok) revert ReplacementCallFailed(callData);
    }
}
