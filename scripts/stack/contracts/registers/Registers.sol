// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";

/// @notice Makes contracts from the creation code that it is given, where a real factory has it built in.
abstract contract Maker {
    function _make(bytes memory code) internal returns (address made) {
        assembly {
            made := create(0, add(code, 32), mload(code))
        }
        require(made != address(0), "not made");
    }
}

/// @notice Fluid's lending factory: only appointed deployers create tokens, and a view lists them.
contract LendingFactory is Maker {
    address private immutable _deployer = msg.sender;
    address[] private _tokens;

    function createToken(bytes calldata code) external returns (address token) {
        require(msg.sender == _deployer, "not a deployer");
        token = _make(code);
        _tokens.push(token);
    }

    function allTokens() external view returns (address[] memory) {
        return _tokens;
    }
}

/// @notice MetaMorpho's factory: anybody creates vaults, with an owner, an asset and a name of their choice.
contract MetaMorphoFactory is Maker {
    mapping(address => bool) public isMetaMorpho;

    event CreateMetaMorpho(
        address indexed metaMorpho,
        address indexed caller,
        address initialOwner,
        uint256 initialTimelock,
        address indexed asset,
        string name,
        string symbol,
        bytes32 salt
    );

    function createMetaMorpho(address asset, string calldata name, bytes calldata code)
        external
        returns (address vault)
    {
        vault = _make(code);
        isMetaMorpho[vault] = true;
        emit CreateMetaMorpho(vault, msg.sender, msg.sender, 0, asset, name, "FREE", 0);
    }
}

/// @notice Silo's factory: anybody creates pairs of silos.
contract SiloFactory is Maker {
    mapping(address => bool) public isSilo;

    event NewSilo(
        address indexed implementation,
        address indexed token0,
        address indexed token1,
        address silo0,
        address silo1,
        address siloConfig
    );

    address[] private _prepared;

    /// Makes one silo of the next pair, because both need more gas than a transaction of the local stack has.
    function prepareSilo(bytes calldata code) external {
        _prepared.push(_make(code));
    }

    function createSilos(address[2] calldata tokens) external {
        (address silo0, address silo1) = (_prepared[0], _prepared[1]);
        delete _prepared;
        (isSilo[silo0], isSilo[silo1]) = (true, true);
        emit NewSilo(address(this), tokens[0], tokens[1], silo0, silo1, address(0));
    }
}

/// @notice Euler's perspective: a list of vaults that its owner keeps, and from which vaults leave.
contract GovernedPerspective {
    address private immutable _governor = msg.sender;
    address[] private _verified;

    function set(address[] calldata verified) external {
        require(msg.sender == _governor, "not the governor");
        _verified = verified;
    }

    function verifiedArray() external view returns (address[] memory) {
        return _verified;
    }

    function isVerified(address vault) external view returns (bool) {
        for (uint256 i; i < _verified.length; ++i) if (_verified[i] == vault) return true;
        return false;
    }
}

/// @notice A vault that looks like MetaMorpho and takes from its users in one of several ways.
contract HostileVault is ERC4626 {
    uint256 private immutable _exitFeeBps;
    address public immutable owner;
    mapping(address => bool) public blacklisted;

    constructor(IERC20 asset_, string memory name_, string memory symbol_, uint256 exitFeeBps, address owner_)
        ERC20(name_, symbol_)
        ERC4626(asset_)
    {
        (_exitFeeBps, owner) = (exitFeeBps, owner_);
    }

    function MORPHO() external view returns (address) {
        return address(this);
    }

    function timelock() external pure returns (uint256) {
        return 0;
    }

    /// Whoever deposits may find later that no transfer of the shares works.
    function blacklist(address account) external {
        require(msg.sender == owner, "not the owner");
        blacklisted[account] = true;
    }

    function _update(address from, address to, uint256 value) internal override {
        require(!blacklisted[from] && !blacklisted[to], "blacklisted");
        super._update(from, to, value);
    }

    /// The preview hides the fee.
    function _withdraw(address caller, address receiver, address holder, uint256 assets, uint256 shares)
        internal
        override
    {
        super._withdraw(caller, receiver, holder, assets - assets * _exitFeeBps / 10_000, shares);
    }
}

/// @notice A proxy whose code one key replaces at once.
contract OneKeyProxy {
    /// Source: ERC-1967.
    bytes32 private constant SLOT = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;
    address private immutable _key;

    constructor(address implementation, address key) {
        _key = key;
        assembly {
            sstore(SLOT, implementation)
        }
    }

    function upgradeTo(address implementation) external {
        require(msg.sender == _key, "not the key");
        assembly {
            sstore(SLOT, implementation)
        }
    }

    fallback() external {
        assembly {
            calldatacopy(0, 0, calldatasize())
            let done := delegatecall(gas(), sload(SLOT), 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(done) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }
}
