// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

/// @notice A token with configured metadata.
contract SaidToken {
    string public name = "A vault";
    string public symbol;
    uint8 public decimals;
    uint256 public totalSupply = 1;

    constructor(string memory symbol_, uint8 decimals_) {
        symbol = symbol_;
        decimals = decimals_;
    }

    function balanceOf(address) external view virtual returns (uint256) {
        return totalSupply;
    }

    function allowance(address, address) external view virtual returns (uint256) {
        return totalSupply;
    }
}

/// @notice An ERC-4626 vault with a configured asset and share token.
contract SaidVault is SaidToken {
    address public asset;
    address public share;
    bool private _previews;

    constructor(address asset_, address share_, bool previews_) SaidToken("V", 18) {
        asset = asset_;
        share = share_ == address(0) ? address(this) : share_;
        _previews = previews_;
    }

    function totalAssets() external pure returns (uint256) {
        return 1;
    }

    function convertToAssets(uint256 shares) external pure returns (uint256) {
        return shares;
    }

    function previewDeposit(uint256 assets) external view returns (uint256) {
        require(_previews, "disabled");
        return assets;
    }
}

/// @notice Returns the share supply of another contract without naming it.
contract HollowVault is SaidVault {
    constructor(address asset_) SaidVault(asset_, address(0), true) {}

    function balanceOf(address) external pure override returns (uint256) {
        revert();
    }

    function allowance(address, address) external pure override returns (uint256) {
        revert();
    }
}

/// @notice A vault with MetaMorpho's fingerprint that no MetaMorpho factory created.
contract SaidMorpho is SaidVault {
    address public MORPHO = address(this);

    constructor(address asset_) SaidVault(asset_, address(0), true) {}
}

/// @notice A factory that created one vault at most.
contract OnlyFactory {
    address public only;

    function set(address vault) external {
        only = vault;
    }

    function isMetaMorpho(address vault) external view returns (bool) {
        return vault == only;
    }

    function isSilo(address vault) external view returns (bool) {
        return vault == only;
    }

    function isVault(address vault) external view returns (bool) {
        return vault == only;
    }

    function getStataToken(address) external view returns (address) {
        return only;
    }

    function allTokens() external view returns (address[] memory tokens) {
        tokens = new address[](1);
        tokens[0] = only;
    }
}

/// @notice A proxy of every call, also to an implementation without code.
contract Proxy {
    address private immutable _implementation;

    constructor(address implementation) {
        _implementation = implementation;
    }

    fallback() external {
        address implementation = _implementation;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), implementation, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch ok
            case 0 { revert(0, returndatasize()) }
            default { return(0, returndatasize()) }
        }
    }
}

/// @notice Returns the same word for every call, which a careless fingerprint accepts as true.
contract YesToAll {
    fallback() external {
        assembly {
            mstore(0, 1)
            return(0, 32)
        }
    }
}
