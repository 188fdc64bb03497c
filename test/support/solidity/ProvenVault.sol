// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";

/// @notice A token of six decimals with open minting.
contract ProofAsset is ERC20 {
    constructor() ERC20("Proof dollar", "PUSD") {}

    function decimals() public pure override returns (uint8) {
        return 6;
    }

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }
}

/// @notice A proxy whose code anybody may replace.
contract ReplaceableProxy {
    /// Source: ERC-1967.
    bytes32 private constant SLOT = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;

    constructor(address implementation) {
        upgradeTo(implementation);
    }

    function upgradeTo(address implementation) public {
        assembly {
            sstore(SLOT, implementation)
        }
    }

    fallback() external {
        assembly {
            calldatacopy(0, 0, calldatasize())
            let done := delegatecall(gas(), sload(SLOT), 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if done { return(0, returndatasize()) }
            revert(0, returndatasize())
        }
    }
}

/// @notice A vault that can break after it was proven: pause, gate, cap, locked shares, and fees on entry and exit.
contract ProvenVault is ERC4626 {
    bool public paused;
    bool public gated;
    bool public locked;
    uint256 public cap = type(uint256).max;
    uint256 public entryFeeBps;
    uint256 public exitFeeBps;

    error NotAdmitted(address account);

    constructor(IERC20 asset_) ERC20("Proven", "PV") ERC4626(asset_) {}

    function set(bool paused_, bool gated_, bool locked_, uint256 cap_, uint256 entryFee, uint256 exitFee)
        external
    {
        (paused, gated, locked, cap) = (paused_, gated_, locked_, cap_);
        (entryFeeBps, exitFeeBps) = (entryFee, exitFee);
    }

    function maxDeposit(address) public view virtual override returns (uint256) {
        uint256 held = totalAssets();
        return paused || held >= cap ? 0 : cap - held;
    }

    /// The preview hides the fee on entry, as a hostile vault would.
    function _deposit(address caller, address receiver, uint256 assets, uint256 shares) internal virtual override {
        if (gated) revert NotAdmitted(caller);
        super._deposit(caller, receiver, assets, shares - shares * entryFeeBps / 10_000);
    }

    function _withdraw(address caller, address receiver, address owner, uint256 assets, uint256 shares)
        internal
        override
    {
        require(!locked, "shares are locked");
        super._withdraw(caller, receiver, owner, assets - assets * exitFeeBps / 10_000, shares);
    }
}

/// @notice Values its shares at twice what it pays for them.
contract OverstatingVault is ProvenVault {
    constructor(IERC20 asset_) ProvenVault(asset_) {}

    function convertToAssets(uint256 shares) public view override returns (uint256) {
        return 2 * super.convertToAssets(shares);
    }
}

/// @notice Answers no view of its shares' value any more.
contract SilentVault is ProvenVault {
    constructor(IERC20 asset_) ProvenVault(asset_) {}

    function convertToAssets(uint256) public pure override returns (uint256) {
        revert("silent");
    }
}

/// @notice Takes deposits through one named caller alone.
contract ZapOnlyVault is ProvenVault {
    address private constant ZAP = address(0x2a9);

    constructor(IERC20 asset_) ProvenVault(asset_) {}

    function _deposit(address caller, address receiver, uint256 assets, uint256 shares) internal override {
        require(caller == ZAP, "only the zap may deposit");
        super._deposit(caller, receiver, assets, shares);
    }
}
