// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";

/// @notice Once it has turned, refuses to transfer shares, so that only their owner redeems them, and pays half of what
/// it previews where nothing tells it that it is simulated.
abstract contract PosingExit is ERC4626 {
    bool public turned;

    error Odd();

    constructor(IERC20 asset_, string memory name_, string memory symbol_) ERC20(name_, symbol_) ERC4626(asset_) {}

    function turn() external {
        turned = true;
    }

    function _update(address from, address to, uint256 value) internal override {
        if (turned && from != address(0) && to != address(0)) revert Odd();
        super._update(from, to, value);
    }

    function _withdraw(address caller, address receiver, address owner, uint256 assets, uint256 shares)
        internal
        override
    {
        bool poses = !turned || _isSimulated(owner);
        super._withdraw(caller, receiver, owner, poses ? assets : assets / 2, shares);
    }

    function _isSimulated(address owner) internal view virtual returns (bool);
}

contract PosesWithoutFees is PosingExit {
    constructor(IERC20 asset_, string memory name_, string memory symbol_) PosingExit(asset_, name_, symbol_) {}

    function _isSimulated(address) internal view override returns (bool) {
        return tx.gasprice == 0;
    }
}

contract PosesForTheRich is PosingExit {
    constructor(IERC20 asset_, string memory name_, string memory symbol_) PosingExit(asset_, name_, symbol_) {}

    function _isSimulated(address owner) internal view override returns (bool) {
        return owner.balance > 500 ether;
    }
}

contract PosesWithMuchGas is PosingExit {
    constructor(IERC20 asset_, string memory name_, string memory symbol_) PosingExit(asset_, name_, symbol_) {}

    function _isSimulated(address) internal view override returns (bool) {
        return gasleft() > 2_000_000;
    }
}

/// @notice Wastes what it gets, unless that is little, so that it recognises a simulation with more gas.
contract PosesAfterWaste is PosingExit {
    constructor(IERC20 asset_, string memory name_, string memory symbol_) PosingExit(asset_, name_, symbol_) {}

    function _isSimulated(address) internal view override returns (bool) {
        if (gasleft() > 15_000_000) return true;
        if (gasleft() > 2_000_000) {
            assembly {
                invalid()
            }
        }
        return false;
    }
}

/// @notice An honest vault that does more work than one call of the usual simulation may.
contract WorksALot is PosingExit {
    uint256 private _seen;

    constructor(IERC20 asset_, string memory name_, string memory symbol_) PosingExit(asset_, name_, symbol_) {}

    function _isSimulated(address) internal view override returns (bool) {
        for (uint256 gas = gasleft(); gas - gasleft() < 13_000_000;) {}
        return true;
    }
}
