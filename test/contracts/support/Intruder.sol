// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {Token} from "./Tokens.sol";

/// @notice Calls what it was told to whenever anything gives it control, and remembers how that ended.
contract Intruder {
    address public target;
    uint256 public value;
    bytes public data;
    bytes public answer;
    bool public succeeded;
    uint256 public calls;
    bool public insists;

    function plan(address target_, uint256 value_, bytes calldata data_) external {
        (target, value, data) = (target_, value_, data_);
    }

    function insist() external {
        insists = true;
    }

    function act() public {
        calls += 1;
        (bool done, bytes memory returned) = target.call{value: value}(data);
        (succeeded, answer) = (succeeded || done, returned);
        require(done || !insists, "insists");
    }

    function called(address) external {
        act();
    }

    function moved(address, address, address, uint256, bool) external {
        act();
    }

    function approve(Token token, address spender) external {
        token.approve(spender, type(uint256).max);
    }

    receive() external payable {
        act();
    }
}
