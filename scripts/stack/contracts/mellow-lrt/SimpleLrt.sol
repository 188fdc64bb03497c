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
    bool public withdrawalPause;
    uint256 public limit = type(uint256).max;
    /// Assets of the vault that are at work, and those that await the end of an epoch.
    uint256 public staked;
    uint256 public queued;
    mapping(address => uint256) public pendingAssetsOf;
    mapping(address => uint256) public claimableAssetsOf;

    event Claimed(address indexed account, address indexed recipient, uint256 amount);

    error EnforcedPause();
    mapping(address => bool) public isDepositorWhitelisted;

    event ReferralDeposit(uint256 assets, address receiver, address referral);

    constructor(IERC20 asset_, string memory name_, string memory symbol_) ERC20(name_, symbol_) ERC4626(asset_) {}

    function setDepositPause(bool paused) external {
        depositPause = paused;
    }

    function setWithdrawalPause(bool paused) external {
        withdrawalPause = paused;
    }

    /// Puts assets to work, which the vault then cannot pay at once.
    function stake(uint256 assets) external {
        staked += assets;
    }

    /// Ends the epochs of an account's queued assets.
    function settle(address account) external {
        claimableAssetsOf[account] += pendingAssetsOf[account];
        pendingAssetsOf[account] = 0;
    }

    /// Ends the epoch of only a part of an account's queued assets.
    function settlePart(address account, uint256 assets) external {
        pendingAssetsOf[account] -= assets;
        claimableAssetsOf[account] += assets;
    }

    function claim(address account, address recipient, uint256 maxAmount) external returns (uint256 amount) {
        require(msg.sender == account);
        amount = claimableAssetsOf[account] < maxAmount ? claimableAssetsOf[account] : maxAmount;
        claimableAssetsOf[account] -= amount;
        queued -= amount;
        IERC20(asset()).transfer(recipient, amount);
        emit Claimed(account, recipient, amount);
    }

    function totalAssets() public view override returns (uint256) {
        return super.totalAssets() - queued;
    }

    /// Pays what is liquid and queues the rest for the receiver.
    function _withdraw(address caller, address receiver, address owner, uint256 assets, uint256 shares)
        internal
        override
    {
        if (withdrawalPause) revert EnforcedPause();
        if (caller != owner) _spendAllowance(owner, caller, shares);
        _burn(owner, shares);
        uint256 held = totalAssets();
        uint256 liquid = held > staked ? held - staked : 0;
        uint256 paid = assets < liquid ? assets : liquid;
        staked -= assets - paid;
        queued += assets - paid;
        pendingAssetsOf[receiver] += assets - paid;
        IERC20(asset()).transfer(receiver, paid);
        emit Withdraw(caller, receiver, owner, assets, shares);
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
