// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

/// @notice A token that says of itself what it was made to say.
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

/// @notice Answers as an ERC-4626 vault whose asset and share token are what it was made with.
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

/// @notice Tells the supply of shares that another contract keeps, which it does not name.
contract HollowVault is SaidVault {
    constructor(address asset_) SaidVault(asset_, address(0), true) {}

    function balanceOf(address) external pure override returns (uint256) {
        revert();
    }

    function allowance(address, address) external pure override returns (uint256) {
        revert();
    }
}

/// @notice A vault with the fingerprint of a MetaMorpho, whoever made it.
contract SaidMorpho is SaidVault {
    address public MORPHO = address(this);

    constructor(address asset_) SaidVault(asset_, address(0), true) {}
}

/// @notice Passes every call on, to nothing when its implementation has no code.
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

/// @notice Answers any call with one word: what a careless fingerprint takes for a yes.
contract YesToAll {
    fallback() external {
        assembly {
            mstore(0, 1)
            return(0, 32)
        }
    }
}
