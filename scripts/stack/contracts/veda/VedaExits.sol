// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {ERC20} from "solmate/src/tokens/ERC20.sol";
import {SafeTransferLib} from "solmate/src/utils/SafeTransferLib.sol";
import {VedaAccountant, VedaVault} from "./Veda.sol";

/// @notice Common to Veda's contracts that pay later: they belong to one vault and are priced by its accountant.
abstract contract VedaExit {
    VedaVault public immutable boringVault;
    VedaAccountant public immutable accountant;
    address public immutable owner = msg.sender;
    bool public isPaused;

    constructor(VedaVault vault_, VedaAccountant accountant_) {
        (boringVault, accountant) = (vault_, accountant_);
    }

    modifier requiresAuth() {
        require(msg.sender == owner, "UNAUTHORIZED");
        _;
    }

    function setPaused(bool yes) external requiresAuth {
        isPaused = yes;
    }

    function _oneShare() internal view returns (uint256) {
        return 10 ** boringVault.decimals();
    }
}

struct OnChainWithdraw {
    uint96 nonce;
    address user;
    address assetOut;
    uint128 amountOfShares;
    uint128 amountOfAssets;
    uint40 creationTime;
    uint24 secondsToMaturity;
    uint24 secondsToDeadline;
}

/// @notice Stand-in for a BoringSolver: redeems the shares that the queue hands over. The vault's exit names it.
contract VedaSolver {
    using SafeTransferLib for ERC20;

    function boringSolve(VedaVault vault, ERC20 asset, uint256 shares, uint256 assets) external {
        vault.exit(address(this), asset, assets, address(this), shares);
        asset.safeApprove(msg.sender, assets);
    }
}

/// @notice Stand-in for a BoringOnChainQueue: it keeps a hash of each request, whose assets are fixed when it is made.
contract VedaWithdrawQueue is VedaExit {
    using SafeTransferLib for ERC20;

    struct WithdrawAsset {
        bool allowWithdraws;
        uint24 secondsToMaturity;
        uint24 minimumSecondsToDeadline;
        uint16 minDiscount;
        uint16 maxDiscount;
        uint96 minimumShares;
        uint256 withdrawCapacity;
    }

    VedaSolver public immutable solver;
    mapping(address => WithdrawAsset) public withdrawAssets;
    bytes32[] private _ids;
    /// The open requests, which the real queue finds in its solvers' calls.
    mapping(bytes32 => OnChainWithdraw) private _open;
    uint96 public nonce = 1;

    event OnChainWithdrawRequested(
        bytes32 indexed requestId,
        address indexed user,
        address indexed assetOut,
        uint96 nonce,
        uint128 amountOfShares,
        uint128 amountOfAssets,
        uint40 creationTime,
        uint24 secondsToMaturity,
        uint24 secondsToDeadline
    );
    event OnChainWithdrawCancelled(bytes32 indexed requestId, address indexed user, uint256 timestamp);
    event OnChainWithdrawSolved(bytes32 indexed requestId, address indexed user, uint256 timestamp);

    error BoringOnChainQueue__Paused();
    error BoringOnChainQueue__WithdrawsNotAllowedForAsset();
    error BoringOnChainQueue__BadDiscount();
    error BoringOnChainQueue__BadShareAmount();
    error BoringOnChainQueue__BadDeadline();
    error BoringOnChainQueue__NotEnoughWithdrawCapacity();
    error BoringOnChainQueue__BadUser();
    error BoringOnChainQueue__NotMatured();
    error BoringOnChainQueue__DeadlinePassed();
    error BoringOnChainQueue__RequestNotFound();

    constructor(VedaVault vault_, VedaAccountant accountant_) VedaExit(vault_, accountant_) {
        solver = new VedaSolver();
    }

    /// `discount` in basis points of the assets.
    function updateWithdrawAsset(
        address asset,
        uint24 secondsToMaturity,
        uint24 minimumSecondsToDeadline,
        uint16 discount,
        uint96 minimumShares
    ) external requiresAuth {
        withdrawAssets[asset] = WithdrawAsset(
            true, secondsToMaturity, minimumSecondsToDeadline, discount, 1000, minimumShares, type(uint256).max
        );
    }

    function setWithdrawCapacity(address asset, uint256 capacity) external requiresAuth {
        withdrawAssets[asset].withdrawCapacity = capacity;
    }

    function getRequestIds() external view returns (bytes32[] memory) {
        return _ids;
    }

    function previewAssetsOut(address asset, uint128 shares, uint16 discount) public view returns (uint128) {
        uint256 price = accountant.getRateInQuoteSafe(asset) * (1e4 - discount) / 1e4;
        return uint128(shares * price / _oneShare());
    }

    function requestOnChainWithdraw(address asset, uint128 shares, uint16 discount, uint24 secondsToDeadline)
        external
        returns (bytes32 requestId)
    {
        WithdrawAsset storage terms = withdrawAssets[asset];
        if (terms.withdrawCapacity < shares) revert BoringOnChainQueue__NotEnoughWithdrawCapacity();
        if (terms.withdrawCapacity != type(uint256).max) terms.withdrawCapacity -= shares;
        if (isPaused) revert BoringOnChainQueue__Paused();
        if (!terms.allowWithdraws) revert BoringOnChainQueue__WithdrawsNotAllowedForAsset();
        if (discount < terms.minDiscount || discount > terms.maxDiscount) revert BoringOnChainQueue__BadDiscount();
        if (shares < terms.minimumShares) revert BoringOnChainQueue__BadShareAmount();
        if (secondsToDeadline < terms.minimumSecondsToDeadline) revert BoringOnChainQueue__BadDeadline();
        ERC20(boringVault).safeTransferFrom(msg.sender, address(this), shares);
        OnChainWithdraw memory request = OnChainWithdraw({
            nonce: nonce++,
            user: msg.sender,
            assetOut: asset,
            amountOfShares: shares,
            amountOfAssets: previewAssetsOut(asset, shares, discount),
            creationTime: uint40(block.timestamp),
            secondsToMaturity: terms.secondsToMaturity,
            secondsToDeadline: secondsToDeadline
        });
        requestId = keccak256(abi.encode(request));
        _ids.push(requestId);
        _open[requestId] = request;
        emit OnChainWithdrawRequested(
            requestId,
            msg.sender,
            asset,
            request.nonce,
            shares,
            request.amountOfAssets,
            request.creationTime,
            request.secondsToMaturity,
            secondsToDeadline
        );
    }

    function cancelOnChainWithdraw(OnChainWithdraw memory request) external returns (bytes32 requestId) {
        if (request.user != msg.sender) revert BoringOnChainQueue__BadUser();
        requestId = _remove(keccak256(abi.encode(request)));
        ERC20(boringVault).safeTransfer(request.user, request.amountOfShares);
        emit OnChainWithdrawCancelled(requestId, request.user, block.timestamp);
    }

    /// @notice Solves all matured requests of an account, as a solver does request by request.
    function settle(address user) external requiresAuth {
        _settle(user, false);
    }

    /// @notice Solves all requests of an account, mature or not, so that a local chain's clock need not move.
    function settleEarly(address user) external requiresAuth {
        _settle(user, true);
    }

    function openRequests(address user) external view returns (uint256 count) {
        for (uint256 i = 0; i < _ids.length; ++i) {
            if (_open[_ids[i]].user == user) ++count;
        }
    }

    function _settle(address user, bool early) private {
        if (isPaused) revert BoringOnChainQueue__Paused();
        for (uint256 i = _ids.length; i > 0; --i) {
            OnChainWithdraw memory request = _open[_ids[i - 1]];
            uint256 maturity = request.creationTime + request.secondsToMaturity;
            if (request.user != user || (block.timestamp < maturity && !early)) continue;
            if (block.timestamp <= maturity + request.secondsToDeadline) _solve(_ids[i - 1], request);
        }
    }

    function _solve(bytes32 requestId, OnChainWithdraw memory request) private {
        _remove(requestId);
        emit OnChainWithdrawSolved(requestId, request.user, block.timestamp);
        ERC20(boringVault).safeTransfer(address(solver), request.amountOfShares);
        ERC20 asset = ERC20(request.assetOut);
        solver.boringSolve(boringVault, asset, request.amountOfShares, request.amountOfAssets);
        asset.safeTransferFrom(address(solver), request.user, request.amountOfAssets);
    }

    function _remove(bytes32 requestId) private returns (bytes32) {
        for (uint256 i = 0; i < _ids.length; ++i) {
            if (_ids[i] != requestId) continue;
            _ids[i] = _ids[_ids.length - 1];
            _ids.pop();
            delete _open[requestId];
            return requestId;
        }
        revert BoringOnChainQueue__RequestNotFound();
    }
}

/// @notice Stand-in for a DelayedWithdraw: one request per account and asset, paid after a fixed wait at the lower of
/// the two rates, less a fee in shares. A second request joins the first and restarts its wait.
contract VedaDelayedWithdraw is VedaExit {
    using SafeTransferLib for ERC20;

    struct WithdrawAsset {
        bool allowWithdraws;
        uint32 withdrawDelay;
        uint32 completionWindow;
        uint128 outstandingShares;
        uint16 withdrawFee;
        uint16 maxLoss;
    }

    struct WithdrawRequest {
        bool allowThirdPartyToComplete;
        uint16 maxLoss;
        uint40 maturity;
        uint96 shares;
        uint96 exchangeRateAtTimeOfRequest;
    }

    uint32 private constant DEFAULT_COMPLETION_WINDOW = 7 days;
    mapping(address => WithdrawAsset) public withdrawAssets;
    mapping(address => mapping(address => WithdrawRequest)) public withdrawRequests;

    event WithdrawRequested(address indexed account, address indexed asset, uint96 shares, uint40 maturity);
    event WithdrawCancelled(address indexed account, address indexed asset, uint96 shares);
    event WithdrawCompleted(address indexed account, address indexed asset, uint256 shares, uint256 assets);

    error DelayedWithdraw__Paused();
    error DelayedWithdraw__WithdrawsNotAllowed();
    error DelayedWithdraw__WithdrawNotMatured();
    error DelayedWithdraw__NoSharesToWithdraw();
    error DelayedWithdraw__MaxLossExceeded();
    error DelayedWithdraw__ThirdPartyCompletionNotAllowed();
    error DelayedWithdraw__RequestPastCompletionWindow();

    constructor(VedaVault vault_, VedaAccountant accountant_) VedaExit(vault_, accountant_) {}

    /// Fee and loss in basis points.
    function setupWithdrawAsset(address asset, uint32 delay, uint32 window, uint16 fee, uint16 maxLoss)
        external
        requiresAuth
    {
        withdrawAssets[asset] = WithdrawAsset(true, delay, window, 0, fee, maxLoss);
    }

    function stopWithdrawalsInAsset(address asset) external requiresAuth {
        if (!withdrawAssets[asset].allowWithdraws) revert DelayedWithdraw__WithdrawsNotAllowed();
        withdrawAssets[asset].allowWithdraws = false;
    }

    function requestWithdraw(address asset, uint96 shares, uint16 maxLoss, bool allowThirdPartyToComplete) external {
        if (isPaused) revert DelayedWithdraw__Paused();
        WithdrawAsset storage terms = withdrawAssets[asset];
        if (!terms.allowWithdraws) revert DelayedWithdraw__WithdrawsNotAllowed();
        ERC20(boringVault).safeTransferFrom(msg.sender, address(this), shares);
        terms.outstandingShares += shares;
        WithdrawRequest storage request = withdrawRequests[msg.sender][asset];
        request.shares += shares;
        request.maturity = uint40(block.timestamp + terms.withdrawDelay);
        request.exchangeRateAtTimeOfRequest = uint96(accountant.getRateInQuoteSafe(asset));
        request.maxLoss = maxLoss;
        request.allowThirdPartyToComplete = allowThirdPartyToComplete;
        emit WithdrawRequested(msg.sender, asset, shares, request.maturity);
    }

    function cancelWithdraw(address asset) external {
        uint96 shares = _take(asset, msg.sender);
        ERC20(boringVault).safeTransfer(msg.sender, shares);
        emit WithdrawCancelled(msg.sender, asset, shares);
    }

    function completeWithdraw(address asset, address account) external returns (uint256 assets) {
        if (isPaused) revert DelayedWithdraw__Paused();
        WithdrawAsset storage terms = withdrawAssets[asset];
        WithdrawRequest memory request = withdrawRequests[account][asset];
        uint256 window = terms.completionWindow > 0 ? terms.completionWindow : DEFAULT_COMPLETION_WINDOW;
        if (block.timestamp > request.maturity + window) revert DelayedWithdraw__RequestPastCompletionWindow();
        if (msg.sender != account && !request.allowThirdPartyToComplete) {
            revert DelayedWithdraw__ThirdPartyCompletionNotAllowed();
        }
        if (!terms.allowWithdraws) revert DelayedWithdraw__WithdrawsNotAllowed();
        if (block.timestamp < request.maturity) revert DelayedWithdraw__WithdrawNotMatured();
        uint256 shares = _take(asset, account);
        uint256 rate = _lowerRate(request, terms.maxLoss, accountant.getRateInQuoteSafe(asset));
        uint256 fee = shares * terms.withdrawFee / 1e4;
        if (fee > 0) ERC20(boringVault).safeTransfer(owner, fee);
        shares -= fee;
        assets = shares * rate / _oneShare();
        boringVault.exit(account, ERC20(asset), assets, address(this), shares);
        emit WithdrawCompleted(account, asset, shares, assets);
    }

    function _lowerRate(WithdrawRequest memory request, uint16 commonLoss, uint256 rate)
        private
        pure
        returns (uint256)
    {
        uint256 then = request.exchangeRateAtTimeOfRequest;
        (uint256 low, uint256 high) = then < rate ? (then, rate) : (rate, then);
        uint256 maxLoss = request.maxLoss > 0 ? request.maxLoss : commonLoss;
        if (low * (1e4 + maxLoss) / 1e4 < high) revert DelayedWithdraw__MaxLossExceeded();
        return low;
    }

    function _take(address asset, address account) private returns (uint96 shares) {
        shares = withdrawRequests[account][asset].shares;
        if (shares == 0) revert DelayedWithdraw__NoSharesToWithdraw();
        withdrawRequests[account][asset].shares = 0;
        withdrawAssets[asset].outstandingShares -= shares;
    }
}
