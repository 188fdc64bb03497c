// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";

/// @notice Behaves like Morpho's Vault V2 towards depositors: limits that are always 0, gates, caps that only a
/// deposit checks, and fee shares that the supply does not include yet. Anyone may change any setting.
contract VaultV2 is ERC20 {
    using SafeERC20 for IERC20;
    using Math for uint256;

    IERC20 public immutable asset;
    uint8 private immutable _decimals;
    uint256 private immutable _virtualShares;

    bool public gated;
    mapping(address => bool) public admitted;
    /// Cap of the liquidity adapter; 0 stands for an asset without a cap of its own.
    uint256 public absoluteCap = type(uint256).max;
    /// Fee shares that the next accrual mints.
    uint256 public unaccruedShares;
    /// Assets of the vault that borrowers hold: they count, but the vault cannot pay them.
    uint256 public lent;
    /// True if the vault has a liquidity adapter, and the assets in that adapter's market, which pay redemptions.
    bool public adapted;
    uint256 public supplied;

    event Deposit(address indexed sender, address indexed onBehalf, uint256 assets, uint256 shares);
    event Withdraw(
        address indexed sender, address indexed receiver, address indexed onBehalf, uint256 assets, uint256 shares
    );

    error CannotSendAssets();
    error CannotReceiveShares();
    error CannotSendShares();
    error CannotReceiveAssets();
    error TransferReverted();
    error ZeroAbsoluteCap();
    error AbsoluteCapExceeded();

    constructor(IERC20 asset_, string memory name_, string memory symbol_) ERC20(name_, symbol_) {
        asset = asset_;
        uint8 own = IERC20Metadata(address(asset_)).decimals();
        _decimals = own < 18 ? 18 : own;
        _virtualShares = 10 ** (_decimals - own);
    }

    function decimals() public view override returns (uint8) {
        return _decimals;
    }

    function adaptersLength() external pure returns (uint256) {
        return 0;
    }

    function setGated(bool gated_) external {
        gated = gated_;
    }

    function admit(address account, bool is_) external {
        admitted[account] = is_;
    }

    function setAbsoluteCap(uint256 cap) external {
        absoluteCap = cap;
    }

    function setUnaccruedShares(uint256 shares) external {
        unaccruedShares = shares;
    }

    function canSendAssets(address account) public view returns (bool) {
        return !gated || admitted[account];
    }

    function canReceiveShares(address account) public view returns (bool) {
        return !gated || admitted[account];
    }

    function canSendShares(address account) public view returns (bool) {
        return !gated || admitted[account];
    }

    function canReceiveAssets(address account) public view returns (bool) {
        return !gated || admitted[account];
    }

    /// Lends assets out, which the vault then cannot pay.
    function lend(uint256 assets) external {
        lent += assets;
        asset.safeTransfer(address(0xb0), assets);
    }

    /// Puts idle assets into the market of the liquidity adapter.
    function supply(uint256 assets) external {
        adapted = true;
        supplied += assets;
    }

    function maxDeposit(address) external pure returns (uint256) {
        return 0;
    }

    function totalAssets() public view returns (uint256) {
        return asset.balanceOf(address(this)) + lent;
    }

    function convertToShares(uint256 assets) public view returns (uint256) {
        return assets.mulDiv(totalSupply() + unaccruedShares + _virtualShares, totalAssets() + 1);
    }

    function convertToAssets(uint256 shares) public view returns (uint256) {
        return shares.mulDiv(totalAssets() + 1, totalSupply() + unaccruedShares + _virtualShares);
    }

    function previewDeposit(uint256 assets) external view returns (uint256) {
        return convertToShares(assets);
    }

    function deposit(uint256 assets, address onBehalf) external returns (uint256 shares) {
        if (!canSendAssets(msg.sender)) revert CannotSendAssets();
        if (!canReceiveShares(onBehalf)) revert CannotReceiveShares();
        shares = convertToShares(assets);
        asset.safeTransferFrom(msg.sender, address(this), assets);
        _mint(onBehalf, shares);
        emit Deposit(msg.sender, onBehalf, assets, shares);
        if (absoluteCap == 0) revert ZeroAbsoluteCap();
        if (totalAssets() > absoluteCap) revert AbsoluteCapExceeded();
    }

    function redeem(uint256 shares, address receiver, address onBehalf) external returns (uint256 assets) {
        if (msg.sender != onBehalf) _spendAllowance(onBehalf, msg.sender, shares);
        if (!canSendShares(onBehalf)) revert CannotSendShares();
        if (!canReceiveAssets(receiver)) revert CannotReceiveAssets();
        assets = convertToAssets(shares);
        uint256 idle = asset.balanceOf(address(this)) - supplied;
        // The adapter withdraws all that is missing from one market, where a position that is too small underflows.
        if (assets > idle && adapted) supplied -= assets - idle;
        else if (assets > idle) revert TransferReverted();
        _burn(onBehalf, shares);
        asset.safeTransfer(receiver, assets);
        emit Withdraw(msg.sender, receiver, onBehalf, assets, shares);
    }

    /// Penalty of a forced deallocation: `onBehalf`'s shares are burned and their assets stay.
    function forceDeallocate(address, bytes calldata, uint256 assets, address onBehalf) external returns (uint256) {
        uint256 shares = convertToShares(assets);
        _burn(onBehalf, shares);
        emit Withdraw(msg.sender, address(this), onBehalf, assets, shares);
        return shares;
    }
}
