// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";

/// @notice A dollar token of six decimals with open minting.
contract Dollar is ERC20 {
    constructor() ERC20("Dollar", "USDC") {}

    function decimals() public pure override returns (uint8) {
        return 6;
    }

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function burn(address from, uint256 amount) external {
        _burn(from, amount);
    }
}

/// @notice OpenZeppelin's vault with functions that change its state, as observable through its views and events.
contract ScenarioVault is ERC4626 {
    bool public paused;
    uint256 public cap = type(uint256).max;
    uint256 public liquid = type(uint256).max;
    address public owner = address(1);
    address public curator = address(2);
    uint256 public fee = 0.05e18;
    uint256 public timelock = 3 days;

    event OwnershipTransferred(address indexed previousOwner, address indexed newOwner);
    event SetCurator(address indexed newCurator);
    event SetFee(address indexed caller, uint256 newFee);
    event SetTimelock(address indexed caller, uint256 newTimelock);
    event Paused(address account);
    event Unpaused(address account);

    constructor(Dollar asset_) ERC20("Scenario", "S") ERC4626(asset_) {}

    /// Mints the money to the depositor.
    function _deposit(address caller, address receiver, uint256 assets, uint256 shares) internal override {
        require(!paused, "paused");
        Dollar(asset()).mint(address(this), assets);
        _mint(receiver, shares);
        emit Deposit(caller, receiver, assets, shares);
    }

    function maxDeposit(address) public view override returns (uint256) {
        uint256 held = totalAssets();
        return paused || held >= cap ? 0 : cap - held;
    }

    function maxWithdraw(address holder) public view override returns (uint256) {
        uint256 own = convertToAssets(balanceOf(holder));
        return own < liquid ? own : liquid;
    }

    function maxRedeem(address holder) public view override returns (uint256) {
        return convertToShares(maxWithdraw(holder));
    }

    /// Withdraws for the caller in many small parts.
    function drain(uint256 times, uint256 assets) external {
        for (uint256 i = 0; i < times; i++) {
            withdraw(assets, msg.sender, msg.sender);
        }
    }

    function gain(uint256 assets) external {
        Dollar(asset()).mint(address(this), assets);
    }

    function lose(uint256 assets) external {
        Dollar(asset()).burn(address(this), assets);
    }

    function setPaused(bool paused_) external {
        paused = paused_;
        if (paused_) emit Paused(msg.sender);
        else emit Unpaused(msg.sender);
    }

    function setCap(uint256 cap_) external {
        cap = cap_;
    }

    function setLiquid(uint256 liquid_) external {
        liquid = liquid_;
    }

    function transferOwnership(address owner_) external {
        emit OwnershipTransferred(owner, owner_);
        owner = owner_;
    }

    function setCurator(address curator_) external {
        curator = curator_;
        emit SetCurator(curator_);
    }

    function setFee(uint256 fee_) external {
        fee = fee_;
        emit SetFee(msg.sender, fee_);
    }

    /// Without an event, as contracts of unknown families do.
    function setTimelock(uint256 timelock_) external {
        timelock = timelock_;
    }
}
