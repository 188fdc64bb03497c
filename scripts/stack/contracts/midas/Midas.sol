// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// @notice Access control: the roles of holders and operators.
contract MidasAccess {
    address public immutable owner = msg.sender;
    mapping(address => bool) public greenlisted;
    mapping(address => bool) public blacklisted;
    mapping(address => bool) public sanctioned;

    function setGreenlisted(address account, bool yes) external {
        require(msg.sender == owner, "WMAC: hasnt role");
        greenlisted[account] = yes;
    }

    function setBlacklisted(address account, bool yes) external {
        require(msg.sender == owner, "WMAC: hasnt role");
        blacklisted[account] = yes;
    }

    function setSanctioned(address account, bool yes) external {
        require(msg.sender == owner, "WMAC: hasnt role");
        sanctioned[account] = yes;
    }
}

/// @notice Stand-in for an mToken: 18 decimals, minted and burned by the vaults.
contract MidasToken is ERC20 {
    MidasAccess public immutable access;
    mapping(address => bool) public minters;
    bool public paused;

    constructor(MidasAccess access_, string memory name_, string memory symbol_) ERC20(name_, symbol_) {
        access = access_;
        minters[access_.owner()] = true;
    }

    function setMinter(address minter) external {
        require(msg.sender == access.owner(), "WMAC: hasnt role");
        minters[minter] = true;
    }

    function pause() external {
        require(msg.sender == access.owner(), "WMAC: hasnt role");
        paused = true;
    }

    function mint(address to, uint256 amount) external {
        require(minters[msg.sender], "WMAC: hasnt role");
        _mint(to, amount);
    }

    function burn(address from, uint256 amount) external {
        require(minters[msg.sender], "WMAC: hasnt role");
        _burn(from, amount);
    }

    function _update(address from, address to, uint256 value) internal override {
        require(to == address(0) || !access.blacklisted(to), "WMAC: has role");
        require(!paused, "ERC20Pausable: token transfer while paused");
        super._update(from, to, value);
    }
}

/// @notice Stand-in for a DataFeed: 18 decimals; reverts when its answer is outdated or deprecated.
contract MidasFeed {
    address public immutable owner = msg.sender;
    uint256 private _price;
    uint256 public updatedAt;
    uint256 public immutable healthyDiff;
    bool public deprecated;

    constructor(uint256 price, uint256 healthyDiff_) {
        _price = price;
        updatedAt = block.timestamp;
        healthyDiff = healthyDiff_;
    }

    function set(uint256 price, uint256 updatedAt_, bool deprecated_) external {
        require(msg.sender == owner, "WMAC: hasnt role");
        _price = price;
        updatedAt = updatedAt_;
        deprecated = deprecated_;
    }

    function getDataInBase18() external view returns (uint256) {
        require(!deprecated, "DF: feed is deprecated");
        require(updatedAt + healthyDiff >= block.timestamp, "DF: feed is unhealthy");
        return _price;
    }
}

/// @notice Common to the vaults that accept and pay tokens. All amounts have 18 decimals, whatever the token's.
abstract contract MidasVault {
    using SafeERC20 for IERC20;

    struct TokenConfig {
        address dataFeed;
        uint256 fee;
        uint256 allowance;
        bool stable;
    }

    uint256 internal constant ONE_HUNDRED_PERCENT = 10_000;

    MidasAccess public immutable access;
    MidasToken public immutable mToken;
    MidasFeed public immutable mTokenDataFeed;
    address public immutable tokensReceiver;

    bool public paused;
    bool public greenlistEnabled;
    uint256 public instantFee;
    uint256 public instantDailyLimit = type(uint256).max;
    uint256 public minAmount;
    mapping(bytes4 => bool) public fnPaused;
    mapping(address => TokenConfig) public tokensConfig;
    mapping(address => bool) public waivedFeeRestriction;
    mapping(address => bool) public isFreeFromMinAmount;
    mapping(uint256 => uint256) public dailyLimits;
    address[] private _paymentTokens;

    constructor(MidasToken mToken_, MidasFeed feed_, address receiver_) {
        access = mToken_.access();
        mToken = mToken_;
        mTokenDataFeed = feed_;
        tokensReceiver = receiver_;
    }

    modifier onlyVaultAdmin() {
        require(msg.sender == access.owner(), "WMAC: hasnt role");
        _;
    }

    modifier open() {
        require(!paused, "Pausable: paused");
        require(!fnPaused[msg.sig], "Pausable: fn paused");
        _;
    }

    function vaultRole() external pure returns (bytes32) {
        return keccak256("VAULT_ADMIN_ROLE");
    }

    function pause(bool yes) external onlyVaultAdmin {
        paused = yes;
    }

    function pauseFn(bytes4 fn, bool yes) external onlyVaultAdmin {
        fnPaused[fn] = yes;
    }

    function setGreenlistEnable(bool yes) external onlyVaultAdmin {
        greenlistEnabled = yes;
    }

    function setInstantFee(uint256 fee) external onlyVaultAdmin {
        instantFee = fee;
    }

    function setInstantDailyLimit(uint256 limit) external onlyVaultAdmin {
        instantDailyLimit = limit;
    }

    function setMinAmount(uint256 amount) external onlyVaultAdmin {
        minAmount = amount;
    }

    function freeFromMinAmount(address account, bool yes) external onlyVaultAdmin {
        isFreeFromMinAmount[account] = yes;
    }

    function waiveFee(address account, bool yes) external onlyVaultAdmin {
        waivedFeeRestriction[account] = yes;
    }

    function addPaymentToken(address token, address feed, uint256 fee, uint256 allowance, bool stable)
        external
        onlyVaultAdmin
    {
        if (tokensConfig[token].dataFeed == address(0)) _paymentTokens.push(token);
        tokensConfig[token] = TokenConfig(feed, fee, allowance, stable);
    }

    function removePaymentToken(address token) external onlyVaultAdmin {
        delete tokensConfig[token];
        for (uint256 i = 0; i < _paymentTokens.length; ++i) {
            if (_paymentTokens[i] == token) {
                _paymentTokens[i] = _paymentTokens[_paymentTokens.length - 1];
                _paymentTokens.pop();
                return;
            }
        }
    }

    function getPaymentTokens() external view returns (address[] memory) {
        return _paymentTokens;
    }

    function _admit(address account) internal view {
        require(!access.blacklisted(account), "WMAC: has role");
        require(!greenlistEnabled || access.greenlisted(account), "WMAC: hasnt role");
        require(!access.sanctioned(account), "WSL: sanctioned");
    }

    function _tokenRate(address token) internal view returns (uint256) {
        TokenConfig storage config = tokensConfig[token];
        require(config.dataFeed != address(0), "MV: token not exists");
        uint256 rate = MidasFeed(config.dataFeed).getDataInBase18();
        return config.stable ? 1e18 : rate;
    }

    function _useLimits(uint256 mTokens) internal {
        uint256 day = block.timestamp / 1 days;
        dailyLimits[day] += mTokens;
        require(dailyLimits[day] <= instantDailyLimit, "MV: exceed limit");
    }

    function _unit(address token) internal view returns (uint256) {
        return 10 ** (18 - IERC20Metadata(token).decimals());
    }

    function _take(address token, address to, uint256 amount18) internal {
        if (amount18 == 0) return;
        uint256 unit = _unit(token);
        require(amount18 % unit == 0, "MV: invalid rounding");
        IERC20(token).safeTransferFrom(msg.sender, to, amount18 / unit);
    }
}

/// @notice Stand-in for a DepositVault before July 2025: it mints to the caller.
contract MidasDepositVaultOld is MidasVault {
    struct Request {
        address sender;
        address tokenIn;
        uint8 status;
        uint256 depositedUsdAmount;
        uint256 usdAmountWithoutFees;
        uint256 tokenOutRate;
    }

    uint256 public minMTokenAmountForFirstDeposit;
    /// @notice The first request has number 0.
    uint256 public nextRequestId;
    mapping(address => uint256) public totalMinted;
    mapping(uint256 => Request) public mintRequests;
    mapping(uint256 => address) internal _recipients;

    event DepositInstant(
        address indexed user,
        address indexed tokenIn,
        uint256 amountUsd,
        uint256 amountToken,
        uint256 fee,
        uint256 minted,
        bytes32 referrerId
    );
    event DepositRequest(
        uint256 indexed requestId,
        address indexed user,
        address indexed tokenIn,
        uint256 amountToken,
        uint256 amountUsd,
        uint256 fee,
        uint256 tokenOutRate,
        bytes32 referrerId
    );
    event ApproveRequest(uint256 indexed requestId, uint256 newOutRate);
    event RejectRequest(uint256 indexed requestId, address indexed user);

    struct Bill {
        uint256 amountUsd;
        uint256 feeToken;
        uint256 feeUsd;
        uint256 minted;
        uint256 mTokenRate;
    }

    constructor(MidasToken mToken_, MidasFeed feed_, address receiver_) MidasVault(mToken_, feed_, receiver_) {}

    function setMinMTokenAmountForFirstDeposit(uint256 amount) external onlyVaultAdmin {
        minMTokenAmountForFirstDeposit = amount;
    }

    function depositInstant(address tokenIn, uint256 amountToken, uint256 minReceiveAmount, bytes32 referrerId)
        external
        open
    {
        Bill memory bill = _instant(tokenIn, [amountToken, minReceiveAmount], msg.sender);
        emit DepositInstant(
            msg.sender, tokenIn, bill.amountUsd, amountToken, bill.feeToken, bill.minted, referrerId
        );
    }

    function depositRequest(address tokenIn, uint256 amountToken, bytes32 referrerId)
        external
        open
        returns (uint256 requestId)
    {
        Bill memory bill;
        (requestId, bill) = _request(tokenIn, amountToken, msg.sender);
        emit DepositRequest(
            requestId,
            msg.sender,
            tokenIn,
            amountToken,
            bill.amountUsd,
            bill.feeToken,
            bill.mTokenRate,
            referrerId
        );
    }

    function approveRequest(uint256 requestId, uint256 newOutRate) external onlyVaultAdmin {
        Request storage request = mintRequests[requestId];
        require(request.status == 0 && request.sender != address(0), "DV: request not pending");
        (request.status, request.tokenOutRate) = (1, newOutRate);
        uint256 minted = request.usdAmountWithoutFees * 1e18 / newOutRate;
        totalMinted[request.sender] += minted;
        mToken.mint(_recipients[requestId], minted);
        emit ApproveRequest(requestId, newOutRate);
    }

    /// @notice Refunds nothing on chain.
    function rejectRequest(uint256 requestId) external onlyVaultAdmin {
        mintRequests[requestId].status = 2;
        emit RejectRequest(requestId, mintRequests[requestId].sender);
    }

    function _instant(address tokenIn, uint256[2] memory amounts, address recipient)
        internal
        returns (Bill memory bill)
    {
        bill = _bill(tokenIn, amounts[0], true);
        require(bill.minted >= amounts[1], "DV: minReceiveAmount > actual");
        totalMinted[msg.sender] += bill.minted;
        _useLimits(bill.minted);
        _collect(tokenIn, amounts[0], bill.feeToken);
        mToken.mint(recipient, bill.minted);
        require(mToken.totalSupply() <= _supplyCap(), "DV: max supply cap exceeded");
    }

    function _request(address tokenIn, uint256 amountToken, address recipient)
        internal
        returns (uint256 requestId, Bill memory bill)
    {
        bill = _bill(tokenIn, amountToken, false);
        requestId = nextRequestId++;
        _collect(tokenIn, amountToken, bill.feeToken);
        _recipients[requestId] = recipient;
        mintRequests[requestId] =
            Request(msg.sender, tokenIn, 0, bill.amountUsd, bill.amountUsd - bill.feeUsd, bill.mTokenRate);
    }

    function _collect(address tokenIn, uint256 amountToken, uint256 feeToken) private {
        _take(tokenIn, tokensReceiver, amountToken - feeToken);
        _take(tokenIn, access.owner(), feeToken);
    }

    function _bill(address tokenIn, uint256 amountToken, bool instant) private returns (Bill memory bill) {
        _admit(msg.sender);
        require(amountToken > 0, "DV: invalid amount");
        uint256 rate = _tokenRate(tokenIn);
        TokenConfig storage config = tokensConfig[tokenIn];
        if (config.allowance != type(uint256).max) {
            require(config.allowance >= amountToken, "MV: exceed allowance");
            config.allowance -= amountToken;
        }
        uint256 fee = waivedFeeRestriction[msg.sender] ? 0 : config.fee + (instant ? instantFee : 0);
        if (fee > ONE_HUNDRED_PERCENT) fee = ONE_HUNDRED_PERCENT;
        uint256 unit = _unit(tokenIn);
        bill.amountUsd = amountToken * rate / 1e18;
        bill.feeToken = amountToken * fee / ONE_HUNDRED_PERCENT / unit * unit;
        bill.feeUsd = bill.feeToken * rate / 1e18;
        bill.mTokenRate = mTokenDataFeed.getDataInBase18();
        bill.minted = (bill.amountUsd - bill.feeUsd) * 1e18 / bill.mTokenRate;
        require(bill.minted > 0, "DV: invalid mint amount");
        if (isFreeFromMinAmount[msg.sender]) return bill;
        require(bill.minted >= minAmount, "DV: mToken amount < min");
        if (totalMinted[msg.sender] != 0) return bill;
        require(bill.minted >= minMTokenAmountForFirstDeposit, "DV: mint amount < min");
    }

    function _supplyCap() internal view virtual returns (uint256) {
        return type(uint256).max;
    }
}

/// @notice Stand-in for a current DepositVault: a recipient may be named, and the supply has a cap.
contract MidasDepositVault is MidasDepositVaultOld {
    uint256 public maxSupplyCap = type(uint256).max;

    event DepositInstantWithCustomRecipient(
        address indexed user,
        address indexed tokenIn,
        address recipient,
        uint256 amountUsd,
        uint256 amountToken,
        uint256 fee,
        uint256 minted,
        bytes32 referrerId
    );
    event DepositRequestWithCustomRecipient(
        uint256 indexed requestId,
        address indexed user,
        address indexed tokenIn,
        address recipient,
        uint256 amountToken,
        uint256 amountUsd,
        uint256 fee,
        uint256 tokenOutRate,
        bytes32 referrerId
    );

    constructor(MidasToken mToken_, MidasFeed feed_, address receiver_)
        MidasDepositVaultOld(mToken_, feed_, receiver_)
    {}

    function setMaxSupplyCap(uint256 cap) external onlyVaultAdmin {
        maxSupplyCap = cap;
    }

    function depositInstant(
        address tokenIn,
        uint256 amountToken,
        uint256 minReceiveAmount,
        bytes32 referrerId,
        address recipient
    ) external open {
        _admit(recipient);
        Bill memory bill = _instant(tokenIn, [amountToken, minReceiveAmount], recipient);
        emit DepositInstantWithCustomRecipient(
            msg.sender, tokenIn, recipient, bill.amountUsd, amountToken, bill.feeToken, bill.minted, referrerId
        );
    }

    function depositRequest(address tokenIn, uint256 amountToken, bytes32 referrerId, address recipient)
        external
        open
        returns (uint256 requestId)
    {
        _admit(recipient);
        Bill memory bill;
        (requestId, bill) = _request(tokenIn, amountToken, recipient);
        emit DepositRequestWithCustomRecipient(
            requestId,
            msg.sender,
            tokenIn,
            recipient,
            amountToken,
            bill.amountUsd,
            bill.feeToken,
            bill.mTokenRate,
            referrerId
        );
    }

    function _supplyCap() internal view override returns (uint256) {
        return maxSupplyCap;
    }
}

/// @notice Stand-in for a RedemptionVault: pays at once what it holds, or when an administrator approves a request.
/// A rejected request returns nothing.
contract MidasRedemptionVault is MidasVault {
    using SafeERC20 for IERC20;

    struct Request {
        address sender;
        address tokenOut;
        uint8 status;
        uint256 amountMToken;
        uint256 mTokenRate;
        uint256 tokenOutRate;
    }

    uint256 public nextRequestId;
    mapping(uint256 => Request) public redeemRequests;

    event RedeemInstant(
        address indexed user,
        address indexed tokenOut,
        uint256 amount,
        uint256 feeAmount,
        uint256 amountTokenOut
    );
    event RedeemInstantWithCustomRecipient(
        address indexed user,
        address indexed tokenOut,
        address recipient,
        uint256 amount,
        uint256 feeAmount,
        uint256 amountTokenOut
    );
    event RedeemRequest(
        uint256 indexed requestId,
        address indexed user,
        address indexed tokenOut,
        uint256 amountMTokenIn,
        uint256 feeAmount
    );
    event ApproveRequest(uint256 indexed requestId, uint256 newMTokenRate);
    event RejectRequest(uint256 indexed requestId, address indexed user);

    constructor(MidasToken mToken_, MidasFeed feed_, address receiver_) MidasVault(mToken_, feed_, receiver_) {}

    function redeemInstant(address tokenOut, uint256 amountMTokenIn, uint256 minReceiveAmount) external open {
        (uint256 fee, uint256 out) = _redeem(tokenOut, [amountMTokenIn, minReceiveAmount], msg.sender);
        emit RedeemInstant(msg.sender, tokenOut, amountMTokenIn, fee, out);
    }

    function redeemInstant(address tokenOut, uint256 amountMTokenIn, uint256 minReceiveAmount, address recipient)
        external
        open
    {
        _admit(recipient);
        (uint256 fee, uint256 out) = _redeem(tokenOut, [amountMTokenIn, minReceiveAmount], recipient);
        emit RedeemInstantWithCustomRecipient(msg.sender, tokenOut, recipient, amountMTokenIn, fee, out);
    }

    function redeemRequest(address tokenOut, uint256 amountMTokenIn) external open returns (uint256 requestId) {
        uint256 rate = _tokenRate(tokenOut);
        uint256 fee = _charge(tokenOut, amountMTokenIn, false);
        IERC20(address(mToken)).safeTransferFrom(msg.sender, address(this), amountMTokenIn - fee);
        requestId = nextRequestId++;
        redeemRequests[requestId] =
            Request(msg.sender, tokenOut, 0, amountMTokenIn - fee, mTokenDataFeed.getDataInBase18(), rate);
        emit RedeemRequest(requestId, msg.sender, tokenOut, amountMTokenIn, fee);
    }

    function approveRequest(uint256 requestId, uint256 newMTokenRate) external onlyVaultAdmin {
        Request storage request = redeemRequests[requestId];
        require(request.status == 0 && request.sender != address(0), "RV: request not pending");
        (request.status, request.mTokenRate) = (1, newMTokenRate);
        mToken.burn(address(this), request.amountMToken);
        uint256 out = request.amountMToken * newMTokenRate / request.tokenOutRate / _unit(request.tokenOut);
        IERC20(request.tokenOut).safeTransfer(request.sender, out);
        emit ApproveRequest(requestId, newMTokenRate);
    }

    function rejectRequest(uint256 requestId) external onlyVaultAdmin {
        redeemRequests[requestId].status = 2;
        emit RejectRequest(requestId, redeemRequests[requestId].sender);
    }

    /// @dev Takes the fee by allowance and returns it, in mTokens.
    function _charge(address tokenOut, uint256 amount, bool instant) private returns (uint256 fee) {
        _admit(msg.sender);
        require(isFreeFromMinAmount[msg.sender] || amount >= minAmount, "RV: amount < min");
        uint256 rate = waivedFeeRestriction[msg.sender] ? 0 : tokensConfig[tokenOut].fee + (instant ? instantFee : 0);
        fee = amount * rate / ONE_HUNDRED_PERCENT;
        if (fee > 0) IERC20(address(mToken)).safeTransferFrom(msg.sender, access.owner(), fee);
    }

    function _redeem(address tokenOut, uint256[2] memory amounts, address recipient)
        private
        returns (uint256 fee, uint256 out)
    {
        uint256 rate = _tokenRate(tokenOut);
        fee = _charge(tokenOut, amounts[0], true);
        _useLimits(amounts[0]);
        uint256 unit = _unit(tokenOut);
        out = (amounts[0] - fee) * mTokenDataFeed.getDataInBase18() / rate / unit * unit;
        require(out >= amounts[1], "RV: minReceiveAmount > actual");
        mToken.burn(msg.sender, amounts[0] - fee);
        IERC20(tokenOut).safeTransfer(recipient, out / unit);
    }
}
