// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
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
    takeGasOf(3_000_000);
}

function takeGasOf(uint256 amount) view {
    uint256 end = gasleft() > amount ? gasleft() - amount : 0;
    while (gasleft() > end) {}
}

/// @notice An honest vault whose redemptions take three million units of gas.
contract TakesMuchGas is Trap {
    constructor(IERC20 asset_) Trap(asset_) {}

    function _leave(address) internal view override {
        takeGas();
    }
}

/// @notice An honest vault that redeems once in each block.
contract RedeemsOncePerBlock is Trap {
    uint256 private _last;

    constructor(IERC20 asset_) Trap(asset_) {}

    function _update(address from, address to, uint256 value) internal override {
        if (sprung && to == address(0)) {
            require(_last != block.number, "one redemption per block");
            _last = block.number;
        }
        super._update(from, to, value);
    }
}

/// @notice Lets only every second depositor leave.
abstract contract LetsSecondsLeave is Trap {
    mapping(address => uint256) internal _number;
    uint256 private _last;

    function _enter(address receiver, uint256) internal virtual override {
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

    function _update(address from, address to, uint256 value) internal virtual override {
        if (sprung && to == address(0) && _left++ >= 2) revert();
        super._update(from, to, value);
    }
}

/// @notice The same, with redemptions that take so much gas that a node simulates few of them.
contract LetsTwoLeaveWithGas is LetsTwoLeave {
    constructor(IERC20 asset_) LetsTwoLeave(asset_) {}

    function _leave(address) internal view override {
        takeGasOf(10_000_000);
    }
}

/// @notice The same, with deposits that take much gas from the third on.
contract LetsTwoLeaveOfCostly is LetsTwoLeave {
    uint256 private _entered;

    constructor(IERC20 asset_) LetsTwoLeave(asset_) {}

    function _enter(address, uint256) internal override {
        if (++_entered > 2) takeGasOf(10_000_000);
    }
}

/// @notice The buffer of two tokens, in a vault that redeems nothing but all of an account's shares.
contract PaysAllFromBuffer is PaysFromBuffer {
    constructor(IERC20 asset_) PaysFromBuffer(asset_) {}

    function _update(address from, address to, uint256 value) internal override {
        require(!sprung || to != address(0) || value == balanceOf(from), "all or nothing");
        super._update(from, to, value);
    }
}

/// @notice An honest vault that leaves either no share or at least a whole one.
contract KeepsWholeShares is Trap {
    constructor(IERC20 asset_) Trap(asset_) {}

    function _update(address from, address to, uint256 value) internal override {
        super._update(from, to, value);
        require(!sprung || totalSupply() == 0 || totalSupply() >= 10 ** decimals(), "too few shares left");
    }
}

/// @notice Lets every second depositor leave, with no less than a part of the shares.
abstract contract TrapsSecondsWithParts is LetsSecondsLeave {
    function _leastBps() internal pure virtual returns (uint256);

    function _leave(address owner) internal view override {
        require(_mayLeave(owner), "not yet");
    }

    function _update(address from, address to, uint256 value) internal override {
        bool leaves = sprung && to == address(0);
        require(!leaves || value * 10_000 >= balanceOf(from) * _leastBps(), "all or nothing");
        super._update(from, to, value);
    }
}

/// @notice The same for all shares.
contract TrapsSecondsWithAll is TrapsSecondsWithParts {
    constructor(IERC20 asset_) Trap(asset_) {}

    function _leastBps() internal pure override returns (uint256) {
        return 10_000;
    }
}

/// @notice The same, and shows no balance of those that it traps.
contract HidesTrappedShares is TrapsSecondsWithAll {
    constructor(IERC20 asset_) TrapsSecondsWithAll(asset_) {}

    function balanceOf(address account) public view override(ERC20, IERC20) returns (uint256) {
        require(!sprung || _number[account] == 0 || _mayLeave(account), "hidden");
        return super.balanceOf(account);
    }
}

/// @notice Lets every second depositor leave with no less than 99% of the shares.
contract TrapsSecondsWithMost is TrapsSecondsWithParts {
    constructor(IERC20 asset_) Trap(asset_) {}

    function _leastBps() internal pure override returns (uint256) {
        return 9_900;
    }
}

/// @notice An honest vault that takes one deposit an hour.
contract TakesOneAnHour is Trap {
    uint256 private _last;

    constructor(IERC20 asset_) Trap(asset_) {}

    function _enter(address, uint256) internal override {
        require(block.timestamp >= _last + 1 hours, "one deposit an hour");
        _last = block.timestamp;
    }
}

/// @notice Lets every second depositor leave, and takes one deposit an hour.
contract TrapsSecondsOfOneAnHour is LetsSecondsLeave {
    uint256 private _entered;

    constructor(IERC20 asset_) Trap(asset_) {}

    function _enter(address receiver, uint256 assets) internal override {
        require(block.timestamp >= _entered + 1 hours, "one deposit an hour");
        _entered = block.timestamp;
        super._enter(receiver, assets);
    }

    function _leave(address owner) internal view override {
        require(_mayLeave(owner), "not yet");
    }
}

/// @notice Lets every second depositor leave, and takes three tokens in all.
contract TrapsSecondsOfFew is LetsSecondsLeave {
    constructor(IERC20 asset_) Trap(asset_) {}

    function _enter(address receiver, uint256 assets) internal override {
        require(totalAssets() + assets <= 3 * 10 ** 6, "full");
        super._enter(receiver, assets);
    }

    function _leave(address owner) internal view override {
        require(_mayLeave(owner), "not yet");
    }
}
