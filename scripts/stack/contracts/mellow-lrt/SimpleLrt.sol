// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";

/// @notice Behaves like Mellow's Simple LRT towards depositors: a pause, a limit, a whitelist, and a deposit with a
/// referral that has the same selector as ERC-7540's. Anyone may change any setting.
contract SimpleLrt is ERC4626 {
    bool public depositPause;
    bool public depositWhitelist;
    uint256 public limit = type(uint256).max;
    mapping(address => bool) public isDepositorWhitelisted;

    event ReferralDeposit(uint256 assets, address receiver, address referral);

    constructor(IERC20 asset_, string memory name_, string memory symbol_) ERC20(name_, symbol_) ERC4626(asset_) {}

    function setDepositPause(bool paused) external {
        depositPause = paused;
    }

    function setDepositWhitelist(bool listed) external {
        depositWhitelist = listed;
    }

    function setDepositor(address account, bool is_) external {
        isDepositorWhitelisted[account] = is_;
    }

    function setLimit(uint256 limit_) external {
        limit = limit_;
    }

    function maxDeposit(address account) public view override returns (uint256) {
        if (depositPause || (depositWhitelist && !isDepositorWhitelisted[account])) return 0;
        uint256 held = totalAssets();
        return limit > held ? limit - held : 0;
    }

    function deposit(uint256 assets, address receiver, address referral) external returns (uint256 shares) {
        shares = deposit(assets, receiver);
        emit ReferralDeposit(assets, receiver, referral);
    }
}
