// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// @notice The account that operates these contracts.
abstract contract MellowOwned {
    address public immutable owner = msg.sender;

    error Forbidden();

    modifier onlyOwner() {
        if (msg.sender != owner) revert Forbidden();
        _;
    }
}

/// @notice Stand-in for the Oracle: a submitter pushes reports of shares per asset; a report with a large jump is
/// suspicious until it is accepted, but is shown already.
contract MellowOracle is MellowOwned {
    struct DetailedReport {
        uint224 priceD18;
        uint32 timestamp;
        bool isSuspicious;
    }

    mapping(address => DetailedReport) private _reports;

    function submit(address asset, uint224 priceD18, uint32 timestamp, bool isSuspicious) external onlyOwner {
        _reports[asset] = DetailedReport(priceD18, timestamp, isSuspicious);
    }

    function getReport(address asset) external view returns (DetailedReport memory) {
        return _reports[asset];
    }
}

/// @notice Stand-in for the FeeManager; fees in parts per million.
contract MellowFeeManager is MellowOwned {
    uint24 public depositFeeD6;
    uint24 public redeemFeeD6;

    function setDepositFeeD6(uint24 fee) external onlyOwner {
        depositFeeD6 = fee;
    }

    function setRedeemFeeD6(uint24 fee) external onlyOwner {
        redeemFeeD6 = fee;
    }

    function calculateDepositFee(uint256 shares) external view returns (uint256) {
        return shares * depositFeeD6 / 1e6;
    }
}

/// @notice Stand-in for a TokenizedShareManager: an ERC-20 of 18 decimals that counts claimed shares only.
contract MellowShareManager is ERC20, MellowOwned {
    MellowVault public vault;
    bool public mintPaused;
    bool public hasWhitelist;
    bool public burnPaused;
    bool public transferPaused;
    bool public hasTransferWhitelist;
    uint32 public globalLockup;
    mapping(address => bool) public canDeposit;
    mapping(address => bool) public canTransfer;
    mapping(address => bool) public isBlacklisted;
    uint256 public allocatedShares;

    event Lock(address account, uint256 value);

    error MintPaused();
    error BurnPaused();
    error TransferPaused();
    error TransferNotAllowed(address from, address to);
    error GlobalLockupNotExpired(uint256 timestamp, uint32 globalLockup);
    error Blacklisted(address account);

    constructor(string memory name_, string memory symbol_) ERC20(name_, symbol_) {}

    function setVault(MellowVault vault_) external onlyOwner {
        vault = vault_;
    }

    function setMintPaused(bool yes) external onlyOwner {
        mintPaused = yes;
    }

    function setWhitelist(bool yes) external onlyOwner {
        hasWhitelist = yes;
    }

    function setExitFlags(bool burnPause, bool transferPause, bool transferWhitelist, uint32 lockup)
        external
        onlyOwner
    {
        (burnPaused, transferPaused, hasTransferWhitelist, globalLockup) =
            (burnPause, transferPause, transferWhitelist, lockup);
    }

    function setCanTransfer(address account, bool yes) external onlyOwner {
        canTransfer[account] = yes;
    }

    function setDepositor(address account, bool yes) external onlyOwner {
        canDeposit[account] = yes;
    }

    function setBlacklisted(address account, bool yes) external onlyOwner {
        isBlacklisted[account] = yes;
    }

    function flags()
        external
        view
        returns (
            bool hasMintPause,
            bool hasBurnPause,
            bool hasTransferPause,
            bool hasWhitelist_,
            bool hasTransferWhitelist_,
            uint32 globalLockup_
        )
    {
        return (mintPaused, burnPaused, transferPaused, hasWhitelist, hasTransferWhitelist, globalLockup);
    }

    function accounts(address account)
        external
        view
        returns (bool canDeposit_, bool canTransfer_, bool isBlacklisted_)
    {
        return (canDeposit[account], canTransfer[account], isBlacklisted[account]);
    }

    /// @notice A blocked account stays whitelisted: a queue accepts its requests, which yield nothing.
    function isDepositorWhitelisted(address account, bytes32[] calldata) external view returns (bool) {
        return !hasWhitelist || canDeposit[account];
    }

    function activeSharesOf(address account) public view returns (uint256) {
        return balanceOf(account);
    }

    function sharesOf(address account) external view returns (uint256) {
        return activeSharesOf(account) + vault.claimableSharesOf(account);
    }

    function totalShares() external view returns (uint256) {
        return totalSupply() + allocatedShares;
    }

    function mint(address to, uint256 shares) external {
        _onlyQueues();
        _mint(to, shares);
    }

    function allocate(uint256 shares) external {
        _onlyQueues();
        allocatedShares += shares;
    }

    function mintAllocated(address to, uint256 shares) external {
        _onlyQueues();
        allocatedShares -= shares;
        _mint(to, shares);
    }

    function burn(address from, uint256 shares) external {
        _onlyQueues();
        _burn(from, shares);
    }

    /// @notice Takes shares for a redemption request. Only the checks of a burn apply.
    function lock(address account, uint256 shares) external {
        _onlyQueues();
        _checkSender(account, address(0));
        vault.claimShares(account);
        super._update(account, address(this), shares);
        emit Lock(account, shares);
    }

    function _onlyQueues() private view {
        if (!vault.isQueue(msg.sender) && msg.sender != owner) revert Forbidden();
    }

    /// @notice A transfer claims the sender's claimable shares first.
    function _update(address from, address to, uint256 value) internal override {
        if (from == address(0)) {
            if (mintPaused) revert MintPaused();
        } else {
            _checkSender(from, to);
        }
        if (isBlacklisted[to]) revert Blacklisted(to);
        if (from != address(0) && to != address(0)) _checkTransfer(from, to);
        super._update(from, to, value);
    }

    function _checkSender(address from, address to) private view {
        if (block.timestamp < globalLockup) revert GlobalLockupNotExpired(block.timestamp, globalLockup);
        if (to == address(0) && burnPaused) revert BurnPaused();
        if (isBlacklisted[from]) revert Blacklisted(from);
    }

    function _checkTransfer(address from, address to) private {
        if (transferPaused) revert TransferPaused();
        if (hasTransferWhitelist && (!canTransfer[from] || !canTransfer[to])) revert TransferNotAllowed(from, to);
        vault.claimShares(from);
    }
}

/// @notice Stand-in for the Vault that connects queues, oracle and share manager, and for its RiskManager.
contract MellowVault is MellowOwned {
    MellowShareManager public immutable shareManager;
    MellowOracle public immutable oracle;
    MellowFeeManager public immutable feeManager;
    int256 public limit = type(int256).max;
    int256 public balance;
    mapping(address => bool) public isPausedQueue;
    mapping(address => bool) public isDepositQueue;
    mapping(address => bool) public isQueue;
    address[] private _assets;
    mapping(address => address[]) private _queues;

    error LimitExceeded(int256 value, int256 max);

    constructor(MellowShareManager shareManager_, MellowOracle oracle_, MellowFeeManager feeManager_) {
        shareManager = shareManager_;
        oracle = oracle_;
        feeManager = feeManager_;
    }

    function createQueue(address queue, address asset, bool isDeposit) external onlyOwner {
        IERC20(asset).approve(queue, type(uint256).max);
        if (_queues[asset].length == 0) _assets.push(asset);
        _queues[asset].push(queue);
        isQueue[queue] = true;
        isDepositQueue[queue] = isDeposit;
    }

    function removeQueue(address queue, address asset) external onlyOwner {
        address[] storage queues = _queues[asset];
        for (uint256 i = 0; i < queues.length; ++i) {
            if (queues[i] != queue) continue;
            queues[i] = queues[queues.length - 1];
            queues.pop();
            break;
        }
        isQueue[queue] = false;
        isDepositQueue[queue] = false;
    }

    function setQueueStatus(address queue, bool paused) external onlyOwner {
        isPausedQueue[queue] = paused;
    }

    function riskManager() external view returns (address) {
        return address(this);
    }

    function vaultState() external view returns (int256 balance_, int256 limit_) {
        return (balance, limit);
    }

    function pendingBalance() external pure returns (int256) {
        return 0;
    }

    /// @notice The RiskManager's limit, in shares.
    function setLimit(int256 limit_) external onlyOwner {
        limit = limit_;
    }

    function modifyBalance(int256 change) external {
        if (!isQueue[msg.sender]) revert Forbidden();
        balance += change;
        if (change > 0 && balance > limit) revert LimitExceeded(balance, limit);
    }

    function getAssetCount() external view returns (uint256) {
        return _assets.length;
    }

    function assetAt(uint256 index) external view returns (address) {
        return _assets[index];
    }

    function getQueueCount(address asset) external view returns (uint256) {
        return _queues[asset].length;
    }

    function queueAt(address asset, uint256 index) external view returns (address) {
        return _queues[asset][index];
    }

    function claimableSharesOf(address account) external view returns (uint256 shares) {
        for (uint256 i = 0; i < _assets.length; ++i) {
            address[] storage queues = _queues[_assets[i]];
            for (uint256 j = 0; j < queues.length; ++j) {
                if (isDepositQueue[queues[j]]) shares += MellowQueue(queues[j]).claimableOf(account);
            }
        }
    }

    function claimShares(address account) external {
        for (uint256 i = 0; i < _assets.length; ++i) {
            address[] storage queues = _queues[_assets[i]];
            for (uint256 j = 0; j < queues.length; ++j) {
                if (isDepositQueue[queues[j]]) MellowQueue(queues[j]).claim(account);
            }
        }
    }
}

/// @notice Common to the queues of one asset. There is no receiver: everything belongs to the caller.
abstract contract MellowQueue is MellowOwned {
    using SafeERC20 for IERC20;

    address public immutable asset;
    MellowVault public immutable vault;

    error QueuePaused();
    error DepositNotAllowed();
    error InvalidReport();
    error StaleReport();
    error ZeroValue();

    constructor(address asset_, MellowVault vault_) {
        asset = asset_;
        vault = vault_;
    }

    function claimableOf(address) external view virtual returns (uint256) {
        return 0;
    }

    function claim(address) external virtual returns (bool) {
        return false;
    }

    function _take(uint256 assets, bytes32[] calldata proof) internal {
        if (assets == 0) revert ZeroValue();
        if (vault.isPausedQueue(address(this))) revert QueuePaused();
        if (!vault.shareManager().isDepositorWhitelisted(msg.sender, proof)) revert DepositNotAllowed();
        IERC20(asset).safeTransferFrom(msg.sender, address(vault), assets);
    }

    function _report() internal view returns (MellowOracle.DetailedReport memory report) {
        report = vault.oracle().getReport(asset);
        if (report.priceD18 == 0 || report.isSuspicious) revert InvalidReport();
    }
}

/// @notice Stand-in for a SyncDepositQueue: mints at the last report minus a penalty, while the report is recent
/// enough.
contract MellowSyncDepositQueue is MellowQueue {
    uint256 private _penaltyD6;
    uint32 private _maxAge;

    event Deposited(
        address indexed account, address indexed referral, uint224 assets, uint256 shares, uint256 feeShares
    );

    constructor(address asset_, MellowVault vault_, uint256 penaltyD6, uint32 maxAge) MellowQueue(asset_, vault_) {
        _penaltyD6 = penaltyD6;
        _maxAge = maxAge;
    }

    function syncDepositParams() external view returns (uint256 penaltyD6, uint32 maxAge) {
        return (_penaltyD6, _maxAge);
    }

    function deposit(uint224 assets, address referral, bytes32[] calldata merkleProof) external payable {
        MellowOracle.DetailedReport memory report = _report();
        if (report.timestamp + _maxAge < block.timestamp) revert StaleReport();
        _take(assets, merkleProof);
        uint256 priceD18 = report.priceD18 * (1e6 - _penaltyD6) / 1e6;
        uint256 shares = uint256(assets) * priceD18 / 1e18;
        uint256 feeShares = vault.feeManager().calculateDepositFee(shares);
        shares -= feeShares;
        vault.modifyBalance(int256(shares));
        vault.shareManager().mint(msg.sender, shares);
        if (feeShares > 0) vault.shareManager().mint(owner, feeShares);
        emit Deposited(msg.sender, referral, assets, shares, feeShares);
    }
}

/// @notice Stand-in for a DepositQueue: one request per account, settled by the next report.
contract MellowDepositQueue is MellowQueue {
    using SafeERC20 for IERC20;

    struct Request {
        uint256 timestamp;
        uint256 assets;
    }

    mapping(address => Request) public requestOf;
    mapping(address => uint256) private _claimable;

    error PendingRequestExists();
    error ClaimableRequestExists();
    error NoPendingRequest();

    event DepositRequested(address indexed account, address indexed referral, uint224 assets, uint32 timestamp);
    event DepositRequestClaimed(address indexed account, uint256 shares, uint32 timestamp);
    event DepositRequestCanceled(address indexed account, uint256 assets, uint32 timestamp);

    constructor(address asset_, MellowVault vault_) MellowQueue(asset_, vault_) {}

    function claimableOf(address account) public view override returns (uint256) {
        return _claimable[account];
    }

    function deposit(uint224 assets, address referral, bytes32[] calldata merkleProof) external payable {
        if (requestOf[msg.sender].assets != 0 && !claim(msg.sender)) revert PendingRequestExists();
        _take(assets, merkleProof);
        // The RiskManager counts the request in shares, at a report that is not suspicious.
        vault.modifyBalance(int256(uint256(assets) * _report().priceD18 / 1e18));
        requestOf[msg.sender] = Request(block.timestamp, assets);
        emit DepositRequested(msg.sender, referral, assets, uint32(block.timestamp));
    }

    function cancelDepositRequest() external {
        Request memory request = requestOf[msg.sender];
        if (request.assets == 0) revert NoPendingRequest();
        if (_claimable[msg.sender] != 0) revert ClaimableRequestExists();
        delete requestOf[msg.sender];
        IERC20(asset).safeTransferFrom(address(vault), msg.sender, request.assets);
        emit DepositRequestCanceled(msg.sender, request.assets, uint32(request.timestamp));
    }

    /// @notice Settles one account's request at the report; the real oracle's submission does so for all accounts.
    function settle(address account) external onlyOwner {
        uint256 priceD18 = _report().priceD18;
        priceD18 -= vault.feeManager().calculateDepositFee(priceD18);
        uint256 shares = requestOf[account].assets * priceD18 / 1e18;
        _claimable[account] = shares;
        vault.shareManager().allocate(shares);
    }

    function claim(address account) public override returns (bool) {
        uint256 shares = _claimable[account];
        if (shares == 0) return false;
        uint32 timestamp = uint32(requestOf[account].timestamp);
        delete _claimable[account];
        delete requestOf[account];
        vault.shareManager().mintAllocated(account, shares);
        emit DepositRequestClaimed(account, shares, timestamp);
        return true;
    }
}

/// @notice Stand-in for a SyncRedeemQueue. It pays from its own balance, and its daily limit never recovers.
contract MellowSyncRedeemQueue is MellowQueue {
    using SafeERC20 for IERC20;

    uint256 private _penaltyD6;
    uint32 private _maxAge = 365 days;
    uint256 private _usage;
    uint256 private _dailyLimit = type(uint128).max;

    event Redeemed(address indexed account, uint256 shares, uint256 assets, uint256 feeShares);

    error DailyLimitOverflow();
    error InsufficientAssets(uint256 requested, uint256 available);

    constructor(address asset_, MellowVault vault_) MellowQueue(asset_, vault_) {}

    function setSyncRedeemParams(uint256 penaltyD6, uint32 maxAge, uint256 dailyLimit) external onlyOwner {
        (_penaltyD6, _maxAge, _dailyLimit) = (penaltyD6, maxAge, dailyLimit);
    }

    function syncRedeemParams() external view returns (uint256, uint32, uint256, uint256, uint256) {
        return (_penaltyD6, _maxAge, _usage, _dailyLimit, 0);
    }

    function remainingDailyLimit() public view returns (uint256 usage, uint256 remaining) {
        return (_usage, _dailyLimit - _usage);
    }

    function getLiquidAssets() public view returns (uint256) {
        return IERC20(asset).balanceOf(address(this));
    }

    function redeem(uint256 shares, address receiver) external {
        if (vault.isPausedQueue(address(this))) revert QueuePaused();
        MellowOracle.DetailedReport memory report = _report();
        if (report.timestamp + _maxAge < block.timestamp) revert StaleReport();
        uint256 reduced = shares * (1e6 - _penaltyD6) / 1e6;
        uint256 feeShares = reduced * vault.feeManager().redeemFeeD6() / 1e6;
        uint256 assets = (reduced - feeShares) * 1e18 / report.priceD18;
        if (assets == 0) revert ZeroValue();
        if (assets > getLiquidAssets()) revert InsufficientAssets(assets, getLiquidAssets());
        (, uint256 remaining) = remainingDailyLimit();
        if (shares > remaining) revert DailyLimitOverflow();
        _usage += shares;
        vault.shareManager().burn(msg.sender, shares);
        if (feeShares > 0) vault.shareManager().mint(owner, feeShares);
        vault.modifyBalance(int256(feeShares) - int256(shares));
        IERC20(asset).safeTransfer(receiver, assets);
        emit Redeemed(msg.sender, shares, assets, feeShares);
    }
}

/// @notice Stand-in for a RedeemQueue: a request takes the shares, less a fee, into the share manager. They are priced and
/// burned by the report at settlement, and the payment is claimed by the account.
contract MellowRedeemQueue is MellowQueue {
    using SafeERC20 for IERC20;

    struct Request {
        uint256 timestamp;
        uint256 shares;
        bool isClaimable;
        uint256 assets;
    }

    mapping(address => Request[]) private _requests;

    event RedeemRequested(address indexed account, uint256 shares, uint256 timestamp);
    event RedeemRequestClaimed(address indexed account, address indexed receiver, uint256 assets, uint32 timestamp);

    constructor(address asset_, MellowVault vault_) MellowQueue(asset_, vault_) {}

    function redeem(uint256 shares) external {
        if (shares == 0) revert ZeroValue();
        if (vault.isPausedQueue(address(this))) revert QueuePaused();
        MellowShareManager shareManager = vault.shareManager();
        shareManager.lock(msg.sender, shares);
        uint256 fees = msg.sender == owner ? 0 : shares * vault.feeManager().redeemFeeD6() / 1e6;
        if (fees > 0) {
            shareManager.burn(address(shareManager), fees);
            shareManager.mint(owner, fees);
            shares -= fees;
        }
        uint256 count = _requests[msg.sender].length;
        if (count > 0 && _requests[msg.sender][count - 1].timestamp == block.timestamp) {
            _requests[msg.sender][count - 1].shares += shares;
        } else {
            _requests[msg.sender].push(Request(block.timestamp, shares, false, 0));
        }
        emit RedeemRequested(msg.sender, shares, block.timestamp);
    }

    function requestsOf(address account, uint256 offset, uint256 limit)
        external
        view
        returns (Request[] memory requests)
    {
        Request[] storage all = _requests[account];
        uint256 end = all.length < offset + limit ? all.length : offset + limit;
        requests = new Request[](end > offset ? end - offset : 0);
        for (uint256 i = offset; i < end; ++i) requests[i - offset] = all[i];
    }

    /// @notice Prices and pays for all of an account's requests; the real oracle and queue do so in two steps for all.
    function settle(address account) external {
        uint256 priceD18 = _report().priceD18;
        Request[] storage all = _requests[account];
        for (uint256 i = 0; i < all.length; ++i) {
            if (all[i].isClaimable) continue;
            vault.shareManager().burn(address(vault.shareManager()), all[i].shares);
            (all[i].assets, all[i].isClaimable) = (all[i].shares * 1e18 / priceD18, true);
        }
    }

    /// @notice Skips what is not ready, and succeeds without any.
    function claim(address receiver, uint32[] calldata timestamps) external returns (uint256 assets) {
        Request[] storage all = _requests[msg.sender];
        for (uint256 i = 0; i < timestamps.length; ++i) {
            for (uint256 j = 0; j < all.length; ++j) {
                if (all[j].timestamp != timestamps[i] || !all[j].isClaimable) continue;
                assets += all[j].assets;
                emit RedeemRequestClaimed(msg.sender, receiver, all[j].assets, timestamps[i]);
                all[j] = all[all.length - 1];
                all.pop();
                break;
            }
        }
        IERC20(asset).safeTransferFrom(address(vault), receiver, assets);
    }
}
