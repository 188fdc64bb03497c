// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// Fails every call in the same configured way.
contract Hostile {
    enum Mode {
        BurnGas,
        Invalid,
        ReturnBomb,
        RevertBomb,
        HideTheBurning
    }

    Mode private immutable mode;

    constructor(Mode mode_) {
        mode = mode_;
    }

    fallback() external {
        if (mode == Mode.BurnGas) while (true) {}
        if (mode == Mode.HideTheBurning) {
            try this.burn() {} catch {
                revert("nothing to see");
            }
        }
        Mode how = mode;
        assembly {
            switch how
            case 2 { return(0, 1000000) }
            case 3 { revert(0, 1000000) }
            default { invalid() }
        }
    }

    function burn() external pure {
        while (true) {}
    }
}

/// A vault whose shares are worth two of its asset each, and which is its own asset.
contract Honest {
    function asset() external view returns (address) {
        return address(this);
    }

    function balanceOf(address) external pure returns (uint256) {
        return 5;
    }

    function allowance(address, address) external pure returns (uint256) {
        return 6;
    }

    function totalAssets() external pure returns (uint256) {
        return 2e24;
    }

    function totalSupply() external pure returns (uint256) {
        return 1e24;
    }

    function convertToAssets(uint256 shares) external pure returns (uint256) {
        return shares * 2;
    }

    function previewDeposit(uint256 assets) external pure returns (uint256) {
        return assets / 2;
    }

    function maxDeposit(address) external pure returns (uint256) {
        return 7e24;
    }

    function paused() external pure returns (bool) {
        return true;
    }

    /// Uses the given gas and returns its amount.
    function costly(uint256 cost) external view returns (uint256) {
        uint256 start = gasleft();
        while (start - gasleft() < cost) {}
        return cost;
    }

    /// Returns the given number of bytes.
    function long(uint256 size) external pure {
        assembly {
            return(0x80, size)
        }
    }

    function refuse(uint256 size) external pure {
        assembly {
            revert(0x80, size)
        }
    }
}

/// Stand-in for Arbitrum One's precompile at 0x64.
contract ArbSys {
    function arbBlockNumber() external pure returns (uint256) {
        return 300_000_000;
    }
}
