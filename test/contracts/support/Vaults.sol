// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {ERC20 as OzERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC4626 as OzERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ERC20 as SolmateERC20} from "solmate/src/tokens/ERC20.sol";
import {ERC4626 as SolmateERC4626} from "solmate/src/tokens/ERC4626.sol";
import {Token, Traits} from "./Tokens.sol";

/// @notice What the Router needs of a vault: the ERC-4626 deposit and a balance.
interface IVault {
    function deposit(uint256 assets, address receiver) external returns (uint256 shares);
    function previewDeposit(uint256 assets) external view returns (uint256 shares);
    function convertToAssets(uint256 shares) external view returns (uint256 assets);
    function balanceOf(address account) external view returns (uint256);
}

/// @notice OpenZeppelin's real vault. The offset is its protection against the inflation attack.
contract OpenZeppelinVault is OzERC4626 {
    uint8 private immutable OFFSET;

    constructor(address asset_, uint8 offset) OzERC20("OpenZeppelin vault", "ozV") OzERC4626(IERC20(asset_)) {
        OFFSET = offset;
    }

    function _decimalsOffset() internal view override returns (uint8) {
        return OFFSET;
    }
}

/// @notice Solmate's real vault.
contract SolmateVault is SolmateERC4626 {
    constructor(address asset_) SolmateERC4626(SolmateERC20(asset_), "Solmate vault", "smV") {}

    function totalAssets() public view override returns (uint256) {
        return asset.balanceOf(address(this));
    }
}

/// @notice Ways in which a vault can treat a depositor; Honest gives one share for one unit received.
enum Mode {
    Honest,
    MintsHalf,
    MintsToCaller,
    TakesHalf,
    TakesNothing,
    MintsNothing,
    Reenters,
    LendsControl,
    LiesInReturn,
    MintsLater,
    ChargesFee,
    Capped,
    Reverts
}

interface IVaultHook {
    function called(address vault) external;
}

/// @notice A vault, and its own share token, in any of the modes.
contract BehaviourVault is Token {
    using SafeERC20 for IERC20;

    IERC20 public immutable asset;
    Mode public mode;
    address public hook; // who gets control in modes Reenters and LendsControl
    uint256 public cap = type(uint256).max;
    mapping(address => uint256) public owedLater;

    constructor(address asset_, Mode mode_) Token(18, _none()) {
        asset = IERC20(asset_);
        mode = mode_;
    }

    function setHook(address hook_) external {
        hook = hook_;
    }

    function setMode(Mode mode_) external {
        mode = mode_;
    }

    function setCap(uint256 cap_) external {
        cap = cap_;
    }

    function deposit(uint256 assets, address receiver) external returns (uint256 shares) {
        if (mode == Mode.Reverts) revert("vault closed");
        if (mode == Mode.Capped && assets > cap) revert("cap");
        uint256 taken = mode == Mode.TakesHalf ? assets / 2 : mode == Mode.TakesNothing ? 0 : assets;
        uint256 before = asset.balanceOf(address(this));
        if (taken != 0) asset.safeTransferFrom(msg.sender, address(this), taken);
        shares = mode == Mode.TakesNothing ? assets : asset.balanceOf(address(this)) - before;
        if (hook != address(0)) IVaultHook(hook).called(address(this));
        if (mode == Mode.MintsNothing) return shares;
        if (mode == Mode.MintsHalf || mode == Mode.LiesInReturn) mint(receiver, shares / 2);
        else if (mode == Mode.ChargesFee) mint(receiver, shares - shares / 100);
        else if (mode == Mode.MintsLater) owedLater[receiver] += shares;
        else mint(mode == Mode.MintsToCaller ? msg.sender : receiver, shares);
        if (mode == Mode.LiesInReturn) return type(uint256).max;
    }

    function settle(address receiver) external {
        mint(receiver, owedLater[receiver]);
        owedLater[receiver] = 0;
    }

    function _none() private pure returns (Traits memory none) {}
}
