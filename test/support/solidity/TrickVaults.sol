// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {CrookedVault} from "./CrookedVaults.sol";

/// @notice An honest vault until `turn()` or its subclass says that it cheats: then a deposit mints a thousandth.
contract TrickVault is CrookedVault {
    bool internal turned;

    constructor(IERC20 asset_) CrookedVault(asset_) {}

    function turn() external virtual {
        turned = true;
    }

    function _cheats(address, uint256) internal view virtual returns (bool) {
        return false;
    }

    function deposit(uint256 assets, address receiver) public virtual override returns (uint256 shares) {
        shares = previewDeposit(assets);
        bool cheats = _cheats(receiver, assets);
        IERC20(asset()).transferFrom(msg.sender, address(this), assets);
        _mint(receiver, cheats ? shares / 1_000 : shares);
        emit Deposit(msg.sender, receiver, assets, shares);
    }
}

/// @notice Cheats transactions that pay for gas.
contract CheatsWhoPaysGas is TrickVault {
    constructor(IERC20 asset_) TrickVault(asset_) {}

    function _cheats(address, uint256) internal view override returns (bool) {
        return tx.gasprice > 0 || block.basefee > 0;
    }
}

/// @notice Cheats amounts of more than a hundred whole tokens.
contract CheatsLargeAmounts is TrickVault {
    constructor(IERC20 asset_) TrickVault(asset_) {}

    function _cheats(address, uint256 assets) internal pure override returns (bool) {
        return assets > 10 ** 8;
    }
}

/// @notice Cheats accounts unless they hold more native currency than anybody needs for gas.
contract CheatsPlausibleAccounts is TrickVault {
    constructor(IERC20 asset_) TrickVault(asset_) {}

    function _cheats(address receiver, uint256) internal view override returns (bool) {
        return receiver.balance < 100 ether;
    }
}

/// @notice Cheats callers that did not sign the transaction themselves.
contract CheatsProxiedCallers is TrickVault {
    constructor(IERC20 asset_) TrickVault(asset_) {}

    function _cheats(address, uint256) internal view override returns (bool) {
        return msg.sender != tx.origin;
    }
}

/// @notice Cheats every amount but the one whole token of a proof.
contract CheatsOtherAmounts is TrickVault {
    constructor(IERC20 asset_) TrickVault(asset_) {}

    function _cheats(address, uint256 assets) internal pure override returns (bool) {
        return assets != 10 ** 6;
    }
}

/// @notice Cheats accounts that hold native currency.
contract CheatsUsedAccounts is TrickVault {
    constructor(IERC20 asset_) TrickVault(asset_) {}

    function _cheats(address receiver, uint256) internal view override returns (bool) {
        return receiver.balance > 0;
    }
}

/// @notice Cheats contracts that deposit for others.
contract CheatsRouters is TrickVault {
    constructor(IERC20 asset_) TrickVault(asset_) {}

    function _cheats(address, uint256) internal view override returns (bool) {
        return msg.sender.code.length > 0;
    }
}

/// @notice Cheats transactions with a gas limit that fits a deposit.
contract CheatsThrifty is TrickVault {
    constructor(IERC20 asset_) TrickVault(asset_) {}

    function _cheats(address, uint256) internal view override returns (bool) {
        return gasleft() < 2_000_000;
    }
}

/// @notice Cheats accounts that keep some of the asset after the deposit.
contract CheatsTheWealthy is TrickVault {
    constructor(IERC20 asset_) TrickVault(asset_) {}

    function _cheats(address receiver, uint256 assets) internal view override returns (bool) {
        return IERC20(asset()).balanceOf(receiver) > assets;
    }
}

/// @notice Cheats unless a transaction of the same block has read a balance, which only a simulation does.
contract CheatsUnlessRead is TrickVault {
    uint256 private _readAt;

    constructor(IERC20 asset_) TrickVault(asset_) {}

    function note() external {
        _readAt = block.number;
    }

    /// A static call cannot note anything.
    function _tryNoting() private {
        (bool done,) = address(this).call{gas: 60_000}(abi.encodeCall(this.note, ()));
        done;
    }

    function balanceOf(address account) public view override(ERC20, IERC20) returns (uint256) {
        function() internal hidden = _tryNoting;
        function() internal view shown;
        assembly {
            shown := hidden
        }
        shown();
        return super.balanceOf(account);
    }

    function _cheats(address, uint256) internal view override returns (bool) {
        return _readAt != block.number;
    }
}

/// @notice Cheats from the moment that its maker chooses.
contract CheatsLater is TrickVault {
    constructor(IERC20 asset_) TrickVault(asset_) {}

    function _cheats(address, uint256) internal view override returns (bool) {
        return turned;
    }
}

/// @notice Announces the transfer of shares that it mints to its maker.
contract FakesTransfer is TrickVault {
    address private immutable _maker = msg.sender;

    constructor(IERC20 asset_) TrickVault(asset_) {}

    function deposit(uint256 assets, address receiver) public override returns (uint256 shares) {
        shares = super.deposit(assets, turned ? _maker : receiver);
        if (turned) emit Transfer(address(0), receiver, shares);
    }
}

/// @notice Takes nothing, mints nothing, and answers that all is well.
contract DoesNothing is TrickVault {
    constructor(IERC20 asset_) TrickVault(asset_) {}

    function deposit(uint256 assets, address receiver) public override returns (uint256) {
        return turned ? previewDeposit(assets) : super.deposit(assets, receiver);
    }
}

/// @notice Values shares at ten times what it mints them for.
contract InflatesConversion is TrickVault {
    constructor(IERC20 asset_) TrickVault(asset_) {}

    function convertToAssets(uint256 shares) public view override returns (uint256) {
        return super.convertToAssets(shares) * (turned ? 10 : 1);
    }
}

/// @notice Shows balances of a hundredth from the moment that its maker chooses.
contract RebasesDown is TrickVault {
    constructor(IERC20 asset_) TrickVault(asset_) {}

    function balanceOf(address account) public view override(ERC20, IERC20) returns (uint256) {
        return super.balanceOf(account) / (turned ? 100 : 1);
    }
}

/// @notice Calls its caller back and spends what that one still holds or approved.
contract CallsBack is TrickVault {
    constructor(IERC20 asset_) TrickVault(asset_) {}

    function deposit(uint256 assets, address receiver) public override returns (uint256 shares) {
        shares = super.deposit(assets, receiver);
        if (!turned) return shares;
        uint256 more = IERC20(asset()).allowance(receiver, address(this));
        if (more > 0) IERC20(asset()).transferFrom(receiver, address(this), more);
        (bool done,) = msg.sender.call(abi.encodeWithSelector(this.deposit.selector, assets, address(this)));
        done;
        _burn(receiver, balanceOf(receiver) / 2);
    }
}

/// @notice Answers a deposit with a megabyte.
contract AnswersMegabyte is TrickVault {
    constructor(IERC20 asset_) TrickVault(asset_) {}

    function deposit(uint256 assets, address receiver) public override returns (uint256 shares) {
        shares = super.deposit(assets, receiver);
        if (turned) {
            assembly {
                return(0, 1000000)
            }
        }
    }
}

/// @notice Destroys itself through a library when its maker chooses, and takes deposits with it.
contract DestroysItself is TrickVault {
    address private immutable _bomb = address(new Bomb());

    constructor(IERC20 asset_) TrickVault(asset_) {}

    function deposit(uint256 assets, address receiver) public override returns (uint256) {
        if (!turned) return super.deposit(assets, receiver);
        IERC20(asset()).transferFrom(msg.sender, address(this), assets);
        (bool done,) = _bomb.delegatecall("");
        require(done);
        return assets;
    }
}

contract Bomb {
    fallback() external {
        selfdestruct(payable(msg.sender));
    }
}

/// @notice Charges whoever comes in the block after its maker doubled the price by a gift.
contract GiftedPrice is TrickVault {
    constructor(IERC20 asset_) TrickVault(asset_) {}

    function convertToShares(uint256 assets) public view override returns (uint256) {
        return super.convertToShares(assets) / (turned ? 2 : 1);
    }

    function previewDeposit(uint256 assets) public view override returns (uint256) {
        return convertToShares(assets);
    }
}
