// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// A vault with configurable answers; each function can fail in a different mode.
contract Puppet {
    enum Mode {
        Answer,
        Revert,
        BurnGas,
        ReturnBomb,
        RevertBomb,
        Short,
        Empty,
        Long
    }

    struct Reply {
        Mode mode;
        uint256 value;
    }

    mapping(bytes4 => Reply) public replies;

    function set(bytes4 selector, Mode mode, uint256 value) external {
        replies[selector] = Reply(mode, value);
    }

    fallback() external {
        Reply memory reply = replies[msg.sig];
        (Mode mode, uint256 value) = (reply.mode, reply.value);
        if (mode == Mode.BurnGas) while (true) {}
        assembly {
            mstore(0, value)
            switch mode
            case 0 { return(0, 32) }
            case 1 { revert(0, 32) }
            case 3 { return(0, 1000000) }
            case 4 { revert(0, 1000000) }
            case 5 { return(0, 31) }
            case 6 { return(0, 0) }
            default { return(0, 96) }
        }
    }
}

/// Answers after using about the configured gas.
contract Slow {
    uint256 public immutable cost;

    constructor(uint256 cost_) {
        cost = cost_;
    }

    function balanceOf(address) external view returns (uint256) {
        return spend(5);
    }

    function convertToAssets(uint256 shares) external view returns (uint256) {
        return spend(shares * 3);
    }

    function spend(uint256 answer) private view returns (uint256) {
        uint256 start = gasleft();
        while (start - gasleft() < cost) {}
        return answer;
    }
}

/// Returns the gas it received, which a vault that catches a failing inner call would expose.
contract GasTeller {
    function balanceOf(address) external view returns (uint256) {
        return gasleft();
    }

    function convertToAssets(uint256) external view returns (uint256) {
        return gasleft();
    }
}

/// Its three storage words are the user's balance, total assets and total supply; it cannot convert.
contract Ratio {
    uint256 private shares;
    uint256 public totalAssets;
    uint256 public totalSupply;

    function balanceOf(address) external view returns (uint256) {
        return shares;
    }
}

/// Its two storage words are the user's balance and the result of every conversion.
contract Holding {
    uint256 private shares;
    uint256 private value;

    function balanceOf(address) external view returns (uint256) {
        return shares;
    }

    function convertToAssets(uint256) external view returns (uint256) {
        return value;
    }
}

/// Prices another contract's shares as families outside ERC-4626 do.
contract RatePricer {
    error Stale();

    function getRate() external pure returns (uint256) {
        return 1.05e18;
    }

    function getRateInQuote(address quote) external pure returns (uint256) {
        return uint160(quote);
    }

    function getReport(address) external pure returns (uint224 price, uint32 timestamp, bool suspicious) {
        return (7, 8, true);
    }

    function getSoundReport(address) external pure returns (uint224 price, uint32 timestamp, bool suspicious) {
        return (7, 8, false);
    }

    function getShortReport(address) external pure returns (uint224 price, uint32 timestamp) {
        return (7, 8);
    }

    function getStale() external pure returns (uint256) {
        revert Stale();
    }
}

/// The most expensive vault: it uses the gas of every read, cannot convert, and its ratio takes the longest division
/// and the longest words.
contract Glutton {
    function balanceOf(address) external view returns (uint256) {
        return gorge(type(uint256).max);
    }

    function totalAssets() external view returns (uint256) {
        return gorge(type(uint256).max - 1);
    }

    function totalSupply() external view returns (uint256) {
        return gorge(type(uint256).max);
    }

    function gorge(uint256 answer) private view returns (uint256) {
        while (gasleft() > 400) {}
        return answer;
    }
}
