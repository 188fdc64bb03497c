// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Trap} from "./TrappingVaults.sol";

/// @notice An honest vault that pays all redemptions from two tokens, which deposits do not refill.
contract PaysFromBuffer is Trap {
    uint256 private _buffer = 2 * 10 ** 6;

    constructor(IERC20 asset_) Trap(asset_) {}

    function _update(address from, address to, uint256 value) internal virtual override {
        if (sprung && to == address(0)) {
            require(value <= _buffer, "the buffer is empty");
            _buffer -= value;
        }
        super._update(from, to, value);
    }
}

function takeGas() view {
    uint256 end = gasleft() - 3_000_000;
    while (gasleft() > end) {}
}

/// @notice An honest vault whose redemptions take three million units of gas.
contract TakesMuchGas is Trap {
    constructor(IERC20 asset_) Trap(asset_) {}

    function _leave(address) internal view override {
        takeGas();
    }
}

/// @notice Lets only every second depositor leave.
abstract contract LetsSecondsLeave is Trap {
    mapping(address => uint256) private _number;
    uint256 private _last;

    function _enter(address receiver, uint256) internal override {
        _number[receiver] = ++_last;
    }

    function _mayLeave(address owner) internal view returns (bool) {
        return _number[owner] % 2 == 1;
    }
}

/// @notice The same, and says that it lacks liquidity.
contract TrapsSecondsByLiquidity is LetsSecondsLeave {
    constructor(IERC20 asset_) Trap(asset_) {}

    function _leave(address owner) internal view override {
        require(_mayLeave(owner), "insufficient liquidity");
    }
}

/// @notice The same, with redemptions that take much gas.
contract TrapsSecondsWithGas is LetsSecondsLeave {
    constructor(IERC20 asset_) Trap(asset_) {}

    function _leave(address owner) internal view override {
        if (!_mayLeave(owner)) revert();
        takeGas();
    }
}

/// @notice Lets two accounts leave, and no other one ever, without a reason.
contract LetsTwoLeave is Trap {
    uint256 private _left;

    constructor(IERC20 asset_) Trap(asset_) {}

    function _update(address from, address to, uint256 value) internal override {
        if (sprung && to == address(0) && _left++ >= 2) revert();
        super._update(from, to, value);
    }
}
