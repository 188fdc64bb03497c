// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

interface IAsset {
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

/// @notice Has the views of another vault, and takes what a deposit request pays without recording the request.
contract SwallowsRequests {
    address private immutable _vault;
    IAsset private immutable _asset;

    constructor(address vault, IAsset asset) {
        _vault = vault;
        _asset = asset;
    }

    function requestDeposit(uint256 assets, address, address from) external payable returns (uint256 requestId) {
        _asset.transferFrom(from, address(this), assets);
        requestId = 1;
    }

    fallback() external {
        address vault = _vault;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := staticcall(gas(), vault, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch ok
            case 0 { revert(0, returndatasize()) }
            default { return(0, returndatasize()) }
        }
    }
}
