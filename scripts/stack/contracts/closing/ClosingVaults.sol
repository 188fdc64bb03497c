// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";

/// @notice Holds the assets of one tranche like Strata's CDO and its strategy, and switches its withdrawals. Anyone may
/// change any setting.
contract TrancheCdo {
    using SafeERC20 for IERC20;

    struct Actions {
        bool isDepositEnabled;
        bool isWithdrawEnabled;
    }

    address public jrtVault;
    address public srtVault;
    Actions public actionsJrt = Actions(true, true);
    Actions public actionsSrt = Actions(true, true);
    /// What the coverage of the other tranche lets this one withdraw.
    uint256 public cap = type(uint256).max;

    error WithdrawalsDisabled(address tranche);

    function setTranche(address tranche, bool junior) external {
        (jrtVault, srtVault) = junior ? (tranche, address(0)) : (address(0), tranche);
    }

    function setActionStates(bool junior, bool deposits, bool withdrawals) external {
        if (junior) actionsJrt = Actions(deposits, withdrawals);
        else actionsSrt = Actions(deposits, withdrawals);
    }

    function setCap(uint256 cap_) external {
        cap = cap_;
    }

    function maxWithdraw(address tranche) public view returns (uint256) {
        return (tranche == jrtVault ? actionsJrt : actionsSrt).isWithdrawEnabled ? cap : 0;
    }

    function pay(IERC20 asset, address receiver, uint256 assets) external {
        if (maxWithdraw(msg.sender) == 0) revert WithdrawalsDisabled(msg.sender);
        asset.safeTransfer(receiver, assets);
    }
}

/// @notice Behaves like a tranche of Strata towards holders: its limits are those of the CDO, which holds the assets.
contract Tranche is ERC4626 {
    using SafeERC20 for IERC20;

    TrancheCdo public immutable cdo;

    constructor(IERC20 asset_, string memory name_, string memory symbol_, TrancheCdo cdo_)
        ERC20(name_, symbol_)
        ERC4626(asset_)
    {
        cdo = cdo_;
    }

    function totalAssets() public view override returns (uint256) {
        return IERC20(asset()).balanceOf(address(cdo));
    }

    function maxWithdraw(address owner) public view override returns (uint256) {
        return Math.min(super.maxWithdraw(owner), cdo.maxWithdraw(address(this)));
    }

    function maxRedeem(address owner) public view override returns (uint256) {
        uint256 most = cdo.maxWithdraw(address(this));
        uint256 held = balanceOf(owner);
        return most == type(uint256).max ? held : Math.min(held, convertToShares(most));
    }

    function _deposit(address caller, address receiver, uint256 assets, uint256 shares) internal override {
        super._deposit(caller, receiver, assets, shares);
        IERC20(asset()).safeTransfer(address(cdo), assets);
    }

    function _withdraw(address caller, address receiver, address owner, uint256 assets, uint256 shares)
        internal
        override
    {
        if (caller != owner) _spendAllowance(owner, caller, shares);
        _burn(owner, shares);
        cdo.pay(IERC20(asset()), receiver, assets);
        emit Withdraw(caller, receiver, owner, assets, shares);
    }
}

/// @notice Behaves like infiniFi's StakedToken: it holds its assets, and redeems nothing while it is paused or a loss is
/// not applied yet. Anyone may change any setting.
contract StakedReceipt is ERC4626 {
    bool public paused;
    bool public losing;

    constructor(IERC20 asset_, string memory name_, string memory symbol_) ERC20(name_, symbol_) ERC4626(asset_) {}

    function setPaused(bool yes) external {
        paused = yes;
    }

    function setLosing(bool yes) external {
        losing = yes;
    }

    function maxDeposit(address) public view override returns (uint256) {
        return paused ? 0 : type(uint256).max;
    }

    function maxRedeem(address owner) public view override returns (uint256) {
        return paused || losing ? 0 : super.maxRedeem(owner);
    }

    function maxWithdraw(address owner) public view override returns (uint256) {
        return paused || losing ? 0 : super.maxWithdraw(owner);
    }
}
