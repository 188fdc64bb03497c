// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {LendingVault} from "../lending/Lending.sol";

/// @notice Keeps the assets that are cooling.
contract CooldownSilo {
    using SafeERC20 for IERC20;

    address private immutable _vault = msg.sender;

    function pay(IERC20 asset, address receiver, uint256 assets) external {
        require(msg.sender == _vault);
        asset.safeTransfer(receiver, assets);
    }
}

/// @notice Behaves like StakedUSDeV2 towards holders: while a cooldown is set, shares are burned at today's price and
/// paid after the wait; a second start adds to the first and restarts its wait. Anyone may change the cooldown.
contract CooldownVault is ERC4626 {
    struct Cooldown {
        uint104 cooldownEnd;
        uint152 underlyingAmount;
    }

    CooldownSilo public immutable silo = new CooldownSilo();
    uint24 public cooldownDuration = 60;
    mapping(address => Cooldown) public cooldowns;

    error OperationNotAllowed();
    error ExcessiveRedeemAmount();
    error InvalidCooldown();

    constructor(IERC20 asset_, string memory name_, string memory symbol_) ERC20(name_, symbol_) ERC4626(asset_) {}

    function setCooldownDuration(uint24 duration) external {
        cooldownDuration = duration;
    }

    function redeem(uint256 shares, address receiver, address owner) public override returns (uint256) {
        if (cooldownDuration != 0) revert OperationNotAllowed();
        return super.redeem(shares, receiver, owner);
    }

    function withdraw(uint256 assets, address receiver, address owner) public override returns (uint256) {
        if (cooldownDuration != 0) revert OperationNotAllowed();
        return super.withdraw(assets, receiver, owner);
    }

    function cooldownShares(uint256 shares) external returns (uint256 assets) {
        if (cooldownDuration == 0) revert OperationNotAllowed();
        if (shares > maxRedeem(msg.sender)) revert ExcessiveRedeemAmount();
        assets = previewRedeem(shares);
        cooldowns[msg.sender].cooldownEnd = uint104(block.timestamp + cooldownDuration);
        cooldowns[msg.sender].underlyingAmount += uint152(assets);
        _withdraw(msg.sender, address(silo), msg.sender, assets, shares);
    }

    /// @notice Ends an account's cooldown at once, so that a local chain's clock need not move. Anyone may do so.
    function settle(address account) external {
        cooldowns[account].cooldownEnd = uint104(block.timestamp);
    }

    function unstake(address receiver) external {
        Cooldown memory cooling = cooldowns[msg.sender];
        if (block.timestamp < cooling.cooldownEnd && cooldownDuration != 0) revert InvalidCooldown();
        delete cooldowns[msg.sender];
        silo.pay(IERC20(asset()), receiver, cooling.underlyingAmount);
    }
}

/// @notice Behaves like Maple's cyclical withdrawal manager: the shares of a request are redeemed whole, in the window
/// of their cycle, and taken back from its start on; what the pool cannot pay waits for a later cycle. Each request has
/// a cycle of its own. Anyone may move its window.
contract MapleWithdrawalManager {
    struct Window {
        uint256 start;
        uint256 end;
    }

    uint256 private constant WAIT = 14 days;
    uint256 private constant LENGTH = 2 days;

    MaplePool public immutable pool;
    mapping(address => uint256) public lockedShares;
    /// @notice The cycle in which an account's shares can be redeemed, or 0 without a request.
    mapping(address => uint256) public exitCycleId;
    mapping(uint256 => Window) public getWindowAtId;
    /// @notice Number of an account's shares that the pool can pay for in their window.
    mapping(address => uint256) private _payable;
    uint256 private _lastCycle;

    constructor(MaplePool pool_) {
        pool = pool_;
    }

    modifier onlyPool() {
        require(msg.sender == address(pool), "WM:NOT_POOL");
        _;
    }

    /// @notice Returns the shares for which an account may call `redeem` now.
    function redeemable(address owner) public view returns (uint256) {
        Window memory window = getWindowAtId[exitCycleId[owner]];
        return block.timestamp >= window.start && block.timestamp < window.end ? lockedShares[owner] : 0;
    }

    function addShares(uint256 shares, address owner) external onlyPool {
        require(lockedShares[owner] == 0 || _hasBegun(owner), "WM:AS:WITHDRAWAL_PENDING");
        _lock(owner, lockedShares[owner] + shares);
    }

    function take(uint256 shares, address owner) external onlyPool {
        require(_hasBegun(owner), "WM:RS:WITHDRAWAL_PENDING");
        require(shares != 0 && shares <= lockedShares[owner], "WM:RS:SHARES_OOB");
        _lock(owner, lockedShares[owner] - shares);
    }

    function use(uint256 shares, address owner) external onlyPool returns (uint256 redeemed) {
        require(lockedShares[owner] != 0, "WM:PE:NO_REQUEST");
        require(shares == lockedShares[owner], "WM:PE:INVALID_SHARES");
        require(redeemable(owner) != 0, "WM:PE:NOT_IN_WINDOW");
        redeemed = _payable[owner] < shares ? _payable[owner] : shares;
        _lock(owner, shares - redeemed);
    }

    /// @notice Opens the window for all of an account's shares. Anyone may do so.
    function settle(address owner) external {
        settlePart(owner, type(uint256).max);
    }

    /// @notice Opens the window, in which the pool can pay for this many shares. Anyone may do so.
    function settlePart(address owner, uint256 shares) public {
        getWindowAtId[exitCycleId[owner]] = Window(block.timestamp, block.timestamp + LENGTH);
        _payable[owner] = shares;
    }

    /// @notice Ends the window of an account's shares, which has begun before. Anyone may do so.
    function miss(address owner) external {
        getWindowAtId[exitCycleId[owner]] = Window(block.timestamp, block.timestamp);
    }

    function _hasBegun(address owner) private view returns (bool) {
        return block.timestamp >= getWindowAtId[exitCycleId[owner]].start;
    }

    /// @dev Moves an account's shares to a later cycle.
    function _lock(address owner, uint256 shares) private {
        lockedShares[owner] = shares;
        _payable[owner] = type(uint256).max;
        exitCycleId[owner] = shares == 0 ? 0 : ++_lastCycle;
        uint256 start = block.timestamp + WAIT;
        if (shares != 0) getWindowAtId[_lastCycle] = Window(start, start + LENGTH);
    }
}

/// @notice Names the contract that takes a pool's requests.
contract MaplePoolManager {
    address public immutable withdrawalManager;

    constructor(address withdrawalManager_) {
        withdrawalManager = withdrawalManager_;
    }
}

/// @notice Behaves like a Maple pool towards holders: shares are requested, wait in the withdrawal manager and are
/// redeemed in its window, at a price that leaves out unrealised losses. Anyone may change any setting.
contract MaplePool is LendingVault {
    using SafeERC20 for IERC20;

    MaplePoolManager public manager;
    uint256 public unrealizedLosses;
    bool public protocolPaused;

    event RedemptionRequested(address indexed owner_, uint256 shares_, uint256 escrowedShares_);
    event SharesRemoved(address indexed owner_, uint256 shares_);

    constructor(IERC20 asset_, string memory name_, string memory symbol_) LendingVault(asset_, name_, symbol_) {}

    function setManager(MaplePoolManager manager_) external {
        manager = manager_;
    }

    function setUnrealizedLosses(uint256 losses) external {
        unrealizedLosses = losses;
    }

    function setProtocolPause(bool paused) external {
        protocolPaused = paused;
    }

    modifier whenNotPaused() {
        require(!protocolPaused, "PM:CC:PAUSED");
        _;
    }

    function _queue() private view returns (MapleWithdrawalManager) {
        return MapleWithdrawalManager(manager.withdrawalManager());
    }

    function _admit(uint256, uint256, address) internal view override {}

    function convertToExitAssets(uint256 shares) public view returns (uint256) {
        uint256 supply = totalSupply();
        return supply == 0 ? shares : shares * (totalAssets() - unrealizedLosses) / supply;
    }

    function maxRedeem(address owner) public view override returns (uint256) {
        return _queue().redeemable(owner);
    }

    function maxWithdraw(address) public pure override returns (uint256) {
        return 0;
    }

    function requestRedeem(uint256 shares, address owner) external whenNotPaused returns (uint256) {
        if (msg.sender != owner) _spendAllowance(owner, msg.sender, shares);
        _transfer(owner, address(_queue()), shares);
        _queue().addShares(shares, owner);
        emit RedemptionRequested(owner, shares, shares);
        return shares;
    }

    function removeShares(uint256 shares, address owner) external returns (uint256) {
        require(msg.sender == owner, "P:RS:NOT_OWNER");
        _queue().take(shares, owner);
        _transfer(address(_queue()), owner, shares);
        emit SharesRemoved(owner, shares);
        return shares;
    }

    function redeem(uint256 shares, address receiver, address owner) public override returns (uint256 assets) {
        require(msg.sender == owner, "P:R:NOT_OWNER");
        uint256 redeemed = _queue().use(shares, owner);
        assets = convertToExitAssets(redeemed);
        _burn(address(_queue()), redeemed);
        asset.safeTransfer(receiver, assets);
        emit Withdraw(msg.sender, receiver, owner, assets, redeemed);
    }
}

/// @notice Behaves like Yo's vaults towards holders: a redemption is paid at once if the vault holds enough, otherwise
/// its shares wait at today's price until the operator pays or returns them. Anyone may act as the operator.
contract QueueingVault is ERC4626 {
    struct Waiting {
        uint256 assets;
        uint256 shares;
    }

    event RedeemRequest(
        address indexed receiver, address indexed owner, uint256 assets, uint256 shares, bool indexed instant
    );
    event RequestFulfilled(address indexed receiver, uint256 shares, uint256 assets);
    event RequestCancelled(address indexed receiver, uint256 shares, uint256 assets);

    error NotSharesOwner();
    error InsufficientShares();
    error UseRequestRedeem();

    /// @notice Holds what is invested.
    CooldownSilo public immutable silo = new CooldownSilo();
    uint256 public totalPendingAssets;
    /// @notice Withdrawal fee on top of the payment, times 10^18. It stays in the vault.
    uint256 public feeOnWithdraw;
    bool public investing;
    mapping(address => Waiting) private _waiting;

    constructor(IERC20 asset_, string memory name_, string memory symbol_) ERC20(name_, symbol_) ERC4626(asset_) {}

    function totalAssets() public view override returns (uint256) {
        return super.totalAssets() + IERC20(asset()).balanceOf(address(silo));
    }

    function setFee(uint256 fee) external {
        feeOnWithdraw = fee;
    }

    /// @notice Invests all assets that the vault holds and, if `always`, all later deposits.
    function invest(bool always) public {
        investing = always;
        SafeERC20.safeTransfer(IERC20(asset()), address(silo), IERC20(asset()).balanceOf(address(this)));
    }

    function _deposit(address caller, address receiver, uint256 assets, uint256 shares) internal override {
        super._deposit(caller, receiver, assets, shares);
        if (investing) invest(true);
    }

    function previewRedeem(uint256 shares) public view override returns (uint256) {
        return _net(super.previewRedeem(shares));
    }

    function withdraw(uint256, address, address) public pure override returns (uint256) {
        revert UseRequestRedeem();
    }

    function redeem(uint256 shares, address receiver, address owner) public override returns (uint256) {
        return requestRedeem(shares, receiver, owner);
    }

    function requestRedeem(uint256 shares, address receiver, address owner) public returns (uint256) {
        if (owner != msg.sender) revert NotSharesOwner();
        if (balanceOf(owner) < shares) revert InsufficientShares();
        uint256 assets = super.previewRedeem(shares);
        bool instant = super.totalAssets() >= assets + totalPendingAssets;
        emit RedeemRequest(receiver, owner, assets, shares, instant);
        if (instant) {
            _withdraw(owner, receiver, owner, _net(assets), shares);
            return assets;
        }
        _transfer(owner, address(this), shares);
        totalPendingAssets += assets;
        _waiting[receiver].assets += assets;
        _waiting[receiver].shares += shares;
        return 0;
    }

    function pendingRedeemRequest(address user) external view returns (uint256 assets, uint256 shares) {
        return (_waiting[user].assets, _waiting[user].shares);
    }

    /// @notice Pays a request whole.
    function settle(address receiver) external {
        settlePart(receiver, _waiting[receiver].shares);
    }

    /// @notice Pays some shares of a request.
    function settlePart(address receiver, uint256 shares) public {
        uint256 assets = _end(receiver, shares);
        uint256 net = _net(assets);
        uint256 held = super.totalAssets();
        if (held < net) silo.pay(IERC20(asset()), address(this), net - held);
        emit RequestFulfilled(receiver, shares, assets);
        _withdraw(address(this), receiver, address(this), net, shares);
    }

    /// @notice Returns the shares of a request.
    function giveBack(address receiver) external {
        uint256 shares = _waiting[receiver].shares;
        emit RequestCancelled(receiver, shares, _end(receiver, shares));
        _transfer(address(this), receiver, shares);
    }

    function _end(address receiver, uint256 shares) private returns (uint256 assets) {
        Waiting storage own = _waiting[receiver];
        assets = own.assets * shares / own.shares;
        own.assets -= assets;
        own.shares -= shares;
        totalPendingAssets -= assets;
    }

    function _net(uint256 assets) private view returns (uint256) {
        return assets * 1e18 / (1e18 + feeOnWithdraw);
    }
}

/// @notice Behaves like a vault with requests of ERC-7540 and no other family: deposits mint at once, redemptions are
/// requested, settled and claimed. Optionally numbers its requests, and takes cancellations by ERC-7887. Anyone may act
/// as the operator of the vault.
contract RequestingVault is ERC4626 {
    struct Waiting {
        uint256 pending;
        uint256 claimable;
        uint256 assets;
    }

    bool public numbered;
    bool public cancels;
    bool public refuses;
    /// @notice Assets of settled requests, which no longer belong to the holders.
    uint256 public reserved;
    uint256 private _number;
    mapping(address => uint256[]) private _numbersOf;
    mapping(uint256 => mapping(address => Waiting)) private _waiting;
    mapping(address => mapping(address => bool)) public isOperator;
    mapping(address => bool) public cancelling;
    mapping(address => uint256) private _returned;

    event OperatorSet(address indexed controller, address indexed operator, bool approved);
    event RedeemRequest(
        address indexed controller, address indexed owner, uint256 indexed requestId, address sender, uint256 shares
    );
    event CancelRedeemRequest(address indexed controller, uint256 indexed requestId, address sender);
    event CancelRedeemClaim(
        address indexed controller, address indexed receiver, uint256 indexed requestId, address sender, uint256 shares
    );

    error NotOperator();
    error PreviewDisabled();
    error RequestsClosed();
    error CancellationPending();
    error NothingToCancel();

    constructor(IERC20 asset_, string memory name_, string memory symbol_) ERC20(name_, symbol_) ERC4626(asset_) {}

    function totalAssets() public view override returns (uint256) {
        return super.totalAssets() - reserved;
    }

    function setNumbered(bool yes) external {
        numbered = yes;
    }

    function setCancels(bool yes) external {
        cancels = yes;
    }

    function setRefuses(bool yes) external {
        refuses = yes;
    }

    function setOperator(address operator, bool approved) external returns (bool) {
        isOperator[msg.sender][operator] = approved;
        emit OperatorSet(msg.sender, operator, approved);
        return true;
    }

    function supportsInterface(bytes4 id) external view returns (bool) {
        return id == 0x01ffc9a7 || id == 0xe3bc4e65 || id == 0x620ee8e4 || (cancels && id == 0xe76cffc7);
    }

    function previewRedeem(uint256) public pure override returns (uint256) {
        revert PreviewDisabled();
    }

    function previewWithdraw(uint256) public pure override returns (uint256) {
        revert PreviewDisabled();
    }

    function requestRedeem(uint256 shares, address controller, address owner) external returns (uint256 requestId) {
        if (refuses) revert RequestsClosed();
        if (owner != msg.sender && !isOperator[owner][msg.sender]) revert NotOperator();
        if (cancelling[controller]) revert CancellationPending();
        _transfer(owner, address(this), shares);
        if (numbered) requestId = ++_number;
        if (numbered || _numbersOf[controller].length == 0) _numbersOf[controller].push(requestId);
        _waiting[requestId][controller].pending += shares;
        emit RedeemRequest(controller, owner, requestId, msg.sender, shares);
    }

    function pendingRedeemRequest(uint256 requestId, address controller) external view returns (uint256) {
        return _waiting[requestId][controller].pending;
    }

    function claimableRedeemRequest(uint256 requestId, address controller) external view returns (uint256) {
        return _waiting[requestId][controller].claimable;
    }

    function maxRedeem(address controller) public view override returns (uint256 shares) {
        uint256[] storage numbers = _numbersOf[controller];
        for (uint256 i; i < numbers.length; ++i) shares += _waiting[numbers[i]][controller].claimable;
    }

    function maxWithdraw(address controller) public view override returns (uint256 assets) {
        uint256[] storage numbers = _numbersOf[controller];
        for (uint256 i; i < numbers.length; ++i) assets += _waiting[numbers[i]][controller].assets;
    }

    /// @notice Claims from the oldest request on.
    function redeem(uint256 shares, address receiver, address controller) public override returns (uint256 assets) {
        if (controller != msg.sender && !isOperator[controller][msg.sender]) revert NotOperator();
        uint256[] storage numbers = _numbersOf[controller];
        uint256 left = shares;
        for (uint256 i; i < numbers.length && left > 0; ++i) {
            Waiting storage one = _waiting[numbers[i]][controller];
            uint256 part = left < one.claimable ? left : one.claimable;
            if (part == 0) continue;
            uint256 paid = one.assets * part / one.claimable;
            one.claimable -= part;
            one.assets -= paid;
            left -= part;
            assets += paid;
        }
        require(left == 0);
        reserved -= assets;
        SafeERC20.safeTransfer(IERC20(asset()), receiver, assets);
        emit Withdraw(msg.sender, receiver, controller, assets, shares);
    }

    /// @notice Fixes what some of a controller's waiting shares pay.
    function settlePart(address controller, uint256 shares) public {
        uint256[] storage numbers = _numbersOf[controller];
        for (uint256 i; i < numbers.length && shares > 0; ++i) {
            Waiting storage one = _waiting[numbers[i]][controller];
            uint256 part = shares < one.pending ? shares : one.pending;
            shares -= part;
            uint256 assets = _convertToAssets(part, Math.Rounding.Floor);
            one.pending -= part;
            one.claimable += part;
            one.assets += assets;
            reserved += assets;
            _burn(address(this), part);
        }
    }

    function settle(address controller) external {
        settlePart(controller, type(uint256).max);
    }

    function cancelRedeemRequest(uint256 requestId, address controller) external {
        if (!cancels || _waiting[requestId][controller].pending == 0) revert NothingToCancel();
        if (controller != msg.sender && !isOperator[controller][msg.sender]) revert NotOperator();
        cancelling[controller] = true;
        emit CancelRedeemRequest(controller, requestId, msg.sender);
    }

    function pendingCancelRedeemRequest(uint256, address controller) external view returns (bool) {
        return cancels && cancelling[controller];
    }

    function claimableCancelRedeemRequest(uint256, address controller) external view returns (uint256) {
        return _returned[controller];
    }

    /// @notice Grants a cancellation: the waiting shares can be claimed back.
    function answerCancellation(address controller) external {
        cancelling[controller] = false;
        uint256[] storage numbers = _numbersOf[controller];
        for (uint256 i; i < numbers.length; ++i) {
            _returned[controller] += _waiting[numbers[i]][controller].pending;
            _waiting[numbers[i]][controller].pending = 0;
        }
    }

    function claimCancelRedeemRequest(uint256 requestId, address receiver, address controller)
        external
        returns (uint256 shares)
    {
        if (controller != msg.sender && !isOperator[controller][msg.sender]) revert NotOperator();
        shares = _returned[controller];
        _returned[controller] = 0;
        _transfer(address(this), receiver, shares);
        emit CancelRedeemClaim(controller, receiver, requestId, msg.sender, shares);
    }
}
