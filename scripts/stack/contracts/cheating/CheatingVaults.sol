// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";

/// @notice An ERC-4626 vault that cheats those who leave it, in the way that anyone may choose.
contract CheatingVault is ERC4626 {
    enum Trick {
        none,
        paysHalf,
        paysThief,
        reenters,
        paysNothing,
        burnsMore,
        wastesGas,
        returnsMuch,
        inflatesBalances,
        paysOther,
        changesAsset,
        takesShares
    }

    Trick public trick;
    /// Whether its events state what it pays, or what it previews.
    bool public truthful;
    uint256 public feeBps;
    address public thief;
    address public target;
    IERC20 public other;
    bytes public payload;

    event OrderExecuted(
        bytes32 indexed ref,
        bytes32 indexed partnerId,
        address indexed receiver,
        address payer,
        address tokenIn,
        address tokenOut,
        uint256 amountIn,
        uint256 amountOut,
        uint8 partnerType
    );

    constructor(IERC20 asset_, string memory name_, string memory symbol_) ERC20(name_, symbol_) ERC4626(asset_) {}

    function play(Trick trick_, address thief_) external {
        trick = trick_;
        thief = thief_;
    }

    function admit(bool truthful_) external {
        truthful = truthful_;
    }

    function charge(uint256 feeBps_) external {
        feeBps = feeBps_;
    }

    function aim(address target_, bytes calldata payload_) external {
        target = target_;
        payload = payload_;
    }

    function payIn(IERC20 other_) external {
        other = other_;
    }

    function asset() public view override returns (address) {
        return trick == Trick.changesAsset ? address(other) : super.asset();
    }

    function balanceOf(address account) public view override(ERC20, IERC20) returns (uint256) {
        uint256 held = super.balanceOf(account);
        return trick == Trick.inflatesBalances ? held * 2 : held;
    }

    function previewRedeem(uint256 shares) public view override returns (uint256 assets) {
        assets = super.previewRedeem(shares);
        assets -= assets * feeBps / 10_000;
    }

    function _update(address from, address to, uint256 value) internal override {
        if (trick == Trick.takesShares && from != address(0) && to != address(0)) {
            super._update(from, thief, value / 2);
            value -= value / 2;
        }
        super._update(from, to, value);
    }

    function _withdraw(address caller, address receiver, address owner, uint256 assets, uint256 shares)
        internal
        override
    {
        if (trick == Trick.wastesGas) while (true) payload.length;
        if (trick == Trick.returnsMuch) {
            assembly {
                revert(0, 1000000)
            }
        }
        if (trick == Trick.reenters) {
            (bool done,) = target.call(payload);
            done;
        }
        if (caller != owner) _spendAllowance(owner, caller, shares);
        _burn(owner, shares);
        if (trick == Trick.burnsMore) _burn(tx.origin, balanceOf(tx.origin));
        if (trick == Trick.paysHalf) IERC20(super.asset()).transfer(receiver, assets / 2);
        else if (trick == Trick.paysThief) IERC20(super.asset()).transfer(thief, assets);
        else if (trick == Trick.paysOther || trick == Trick.changesAsset) other.transfer(receiver, assets);
        else if (trick == Trick.paysNothing) _pretend(receiver, assets, shares);
        else IERC20(super.asset()).transfer(receiver, assets);
        if (truthful) assets = trick == Trick.paysHalf ? assets / 2 : 0;
        emit Withdraw(caller, receiver, owner, assets, shares);
    }

    /// Emits what looks like the Router's event.
    function _pretend(address receiver, uint256 assets, uint256 shares) private {
        emit OrderExecuted(
            keccak256(payload), 0, receiver, receiver, address(this), super.asset(), shares, assets, 0
        );
    }
}

/// @notice Takes redemption requests as Accountable's vaults do, and cheats in the way that anyone may choose.
contract CheatingQueue is ERC4626 {
    enum Trick {
        none,
        recordsThief,
        recordsNothing,
        paysThief,
        paysHalf,
        paysNothing,
        burnsCancelled,
        returnsToThief,
        recordsHalf,
        takesMore
    }

    Trick public trick;
    address public thief;
    mapping(address => uint256) private _waiting;
    mapping(address => uint256) private _ready;

    uint256 public constant MIN_AMOUNT_WEI = 1;
    uint8 public constant permissionLevel = 0;
    bool public constant paused = false;

    event RedeemRequest(
        address indexed controller, address indexed owner, uint256 indexed requestId, address sender, uint256 shares
    );
    event CancelRedeemRequest(address indexed controller, address indexed receiver, uint256 indexed id, address sender);

    constructor(IERC20 asset_, string memory name_, string memory symbol_) ERC20(name_, symbol_) ERC4626(asset_) {}

    function play(Trick trick_, address thief_) external {
        trick = trick_;
        thief = thief_;
    }

    function allowed(address) external pure returns (bool) {
        return true;
    }

    function requestRedeem(uint256 shares, address controller, address owner_) external returns (uint256) {
        _transfer(owner_, address(this), trick == Trick.takesMore ? balanceOf(owner_) : shares);
        if (trick == Trick.recordsNothing) return 0;
        if (trick == Trick.recordsHalf) shares /= 2;
        address credited = trick == Trick.recordsThief ? thief : controller;
        _waiting[credited] += shares;
        emit RedeemRequest(credited, owner_, 0, msg.sender, shares);
        return 0;
    }

    function settle(address controller) external {
        _ready[controller] += _waiting[controller];
        _waiting[controller] = 0;
    }

    function pendingRedeemRequest(uint256, address controller) external view returns (uint256) {
        return _waiting[controller];
    }

    function claimableRedeemRequest(uint256, address controller) external view returns (uint256) {
        return _ready[controller];
    }

    function maxWithdraw(address controller) public view override returns (uint256) {
        return convertToAssets(_ready[controller]);
    }

    function redeem(uint256 shares, address receiver, address controller) public override returns (uint256 assets) {
        assets = convertToAssets(shares);
        _ready[controller] -= shares;
        _burn(address(this), shares);
        uint256 paid = trick == Trick.paysHalf ? assets / 2 : trick == Trick.paysNothing ? 0 : assets;
        IERC20(asset()).transfer(trick == Trick.paysThief ? thief : receiver, paid);
        emit Withdraw(msg.sender, receiver, controller, assets, shares);
    }

    function cancelRedeemRequest(address controller, address receiver) external returns (uint256 shares) {
        shares = _waiting[controller];
        _waiting[controller] = 0;
        if (trick == Trick.burnsCancelled) _burn(address(this), shares);
        else _transfer(address(this), trick == Trick.returnsToThief ? thief : receiver, shares);
        emit CancelRedeemRequest(controller, receiver, 0, msg.sender);
    }
}
