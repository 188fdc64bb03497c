// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {LpToken} from "../upshift/TokenizedVault.sol";

/// @notice Lends the vault's assets and permits deposits. Anyone may change any setting.
contract AccountableStrategy {
    struct Loan {
        uint256 minDeposit;
        uint256 minRedeem;
        uint256 maxCapacity;
        bool open;
    }

    Loan public loan = Loan(0, 0, type(uint256).max, true);
    bool public paused;
    /// True when the last valuation is too old.
    bool private _stale;

    error EnforcedPause();
    error NAVGracePeriodExpired();
    error InsufficientAmount();
    error InsufficientShares();
    error DepositNotAllowed();

    function setLoan(uint256 minDeposit, uint256 maxCapacity, bool open) external {
        loan = Loan(minDeposit, loan.minRedeem, maxCapacity, open);
    }

    function setMinRedeem(uint256 shares) external {
        loan.minRedeem = shares;
    }

    function setPaused(bool paused_) external {
        paused = paused_;
    }

    function setStale(bool stale) external {
        _stale = stale;
    }

    function onDeposit(uint256 assets) external view {
        if (_stale) revert NAVGracePeriodExpired();
        if (paused) revert EnforcedPause();
        if (!loan.open) revert DepositNotAllowed();
        if (assets < loan.minDeposit) revert InsufficientAmount();
    }

    function onRequestRedeem(uint256 shares) external view {
        if (paused) revert EnforcedPause();
        if (shares < loan.minRedeem) revert InsufficientShares();
    }
}

/// @notice Keeps the assets of fulfilled requests.
contract AccountableTill {
    using SafeERC20 for IERC20;

    address private immutable _vault = msg.sender;

    function pay(IERC20 asset, address receiver, uint256 assets) external {
        require(msg.sender == _vault);
        asset.safeTransfer(receiver, assets);
    }
}

/// @notice Behaves like Accountable's vault towards depositors: shares are a separate contract, `totalAssets` is the
/// idle balance, previews revert, and deposits need a minimum amount, a permission and the strategy's approval.
/// Anyone may change any setting.
contract AccountableVault {
    using SafeERC20 for IERC20;
    using Math for uint256;

    IERC20 public immutable asset;
    LpToken private immutable _share;
    AccountableStrategy public immutable strategy;

    uint8 public permissionLevel;
    uint256 public MIN_AMOUNT_WEI = 1;
    /// Assets that the strategy has lent out.
    uint256 public lent;
    mapping(address => bool) public allowed;
    mapping(address => uint256) private _pending;
    mapping(address => uint256) private _claimable;
    mapping(address => uint256) private _payable;
    /// Assets of fulfilled requests, which no longer belong to the vault.
    AccountableTill private immutable _till;

    event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares);
    event RedeemRequest(
        address indexed controller, address indexed owner, uint256 indexed requestId, address sender, uint256 shares
    );

    event RedeemClaimable(address indexed controller, uint256 indexed requestId, uint256 assets, uint256 shares);
    event CancelRedeemRequest(
        address indexed controller, address indexed receiver, uint256 indexed requestId, address sender
    );
    event Withdraw(
        address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares
    );

    error InsufficientAmount();
    error ExceedsMaxRedeem();
    error NoPendingRedeemRequest();
    error ExceedsMaxDeposit();
    error Unauthorized();
    error PreviewDisabled();

    constructor(IERC20 asset_, string memory name_, string memory symbol_, AccountableStrategy strategy_) {
        (asset, strategy) = (asset_, strategy_);
        _share = new LpToken(name_, symbol_, ERC20(address(asset_)).decimals());
        _till = new AccountableTill();
    }

    function share() external view returns (address) {
        return address(_share);
    }

    function totalSupply() public view returns (uint256) {
        return _share.totalSupply();
    }

    function setPermissionLevel(uint8 level) external {
        permissionLevel = level;
    }

    function setAllowed(address account, bool is_) external {
        allowed[account] = is_;
    }

    function setMinimum(uint256 least) external {
        MIN_AMOUNT_WEI = least;
    }

    /// Lends out idle assets and adds the interest they will have earned.
    function lend(uint256 assets, uint256 interest) external {
        lent += assets + interest;
        asset.safeTransfer(address(strategy), assets);
    }

    function totalAssets() public view returns (uint256) {
        return asset.balanceOf(address(this));
    }

    function convertToShares(uint256 assets) public view returns (uint256) {
        uint256 supply = totalSupply();
        return supply == 0 ? assets : assets.mulDiv(supply, totalAssets() + lent);
    }

    function convertToAssets(uint256 shares) public view returns (uint256) {
        uint256 supply = totalSupply();
        return supply == 0 ? shares : shares.mulDiv(totalAssets() + lent, supply);
    }

    function previewDeposit(uint256) external pure returns (uint256) {
        revert PreviewDisabled();
    }

    function maxDeposit(address) public view returns (uint256) {
        (,, uint256 capacity,) = strategy.loan();
        uint256 held = totalAssets() + lent;
        return capacity > held ? capacity - held : 0;
    }

    function deposit(uint256 assets, address receiver) external returns (uint256 shares) {
        if (permissionLevel == 1) revert Unauthorized();
        if (permissionLevel == 2 && !(allowed[msg.sender] && allowed[receiver])) revert Unauthorized();
        if (assets < MIN_AMOUNT_WEI) revert InsufficientAmount();
        if (assets > maxDeposit(receiver)) revert ExceedsMaxDeposit();
        strategy.onDeposit(assets);
        shares = convertToShares(assets);
        asset.safeTransferFrom(msg.sender, address(this), assets);
        _share.mint(receiver, shares);
        emit Deposit(msg.sender, receiver, assets, shares);
    }

    function pendingRedeemRequest(uint256, address controller) external view returns (uint256) {
        return _pending[controller];
    }

    function claimableRedeemRequest(uint256, address controller) external view returns (uint256) {
        return _claimable[controller];
    }

    function maxWithdraw(address controller) external view returns (uint256) {
        return _payable[controller];
    }

    /// Fulfils a part of a request, as liquidity comes.
    function fulfil(address controller, uint256 shares) public {
        uint256 assets = convertToAssets(shares);
        _pending[controller] -= shares;
        _claimable[controller] += shares;
        _payable[controller] += assets;
        _share.burn(address(this), shares);
        asset.safeTransfer(address(_till), assets);
        emit RedeemClaimable(controller, 0, assets, shares);
    }

    function settle(address controller) external {
        fulfil(controller, _pending[controller]);
    }

    function redeem(uint256 shares, address receiver, address controller) external returns (uint256 assets) {
        if (msg.sender != controller) revert Unauthorized();
        if (shares > _claimable[controller]) revert ExceedsMaxRedeem();
        assets = shares == _claimable[controller]
            ? _payable[controller]
            : _payable[controller] * shares / _claimable[controller];
        _claimable[controller] -= shares;
        _payable[controller] -= assets;
        _till.pay(asset, receiver, assets);
        emit Withdraw(msg.sender, receiver, controller, assets, shares);
    }

    function cancelRedeemRequest(address controller, address receiver) external returns (uint256 shares) {
        if (msg.sender != controller) revert Unauthorized();
        shares = _pending[controller];
        if (shares == 0) revert NoPendingRedeemRequest();
        _pending[controller] = 0;
        _share.transfer(receiver, shares);
        emit CancelRedeemRequest(controller, receiver, 0, msg.sender);
    }

    function requestRedeem(uint256 shares, address controller, address owner) external returns (uint256) {
        if (msg.sender != owner) revert Unauthorized();
        if (shares < MIN_AMOUNT_WEI) revert InsufficientAmount();
        if (permissionLevel == 2 && !(allowed[owner] && allowed[controller])) revert Unauthorized();
        strategy.onRequestRedeem(shares);
        _share.move(owner, address(this), shares);
        _pending[controller] += shares;
        emit RedeemRequest(controller, owner, 0, msg.sender, shares);
        return 0;
    }
}
