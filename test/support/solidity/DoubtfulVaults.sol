// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ProvenVault} from "./ProvenVault.sol";

/// @notice Takes deposits whatever its views say, and may name another asset than the one that it takes.
contract LenientVault is ProvenVault {
    IERC20 private immutable _taken;
    address private _named;

    constructor(IERC20 asset_) ProvenVault(asset_) {
        _taken = asset_;
    }

    function nameAsset(address named) external {
        _named = named;
    }

    function asset() public view override returns (address) {
        return _named == address(0) ? super.asset() : _named;
    }

    function totalAssets() public view override returns (uint256) {
        return _taken.balanceOf(address(this));
    }

    function deposit(uint256 assets, address receiver) public virtual override returns (uint256 shares) {
        shares = convertToShares(assets);
        SafeERC20.safeTransferFrom(_taken, msg.sender, address(this), assets);
        _mint(receiver, shares);
    }
}

/// @notice Limits each caller to what it holds of the asset and to the room below the cap, as Summer's vaults do.
contract LimitsByBalance is ProvenVault {
    constructor(IERC20 asset_) ProvenVault(asset_) {}

    function maxDeposit(address account) public view override returns (uint256) {
        uint256 held = IERC20(asset()).balanceOf(account);
        uint256 room = super.maxDeposit(account);
        return room < held ? room : held;
    }

    function deposit(uint256 assets, address receiver) public virtual override returns (uint256 shares) {
        uint256 most = maxDeposit(msg.sender);
        if (assets > most) revert ERC4626ExceededMaxDeposit(msg.sender, assets, most);
        shares = previewDeposit(assets);
        _deposit(msg.sender, receiver, assets, shares);
    }
}

/// @notice The same, and reverts with an error that nobody knows.
contract LimitsInSilence is LimitsByBalance {
    error Unheard();

    constructor(IERC20 asset_) LimitsByBalance(asset_) {}

    function deposit(uint256 assets, address receiver) public override returns (uint256) {
        if (assets > maxDeposit(msg.sender)) revert Unheard();
        return super.deposit(assets, receiver);
    }
}

/// @notice Quotes small amounts alone, although it takes any.
contract SilentPreview is LenientVault {
    constructor(IERC20 asset_) LenientVault(asset_) {}

    function previewDeposit(uint256 assets) public view override returns (uint256) {
        require(assets < 1_000, "no quote today");
        return super.previewDeposit(assets);
    }
}

/// @notice Euler's views on an honest vault, with a governor that it may keep to itself.
contract GovernedVault is ProvenVault {
    address private _governor;
    bool private _silent;

    constructor(IERC20 asset_) ProvenVault(asset_) {}

    function MODULE_VAULT() external view returns (address) {
        return address(this);
    }

    function hookConfig() external pure returns (address, uint32) {
        return (address(0), 0);
    }

    function govern(address governor, bool silent) external {
        (_governor, _silent) = (governor, silent);
    }

    function governorAdmin() external view returns (address) {
        require(!_silent, "not today");
        return _governor;
    }
}

/// @notice Names an implementation in a proxy's slot, and runs its own code.
contract PosesAsProxy is GovernedVault {
    constructor(IERC20 asset_, address implementation) GovernedVault(asset_) {
        bytes32 slot = bytes32(uint256(keccak256("eip1967.proxy.implementation")) - 1);
        assembly {
            sstore(slot, implementation)
        }
    }
}

/// @notice Has the views of Yo's vaults, and pays half of what they say.
contract PosesAsQueue is ProvenVault {
    constructor(IERC20 asset_) ProvenVault(asset_) {}

    function totalPendingAssets() external pure returns (uint256) {
        return 0;
    }

    function feeOnWithdraw() external pure returns (uint256) {
        return 0;
    }

    function pendingRedeemRequest(address) external pure returns (uint256, uint256) {
        return (0, 0);
    }

    function redeem(uint256 shares, address receiver, address owner) public override returns (uint256) {
        super.redeem(shares / 2, receiver, owner);
        _burn(owner, balanceOf(owner));
        return shares;
    }
}

/// @notice Mints at once and redeems on request alone, as ERC-7540 allows.
contract RedeemsOnRequest is ProvenVault {
    event RedeemRequest(
        address indexed controller, address indexed owner, uint256 indexed requestId, address sender, uint256 shares
    );

    mapping(address controller => uint256) private _requested;

    constructor(IERC20 asset_) ProvenVault(asset_) {}

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x620ee8e4 || id == 0x01ffc9a7;
    }

    function previewRedeem(uint256) public pure override returns (uint256) {
        revert("on request");
    }

    function maxRedeem(address) public pure override returns (uint256) {
        return 0;
    }

    function requestRedeem(uint256 shares, address controller, address owner) external returns (uint256) {
        require(msg.sender == owner, "not the owner");
        _take(owner, shares);
        _requested[controller] += shares;
        emit RedeemRequest(controller, owner, 0, msg.sender, shares);
        return 0;
    }

    function _take(address owner, uint256 shares) internal virtual {
        _transfer(owner, address(this), shares);
    }

    function pendingRedeemRequest(uint256, address controller) external view returns (uint256) {
        return _requested[controller];
    }

    function claimableRedeemRequest(uint256, address) external pure returns (uint256) {
        return 0;
    }
}

/// @notice Takes the shares of a request by an allowance to itself, as the standard's reference contracts do.
contract RedeemsByAllowance is RedeemsOnRequest {
    constructor(IERC20 asset_) RedeemsOnRequest(asset_) {}

    function _take(address owner, uint256 shares) internal override {
        SafeERC20.safeTransferFrom(this, owner, address(this), shares);
    }
}

/// @notice Values single units of its shares alone.
contract SilentPrice is LenientVault {
    constructor(IERC20 asset_) LenientVault(asset_) {}

    function convertToAssets(uint256 shares) public view override returns (uint256) {
        require(shares < 1_000, "no price today");
        return super.convertToAssets(shares);
    }
}

/// @notice Mints to its caller, whoever the receiver is.
contract MintsToCaller is LenientVault {
    constructor(IERC20 asset_) LenientVault(asset_) {}

    function deposit(uint256 assets, address) public override returns (uint256) {
        return super.deposit(assets, msg.sender);
    }
}

/// @notice Takes the asset for a vault, as the lending pool of Arcadia's tranches does.
contract TakingPool {
    IERC20 private immutable _asset;
    address private immutable _vault = msg.sender;

    constructor(IERC20 asset_) {
        _asset = asset_;
    }

    function take(uint256 assets, address from) external {
        require(msg.sender == _vault, "only the vault");
        (bool done,) = address(_asset).call(abi.encodeCall(IERC20.transferFrom, (from, address(this), assets)));
        require(done, "TRANSFER_FROM_FAILED");
    }
}

/// @notice Takes deposits through its pool, which needs the allowance that other vaults need themselves.
contract TakesThroughPool is ProvenVault {
    TakingPool public immutable pool;

    constructor(IERC20 asset_) ProvenVault(asset_) {
        pool = new TakingPool(asset_);
    }

    function totalAssets() public view override returns (uint256) {
        return IERC20(asset()).balanceOf(address(pool));
    }

    function deposit(uint256 assets, address receiver) public override returns (uint256 shares) {
        shares = previewDeposit(assets);
        pool.take(assets, msg.sender);
        _mint(receiver, shares);
    }
}

/// @notice Takes twice what it is to take, for which the allowance is too low.
contract TakesTwice is ProvenVault {
    constructor(IERC20 asset_) ProvenVault(asset_) {}

    function deposit(uint256 assets, address receiver) public override returns (uint256) {
        super.deposit(assets, receiver);
        return super.deposit(assets, receiver);
    }
}
