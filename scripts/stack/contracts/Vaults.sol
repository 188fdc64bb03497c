// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {ERC20 as SolmateERC20} from "solmate/src/tokens/ERC20.sol";
import {ERC4626 as SolmateERC4626} from "solmate/src/tokens/ERC4626.sol";

/// @notice OpenZeppelin's ERC4626; only the name and the decimals offset are added.
contract OpenZeppelinVault is ERC4626 {
    uint8 private immutable _offset;

    constructor(IERC20 asset_, string memory name_, string memory symbol_, uint8 offset_)
        ERC20(name_, symbol_)
        ERC4626(asset_)
    {
        _offset = offset_;
    }

    function _decimalsOffset() internal view override returns (uint8) {
        return _offset;
    }
}

/// @notice Solmate's ERC4626; only the name and totalAssets (its own balance) are added.
contract SolmateVault is SolmateERC4626 {
    constructor(SolmateERC20 asset_, string memory name_, string memory symbol_)
        SolmateERC4626(asset_, name_, symbol_)
    {}

    function totalAssets() public view override returns (uint256) {
        return asset.balanceOf(address(this));
    }
}

/// @notice While paused, accepts nothing and returns a `maxDeposit` of zero. Anyone may pause it.
contract PausableVault is OpenZeppelinVault, Pausable {
    constructor(IERC20 asset_, string memory name_, string memory symbol_, uint8 offset_)
        OpenZeppelinVault(asset_, name_, symbol_, offset_)
    {}

    function pause() external {
        _pause();
    }

    function unpause() external {
        _unpause();
    }

    function maxDeposit(address receiver) public view override returns (uint256) {
        return paused() ? 0 : super.maxDeposit(receiver);
    }

    function maxMint(address receiver) public view override returns (uint256) {
        return paused() ? 0 : super.maxMint(receiver);
    }

    function _deposit(address caller, address receiver, uint256 assets, uint256 shares)
        internal
        override
        whenNotPaused
    {
        super._deposit(caller, receiver, assets, shares);
    }
}

/// @notice Holds at most `cap` of its asset.
contract CappedVault is OpenZeppelinVault {
    uint256 public immutable cap;

    constructor(IERC20 asset_, string memory name_, string memory symbol_, uint8 offset_, uint256 cap_)
        OpenZeppelinVault(asset_, name_, symbol_, offset_)
    {
        cap = cap_;
    }

    function maxDeposit(address) public view override returns (uint256) {
        uint256 held = totalAssets();
        return held < cap ? cap - held : 0;
    }

    function maxMint(address receiver) public view override returns (uint256) {
        return convertToShares(maxDeposit(receiver));
    }
}

/// @notice Rejects deposits below a minimum, which ERC-4626 cannot express.
contract MinimumVault is OpenZeppelinVault {
    uint256 public immutable minDeposit;

    error DepositBelowMinimum(uint256 assets, uint256 minimum);

    constructor(IERC20 asset_, string memory name_, string memory symbol_, uint8 offset_, uint256 minDeposit_)
        OpenZeppelinVault(asset_, name_, symbol_, offset_)
    {
        minDeposit = minDeposit_;
    }

    function _deposit(address caller, address receiver, uint256 assets, uint256 shares) internal override {
        if (assets < minDeposit) revert DepositBelowMinimum(assets, minDeposit);
        super._deposit(caller, receiver, assets, shares);
    }
}

/// @notice Accepts deposits only from the receiver of the shares: no contract can deposit for a user.
contract CallerVault is OpenZeppelinVault {
    error CallerIsNotReceiver(address caller, address receiver);

    constructor(IERC20 asset_, string memory name_, string memory symbol_, uint8 offset_)
        OpenZeppelinVault(asset_, name_, symbol_, offset_)
    {}

    function _deposit(address caller, address receiver, uint256 assets, uint256 shares) internal override {
        if (caller != receiver) revert CallerIsNotReceiver(caller, receiver);
        super._deposit(caller, receiver, assets, shares);
    }
}
