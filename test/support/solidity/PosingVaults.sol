// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {RedeemsALot, Trap} from "./TrappingVaults.sol";

/// @notice Has the two views by which Upshift's legacy vaults are recognised, and their request.
abstract contract LegacyViews is Trap {
    bool public depositsPaused;
    uint256 public maxDepositAmount = type(uint256).max;

    function requestRedeem(uint256 shares, address receiver, address holder) external returns (uint256) {
        return redeem(shares, receiver, holder);
    }
}

/// @notice Poses as one of Upshift's legacy vaults and lets nobody leave.
contract PosesAsUpshift is LegacyViews {
    constructor(IERC20 asset_) Trap(asset_) {}

    function _leave(address) internal pure override {
        revert("no way out");
    }
}

/// @notice The same, without the function that takes requests.
contract PosesByViews is Trap {
    bool public depositsPaused;

    constructor(IERC20 asset_) Trap(asset_) {}

    function maxDepositAmount() external view returns (uint256) {
        require(sprung, "a plain vault");
        return type(uint256).max;
    }
}

/// @notice Keeps each account's shares under another key, where no simulation can set them.
abstract contract HidesBalances is Trap {
    function balanceOf(address account) public view override(ERC20, IERC20) returns (uint256) {
        return super.balanceOf(_keyOf(account));
    }

    function _update(address from, address to, uint256 value) internal virtual override {
        super._update(_keyOf(from), _keyOf(to), value);
    }

    function _leave(address) internal view virtual override {
        revert("no way out");
    }

    function _keyOf(address account) private pure returns (address) {
        return account == address(0) ? account : address(uint160(account) ^ 1);
    }
}

/// @notice Poses as one of Upshift's legacy vaults with such shares and lets nobody leave.
contract PosesWithoutBalances is HidesBalances {
    bool public depositsPaused;
    uint256 public maxDepositAmount = type(uint256).max;

    constructor(IERC20 asset_) Trap(asset_) {}

    function requestRedeem(uint256 shares, address receiver, address holder) external returns (uint256) {
        return redeem(shares, receiver, holder);
    }
}

/// @notice An honest one with such shares that takes up to 500 of the asset and redeems no less than a hundred shares.
contract RedeemsALotInSecret is PosesWithoutBalances {
    constructor(IERC20 asset_) PosesWithoutBalances(asset_) {
        maxDepositAmount = 5 * 10 ** 8;
    }

    function maxDeposit(address) public view override returns (uint256) {
        return maxDepositAmount;
    }

    function _update(address from, address to, uint256 value) internal override {
        require(!sprung || to != address(0) || value >= 10 ** 8, "a hundred shares at least");
        super._update(from, to, value);
    }

    function _leave(address) internal view override {}
}

/// @notice Lets nobody leave, and takes no large deposits, which no view shows.
contract PosesWithSmallDeposits is PosesWithoutBalances {
    constructor(IERC20 asset_) PosesWithoutBalances(asset_) {}

    function _enter(address, uint256 assets) internal pure override {
        require(assets <= 5 * 10 ** 7, "too much");
    }
}

/// @notice Poses as one of Euler's vaults with such shares and lets nobody leave.
contract PosesAsEuler is HidesBalances {
    constructor(IERC20 asset_) Trap(asset_) {}

    function MODULE_VAULT() external view returns (address) {
        return address(this);
    }
}

/// @notice Has the views by which Mellow's Simple LRT vaults are recognised, and is its own queue.
abstract contract MellowViews is Trap {
    bool public depositPause;
    bool public depositWhitelist;
    address public symbioticCollateral = address(1);

    function withdrawalQueue() external view returns (address) {
        return address(this);
    }

    function getCurrentEpoch() external pure returns (uint256) {
        return 1;
    }

    function pendingAssetsOf(address) external pure returns (uint256) {
        return 0;
    }

    function claimableAssetsOf(address) external pure returns (uint256) {
        return 0;
    }
}

/// @notice Poses as one of Mellow's Simple LRT vaults and lets nobody leave.
contract PosesAsMellow is MellowViews {
    constructor(IERC20 asset_) Trap(asset_) {}

    function _leave(address) internal pure override {
        revert("no way out");
    }
}

/// @notice An honest one of Upshift's legacy vaults that redeems no less than a hundred whole shares.
contract RedeemsALotLater is RedeemsALot {
    bool public depositsPaused;
    uint256 public maxDepositAmount = type(uint256).max;

    constructor(IERC20 asset_) RedeemsALot(asset_) {}

    function requestRedeem(uint256 shares, address receiver, address holder) external returns (uint256) {
        return redeem(shares, receiver, holder);
    }
}

/// @notice An honest one of Upshift's legacy vaults that keeps new shares for a day.
contract LocksLater is LegacyViews {
    mapping(address => uint256) private _until;

    constructor(IERC20 asset_) Trap(asset_) {}

    function _enter(address receiver, uint256) internal override {
        _until[receiver] = block.timestamp + 20 hours;
    }

    function _leave(address owner) internal view override {
        require(block.timestamp >= _until[owner], "locked for a day");
    }
}

/// @notice Poses as one of Upshift's legacy vaults and burns shares for nothing.
contract PaysNothingAsUpshift is LegacyViews {
    constructor(IERC20 asset_) Trap(asset_) {}

    function instantRedeem(uint256 shares, address receiver, address holder) external returns (uint256) {
        return redeem(shares, receiver, holder);
    }

    function _feeBps(address) internal pure override returns (uint256) {
        return 10_000;
    }
}

/// @notice The same, but only requests are burnt, of which it keeps no record.
contract ForgetsRequests is LegacyViews {
    constructor(IERC20 asset_) Trap(asset_) {}

    function _feeBps(address) internal pure override returns (uint256) {
        return 10_000;
    }
}

/// @notice Poses as one of Upshift's legacy vaults and pays nine tenths of what it states.
contract PaysLessAsUpshift is LegacyViews {
    constructor(IERC20 asset_) Trap(asset_) {}

    function instantRedeem(uint256 shares, address receiver, address holder) external returns (uint256) {
        return redeem(shares, receiver, holder);
    }

    function _feeBps(address) internal pure virtual override returns (uint256) {
        return 1_000;
    }
}

/// @notice An honest one with such a fee, which its preview states.
contract StatesItsFee is PaysLessAsUpshift {
    constructor(IERC20 asset_) PaysLessAsUpshift(asset_) {}

    function previewRedeem(uint256 shares) public view override returns (uint256) {
        uint256 assets = super.previewRedeem(shares);
        return sprung ? assets * 9 / 10 : assets;
    }

    /// The fee is in the preview already.
    function _feeBps(address) internal pure override returns (uint256) {
        return 0;
    }
}

/// @notice Has only the two switches of Mellow's Simple LRT vaults, and burns shares for nothing.
contract PaysNothingBehindSwitches is Trap {
    bool public depositPause;
    bool public depositWhitelist;

    constructor(IERC20 asset_) Trap(asset_) {}

    function _feeBps(address) internal pure override returns (uint256) {
        return 10_000;
    }
}

/// @notice Has all views of such a vault, and queues nothing of what it does not pay.
contract PaysNothingAsMellow is MellowViews {
    constructor(IERC20 asset_) Trap(asset_) {}

    function redeem(uint256 shares, address receiver, address owner) public override returns (uint256) {
        _burn(owner, shares);
        emit Withdraw(msg.sender, receiver, owner, shares, shares);
        return shares;
    }
}

/// @notice Poses as one of Accountable's vaults and burns the shares of a request.
contract PaysNothingAsAccountable is Trap {
    uint8 public permissionLevel;
    address public strategy = address(1);

    constructor(IERC20 asset_) Trap(asset_) {}

    function share() external view returns (address) {
        return address(this);
    }

    function requestRedeem(uint256 shares, address, address owner) external returns (uint256) {
        _burn(owner, shares);
        return 0;
    }
}

/// @notice Poses as one of Upshift's legacy vaults and mints half to contracts.
contract CheatsContractsAsUpshift is LegacyViews {
    constructor(IERC20 asset_) Trap(asset_) {}

    function deposit(uint256 assets, address receiver) public override returns (uint256 shares) {
        if (!sprung || msg.sender.code.length == 0) return super.deposit(assets, receiver);
        shares = super.deposit(assets, address(this)) / 2;
        _transfer(address(this), receiver, shares);
    }
}
