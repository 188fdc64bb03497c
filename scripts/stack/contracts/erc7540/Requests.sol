// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// @notice Deposits that are requested, settled by the owner and claimed: the asynchronous part of ERC-7540.
abstract contract DepositRequests {
    using SafeERC20 for IERC20;

    address public immutable owner = msg.sender;
    address public immutable asset;
    mapping(address => mapping(address => bool)) public isOperator;
    mapping(address => uint256) internal _pending;
    mapping(address => uint256) internal _claimableAssets;
    mapping(address => uint256) internal _claimableShares;
    mapping(address => uint256) internal _leaving;
    mapping(address => uint256) internal _redeemable;
    mapping(address => uint256) internal _payable;

    error ERC7540InvalidOperator();
    error ERC7540PreviewDepositDisabled();

    event OperatorSet(address indexed controller, address indexed operator, bool approved);
    event DepositRequest(
        address indexed controller,
        address indexed owner,
        uint256 indexed requestId,
        address sender,
        uint256 assets
    );
    event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares);
    event Withdraw(
        address indexed sender,
        address indexed receiver,
        address indexed owner,
        uint256 assets,
        uint256 shares
    );

    constructor(address asset_) {
        asset = asset_;
    }

    modifier onlyOwner() {
        require(msg.sender == owner);
        _;
    }

    function setOperator(address operator, bool approved) external returns (bool) {
        isOperator[msg.sender][operator] = approved;
        emit OperatorSet(msg.sender, operator, approved);
        return true;
    }

    function pendingDepositRequest(uint256, address controller) external view returns (uint256) {
        return _pending[controller];
    }

    function claimableDepositRequest(uint256, address controller) external view virtual returns (uint256) {
        return _claimableAssets[controller];
    }

    function maxMint(address controller) public view virtual returns (uint256) {
        return _claimableShares[controller];
    }

    function pendingRedeemRequest(uint256, address controller) external view returns (uint256) {
        return _leaving[controller];
    }

    function claimableRedeemRequest(uint256, address controller) external view virtual returns (uint256) {
        return _redeemable[controller];
    }

    function maxWithdraw(address controller) public view virtual returns (uint256) {
        return _payable[controller];
    }

    /// @notice Fixes what a controller's pending redemption pays, at the current price.
    function _settleRedeem(address controller) private {
        uint256 shares = _leaving[controller];
        if (shares == 0) return;
        _leaving[controller] = 0;
        _redeemable[controller] += shares;
        _payable[controller] += _redeemed(shares);
    }

    /// @notice Burns shares that the vault holds and returns what they are worth.
    function _redeemed(uint256 shares) internal virtual returns (uint256 assets);

    /// @notice Pays a part of what is claimable, in shares. Panics when more is asked for.
    function _payClaim(uint256 shares, address receiver, address controller) internal returns (uint256 assets) {
        if (controller != msg.sender && !isOperator[controller][msg.sender]) revert ERC7540InvalidOperator();
        return _payOut(shares, receiver, controller);
    }

    function _payOut(uint256 shares, address receiver, address controller) internal returns (uint256 assets) {
        uint256 claimable = _redeemable[controller];
        _redeemable[controller] = claimable - shares;
        assets = claimable == shares ? _payable[controller] : _payable[controller] * shares / claimable;
        _payable[controller] -= assets;
        IERC20(asset).safeTransfer(receiver, assets);
        emit Withdraw(msg.sender, receiver, controller, assets, shares);
    }

    /// @notice Settles one controller's requests at the current price.
    function settle(address controller) external onlyOwner {
        _settleRedeem(controller);
        uint256 assets = _pending[controller];
        _pending[controller] = 0;
        _claimableAssets[controller] += assets;
        uint256 shares = _settled(assets);
        _claimableShares[controller] += shares;
        _noted(controller, assets, shares);
    }

    function _noted(address controller, uint256 assets, uint256 shares) internal virtual {}

    function _settled(uint256 assets) internal virtual returns (uint256 shares);
    function _release(address receiver, uint256 shares) internal virtual;

    function _request(uint256 assets, address controller, address from) internal {
        if (from != msg.sender && !isOperator[from][msg.sender]) revert ERC7540InvalidOperator();
        IERC20(asset).safeTransferFrom(from, address(this), assets);
        _pending[controller] += assets;
    }

    /// @notice Panics on subtraction when nothing is claimable.
    function _claim(uint256 assets, address receiver, address controller) internal returns (uint256 shares) {
        if (controller != msg.sender && !isOperator[controller][msg.sender]) revert ERC7540InvalidOperator();
        return _sendOut(assets, receiver, controller);
    }

    function _sendOut(uint256 assets, address receiver, address controller) internal returns (uint256 shares) {
        uint256 claimable = _claimableAssets[controller];
        _claimableAssets[controller] = claimable - assets;
        shares = claimable == assets ? _claimableShares[controller] : _claimableShares[controller] * assets / claimable;
        _claimableShares[controller] -= shares;
        _release(receiver, shares);
        emit Deposit(controller, receiver, assets, shares);
    }
}

/// @notice Common to Lagoon's versions: deposits mint at once while the last valuation is valid; otherwise they are
/// requests. A redemption without a settled request is immediate here, also while the vault is open. A closing vault
/// accepts deposit requests too, although they are never settled.
abstract contract Lagoon is DepositRequests, ERC20 {
    using SafeERC20 for IERC20;

    uint8 private immutable _decimals;
    uint256 public totalAssetsExpiration = type(uint256).max;
    uint256 private _totalAssets;
    bool public paused;
    /// @dev 0: open, 1: closing, 2: closed.
    uint8 private _state;
    /// @dev The id of every deposit request until the next settlement. Deposits have the odd numbers.
    uint256 private _depositEpoch = 1;
    bool internal _listed;
    mapping(address => bool) internal _accounts;

    error OnlySyncDepositAllowed();
    error NotOpen(uint8 state);
    error EnforcedPause();
    error ERC7540PreviewMintDisabled();

    event DepositSync(address indexed sender, address indexed owner, uint256 assets, uint256 shares);
    event Referral(address indexed referral, address indexed owner, uint256 indexed requestId, uint256 assets);
    event RedeemRequest(
        address indexed controller, address indexed owner, uint256 indexed requestId, address sender, uint256 shares
    );

    constructor(IERC20Metadata asset_, string memory name_, string memory symbol_)
        DepositRequests(address(asset_))
        ERC20(name_, symbol_)
    {
        uint8 own = asset_.decimals();
        _decimals = own > 18 ? own : 18;
    }

    modifier whenNotPaused() {
        if (paused) revert EnforcedPause();
        _;
    }

    modifier onlyOpen() {
        if (_state != 0) revert NotOpen(_state);
        _;
    }

    function _checkSync() internal view virtual;
    function _checkAccount(address account) internal view virtual;
    function _checkRoom(uint256) internal view virtual {}

    function _entryFee(uint256) internal view virtual returns (uint256) {
        return 0;
    }

    function _exitFee(uint256) internal view virtual returns (uint256) {
        return 0;
    }

    function decimals() public view override returns (uint8) {
        return _decimals;
    }

    function setPaused(bool yes) external onlyOwner {
        paused = yes;
    }

    function initiateClosing() external onlyOwner {
        _state = 1;
    }

    function close() external onlyOwner {
        _state = 2;
    }

    function setWhitelist(bool yes) external onlyOwner {
        _listed = yes;
    }

    function addToWhitelist(address account) external onlyOwner {
        _accounts[account] = true;
    }

    function isTotalAssetsValid() public view returns (bool) {
        return block.timestamp < totalAssetsExpiration;
    }

    function expireTotalAssets() external onlyOwner {
        totalAssetsExpiration = 0;
    }

    /// @notice The valuation that prices everything until the next one.
    function updateTotalAssets(uint256 totalAssets_) external onlyOwner {
        _totalAssets = totalAssets_;
    }

    function totalAssets() public view returns (uint256) {
        return _totalAssets;
    }

    function convertToShares(uint256 assets) public view returns (uint256) {
        return assets * (totalSupply() + _virtual()) / (_totalAssets + 1);
    }

    function convertToAssets(uint256 shares) public view returns (uint256) {
        return shares * (_totalAssets + 1) / (totalSupply() + _virtual());
    }

    function maxDeposit(address controller) external view returns (uint256) {
        return paused ? 0 : _claimableAssets[controller];
    }

    function maxMint(address controller) public view override returns (uint256) {
        return paused ? 0 : super.maxMint(controller);
    }

    function previewDeposit(uint256) external pure returns (uint256) {
        revert ERC7540PreviewDepositDisabled();
    }

    function previewMint(uint256) external pure returns (uint256) {
        revert ERC7540PreviewMintDisabled();
    }

    function syncDeposit(uint256 assets, address receiver, address referral)
        external
        payable
        onlyOpen
        whenNotPaused
        returns (uint256 shares)
    {
        _checkSync();
        _checkAccount(msg.sender);
        _checkAccount(receiver);
        _checkRoom(assets);
        shares = convertToShares(assets);
        uint256 fee = _entryFee(shares);
        shares -= fee;
        IERC20(asset).safeTransferFrom(msg.sender, address(this), assets);
        _totalAssets += assets;
        _mint(receiver, shares);
        _mint(owner, fee);
        emit DepositSync(msg.sender, receiver, assets, shares);
        emit Referral(referral, msg.sender, 0, assets);
    }

    /// @notice Sends first the shares that the controller can claim, whoever sends it.
    function requestDeposit(uint256 assets, address controller, address from)
        external
        payable
        whenNotPaused
        returns (uint256 requestId)
    {
        if (isTotalAssetsValid()) revert OnlySyncDepositAllowed();
        _checkAccount(from);
        _checkAccount(controller);
        if (_claimableAssets[controller] > 0) _sendOut(_claimableAssets[controller], controller, controller);
        _checkRoom(assets);
        _request(assets, controller, from);
        requestId = _depositEpoch;
        emit DepositRequest(controller, from, requestId, msg.sender, assets);
    }

    /// @notice Pays first what the controller can claim, whoever sends it.
    function requestRedeem(uint256 shares, address controller, address from)
        external
        onlyOpen
        whenNotPaused
        returns (uint256 requestId)
    {
        if (from != msg.sender && !isOperator[from][msg.sender]) _spendAllowance(from, msg.sender, shares);
        _checkAccount(from);
        if (_redeemable[controller] > 0) _payOut(_redeemable[controller], controller, controller);
        _transfer(from, address(this), shares);
        _leaving[controller] += shares;
        requestId = 2;
        emit RedeemRequest(controller, from, requestId, msg.sender, shares);
    }

    function deposit(uint256 assets, address receiver) external whenNotPaused returns (uint256) {
        return _claim(assets, receiver, msg.sender);
    }

    function deposit(uint256 assets, address receiver, address controller)
        external
        whenNotPaused
        returns (uint256)
    {
        return _claim(assets, receiver, controller);
    }

    function redeem(uint256 shares, address receiver, address controller) external returns (uint256 assets) {
        if (_redeemable[controller] > 0) return _payClaim(shares, receiver, controller);
        require(controller == msg.sender);
        uint256 fee = _exitFee(shares);
        assets = convertToAssets(shares - fee);
        _totalAssets -= assets;
        _burn(controller, shares);
        _mint(owner, fee);
        IERC20(asset).safeTransfer(receiver, assets);
        emit Withdraw(msg.sender, receiver, controller, assets, shares);
    }

    function _settled(uint256 assets) internal override returns (uint256 shares) {
        if (assets > 0) _depositEpoch += 2;
        shares = convertToShares(assets);
        uint256 fee = _entryFee(shares);
        shares -= fee;
        _totalAssets += assets;
        _mint(address(this), shares);
        _mint(owner, fee);
    }

    function _redeemed(uint256 shares) internal override returns (uint256 assets) {
        uint256 fee = _exitFee(shares);
        assets = convertToAssets(shares - fee);
        _totalAssets -= assets;
        _burn(address(this), shares);
        _mint(owner, fee);
    }

    function _release(address receiver, uint256 shares) internal override {
        _transfer(address(this), receiver, shares);
    }

    function _virtual() private view returns (uint256) {
        return 10 ** (_decimals - IERC20Metadata(asset).decimals());
    }
}

/// @notice Stand-in for a Lagoon vault v0.5.
contract LagoonVault is Lagoon {
    error OnlyAsyncDepositAllowed();
    error NotWhitelisted();

    constructor(IERC20Metadata asset_, string memory name_, string memory symbol_) Lagoon(asset_, name_, symbol_) {}

    function isWhitelisted(address account) public view returns (bool) {
        return !_listed || _accounts[account];
    }

    function _checkSync() internal view override {
        if (!isTotalAssetsValid()) revert OnlyAsyncDepositAllowed();
    }

    function _checkAccount(address account) internal view override {
        if (!isWhitelisted(account)) revert NotWhitelisted();
    }
}

/// @notice Stand-in for a Lagoon vault v0.6: a cap, entry and exit fees rounded up, and a mode that may forbid
/// immediate deposits despite a valid valuation, while requests stay forbidden too.
contract LagoonVaultV6 is Lagoon {
    using SafeERC20 for IERC20;

    uint256 public maxCap = type(uint256).max;
    uint8 public syncMode;
    uint16 private _entryRate;
    uint16 private _exitRate;
    uint16 private _haircutRate;

    error AddressNotAllowed(address account);
    error MaxCapReached();
    error SyncOperationNotAllowed();
    error TotalAssetsExpired();
    error BelowMinimumAssets(uint256 assets, uint256 minimum);
    error RequestNotCancelable(uint256 requestId);

    event RedeemRequestCanceled(uint256 indexed requestId, address indexed controller, uint256 shares);

    event WithdrawSync(
        address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares
    );

    constructor(IERC20Metadata asset_, string memory name_, string memory symbol_) Lagoon(asset_, name_, symbol_) {}

    function updateMaxCap(uint256 cap) external onlyOwner {
        maxCap = cap;
    }

    /// @notice 0: deposits and redemptions at once, 1: deposits only, 2: redemptions only, 3: neither.
    function setSyncMode(uint8 mode) external onlyOwner {
        syncMode = mode;
    }

    /// @notice Basis points.
    function setEntryRate(uint16 rate) external onlyOwner {
        _entryRate = rate;
    }

    /// @notice Basis points of the shares that are redeemed.
    function setExitRate(uint16 rate) external onlyOwner {
        _exitRate = rate;
    }

    /// @notice Basis points of what a redemption at once pays. They stay in the vault.
    function setHaircutRate(uint16 rate) external onlyOwner {
        _haircutRate = rate;
    }

    function feeRates()
        external
        view
        returns (uint16 management, uint16 performance, uint16 entry, uint16 exit, uint16 haircut)
    {
        return (0, 0, _entryRate, _exitRate, _haircutRate);
    }

    function isAllowed(address account) public view returns (bool) {
        return !_listed || _accounts[account];
    }

    function previewSyncDeposit(uint256 assets) external view returns (uint256 shares) {
        if (paused || syncMode > 1 || !isTotalAssetsValid()) return 0;
        shares = convertToShares(assets);
        shares -= _entryFee(shares);
    }

    function previewSyncRedeem(uint256 shares) public view returns (uint256) {
        if (paused || syncMode == 1 || syncMode == 3 || !isTotalAssetsValid()) return 0;
        uint256 gross = convertToAssets(shares - _exitFee(shares));
        return gross - gross * _haircutRate / 10_000;
    }

    function syncRedeem(uint256 shares, address receiver, uint256 minimumAssets) external returns (uint256 assets) {
        assets = previewSyncRedeem(shares);
        if (assets == 0) revert SyncOperationNotAllowed();
        if (assets < minimumAssets) revert BelowMinimumAssets(assets, minimumAssets);
        _transfer(msg.sender, address(this), shares);
        _redeemed(shares);
        IERC20(asset).safeTransfer(receiver, assets);
        emit WithdrawSync(msg.sender, receiver, msg.sender, assets, shares);
    }

    /// @notice The epoch of a request lasts until it is settled here.
    function cancelRequestRedeem(address controller) external {
        uint256 shares = _leaving[controller];
        if (msg.sender != controller) revert ERC7540InvalidOperator();
        if (shares == 0) revert RequestNotCancelable(2);
        _leaving[controller] = 0;
        _transfer(address(this), controller, shares);
        emit RedeemRequestCanceled(2, controller, shares);
    }

    function _checkSync() internal view override {
        if (syncMode > 1) revert SyncOperationNotAllowed();
        if (!isTotalAssetsValid()) revert TotalAssetsExpired();
    }

    function _checkAccount(address account) internal view override {
        if (!isAllowed(account)) revert AddressNotAllowed(account);
    }

    function _checkRoom(uint256 assets) internal view override {
        if (totalAssets() + assets > maxCap) revert MaxCapReached();
    }

    function _entryFee(uint256 shares) internal view override returns (uint256) {
        return (shares * _entryRate + 9_999) / 10_000;
    }

    function _exitFee(uint256 shares) internal view override returns (uint256) {
        return (shares * _exitRate + 9_999) / 10_000;
    }
}

/// @notice Stand-in for Centrifuge's share token: shared by several vaults, members only.
contract CentrifugeShare is ERC20 {
    address public immutable owner = msg.sender;
    mapping(address => bool) public vaults;

    constructor(string memory name_, string memory symbol_) ERC20(name_, symbol_) {}

    function rely(address vault) external {
        require(msg.sender == owner);
        vaults[vault] = true;
    }

    function mint(address to, uint256 amount) external {
        require(vaults[msg.sender] || msg.sender == owner);
        _mint(to, amount);
    }

    function burn(address from, uint256 amount) external {
        require(vaults[msg.sender]);
        _burn(from, amount);
    }

    function move(address from, address to, uint256 amount) external {
        require(vaults[msg.sender]);
        _transfer(from, to, amount);
    }
}

/// @notice Common to both kinds of Centrifuge vaults: a pushed price, and members.
abstract contract CentrifugeVault is DepositRequests {
    using SafeERC20 for IERC20;

    CentrifugeShare public immutable share;
    bool public membersOnly;
    bool public linked = true;
    bool public priceValid = true;
    uint256 public priceLastUpdated = block.timestamp;
    mapping(address => bool) private _members;
    /// @dev Assets per whole share.
    uint256 internal _price;

    mapping(address => bool) public cancelling;
    mapping(address => uint256) private _returned;
    mapping(address => bool) internal _cancellingDeposit;
    mapping(address => uint256) internal _returnedAssets;

    error TransferNotAllowed();
    error CancellationIsPending();

    event CancelRedeemRequest(address indexed controller, uint256 indexed requestId, address sender);
    event CancelRedeemClaim(
        address indexed controller, address indexed receiver, uint256 indexed requestId, address sender, uint256 shares
    );
    event RedeemRequest(
        address indexed controller, address indexed owner, uint256 indexed requestId, address sender, uint256 shares
    );

    constructor(address asset_, CentrifugeShare share_, uint256 price) DepositRequests(asset_) {
        share = share_;
        _price = price;
    }

    function setMembersOnly(bool yes) external onlyOwner {
        membersOnly = yes;
    }

    function updateMember(address account) external onlyOwner {
        _members[account] = true;
    }

    /// @notice True while the registry of vaults lists this one.
    function setLinked(bool yes) external onlyOwner {
        linked = yes;
    }

    /// @notice True while the price is recent enough.
    function setPriceValid(bool yes) external onlyOwner {
        priceValid = yes;
    }

    function isPermissioned(address controller) public view returns (bool) {
        return !membersOnly || _members[controller];
    }

    /// @notice A former member may not claim, although the assets still belong to them.
    function claimableRedeemRequest(uint256, address controller) external view override returns (uint256) {
        return isPermissioned(controller) ? _redeemable[controller] : 0;
    }

    function maxWithdraw(address controller) public view override returns (uint256) {
        return isPermissioned(controller) ? _payable[controller] : 0;
    }

    /// @notice The contract that keeps the requests of the pool's vaults.
    function asyncRedeemManager() external view returns (address) {
        return address(this);
    }

    function investments(address, address controller)
        external
        view
        returns (
            uint128 claimableShares,
            uint128 claimableAssets,
            uint128 depositPrice,
            uint128 redeemPrice,
            uint128 pendingAssets,
            uint128 pendingShares,
            uint128 returnedAssets,
            uint128 returnedShares,
            bool cancellingDeposit,
            bool cancellingRedemption
        )
    {
        claimableShares = uint128(_claimableShares[controller]);
        claimableAssets = uint128(_payable[controller]);
        pendingAssets = uint128(_pending[controller]);
        pendingShares = uint128(_leaving[controller]);
        returnedAssets = uint128(_returnedAssets[controller]);
        returnedShares = uint128(_returned[controller]);
        cancellingDeposit = _cancellingDeposit[controller];
        cancellingRedemption = cancelling[controller];
    }

    function pricePerShare() external view returns (uint256) {
        return _price;
    }

    function convertToShares(uint256 assets) public view returns (uint256) {
        return assets * 1e18 / _price;
    }

    function convertToAssets(uint256 shares) public view returns (uint256) {
        return shares * _price / 1e18;
    }

    function totalAssets() external view returns (uint256) {
        return convertToAssets(share.totalSupply());
    }

    function requestRedeem(uint256 shares, address controller, address from) external returns (uint256) {
        if (!isPermissioned(controller)) revert TransferNotAllowed();
        if (cancelling[controller]) revert CancellationIsPending();
        if (from != msg.sender) share.transferFrom(from, address(this), shares);
        else share.move(from, address(this), shares);
        _leaving[controller] += shares;
        emit RedeemRequest(controller, from, 0, msg.sender, shares);
        return 0;
    }

    function withdraw(uint256 assets, address receiver, address controller) external returns (uint256 shares) {
        if (!isPermissioned(controller)) revert TransferNotAllowed();
        uint256 all = maxWithdraw(controller);
        shares = assets == all ? _redeemable[controller] : _redeemable[controller] * assets / all;
        _payClaim(shares, receiver, controller);
    }

    function pendingCancelRedeemRequest(uint256, address controller) external view returns (bool) {
        return cancelling[controller];
    }

    function claimableCancelRedeemRequest(uint256, address controller) external view returns (uint256) {
        return _returned[controller];
    }

    function cancelRedeemRequest(uint256, address controller) external {
        require(msg.sender == controller && _leaving[controller] > 0);
        cancelling[controller] = true;
        emit CancelRedeemRequest(controller, 0, msg.sender);
    }

    /// @notice The hub approves only a part of a controller's redemption, at the current price.
    function settlePart(address controller, uint256 shares) external onlyOwner {
        _leaving[controller] -= shares;
        _redeemable[controller] += shares;
        _payable[controller] += _redeemed(shares);
    }

    /// @notice The hub's answer to a cancellation.
    function answerCancellation(address controller) external onlyOwner {
        cancelling[controller] = false;
        _returned[controller] += _leaving[controller];
        _leaving[controller] = 0;
    }

    function claimCancelRedeemRequest(uint256, address receiver, address controller) external returns (uint256 shares) {
        require(msg.sender == controller);
        shares = _returned[controller];
        _returned[controller] = 0;
        share.move(address(this), receiver, shares);
        emit CancelRedeemClaim(controller, receiver, 0, msg.sender, shares);
    }

    function _redeemed(uint256 shares) internal override returns (uint256) {
        share.burn(address(this), shares);
        return convertToAssets(shares);
    }

    function redeem(uint256 shares, address receiver, address controller) external returns (uint256 assets) {
        if (_redeemable[controller] > 0) return _payClaim(shares, receiver, controller);
        require(controller == msg.sender);
        assets = convertToAssets(shares);
        share.burn(controller, shares);
        IERC20(asset).safeTransfer(receiver, assets);
        emit Withdraw(msg.sender, receiver, controller, assets, shares);
    }

    function _settled(uint256 assets) internal view override returns (uint256 shares) {
        return convertToShares(assets);
    }

    function _release(address receiver, uint256 shares) internal override {
        if (!isPermissioned(receiver)) revert TransferNotAllowed();
        share.mint(receiver, shares);
    }
}

/// @notice Stand-in for Centrifuge's AsyncVault: it stores the settled shares and their price, rounded down. The
/// assets derived from it are rounded as well, so a claim by assets yields less than all shares.
contract CentrifugeAsyncVault is CentrifugeVault {
    using SafeERC20 for IERC20;

    uint256 private constant ONE = 1e18;
    /// @dev Assets per share, both in 18 decimals.
    mapping(address => uint256) private _depositPrice;

    error VaultNotLinked();
    error InvalidController();
    error ExceedsMaxDeposit();
    error ExceedsDepositLimits();
    error NoPendingRequest();

    event CancelDepositRequest(address indexed controller, uint256 indexed requestId, address sender);
    event CancelDepositClaim(
        address indexed controller, address indexed receiver, uint256 indexed requestId, address sender, uint256 assets
    );

    constructor(address asset_, CentrifugeShare share_, uint256 price) CentrifugeVault(asset_, share_, price) {}

    /// @notice Takes effect when the hub answers; until then the controller can request nothing.
    function cancelDepositRequest(uint256, address controller) external {
        if (controller != msg.sender) revert InvalidController();
        if (_pending[controller] == 0) revert NoPendingRequest();
        if (_cancellingDeposit[controller]) revert CancellationIsPending();
        _cancellingDeposit[controller] = true;
        emit CancelDepositRequest(controller, 0, msg.sender);
    }

    /// @notice The hub's answer: the assets stay in the vault until they are claimed.
    function answerDepositCancellation(address controller) external onlyOwner {
        _cancellingDeposit[controller] = false;
        _returnedAssets[controller] += _pending[controller];
        _pending[controller] = 0;
    }

    function pendingCancelDepositRequest(uint256, address controller) external view returns (bool) {
        return _cancellingDeposit[controller];
    }

    function claimableCancelDepositRequest(uint256, address controller) external view returns (uint256) {
        return _returnedAssets[controller];
    }

    function claimCancelDepositRequest(uint256, address receiver, address controller)
        external
        returns (uint256 assets)
    {
        if (controller != msg.sender) revert InvalidController();
        assets = _returnedAssets[controller];
        _returnedAssets[controller] = 0;
        IERC20(asset).safeTransfer(receiver, assets);
        emit CancelDepositClaim(controller, receiver, 0, msg.sender, assets);
    }

    function vaultKind() external pure returns (uint8) {
        return 0;
    }

    function maxDeposit(address controller) public view returns (uint256) {
        return maxMint(controller) * _depositPrice[controller] / ONE / _unit();
    }

    function claimableDepositRequest(uint256, address controller) external view override returns (uint256) {
        return maxDeposit(controller);
    }

    /// @notice A former member may not claim, although the shares still belong to them.
    function maxMint(address controller) public view override returns (uint256) {
        return isPermissioned(controller) ? _claimableShares[controller] : 0;
    }

    function previewDeposit(uint256) external pure returns (uint256) {
        revert();
    }

    function requestDeposit(uint256 assets, address controller, address from) external returns (uint256) {
        if (!linked) revert VaultNotLinked();
        if (!isPermissioned(controller)) revert TransferNotAllowed();
        if (_cancellingDeposit[controller]) revert CancellationIsPending();
        _request(assets, controller, from);
        emit DepositRequest(controller, from, 0, msg.sender, assets);
        return 0;
    }

    function deposit(uint256 assets, address receiver) external returns (uint256) {
        return deposit(assets, receiver, msg.sender);
    }

    function deposit(uint256 assets, address receiver, address controller) public returns (uint256 shares) {
        if (assets > maxDeposit(controller)) revert ExceedsMaxDeposit();
        uint256 price = _depositPrice[controller];
        shares = assets * _unit() * ONE / price;
        _take((assets * _unit() * ONE + price - 1) / price, controller);
        _release(receiver, shares);
        emit Deposit(controller, receiver, assets, shares);
    }

    function mint(uint256 shares, address receiver, address controller) external returns (uint256 assets) {
        assets = (shares * _depositPrice[controller] + ONE * _unit() - 1) / (ONE * _unit());
        _take(shares, controller);
        _release(receiver, shares);
        emit Deposit(controller, receiver, assets, shares);
    }

    function _take(uint256 shares, address controller) private {
        if (controller != msg.sender && !isOperator[controller][msg.sender]) revert InvalidController();
        if (shares > _claimableShares[controller]) revert ExceedsDepositLimits();
        _claimableShares[controller] -= shares;
    }

    /// @notice Nothing was claimable before, because requests are settled one after the other here.
    function _noted(address controller, uint256 assets, uint256 shares) internal override {
        _depositPrice[controller] = shares == 0 ? 0 : assets * _unit() * ONE / shares;
    }

    function _unit() private view returns (uint256) {
        return 10 ** (18 - IERC20Metadata(asset).decimals());
    }
}

/// @notice Stand-in for Centrifuge's SyncDepositVault: its Deposit event names the receiver first, and its limit is
/// the caller's.
contract CentrifugeSyncVault is CentrifugeVault {
    using SafeERC20 for IERC20;

    uint256 public room = type(uint256).max;

    error ExceedsMaxDeposit();
    error InvalidPrice();

    constructor(address asset_, CentrifugeShare share_, uint256 price) CentrifugeVault(asset_, share_, price) {}

    function vaultKind() external pure returns (uint8) {
        return 2;
    }

    function setRoom(uint256 room_) external onlyOwner {
        room = room_;
    }

    function maxDeposit(address owner_) public view returns (uint256) {
        if (!priceValid) revert InvalidPrice();
        return linked && isPermissioned(owner_) ? room : 0;
    }

    function previewDeposit(uint256 assets) public view returns (uint256) {
        if (!priceValid) revert InvalidPrice();
        return convertToShares(assets);
    }

    function deposit(uint256 assets, address receiver) external returns (uint256 shares) {
        if (assets > maxDeposit(msg.sender)) revert ExceedsMaxDeposit();
        shares = previewDeposit(assets);
        _release(receiver, shares);
        IERC20(asset).safeTransferFrom(msg.sender, address(this), assets);
        emit Deposit(receiver, msg.sender, assets, shares);
    }
}
