// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Trap} from "./TrappingVaults.sol";

/// @notice Lets nobody leave an hour after the last deposit.
abstract contract ClosesInAnHour is Trap {
    uint256 private _last = block.timestamp;

    function _enter(address, uint256) internal virtual override {
        _last = block.timestamp;
    }

    function _leave(address) internal view virtual override {
        require(block.timestamp <= _last + 1 hours, "too late");
    }
}

/// @notice The same, and redeems no less than 99% of an account's shares.
contract RefusesPartsAndTraps is ClosesInAnHour {
    constructor(IERC20 asset_) Trap(asset_) {}

    function _update(address from, address to, uint256 value) internal virtual override {
        require(!sprung || to != address(0) || value * 100 >= balanceOf(from) * 99, "all or nothing");
        super._update(from, to, value);
    }
}

/// @notice The same, and redeems nothing but all of an account's shares.
contract RefusesAnyPartAndTraps is ClosesInAnHour {
    constructor(IERC20 asset_) Trap(asset_) {}

    function _update(address from, address to, uint256 value) internal virtual override {
        require(!sprung || to != address(0) || value == balanceOf(from), "all or nothing");
        super._update(from, to, value);
    }
}

/// @notice An honest vault that redeems nothing but all of an account's shares.
contract RefusesAnyPart is Trap {
    constructor(IERC20 asset_) Trap(asset_) {}

    function _update(address from, address to, uint256 value) internal virtual override {
        require(!sprung || to != address(0) || value == balanceOf(from), "all or nothing");
        super._update(from, to, value);
    }
}

/// @notice Lets only the latest depositor leave.
contract LetsLatestLeave is Trap {
    address private _latest;

    constructor(IERC20 asset_) Trap(asset_) {}

    function _enter(address receiver, uint256) internal override {
        _latest = receiver;
    }

    function _leave(address owner) internal view override {
        require(owner == _latest, "not the latest");
    }
}

/// @notice Pays a tenth to whoever is not the latest depositor.
contract PaysLatestOnly is Trap {
    address private _latest;

    constructor(IERC20 asset_) Trap(asset_) {}

    function _enter(address receiver, uint256) internal override {
        _latest = receiver;
    }

    function _feeBps(address owner) internal view override returns (uint256) {
        return owner == _latest ? 0 : 9_000;
    }
}

/// @notice Lets one account leave, and no other one ever.
contract LetsOneLeave is Trap {
    uint256 private _left;

    constructor(IERC20 asset_) Trap(asset_) {}

    function _update(address from, address to, uint256 value) internal override {
        if (sprung && to == address(0)) require(_left++ == 0, "one has left");
        super._update(from, to, value);
    }
}

/// @notice Loses a fortieth of its assets in 30 days, which no view of a fee states.
contract BleedsAssets is Trap {
    uint256 private _since = block.timestamp;

    constructor(IERC20 asset_) Trap(asset_) {}

    function _lost() private view returns (uint256) {
        return sprung ? super.totalAssets() * (block.timestamp - _since) / (40 * 30 days) : 0;
    }

    function totalAssets() public view override returns (uint256) {
        return super.totalAssets() - _lost();
    }

    function _update(address from, address to, uint256 value) internal override {
        uint256 lost = _lost();
        _since = block.timestamp;
        IERC20(asset()).transfer(address(0xdead), lost);
        super._update(from, to, value);
    }
}

/// @notice Names another asset.
contract SwitchesAsset is Trap {
    constructor(IERC20 asset_) Trap(asset_) {}

    function asset() public view override returns (address) {
        return sprung ? address(this) : super.asset();
    }
}

/// @notice Takes a tenth of each account's shares a day.
contract ShrinksShares is Trap {
    mapping(address => uint256) private _since;

    constructor(IERC20 asset_) Trap(asset_) {}

    function _enter(address receiver, uint256) internal override {
        _since[receiver] = block.timestamp;
    }

    function balanceOf(address account) public view override(ERC20, IERC20) returns (uint256 shares) {
        shares = super.balanceOf(account);
        if (sprung && _since[account] > 0 && block.timestamp > _since[account] + 1 hours) shares /= 100;
    }

    function _leave(address owner) internal view override {
        require(_since[owner] == 0 || block.timestamp <= _since[owner] + 1 hours, "shares shrank");
    }
}

/// @notice Pays a tenth of what it promises for more than five thousand whole tokens.
contract KeepsHugeExits is Trap {
    constructor(IERC20 asset_) Trap(asset_) {}

    function _keptBps(uint256 assets) internal pure override returns (uint256) {
        return assets > 5 * 10 ** 9 ? 9_000 : 0;
    }
}

/// @notice Has no redemption that answers, as vaults which pay by functions of their own.
contract RedeemsElsewhere is Trap {
    constructor(IERC20 asset_) Trap(asset_) {}

    function _leave(address) internal pure override {
        revert();
    }
}

/// @notice Burns the shares and pays nothing.
contract PaysNothing is Trap {
    constructor(IERC20 asset_) Trap(asset_) {}

    function _feeBps(address) internal pure override returns (uint256) {
        return 10_000;
    }
}

/// @notice A cooldown of a day.
abstract contract Cools is Trap {
    struct Cooldown {
        uint104 end;
        uint152 amount;
    }

    mapping(address => Cooldown) public cooldowns;

    function _paid(uint256 amount) internal view virtual returns (uint256);

    function cooldownDuration() public view returns (uint24) {
        return 1 days;
    }

    function _cool(uint256 shares, address owner) internal returns (uint256 assets) {
        assets = previewRedeem(shares);
        require(assets <= totalAssets(), "no assets");
        cooldowns[owner] = Cooldown(uint104(block.timestamp + 1 days), uint152(assets));
        _burn(owner, shares);
    }

    function unstake(address receiver) external {
        Cooldown memory cooldown = cooldowns[msg.sender];
        require(block.timestamp >= cooldown.end, "not yet");
        delete cooldowns[msg.sender];
        IERC20(asset()).transfer(receiver, _paid(cooldown.amount));
    }

    error OperationNotAllowed();

    function _leave(address) internal pure override {
        revert OperationNotAllowed();
    }
}

/// @notice A cooldown that starts for the caller's shares.
abstract contract CoolsOwn is Cools {
    function cooldownShares(uint256 shares) external virtual returns (uint256) {
        return _cool(shares, msg.sender);
    }
}

/// @notice A cooldown after which nobody is paid.
contract CoolsForEver is CoolsOwn {
    constructor(IERC20 asset_) Trap(asset_) {}

    function _paid(uint256 amount) internal view override returns (uint256) {
        require(!sprung, "never");
        return amount;
    }
}

/// @notice A cooldown after which a tenth is paid.
contract CoolsForLess is CoolsOwn {
    constructor(IERC20 asset_) Trap(asset_) {}

    function _paid(uint256 amount) internal view override returns (uint256) {
        return sprung ? amount / 10 : amount;
    }
}

/// @notice A cooldown that pays, and that leaves either no share or at least a whole one in the vault.
contract CoolsAboveMinimum is CoolsOwn {
    constructor(IERC20 asset_) Trap(asset_) {}

    function _paid(uint256 amount) internal pure override returns (uint256) {
        return amount;
    }

    function _update(address from, address to, uint256 value) internal override {
        super._update(from, to, value);
        require(totalSupply() == 0 || totalSupply() >= 10 ** decimals(), "too few shares left");
    }
}

/// @notice A cooldown that pays, and whose start names the owner of the shares.
contract CoolsNamed is Cools {
    constructor(IERC20 asset_) Trap(asset_) {}

    error ExcessiveRedeemAmount();

    function cooldownShares(uint256 shares, address owner) external returns (uint256) {
        require(msg.sender == owner, "not the owner");
        if (shares > maxRedeem(owner)) revert ExcessiveRedeemAmount();
        return _cool(shares, owner);
    }

    function _paid(uint256 amount) internal pure override returns (uint256) {
        return amount;
    }
}

/// @notice A cooldown that nobody can start.
contract CoolsNobody is CoolsOwn {
    constructor(IERC20 asset_) Trap(asset_) {}

    function cooldownShares(uint256 shares) external override returns (uint256) {
        require(!sprung, "no more cooldowns");
        return _cool(shares, msg.sender);
    }

    function _paid(uint256 amount) internal pure override returns (uint256) {
        return amount;
    }
}
