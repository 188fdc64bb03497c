// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";

/// @notice Roles of callers, and the lock time of accounts' shares. Anyone may change any setting.
contract PlasmaAccessManager {
    bool public open = true;
    uint256 public redemptionDelay;
    mapping(address => bool) public whitelisted;
    mapping(address => bool) public isTargetClosed;
    mapping(address => uint256) public getAccountLockTime;

    function setOpen(bool open_) external {
        open = open_;
    }

    function setWhitelisted(address account, bool is_) external {
        whitelisted[account] = is_;
    }

    function setTargetClosed(address target, bool closed) external {
        isTargetClosed[target] = closed;
    }

    function setRedemptionDelay(uint256 delay) external {
        redemptionDelay = delay;
    }

    function lock(address account) external {
        getAccountLockTime[account] = block.timestamp + redemptionDelay;
    }

    function canCall(address caller, address target, bytes4 selector) external view returns (bool, uint32) {
        if (selector == PlasmaVault.transferRequestSharesFee.selector) {
            return (caller == address(PlasmaVault(target).withdrawManager()), 0);
        }
        bool deposits = selector == ERC4626.deposit.selector;
        return (!isTargetClosed[target] && (!deposits || open || whitelisted[caller]), 0);
    }
}

/// @notice Takes redemption requests, whose shares stay in the wallet. Anyone may change any setting.
contract PlasmaWithdrawManager {
    struct Request {
        uint256 shares;
        uint256 at;
        uint256 number;
    }

    PlasmaVault public vault;
    uint256 public getWithdrawWindow = 1 days;
    uint256 public getRequestFee;
    /// Share of what an instant redemption pays, times 10^18. The fee stays in the vault.
    uint256 public getWithdrawFee;
    /// Shares that all accounts together may still claim, whatever they requested.
    uint256 public getSharesToRelease;
    uint256 private _requestCount;
    uint256 private _releasedCount;
    uint256 private _requestedShares;
    mapping(address => Request) private _requests;

    event WithdrawRequestUpdated(address account, uint256 shares, uint32 endWithdrawWindow);
    event ReleaseFundsUpdated(uint32 releaseTimestamp, uint128 sharesToRelease);

    error WithdrawManagerZeroShares();
    error WithdrawManagerInvalidSharesToRelease(uint256 shares);

    function setVault(PlasmaVault vault_) external {
        vault = vault_;
    }

    function setWithdrawWindow(uint256 window) external {
        getWithdrawWindow = window;
    }

    function setWithdrawFee(uint256 fee) external {
        getWithdrawFee = fee;
    }

    function setRequestFee(uint256 fee) external {
        getRequestFee = fee;
    }

    function requestShares(uint256 shares) external {
        if (shares == 0) revert WithdrawManagerZeroShares();
        uint256 fee = shares * getRequestFee / 1e18;
        shares -= fee;
        _requestedShares = _requestedShares - _requests[msg.sender].shares + shares;
        _requests[msg.sender] = Request(shares, block.timestamp, ++_requestCount);
        emit WithdrawRequestUpdated(msg.sender, shares, uint32(block.timestamp + getWithdrawWindow));
        if (fee != 0) vault.transferRequestSharesFee(msg.sender, address(this), fee);
    }

    /// @dev The protocol compares times. A local chain may mine several blocks in a second, so requests are counted.
    function releaseFunds() external {
        releaseShares(_requestedShares);
    }

    /// Releases this many shares for all requests made so far.
    function releaseShares(uint256 shares) public {
        _releasedCount = _requestCount;
        getSharesToRelease = shares;
        emit ReleaseFundsUpdated(uint32(block.timestamp), uint128(shares));
    }

    function requestInfo(address account) public view returns (uint256, uint256, bool, uint256) {
        Request memory request = _requests[account];
        uint256 end = request.at + getWithdrawWindow;
        bool released = request.number <= _releasedCount;
        return (request.shares, end, released && block.timestamp <= end, getWithdrawWindow);
    }

    function useRequest(address account, uint256 shares) external returns (bool) {
        require(msg.sender == address(vault));
        (uint256 held, uint256 end, bool ready,) = requestInfo(account);
        if (!ready || held < shares) return false;
        _requests[account].shares = held - shares;
        _requestedShares -= shares;
        emit WithdrawRequestUpdated(account, held - shares, uint32(end));
        if (getSharesToRelease < shares) revert WithdrawManagerInvalidSharesToRelease(shares);
        getSharesToRelease -= shares;
        emit ReleaseFundsUpdated(uint32(block.timestamp), uint128(getSharesToRelease));
        return true;
    }
}

/// @notice Behaves like IPOR Fusion's Plasma vault towards depositors: two more decimals, roles for callers, a lock
/// of the receiver's shares, a deposit fee that conversions omit, a supply cap.
contract PlasmaVault is ERC4626 {
    PlasmaAccessManager private immutable _manager;
    PlasmaWithdrawManager public withdrawManager;
    uint256 public getTotalSupplyCap = type(uint256).max;
    uint256 public feeBps;
    /// Assets of the vault that are in markets: they count, but the vault cannot pay them.
    uint256 public invested;

    event DepositFeeRealized(address recipient, uint256 feeShares);

    error AccessManagedUnauthorized(address caller);
    error AccountIsLocked(uint256 unlockTime);
    error ERC20ExceededCap(uint256 increasedSupply, uint256 cap);
    error NoAssetsToDeposit();
    error NoSharesToDeposit();

    constructor(IERC20 asset_, string memory name_, string memory symbol_, PlasmaAccessManager manager_)
        ERC20(name_, symbol_)
        ERC4626(asset_)
    {
        _manager = manager_;
    }

    error WithdrawManagerInvalidSharesToRelease(uint256 shares);

    /// The real vault keeps it in this slot, and has no view of it.
    function setWithdrawManager(PlasmaWithdrawManager manager) external {
        withdrawManager = manager;
        assembly {
            sstore(0x465d2ff0062318fe6f4c7e9ac78cfcd70bc86a1d992722875ef83a9770513100, manager)
        }
    }

    /// Only the vault's own WithdrawManager may call it, which is how it is recognised.
    function transferRequestSharesFee(address from, address to, uint256 amount) external {
        require(msg.sender == address(withdrawManager));
        _transfer(from, to, amount);
    }

    function redeemFromRequest(uint256 shares, address receiver, address owner) external returns (uint256 assets) {
        if (!withdrawManager.useRequest(owner, shares)) revert WithdrawManagerInvalidSharesToRelease(shares);
        uint256 max = maxRedeem(owner);
        if (shares > max) revert ERC4626ExceededMaxRedeem(owner, shares, max);
        assets = convertToAssets(shares);
        _withdraw(msg.sender, receiver, owner, assets, shares);
    }

    function previewRedeem(uint256 shares) public view override returns (uint256) {
        uint256 gross = super.previewRedeem(shares);
        bool charges = address(withdrawManager) != address(0);
        return charges ? gross - gross * withdrawManager.getWithdrawFee() / 1e18 : gross;
    }

    function redeem(uint256 shares, address receiver, address owner) public override returns (uint256) {
        (bool allowed,) = _manager.canCall(msg.sender, address(this), msg.sig);
        if (!allowed) revert AccessManagedUnauthorized(msg.sender);
        uint256 unlock = _manager.getAccountLockTime(msg.sender);
        if (block.timestamp < unlock) revert AccountIsLocked(unlock);
        return super.redeem(shares, receiver, owner);
    }

    /// Moves assets into markets, which the vault then cannot pay.
    function invest(uint256 assets) external {
        invested += assets;
        IERC20(asset()).transfer(address(0xb0), assets);
    }

    function totalAssets() public view override returns (uint256) {
        return super.totalAssets() + invested;
    }

    function setSupplyCap(uint256 cap) external {
        getTotalSupplyCap = cap;
    }

    function setFee(uint256 bps) external {
        feeBps = bps;
    }

    function getAccessManagerAddress() external view returns (address) {
        return address(_manager);
    }

    function _decimalsOffset() internal pure override returns (uint8) {
        return 2;
    }

    function maxDeposit(address) public view override returns (uint256) {
        uint256 supply = totalSupply();
        if (supply >= getTotalSupplyCap) return 0;
        return getTotalSupplyCap == type(uint256).max ? type(uint256).max : convertToAssets(getTotalSupplyCap - supply);
    }

    function previewDeposit(uint256 assets) public view override returns (uint256) {
        uint256 gross = convertToShares(assets);
        return gross - gross * feeBps / 10_000;
    }

    function deposit(uint256 assets, address receiver) public override returns (uint256 shares) {
        (bool allowed,) = _manager.canCall(msg.sender, address(this), msg.sig);
        if (!allowed) revert AccessManagedUnauthorized(msg.sender);
        if (assets == 0) revert NoAssetsToDeposit();
        uint256 gross = convertToShares(assets);
        shares = previewDeposit(assets);
        if (shares == 0) revert NoSharesToDeposit();
        _manager.lock(receiver);
        _deposit(msg.sender, receiver, assets, shares);
        if (gross > shares) {
            _mint(address(_manager), gross - shares);
            emit DepositFeeRealized(address(_manager), gross - shares);
        }
        if (totalSupply() > getTotalSupplyCap) revert ERC20ExceededCap(totalSupply(), getTotalSupplyCap);
    }

    function _update(address from, address to, uint256 value) internal override {
        uint256 unlock = _manager.getAccountLockTime(from);
        if (from != address(0) && block.timestamp < unlock) revert AccountIsLocked(unlock);
        super._update(from, to, value);
    }
}
