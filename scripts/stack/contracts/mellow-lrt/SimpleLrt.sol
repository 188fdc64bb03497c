// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";

/// @notice Stand-in for a Symbiotic vault: assets at work, which its owner takes back only through a queue.
contract LrtStake {
    constructor(IERC20 asset) {
        SafeERC20.forceApprove(asset, msg.sender, type(uint256).max);
    }
}

/// @notice Stand-in for a SymbioticWithdrawalQueue: it holds what is queued, and emits the events of requests and
/// claims. Anyone may end the epochs of an account.
contract LrtQueue {
    using SafeERC20 for IERC20;

    IERC20 private immutable _asset;
    address public immutable vault = msg.sender;
    uint256 public getCurrentEpoch;
    mapping(address => uint256) public pendingAssetsOf;
    mapping(address => uint256) public claimableAssetsOf;

    event WithdrawalRequested(address indexed account, uint256 indexed epoch, uint256 amount);
    event Claimed(address indexed account, address indexed recipient, uint256 amount);

    constructor(IERC20 asset) {
        _asset = asset;
    }

    function request(address account, uint256 amount) external {
        require(msg.sender == vault);
        if (amount == 0) return;
        pendingAssetsOf[account] += amount;
        emit WithdrawalRequested(account, getCurrentEpoch + 1, amount);
    }

    /// The queue answers for its Symbiotic vault, whose shares are worth a unit each when they are minted.
    function symbioticVault() external view returns (address) {
        return address(this);
    }

    function getEpochData(uint256) external pure returns (bool isClaimed, uint256 sharesToClaim, uint256 claimable) {
        return (false, 1, 0);
    }

    function withdrawalsOf(uint256, address) external pure returns (uint256) {
        return 1;
    }

    /// Ends the epoch of a part of an account's queued assets.
    function settlePart(address account, uint256 assets) external {
        pendingAssetsOf[account] -= assets;
        claimableAssetsOf[account] += assets;
        getCurrentEpoch += 1;
    }

    /// Takes a part of an account's queued assets away.
    function slash(address account, uint256 assets) external {
        pendingAssetsOf[account] -= assets;
    }

    function claim(address account, address recipient, uint256 maxAmount) external returns (uint256 amount) {
        require(msg.sender == account || msg.sender == vault);
        amount = claimableAssetsOf[account];
        if (amount == 0) return 0;
        if (amount > maxAmount) amount = maxAmount;
        claimableAssetsOf[account] -= amount;
        if (amount != 0) _asset.safeTransfer(recipient, amount);
        emit Claimed(account, recipient, amount);
    }
}

/// @notice Stand-in for Symbiotic's DefaultCollateral: a token for one unit of the asset each.
contract LrtCollateral is ERC20("Collateral", "C") {
    using SafeERC20 for IERC20;

    IERC20 public immutable asset;

    constructor(IERC20 asset_) {
        asset = asset_;
    }

    function deposit(address recipient, uint256 amount) external {
        asset.safeTransferFrom(msg.sender, address(this), amount);
        _mint(recipient, amount);
    }

    function withdraw(address recipient, uint256 amount) external {
        _burn(msg.sender, amount);
        asset.safeTransfer(recipient, amount);
    }
}

/// @notice Common to the vaults of Mellow's Simple LRT: pauses, a limit, a whitelist, and a deposit with a referral that
/// has the same selector as ERC-7540's. Anyone may change any setting.
abstract contract LrtVault is ERC4626 {
    bool public depositPause;
    bool public depositWhitelist;
    bool public withdrawalPause;
    uint256 public limit = type(uint256).max;
    mapping(address => bool) public isDepositorWhitelisted;

    error EnforcedPause();

    event ReferralDeposit(uint256 assets, address receiver, address referral);

    constructor(IERC20 asset_, string memory name_, string memory symbol_) ERC20(name_, symbol_) ERC4626(asset_) {}

    function setDepositPause(bool paused) external {
        depositPause = paused;
    }

    function setWithdrawalPause(bool paused) external {
        withdrawalPause = paused;
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

    function _withdraw(address caller, address receiver, address owner, uint256 assets, uint256 shares)
        internal
        virtual
        override
    {
        if (withdrawalPause) revert EnforcedPause();
        super._withdraw(caller, receiver, owner, assets, shares);
    }
}

/// @notice Stand-in for DVV: it holds all of its assets itself, and pays every redemption at once.
contract InstantLrt is LrtVault {
    address public immutable WSTETH;
    uint256 public constant compatTotalSupply = 0;

    constructor(IERC20 asset_, string memory name_, string memory symbol_) LrtVault(asset_, name_, symbol_) {
        WSTETH = address(asset_);
    }
}

/// @notice Common to the vaults that put assets to work in subvaults. A redemption pays what the vault holds, in the
/// asset or as collateral, and queues the rest for the receiver, subvault by subvault.
abstract contract QueueingLrt is LrtVault {
    using SafeERC20 for IERC20;

    LrtCollateral internal immutable _collateral;
    LrtStake[] internal _stakes;
    LrtQueue[] internal _queues;
    /// What each subvault still takes.
    uint256[] internal _room;

    constructor(IERC20 asset_) {
        _collateral = new LrtCollateral(asset_);
    }

    function _addSubvault() internal {
        _stakes.push(new LrtStake(IERC20(asset())));
        _queues.push(new LrtQueue(IERC20(asset())));
        _room.push(0);
    }

    /// Lets a subvault take assets, of the vault now and of later deposits.
    function stakeAt(uint256 index, uint256 assets) public {
        _room[index] += assets;
        _push();
    }

    /// Keeps assets of the vault as collateral.
    function keep(uint256 assets) external {
        IERC20(asset()).forceApprove(address(_collateral), assets);
        _collateral.deposit(address(this), assets);
    }

    function _push() private {
        IERC20 token = IERC20(asset());
        for (uint256 i = 0; i < _room.length; ++i) {
            uint256 held = token.balanceOf(address(this));
            uint256 taken = held < _room[i] ? held : _room[i];
            _room[i] -= taken;
            token.safeTransfer(address(_stakes[i]), taken);
        }
    }

    function totalAssets() public view override returns (uint256 total) {
        total = super.totalAssets() + _collateral.balanceOf(address(this));
        for (uint256 i = 0; i < _stakes.length; ++i) {
            total += IERC20(asset()).balanceOf(address(_stakes[i]));
        }
    }

    function _deposit(address caller, address receiver, uint256 assets, uint256 shares) internal override {
        super._deposit(caller, receiver, assets, shares);
        _push();
    }

    function _withdraw(address caller, address receiver, address owner, uint256 assets, uint256 shares)
        internal
        override
    {
        if (withdrawalPause) revert EnforcedPause();
        if (caller != owner) _spendAllowance(owner, caller, shares);
        _burn(owner, shares);
        IERC20 token = IERC20(asset());
        uint256 liquid = token.balanceOf(address(this));
        if (liquid < assets) {
            uint256 kept = _collateral.balanceOf(address(this));
            uint256 drawn = kept < assets - liquid ? kept : assets - liquid;
            _collateral.withdraw(address(this), drawn);
            liquid += drawn;
        }
        uint256 paid = assets < liquid ? assets : liquid;
        if (paid != 0) token.safeTransfer(receiver, paid);
        _request(receiver, assets - paid);
        emit Withdraw(caller, receiver, owner, assets, shares);
    }

    function _request(address receiver, uint256 left) private {
        IERC20 token = IERC20(asset());
        for (uint256 i = 0; i < _stakes.length && left != 0; ++i) {
            uint256 staked = token.balanceOf(address(_stakes[i]));
            uint256 part = staked < left ? staked : left;
            token.safeTransferFrom(address(_stakes[i]), address(_queues[i]), part);
            _queues[i].request(receiver, part);
            left -= part;
        }
    }
}

/// @notice Stand-in for MellowSymbioticVault: one Symbiotic vault with its queue. Only the account itself claims here.
contract SimpleLrt is QueueingLrt {
    constructor(IERC20 asset_, string memory name_, string memory symbol_)
        LrtVault(asset_, name_, symbol_)
        QueueingLrt(asset_)
    {
        _addSubvault();
    }

    function withdrawalQueue() public view returns (LrtQueue) {
        return _queues[0];
    }

    function symbioticCollateral() external view returns (address) {
        return address(_collateral);
    }

    function pendingAssetsOf(address account) public view returns (uint256) {
        return withdrawalQueue().pendingAssetsOf(account);
    }

    function claimableAssetsOf(address account) external view returns (uint256) {
        return withdrawalQueue().claimableAssetsOf(account);
    }

    function claim(address account, address recipient, uint256 maxAmount) external returns (uint256) {
        require(account == msg.sender);
        return withdrawalQueue().claim(account, recipient, maxAmount);
    }

    /// Assets that are at work, or are to be once they are deposited.
    function staked() external view returns (uint256) {
        return IERC20(asset()).balanceOf(address(_stakes[0])) + _room[0];
    }

    function stake(uint256 assets) external {
        stakeAt(0, assets);
    }

    /// Ends the epochs of an account's queued assets.
    function settle(address account) external {
        withdrawalQueue().settlePart(account, pendingAssetsOf(account));
    }

    /// Ends the epoch of only a part of an account's queued assets.
    function settlePart(address account, uint256 assets) external {
        withdrawalQueue().settlePart(account, assets);
    }
}

/// @notice Stand-in for MultiVault with two Symbiotic vaults, each with a queue of its own, at which accounts claim: the
/// vault has no claim.
contract MultiLrt is QueueingLrt {
    struct Subvault {
        uint8 protocol;
        address vault;
        address withdrawalQueue;
    }

    constructor(IERC20 asset_, string memory name_, string memory symbol_)
        LrtVault(asset_, name_, symbol_)
        QueueingLrt(asset_)
    {
        _addSubvault();
        _addSubvault();
    }

    function subvaultsCount() external view returns (uint256) {
        return _stakes.length;
    }

    function subvaultAt(uint256 index) external view returns (Subvault memory) {
        return Subvault(0, address(_stakes[index]), address(_queues[index]));
    }

    function defaultCollateral() external view returns (address) {
        return address(_collateral);
    }
}
