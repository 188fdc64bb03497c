// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";

/// @notice A token with open minting, whose symbol and decimals may be unusable.
contract CrookedToken is ERC20 {
    uint8 private immutable _decimals;
    bool private immutable _bomb;

    constructor(uint8 decimals_, bool bomb) ERC20("Dollar", "DOL") {
        (_decimals, _bomb) = (decimals_, bomb);
    }

    function decimals() public view override returns (uint8) {
        return _decimals;
    }

    function symbol() public view override returns (string memory) {
        return _bomb ? string(new bytes(1_000_000)) : super.symbol();
    }

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }
}

/// @notice Tells the first read of a transaction from the later ones by the gas that a storage slot costs.
abstract contract Twofold {
    uint256 private _touched;

    function _isFirst() internal view returns (bool first) {
        uint256 before = gasleft();
        uint256 value = _touched;
        first = before - gasleft() > 1_000 && value == 0;
    }
}

/// @notice A vault that does what its subclass says, and an honest one otherwise.
contract CrookedVault is ERC4626 {
    constructor(IERC20 asset_) ERC20("Crooked", "CRK") ERC4626(asset_) {}
}

contract RevertingViews is CrookedVault {
    constructor(IERC20 asset_) CrookedVault(asset_) {}

    function convertToAssets(uint256) public pure override returns (uint256) {
        revert("not today");
    }
}

contract GasBomb is CrookedVault {
    constructor(IERC20 asset_) CrookedVault(asset_) {}

    function totalAssets() public pure override returns (uint256 sum) {
        while (true) sum = uint256(keccak256(abi.encode(sum)));
    }
}

/// @notice Burns all gas of a deposit alone.
contract DepositBomb is CrookedVault {
    constructor(IERC20 asset_) CrookedVault(asset_) {}

    function deposit(uint256, address) public pure override returns (uint256 sum) {
        while (true) sum = uint256(keccak256(abi.encode(sum)));
    }
}

/// @notice Names its asset at the first question of a transaction and another token at the later ones.
contract FickleAsset is CrookedVault, Twofold {
    address private immutable _other;

    constructor(IERC20 asset_, address other) CrookedVault(asset_) {
        _other = other;
    }

    function asset() public view override returns (address) {
        return _isFirst() ? super.asset() : _other;
    }

    function deposit(uint256 assets, address receiver) public override returns (uint256) {
        asset();
        IERC20(asset()).transferFrom(msg.sender, address(this), assets);
        _mint(receiver, assets);
        return assets;
    }
}

/// @notice Its own share is its asset.
contract OwnAsset is CrookedVault {
    constructor(IERC20 asset_) CrookedVault(asset_) {}

    function asset() public view override returns (address) {
        return address(this);
    }

    function deposit(uint256 assets, address receiver) public override returns (uint256) {
        _mint(receiver, 2 * assets);
        return 2 * assets;
    }
}

/// @notice Names the share token of another vault as its own.
contract ForeignShare is CrookedVault {
    address public immutable share;

    constructor(IERC20 asset_, address share_) CrookedVault(asset_) {
        share = share_;
    }
}

/// @notice Its shares have 77 decimals.
contract ManyDecimals is CrookedVault {
    constructor(IERC20 asset_) CrookedVault(asset_) {}

    function decimals() public pure override returns (uint8) {
        return 77;
    }
}

/// @notice Takes the assets and mints to its maker.
contract MintsElsewhere is CrookedVault {
    address private immutable _maker = msg.sender;

    constructor(IERC20 asset_) CrookedVault(asset_) {}

    function deposit(uint256 assets, address) public override returns (uint256) {
        return super.deposit(assets, _maker);
    }
}

/// @notice Pays half of what it says.
contract PaysHalf is CrookedVault {
    constructor(IERC20 asset_) CrookedVault(asset_) {}

    function _withdraw(address caller, address receiver, address owner, uint256 assets, uint256 shares)
        internal
        override
    {
        super._withdraw(caller, receiver, owner, assets / 2, shares);
    }
}

/// @notice Keeps what is deposited, which only its second implementation does.
contract Taker is CrookedVault {
    constructor(IERC20 asset_) CrookedVault(asset_) {}

    function deposit(uint256 assets, address) public override returns (uint256) {
        IERC20(asset()).transferFrom(msg.sender, address(this), assets);
        return assets;
    }
}

/// @notice A proxy that runs an honest implementation at the first call of a transaction and another one afterwards.
contract SwappingProxy is Twofold {
    address private immutable _honest;
    address private immutable _crooked;

    constructor(address honest, address crooked) {
        (_honest, _crooked) = (honest, crooked);
    }

    fallback() external {
        // What moves money is crooked however often it is called.
        bool honest = msg.sig != ERC4626.deposit.selector || _isFirst() && _isFirst();
        address implementation = honest ? _honest : _crooked;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let done := delegatecall(gas(), implementation, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if done { return(0, returndatasize()) }
            revert(0, returndatasize())
        }
    }
}

/// @notice A name that markup and a change of direction make another one, over an honest vault.
contract MarkupName is CrookedVault {
    constructor(IERC20 asset_) CrookedVault(asset_) {}

    function name() public pure override(ERC20, IERC20Metadata) returns (string memory) {
        return unicode"<img src=x onerror=alert(1)>\u202EVault \u2066USDC\u0007";
    }
}
