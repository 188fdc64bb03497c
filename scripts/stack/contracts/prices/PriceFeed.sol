// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

/// @notice A price feed with Chainlink's interface, or a sequencer uptime feed. The emulator of prices writes its first
/// three slots. Its times follow the chain's clock, so that it stays fresh while recipes move time.
contract PriceFeed {
    int256 public answer;
    /// @notice Seconds between the last update and the head block.
    uint256 public age;
    /// @notice Start of the round, or zero for the time of the update.
    uint256 public started;
    uint8 public decimals;
    string public description;

    constructor(string memory description_, uint8 decimals_, int256 answer_, uint256 age_) {
        (description, decimals, answer, age) = (description_, decimals_, answer_, age_);
    }

    function latestRoundData()
        external
        view
        returns (uint80 roundId, int256 value, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)
    {
        updatedAt = block.timestamp - age;
        startedAt = started == 0 ? updatedAt : started;
        return (1, answer, startedAt, updatedAt, 1);
    }
}
