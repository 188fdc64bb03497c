// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";

interface ProvenMint {
    function mint(address to, uint256 amount) external;
}

/// @notice An honest vault, until its trap is set.
abstract contract Trap is ERC4626 {
    bool public sprung;

    constructor(IERC20 asset_) ERC20("Trap", "TRAP") ERC4626(asset_) {}

    function spring(bool yes) external {
        sprung = yes;
    }

    function _enter(address receiver, uint256 assets) internal virtual {}
    function _leave(address owner) internal view virtual {}
    function _feeBps(address) internal view virtual returns (uint256) {}
    function _keptBps(uint256) internal pure virtual returns (uint256) {}

    function _deposit(address caller, address receiver, uint256 assets, uint256 shares) internal virtual override {
        if (sprung) _enter(receiver, assets);
        super._deposit(caller, receiver, assets, shares);
    }

    function _withdraw(address caller, address receiver, address owner, uint256 assets, uint256 shares)
        internal
        override
    {
        if (sprung) _leave(owner);
        uint256 fee = sprung ? assets * (_feeBps(owner) + _keptBps(assets)) / 10_000 : 0;
        super._withdraw(caller, receiver, owner, assets - fee, shares);
    }
}

/// @notice Lets nobody leave.
contract TrapsAll is Trap {
    constructor(IERC20 asset_) Trap(asset_) {}

    function _leave(address) internal pure override {
        revert("no way out");
    }
}

/// @notice Lets nobody leave who has deposited, only holders whose shares were sent to them.
contract TrapsDepositors is Trap {
    mapping(address => bool) private _deposited;

    constructor(IERC20 asset_) Trap(asset_) {}

    function _enter(address receiver, uint256) internal override {
        _deposited[receiver] = true;
    }

    function _leave(address owner) internal view override {
        require(!_deposited[owner], "locked for ever");
    }
}

/// @notice Says that it lacks liquidity, which it does not.
contract SaysIlliquid is Trap {
    constructor(IERC20 asset_) Trap(asset_) {}

    function _leave(address) internal pure override {
        revert("not enough liquidity");
    }
}

/// @notice Euler's interface, without the cash to pay anybody.
contract LacksCash is Trap {
    error E_InsufficientCash();

    constructor(IERC20 asset_) Trap(asset_) {}

    function MODULE_VAULT() external view returns (address) {
        return address(this);
    }

    function _leave(address) internal pure override {
        revert E_InsufficientCash();
    }
}

/// @notice Keeps new shares for a day, as many honest vaults do.
contract LocksForADay is Trap {
    mapping(address => uint256) private _until;

    constructor(IERC20 asset_) Trap(asset_) {}

    function _enter(address receiver, uint256) internal override {
        _until[receiver] = block.timestamp + 20 hours;
    }

    function _leave(address owner) internal view override {
        require(block.timestamp >= _until[owner], "locked for a day");
    }
}

/// @notice Redeems no less than a hundred whole shares.
contract RedeemsALot is Trap {
    constructor(IERC20 asset_) Trap(asset_) {
        ProvenMint(address(asset_)).mint(address(this), 10 ** 12);
    }

    /// The vault pays from a pool of its own, so that its shares are worth one unit each whatever the pool holds.
    function totalAssets() public view override returns (uint256) {
        return totalSupply();
    }

    function _update(address from, address to, uint256 value) internal override {
        require(!sprung || to != address(0) || value >= 10 ** 8, "a hundred shares at least");
        super._update(from, to, value);
    }
}

/// @notice Pays only while its price, which is an hour old at most, is current; new shares are locked for ten minutes.
contract AgesInAnHour is Trap {
    mapping(address => uint256) private _until;
    uint256 private immutable _pricedAt = block.timestamp;

    constructor(IERC20 asset_) Trap(asset_) {}

    function _enter(address receiver, uint256) internal override {
        _until[receiver] = block.timestamp + 10 minutes;
    }

    function _leave(address owner) internal view override {
        require(block.timestamp >= _until[owner], "locked");
        require(block.timestamp < _pricedAt + 50 minutes, "the price is old");
    }
}

/// @notice Keeps a part of a redemption that grows by 5% of it a day.
contract ChargesWaiting is Trap {
    mapping(address => uint256) private _since;

    constructor(IERC20 asset_) Trap(asset_) {}

    function _enter(address receiver, uint256) internal override {
        _since[receiver] = block.timestamp;
    }

    function _feeBps(address owner) internal view override returns (uint256) {
        uint256 bps = (block.timestamp - _since[owner]) * 500 / 1 days;
        return bps > 10_000 ? 10_000 : bps;
    }
}

/// @notice Keeps all of its profits.
contract KeepsProfits is Trap {
    constructor(IERC20 asset_) Trap(asset_) {}

    function performanceFee() external view returns (uint256) {
        return sprung ? 1e18 : 1e17;
    }
}

/// @notice Euler's interface, with a governor who keeps all of the interest.
contract KeepsInterest is Trap {
    constructor(IERC20 asset_) Trap(asset_) {}

    function MODULE_VAULT() external view returns (address) {
        return address(this);
    }

    function interestFee() external view returns (uint16) {
        return sprung ? 10_000 : 1_000;
    }
}

/// @notice Freezes all of its shares: none can be sent or redeemed.
contract FreezesShares is Trap {
    constructor(IERC20 asset_) Trap(asset_) {}

    function _update(address from, address to, uint256 value) internal override {
        require(!sprung || from == address(0), "shares are frozen");
        super._update(from, to, value);
    }
}

/// @notice Mints a tenth for more than one and a half whole tokens, against its own preview.
contract CheatsTheRich is Trap {
    constructor(IERC20 asset_) Trap(asset_) {}

    function _deposit(address caller, address receiver, uint256 assets, uint256 shares) internal override {
        super._deposit(caller, receiver, assets, sprung && assets > 1_500_000 ? shares / 10 : shares);
    }
}

/// @notice Takes deposits from accounts without code alone.
contract RefusesContracts is Trap {
    constructor(IERC20 asset_) Trap(asset_) {}

    function _enter(address, uint256) internal view override {
        require(msg.sender.code.length == 0, "no contracts");
    }
}

/// @notice Takes deposits from accounts on its list alone, although its views say nothing of it.
contract AdmitsFew is Trap {
    constructor(IERC20 asset_) Trap(asset_) {}

    function _enter(address receiver, uint256) internal pure override {
        require(receiver == address(0xadb), "not on the list");
    }
}

/// @notice Asks the depositor to confirm each deposit.
contract CallsDepositor is Trap {
    constructor(IERC20 asset_) Trap(asset_) {}

    function _enter(address, uint256 assets) internal override {
        (bool ok, bytes memory answer) = msg.sender.call(abi.encodeWithSignature("confirm(uint256)", assets));
        require(ok && answer.length == 32, "nobody confirms");
    }
}

/// @notice Has room for one unit of its asset.
contract TakesOneUnit is Trap {
    constructor(IERC20 asset_) Trap(asset_) {}

    function maxDeposit(address) public view override returns (uint256) {
        return sprung ? 1 : type(uint256).max;
    }
}
