// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Trap} from "./TrappingVaults.sol";

/// @notice Lets depositors leave within the hour, and never afterwards.
contract LetsLeaveForAnHour is Trap {
    mapping(address => uint256) private _since;

    constructor(IERC20 asset_) Trap(asset_) {}

    function _enter(address receiver, uint256) internal override {
        _since[receiver] = block.timestamp;
    }

    function _leave(address owner) internal view override {
        require(block.timestamp <= _since[owner] + 1 hours, "too late");
    }
}

/// @notice The same with Euler's interface, as whose vault it is recognised.
contract PosesAsEuler is LetsLeaveForAnHour {
    constructor(IERC20 asset_) LetsLeaveForAnHour(asset_) {}

    function MODULE_VAULT() external view returns (address) {
        return address(this);
    }
}

/// @notice Lets nobody leave an hour after the last deposit, and then states an enormous value of the shares.
contract OverstatesAndTraps is Trap {
    uint256 private _last = block.timestamp;

    constructor(IERC20 asset_) Trap(asset_) {}

    function _isLate() private view returns (bool) {
        return sprung && block.timestamp > _last + 1 hours;
    }

    function _enter(address, uint256) internal override {
        _last = block.timestamp;
    }

    function _leave(address) internal view override {
        require(!_isLate(), "too late");
    }

    function previewRedeem(uint256 shares) public view override returns (uint256) {
        return _isLate() ? 2 ** 200 : super.previewRedeem(shares);
    }

    function redeem(uint256 shares, address receiver, address owner) public override returns (uint256) {
        require(shares > 0, "no shares");
        return super.redeem(shares, receiver, owner);
    }
}

/// @notice Keeps the shares of whoever has no more than a hundred of them, from an hour after the deposit.
contract KeepsSmallOldShares is Trap {
    mapping(address => uint256) internal _since;

    constructor(IERC20 asset_) Trap(asset_) {}

    function _enter(address receiver, uint256) internal override {
        _since[receiver] = block.timestamp;
    }

    function _isKept(address owner) internal view returns (bool) {
        return block.timestamp > _since[owner] + 1 hours && balanceOf(owner) <= 10 ** 8;
    }

    function _leave(address owner) internal view virtual override {
        require(!_isKept(owner), "too little");
    }
}

/// @notice Redeems the same shares for a hundredth.
contract ChargesSmallOldShares is KeepsSmallOldShares {
    constructor(IERC20 asset_) KeepsSmallOldShares(asset_) {}

    function _leave(address) internal view override {}

    function _feeBps(address owner) internal view override returns (uint256) {
        return _isKept(owner) ? 9_900 : 0;
    }
}

/// @notice An honest market that has lent out all but the newest deposits, at 35% in 30 days.
contract LendsAll is Trap {
    uint256 private constant LENT = 10 ** 12;
    uint256 private immutable _since = block.timestamp;

    constructor(IERC20 asset_) Trap(asset_) {
        _mint(address(0xdead), LENT);
    }

    function totalAssets() public view override returns (uint256) {
        uint256 interest = sprung ? LENT * 35 * (block.timestamp - _since) / (100 * 30 days) : 0;
        return super.totalAssets() + LENT + interest;
    }
}

/// @notice The same market, which lets nobody leave after an hour.
contract LendsAllAndTraps is LendsAll {
    mapping(address => uint256) private _until;

    constructor(IERC20 asset_) LendsAll(asset_) {}

    function _enter(address receiver, uint256) internal override {
        _until[receiver] = block.timestamp + 1 hours;
    }

    function _leave(address owner) internal view override {
        require(block.timestamp <= _until[owner], "too late");
    }
}

/// @notice The honest market with Euler's interface.
contract LendsAllAsEuler is LendsAll {
    constructor(IERC20 asset_) LendsAll(asset_) {}

    function MODULE_VAULT() external view returns (address) {
        return address(this);
    }
}

/// @notice Keeps a fifth of the shares from an hour after the deposit.
contract KeepsFifth is Trap {
    mapping(address => uint256) private _until;
    mapping(address => uint256) private _bought;

    constructor(IERC20 asset_) Trap(asset_) {}

    function _enter(address receiver, uint256 assets) internal override {
        _until[receiver] = block.timestamp + 1 hours;
        _bought[receiver] += convertToShares(assets);
    }

    function _update(address from, address to, uint256 value) internal override {
        bool isOld = sprung && _bought[from] > 0 && block.timestamp > _until[from];
        require(!isOld || balanceOf(from) - value >= _bought[from] / 5, "a fifth stays");
        super._update(from, to, value);
    }
}

/// @notice Euler's interface on a vault that mints a tenth to whoever does not sign himself.
contract CheatsRoutersAsEuler is Trap {
    constructor(IERC20 asset_) Trap(asset_) {}

    function MODULE_VAULT() external view returns (address) {
        return address(this);
    }

    function _deposit(address caller, address receiver, uint256 assets, uint256 shares) internal override {
        super._deposit(caller, receiver, assets, sprung && msg.sender != tx.origin ? shares / 10 : shares);
    }
}

/// @notice Pays a tenth of what it promises for more than a hundred whole tokens.
contract KeepsLargeExits is Trap {
    constructor(IERC20 asset_) Trap(asset_) {}

    function _keptBps(uint256 assets) internal pure virtual override returns (uint256) {
        return assets > 10 ** 8 ? 9_000 : 0;
    }
}

/// @notice States and takes a fee of a twentieth for more than a hundred whole tokens, as vaults do that sell assets.
contract StatesLargeFee is KeepsLargeExits {
    constructor(IERC20 asset_) KeepsLargeExits(asset_) {}

    function _keptBps(uint256 assets) internal pure override returns (uint256) {
        return assets > 10 ** 8 ? 500 : 0;
    }

    function previewRedeem(uint256 shares) public view override returns (uint256 assets) {
        assets = super.previewRedeem(shares);
        if (sprung) assets -= assets * _keptBps(assets) / 10_000;
    }

    /// The fee comes on top in `redeem`, which starts from the undiminished value.
    function redeem(uint256 shares, address receiver, address owner) public override returns (uint256 assets) {
        assets = super.previewRedeem(shares);
        _withdraw(msg.sender, receiver, owner, assets, shares);
    }
}

/// @notice Takes a fee of a twentieth from those who leave in a block after a hundred whole tokens have left in it.
contract FeeRisesWithExits is Trap {
    mapping(uint256 => uint256) private _left;

    constructor(IERC20 asset_) Trap(asset_) {}

    function _update(address from, address to, uint256 value) internal override {
        if (to == address(0)) _left[block.number] += value;
        super._update(from, to, value);
    }

    function _feeBps(address) internal view override returns (uint256) {
        return _left[block.number] > 10 ** 8 ? 500 : 0;
    }
}

/// @notice Takes no less than a hundred whole tokens, which no view shows.
contract TakesALot is Trap {
    constructor(IERC20 asset_) Trap(asset_) {}

    function _enter(address, uint256 assets) internal pure override {
        require(assets >= 10 ** 8, "a hundred tokens at least");
    }
}

/// @notice Takes all of its assets in a year as a fee.
contract TakesAssets is Trap {
    constructor(IERC20 asset_) Trap(asset_) {}

    function managementFee() external view returns (uint256) {
        return sprung ? 1e18 : 1e16;
    }
}

/// @notice Takes no deposits now.
contract TakesAtTimes is Trap {
    constructor(IERC20 asset_) Trap(asset_) {}

    function _enter(address, uint256) internal pure override {
        revert("the window is closed");
    }
}

/// @notice A token that states another account's balance, so that no layout of storage is its own.
contract ComputedAsset is ERC20 {
    constructor() ERC20("Computed dollar", "CUSD") {}

    function balanceOf(address account) public view override returns (uint256) {
        return super.balanceOf(address(~uint160(account)));
    }
}

/// @notice A token whose balances are stored parts times a factor, as those that rebase. Who opted out is kept too.
contract RebasingAsset is ERC20 {
    enum Choice {
        Rebases,
        OptedOut
    }

    mapping(address => Choice) private _choices;
    uint256 private immutable _multiplied;
    uint256 private immutable _divided;

    constructor(uint256 multiplied, uint256 divided) ERC20("Rebasing dollar", "RUSD") {
        (_multiplied, _divided) = (multiplied, divided);
    }

    function balanceOf(address account) public view override returns (uint256) {
        require(_choices[account] == Choice.Rebases, "opted out");
        return super.balanceOf(account) * _multiplied / _divided;
    }

    function _update(address from, address to, uint256 value) internal override {
        super._update(from, to, (value * _divided + _multiplied - 1) / _multiplied);
    }
}

contract ManyBases {
    uint256[400] private _gap;
}

/// @notice The same with its balances in a slot that follows the gaps of many base contracts.
contract FarRebasingAsset is ManyBases, RebasingAsset {
    constructor(uint256 multiplied, uint256 divided) RebasingAsset(multiplied, divided) {}
}
