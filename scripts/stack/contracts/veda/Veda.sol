// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {ERC20} from "solmate/src/tokens/ERC20.sol";
import {SafeTransferLib} from "solmate/src/utils/SafeTransferLib.sol";

interface IBeforeTransfer {
    function beforeTransfer(address from, address to, address operator) external view;
}

/// @notice Stand-in for a BoringVault: the share token, which takes the assets when its teller calls.
contract VedaVault is ERC20 {
    using SafeTransferLib for ERC20;

    address public immutable owner = msg.sender;
    address public hook;
    mapping(address => bool) private _mayCall;

    event Enter(
        address indexed from, address indexed asset, uint256 amount, address indexed to, uint256 shares
    );
    event Exit(
        address indexed to, address indexed asset, uint256 amount, address indexed from, uint256 shares
    );

    constructor(string memory name_, string memory symbol_, uint8 decimals_)
        ERC20(name_, symbol_, decimals_)
    {}

    modifier requiresAuth() {
        require(msg.sender == owner || msg.sender == hook || _mayCall[msg.sender], "UNAUTHORIZED");
        _;
    }

    /// @notice Gives a solver, or a contract that pays withdrawals, what the real authority's roles give it.
    function authorize(address caller) external requiresAuth {
        _mayCall[caller] = true;
    }

    function setBeforeTransferHook(address hook_) external requiresAuth {
        hook = hook_;
    }

    function enter(address from, ERC20 asset, uint256 amount, address to, uint256 shares)
        external
        requiresAuth
    {
        if (amount > 0) asset.safeTransferFrom(from, address(this), amount);
        _mint(to, shares);
        emit Enter(from, address(asset), amount, to, shares);
    }

    function exit(address to, ERC20 asset, uint256 amount, address from, uint256 shares)
        external
        requiresAuth
    {
        _burn(from, shares);
        if (amount > 0) asset.safeTransfer(to, amount);
        emit Exit(to, address(asset), amount, from, shares);
    }

    function transfer(address to, uint256 amount) public override returns (bool) {
        if (hook != address(0)) IBeforeTransfer(hook).beforeTransfer(msg.sender, to, msg.sender);
        return super.transfer(to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) public override returns (bool) {
        if (hook != address(0)) IBeforeTransfer(hook).beforeTransfer(from, to, msg.sender);
        return super.transferFrom(from, to, amount);
    }
}

/// @notice Stand-in for an AccountantWithRateProviders: an updater pushes the price of one share in the base asset;
/// other assets are priced by their value in the base asset.
contract VedaAccountant {
    address public immutable owner = msg.sender;
    address public immutable base;
    uint8 public immutable decimals;
    uint256 public rate;
    bool public paused;
    /// @notice Base units (10^decimals = 1) per whole quote token.
    mapping(address => uint256) public quotes;

    error AccountantWithRateProviders__Paused();

    constructor(ERC20 base_, uint256 rate_) {
        base = address(base_);
        decimals = base_.decimals();
        rate = rate_;
    }

    modifier requiresAuth() {
        require(msg.sender == owner, "UNAUTHORIZED");
        _;
    }

    /// @notice A rate change above ten per cent pauses the accountant, but is stored.
    function updateExchangeRate(uint256 rate_) external requiresAuth {
        if (rate_ * 10 > rate * 11 || rate_ * 10 < rate * 9) paused = true;
        rate = rate_;
    }

    function setQuote(address quote, uint256 worth) external requiresAuth {
        quotes[quote] = worth;
    }

    function pause() external requiresAuth {
        paused = true;
    }

    function unpause() external requiresAuth {
        paused = false;
    }

    function getRate() public view returns (uint256) {
        return rate;
    }

    function getRateSafe() external view returns (uint256) {
        if (paused) revert AccountantWithRateProviders__Paused();
        return getRate();
    }

    function getRateInQuote(address quote) public view returns (uint256) {
        if (quote == base) return rate;
        uint256 worth = quotes[quote];
        // The real contract calls the zero address as rate provider here.
        if (worth == 0) {
            assembly {
                revert(0, 0)
            }
        }
        return rate * 10 ** ERC20(quote).decimals() / worth;
    }

    function getRateInQuoteSafe(address quote) external view returns (uint256) {
        if (paused) revert AccountantWithRateProviders__Paused();
        return getRateInQuote(quote);
    }
}

/// @notice Stand-in for an accountant that vests yield into the rate every second. Its teller updates it before each
/// deposit, so the rate is that of the deposit's timestamp.
contract VedaStreamingAccountant is VedaAccountant {
    constructor(ERC20 base_, uint256 rate_) VedaAccountant(base_, rate_) {}

    function lastVirtualSharePrice() external view returns (uint256) {
        return rate * 1e27 / 10 ** decimals;
    }
}

/// @notice Common to all generations of tellers. Shares go to the caller and are locked there.
abstract contract VedaTeller is IBeforeTransfer {
    struct Asset {
        bool allowDeposits;
        bool allowWithdraws;
        uint16 sharePremium;
    }

    struct Denial {
        bool from;
        bool to;
        bool operator;
    }

    struct Refund {
        address user;
        ERC20 asset;
        uint256 amount;
        uint256 shares;
    }

    address public immutable owner = msg.sender;
    VedaVault public immutable vault;
    VedaAccountant public immutable accountant;
    uint256 internal immutable ONE_SHARE;

    bool public isPaused;
    bool public isPublic = true;
    uint64 public shareLockPeriod;
    uint64 public depositNonce;
    mapping(address => Asset) internal _assets;
    mapping(address => uint256) internal _unlockTime;
    mapping(uint256 => Refund) internal _refunds;
    mapping(address => Denial) internal _denials;
    uint256 private _locked = 1;

    error TellerWithMultiAssetSupport__Paused();
    error TellerWithMultiAssetSupport__AssetNotSupported();
    error TellerWithMultiAssetSupport__ZeroAssets();
    error TellerWithMultiAssetSupport__ZeroShares();
    error TellerWithMultiAssetSupport__MinimumAssetsNotMet();
    error TellerWithMultiAssetSupport__MinimumMintNotMet();
    error TellerWithMultiAssetSupport__SharesAreLocked();
    error TellerWithMultiAssetSupport__DepositExceedsCap();
    error TellerWithMultiAssetSupport__TransferDenied(address from, address to, address operator);

    event DepositRefunded(uint256 indexed nonce, bytes32 depositHash, address indexed user);

    constructor(VedaVault vault_, VedaAccountant accountant_) {
        vault = vault_;
        accountant = accountant_;
        ONE_SHARE = 10 ** vault_.decimals();
    }

    modifier requiresAuth() {
        require(msg.sender == owner, "UNAUTHORIZED");
        _;
    }

    /// @notice Writes storage before any check: a static call fails without a reason and loses its gas.
    modifier nonReentrant() {
        require(_locked == 1, "REENTRANCY");
        _locked = 2;
        _;
        _locked = 1;
    }

    function setPaused(bool paused) external requiresAuth {
        isPaused = paused;
    }

    function setPublic(bool open) external requiresAuth {
        isPublic = open;
    }

    function denyFrom(address user) external requiresAuth {
        _denials[user].from = true;
    }

    function denyTo(address user) external requiresAuth {
        _denials[user].to = true;
    }

    function setShareLockPeriod(uint64 period) external requiresAuth {
        require(period <= 3 days);
        shareLockPeriod = period;
    }

    function updateAssetData(address asset, bool allowDeposits, bool allowWithdraws, uint16 sharePremium)
        external
        requiresAuth
    {
        require(sharePremium <= 1000);
        _assets[asset] = Asset(allowDeposits, allowWithdraws, sharePremium);
    }

    /// @notice While shares are locked an admin may refund the deposit.
    function _refund(uint256 nonce) internal {
        Refund memory refund = _refunds[nonce];
        delete _refunds[nonce];
        vault.exit(refund.user, refund.asset, refund.amount, refund.user, refund.shares);
        emit DepositRefunded(nonce, keccak256(abi.encode(nonce, refund.user)), refund.user);
    }

    /// @notice Solvers make withdrawals.
    function bulkWithdraw(ERC20 asset, uint256 shares, uint256 minimumAssets, address to)
        external
        requiresAuth
        returns (uint256 assets)
    {
        assets = shares * accountant.getRateInQuoteSafe(address(asset)) / ONE_SHARE;
        require(assets >= minimumAssets);
        vault.exit(to, asset, assets, to, shares);
    }

    /// @notice Public here, and only where configured so: most vaults use solvers and queues instead.
    function withdraw(ERC20 asset, uint256 shares, uint256 minimumAssets, address to)
        external
        returns (uint256 assets)
    {
        require(isPublic, "UNAUTHORIZED");
        beforeTransfer(msg.sender, address(0), msg.sender);
        if (isPaused) revert TellerWithMultiAssetSupport__Paused();
        if (!_assets[address(asset)].allowWithdraws) revert TellerWithMultiAssetSupport__AssetNotSupported();
        if (shares == 0) revert TellerWithMultiAssetSupport__ZeroShares();
        assets = shares * accountant.getRateInQuoteSafe(address(asset)) / ONE_SHARE;
        if (assets < minimumAssets) revert TellerWithMultiAssetSupport__MinimumAssetsNotMet();
        vault.exit(to, asset, assets, msg.sender, shares);
    }

    function beforeTransfer(address from, address to, address operator) public view virtual {
        _refuseDenied(from, to, operator);
        if (_isLocked(from)) revert TellerWithMultiAssetSupport__SharesAreLocked();
    }

    function _isLocked(address user) internal view virtual returns (bool) {
        return _unlockTime[user] > block.timestamp;
    }

    function _refuseDenied(address from, address to, address operator) internal view {
        if (_denials[from].from || _denials[to].to || _denials[operator].operator) {
            revert TellerWithMultiAssetSupport__TransferDenied(from, to, operator);
        }
    }

    /// @notice Newer tellers check their lists before they mint.
    function _beforeDeposit() internal view virtual {}

    function _rateIn(address asset) internal view virtual returns (uint256) {
        return accountant.getRateInQuoteSafe(asset);
    }

    function _cap() internal view virtual returns (uint256) {
        return type(uint256).max;
    }

    function _premium(address asset) internal view virtual returns (uint256) {
        return _assets[asset].sharePremium;
    }

    modifier publicly() {
        require(isPublic, "UNAUTHORIZED");
        _;
    }

    function _deposit(address asset, uint256 amount, uint256 minimumMint)
        internal
        publicly
        nonReentrant
        returns (uint256 shares)
    {
        if (isPaused) revert TellerWithMultiAssetSupport__Paused();
        if (!_assets[asset].allowDeposits) revert TellerWithMultiAssetSupport__AssetNotSupported();
        _beforeDeposit();
        if (amount == 0) revert TellerWithMultiAssetSupport__ZeroAssets();
        shares = amount * ONE_SHARE / _rateIn(asset);
        shares = shares * (10_000 - _premium(asset)) / 10_000;
        if (shares < minimumMint) revert TellerWithMultiAssetSupport__MinimumMintNotMet();
        if (vault.totalSupply() + shares > _cap()) revert TellerWithMultiAssetSupport__DepositExceedsCap();
        vault.enter(msg.sender, ERC20(asset), amount, msg.sender, shares);
        depositNonce += 1;
        _unlockTime[msg.sender] = block.timestamp + shareLockPeriod;
        if (shareLockPeriod > 0) {
            _refunds[depositNonce] = Refund(msg.sender, ERC20(asset), amount, shares);
        }
    }
}

/// @notice 2024-04: `isSupported`, no premium, and shares locked at least for the block of their mint.
contract VedaTellerA is VedaTeller {
    event Deposit(
        uint256 indexed nonce,
        address receiver,
        address depositAsset,
        uint256 depositAmount,
        uint256 shareAmount,
        uint256 depositTimestamp,
        uint256 shareLockPeriodAtTimeOfDeposit
    );

    constructor(VedaVault vault_, VedaAccountant accountant_) VedaTeller(vault_, accountant_) {}

    function isSupported(address asset) external view returns (bool) {
        return _assets[asset].allowDeposits;
    }

    function shareUnlockTime(address user) external view returns (uint256) {
        return _unlockTime[user];
    }

    function fromDenyList(address user) external view returns (bool) {
        return _denials[user].from;
    }

    function toDenyList(address user) external view returns (bool) {
        return _denials[user].to;
    }

    function deposit(address asset, uint256 amount, uint256 minimumMint) external payable returns (uint256 shares) {
        shares = _deposit(asset, amount, minimumMint);
        emit Deposit(depositNonce, msg.sender, asset, amount, shares, block.timestamp, shareLockPeriod);
    }

    function _premium(address) internal pure override returns (uint256) {
        return 0;
    }

    function _isLocked(address user) internal view override returns (bool) {
        return _unlockTime[user] >= block.timestamp;
    }
}

/// @notice 2024-09: `assetData` with a premium.
contract VedaTellerB is VedaTeller {
    event Deposit(
        uint256 indexed nonce,
        address indexed receiver,
        address indexed depositAsset,
        uint256 depositAmount,
        uint256 shareAmount,
        uint256 depositTimestamp,
        uint256 shareLockPeriodAtTimeOfDeposit
    );

    constructor(VedaVault vault_, VedaAccountant accountant_) VedaTeller(vault_, accountant_) {}

    function assetData(address asset) external view returns (bool, bool, uint16) {
        Asset memory data = _assets[asset];
        return (data.allowDeposits, data.allowWithdraws, data.sharePremium);
    }

    function deposit(address asset, uint256 amount, uint256 minimumMint) external payable returns (uint256 shares) {
        shares = _deposit(asset, amount, minimumMint);
        emit Deposit(depositNonce, msg.sender, asset, amount, shares, block.timestamp, shareLockPeriod);
    }
}

/// @notice Added in 2025-04: a cap on all shares, deny lists, and transfers by permitted accounts only.
abstract contract VedaTellerLists is VedaTeller {
    uint112 public depositCap = type(uint112).max;
    bool public permissionedTransfers;
    mapping(address => bool) private _permitted;

    function setDepositCap(uint112 cap) external requiresAuth {
        depositCap = cap;
    }

    function setPermissionedTransfers(bool yes) external requiresAuth {
        permissionedTransfers = yes;
    }

    function allowPermissionedOperator(address operator) external requiresAuth {
        _permitted[operator] = true;
    }

    function beforeTransferData(address user) external view returns (bool, bool, bool, bool, uint256) {
        Denial memory denial = _denials[user];
        return (denial.from, denial.to, denial.operator, _permitted[user], _unlockTime[user]);
    }

    function assetData(address asset) external view returns (bool, bool, uint16) {
        Asset memory data = _assets[asset];
        return (data.allowDeposits, data.allowWithdraws, data.sharePremium);
    }

    function beforeTransfer(address from, address to, address operator) public view override {
        super.beforeTransfer(from, to, operator);
        if (permissionedTransfers && !_permitted[operator]) {
            revert TellerWithMultiAssetSupport__TransferDenied(from, to, operator);
        }
    }

    function _cap() internal view override returns (uint256) {
        return depositCap;
    }
}

/// @notice 2025-04. Since 2025-08 it reports a version; it does not take a referrer yet.
contract VedaTellerC is VedaTellerLists {
    event Deposit(
        uint256 indexed nonce,
        address indexed receiver,
        address indexed depositAsset,
        uint256 depositAmount,
        uint256 shareAmount,
        uint256 depositTimestamp,
        uint256 shareLockPeriodAtTimeOfDeposit
    );

    constructor(VedaVault vault_, VedaAccountant accountant_) VedaTeller(vault_, accountant_) {}

    function version() external pure returns (string memory) {
        return "V0.1";
    }

    function deposit(address asset, uint256 amount, uint256 minimumMint) external payable returns (uint256 shares) {
        shares = _deposit(asset, amount, minimumMint);
        emit Deposit(depositNonce, msg.sender, asset, amount, shares, block.timestamp, shareLockPeriod);
    }
}

/// @notice 2025-09: a referrer in the call; the call with three arguments is gone.
contract VedaTellerD is VedaTellerLists {
    event Deposit(
        uint256 nonce,
        address indexed receiver,
        address indexed depositAsset,
        uint256 depositAmount,
        uint256 shareAmount,
        uint256 depositTimestamp,
        uint256 shareLockPeriodAtTimeOfDeposit,
        address indexed referralAddress
    );

    constructor(VedaVault vault_, VedaAccountant accountant_) VedaTeller(vault_, accountant_) {}

    function version() external pure virtual returns (string memory) {
        return "Base V0.2";
    }

    function refundDeposit(uint256 nonce, address, address, uint256, uint256, uint256, uint256, address)
        external
        requiresAuth
    {
        _refund(nonce);
    }

    function deposit(address asset, uint256 amount, uint256 minimumMint, address referralAddress)
        external
        payable
        returns (uint256 shares)
    {
        shares = _deposit(asset, amount, minimumMint);
        emit Deposit(
            depositNonce, msg.sender, asset, amount, shares, block.timestamp, shareLockPeriod, referralAddress
        );
    }

    function _beforeDeposit() internal view override {
        _refuseDenied(msg.sender, msg.sender, msg.sender);
    }
}

/// @notice 2025-12: mints at a rate one unit above the accountant's.
contract VedaTellerStreaming is VedaTellerD {
    constructor(VedaVault vault_, VedaAccountant accountant_) VedaTellerD(vault_, accountant_) {}

    function version() external pure override returns (string memory) {
        return "Yield Streaming V0.1, Buffer V0.1, Base V0.2";
    }

    function _rateIn(address asset) internal view override returns (uint256) {
        return super._rateIn(asset) + 1;
    }
}
