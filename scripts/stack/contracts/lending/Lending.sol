// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";

/// @notice Common to lenders' vaults: ERC-4626 by a rate, with the asset's decimals. Anyone may change any setting.
abstract contract LendingVault is ERC20 {
    using SafeERC20 for IERC20;
    using Math for uint256;

    IERC20 public immutable asset;
    uint8 private immutable _decimals;
    /// Assets of the vault that borrowers hold: they count, but the vault cannot pay them.
    uint256 public lent;

    event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares);
    event Withdraw(
        address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares
    );

    constructor(IERC20 asset_, string memory name_, string memory symbol_) ERC20(name_, symbol_) {
        asset = asset_;
        _decimals = IERC20Metadata(address(asset_)).decimals();
    }

    function decimals() public view override returns (uint8) {
        return _decimals;
    }

    function totalAssets() public view virtual returns (uint256) {
        return _idle() + lent;
    }

    function _idle() internal view returns (uint256) {
        return asset.balanceOf(address(this));
    }

    /// Lends assets out, which the vault then cannot pay.
    function lend(uint256 assets) external {
        lent += assets;
        asset.safeTransfer(address(0xb0), assets);
    }

    /// Virtual shares and assets that count in the rate.
    function _virtual() internal view virtual returns (uint256 shares, uint256 assets) {
        return (0, 0);
    }

    /// Shares of the first deposit per smallest unit.
    function _firstRate() internal view virtual returns (uint256) {
        return 1;
    }

    function convertToShares(uint256 assets) public view virtual returns (uint256) {
        (uint256 moreShares, uint256 moreAssets) = _virtual();
        uint256 supply = totalSupply() + moreShares;
        return supply == 0 ? assets * _firstRate() : assets.mulDiv(supply, totalAssets() + moreAssets);
    }

    function convertToAssets(uint256 shares) public view virtual returns (uint256) {
        (uint256 moreShares, uint256 moreAssets) = _virtual();
        uint256 supply = totalSupply() + moreShares;
        return supply == 0 ? shares / _firstRate() : shares.mulDiv(totalAssets() + moreAssets, supply);
    }

    function previewDeposit(uint256 assets) public view virtual returns (uint256) {
        return convertToShares(assets);
    }

    function maxDeposit(address) public view virtual returns (uint256) {
        return type(uint256).max;
    }

    /// Reverts with the family's own errors.
    function _admit(uint256 assets, uint256 shares, address receiver) internal view virtual;

    function deposit(uint256 assets, address receiver) public virtual returns (uint256 shares) {
        shares = previewDeposit(assets);
        _admit(assets, shares, receiver);
        asset.safeTransferFrom(msg.sender, address(this), assets);
        _mint(receiver, shares);
        emit Deposit(msg.sender, receiver, assets, shares);
    }

    /// The vault's own balance is all that it can pay.
    function maxWithdraw(address owner) public view virtual returns (uint256) {
        uint256 idle = _idle();
        uint256 worth = convertToAssets(balanceOf(owner));
        return worth < idle ? worth : idle;
    }

    function maxRedeem(address owner) public view virtual returns (uint256) {
        uint256 idle = _idle();
        uint256 shares = balanceOf(owner);
        return convertToAssets(shares) <= idle ? shares : convertToShares(idle);
    }

    function previewRedeem(uint256 shares) public view virtual returns (uint256) {
        return convertToAssets(shares);
    }

    /// Reverts with the family's own errors.
    function _leave(uint256 assets) internal view virtual {}

    function redeem(uint256 shares, address receiver, address owner) public virtual returns (uint256 assets) {
        if (msg.sender != owner) _spendAllowance(owner, msg.sender, shares);
        assets = previewRedeem(shares);
        _leave(assets);
        _burn(owner, shares);
        asset.safeTransfer(receiver, assets);
        emit Withdraw(msg.sender, receiver, owner, assets, shares);
    }
}

/// @notice Euler's EVK: a virtual deposit of a million units, and a hook that disables operations or restricts
/// accounts.
contract EulerVault is LendingVault {
    uint32 private constant OP_DEPOSIT = 1;
    uint32 private constant OP_REDEEM = 8;
    uint256 public supplyCap = type(uint256).max;
    address private _hookTarget;
    uint32 private _hookedOps;
    address public admitted;

    error E_OperationDisabled();
    error E_InsufficientCash();
    error E_SupplyCapExceeded();
    error E_ZeroShares();
    error NotAdmitted();

    constructor(IERC20 asset_, string memory name_, string memory symbol_) LendingVault(asset_, name_, symbol_) {}

    function MODULE_VAULT() external view returns (address) {
        return address(this);
    }

    function setCap(uint256 cap) external {
        supplyCap = cap;
    }

    /// A non-zero target allows one account only, which `maxDeposit` does not show.
    function setHook(address target, uint32 ops, address account) external {
        (_hookTarget, _hookedOps, admitted) = (target, ops, account);
    }

    function hookConfig() external view returns (address, uint32) {
        return (_hookTarget, _hookedOps);
    }

    function _virtual() internal pure override returns (uint256, uint256) {
        return (1e6, 1e6);
    }

    function cash() external view returns (uint256) {
        return _idle();
    }

    function _leave(uint256 assets) internal view override {
        if (_hookTarget == address(0) && _hookedOps & OP_REDEEM != 0) revert E_OperationDisabled();
        if (assets > _idle()) revert E_InsufficientCash();
    }

    function maxDeposit(address) public view override returns (uint256) {
        if (_hookTarget == address(0) && _hookedOps & OP_DEPOSIT != 0) return 0;
        uint256 held = totalAssets();
        return supplyCap > held ? supplyCap - held : 0;
    }

    function deposit(uint256 assets, address receiver) public override returns (uint256) {
        if (assets == type(uint256).max) assets = asset.balanceOf(msg.sender);
        return assets == 0 ? 0 : super.deposit(assets, receiver);
    }

    function _admit(uint256 assets, uint256 shares, address) internal view override {
        if (_hookedOps & OP_DEPOSIT != 0) {
            if (_hookTarget == address(0)) revert E_OperationDisabled();
            if (msg.sender != admitted) revert NotAdmitted();
        }
        if (shares == 0) revert E_ZeroShares();
        if (supplyCap < totalAssets() || assets > supplyCap - totalAssets()) revert E_SupplyCapExceeded();
    }
}

/// @notice EulerEarn: deposits work while there is a supply queue, but maxDeposit burns all gas.
contract EulerEarnVault is LendingVault {
    error AllCapsReached();
    error NotEnoughLiquidity();
    error ZeroShares();

    uint256 public cap = type(uint256).max;

    constructor(IERC20 asset_, string memory name_, string memory symbol_) LendingVault(asset_, name_, symbol_) {}

    address public constant EVC = address(0xEC);
    address public constant permit2Address = address(0);
    address public constant creator = address(0xFAC);
    uint256 public supplyQueueLength = 1;
    uint256 public constant lostAssets = 0;

    function setCap(uint256 cap_) external {
        cap = cap_;
    }

    function setSupplyQueueLength(uint256 length) external {
        supplyQueueLength = length;
    }

    function maxDeposit(address) public view override returns (uint256 gas_) {
        while (gasleft() > 5_000) gas_ = uint256(keccak256(abi.encode(gas_)));
    }

    function _admit(uint256 assets, uint256 shares, address) internal view override {
        if (shares == 0) revert ZeroShares();
        if (supplyQueueLength == 0 || totalAssets() + assets > cap) revert AllCapsReached();
    }

    function _leave(uint256 assets) internal view override {
        if (assets > _idle()) revert NotEnoughLiquidity();
    }
}

/// @notice Yearn v3: the limit is 0 for the zero address and for the vault itself, and may depend on the receiver.
contract YearnVault is LendingVault {
    uint256 public deposit_limit = type(uint256).max;
    bool public isShutdown;
    uint256 public loss;
    mapping(address => bool) public shutOut;

    constructor(IERC20 asset_, string memory name_, string memory symbol_) LendingVault(asset_, name_, symbol_) {}

    function get_default_queue() external pure returns (address[] memory) {
        return new address[](0);
    }

    function setLimit(uint256 limit) external {
        deposit_limit = limit;
    }

    function shutdown() external {
        isShutdown = true;
    }

    function shut(address receiver) external {
        shutOut[receiver] = true;
    }

    /// Loss in basis points that the strategies would realise now.
    function setLoss(uint256 bps) external {
        loss = bps;
    }

    function maxRedeem(address owner, uint256 maxLoss) external view returns (uint256) {
        return loss > maxLoss ? 0 : maxRedeem(owner);
    }

    function redeem(uint256 shares, address receiver, address owner, uint256 maxLoss) external returns (uint256) {
        require(loss <= maxLoss, "too much loss");
        return redeem(shares, receiver, owner);
    }

    function maxDeposit(address receiver) public view override returns (uint256) {
        if (receiver == address(0) || receiver == address(this)) return 0;
        if (isShutdown || shutOut[receiver]) return 0;
        uint256 held = totalAssets();
        return deposit_limit > held ? deposit_limit - held : 0;
    }

    function _admit(uint256 assets, uint256 shares, address receiver) internal view override {
        require(assets > 0, "cannot deposit zero");
        require(assets <= maxDeposit(receiver), "exceed deposit limit");
        require(shares > 0, "cannot mint zero");
    }

    function _leave(uint256 assets) internal view override {
        require(assets <= _idle(), "insufficient assets in vault");
    }
}

/// @notice Yearn's tokenized strategy, version 3: no queue, a pause besides the shutdown, which shows as a limit of 0,
/// other revert messages.
contract YearnStrategy is LendingVault {
    uint256 public limit = type(uint256).max;
    bool public isShutdown;
    bool public isPaused;

    constructor(IERC20 asset_, string memory name_, string memory symbol_) LendingVault(asset_, name_, symbol_) {}

    function fullProfitUnlockDate() external pure returns (uint256) {
        return 0;
    }

    function setLimit(uint256 limit_) external {
        limit = limit_;
    }

    function shutdownStrategy() external {
        isShutdown = true;
    }

    function setPaused(bool paused) external {
        isPaused = paused;
    }

    function maxRedeem(address owner, uint256) public view returns (uint256) {
        return isPaused ? 0 : maxRedeem(owner);
    }

    function redeem(uint256 shares, address receiver, address owner, uint256 maxLoss) external returns (uint256) {
        require(shares <= maxRedeem(owner, maxLoss), "ERC4626: redeem more than max");
        return redeem(shares, receiver, owner);
    }

    function maxDeposit(address receiver) public view override returns (uint256) {
        if (isShutdown || isPaused || receiver == address(this)) return 0;
        uint256 held = totalAssets();
        return limit > held ? limit - held : 0;
    }

    function _admit(uint256 assets, uint256 shares, address receiver) internal view override {
        require(!isPaused, "paused");
        require(assets <= maxDeposit(receiver), "ERC4626: deposit more than max");
        require(shares != 0, "ZERO_SHARES");
    }
}

/// @notice Aave's aToken, as far as a static token names it.
contract ReserveToken {
    address public immutable UNDERLYING_ASSET_ADDRESS;
    address public immutable POOL;

    constructor(address underlying, address pool) {
        (UNDERLYING_ASSET_ADDRESS, POOL) = (underlying, pool);
    }
}

/// @notice Aave's pool, as far as the configuration of its reserve goes. Anyone may change it.
contract ReservePool {
    uint256 private bits = 1 << 56;

    function setReserve(bool active, bool paused) external {
        bits = (active ? 1 << 56 : 0) | (paused ? 1 << 60 : 0);
    }

    function setFrozen(bool frozen) external {
        bits = (bits & ~uint256(1 << 57)) | (frozen ? 1 << 57 : 0);
    }

    function getConfiguration(address) external view returns (uint256) {
        return bits;
    }

    function isFrozen() external view returns (bool) {
        return bits & (1 << 57) != 0;
    }

    function isOpen() external view returns (bool) {
        return bits & ~uint256(1 << 57) == 1 << 56;
    }
}

/// @notice Aave's static token: `maxDeposit` omits its own pause, which it checks before the reserve's. One over an
/// older pool reverts with that pool's errors, which were numbers before version 3.4.
contract StataToken is LendingVault {
    bool public paused;
    bool public numbered;
    uint256 public cap = type(uint256).max;

    error EnforcedPause();
    error StaticATokenInvalidZeroShares();
    error ERC4626ExceededMaxDeposit(address receiver, uint256 assets, uint256 max);
    error ERC4626ExceededMaxRedeem(address owner, uint256 shares, uint256 max);

    ReservePool public immutable POOL = new ReservePool();
    ReserveToken public immutable aToken;

    constructor(IERC20 asset_, string memory name_, string memory symbol_) LendingVault(asset_, name_, symbol_) {
        aToken = new ReserveToken(address(asset_), address(POOL));
    }

    function setPaused(bool paused_) external {
        paused = paused_;
    }

    function setFrozen(bool frozen) external {
        POOL.setFrozen(frozen);
    }

    /// True for an older pool.
    function setNumbered() external {
        numbered = true;
    }

    function setCap(uint256 cap_) external {
        cap = cap_;
    }

    function maxDeposit(address) public view override returns (uint256) {
        uint256 held = totalAssets();
        return POOL.isFrozen() || held > cap ? 0 : cap - held;
    }

    function _admit(uint256 assets, uint256 shares, address receiver) internal view override {
        uint256 most = maxDeposit(receiver);
        if (assets > most && !numbered) revert ERC4626ExceededMaxDeposit(receiver, assets, most);
        if (paused) revert EnforcedPause();
        if (shares == 0) revert StaticATokenInvalidZeroShares();
        require(!POOL.isFrozen(), "28");
        require(assets <= most, "51");
    }

    function maxWithdraw(address owner) public view override returns (uint256) {
        return POOL.isOpen() ? super.maxWithdraw(owner) : 0;
    }

    /// Omits the token's own pause, as `maxDeposit` does.
    function maxRedeem(address owner) public view override returns (uint256) {
        return POOL.isOpen() ? super.maxRedeem(owner) : 0;
    }

    function redeem(uint256 shares, address receiver, address owner) public override returns (uint256) {
        uint256 most = maxRedeem(owner);
        if (shares > most) revert ERC4626ExceededMaxRedeem(owner, shares, most);
        return super.redeem(shares, receiver, owner);
    }

    function _leave(uint256) internal view override {
        if (paused) revert EnforcedPause();
    }
}

/// @notice A savings token: its value follows a rate, not donations; with a cap, and previews that may revert.
contract SavingsToken is LendingVault {
    using Math for uint256;

    uint256 public chi = 1e27;
    uint256 public constant rho = 1;
    uint256 public constant vsr = 1e27;
    uint256 public depositCap = type(uint256).max;

    constructor(IERC20 asset_, string memory name_, string memory symbol_) LendingVault(asset_, name_, symbol_) {}

    function setChi(uint256 chi_) external {
        chi = chi_;
    }

    function setCap(uint256 cap) external {
        depositCap = cap;
    }

    function totalAssets() public view override returns (uint256) {
        return totalSupply().mulDiv(chi, 1e27);
    }

    function convertToShares(uint256 assets) public view override returns (uint256) {
        return assets.mulDiv(1e27, chi);
    }

    function convertToAssets(uint256 shares) public view override returns (uint256) {
        return shares.mulDiv(chi, 1e27);
    }

    function previewRedeem(uint256 shares) public view override returns (uint256 assets) {
        assets = convertToAssets(shares);
        _leave(assets);
    }

    function _leave(uint256 assets) internal view override {
        require(assets <= _idle(), "SparkVault/insufficient-liquidity");
    }

    function maxDeposit(address) public view override returns (uint256) {
        uint256 held = totalAssets();
        return depositCap > held ? depositCap - held : 0;
    }

    function _admit(uint256 assets, uint256, address receiver) internal view override {
        require(receiver != address(this), "SparkVault/invalid-address");
        require(assets <= maxDeposit(receiver), "SparkVault/deposit-cap-exceeded");
    }
}

/// @notice Gearbox' pool: no virtual shares; `maxDeposit` shows its pause.
contract GearboxPool is LendingVault {
    bool public paused;
    /// Assets that must stay, which no view says.
    uint256 public kept;
    /// Basis points of what a redemption pays. The fee stays in the pool.
    uint256 public withdrawFee;

    error AmountCantBeZeroException();

    constructor(IERC20 asset_, string memory name_, string memory symbol_) LendingVault(asset_, name_, symbol_) {}

    uint256 public constant version = 310;
    address public constant poolQuotaKeeper = address(0);

    function underlyingToken() external view returns (address) {
        return address(asset);
    }

    function creditManagers() external pure returns (address[] memory) {
        return new address[](0);
    }

    function setKept(uint256 kept_) external {
        kept = kept_;
    }

    function setWithdrawFee(uint256 bps) external {
        withdrawFee = bps;
    }

    function previewRedeem(uint256 shares) public view override returns (uint256) {
        uint256 gross = convertToAssets(shares);
        return gross - gross * withdrawFee / 10_000;
    }

    function setPaused(bool paused_) external {
        paused = paused_;
    }

    function maxDeposit(address) public view override returns (uint256) {
        return paused ? 0 : type(uint256).max;
    }

    function _admit(uint256 assets, uint256, address) internal view override {
        require(!paused, "Pausable: paused");
        if (assets == 0) revert AmountCantBeZeroException();
    }

    function _leave(uint256 assets) internal view override {
        require(!paused, "Pausable: paused");
        require(totalAssets() >= assets + kept, "kept");
    }
}

/// @notice Fluid's fToken: a minimum amount, minimum shares, and numbered errors of its own and of the liquidity
/// layer, which may reject deposits with its own numbers.
contract FluidToken is LendingVault {
    uint256 public minDeposit;
    uint256 public limit = type(uint256).max;
    uint256 public beneath;

    error FluidLendingError(uint256 errorId_);
    error FluidLiquidityError(uint256 errorId_);

    constructor(IERC20 asset_, string memory name_, string memory symbol_) LendingVault(asset_, name_, symbol_) {}

    /// Liquidity, factory, rewards, Permit2, rebalancer, whether rewards run, balance and both exchange prices.
    function getData()
        external
        view
        returns (address, address, address, address, address, bool, uint256, uint256, uint256)
    {
        address none = address(0);
        return (none, none, none, none, none, false, asset.balanceOf(address(this)), 1e12, convertToAssets(1e12));
    }

    function setMinDeposit(uint256 least) external {
        minDeposit = least;
    }

    function setLimit(uint256 limit_) external {
        limit = limit_;
    }

    /// Error number of the liquidity layer; 0 accepts deposits.
    function setBeneath(uint256 errorId) external {
        beneath = errorId;
    }

    function maxDeposit(address) public view override returns (uint256) {
        return limit;
    }

    function deposit(uint256 assets, address receiver, uint256 minAmountOut) external returns (uint256 shares) {
        if (assets == type(uint256).max) assets = asset.balanceOf(msg.sender);
        shares = deposit(assets, receiver);
        if (shares < minAmountOut) revert FluidLendingError(20002);
    }

    function redeem(uint256 shares, address receiver, address owner, uint256 minAmountOut)
        external
        returns (uint256 assets)
    {
        assets = redeem(shares, receiver, owner);
        if (assets < minAmountOut) revert FluidLendingError(20002);
    }

    function _leave(uint256) internal view override {
        if (beneath != 0) revert FluidLiquidityError(beneath);
    }

    function _admit(uint256 assets, uint256 shares, address) internal view override {
        if (assets < minDeposit || shares == 0) revert FluidLendingError(20001);
        if (assets > limit) revert FluidLendingError(20003);
        if (beneath != 0) revert FluidLiquidityError(beneath);
    }
}

/// @notice A silo's configuration, which names the two silos of its pair.
contract SiloPair {
    address private immutable _silo;

    constructor(address silo) {
        _silo = silo;
    }

    function getSilos() external view returns (address silo0, address silo1) {
        return (_silo, address(0));
    }
}

/// @notice Silo: `decimals` is misleading, shares are a thousand times finer; no limit is reported, and a hook may
/// revert.
contract SiloVault is LendingVault {
    bool public refusing;
    SiloPair public immutable config;

    error ReturnZeroShares();
    error RefusedByHook();
    error NotEnoughLiquidity();

    constructor(IERC20 asset_, string memory name_, string memory symbol_) LendingVault(asset_, name_, symbol_) {
        config = new SiloPair(address(this));
    }

    function setRefusing(bool refusing_) external {
        refusing = refusing_;
    }

    function _firstRate() internal pure override returns (uint256) {
        return 1_000;
    }

    function _virtual() internal pure override returns (uint256, uint256) {
        return (1_000, 1);
    }

    function _admit(uint256, uint256 shares, address) internal view override {
        if (refusing) revert RefusedByHook();
        if (shares == 0) revert ReturnZeroShares();
    }

    function _leave(uint256 assets) internal view override {
        if (assets > _idle()) revert NotEnoughLiquidity();
    }
}
