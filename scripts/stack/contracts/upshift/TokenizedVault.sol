// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";

/// @notice The share token of a TokenizedVault, a separate contract.
contract LpToken is ERC20 {
    address public immutable vault;
    uint8 private immutable _decimals;

    constructor(string memory name_, string memory symbol_, uint8 decimals_) ERC20(name_, symbol_) {
        (vault, _decimals) = (msg.sender, decimals_);
    }

    function decimals() public view override returns (uint8) {
        return _decimals;
    }

    function mint(address to, uint256 amount) external {
        require(msg.sender == vault);
        _mint(to, amount);
    }

    function burn(address from, uint256 amount) external {
        require(msg.sender == vault);
        _burn(from, amount);
    }

    function move(address from, address to, uint256 amount) external {
        require(msg.sender == vault);
        _transfer(from, to, amount);
    }
}

/// @notice A list of accounts or tokens. Anyone may change it.
contract Whitelist {
    mapping(address => bool) public isWhitelisted;

    function set(address account, bool is_) external {
        isWhitelisted[account] = is_;
    }
}

/// @notice Requests of one receiver and one day, which anyone may have paid after a fixed lag. Anyone may change it.
abstract contract DatedRequests {
    uint256 public lagDuration;
    bool public withdrawalsPaused;
    mapping(uint256 => mapping(address => uint256)) internal _shares;
    mapping(uint256 => mapping(address => uint256)) internal _assets;

    error WithdrawalsPaused();
    error TooEarly();
    error NoSharesForReceiver();

    function setLagDuration(uint256 lag) external {
        lagDuration = lag;
    }

    function setWithdrawalsPaused(bool paused) external {
        withdrawalsPaused = paused;
    }

    function liquidationHour() external pure returns (uint256) {
        return 0;
    }

    /// The first midnight, in UTC, at which a request made now is paid.
    function _epoch() internal view returns (uint256) {
        return (block.timestamp + lagDuration) / 1 days * 1 days;
    }

    function getWithdrawalEpoch()
        public
        view
        returns (uint256 year, uint256 month, uint256 day, uint256 claimableEpoch)
    {
        claimableEpoch = _epoch();
        (year, month, day) = _dateOf(claimableEpoch);
    }

    function getBurnableAmountByReceiver(uint256 year, uint256 month, uint256 day, address receiver)
        external
        view
        returns (uint256)
    {
        return _shares[_dayOf(year, month, day)][receiver];
    }

    function getClaimableAmountByReceiver(uint256 year, uint256 month, uint256 day, address receiver)
        external
        view
        returns (uint256)
    {
        return _assets[_dayOf(year, month, day)][receiver];
    }

    function claim(uint256 year, uint256 month, uint256 day, address receiver) external {
        uint256 epoch = _dayOf(year, month, day);
        uint256 shares = _shares[epoch][receiver];
        if (shares == 0) revert NoSharesForReceiver();
        if (block.timestamp < epoch) revert TooEarly();
        uint256 assets = _assets[epoch][receiver];
        delete _shares[epoch][receiver];
        delete _assets[epoch][receiver];
        _settle(shares, assets, receiver);
    }

    function _settle(uint256 shares, uint256 assets, address receiver) internal virtual;

    /// Days from civil and back, by Howard Hinnant's published algorithms.
    function _dayOf(uint256 y, uint256 m, uint256 d) private pure returns (uint256) {
        if (m <= 2) y -= 1;
        uint256 era = y / 400;
        uint256 yoe = y - era * 400;
        uint256 doy = (153 * (m > 2 ? m - 3 : m + 9) + 2) / 5 + d - 1;
        return (era * 146_097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719_468) * 1 days;
    }

    function _dateOf(uint256 time) private pure returns (uint256 y, uint256 m, uint256 d) {
        uint256 z = time / 1 days + 719_468;
        uint256 era = z / 146_097;
        uint256 doe = z - era * 146_097;
        uint256 yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
        uint256 doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
        uint256 mp = (5 * doy + 2) / 153;
        d = doy - (153 * mp + 2) / 5 + 1;
        m = mp < 10 ? mp + 3 : mp - 9;
        y = yoe + era * 400 + (m <= 2 ? 1 : 0);
    }
}

/// @notice Behaves like Upshift's TokenizedVaultV2: several assets, a separate share token, lists, a limit per
/// deposit, a cap, and its own event. Anyone may change any setting.
contract TokenizedVault is DatedRequests {
    using SafeERC20 for IERC20;
    using Math for uint256;

    IERC20 public immutable asset;
    LpToken private immutable _lp;
    uint8 private immutable _assetDecimals;

    uint256 public getSharePrice;
    bool public depositsPaused;
    uint256 public maxDepositAmount = type(uint256).max;
    uint256 public depositCap = type(uint256).max;
    /// Basis points of what an instant redemption pays. The fee stays in the vault.
    uint256 public instantRedemptionFee;
    address public sendersWhitelistAddress;
    address public assetsWhitelistAddress;

    event Deposit(
        address assetIn, uint256 amountIn, uint256 shares, address indexed senderAddr, address indexed receiverAddr
    );
    event WithdrawalRequested(uint256 shares, address indexed holderAddr, address indexed receiverAddr);
    event WithdrawalProcessed(uint256 assetsAmount, address indexed receiverAddr);
    event Withdraw(
        address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares
    );

    error DepositsPaused();
    error MaxDepositAmountReached();
    error DepositCapReached();
    error SenderNotWhitelisted();
    error AssetNotWhitelisted();
    error AmountTooLow();
    error VaultNotTimelocked();

    constructor(IERC20 asset_, string memory name_, string memory symbol_) {
        asset = asset_;
        _assetDecimals = IERC20Metadata(address(asset_)).decimals();
        _lp = new LpToken(name_, symbol_, _assetDecimals);
        getSharePrice = 10 ** _assetDecimals;
    }

    function setSharePrice(uint256 price) external {
        getSharePrice = price;
    }

    function setDepositsPaused(bool paused) external {
        depositsPaused = paused;
    }

    function setLimits(uint256 perDeposit, uint256 cap) external {
        (maxDepositAmount, depositCap) = (perDeposit, cap);
    }

    function setInstantRedemptionFee(uint256 bps) external {
        instantRedemptionFee = bps;
    }

    function setLists(address senders, address assets) external {
        (sendersWhitelistAddress, assetsWhitelistAddress) = (senders, assets);
    }

    function lpTokenAddress() external view returns (address) {
        return address(_lp);
    }

    function getTotalAssets() public view returns (uint256) {
        return _lp.totalSupply().mulDiv(getSharePrice, _oneShare());
    }

    /// All tokens have the same price; only their decimals differ.
    function previewDeposit(address assetIn, uint256 amountIn)
        public
        view
        returns (uint256 shares, uint256 amountInReferenceTokens)
    {
        bool listed = assetsWhitelistAddress == address(0)
            ? assetIn == address(asset)
            : Whitelist(assetsWhitelistAddress).isWhitelisted(assetIn);
        if (!listed) revert AssetNotWhitelisted();
        uint8 decimals = IERC20Metadata(assetIn).decimals();
        amountInReferenceTokens = amountIn.mulDiv(10 ** _assetDecimals, 10 ** decimals);
        shares = amountInReferenceTokens.mulDiv(_oneShare(), getSharePrice);
    }

    function deposit(address assetIn, uint256 amountIn, address receiverAddr) external returns (uint256 shares) {
        if (depositsPaused) revert DepositsPaused();
        if (sendersWhitelistAddress != address(0) && !Whitelist(sendersWhitelistAddress).isWhitelisted(msg.sender)) {
            revert SenderNotWhitelisted();
        }
        uint256 worth;
        (shares, worth) = previewDeposit(assetIn, amountIn);
        if (shares == 0) revert AmountTooLow();
        if (amountIn > maxDepositAmount) revert MaxDepositAmountReached();
        if (depositCap < getTotalAssets() || worth > depositCap - getTotalAssets()) revert DepositCapReached();
        IERC20(assetIn).safeTransferFrom(msg.sender, address(this), amountIn);
        _lp.mint(receiverAddr, shares);
        emit Deposit(assetIn, amountIn, shares, msg.sender, receiverAddr);
    }

    function previewRedemption(uint256 shares, bool instant) public view returns (uint256 gross, uint256 net) {
        gross = shares.mulDiv(getSharePrice, _oneShare());
        net = instant ? gross - gross * instantRedemptionFee / 10_000 : gross;
    }

    function instantRedeem(uint256 shares, address receiverAddr) external {
        if (withdrawalsPaused) revert WithdrawalsPaused();
        (, uint256 assets) = previewRedemption(shares, true);
        _lp.burn(msg.sender, shares);
        asset.safeTransfer(receiverAddr, assets);
        emit Withdraw(msg.sender, receiverAddr, msg.sender, assets, shares);
    }

    /// Priced when it is paid. Without a lag, only instant redemptions are possible.
    function requestRedeem(uint256 shares, address receiverAddr) external {
        if (withdrawalsPaused) revert WithdrawalsPaused();
        if (lagDuration == 0) revert VaultNotTimelocked();
        emit WithdrawalRequested(shares, msg.sender, receiverAddr);
        IERC20(address(_lp)).safeTransferFrom(msg.sender, address(this), shares);
        _shares[_epoch()][receiverAddr] += shares;
    }

    function _settle(uint256 shares, uint256, address receiver) internal override {
        uint256 assets = shares.mulDiv(getSharePrice, _oneShare());
        _lp.burn(address(this), shares);
        asset.safeTransfer(receiver, assets);
        emit WithdrawalProcessed(assets, receiver);
    }

    function _oneShare() private view returns (uint256) {
        return 10 ** _lp.decimals();
    }
}

/// @notice Behaves like Upshift's older vaults: ERC-4626 deposits with a limit that omits the supply cap, and
/// withdrawals that revert because they must be requested, here without a delay. Anyone may change any setting.
contract LegacyTokenizedVault is ERC4626, DatedRequests {
    using SafeERC20 for IERC20;

    bool public depositsPaused;
    uint256 public maxDepositAmount = type(uint256).max;
    uint256 public maxSupply = type(uint128).max;
    mapping(address => bool) public isBlacklisted;
    /// Assets of requests, fixed when they were made.
    uint256 public owed;
    /// Assets that the operators have taken out to invest.
    uint256 public lent;

    event WithdrawalRequested(
        address ownerAddr,
        address receiverAddr,
        uint256 shares,
        uint256 assets,
        uint256 fee,
        uint256 year,
        uint256 month,
        uint256 day
    );
    event WithdrawalProcessed(
        uint256 assetsAmount, uint256 processedOn, address receiverAddr, uint256 requestedOn, bool wasBlacklisted
    );

    error DepositsPaused();
    error DepositLimitReached();
    error MaxSupplyLimitReached();
    error AddressBlacklisted();
    error SharesAmountRequired();
    error WithdrawalRequestRequired();

    constructor(IERC20 asset_, string memory name_, string memory symbol_) ERC20(name_, symbol_) ERC4626(asset_) {}

    function setDepositsPaused(bool paused) external {
        depositsPaused = paused;
    }

    function setMaxDepositAmount(uint256 amount) external {
        maxDepositAmount = amount;
    }

    function setMaxSupply(uint256 supply) external {
        maxSupply = supply;
    }

    function setBlacklisted(address account, bool is_) external {
        isBlacklisted[account] = is_;
    }

    function maxDeposit(address) public view override returns (uint256) {
        return maxDepositAmount;
    }

    function deposit(uint256 assets, address receiver) public override returns (uint256 shares) {
        if (depositsPaused) revert DepositsPaused();
        if (isBlacklisted[msg.sender] || isBlacklisted[receiver]) revert AddressBlacklisted();
        if (assets > maxDeposit(receiver)) revert DepositLimitReached();
        shares = previewDeposit(assets);
        if (shares == 0) revert SharesAmountRequired();
        if (maxSupply < totalSupply() || shares > maxSupply - totalSupply()) revert MaxSupplyLimitReached();
        _deposit(msg.sender, receiver, assets, shares);
    }

    function instantRedeem(uint256 shares, address receiver, address holder) external returns (uint256 assets) {
        if (withdrawalsPaused) revert WithdrawalsPaused();
        assets = _pay(shares, receiver, holder);
        emit Withdraw(msg.sender, receiver, holder, assets, shares);
    }

    function requestRedeem(uint256 shares, address receiver, address holder) external returns (uint256 assets) {
        if (withdrawalsPaused) revert WithdrawalsPaused();
        (uint256 year, uint256 month, uint256 day, uint256 epoch) = getWithdrawalEpoch();
        if (lagDuration > 0) {
            if (msg.sender != holder) _spendAllowance(holder, msg.sender, shares);
            assets = previewRedeem(shares);
            _burn(holder, shares);
            owed += assets;
            _shares[epoch][receiver] += shares;
            _assets[epoch][receiver] += assets;
            emit WithdrawalRequested(holder, receiver, shares, assets, 0, year, month, day);
            return assets;
        }
        assets = _pay(shares, receiver, holder);
        emit WithdrawalRequested(holder, receiver, shares, assets, 0, year, month, day);
        emit WithdrawalProcessed(assets, block.timestamp, receiver, block.timestamp, false);
    }

    function totalAssets() public view override returns (uint256) {
        return super.totalAssets() + lent - owed;
    }

    function lend(uint256 assets) external {
        lent += assets;
        IERC20(asset()).safeTransfer(address(0xb0), assets);
    }

    function _settle(uint256, uint256 assets, address receiver) internal override {
        owed -= assets;
        IERC20(asset()).safeTransfer(receiver, assets);
        emit WithdrawalProcessed(assets, block.timestamp, receiver, block.timestamp, false);
    }

    function _pay(uint256 shares, address receiver, address holder) private returns (uint256 assets) {
        if (msg.sender != holder) _spendAllowance(holder, msg.sender, shares);
        assets = previewRedeem(shares);
        _burn(holder, shares);
        IERC20(asset()).safeTransfer(receiver, assets);
    }

    function withdraw(uint256, address, address) public pure override returns (uint256) {
        revert WithdrawalRequestRequired();
    }

    function redeem(uint256, address, address) public pure override returns (uint256) {
        revert WithdrawalRequestRequired();
    }
}
